//! What traced portals write down: `inspect.trace` says which portals are traced, `inspect.traced` gives the events.
//!
//! The portal manager generates the code of a traced connection anew, with two steps more: one before anything else is done, one when the
//! call has its result. Each writes an [`Event`] to a ring of [`EVENTS`], which only supervisor code and the portal manager can write.

use crate::address::PAGE;
use core::mem::offset_of;

/// One step of a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// `time`, in its units.
    pub time: u64,
    /// The caller's identity ([`crate::identity::DomainId`]).
    pub caller: u64,
    /// The thread's index, and the number that was called ([`KIND`] is [`CALL`]; else it is of no use).
    pub thread: u64,
    pub number: u64,
    /// Top of the thread's invocation stack without the call: of calls that a thread is in, each has another, and a call's is the same at
    /// its start and at its end.
    pub depth: u64,
    /// What the caller passes; at the end of the call only the first, which is its result.
    pub words: [u64; 6],
    /// The bits below.
    pub what: u64,
    /// With [`SHOWN`]: the bytes in the caller's memory around what its argument [`argument`] points to, from a multiple of 32 on.
    pub bytes: [u8; BYTES],
}
pub const BYTES: usize = 32;
impl Event {
    pub const NONE: Event =
        Event { time: 0, caller: 0, thread: 0, number: 0, depth: 0, words: [0; 6], what: 0, bytes: [0; BYTES] };
    /// [`CALL`], [`RETURN`] or [`FAILED`].
    pub fn kind(&self) -> u64 {
        self.what & KIND
    }
    /// The portal manager's number of what the portal leads to.
    pub fn registration(&self) -> usize {
        (self.what >> REGISTRATION) as usize
    }
    /// What the caller's argument points to, as far as it was written down; the argument's number.
    pub fn shown(&self) -> Option<(usize, &[u8])> {
        let argument = (self.what & ARGUMENT) as usize / 8;
        let address = *self.words.get(argument)?;
        (self.what & SHOWN != 0).then(|| (argument, &self.bytes[address as usize % BYTES..]))
    }
}
/// Which step it is.
pub const KIND: u64 = 3;
/// A portal is called.
pub const CALL: u64 = 0;
/// The call returns.
pub const RETURN: u64 = 1;
/// The portal has not made the call: the result is the error.
pub const FAILED: u64 = 2;
/// Bytes are to be written down; 8 times the number of the argument that points to them; they are.
pub const SHOWS: u64 = 4;
pub const ARGUMENT: u64 = 0x38;
pub const SHOWN: u64 = 0x40;
/// From this bit on: the portal manager's number of what the portal leads to.
pub const REGISTRATION: u32 = 8;
/// `what` of an argument that is shown.
pub const fn shows(argument: usize) -> u64 {
    SHOWS | ((8 * argument as u64) & ARGUMENT)
}

/// Events that are kept.
pub const EVENTS: usize = 1024;
/// Pages of the ring, and one before them, whose last words are [`NEXT`] and [`COUNT`].
pub const PAGES: usize = EVENTS * size_of::<Event>() / PAGE + 1;
/// From the first event: the supervisor address of the place for the next one; how many were ever written.
pub const NEXT: i32 = -8;
pub const COUNT: i32 = -16;

/// Answer of `inspect.traced`: events from the one that was asked for on, or from the oldest that there is.
#[repr(C, align(4096))]
#[derive(Clone, Copy)]
pub struct Traced {
    /// The number of the first of them, from 0 when the system was started: higher than what was asked for where some are lost.
    pub first: u64,
    /// How many they are.
    pub count: u64,
    _rest: [u64; 14],
    pub events: [Event; AT_ONCE],
}
/// Most of one answer.
pub const AT_ONCE: usize = PAGE / size_of::<Event>() - 1;
impl Traced {
    pub const NONE: Traced = Traced { first: 0, count: 0, _rest: [0; 14], events: [Event::NONE; AT_ONCE] };
}
const _: () = assert!(size_of::<Event>() == 128 && offset_of!(Event, bytes) == 96 && size_of::<Traced>() == PAGE);

/// What `inspect.trace` is asked for.
pub mod operation {
    /// No portal of that name is traced any more.
    pub const OFF: usize = 0;
    /// All portals of that name are.
    pub const ON: usize = 1;
}
