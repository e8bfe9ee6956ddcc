//! Circular lists through the thread records. A thread is in one ring, or one [`Queue`](crate::threads::Queue), at most.
//!
//! A ring is known by its head; the tail is the head's predecessor. So inserting, removing and turning are a few
//! stores, whatever its length.

use crate::threads::{Thread, Threads};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Ring(Thread);

impl Ring {
    pub const EMPTY: Ring = Ring(Thread::NOBODY);

    /// The first thread, or [`Thread::NOBODY`].
    #[inline(always)]
    pub fn head(self) -> Thread {
        self.0
    }
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == Thread::NOBODY
    }
    /// Makes `thread`, a member, the head: what was before it comes last.
    #[inline(always)]
    pub fn turn_to(&mut self, thread: Thread) {
        self.0 = thread;
    }
    /// Puts `thread`, which is in no ring, last.
    #[inline(always)]
    pub fn push(&mut self, threads: &mut Threads, thread: Thread) {
        if self.is_empty() {
            self.begin(threads, thread);
        } else {
            let tail = threads[self.0].prev;
            insert_after(threads, tail, thread);
        }
    }
    /// Takes `thread`, a member, out.
    #[inline(always)]
    pub fn remove(&mut self, threads: &mut Threads, thread: Thread) {
        let next = threads[thread].next;
        if next == thread {
            *self = Ring::EMPTY;
            return;
        }
        let prev = threads[thread].prev;
        threads[next].prev = prev;
        threads[prev].next = next;
        if self.0 == thread {
            self.0 = next;
        }
    }
    #[inline(always)]
    fn begin(&mut self, threads: &mut Threads, thread: Thread) {
        let record = &mut threads[thread];
        record.next = thread;
        record.prev = thread;
        self.0 = thread;
    }
}

#[inline(always)]
fn insert_after(threads: &mut Threads, before: Thread, thread: Thread) {
    let next = threads[before].next;
    threads[before].next = thread;
    threads[next].prev = thread;
    let record = &mut threads[thread];
    record.next = next;
    record.prev = before;
}
