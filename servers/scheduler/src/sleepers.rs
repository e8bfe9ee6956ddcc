//! Threads with a deadline, by priority: of those whose time has come, the one of the highest priority wakes first, however many
//! others are due.
//!
//! For each priority a leftist heap through entries beside the thread records, earliest first (Crane 1972; Knuth, The Art of Computer
//! Programming, volume 3, section 5.2.3): to insert and to take out anyone are at most some 2·log₂ n steps, where no step is left for
//! later. Above the heaps is a tree of 64 leaves, one a priority, with the earliest deadline of each subtree: so the earliest of all is at
//! its root, and six steps lead to the highest priority that is due. Equal deadlines of one priority wake in the order in which they
//! were set, if that is no longer ago than 2¹⁵ others.
//!
//! Where only one thread has a deadline it is in no heap.

use crate::threads::{PRIORITIES, Thread, Threads};
use crate::time::NEVER;
use abi::nucleus::MAX_THREADS;
use core::mem::swap;

#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    /// In units of `time`.
    deadline: u64,
    /// Whose deadline is not later, or nobody; its heap's children, the left one of at least the right one's rank.
    up: Thread,
    left: Thread,
    right: Thread,
    /// Order of entry; wraps.
    order: u16,
}
impl Entry {
    const NONE: Entry =
        Entry { deadline: 0, up: Thread::NOBODY, left: Thread::NOBODY, right: Thread::NOBODY, order: 0 };
    #[inline(always)]
    fn before(&self, other: &Entry) -> bool {
        self.deadline < other.deadline
            || (self.deadline == other.deadline && (self.order.wrapping_sub(other.order) as i16) < 0)
    }
}

#[repr(C)]
pub struct Sleepers {
    count: usize,
    /// The only one, if it is in no heap, and its deadline.
    alone: Thread,
    orders: u16,
    alone_deadline: u64,
    roots: [Thread; PRIORITIES],
    /// From 1 on, children of `n` at `2n` and `2n + 1`: how long before [`NEVER`] the earliest deadline is; so zeros are none.
    tree: [u64; 2 * PRIORITIES],
    entries: [Entry; MAX_THREADS],
}

/// A thread's `position`: 0, it has no deadline; [`ALONE`]; else one more than the priority of its heap, and from bit 8 on its rank, the
/// steps from it along right children to the end.
const ALONE: u16 = 0x7f;
const RANK: u32 = 8;

impl Sleepers {
    /// Where the entries are in it, and bytes of one: each thread has one.
    pub const ENTRIES: (usize, usize) = (core::mem::offset_of!(Sleepers, entries), size_of::<Entry>());

    pub const fn new() -> Sleepers {
        Sleepers {
            count: 0,
            alone: Thread::NOBODY,
            orders: 0,
            alone_deadline: 0,
            roots: [Thread::NOBODY; PRIORITIES],
            tree: [0; 2 * PRIORITIES],
            entries: [Entry::NONE; MAX_THREADS],
        }
    }
    #[inline(always)]
    fn entry(&mut self, thread: Thread) -> &mut Entry {
        &mut self.entries[thread.index() % MAX_THREADS]
    }
    /// The first deadline, or [`NEVER`].
    #[inline(always)]
    pub fn earliest(&self) -> u64 {
        if self.alone != Thread::NOBODY { self.alone_deadline } else { NEVER - self.tree[1] }
    }
    /// The first deadline of a thread whose priority is higher, or [`NEVER`].
    pub fn earliest_above(&self, priority: u8) -> u64 {
        let mut place = PRIORITIES + priority as usize % PRIORITIES;
        let mut left = 0;
        while place > 1 {
            if place.is_multiple_of(2) {
                left = self.tree[(place + 1) % (2 * PRIORITIES)].max(left);
            }
            place /= 2;
        }
        NEVER - left
    }
    /// Who is to wake first of those whose deadline is at `now` or earlier, or nobody.
    pub fn due(&self, now: u64) -> Thread {
        if self.earliest() > now {
            return Thread::NOBODY;
        }
        if self.alone != Thread::NOBODY {
            return self.alone;
        }
        let mut place = 1;
        while place < PRIORITIES {
            place = 2 * place + usize::from(NEVER - self.tree[(2 * place + 1) % (2 * PRIORITIES)] <= now);
        }
        self.roots[place % PRIORITIES]
    }
    /// If the only deadline there is is at `now` or earlier: whose it is.
    #[inline(always)]
    pub fn only_due(&self, now: u64) -> Option<Thread> {
        if self.alone != Thread::NOBODY && self.alone_deadline <= now { Some(self.alone) } else { None }
    }
    /// If one of several deadlines, and no other, is at `now` or earlier: whose it is.
    #[inline(always)]
    pub fn one_due(&self, now: u64) -> Option<Thread> {
        let due = |place: usize| NEVER - self.tree[place % (2 * PRIORITIES)] <= now;
        let mut place = 1;
        while place < PRIORITIES {
            let (lower, higher) = (due(2 * place), due(2 * place + 1));
            if lower == higher {
                return None;
            }
            place = 2 * place + usize::from(higher);
        }
        let thread = self.roots[place % PRIORITIES];
        let Entry { left, right, .. } = self.entries[thread.index()];
        let another = [left, right].iter().any(|&t| t != Thread::NOBODY && self.entries[t.index()].deadline <= now);
        (!another).then_some(thread)
    }
    /// Takes out `thread`, which [`Sleepers::only_due`] gave.
    #[inline(always)]
    pub fn remove_only(&mut self, threads: &mut Threads, thread: Thread) {
        threads[thread].position = 0;
        self.alone = Thread::NOBODY;
        self.count = 0;
    }
    /// Adds `thread`, which has no deadline; until it is taken out, its priority stays as it is.
    pub fn insert(&mut self, threads: &mut Threads, thread: Thread, deadline: u64) {
        self.count += 1;
        if self.count == 1 {
            (self.alone, self.alone_deadline) = (thread, deadline);
            threads[thread].position = ALONE;
            return;
        }
        if self.alone != Thread::NOBODY {
            let alone = core::mem::replace(&mut self.alone, Thread::NOBODY);
            self.put(threads, alone, self.alone_deadline);
        }
        self.put(threads, thread, deadline);
    }
    fn put(&mut self, threads: &mut Threads, thread: Thread, deadline: u64) {
        let priority = threads[thread].priority as usize % PRIORITIES;
        self.orders = self.orders.wrapping_add(1);
        *self.entry(thread) = Entry { deadline, order: self.orders, ..Entry::NONE };
        threads[thread].position = 1 << RANK | (priority as u16 + 1);
        let root = self.meld(threads, self.roots[priority], thread);
        self.set_root(priority, root);
    }
    /// Takes `thread` out, if it has a deadline.
    pub fn remove(&mut self, threads: &mut Threads, thread: Thread) {
        let position = core::mem::take(&mut threads[thread].position);
        if position == 0 {
            return;
        }
        self.count -= 1;
        if position == ALONE {
            self.alone = Thread::NOBODY;
            return;
        }
        let Entry { up, left, right, .. } = *self.entry(thread);
        let rest = self.meld(threads, left, right);
        self.entry(rest).up = up;
        if up == Thread::NOBODY {
            self.set_root((position as u8 - 1) as usize % PRIORITIES, rest);
            return;
        }
        let above = self.entry(up);
        if above.left == thread {
            above.left = rest;
        } else {
            above.right = rest;
        }
        // Each rank that changes is one higher than the one below it: at most log₂ n do.
        let mut place = up;
        while place != Thread::NOBODY && self.balance(threads, place) {
            place = self.entry(place).up;
        }
    }
    /// The same; its deadline.
    pub fn take(&mut self, threads: &mut Threads, thread: Thread) -> Option<u64> {
        let deadline = match threads[thread].position {
            0 => return None,
            ALONE => self.alone_deadline,
            _ => self.entry(thread).deadline,
        };
        self.remove(threads, thread);
        Some(deadline)
    }
    /// The root of both heaps' members; nobody is above it.
    fn meld(&mut self, threads: &mut Threads, mut a: Thread, mut b: Thread) -> Thread {
        let (mut root, mut last) = (Thread::NOBODY, Thread::NOBODY);
        // Along the right children of both, which are at most log₂ n each.
        while a != Thread::NOBODY && b != Thread::NOBODY {
            if self.entries[b.index()].before(&self.entries[a.index()]) {
                swap(&mut a, &mut b);
            }
            self.link(&mut root, last, a);
            last = a;
            a = self.entry(a).right;
        }
        let rest = if a == Thread::NOBODY { b } else { a };
        if rest != Thread::NOBODY {
            self.link(&mut root, last, rest);
        }
        // Back up: the child of the higher rank is the left one.
        let mut below = threads[rest].position >> RANK;
        while last != Thread::NOBODY {
            let entry = &mut self.entries[last.index() % MAX_THREADS];
            let left = threads[entry.left].position >> RANK;
            if left < below {
                swap(&mut entry.left, &mut entry.right);
            }
            below = left.min(below) + 1;
            let position = &mut threads[last].position;
            *position = below << RANK | *position & ((1 << RANK) - 1);
            last = entry.up;
        }
        root
    }
    /// Makes `thread` the right child of `last`, or the root where there is nobody.
    #[inline(always)]
    fn link(&mut self, root: &mut Thread, last: Thread, thread: Thread) {
        if last == Thread::NOBODY {
            *root = thread;
        } else {
            self.entry(last).right = thread;
        }
        self.entry(thread).up = last;
    }
    /// The child of the higher rank is the left one; whether the rank of `thread` has changed.
    fn balance(&mut self, threads: &mut Threads, thread: Thread) -> bool {
        let entry = &mut self.entries[thread.index() % MAX_THREADS];
        if threads[entry.left].position >> RANK < threads[entry.right].position >> RANK {
            swap(&mut entry.left, &mut entry.right);
        }
        let rank = (threads[entry.right].position >> RANK) + 1;
        let position = threads[thread].position;
        threads[thread].position = rank << RANK | position & ((1 << RANK) - 1);
        position >> RANK != rank
    }
    fn set_root(&mut self, priority: usize, root: Thread) {
        self.roots[priority] = root;
        let left = if root == Thread::NOBODY { 0 } else { NEVER - self.entry(root).deadline };
        let mut place = (PRIORITIES + priority) % (2 * PRIORITIES);
        self.tree[place] = left;
        while place > 1 {
            let most = self.tree[place].max(self.tree[place ^ 1]);
            place /= 2;
            self.tree[place] = most;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Longest path along right children, and whether all is in order.
    fn check(sleepers: &mut Sleepers, threads: &Threads, thread: Thread) -> u16 {
        if thread == Thread::NOBODY {
            return 0;
        }
        let Entry { left, right, .. } = *sleepers.entry(thread);
        for child in [left, right].into_iter().filter(|child| *child != Thread::NOBODY) {
            assert!(!sleepers.entries[child.index()].before(&sleepers.entries[thread.index()]));
            assert!(sleepers.entries[child.index()].up == thread);
        }
        let (a, b) = (check(sleepers, threads, left), check(sleepers, threads, right));
        assert!(a >= b && threads[thread].position >> RANK == b + 1);
        b + 1
    }
    proptest! {
        #![proptest_config(properties::config(256))]
        #[test]
        fn highest_due_first_then_earliest_whoever_is_taken_out(
            deadlines in prop::collection::vec((0..500u64, 0..6u8), 1..300),
            taken in prop::collection::vec(2..302usize, 0..200),
            now in 0..600u64,
        ) {
            let mut threads = Box::new(Threads::new());
            let mut sleepers = Box::new(Sleepers::new());
            // `(lower for a higher priority, deadline, index)`.
            let mut expected: Vec<_> = deadlines.into_iter().zip(2..).map(|((d, p), i)| (63 - p, d, i)).collect();
            for &(below, deadline, index) in &expected {
                let thread = Thread::new(index).unwrap();
                threads[thread].priority = 63 - below;
                sleepers.insert(&mut threads, thread, deadline);
            }
            for index in taken {
                sleepers.remove(&mut threads, Thread::new(index).unwrap());
                expected.retain(|entry| entry.2 != index);
                for priority in 0..PRIORITIES {
                    let root = sleepers.roots[priority];
                    check(&mut sleepers, &threads, root);
                }
            }
            expected.sort();
            while let Some(at) = expected.iter().position(|entry| entry.1 <= now) {
                let earliest = expected.iter().map(|entry| entry.1).min().unwrap();
                let (_, deadline, index) = expected.remove(at);
                let first = sleepers.due(now);
                let dues = 1 + expected.iter().filter(|entry| entry.1 <= now).count();
                let single = (dues == 1 && sleepers.alone == Thread::NOBODY).then_some(first);
                prop_assert_eq!(sleepers.one_due(now), single);
                if sleepers.alone == Thread::NOBODY {
                    let priority = 63 - threads[first].priority;
                    let above = expected.iter().filter(|entry| entry.0 < priority).map(|entry| entry.1).min();
                    prop_assert_eq!(sleepers.earliest_above(63 - priority), above.unwrap_or(NEVER));
                }
                prop_assert_eq!((sleepers.earliest(), first.index()), (earliest, index));
                prop_assert!(deadline <= now && (earliest == 0 || sleepers.due(earliest - 1) == Thread::NOBODY));
                match sleepers.only_due(now) {
                    Some(only) => {
                        prop_assert!(only == first && expected.is_empty());
                        sleepers.remove_only(&mut threads, first);
                    }
                    None => sleepers.remove(&mut threads, first),
                }
                prop_assert_eq!(threads[first].position, 0);
            }
            prop_assert_eq!(sleepers.due(now), Thread::NOBODY);
            prop_assert_eq!(sleepers.count, expected.len());
            prop_assert_eq!(sleepers.earliest(), expected.iter().map(|entry| entry.1).min().unwrap_or(NEVER));
        }
    }
}
