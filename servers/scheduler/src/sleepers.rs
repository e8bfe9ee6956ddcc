//! Threads with a deadline: a binary heap, earliest first; each thread's record knows its place in it.
//!
//! The only structure here that is not O(1): O(log n), at most 11 steps. Equal deadlines wake in the order in which they
//! were set.

use crate::threads::{Thread, Threads};
use crate::time::NEVER;
use abi::nucleus::MAX_THREADS;

#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    /// In units of `time`.
    deadline: u64,
    /// Order of entry; wraps.
    order: u32,
    thread: Thread,
}
impl Entry {
    const NONE: Entry = Entry { deadline: 0, order: 0, thread: Thread::NOBODY };
    #[inline(always)]
    fn before(&self, other: &Entry) -> bool {
        self.deadline < other.deadline
            || (self.deadline == other.deadline && (self.order.wrapping_sub(other.order) as i32) < 0)
    }
}

#[repr(C)]
pub struct Sleepers {
    count: usize,
    orders: u32,
    heap: [Entry; MAX_THREADS],
}

impl Sleepers {
    /// Where the heap is in it, and bytes of an entry: there are at most as many as threads.
    pub const HEAP: (usize, usize) = (core::mem::offset_of!(Sleepers, heap), size_of::<Entry>());

    pub const fn new() -> Sleepers {
        Sleepers { count: 0, orders: 0, heap: [Entry::NONE; MAX_THREADS] }
    }
    /// The first deadline, or [`NEVER`].
    #[inline(always)]
    pub fn earliest(&self) -> u64 {
        if self.count == 0 { NEVER } else { self.heap[0].deadline }
    }
    /// Whose deadline comes first, or nobody.
    #[inline(always)]
    pub fn first(&self) -> Thread {
        if self.count == 0 { Thread::NOBODY } else { self.heap[0].thread }
    }
    /// If the only deadline there is is at `now` or earlier: whose it is.
    #[inline(always)]
    pub fn only_due(&self, now: u64) -> Option<Thread> {
        let first = &self.heap[0];
        if self.count == 1 && first.deadline <= now { Some(first.thread) } else { None }
    }
    /// If the first of several deadlines, and no other, is at `now` or earlier: whose it is.
    #[inline(always)]
    pub fn first_due(&self, now: u64) -> Option<Thread> {
        let first = &self.heap[0];
        let due = |place: usize| place < self.count && self.heap[place].deadline <= now;
        if self.count > 1 && first.deadline <= now && !due(1) && !due(2) { Some(first.thread) } else { None }
    }
    /// Takes out `thread`, which has the only deadline.
    #[inline(always)]
    pub fn remove_only(&mut self, threads: &mut Threads, thread: Thread) {
        threads[thread].position = 0;
        self.count = 0;
    }
    /// Adds `thread`, which has no deadline. There is room: each thread is here once at most, and nobody never.
    pub fn insert(&mut self, threads: &mut Threads, thread: Thread, deadline: u64) {
        self.orders = self.orders.wrapping_add(1);
        let place = self.count % MAX_THREADS;
        self.count = place + 1;
        self.rise(threads, place, Entry { deadline, order: self.orders, thread });
    }
    /// Takes `thread` out, if it has a deadline.
    pub fn remove(&mut self, threads: &mut Threads, thread: Thread) {
        let position = core::mem::take(&mut threads[thread].position) as usize;
        if position == 0 || self.count == 0 {
            return;
        }
        self.count -= 1;
        let place = position - 1;
        if place == self.count {
            return;
        }
        let last = self.heap[self.count % MAX_THREADS];
        if place > 0 && last.before(&self.heap[(place - 1) / 2 % MAX_THREADS]) {
            self.rise(threads, place, last);
        } else {
            self.sink(threads, place, last);
        }
    }
    /// Puts `entry` at `place` or above.
    fn rise(&mut self, threads: &mut Threads, mut place: usize, entry: Entry) {
        while place > 0 {
            let parent = self.heap[(place - 1) / 2 % MAX_THREADS];
            if !entry.before(&parent) {
                break;
            }
            self.put(threads, place, parent);
            place = (place - 1) / 2;
        }
        self.put(threads, place, entry);
    }
    /// Puts `entry` at `place` or below.
    fn sink(&mut self, threads: &mut Threads, mut place: usize, entry: Entry) {
        loop {
            let mut below = 2 * place + 1;
            if below >= self.count {
                break;
            }
            if below + 1 < self.count && self.heap[(below + 1) % MAX_THREADS].before(&self.heap[below % MAX_THREADS]) {
                below += 1;
            }
            let child = self.heap[below % MAX_THREADS];
            if !child.before(&entry) {
                break;
            }
            self.put(threads, place, child);
            place = below;
        }
        self.put(threads, place, entry);
    }
    #[inline(always)]
    fn put(&mut self, threads: &mut Threads, place: usize, entry: Entry) {
        self.heap[place % MAX_THREADS] = entry;
        threads[entry.thread].position = place as u16 + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn earliest_first_whoever_is_taken_out(
            deadlines in prop::collection::vec(0..500u64, 1..300),
            taken in prop::collection::vec(2..302usize, 0..200),
        ) {
            let mut threads = Box::new(Threads::new());
            let mut sleepers = Box::new(Sleepers::new());
            let mut expected: Vec<_> = deadlines.into_iter().zip(2..).collect();
            for &(deadline, index) in &expected {
                sleepers.insert(&mut threads, Thread::new(index).unwrap(), deadline);
            }
            for index in taken {
                sleepers.remove(&mut threads, Thread::new(index).unwrap());
                expected.retain(|entry| entry.1 != index);
            }
            expected.sort();
            for (n, &(deadline, index)) in expected.iter().enumerate() {
                let first = sleepers.first();
                prop_assert_eq!((sleepers.earliest(), first.index()), (deadline, index));
                let (alone, second) = (n + 1 == expected.len(), expected.get(n + 1).map(|entry| entry.0));
                prop_assert!(deadline == 0 || sleepers.only_due(deadline - 1).or(sleepers.first_due(deadline - 1)).is_none());
                prop_assert_eq!(sleepers.only_due(deadline), Some(first).filter(|_| alone));
                prop_assert_eq!(sleepers.first_due(deadline), Some(first).filter(|_| !alone && second != Some(deadline)));
                if alone {
                    sleepers.remove_only(&mut threads, first);
                } else {
                    sleepers.remove(&mut threads, first);
                }
                prop_assert_eq!(threads[first].position, 0);
            }
            prop_assert_eq!((sleepers.earliest(), sleepers.first()), (NEVER, Thread::NOBODY));
        }
    }
}
