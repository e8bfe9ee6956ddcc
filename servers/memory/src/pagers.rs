//! Who answers the faults of which addresses: ranges of domains, each with the portal that leads to its handler.

use abi::Error;

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

pub struct Pagers {
    ranges: [Range; RANGES],
    /// How many of them there are.
    count: usize,
    /// (thread, the handler's portal): a thread that faults again while a handler answers for it is not sent to the same
    /// handler again.
    answers: [(u16, u16); ANSWERS],
    /// How many of them there are.
    open: usize,
}

/// The range of all addresses: its handler answers what no other does.
pub const ALL: (usize, usize) = (0, usize::MAX);

impl Pagers {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Pagers {
        Pagers { ranges: [NONE; RANGES], count: 0, answers: [(0, 0); ANSWERS], open: 0 }
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
    /// Takes all ranges of `asid` away.
    pub fn forget(&mut self, asid: usize) {
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
    /// The handler's portal for a fault of `thread`, which is in domain `asid`, at `address`; [`Pagers::end`] ends the answer.
    #[inline(always)]
    pub fn begin(&mut self, thread: usize, asid: usize, address: usize) -> Option<u16> {
        let portal = self.find(asid, address)?.portal;
        let answer = (thread as u16, portal);
        if self.answers[..self.open].contains(&answer) {
            return None;
        }
        *self.answers.get_mut(self.open)? = answer;
        self.open += 1;
        Some(portal)
    }
    #[inline(always)]
    pub fn end(&mut self, thread: usize, portal: u16) {
        let answer = (thread as u16, portal);
        if let Some(place) = self.answers[..self.open].iter().rposition(|a| *a == answer) {
            self.open -= 1;
            self.answers[place] = self.answers[self.open];
        }
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
        assert_eq!(p.begin(3, 7, 0x2fff), Some(40));
        assert_eq!(p.begin(3, 7, 0x3000), Some(41));
        assert_eq!(p.begin(4, 6, 0x2000), None);
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
        let portal = p.begin(3, 7, 0x10).unwrap();
        assert_eq!(p.begin(3, 7, 0x20), None);
        assert!(p.begin(4, 7, 0x20).is_some());
        p.end(3, portal);
        assert!(p.begin(3, 7, 0x20).is_some());
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
}
