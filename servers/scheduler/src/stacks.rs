//! Threads that wait for a stack of a callee, by the callee's portal table, highest priority first.
//!
//! A table of rings, hashed by the table's address: domain blocks are two pages, so that neighbouring domains have
//! rings of their own, and the search for a table's first waiter seldom meets another's. A table lies in the
//! sign-extended first GiB (`abi::address`), so the low half of its address names it.

use crate::ring::Ring;
use crate::threads::{Thread, Threads};

const RINGS: usize = 256;

pub struct Stacks([Ring; RINGS]);

impl Stacks {
    pub const fn new() -> Stacks {
        Stacks([Ring::EMPTY; RINGS])
    }
    fn ring(&mut self, table: u32) -> &mut Ring {
        &mut self.0[(table >> 13) as usize % RINGS]
    }
    pub fn push(&mut self, threads: &mut Threads, thread: Thread, table: u32) {
        self.ring(table).push_by_priority(threads, thread);
    }
    pub fn remove(&mut self, threads: &mut Threads, thread: Thread, table: u32) {
        self.ring(table).remove(threads, thread);
    }
    /// The first that waits for a stack of `table`, or nobody. At most as many steps as threads wait for stacks.
    pub fn first(&mut self, threads: &Threads, table: u32) -> Thread {
        let head = self.ring(table).head();
        let mut thread = head;
        while threads[thread].object != table {
            thread = threads[thread].next;
            if thread == head {
                return Thread::NOBODY;
            }
        }
        thread
    }
}
