//! What a service says of a file that it does not take.

use crate::Error;
use abi::section::text;
use alloc::boxed::Box;

/// Why it does not. Nothing has changed.
#[derive(Debug)]
pub struct Refused {
    pub error: Error,
    /// What the service says of it; empty: nothing.
    pub why: Box<str>,
}
impl Refused {
    /// With what a request says, filled up with zeros; nothing, where there is no memory for it.
    pub(crate) fn said(error: Error, why: &[u8]) -> Refused {
        Refused { error, why: fallible::text(text(why)).unwrap_or_default() }
    }
}
impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused { error, why: Box::default() }
    }
}
