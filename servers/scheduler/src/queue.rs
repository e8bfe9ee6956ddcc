//! Threads that wait for one thing, highest priority first, then first come.
//!
//! A ring through the thread records like [`Ring`](crate::ring::Ring), sorted; the first thread of each priority in it, its *leader*,
//! is also in a ring of the leaders. So a place is found, and a thread taken out, in at most as many steps as there are
//! priorities, however many wait. The links of the leaders' ring mean something only where two or more wait, as does who is before
//! one, and are nobody in a thread that is no leader.

use crate::threads::{PRIORITIES, Queue, Thread, Threads};

impl Queue {
    pub const EMPTY: Queue = Queue(Thread::NOBODY);

    /// The first thread, or [`Thread::NOBODY`].
    #[inline(always)]
    pub fn first(self) -> Thread {
        self.0
    }
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == Thread::NOBODY
    }
    /// Whether `thread`, a member, is the only one.
    #[inline(always)]
    pub fn is_alone(self, threads: &Threads, thread: Thread) -> bool {
        threads[thread].next == thread
    }
    /// Adds `thread` to a queue that is empty.
    #[inline(always)]
    pub fn begin(&mut self, threads: &mut Threads, thread: Thread) {
        threads[thread].next = thread;
        self.0 = thread;
    }
    /// Adds `thread`, which is in no ring, behind all of at least its priority.
    #[inline(never)]
    pub fn insert(&mut self, threads: &mut Threads, thread: Thread) {
        let first = self.0;
        if self.is_empty() {
            return self.begin(threads, thread);
        }
        if threads[first].next == first {
            threads[first].prev = first;
            link_leaders(threads, first, first);
        }
        let priority = threads[thread].priority;
        if threads[first].priority < priority {
            self.lead(threads, thread, first);
            self.0 = thread;
            return;
        }
        // The last leader of at least this priority; the first one is. Who inherits mostly is of the first one's.
        let mut leader = if threads[first].priority == priority { first } else { threads[first].leader_before };
        for _ in 0..PRIORITIES {
            if threads[leader].priority >= priority {
                break;
            }
            leader = threads[leader].leader_before;
        }
        let after = threads[leader].leader_after;
        if threads[leader].priority == priority {
            threads[thread].leader_after = Thread::NOBODY;
            insert_before(threads, after, thread);
        } else {
            self.lead(threads, thread, after);
        }
    }
    /// Puts `thread`, the only one of its priority, before leader `after`, in both rings.
    fn lead(&mut self, threads: &mut Threads, thread: Thread, after: Thread) {
        let before = threads[after].leader_before;
        link_leaders(threads, before, thread);
        link_leaders(threads, thread, after);
        insert_before(threads, after, thread);
    }
    /// Takes `thread`, a member, out.
    #[inline(never)]
    pub fn remove(&mut self, threads: &mut Threads, thread: Thread) {
        let (next, prev) = (threads[thread].next, threads[thread].prev);
        if next == thread {
            *self = Queue::EMPTY;
            return;
        }
        threads[next].prev = prev;
        threads[prev].next = next;
        if self.0 == thread {
            self.0 = next;
        }
        let (before, after) = (threads[thread].leader_before, threads[thread].leader_after);
        if after == Thread::NOBODY {
            return;
        }
        let alone = before == thread;
        if threads[next].leader_after == Thread::NOBODY {
            // The next of its priority leads.
            link_leaders(threads, if alone { next } else { before }, next);
            link_leaders(threads, next, if alone { next } else { after });
        } else {
            link_leaders(threads, before, after);
        }
    }
}

fn link_leaders(threads: &mut Threads, before: Thread, after: Thread) {
    threads[before].leader_after = after;
    threads[after].leader_before = before;
}
fn insert_before(threads: &mut Threads, after: Thread, thread: Thread) {
    let before = threads[after].prev;
    threads[before].next = thread;
    threads[after].prev = thread;
    let record = &mut threads[thread];
    record.prev = before;
    record.next = after;
}
