//! What the linker decides: whether an extension's file may be linked into a host, and by what. Free of portals, so that the host tests it.
//!
//! The signature comes first: nothing of a file is read before, but its first bytes, its length and its end.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod plan;
mod table;
#[cfg(test)]
mod tests;

pub use plan::{Exported, Plan, RUNTIME, plan, signed, terms};
pub use table::{Asked, MOST, Name, REMEMBERED, Table, said};

use core::fmt::{Display, Formatter};
use keyring::Unsigned;

/// Why an extension is not linked in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused<'a> {
    /// The image has no keys that can be read, so nobody may sign.
    NoKeys,
    /// What is wrong with the file.
    File(extension::Error),
    /// Nobody has signed it whom the image names.
    Unsigned(Unsigned),
    /// It names an interface that its key may not sign for.
    NotForKey(&'a str),
    /// It was made by another compiler, or with other flags.
    Compiler,
    /// The host exports no interface of that name.
    NoInterface(&'a str),
    /// The host's interface of that name has another declaration.
    OtherInterface(&'a str),
    /// It calls a procedure that the interface has not.
    NoProcedure(&'a str, u16),
    /// It handles an event that the interface has not.
    NoEvent(&'a str, u16),
    /// The host does not let it handle what it does.
    NotLet,
    /// It handles nothing.
    NoHandler,
    /// Its quantum is longer than so many microseconds.
    Quantum(u64),
    NoMemory,
    /// What the host says of itself can not be.
    Host,
}
impl Display for Refused<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        match *self {
            Refused::NoKeys => write!(f, "this system has no keys that extensions could be signed with"),
            Refused::File(why) => write!(f, "it {why}"),
            Refused::Unsigned(why) => write!(f, "{why}"),
            Refused::NotForKey(name) => write!(f, "its key may not sign for interface \"{name}\""),
            Refused::Compiler => write!(f, "it was made by another compiler than this system's"),
            Refused::NoInterface(name) => write!(f, "the component exports no interface \"{name}\""),
            Refused::OtherInterface(name) => write!(f, "the component's interface \"{name}\" is declared otherwise"),
            Refused::NoProcedure(name, n) => write!(f, "interface \"{name}\" has no procedure {n}"),
            Refused::NoEvent(name, n) => write!(f, "interface \"{name}\" has no event {n}"),
            Refused::NotLet => write!(f, "the component does not let it handle what it does"),
            Refused::NoHandler => write!(f, "it handles no event"),
            Refused::Quantum(most) => {
                write!(f, "an activation of it may take longer than {most} microseconds, the component's most")
            }
            Refused::NoMemory => write!(f, "there is no memory for it"),
            Refused::Host => write!(f, "the component says of itself what can not be"),
        }
    }
}
impl core::error::Error for Refused<'_> {}
