//! What the portal manager tells about domains and portals, for the shell.

use crate::section::{NAME, SPEC};

/// Words of code that one call of `inspect.code` gives.
pub const CODE: usize = 256;

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
    /// Its identity ([`crate::identity::DomainId`]): no other domain has had it or will.
    pub identity: u64,
    /// The account that pays for it.
    pub account: u64,
    /// How it is kept apart ([`crate::isolation::Isolation`]), and the number of the domain that it is within, or 0.
    pub isolation: u64,
    pub within: u64,
}
impl Domain {
    pub const NONE: Domain = Domain {
        name: [0; NAME],
        asid: 0,
        flags: 0,
        parent: 0,
        threads: 0,
        portals: 0,
        stacks: 0,
        account: 0,
        identity: 0,
        isolation: 0,
        within: 0,
    };
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
    /// The portal manager's number of what it leads to, or [`NO_REGISTRATION`].
    pub registration: u64,
}
impl Portal {
    pub const NONE: Portal = Portal {
        name: [0; NAME],
        spec: [0; SPEC],
        server: 0,
        code: 0,
        words: 0,
        entry: 0,
        registration: NO_REGISTRATION,
    };
}
/// It leads to nothing that was registered.
pub const NO_REGISTRATION: u64 = u64::MAX;
/// Answer of `inspect.counts`: what the portal manager has, after it has taken back what nobody needs any more.
#[repr(C, align(128))]
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub domains: u64,
    /// Dead domains that calls still return through, or that windows still show.
    pub zombies: u64,
    /// Ends of domains that nobody has asked for.
    pub ended: u64,
    pub registrations: u64,
    /// Portal blocks, their bytes, and those of them that no table entry leads to.
    pub blocks: u64,
    pub code_bytes: u64,
    pub retired: u64,
    /// Table entries that lead to blocks.
    pub users: u64,
    /// Semaphores that portals lead to.
    pub semaphores: u64,
    /// Stacks in queues, and descriptors of further ones.
    pub stacks: u64,
    pub descriptors: u64,
    /// Living threads, and indices whose threads have ended.
    pub threads: u64,
    pub free_threads: u64,
    /// Frames that are neither in use nor promised; those promised.
    pub free_frames: u64,
    pub promised_frames: u64,
}
/// Answer of `inspect.check`: the first thing found that must not be. All zeros: nothing was.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Violation {
    pub what: [u8; NAME],
    /// The domain, or the thread, and the portal's number, or the frame's address, that it was found at; what was there.
    pub at: u64,
    pub number: u64,
    pub value: u64,
}
