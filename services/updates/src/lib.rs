//! What the updates service decides: whether the system takes a file, and what each component has. Free of portals, so that the host tests it.
//!
//! The signature comes first: nothing of a file is read before, but its first bytes, its length and its end.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod state;
#[cfg(test)]
mod tests;
mod trials;

pub use state::{Entry, MOST_BYTES, STARTS, Start, State, Version, Was};
pub use trials::{Trials, What};

use abi::Error;
use abi::isolation::Isolation;
use core::fmt::{Display, Formatter};
use keyring::{Keys, Signs, Unsigned};
use update::Update;

/// Why an update is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused<'a> {
    /// The image has no keys that can be read, so nobody may sign.
    NoKeys,
    /// What is wrong with the file.
    File(update::Error),
    /// Nobody has signed it whom the image names.
    Unsigned(Unsigned),
    /// Its key may not sign for that component.
    NotForKey(&'a str),
    /// It is of component `.0`.
    OtherComponent(&'a str),
    /// It was built for another system.
    System,
    /// The component has had that version, or a newer one.
    Older(Version),
    /// It has that version, or has it again where the current one is taken back.
    Same(Version),
    /// Its key may sign for some components only, and what it is would not be kept to one.
    NotAlone,
}
impl Refused<'_> {
    pub fn code(&self) -> Error {
        match self {
            Refused::File(_) | Refused::System | Refused::OtherComponent(_) => Error::EINVAL,
            Refused::Older(_) | Refused::Same(_) => Error::EEXIST,
            Refused::NoKeys | Refused::Unsigned(_) | Refused::NotForKey(_) | Refused::NotAlone => Error::EACCESS,
        }
    }
}
impl Display for Refused<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        match self {
            Refused::NoKeys => write!(f, "this system has no keys that updates could be signed with"),
            Refused::File(why) => write!(f, "it {why}"),
            Refused::Unsigned(why) => write!(f, "{why}"),
            Refused::NotForKey(name) => write!(f, "its key may not sign for component \"{name}\""),
            Refused::OtherComponent(name) => write!(f, "it is of component \"{name}\""),
            Refused::System => write!(f, "it was built for another system than this one"),
            Refused::Older(version) => write!(f, "the component has had version {version} already"),
            Refused::Same(version) => write!(f, "the component's version {version} is kept already"),
            Refused::NotAlone => {
                write!(f, "its key signs for some components only, and may not for one that no page table keeps apart")
            }
        }
    }
}
impl core::error::Error for Refused<'_> {}

/// What a component has had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Had {
    pub current: Version,
    pub before: Version,
    pub newest: Version,
    /// It may have older versions than it had.
    pub downgrades: bool,
}
/// What a file is, if the system takes it for component `name`, which has had that.
///
/// # Errors
/// It does not.
pub fn examine<'a>(file: &'a [u8], keys: &Keys, name: &str, had: Had) -> Result<Update<'a>, Refused<'a>> {
    let seal = update::seal(file).map_err(Refused::File)?;
    let signs = keys.of(&seal).map_err(Refused::Unsigned)?;
    let update = Update::parse(file).map_err(Refused::File)?;
    if !signs.may(update.name()) {
        return Err(Refused::NotForKey(update.name()));
    }
    if update.name() != name {
        return Err(Refused::OtherComponent(update.name()));
    }
    if update.system() != keys.made {
        return Err(Refused::System);
    }
    // What a fault domain's instructions are, nobody here looks at; in supervisor mode they may do anything.
    if update.isolation() as usize != Isolation::Domain as usize && *signs != Signs::All {
        return Err(Refused::NotAlone);
    }
    let version = update.version();
    if !had.downgrades && version <= had.newest {
        return Err(Refused::Older(had.newest));
    }
    // Its file would be overwritten before it is known whether this one holds.
    if [had.current, had.before].contains(&version) { Err(Refused::Same(version)) } else { Ok(update) }
}
