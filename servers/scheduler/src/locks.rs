//! Locks that threads wait for: who holds one inherits the priority of the first that waits for it.
//!
//! A lock is a word in a component's memory, which the scheduler does not see: it knows a lock by the component and the word's
//! address, and only while threads wait for it, below the thread that holds it. A record for it is always left: there are as many
//! as threads can wait. Who holds a lock that was let go is not known before somebody waits again; until then it is as if the
//! thread that was woken for it held it for those who still wait.

use crate::threads::Queue;
use crate::threads::{Thread, Threads};
use abi::nucleus::MAX_THREADS;

/// A lock's place in the table; 0 is none.
pub type Place = u16;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Lock {
    /// Component and address.
    key: u64,
    pub queue: Queue,
    /// Who lets it go, or nobody: who waits is lost then, but to the end of its domain.
    pub holder: Thread,
    /// The next lock of the same holder's, or the next record that is free.
    next: Place,
}

/// Of one holder's, so many are looked through; a component that is not trusted may make no more than half.
pub const MOST: usize = 16;

pub struct Locks {
    /// First record that was in use and is not, or 0.
    free: Place,
    /// Highest place ever used: below the number of threads that there have been.
    used: Place,
    locks: [Lock; MAX_THREADS],
}

impl Locks {
    /// Where the records are in it, and bytes of one.
    pub const RECORDS: (usize, usize) = (core::mem::offset_of!(Locks, locks), size_of::<Lock>());

    pub const fn new() -> Locks {
        let lock = Lock { key: 0, queue: Queue::EMPTY, holder: Thread::NOBODY, next: 0 };
        Locks { free: 0, used: 0, locks: [lock; MAX_THREADS] }
    }
    /// A lock's name.
    pub fn key(asid: usize, address: usize) -> u64 {
        (asid as u64) << 48 | address as u64 & ((1 << 48) - 1)
    }
    #[inline(always)]
    pub fn at(&mut self, place: Place) -> &mut Lock {
        &mut self.locks[place as usize % MAX_THREADS]
    }
    /// Whether the lock at `place` has that name.
    pub fn is(&self, place: Place, key: u64) -> bool {
        self.locks[place as usize % MAX_THREADS].key == key
    }
    /// The lock of that name below `holder`, or 0; and how many there are below it.
    pub fn find(&self, threads: &Threads, holder: Thread, key: u64) -> (Place, usize) {
        let mut place = threads[holder].held;
        for count in 0..MOST {
            if place == 0 {
                return (0, count);
            }
            let lock = &self.locks[place as usize % MAX_THREADS];
            if lock.key == key {
                return (place, count);
            }
            place = lock.next;
        }
        (0, MOST)
    }
    /// A new one without waiters below `holder`.
    pub fn add(&mut self, threads: &mut Threads, holder: Thread, key: u64) -> Place {
        let place = if self.free != 0 {
            let place = self.free;
            self.free = self.at(place).next;
            place
        } else {
            self.used += 1;
            self.used
        };
        self.at(place).key = key;
        self.hold(threads, place, holder);
        place
    }
    /// Puts the lock below `holder`.
    pub fn hold(&mut self, threads: &mut Threads, place: Place, holder: Thread) {
        let next = core::mem::replace(&mut threads[holder].held, place);
        let lock = self.at(place);
        (lock.holder, lock.next) = (holder, next);
    }
    /// Takes the lock from below its holder.
    pub fn release(&mut self, threads: &mut Threads, place: Place) {
        let holder = core::mem::replace(&mut self.at(place).holder, Thread::NOBODY);
        if holder == Thread::NOBODY {
            return;
        }
        let next = self.at(place).next;
        if threads[holder].held == place {
            threads[holder].held = next;
            return;
        }
        let mut before = threads[holder].held;
        for _ in 0..MOST {
            if before == 0 {
                return;
            }
            if self.at(before).next == place {
                self.at(before).next = next;
                return;
            }
            before = self.at(before).next;
        }
    }
    /// Nobody waits for it any more, and it is below nobody.
    pub fn free(&mut self, place: Place) {
        self.at(place).next = self.free;
        self.free = place;
    }
    /// `holder` ends, and lets go of nothing any more.
    pub fn abandon(&mut self, threads: &mut Threads, holder: Thread) {
        let mut place = core::mem::take(&mut threads[holder].held);
        for _ in 0..MOST {
            if place == 0 {
                return;
            }
            self.at(place).holder = Thread::NOBODY;
            place = self.at(place).next;
        }
    }
    /// The highest priority of those that wait for `holder`, and at least `own`.
    pub fn inherited(&self, threads: &Threads, holder: Thread, own: u8) -> u8 {
        let (mut place, mut highest) = (threads[holder].held, own);
        for _ in 0..MOST {
            if place == 0 {
                break;
            }
            let lock = &self.locks[place as usize % MAX_THREADS];
            highest = highest.max(threads[lock.queue.first()].priority);
            place = lock.next;
        }
        highest
    }
}
