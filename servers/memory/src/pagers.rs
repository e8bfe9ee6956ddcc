//! Who answers the faults of which addresses: ranges of domains, each with the portal that leads to its handler.
//!
//! A range outlives the call that made it, and an answer the lock under which it was asked for. So both name domains by identity: who
//! has the number of a dead client finds no range, and who has that of a dead pager answers for nothing. And a portal's number stays
//! that of one handler while an answer is under way: the portal manager, who gives the numbers out, asks [`Pagers::is_pending`] before
//! it gives one away that was in use.

use crate::chains::{Chains, IN_PAGE};
use crate::frames::Frames;
use crate::ram::Ram;
use abi::Error;
use abi::identity::DomainId;
use abi::nucleus::MAX_THREADS;
use abi::system::{Ended, ended};

/// Seconds that a pager may take for an answer.
pub const SECONDS: u32 = 5;
/// Most ranges that one domain answers for.
pub const RANGES: usize = 64;
/// Most answers that are under way for domains of one account in one thread, each to a fault of the handler that answers the one
/// before: so many have room in every thread that there can be.
pub const NESTED: usize = 4;
/// Pages of ranges, and of faults that are being answered.
const RANGE_PAGES: usize = 8;
const ANSWER_PAGES: usize = MAX_THREADS * NESTED / IN_PAGE;

/// A range of a domain's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    client: DomainId,
    /// The handler's domain.
    pager: DomainId,
    start: usize,
    /// First address behind it.
    end: usize,
    /// Number of the handler's portal in the memory manager's own table; 0: the handler's domain is no more.
    portal: u16,
}
impl Range {
    fn is_all(&self) -> bool {
        (self.start, self.end) == ALL
    }
    /// All addresses are more than a first address behind them can say.
    fn contains(&self, address: usize) -> bool {
        self.is_all() || (self.start..self.end).contains(&address)
    }
    /// Of the ranges that are not for all addresses, and of those that are, no two may be the same address's.
    fn overlaps(&self, (start, end): (usize, usize)) -> bool {
        match (self.is_all(), (start, end) == ALL) {
            (false, false) => start < self.end && self.start < end,
            (one, other) => one && other,
        }
    }
}

/// A fault that is being answered.
#[derive(Clone, Copy)]
struct Answer {
    client: DomainId,
    pager: DomainId,
    address: usize,
    pc: usize,
    /// Seconds that it has taken so far, or [`UNLIMITED`].
    seconds: u32,
    cause: u16,
    portal: u16,
    /// The client's.
    account: u8,
}
/// Of an answer that nobody waits for any more, or that may take its time.
const UNLIMITED: u32 = u32::MAX;

/// What has faulted.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub client: DomainId,
    pub cause: usize,
    pub address: usize,
    pub pc: usize,
    /// The account that pays for the client.
    pub account: u8,
}

pub struct Pagers {
    /// By their clients' numbers.
    ranges: Chains<Range, RANGE_PAGES>,
    /// By their threads: one that faults again while a handler answers for it is not sent to the same handler again.
    answers: Chains<Answer, ANSWER_PAGES>,
}

/// The range of all addresses: its handler answers what no other does.
pub const ALL: (usize, usize) = (0, usize::MAX);

impl Pagers {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Pagers {
        Pagers { ranges: Chains::new(), answers: Chains::new() }
    }
    /// Has `pager`'s handler behind `portal` answer the faults of `client` from `start` to `end`. `EBUSY`: part of that has a handler;
    /// `ENFILE`: there are too many, or too many of that pager's; `ENOMEM`.
    pub fn add(
        &mut self,
        memory: (&mut impl Ram, &mut Frames),
        client: DomainId,
        (start, end): (usize, usize),
        portal: usize,
        pager: DomainId,
    ) -> Result<(), Error> {
        let overlaps = |r: &Range| r.client == client && r.overlaps((start, end));
        if self.ranges.of(client.number() as u16).any(|r| overlaps(&r) && r.portal != 0) {
            return Err(Error::EBUSY);
        }
        while self.ranges.remove(client.number() as u16, overlaps).is_some() {}
        if self.ranges.all().filter(|r| r.pager == pager).count() >= RANGES {
            return Err(Error::ENFILE);
        }
        let range = Range { client, pager, start, end, portal: portal as u16 };
        self.ranges.insert(memory, client.number() as u16, range)
    }
    /// Takes the range of `client` that starts at `start` away; its portal, or 0 if its pager is no more.
    pub fn remove(&mut self, client: DomainId, start: usize) -> Result<usize, Error> {
        let removed = self.ranges.remove(client.number() as u16, |r| r.client == client && r.start == start);
        removed.map(|r| r.portal as usize).ok_or(Error::ENOENT)
    }
    /// Domain `ended` is no more: it has no ranges, and answers for none. Those it has answered for still name it.
    pub fn forget(&mut self, ended: DomainId) {
        while self.ranges.remove(ended.number() as u16, |r| r.client == ended).is_some() {}
        self.ranges.change(|r| r.portal = if r.pager == ended { 0 } else { r.portal });
        self.answers.change(|a| a.seconds = if a.client == ended { UNLIMITED } else { a.seconds });
    }
    /// Whether somebody is about to call `portal`, or has called it and is not back.
    pub fn is_pending(&self, portal: usize) -> bool {
        self.answers.all().any(|a| a.portal as usize == portal)
    }
    /// Whether `pager` answers for `address` of `client`.
    pub fn answers_for(&self, pager: DomainId, client: DomainId, address: usize) -> bool {
        self.find(client, address).is_some_and(|r| r.pager == pager && r.portal != 0)
    }
    /// Who answers for `address` of `client`, or has until its end, and through which portal.
    pub fn pager(&self, client: DomainId, address: usize) -> Option<(DomainId, u16)> {
        self.find(client, address).map(|r| (r.pager, r.portal))
    }
    #[inline(always)]
    fn find(&self, client: DomainId, address: usize) -> Option<Range> {
        let mut found = None;
        for range in self.ranges.of(client.number() as u16) {
            if range.client != client || !range.contains(address) {
                continue;
            }
            if !range.is_all() {
                return Some(range);
            }
            found = Some(range);
        }
        found
    }
    /// The handler's portal for a fault of `thread`, whose number stays that handler's until [`Pagers::end`], and whether it is the first for that account.
    /// `None`: there is none, or it answers a fault of the same thread already, or [`NESTED`] are under way.
    #[inline(always)]
    pub fn begin(&mut self, memory: (&mut impl Ram, &mut Frames), thread: usize, fault: Fault) -> Option<(u16, bool)> {
        let Fault { client, cause, address, pc, account } = fault;
        let range = self.find(client, address).filter(|r| r.portal != 0)?;
        let (portal, pager, all) = (range.portal, range.pager, range.is_all());
        let mut nested = 0;
        for answer in self.answers.of(thread as u16) {
            nested += (answer.account == account) as usize;
            if answer.portal == portal || nested == NESTED {
                return None;
            }
        }
        // A handler for everything may be a debugger; who answers for itself keeps nobody else waiting.
        let limited = pager != client && !all;
        let seconds = if limited { 0 } else { UNLIMITED };
        let answer = Answer { client, pager, address, pc, seconds, cause: cause as u16, portal, account };
        self.answers.insert(memory, thread as u16, answer).ok()?;
        Some((portal, nested == 0))
    }
    #[inline(always)]
    pub fn end(&mut self, thread: usize, portal: u16) {
        self.answers.remove(thread as u16, |a| a.portal == portal);
    }
    /// Whether somebody waits for an answer that may take too long.
    pub fn is_watched(&self) -> bool {
        self.answers.all().any(|a| a.seconds != UNLIMITED)
    }
    /// `seconds` have gone by: which domain is to end, and how, whose pager has taken more than [`SECONDS`]. Each is found once.
    pub fn overdue(&mut self, seconds: u32) -> Option<(DomainId, Ended)> {
        let mut late: Option<Answer> = None;
        self.answers.change(|answer| {
            answer.seconds = answer.seconds.saturating_add(seconds);
            if late.is_none() && (SECONDS + 1..UNLIMITED).contains(&answer.seconds) {
                late = Some(*answer);
                answer.seconds = UNLIMITED;
            }
        });
        let late = late?;
        let how = Ended {
            identity: late.client.word(),
            kind: ended::FAULT,
            status: -i64::from(late.cause),
            cause: late.cause.into(),
            address: late.address as u64,
            pc: late.pc as u64,
            pager: late.pager.number() as u64,
            waited: SECONDS,
            ..Ended::default()
        };
        Some((late.client, how))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use abi::address::{PAGE, RAM_BASE};
    use abi::identity::Serials;

    /// Domains by number, each with its serial; 17 is another domain with the number 7.
    fn domain(n: usize) -> DomainId {
        let mut serials = Serials::after(n as u64);
        DomainId::new(n % 10, serials.next().unwrap()).unwrap()
    }
    struct Bench(Fake, Box<Frames>, Pagers);
    impl Bench {
        fn new() -> Bench {
            let (ram, mut frames) = (Fake::new(256), Box::new(Frames::fake()));
            frames.add(RAM_BASE, RAM_BASE + 256 * PAGE);
            Bench(ram, frames, Pagers::new())
        }
        fn add(&mut self, client: usize, range: (usize, usize), portal: usize, pager: usize) -> Result<(), Error> {
            self.2.add((&mut self.0, &mut self.1), domain(client), range, portal, domain(pager))
        }
        fn begin(&mut self, thread: usize, client: usize, address: usize) -> Option<u16> {
            let fault = Fault { client: domain(client), cause: 15, address, pc: 0x10000, account: client as u8 };
            self.2.begin((&mut self.0, &mut self.1), thread, fault).map(|(portal, _)| portal)
        }
    }
    const PLACE: (usize, usize) = (0x1000, 0x3000);

    #[test]
    fn a_fault_finds_the_range_that_it_is_in() {
        let mut p = Bench::new();
        p.add(7, PLACE, 40, 8).unwrap();
        p.add(7, ALL, 41, 7).unwrap();
        assert_eq!(p.begin(3, 7, 0x2fff), Some(40));
        assert_eq!(p.begin(3, 7, 0x3000), Some(41));
        assert_eq!(p.begin(5, 7, usize::MAX), Some(41), "the last address is one of all");
        assert_eq!(p.begin(4, 6, 0x2000), None);
        assert!(p.2.answers_for(domain(8), domain(7), 0x1000) && !p.2.answers_for(domain(8), domain(7), 0x3000));
    }
    #[test]
    fn who_has_the_number_of_the_dead_has_none_of_their_ranges() {
        let mut p = Bench::new();
        p.add(7, PLACE, 40, 8).unwrap();
        assert_eq!((p.begin(3, 17, 0x1000), p.2.remove(domain(17), 0x1000)), (None, Err(Error::ENOENT)));
        assert!(!p.2.answers_for(domain(18), domain(7), 0x1000) && !p.2.answers_for(domain(8), domain(17), 0x1000));
    }
    #[test]
    fn a_dead_pager_answers_for_nothing_and_is_still_named() {
        let mut p = Bench::new();
        p.add(7, PLACE, 40, 8).unwrap();
        p.2.forget(domain(8));
        assert_eq!((p.begin(3, 7, 0x1000), p.2.pager(domain(7), 0x1000)), (None, Some((domain(8), 0))));
        assert!(!p.2.answers_for(domain(8), domain(7), 0x1000));
        p.add(7, PLACE, 41, 9).unwrap();
        assert_eq!((p.begin(3, 7, 0x1000), p.2.remove(domain(7), 0x1000)), (Some(41), Ok(41)));
        assert_eq!(p.2.remove(domain(7), 0x1000), Err(Error::ENOENT));
    }
    #[test]
    fn the_number_of_a_pending_call_is_known_until_it_is_over() {
        let mut p = Bench::new();
        p.add(7, PLACE, 40, 8).unwrap();
        p.begin(3, 7, 0x1000).unwrap();
        p.begin(4, 7, 0x1000).unwrap();
        p.2.remove(domain(7), 0x1000).unwrap();
        p.2.forget(domain(7));
        p.2.end(3, 40);
        assert!(p.2.is_pending(40) && !p.2.is_pending(41));
        p.2.end(4, 40);
        assert!(!p.2.is_pending(40));
    }
    #[test]
    fn ranges_do_not_overlap() {
        let mut p = Bench::new();
        p.add(7, PLACE, 40, 8).unwrap();
        assert_eq!(p.add(7, (0x2000, 0x4000), 41, 8), Err(Error::EBUSY));
        assert_eq!(p.add(7, (0x3000, 0x4000), 41, 8), Ok(()));
        assert_eq!(p.add(6, PLACE, 42, 8), Ok(()));
        assert_eq!((p.add(7, ALL, 43, 7), p.add(7, ALL, 44, 7)), (Ok(()), Err(Error::EBUSY)));
    }
    #[test]
    fn a_handler_that_faults_itself_is_not_asked_again() {
        let mut p = Bench::new();
        p.add(7, ALL, 40, 7).unwrap();
        let portal = p.begin(3, 7, 0x10).unwrap();
        assert_eq!(p.begin(3, 7, 0x20), None);
        assert!(p.begin(4, 7, 0x20).is_some());
        p.2.end(3, portal);
        assert!(p.begin(3, 7, 0x20).is_some());
    }
    #[test]
    fn removing_what_is_not_there_is_refused() {
        let mut p = Bench::new();
        p.add(7, PLACE, 40, 8).unwrap();
        assert_eq!(p.2.remove(domain(7), 0x2000), Err(Error::ENOENT));
        assert_eq!(p.2.remove(domain(7), 0x1000), Ok(40));
    }
    #[test]
    fn too_many_ranges_of_one_pager_are_refused_and_others_have_theirs() {
        let mut p = Bench::new();
        assert!((0..RANGES).all(|n| p.add(7, (n << 12, (n + 1) << 12), 40, 8).is_ok()));
        assert_eq!(p.add(6, (0, 4096), 40, 8), Err(Error::ENFILE));
        assert_eq!(p.add(6, (0, 4096), 41, 9), Ok(()));
        p.2.forget(domain(7));
        assert_eq!(p.add(6, (4096, 8192), 40, 8), Ok(()));
    }
    #[test]
    fn as_many_answers_as_threads_and_nested_faults_are_under_way() {
        let mut p = Bench::new();
        (0..NESTED).for_each(|n| p.add(7, (n << 12, (n + 1) << 12), 40 + n, 8).unwrap());
        assert!((1..MAX_THREADS).all(|thread| (0..NESTED).all(|n| p.begin(thread, 7, n << 12).is_some())));
    }
    #[test]
    fn who_nests_answers_without_end_takes_none_from_others() {
        let mut p = Bench::new();
        for n in 0..=NESTED {
            p.add(7, (n << 12, (n + 1) << 12), 40 + n, 8).unwrap();
            assert_eq!(p.begin(3, 7, n << 12).is_some(), n < NESTED);
        }
        // A handler of another account, on the same thread.
        p.add(8, PLACE, 50, 9).unwrap();
        assert_eq!(p.begin(3, 8, 0x1000), Some(50));
        p.2.end(3, 40);
        assert_eq!(p.begin(3, 7, NESTED << 12), Some(44));
    }
    #[test]
    fn a_pager_that_takes_too_long_is_found_once() {
        let mut p = Bench::new();
        p.add(7, PLACE, 40, 8).unwrap();
        p.begin(3, 7, 0x1008).unwrap();
        for _ in 0..SECONDS {
            assert!(p.2.overdue(1).is_none());
        }
        let (client, late) = p.2.overdue(1).unwrap();
        assert_eq!((client, late.number(), late.status, late.cause, late.pager), (domain(7), 7, -15, 15, 8));
        assert_eq!((late.address, late.pc, late.waited), (0x1008, 0x10000, SECONDS));
        assert!(p.2.overdue(0).is_none() && p.2.overdue(100).is_none() && !p.2.is_watched());
    }
    #[test]
    fn an_answer_in_time_starts_anew() {
        let mut p = Bench::new();
        p.add(7, PLACE, 40, 8).unwrap();
        for _ in 0..3 {
            p.begin(3, 7, 0x1008).unwrap();
            assert!(p.2.overdue(SECONDS).is_none() && p.2.is_watched());
            p.2.end(3, 40);
            assert!(!p.2.is_watched());
        }
        assert!(p.2.overdue(SECONDS).is_none());
    }
    #[test]
    fn a_debugger_and_a_handler_of_ones_own_may_take_their_time() {
        let mut p = Bench::new();
        p.add(7, ALL, 40, 8).unwrap();
        p.add(9, PLACE, 41, 9).unwrap();
        p.begin(3, 7, 0x1008).unwrap();
        p.begin(4, 9, 0x1008).unwrap();
        assert!(p.2.overdue(1000).is_none());
    }
    #[test]
    fn an_unregistered_pager_still_has_to_answer() {
        let mut p = Bench::new();
        p.add(7, PLACE, 40, 8).unwrap();
        p.begin(3, 7, 0x1008).unwrap();
        p.2.remove(domain(7), 0x1000).unwrap();
        assert!(p.2.overdue(SECONDS + 1).is_some());
    }
    #[test]
    fn nobody_waits_for_the_pager_of_the_dead() {
        let mut p = Bench::new();
        p.add(7, PLACE, 40, 8).unwrap();
        p.begin(3, 7, 0x1008).unwrap();
        p.2.remove(domain(7), 0x1000).unwrap();
        p.2.forget(domain(7));
        assert!(p.2.overdue(SECONDS + 1).is_none());
    }
}
