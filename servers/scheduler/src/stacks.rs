//! Threads that wait for a stack of a callee: a queue for each domain, by its number.
//!
//! Who finds no stack is counted first, and waits then: a stack that comes back in between finds nobody to wake. That is remembered, and the
//! next one does not wait.

use crate::threads::Queue;
use abi::nucleus::MAX_DOMAINS;

pub struct Stacks {
    waiters: [Queue; MAX_DOMAINS],
    /// A bit for each domain of which a stack came back when nobody waited.
    came_back: [u64; MAX_DOMAINS / 64],
}

impl Stacks {
    pub const fn new() -> Stacks {
        Stacks { waiters: [Queue::EMPTY; MAX_DOMAINS], came_back: [0; MAX_DOMAINS / 64] }
    }
    /// Who waits for a stack of domain `asid`.
    pub fn of(&mut self, asid: usize) -> &mut Queue {
        &mut self.waiters[asid % MAX_DOMAINS]
    }
    /// A stack of domain `asid` came back, and nobody waits.
    pub fn remember(&mut self, asid: usize) {
        self.came_back[asid % MAX_DOMAINS / 64] |= 1 << (asid % 64);
    }
    /// Whether one has come back like that since this was asked.
    pub fn take(&mut self, asid: usize) -> bool {
        let word = &mut self.came_back[asid % MAX_DOMAINS / 64];
        let had = *word >> (asid % 64) & 1 != 0;
        *word &= !(1 << (asid % 64));
        had
    }
}
