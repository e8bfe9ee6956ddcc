//! Locks that threads wait for: who holds one inherits the priority of the first that waits for it.
//!
//! A lock is a word in memory, which the scheduler does not see: it knows a lock by a key that all who see the word agree on, its
//! address for one, and only while threads wait for it, below the thread that holds it. A record for it is always left: there are as many
//! as threads can wait. Who holds a lock that was let go is not known before somebody waits again; until then it is as if the
//! thread that was woken for it held it for those who still wait.
//!
//! Nobody proves that he sees the word. So those of each domain wait in a record of their own, and nobody waits behind a thread of another
//! domain: who names a key without the memory is woken with the others, and keeps nobody from anything. A trusted domain shows its locks to
//! nobody: those that wait for them are woken from that domain alone.
//!
//! Below one thread there are never more than [`MOST`] records, whoever makes them: those by which others name it, and those that it was given with
//! others in them when it was woken. It may be given one more in each wait for a lock, so there is room for that from when the wait begins.

use crate::threads::Queue;
use crate::threads::{Thread, Threads};
use abi::nucleus::{MAX_DOMAINS, MAX_THREADS};

/// A lock's place in the table; 0 is none.
pub type Place = u16;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Lock {
    /// Domain of those that wait and whether it is trusted, and the lock's own key; 0: the record is free.
    key: u64,
    pub queue: Queue,
    /// Who lets it go, or nobody: the one that waits here waits for a holder without a name.
    pub holder: Thread,
    /// The next lock of the same holder's, or the next record that is free.
    next: Place,
    /// The domain in which it was taken, where those that wait have said it.
    taken_in: u16,
}
const _: () = assert!(size_of::<Lock>() == 16);

/// The bits of a record's key that are the lock's own.
const LOCK: u64 = (1 << 48) - 1;
/// Set where the domain is trusted.
const TRUSTED: u64 = 1 << 63;
const _: () = assert!((MAX_DOMAINS as u64) << LOCK.count_ones() <= TRUSTED);
/// Below one holder there are so many at most; a component that is not trusted names it for no more than half.
pub const MOST: usize = 16;
/// Of those for one lock, all of which wake in one entry where it is let go, components that are not trusted make no more: with interrupts off, each takes
/// some 120 instructions.
pub const ALIKE: usize = 6;
/// A thread that others name for as many locks as they may can still be given so many more where it is woken.
const SPARE: usize = 2;

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
        let lock = Lock { key: 0, queue: Queue::EMPTY, holder: Thread::NOBODY, next: 0, taken_in: 0 };
        Locks { free: 0, used: 0, locks: [lock; MAX_THREADS] }
    }
    /// What those of a domain that wait for the lock with that key have in common.
    pub fn key(asid: usize, key: usize, is_trusted: bool) -> u64 {
        let trusted = if is_trusted { TRUSTED } else { 0 };
        trusted | ((asid % MAX_DOMAINS) as u64) << LOCK.count_ones() | key as u64 & LOCK
    }
    #[inline(always)]
    pub fn at(&mut self, place: Place) -> &mut Lock {
        &mut self.locks[place as usize % MAX_THREADS]
    }
    /// Whether the record at `place` has that key, for a holder with a name.
    pub fn is(&self, place: Place, key: u64) -> bool {
        let lock = &self.locks[place as usize % MAX_THREADS];
        lock.key == key && lock.holder != Thread::NOBODY
    }
    /// Whether it is for the lock with that key, and those that wait there are of `domain`, or, where `others` are meant too, of one that is not
    /// trusted.
    pub fn is_meant(&self, place: Place, key: usize, domain: usize, others: bool) -> bool {
        let known = self.locks[place as usize % MAX_THREADS].key;
        let waiters = (known & !TRUSTED) >> LOCK.count_ones();
        (known ^ key as u64) & LOCK == 0 && (waiters as usize == domain || others && known & TRUSTED == 0)
    }
    /// The domain of those that wait there.
    pub fn waiters_of(&self, place: Place) -> usize {
        ((self.locks[place as usize % MAX_THREADS].key & !TRUSTED) >> LOCK.count_ones()) as usize
    }
    /// Whether those that wait there wait for what was taken in that domain.
    pub fn was_taken_in(&self, place: Place, domain: usize) -> bool {
        let lock = &self.locks[place as usize % MAX_THREADS];
        lock.taken_in as usize == domain && !lock.queue.is_empty()
    }
    /// The next below the same holder, or 0.
    pub fn after(&self, place: Place) -> Place {
        self.locks[place as usize % MAX_THREADS].next
    }
    /// Highest place ever used.
    pub fn used(&self) -> Place {
        self.used
    }
    /// The record with that key, for a lock taken in that domain, below `holder`, or 0; and how many there are below it.
    pub fn find(&self, threads: &Threads, holder: Thread, key: u64, taken_in: usize) -> (Place, usize) {
        let mut place = threads[holder].held;
        for count in 0..MOST {
            if place == 0 {
                return (0, count);
            }
            let lock = &self.locks[place as usize % MAX_THREADS];
            if lock.key == key && lock.taken_in as usize == taken_in {
                return (place, count);
            }
            place = lock.next;
        }
        (0, MOST)
    }
    /// Whether a thread with `count` records below itself may wait for one more lock, with others below it when it is woken: in a component of
    /// which at most `most` name one holder.
    pub fn may_be_given(count: usize, most: usize) -> bool {
        count < (most + SPARE).min(MOST)
    }
    /// How many there are below `holder` for the lock with that key, in which nobody of a trusted domain waits.
    pub fn alike(&self, threads: &Threads, holder: Thread, key: u64) -> usize {
        let (mut place, mut count) = (threads[holder].held, 0);
        for _ in 0..MOST {
            if place == 0 {
                break;
            }
            let lock = &self.locks[place as usize % MAX_THREADS];
            count += usize::from((lock.key ^ key) & (LOCK | TRUSTED) == 0);
            place = lock.next;
        }
        count
    }
    /// How many records there are below `holder`.
    pub fn count(&self, threads: &Threads, holder: Thread) -> usize {
        let (mut place, mut count) = (threads[holder].held, 0);
        while place != 0 && count < MOST {
            place = self.after(place);
            count += 1;
        }
        count
    }
    /// A new one without waiters below `holder`.
    pub fn add(&mut self, threads: &mut Threads, holder: Thread, key: u64, taken_in: usize) -> Place {
        let place = self.add_alone(key);
        self.at(place).taken_in = taken_in as u16;
        self.hold(threads, place, holder);
        place
    }
    /// The same below nobody.
    pub fn add_alone(&mut self, key: u64) -> Place {
        let place = if self.free != 0 {
            let place = self.free;
            self.free = self.at(place).next;
            place
        } else {
            self.used += 1;
            self.used
        };
        let lock = self.at(place);
        *lock = Lock { key, queue: Queue::EMPTY, holder: Thread::NOBODY, next: 0, taken_in: 0 };
        place
    }
    /// Puts the lock below `holder`.
    pub fn hold(&mut self, threads: &mut Threads, place: Place, holder: Thread) {
        let next = core::mem::replace(&mut threads[holder].held, place);
        let lock = self.at(place);
        (lock.holder, lock.next) = (holder, next);
    }
    /// Puts the lock below who was woken for it, of the domain of those that still wait.
    pub fn hold_next(&mut self, threads: &mut Threads, place: Place, holder: Thread) {
        self.at(place).taken_in = 0;
        self.hold(threads, place, holder);
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
        let next = core::mem::replace(&mut self.free, place);
        *self.at(place) = Lock { key: 0, queue: Queue::EMPTY, holder: Thread::NOBODY, next, taken_in: 0 };
    }
    /// Those that are free; one that is there twice has no end.
    #[cfg(test)]
    pub fn all_free(&self) -> impl Iterator<Item = Place> {
        let next = |&place: &Place| Some(self.after(place)).filter(|&place| place != 0);
        core::iter::successors(Some(self.free).filter(|&place| place != 0), next)
    }
    #[cfg(test)]
    pub fn get(&self, place: Place) -> &Lock {
        &self.locks[place as usize]
    }
    /// For each of `holder`'s, the first of those that wait for it: none of them has a higher priority.
    fn firsts(&self, threads: &Threads, holder: Thread) -> impl Iterator<Item = Thread> {
        let exists = |&place: &Place| place != 0;
        let next = move |&place: &Place| Some(self.after(place)).filter(exists);
        let places = core::iter::successors(Some(threads[holder].held).filter(exists), next);
        places.take(MOST).map(|place| self.locks[place as usize % MAX_THREADS].queue.first())
    }
    /// The highest priority of those that wait for `holder`, and at least `own`.
    pub fn inherited(&self, threads: &Threads, holder: Thread, own: u8) -> u8 {
        self.firsts(threads, holder).fold(own, |highest, first| highest.max(threads[first].priority))
    }
    /// Who waits for one of `holder`'s with the highest priority, or nobody.
    #[inline(always)]
    pub fn lender(&self, threads: &Threads, holder: Thread) -> Thread {
        let higher = |one: Thread, other: Thread| {
            if threads[other].priority > threads[one].priority { other } else { one }
        };
        self.firsts(threads, holder).reduce(higher).unwrap_or(Thread::NOBODY)
    }
}
