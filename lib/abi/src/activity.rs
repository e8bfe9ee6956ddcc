//! What threads are doing, and whom they wait for (`inspect.thread`).

use crate::domain_set::DomainSet;

/// Most calls that are told of a thread one by one.
pub const CALLS: usize = 12;

/// Answer of `inspect.thread`.
#[repr(C, align(512))]
#[derive(Clone, Copy, Debug)]
pub struct Activity {
    pub index: u64,
    /// Word of the identity of its home ([`crate::identity::DomainId`]), which may have ended.
    pub home: u64,
    /// The word of a [`Doing`].
    pub doing: u64,
    /// How many calls it is in of components that `init` has started, or of what those have made.
    pub depth: u64,
    /// Those calls, the innermost first, or as many as there is room for.
    pub calls: [Call; CALLS],
    /// The domains that serve the others.
    pub beyond: DomainSet,
}
impl Activity {
    pub const NONE: Activity =
        Activity { index: 0, home: 0, doing: 0, depth: 0, calls: [Call::NONE; CALLS], beyond: DomainSet::NONE };
    /// The calls that are told.
    pub fn calls(&self) -> &[Call] {
        &self.calls[..(self.depth as usize).min(CALLS)]
    }
}
/// A call that a thread is in.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Word of the identity of the domain that serves it.
    pub server: u64,
    /// The portal manager's number of the registration that it was made by, [`GRANTED`], or [`crate::inspect::NO_REGISTRATION`].
    pub registration: u64,
    /// Where its frame lies in the thread's page, and [`MARKED`].
    pub frame: u64,
}
impl Call {
    pub const NONE: Call = Call { server: 0, registration: 0, frame: 0 };
    /// Where its frame lies in the thread's page: as long as the call has not returned, no other of the thread's is there.
    pub fn place(&self) -> u64 {
        self.frame & !MARKED
    }
    /// Whether the call was marked before: it is the one that was seen then.
    pub fn was_marked(&self) -> bool {
        self.frame & MARKED != 0
    }
}
/// In [`Call::registration`]: the call was made by a portal that was granted.
pub const GRANTED: u64 = crate::inspect::NO_REGISTRATION - 1;
/// In [`Call::frame`]: the call was marked before this.
pub const MARKED: u64 = 1;
const _: () = assert!(size_of::<Activity>() == align_of::<Activity>());

/// What a thread does, in one word (`scheduler.doing`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doing(u64);

/// What it waits for, if it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Runs,
    /// It would run if none of a higher priority did.
    Ready,
    /// For the semaphore with that id.
    Semaphore(usize),
    Sleeps,
    /// For the end of the thread with that index.
    Joins(usize),
    /// For a stack of the domain with that number.
    Stack(usize),
    /// For a lock that the thread with that index holds; 0: it is not known who does.
    Lock(usize),
    Ended,
}
impl Doing {
    const OBJECT: u64 = u32::MAX as u64;
    /// First bits of what it does, and of how long it has run: a multiple of 2⁸ units.
    const WHAT: u32 = 32;
    const RAN: u32 = 40;
    const UNIT: u32 = 8;
    const MOST: u64 = (1 << (63 - Doing::RAN)) - 1;

    /// `ran`: for how long the scheduler has found at its looks that it runs, in units of `time`.
    pub fn new(what: What, ran: u32) -> Doing {
        let (number, object) = match what {
            What::Runs => (1, 0),
            What::Ready => (2, 0),
            What::Semaphore(id) => (3, id),
            What::Sleeps => (4, 0),
            What::Joins(thread) => (5, thread),
            What::Stack(domain) => (6, domain),
            What::Lock(holder) => (7, holder),
            What::Ended => (8, 0),
        };
        let ran = u64::from(ran >> Doing::UNIT) & Doing::MOST;
        Doing(ran << Doing::RAN | number << Doing::WHAT | object as u64 & Doing::OBJECT)
    }
    /// From a word that was told; one that is no such word is of a thread that has ended.
    pub fn of(word: u64) -> Doing {
        Doing(word)
    }
    pub fn word(self) -> u64 {
        self.0
    }
    pub fn what(self) -> What {
        let object = (self.0 & Doing::OBJECT) as usize;
        match self.0 >> Doing::WHAT & 0xFF {
            1 => What::Runs,
            2 => What::Ready,
            3 => What::Semaphore(object),
            4 => What::Sleeps,
            5 => What::Joins(object),
            6 => What::Stack(object),
            7 => What::Lock(object),
            _ => What::Ended,
        }
    }
    /// How much longer it has run than when `before` was told of it, in units of `time`: modulo some three minutes, and give or take what is between two of the scheduler's looks.
    pub fn ran_since(self, before: Doing) -> u64 {
        ((self.0 >> Doing::RAN).wrapping_sub(before.0 >> Doing::RAN) & Doing::MOST) << Doing::UNIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_all() {
        let all = [
            What::Runs,
            What::Ready,
            What::Semaphore(0x7FFF_FFFF),
            What::Sleeps,
            What::Joins(2047),
            What::Stack(1023),
            What::Lock(0),
            What::Lock(2047),
            What::Ended,
        ];
        for (what, ran) in all.into_iter().flat_map(|what| [0, 256, u32::MAX].map(|ran| (what, ran))) {
            let doing = Doing::of(Doing::new(what, ran).word());
            assert_eq!(doing.what(), what);
            assert!(doing.word() <= i64::MAX as u64);
        }
    }
    #[test]
    fn what_has_run_since_is_found_across_the_highest_number() {
        let at = |ran: u32| Doing::new(What::Ready, ran);
        assert_eq!(at(5_000_000).ran_since(at(4_000_000)), 999_936);
        assert_eq!(at(100 << 8).ran_since(at(u32::MAX)), 101 << 8);
        assert_eq!(at(7).ran_since(at(7)), 0);
    }
}
