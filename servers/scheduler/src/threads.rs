//! The thread table: one compact record a thread, and the numbers that name threads.

use abi::nucleus::MAX_THREADS;
pub use abi::nucleus::PRIORITIES;
use core::ops::{Index, IndexMut};

/// Number of thread ids between two generations of one index.
const ID_STRIDE: u32 = abi::nucleus::THREAD_IDS as u32;
/// Ids fit a C `int`.
const ID_MASK: u32 = 0x7FFF_FFFF;

/// A thread's index, kept as its record's offset in the table, so that to follow a link is one addition and no check:
/// the table has a record at every offset that fits. [`Thread::NOBODY`] ends lists; its record exists and means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Thread(u16);

/// The idle thread: the image builder gives it index 1. It is in no ring, and runs when all of them are empty.
pub const IDLE: Thread = Thread(1 << RECORD_SHIFT);

/// log₂ of a record's size.
const RECORD_SHIFT: u32 = 5;

impl Thread {
    pub const NOBODY: Thread = Thread(0);

    /// A thread other than nobody and the idle thread, from a number that came from outside.
    #[inline(always)]
    pub fn new(index: usize) -> Option<Thread> {
        if index > IDLE.index() && index < MAX_THREADS { Some(Thread((index << RECORD_SHIFT) as u16)) } else { None }
    }
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 >> RECORD_SHIFT) as usize
    }
}

/// Threads that wait for one thing: the first of them, whose records have the others ([`crate::queue`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Queue(pub(crate) Thread);

/// What a thread does. That one of the ready threads is running is the scheduler's own knowledge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum State {
    /// The index is not in use.
    Free = 0,
    /// As [`Scheduler::info`](crate::Scheduler::info) reports it; never in a record.
    Running = 1,
    Ready = 2,
    Semaphore = 3,
    Sleeping = 4,
    Joining = 5,
    Stack = 6,
    /// It has ended and is not yet reaped.
    Ended = 7,
    /// Ready, and has not waited since its slice began before the last timer interrupt; reported as `Ready`.
    Spent = 8,
    /// `Semaphore`, without a time-out, and not woken since [`Scheduler::waiting`](crate::Scheduler::waiting) said so; reported as
    /// `Semaphore`.
    Suspect = 9,
    /// `Sleeping`, of a thread that was cancelled; reported as `Sleeping`.
    Pausing = 10,
    /// It waits for a lock; reported as `Semaphore`.
    Lock = 11,
}

/// A thread, in 32 bytes: half a cache line.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub struct Record {
    /// Neighbours in the ring the thread is in: ready, or waiting for one thing.
    pub next: Thread,
    pub prev: Thread,
    /// What its pending call returns when it goes on: 0, an id, or an error. 0 for a thread that was preempted.
    pub value: i32,
    /// What it waits for: semaphore id, thread index, domain of the stack, or the lock's place.
    pub object: u32,
    /// `generation * 4096 + index`; 0 before the index is first used.
    pub id: u32,
    /// Its neighbours among the leaders of the queue it is in (see [`crate::queue`]).
    pub leader_before: Thread,
    pub leader_after: Thread,
    /// Threads that wait for its end.
    pub joiners: Queue,
    /// See [`Sleepers`](crate::sleepers::Sleepers); 0: it has no deadline.
    pub position: u16,
    /// Place of the first of the locks that others wait for and it holds, or 0.
    pub held: u16,
    /// ASID of the domain it was created in, and from [`CEILING`] on the highest priority that it may give itself.
    pub home_and_ceiling: u16,
    pub state: State,
    /// By which it runs and waits: its own, of which little is left while its account has had its share of the processor, or a higher one of a thread that waits for it.
    pub priority: u8,
    /// What it has given itself, and [`DEMOTED`].
    pub own_and_demoted: u8,
    /// Why it waits for a slice at most, if it does: bits of [`abi::nucleus::cancelled`]; [`ENDING`], [`NEVER_WAITS`].
    pub cancelled: u8,
}

/// In [`Record::cancelled`] of the idle thread, which has nothing to wait for.
pub const NEVER_WAITS: u8 = 0x80;
/// In that of a thread that ends, but has not woken all that wait for that.
pub const ENDING: u8 = 0x40;
/// In [`Record::own_and_demoted`] of a thread whose account has had its share of the processor.
const DEMOTED: u8 = 0x80;
/// What is left of the priority of such a thread is the upper two bits of six: who was far above others of its account is so still.
const DEMOTED_SHIFT: u32 = 4;
/// First bit of the ceiling in [`Record::home_and_ceiling`].
pub const CEILING: u32 = 10;
const _: () = assert!(abi::nucleus::MAX_DOMAINS <= 1 << CEILING && PRIORITIES << CEILING == 1 << u16::BITS);

const _: () = assert!(size_of::<Record>() == 1 << RECORD_SHIFT && MAX_THREADS << RECORD_SHIFT == 1 << u16::BITS);

impl Record {
    const FREE: Record = Record {
        next: Thread::NOBODY,
        prev: Thread::NOBODY,
        value: 0,
        object: 0,
        id: 0,
        leader_before: Thread::NOBODY,
        leader_after: Thread::NOBODY,
        joiners: Queue::EMPTY,
        position: 0,
        held: 0,
        home_and_ceiling: 0,
        state: State::Free,
        priority: 0,
        own_and_demoted: 0,
        cancelled: 0,
    };
    pub fn home(&self) -> usize {
        self.home_and_ceiling as usize % (1 << CEILING)
    }
    pub fn ceiling(&self) -> usize {
        self.home_and_ceiling as usize >> CEILING
    }
    /// The priority that it has given itself.
    pub fn own_priority(&self) -> u8 {
        self.own_and_demoted & !DEMOTED
    }
    pub fn set_own_priority(&mut self, priority: u8) {
        self.own_and_demoted = (self.own_and_demoted & DEMOTED) | priority;
    }
    pub fn is_demoted(&self) -> bool {
        self.own_and_demoted & DEMOTED != 0
    }
    pub fn set_demoted(&mut self, demoted: bool) {
        self.own_and_demoted = self.own_priority() | if demoted { DEMOTED } else { 0 };
    }
    /// By which it runs if nobody waits for what it holds.
    pub fn base_priority(&self) -> u8 {
        let own = self.own_priority();
        if self.is_demoted() { own >> DEMOTED_SHIFT } else { own }
    }
    /// The id of this index's next thread: generations count from 0 and wrap after 2¹⁹.
    pub fn next_id(&self, thread: Thread) -> u32 {
        if self.id == 0 { thread.index() as u32 } else { (self.id + ID_STRIDE) & ID_MASK }
    }
}

/// The index of the thread that an id names.
pub fn index_of_id(id: usize) -> Option<Thread> {
    if id > ID_MASK as usize { None } else { Thread::new(id % ID_STRIDE as usize) }
}

/// All records, by [`Thread`].
pub struct Threads([Record; MAX_THREADS]);

impl Threads {
    pub const fn new() -> Threads {
        Threads([Record::FREE; MAX_THREADS])
    }
}
impl Index<Thread> for Threads {
    type Output = Record;
    #[inline(always)]
    fn index(&self, thread: Thread) -> &Record {
        &self.0[thread.index()]
    }
}
impl IndexMut<Thread> for Threads {
    #[inline(always)]
    fn index_mut(&mut self, thread: Thread) -> &mut Record {
        &mut self.0[thread.index() % MAX_THREADS]
    }
}
