//! The thread table: one compact record a thread, and the numbers that name threads.

use crate::ring::Ring;
use abi::nucleus::MAX_THREADS;
use core::ops::{Index, IndexMut};

/// Priorities are 0 to 63; a higher number runs first.
pub const PRIORITIES: usize = 64;
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
    /// `Sleeping`, of a thread that was cancelled; reported as `Sleeping`.
    Pausing = 10,
    /// `Semaphore`, without a time-out, and not woken since [`Scheduler::waiting`](crate::Scheduler::waiting) said so; reported as
    /// `Semaphore`.
    Suspect = 9,
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
    /// What it waits for: semaphore id, thread index, or the low half of a portal table's address.
    pub object: u32,
    /// `generation * 4096 + index`; 0 before the index is first used.
    pub id: u32,
    /// Threads that wait for its end.
    pub joiners: Ring,
    /// One more than its place among the sleepers; 0: it has no deadline.
    pub position: u16,
    /// ASID of the domain it was created in.
    pub home: u16,
    pub state: State,
    pub priority: u8,
    /// The priority it was added with, which it can not exceed.
    pub first_priority: u8,
    /// Why it waits for a slice at most, if it does: bits of [`abi::nucleus::cancelled`], or [`NEVER_WAITS`].
    pub cancelled: u8,
}
/// In [`Record::cancelled`] of the idle thread, which has nothing to wait for.
pub const NEVER_WAITS: u8 = 0x80;

const _: () = assert!(size_of::<Record>() == 1 << RECORD_SHIFT && MAX_THREADS << RECORD_SHIFT == 1 << u16::BITS);

impl Record {
    const FREE: Record = Record {
        next: Thread::NOBODY,
        prev: Thread::NOBODY,
        value: 0,
        object: 0,
        id: 0,
        joiners: Ring::EMPTY,
        position: 0,
        home: 0,
        state: State::Free,
        priority: 0,
        first_priority: 0,
        cancelled: 0,
    };
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
