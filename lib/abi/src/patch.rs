//! Patches: how a call from a domain of protection to its task can do without another address space. The task sees all that the domain
//! does, so the portal writes the entries of the pages that the call needs besides into the *domain's* page tables, and its return
//! clears them.
//!
//! A patch is open only while a thread executes in the callee's user mode and has not left it: whoever leaves (a call, an interrupt, a fault)
//! closes it on the way, and comes back to the callee's own address space. So no other thread, and nobody who changes page tables, ever
//! finds one open. What has to be done on the way out costs nobody else an instruction, for while a patch is open the thread's table is not
//! the callee's, but one whose entries all lead to the closing code.

use crate::nucleus::flags;

/// How calls from a domain of protection to its task change what is visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Switch {
    /// To the task's address space, with a number of its own.
    #[default]
    Asid = 0,
    /// By a patch, if it needs no more than [`PAGES`] pages.
    Patch = 1,
    /// By whichever costs less, as it is computed for the first call.
    Auto = 2,
}
impl Switch {
    /// The [`flags`] of a domain whose calls do so.
    pub fn flags(self) -> u64 {
        match self {
            Switch::Asid => 0,
            Switch::Patch => flags::PATCHES,
            Switch::Auto => flags::PATCHES | flags::CHEAPEST,
        }
    }
    /// The one with this number, as requests have it.
    pub fn of(number: u64) -> Option<Switch> {
        [Switch::Asid, Switch::Patch, Switch::Auto].into_iter().find(|&switch| switch as u64 == number)
    }
}

/// Most pages of a patch.
pub const PAGES: usize = 16;

/// One page of a patch.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Supervisor address of the place for its entry in the caller's tables.
    pub place: u64,
    /// The entry.
    pub entry: u64,
    /// The page's address.
    pub address: u64,
}
/// What a call of one domain of protection writes. The memory manager keeps it, in a frame of its own.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Supervisor address of the first word behind the pages in use.
    pub end: u64,
    /// The callee's portal table; 0: there is no patch any more.
    pub callee: u64,
    /// The caller's number, under which translations are.
    pub asid: u64,
    /// One more than the index of the thread that left the patch last otherwise than by a call or a return; 0: what it missed is known.
    pub left: u64,
    /// It has only as many pages as cost less than another address space.
    pub cheapest: u64,
    pub pages: [Page; PAGES],
}
