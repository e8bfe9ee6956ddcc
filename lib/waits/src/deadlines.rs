//! Deadlines: how long calls have been in a component, not counting what is not that component's to answer for.
//!
//! A call's time is that in which its thread is in the component itself. While the call is in another one, the time is that one's. While the thread could run, and others of higher priority do, nothing is counted but what it has run: a client of low priority, or one that has had its share, makes no server late.
//! How long it has run is seen by chance, at the looks by which the scheduler sees what accounts have, whose moments nobody knows before.
//!
//! While it waits, what is counted depends on who is to end that: nothing, if it waits for a lock of one who is in another component; what those threads have run that are in the component and could run, if there are such; an eighth, if somebody else's thread that has come through the component is in another one, with whatever it has. Else all of it: nobody
//! but the component itself keeps it waiting, or threads of its own, wherever those are. A deadlock is counted, if all who are in it are where they have deadlines, too: what a client's pager, or an upcall, waits for, is the client's to say, and nobody else's fault.

use crate::fill;
use crate::picture::{End, Inside, Picture, Thread, number};
use abi::Error;
use abi::activity::{Doing, What};
use abi::domain_set::DomainSet;
use abi::nucleus::MAX_DOMAINS;
use alloc::vec::Vec;
use core::ops::Range;
use fallible::TryPush;

/// So many times as long a wait may take where somebody else's thread that has come through the component may have what is waited for, and is elsewhere.
const SLOWLY: u64 = 8;

/// A call that is measured.
#[derive(Clone, Copy, Debug)]
struct Timed {
    /// Whose it is, and where its frame lies: the call is the one that it was as long as it is marked.
    thread: usize,
    place: u16,
    had: u64,
}
/// What a thread did at the last look.
#[derive(Clone, Copy, Debug)]
struct Before {
    thread: usize,
    doing: Doing,
    /// Where the frame of its innermost call was.
    place: Option<u16>,
}
impl Before {
    fn of(picture: &Picture, thread: &Thread) -> Before {
        let place = picture.calls(thread).first().map(|call| call.place);
        Before { thread: thread.index, doing: thread.doing, place }
    }
}
/// A call that has had more time than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Late {
    pub thread: usize,
    /// Word of the identity of the domain that has called.
    pub caller: u64,
    pub call: Inside,
    /// In units of `time`.
    pub had: u64,
    /// The number of the circle of waits that it is in.
    pub circle: Option<u32>,
}
/// How long calls may take.
pub trait Limits {
    /// How long that call may be in the component that serves it, in units of `time`; `None`: as long as it likes.
    fn of(&mut self, call: &Inside) -> Option<u64>;
    /// Whether calls of the component that runs in the domain whose identity that is the word of have deadlines.
    fn are_there(&mut self, domain: u64) -> bool;
}
#[derive(Default)]
pub struct Deadlines {
    /// By thread.
    calls: Vec<Timed>,
    next: Vec<Timed>,
    /// What threads did at the last look, by index.
    before: Vec<Before>,
    /// By the number of a domain, how long its threads that could run have run; `None`: there are none.
    ran: Vec<Option<u64>>,
    /// Domains that a thread of another's has come through, and is elsewhere.
    left: DomainSet,
    /// Circles that somebody is in who has no deadline.
    excused: Vec<u32>,
}
impl Deadlines {
    pub const fn new() -> Deadlines {
        Deadlines {
            calls: Vec::new(),
            next: Vec::new(),
            before: Vec::new(),
            ran: Vec::new(),
            left: DomainSet::NONE,
            excused: Vec::new(),
        }
    }
    /// Nothing of what was seen is known any more: each call begins anew.
    pub fn forget(&mut self) {
        self.calls.clear();
        self.before.clear();
    }
    /// Counts what calls have had since the last look, `passed` ago, at most; the one that has had most beyond its limit. `ENOMEM`: it is as if this look had not been.
    pub fn look(&mut self, picture: &Picture, passed: u64, limits: &mut impl Limits) -> Result<Option<Late>, Error> {
        self.next.clear();
        self.sum_up(picture)?;
        self.excuse(picture, limits)?;
        let mut latest: Option<(u64, Late)> = None;
        for thread in picture.threads() {
            let calls = picture.calls(thread);
            // What it is in beyond one that is measured does not end that.
            for (n, call) in calls.iter().enumerate() {
                let had = self.had_before(thread, call);
                let limit = if n == 0 { limits.of(call) } else { None };
                let Some(limit) = limit else {
                    if let Some(had) = had {
                        self.next.try_push(Timed { thread: thread.index, place: call.place, had })?;
                    }
                    continue;
                };
                let had = had.map_or(0, |had| had.saturating_add(self.counts(picture, thread, call.server, passed)));
                self.next.try_push(Timed { thread: thread.index, place: call.place, had })?;
                let beyond = had.checked_sub(limit).filter(|&beyond| latest.is_none_or(|(most, _)| beyond > most));
                if let Some(beyond) = beyond {
                    let caller = calls.get(1).map_or(thread.home, |call| call.server);
                    let circle = picture.circle(thread);
                    latest = Some((beyond, Late { thread: thread.index, caller, call: *call, had, circle }));
                }
            }
            if picture.is_deep(thread) {
                self.keep_untold(thread, picture)?;
            }
        }
        core::mem::swap(&mut self.calls, &mut self.next);
        self.before.clear();
        self.before.room_for(picture.threads().len())?;
        picture.threads().iter().for_each(|thread| _ = self.before.push_kept(Before::of(picture, thread)));
        Ok(latest.map(|(_, late)| late))
    }
    /// What a call has had, if it is the one that it was.
    fn had_before(&self, thread: &Thread, call: &Inside) -> Option<u64> {
        self.calls[self.own(thread)]
            .iter()
            .find(|timed| timed.place == call.place)
            .filter(|_| call.was_marked)
            .map(|timed| timed.had)
    }
    /// Those of a thread's calls that are not told, but may be there.
    fn keep_untold(&mut self, thread: &Thread, picture: &Picture) -> Result<(), Error> {
        let told = picture.calls(thread);
        for timed in &self.calls[self.own(thread)] {
            if !told.iter().any(|call| call.place == timed.place) {
                self.next.try_push(*timed)?;
            }
        }
        Ok(())
    }
    /// Where those of a thread's calls are.
    fn own(&self, thread: &Thread) -> Range<usize> {
        let first = self.calls.partition_point(|timed| timed.thread < thread.index);
        first..first + self.calls[first..].iter().take_while(|timed| timed.thread == thread.index).count()
    }
    fn before(&self, thread: &Thread) -> Option<&Before> {
        let place = self.before.binary_search_by_key(&thread.index, |before| before.thread).ok()?;
        self.before.get(place)
    }
    /// How long it has run since the last look.
    fn ran(&self, thread: &Thread) -> u64 {
        self.before(thread).map_or(0, |before| thread.doing.ran_since(before.doing))
    }
    /// Finds out which domains have threads that could run, and which others' threads have left.
    fn sum_up(&mut self, picture: &Picture) -> Result<(), Error> {
        self.left = DomainSet::NONE;
        fill(&mut self.ran, MAX_DOMAINS, None)?;
        for thread in picture.threads() {
            let inside = picture.inside(thread);
            if matches!(thread.doing.what(), What::Runs | What::Ready) {
                let ran = self.ran(thread);
                let sum = &mut self.ran[number(inside)];
                *sum = Some(sum.unwrap_or(0).saturating_add(ran));
            }
            picture.has_left(thread).for_each(|asid| self.left.add(asid));
        }
        Ok(())
    }
    fn excuse(&mut self, picture: &Picture, limits: &mut impl Limits) -> Result<(), Error> {
        self.excused.clear();
        for thread in picture.threads() {
            let Some(circle) = picture.circle(thread) else { continue };
            let has_deadline = match picture.calls(thread).first() {
                Some(call) => limits.of(call).is_some(),
                None => limits.are_there(thread.home),
            };
            if !has_deadline && !self.excused.contains(&circle) {
                self.excused.try_push(circle)?;
            }
        }
        Ok(())
    }
    /// How much of what has passed counts for a call of `server`, which `thread` is in and no other one beyond.
    fn counts(&self, picture: &Picture, thread: &Thread, server: u64, passed: u64) -> u64 {
        let what = thread.doing.what();
        if matches!(what, What::Runs | What::Ready) {
            return self.ran(thread).min(passed);
        }
        // It has waited for all that time if it has waited for the same, in the same call.
        let same = |before: &Before| before.doing.what() == what && before.place == Before::of(picture, thread).place;
        if !self.before(thread).is_some_and(same) {
            return self.ran(thread).min(passed);
        }
        match picture.end(thread) {
            End::Circle(circle) if !self.excused.contains(&circle) => passed,
            End::Thread(other) if picture.inside(other) == server => match other.doing.what() {
                What::Runs | What::Ready => self.ran(other).min(passed),
                What::Sleeps => passed,
                _ => self.waits(server, passed),
            },
            End::Unknown if what == What::Lock(0) => self.waits(server, passed),
            _ => 0,
        }
    }
    /// The same of a wait for who is not known.
    fn waits(&self, server: u64, passed: u64) -> u64 {
        let counts = self.ran[number(server)].unwrap_or(passed).min(passed);
        if self.left.has(number(server)) { counts / SLOWLY } else { counts }
    }
}
