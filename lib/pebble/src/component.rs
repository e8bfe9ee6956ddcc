//! Components, as who looks after a system asks for them: init (`servers/init`) has one succeeded by another.

use crate::Error;
use abi::section::{NAME, text};
use abi::window::{Whole, WholePage};
use alloc::boxed::Box;
use interfaces::init::anew as init;
use interfaces::types::{Alleged, DomainNumber};

/// Why a component is not replaced. Nothing has changed.
#[derive(Debug)]
pub struct Refused {
    pub error: Error,
    /// The name of the portal that is in the way; empty: none is.
    pub portal: Box<str>,
}
impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused { error, portal: Box::default() }
    }
}
/// Has component `name` succeeded by a new instance of it, or by component `by`, while it is called: its clients keep their portals, and calls that it
/// serves come to their ends. The domain of the new one.
///
/// # Errors
/// Those of `init.replace`; `EINVAL`: a name has a blank, or is longer than a component's; `EACCESS`: the caller's manifest entry does not allow it.
pub fn replace(name: &str, by: Option<&str>) -> Result<DomainNumber, Refused> {
    let words = || [name].into_iter().chain(by);
    if words().any(|word| word.is_empty() || word.len() >= NAME || word.contains(char::is_whitespace)) {
        return Err(Error::EINVAL.into());
    }
    let (mut command, mut length) = (fallible::boxed(WholePage::new([b' '; 2 * NAME]))?, 0);
    for word in words() {
        command.0[length..][..word.len()].copy_from_slice(word.as_bytes());
        length += word.len() + 1;
    }
    let mut refused = Whole::new([0; NAME]);
    init::replace(Alleged::lend_all(&command.0), length, Alleged::lend_to_write(&mut refused.0))
        .map_err(|error| Refused { error, portal: fallible::text(text(&refused.0)).unwrap_or_default() })
}
