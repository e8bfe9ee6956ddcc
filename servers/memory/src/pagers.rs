//! Who answers the faults of which addresses: ranges of domains, each with the portal that leads to its handler.

use abi::Error;
use abi::system::{Ended, ended};

/// Seconds that a pager may take for an answer.
pub const SECONDS: u32 = 5;
/// Most ranges at one time.
const RANGES: usize = 64;
/// Most faults that are being answered at one time.
const ANSWERS: usize = 64;

/// A range of a domain's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// ASID of the domain.
    asid: u16,
    /// Number of the handler's portal in the memory manager's own table.
    pub portal: u16,
    start: usize,
    /// First address behind it.
    end: usize,
    /// ASID of the handler's domain.
    pub pager: u16,
}
const NONE: Range = Range { asid: 0, portal: 0, start: 0, end: 0, pager: 0 };

/// A fault that is being answered.
#[derive(Clone, Copy)]
struct Answer {
    /// The thread and the handler's portal.
    key: u32,
    /// ASIDs of the domain that waits for it and of the handler's.
    asid: u16,
    pager: u16,
    /// Seconds that it has taken so far, or [`UNLIMITED`].
    seconds: u32,
    cause: u32,
    address: usize,
    pc: usize,
}
const UNASKED: Answer = Answer { key: 0, asid: 0, pager: 0, seconds: UNLIMITED, cause: 0, address: 0, pc: 0 };
const fn key(thread: usize, portal: u16) -> u32 {
    (thread as u32) << 16 | portal as u32
}
/// Of an answer that nobody waits for any more, or that may take its time.
const UNLIMITED: u32 = u32::MAX;

pub struct Pagers {
    ranges: [Range; RANGES],
    /// How many of them there are.
    count: usize,
    /// A thread that faults again while a handler answers for it is not sent to the same handler again.
    answers: [Answer; ANSWERS],
    /// How many of them there are.
    open: usize,
}

/// The range of all addresses: its handler answers what no other does.
pub const ALL: (usize, usize) = (0, usize::MAX);

impl Pagers {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Pagers {
        Pagers { ranges: [NONE; RANGES], count: 0, answers: [UNASKED; ANSWERS], open: 0 }
    }
    /// Has `pager`'s handler behind `portal` answer the faults of domain `asid` from `start` to `end`. `EBUSY`: part of that
    /// has a handler; `ENFILE`: there are too many.
    pub fn add(&mut self, asid: usize, (start, end): (usize, usize), portal: usize, pager: usize) -> Result<(), Error> {
        let all = (start, end) == ALL;
        let overlaps = |r: &Range| match ((r.start, r.end) == ALL, all) {
            (false, false) => start < r.end && r.start < end,
            (one, other) => one && other,
        };
        if self.ranges[..self.count].iter().any(|r| r.asid as usize == asid && overlaps(r)) {
            return Err(Error::EBUSY);
        }
        let place = self.ranges.get_mut(self.count).ok_or(Error::ENFILE)?;
        self.count += 1;
        *place = Range { asid: asid as u16, portal: portal as u16, start, end, pager: pager as u16 };
        Ok(())
    }
    /// Takes the range of `asid` that starts at `start` away; its portal.
    pub fn remove(&mut self, asid: usize, start: usize) -> Result<usize, Error> {
        let place = self.ranges[..self.count].iter().position(|r| r.asid as usize == asid && r.start == start);
        Ok(self.take(place.ok_or(Error::ENOENT)?).portal as usize)
    }
    fn take(&mut self, place: usize) -> Range {
        let taken = self.ranges[place];
        self.count -= 1;
        self.ranges[place] = self.ranges[self.count];
        taken
    }
    /// Takes all ranges of `asid` away, which is no more.
    pub fn forget(&mut self, asid: usize) {
        for answer in self.answers[..self.open].iter_mut().filter(|a| a.asid as usize == asid) {
            answer.seconds = UNLIMITED;
        }
        while let Some(place) = self.ranges[..self.count].iter().position(|r| r.asid as usize == asid) {
            self.take(place);
        }
    }
    /// Whether `pager` answers for `address` of `asid`.
    pub fn answers_for(&self, pager: usize, asid: usize, address: usize) -> bool {
        self.find(asid, address).is_some_and(|r| r.pager as usize == pager)
    }
    /// ASID of the domain that answers for `address` of `asid`; 0: none.
    pub fn pager(&self, asid: usize, address: usize) -> usize {
        self.find(asid, address).map_or(0, |r| r.pager as usize)
    }
    #[inline(always)]
    fn find(&self, asid: usize, address: usize) -> Option<&Range> {
        let mut found = None;
        for range in &self.ranges[..self.count] {
            if range.asid as usize != asid || address < range.start || address >= range.end {
                continue;
            }
            if (range.start, range.end) != ALL {
                return Some(range);
            }
            found = Some(range);
        }
        found
    }
    /// The handler's portal for a fault (asid, cause, address, pc) of `thread`; [`Pagers::end`] ends the answer.
    #[inline(always)]
    pub fn begin(&mut self, thread: usize, [asid, cause, address, pc]: [usize; 4]) -> Option<u16> {
        let range = self.find(asid, address)?;
        let (portal, pager) = (range.portal, range.pager);
        // A handler for everything may be a debugger; who answers for itself keeps nobody else waiting.
        let limited = (range.start, range.end) != ALL && pager as usize != asid;
        let key = key(thread, portal);
        if self.answers[..self.open].iter().any(|a| a.key == key) {
            return None;
        }
        let seconds = if limited { 0 } else { UNLIMITED };
        *self.answers.get_mut(self.open)? =
            Answer { key, asid: asid as u16, pager, seconds, cause: cause as u32, address, pc };
        self.open += 1;
        Some(portal)
    }
    #[inline(always)]
    pub fn end(&mut self, thread: usize, portal: u16) {
        let key = key(thread, portal);
        let place = self.answers[..self.open].iter().rposition(|a| a.key == key);
        if let Some(place) = place {
            self.open -= 1;
            if place != self.open {
                self.answers[place] = self.answers[self.open];
            }
        }
    }
    /// Whether somebody waits for an answer that may take too long.
    pub fn is_watched(&self) -> bool {
        self.answers[..self.open].iter().any(|a| a.seconds != UNLIMITED)
    }
    /// `seconds` have gone by: how a domain is to end whose pager has taken more than [`SECONDS`]. Each is found once.
    pub fn overdue(&mut self, seconds: u32) -> Option<Ended> {
        let open = &mut self.answers[..self.open];
        for answer in open.iter_mut() {
            answer.seconds = answer.seconds.saturating_add(seconds);
        }
        let late = open.iter_mut().find(|a| (SECONDS + 1..UNLIMITED).contains(&a.seconds))?;
        late.seconds = UNLIMITED;
        Some(Ended {
            asid: late.asid.into(),
            kind: ended::FAULT,
            status: -i64::from(late.cause),
            cause: late.cause.into(),
            address: late.address as u64,
            pc: late.pc as u64,
            pager: late.pager.into(),
            waited: SECONDS.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_finds_the_range_that_it_is_in() {
        let mut p = Pagers::new();
        p.add(7, (0x1000, 0x3000), 40, 8).unwrap();
        p.add(7, ALL, 41, 7).unwrap();
        assert_eq!(p.begin(3, [7, 13, 0x2fff, 0]), Some(40));
        assert_eq!(p.begin(3, [7, 13, 0x3000, 0]), Some(41));
        assert_eq!(p.begin(4, [6, 13, 0x2000, 0]), None);
        assert!(p.answers_for(8, 7, 0x1000) && !p.answers_for(8, 7, 0x3000));
    }
    #[test]
    fn an_overlapping_range_is_refused() {
        let mut p = Pagers::new();
        p.add(7, (0x1000, 0x3000), 40, 8).unwrap();
        assert_eq!(p.add(7, (0x2000, 0x4000), 41, 8), Err(Error::EBUSY));
        assert_eq!(p.add(7, (0, 0x1001), 41, 8), Err(Error::EBUSY));
        assert_eq!(p.add(7, (0x3000, 0x4000), 41, 8), Ok(()));
        assert_eq!(p.add(6, (0x2000, 0x4000), 42, 8), Ok(()));
        assert_eq!((p.add(7, ALL, 43, 7), p.add(7, ALL, 44, 7)), (Ok(()), Err(Error::EBUSY)));
    }
    #[test]
    fn a_fault_in_the_answer_is_not_answered_by_the_same_handler() {
        let mut p = Pagers::new();
        p.add(7, ALL, 41, 7).unwrap();
        let portal = p.begin(3, [7, 13, 0x10, 0]).unwrap();
        assert_eq!(p.begin(3, [7, 13, 0x20, 0]), None);
        assert!(p.begin(4, [7, 13, 0x20, 0]).is_some());
        p.end(3, portal);
        assert!(p.begin(3, [7, 13, 0x20, 0]).is_some());
    }
    #[test]
    fn removing_what_is_not_there_is_refused() {
        let mut p = Pagers::new();
        p.add(7, (0x1000, 0x3000), 40, 8).unwrap();
        assert_eq!((p.remove(7, 0x2000), p.remove(7, 0x1000)), (Err(Error::ENOENT), Ok(40)));
    }
    #[test]
    fn too_many_ranges_are_refused() {
        let mut p = Pagers::new();
        assert!((0..RANGES).all(|n| p.add(7, (n << 12, (n + 1) << 12), 40, 8).is_ok()));
        assert_eq!(p.add(8, (0, 4096), 40, 8), Err(Error::ENFILE));
        p.forget(7);
        assert_eq!(p.add(8, (0, 4096), 40, 8), Ok(()));
    }
    #[test]
    fn a_pager_that_takes_too_long_is_found_once() {
        let mut p = Pagers::new();
        p.add(7, (0x1000, 0x3000), 40, 8).unwrap();
        p.begin(3, [7, 15, 0x1008, 0x10000]).unwrap();
        for _ in 0..SECONDS {
            assert!(p.overdue(1).is_none());
        }
        let late = p.overdue(1).unwrap();
        assert_eq!((late.asid, late.status, late.cause, late.pager), (7, -15, 15, 8));
        assert_eq!((late.address, late.pc, late.waited), (0x1008, 0x10000, SECONDS.into()));
        assert!(p.overdue(0).is_none() && p.overdue(100).is_none() && !p.is_watched());
    }
    #[test]
    fn an_answer_in_time_starts_anew() {
        let mut p = Pagers::new();
        p.add(7, (0x1000, 0x3000), 40, 8).unwrap();
        for _ in 0..3 {
            p.begin(3, [7, 15, 0x1008, 0]).unwrap();
            assert!(p.overdue(SECONDS).is_none() && p.is_watched());
            p.end(3, 40);
            assert!(!p.is_watched());
        }
        assert!(p.overdue(SECONDS).is_none());
    }
    #[test]
    fn a_debugger_and_a_handler_of_ones_own_may_take_their_time() {
        let mut p = Pagers::new();
        p.add(7, ALL, 40, 8).unwrap();
        p.add(9, (0x1000, 0x3000), 41, 9).unwrap();
        p.begin(3, [7, 15, 0x1008, 0]).unwrap();
        p.begin(4, [9, 15, 0x1008, 0]).unwrap();
        assert!(p.overdue(1000).is_none());
    }
    #[test]
    fn an_unregistered_pager_still_has_to_answer() {
        let mut p = Pagers::new();
        p.add(7, (0x1000, 0x3000), 40, 8).unwrap();
        p.begin(3, [7, 15, 0x1008, 0]).unwrap();
        p.remove(7, 0x1000).unwrap();
        assert!(p.overdue(SECONDS + 1).is_some());
    }
    #[test]
    fn nobody_waits_for_the_pager_of_the_dead() {
        let mut p = Pagers::new();
        p.add(7, (0x1000, 0x3000), 40, 8).unwrap();
        p.begin(3, [7, 15, 0x1008, 0]).unwrap();
        p.remove(7, 0x1000).unwrap();
        p.forget(7);
        assert!(p.overdue(SECONDS + 1).is_none());
    }
}
