//! Counters: how often each portal was called, and how long the threads of each domain ran.
//!
//! In a system whose manifest says `counters = true`, each domain block has a third page, [`WORDS`] counters of 64 bits. Word `n` counts
//! the calls of portal `n` of the domain's table; what no table entry needs is for the rest. Portal code adds to the page of the domain
//! that calls, so a portal that several domains share counts for each of them apart. Only supervisor code and the portal manager can
//! write there; `inspect.calls` gives a copy.

use crate::nucleus::NPORTALS;

/// Counters of a domain.
pub const WORDS: usize = NPORTALS;
/// The word with the cycles that threads whose home the domain is have run, wherever they were. In the page of the scheduler, which has
/// no threads: the cycle at which a thread was last switched to.
pub const TIME: usize = 0;
/// Exceptions, and calls that had to ask a server before they could be made (no stack, a page to share).
pub const FAULTS: usize = 38;
/// Interrupts that came while the domain executed.
pub const INTERRUPTS: usize = 39;
const _: () = assert!(INTERRUPTS < crate::system::FIRST_FREE);

/// What [`crate::nucleus::domain::COUNTERS`] points to is so far behind the page's start, so that all words are in reach of a load.
pub const MIDDLE: usize = 2048;
/// Where word `n` is from there.
pub const fn offset(n: usize) -> i32 {
    (8 * (n % WORDS)) as i32 - MIDDLE as i32
}

/// Answer of `inspect.calls`.
#[repr(C, align(4096))]
#[derive(Clone, Copy)]
pub struct Calls(pub [u64; WORDS]);
impl Calls {
    pub const NONE: Calls = Calls([0; WORDS]);
}
