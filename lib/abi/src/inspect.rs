//! What the portal manager tells about domains and portals, for the shell.

use crate::section::{NAME, SPEC};

/// Answer of `inspect.domain`.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Domain {
    pub name: [u8; NAME],
    pub asid: u64,
    /// [`crate::nucleus::flags`].
    pub flags: u64,
    /// ASID of the domain that made it, or 0.
    pub parent: u64,
    /// Threads whose home it is.
    pub threads: u64,
    /// Open portals.
    pub portals: u64,
    /// Stacks in its queue.
    pub stacks: u64,
    /// Its serial number: no other domain has had it or will.
    pub serial: u64,
}
/// Answer of `inspect.portal`.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Portal {
    pub name: [u8; NAME],
    pub spec: [u8; SPEC],
    /// ASID of the domain it leads to; 0 for a short-circuit portal.
    pub server: u64,
    /// Address its code executes at, and words of it.
    pub code: u64,
    pub words: u64,
    pub entry: u64,
}
