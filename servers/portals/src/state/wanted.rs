//! What is asked for where a domain is to be made.

use crate::state::enclosure::Enclosure;
use account::Account;

/// A domain that is to be made.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub name: &'a str,
    /// `abi::nucleus::flags`.
    pub flags: u64,
    pub enclosure: Enclosure,
    /// Whose child it is, or 0.
    pub parent: usize,
    pub account: Account,
}
