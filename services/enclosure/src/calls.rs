//! What a fault domain may ask of the system: its calls come here, and go on as the host's where they may.
//!
//! A pointer that a portal opens a window on must point into the segment; a call that would act for the whole host (threads, forks, pagers, other
//! stacks, domains of protection) is refused, by whatever way its portal was opened; the numbers of portals that the host has opened for itself, whenever that was, lead nowhere.

use crate::Layout;
use crate::owners::{Numbers, Own, Owners};
use abi::Error;
use abi::address::{PAGE, WINDOW_PAGES};
use abi::nucleus::{NAMELEN, NPORTALS};
use abi::section;
use abi::system::{self, Description};
use alloc::vec::Vec;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A call that the host makes.
pub trait Portals {
    fn call(&self, number: usize, arguments: [u64; 6]) -> i64;
    /// What a portal of the host's own table is. Its number leads there or nowhere until this thread asks about another, unless the host itself closes it.
    fn description(&self, number: usize) -> Option<Description>;
    /// What lies at an address of the segment now, as a name. `None`: nothing does.
    fn name(&self, address: u64) -> Option<NameCopy>;
    /// Maps so many pages of zeros there.
    fn map(&self, address: u64, pages: u64) -> i64;
}
/// A name that nobody but the host writes, where a window shows all of it.
#[repr(align(64))]
pub struct NameCopy(pub [u8; NAMELEN]);
/// How many calls are on their way through each number. What it stands for is looked at before it is called, and must not change in between: the system
/// sees to that for whatever others do, and the host closes no number through which somebody calls, nor does anybody call through one that is being closed.
pub(crate) struct OnTheirWay<const NUMBERS: usize>([AtomicU32; NUMBERS]);
/// Numbers of a semaphore: one for each operation.
const SEMAPHORE: usize = 2;
/// In place of a number of calls: it is being closed.
const CLOSING: u32 = 1 << 31;
impl<const NUMBERS: usize> OnTheirWay<NUMBERS> {
    pub(crate) const fn none() -> Self {
        OnTheirWay([const { AtomicU32::new(0) }; NUMBERS])
    }
    /// Does `call` through a number; `EPORTAL`: it is being closed.
    pub(crate) fn through(&self, number: usize, call: impl FnOnce() -> Answer) -> Answer {
        let calls = &self.0[number];
        let more = |calls: u32| (calls != CLOSING).then_some(calls + 1);
        if calls.fetch_update(Ordering::Acquire, Ordering::Relaxed, more).is_err() {
            return refused(Error::EPORTAL);
        }
        let answer = call();
        calls.fetch_sub(1, Ordering::Release);
        answer
    }
    /// Does `close` with all of these numbers; `EBUSY`: somebody calls through one, or closes it.
    pub(crate) fn closing(&self, numbers: Range<usize>, close: impl FnOnce() -> Answer) -> Answer {
        let taken =
            |calls: &AtomicU32| calls.compare_exchange(0, CLOSING, Ordering::Acquire, Ordering::Relaxed).is_ok();
        let all = &self.0[numbers];
        let free = all.iter().take_while(|calls| taken(calls)).count();
        let answer = if free == all.len() { close() } else { refused(Error::EBUSY) };
        all[..free].iter().for_each(|calls| calls.store(0, Ordering::Release));
        answer
    }
}
/// Names of portals that act for who calls as a whole (they show his pages to others, map into them, run code at his addresses), whatever their
/// arguments look like: those that a fault domain may call have numbers of the system's, and are known one by one.
const FOR_THE_WHOLE_HOST: [&str; 6] = ["domain.", "interrupt.", "memory.", "portal.", "protection.", "thread."];
/// Of these, what only tells something; and what is about domains that the component has started, where it is all that the host is for.
const TELLS: &str = "memory.info";
const ENDS_OTHERS: &str = "domain.destroy";

/// A fault domain's rights and what it has.
pub struct Calls<P> {
    pub portals: P,
    layout: Layout,
    own: Own,
    /// Names of what it may open, as patterns with spaces between them. `None`: whatever the host may.
    names: Option<Vec<u8>>,
    on_their_way: OnTheirWay<NPORTALS>,
    /// Where the heap begins, and its end.
    first: u64,
    heap: AtomicU64,
    /// Where the heap may not go.
    limit: u64,
}
/// What becomes of a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    Result(i64),
    /// It has called to end, with that status.
    End(i64),
}
pub(crate) const fn refused(error: Error) -> Answer {
    Answer::Result(-(error as i64))
}

impl<P: Portals> Calls<P> {
    /// Of a fault domain whose heap is between `heap` and `limit`, which may open what `names` match: names of portals, or their beginnings with a `*`, as
    /// `opens` of a manifest, with spaces between them. All portals are the host's but those that it opens itself.
    pub fn new(portals: P, layout: Layout, heap: Range<u64>, names: Vec<u8>) -> Calls<P> {
        let own = Own::Opened(Numbers::none());
        Calls { own, names: Some(names), ..Calls::of_component(portals, layout, heap.start, heap.end) }
    }
    /// The same of one that is all of its component: all portals are its own.
    pub fn of_component(portals: P, layout: Layout, heap: u64, limit: u64) -> Calls<P> {
        let (on_their_way, heap_end) = (OnTheirWay::none(), AtomicU64::new(heap));
        Calls { portals, layout, own: Own::All, names: None, on_their_way, first: heap, heap: heap_end, limit }
    }
    /// The same of one that shares its host's table with others, among whose owners it has number `own`.
    pub fn of_several(portals: P, layout: Layout, heap: Range<u64>, (owners, own): (&'static Owners, u8)) -> Calls<P> {
        Calls { own: Own::Of(owners, own), ..Calls::of_component(portals, layout, heap.start, heap.end) }
    }
    /// It begins anew, without a heap and with no number of a portal. All calls have ended.
    pub fn begin_again(&self) {
        self.heap.store(self.first, Ordering::Relaxed);
        let Own::Of(owners, own) = self.own else { return };
        for number in system::FIRST_FREE..NPORTALS {
            if !owners.take(number, own) {
                continue;
            }
            // Of a semaphore, both operations go with the first: neither is anybody's then, and the second is not closed as what it may become.
            let second = number + 1 < NPORTALS && owners.take(number + 1, own);
            if self.portals.call(system::SEM_DESTROY, [number as u64, 0, 0, 0, 0, 0]) < 0 {
                self.portals.call(system::PORTAL_CLOSE, [number as u64, 0, 0, 0, 0, 0]);
                if second {
                    owners.give(number + 1, own);
                }
            }
        }
    }
    /// The heap.
    pub fn grown(&self) -> core::ops::Range<u64> {
        self.first..self.heap.load(Ordering::Relaxed)
    }
    /// A call of portal `number`. Several threads may call.
    pub fn answer(&self, number: u64, arguments: [u64; 6]) -> Answer {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        match number {
            system::EXIT => Answer::End(arguments[0] as i64),
            system::GROW => Answer::Result(self.grow(arguments[0])),
            // Whoever it names never lets go of it. Such a wait no cancellation would end.
            system::LOCK_WAIT if matches!(self.own, Own::Opened(_)) && (arguments[2] as i64) >= 0 => {
                refused(Error::ESRCH)
            }
            system::LOCK_WAIT | system::LOCK_RELEASE if !self.layout.holds(arguments[0], 4) => refused(Error::EFAULT),
            system::YIELD
            | system::SLEEP
            | system::GET_ASID
            | system::GET_THREAD
            | system::HRTIME
            | system::LOCK_WAIT
            | system::LOCK_RELEASE => Answer::Result(self.portals.call(number, arguments)),
            system::PORTAL_OPEN if self.layout.holds(arguments[0], NAMELEN as u64) => self.opens_by_name(arguments),
            system::SEM_CREATE => self.opens(number, arguments),
            system::PORTAL_INFO
                if self.layout.holds(arguments[1], 2 * NAMELEN as u64) && self.is_own(arguments[0] as usize) =>
            {
                Answer::Result(self.portals.call(number, arguments))
            }
            system::PORTAL_OPEN | system::PORTAL_INFO => refused(Error::EFAULT),
            system::PORTAL_CLOSE | system::SEM_DESTROY if self.is_own(arguments[0] as usize) => {
                let first = arguments[0] as usize;
                let numbers = first..(first + if number == system::SEM_DESTROY { SEMAPHORE } else { 1 }).min(NPORTALS);
                self.on_their_way.closing(numbers.clone(), || self.closes(number, arguments, numbers))
            }
            _ if self.is_own(number) => self.on_their_way.through(number, || self.opened(number, arguments)),
            _ if number < system::FIRST_FREE => refused(Error::ENOTSUP),
            _ => refused(Error::EPORTAL),
        }
    }
    /// Whether it is the number of a portal that the fault domain may have.
    fn is_own(&self, number: usize) -> bool {
        (system::FIRST_FREE..NPORTALS).contains(&number) && self.own.has(number)
    }
    /// Opens what a name in the segment names, if it may: its server hears of no other. The name may be another by the time that it is read again, so it is read
    /// once; and what has been opened says what it is.
    fn opens_by_name(&self, arguments: [u64; 6]) -> Answer {
        let Some(names) = &self.names else { return self.opens(system::PORTAL_OPEN, arguments) };
        let Some(name) = self.portals.name(arguments[0]) else { return refused(Error::EFAULT) };
        if !matches(names, section::text(&name.0).as_bytes()) {
            return refused(Error::EACCESS);
        }
        let copy = &raw const name as u64;
        let result = self.portals.call(system::PORTAL_OPEN, [copy, 0, 0, 0, 0, 0]);
        let Some(opened) = usize::try_from(result).ok().filter(|&number| number < NPORTALS) else {
            return Answer::Result(result);
        };
        let named = self.portals.description(opened);
        if named.is_some_and(|Description { name, .. }| matches(names, section::text(&name).as_bytes())) {
            self.own.add(opened);
            return Answer::Result(result);
        }
        self.portals.call(system::PORTAL_CLOSE, [opened as u64, 0, 0, 0, 0, 0]);
        refused(Error::EACCESS)
    }
    /// Makes a call that opens portals: their numbers are its own from then on.
    fn opens(&self, number: usize, arguments: [u64; 6]) -> Answer {
        let result = self.portals.call(number, arguments);
        if let Ok(first) = usize::try_from(result) {
            let numbers = first..first + if number == system::SEM_CREATE { SEMAPHORE } else { 1 };
            numbers.filter(|&number| number < NPORTALS).for_each(|number| self.own.add(number));
        }
        Answer::Result(result)
    }
    /// Opens a portal by the name at an address of the host's. Its number is the fault domain's own if `suits` still says so when there is one, and nothing is
    /// open if not.
    pub fn open(&self, name: u64, suits: impl FnOnce() -> bool) -> Option<i64> {
        let result = self.portals.call(system::PORTAL_OPEN, [name, 0, 0, 0, 0, 0]);
        let number = usize::try_from(result).ok().filter(|&number| number < NPORTALS);
        if !suits() {
            number.map(|number| self.portals.call(system::PORTAL_CLOSE, [number as u64, 0, 0, 0, 0, 0]));
            return None;
        }
        number.into_iter().for_each(|number| self.own.add(number));
        Some(result)
    }
    /// Makes a call that closes portals, which another may open then.
    fn closes(&self, number: usize, arguments: [u64; 6], numbers: Range<usize>) -> Answer {
        let own = |number: &usize| self.own.has(*number);
        let had = numbers
            .filter(own)
            .fold(0..0, |had, number| if had.is_empty() { number..number + 1 } else { had.start..number + 1 });
        // Before they can be another's.
        had.clone().for_each(|number| self.own.remove(number));
        let result = self.portals.call(number, arguments);
        if result < 0 {
            had.for_each(|number| self.own.add(number));
        }
        Answer::Result(result)
    }
    /// One that it has opened, or been given. What it is now is asked each time: a number can come to stand for another portal, but not while the thread that
    /// has asked about it asks about no other ([`Portals::description`]): what was looked at is called, or nothing.
    fn opened(&self, number: usize, arguments: [u64; 6]) -> Answer {
        let Some(Description { spec, name }) = self.portals.description(number) else { return refused(Error::EPORTAL) };
        let name = section::text(&name);
        let harmless = name == TELLS || name == ENDS_OTHERS && matches!(self.own, Own::All);
        if !harmless && FOR_THE_WHOLE_HOST.iter().any(|group| name.starts_with(group)) {
            return refused(Error::ENOTSUP);
        }
        match check(&self.layout, &spec, &arguments) {
            Ok(()) => {
                let result = self.portals.call(number, arguments);
                self.granted(result);
                Answer::Result(result)
            }
            Err(error) => refused(error),
        }
    }
    /// A server may have granted it portals: the result is their first number then. They are its own if they are nobody's yet.
    fn granted(&self, first: i64) {
        let Own::Of(owners, own) = self.own else { return };
        let Ok(first) = usize::try_from(first) else { return };
        let all = first..first.saturating_add(system::GRANTS).min(NPORTALS);
        if first >= system::FIRST_FREE {
            let there = all.take_while(|number| self.portals.description(*number).is_some());
            there.for_each(|number| owners.find(number, own));
        }
    }
    /// Makes the heap so many pages larger; where these begin.
    pub(crate) fn grow(&self, pages: u64) -> i64 {
        let end = |heap: u64| pages.checked_mul(PAGE as u64).and_then(|bytes| heap.checked_add(bytes));
        let limited = |heap| end(heap).filter(|end| *end <= self.limit);
        let Ok(old) = self.heap.fetch_update(Ordering::Relaxed, Ordering::Relaxed, limited) else {
            return -(Error::ENOMEM as i64);
        };
        let result = self.portals.map(old, pages);
        if result < 0 {
            // What another thread has grown meanwhile stays behind it.
            let end = end(old).unwrap_or(old);
            let _ = self.heap.compare_exchange(end, old, Ordering::Relaxed, Ordering::Relaxed);
            return result;
        }
        old as i64
    }
}
/// Whether one of the patterns, which have spaces between them, matches `name`.
fn matches(patterns: &[u8], name: &[u8]) -> bool {
    let mut patterns = patterns.split(|byte| *byte == b' ').filter(|pattern| !pattern.is_empty());
    patterns.any(|pattern| match pattern.strip_suffix(b"*") {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    })
}
/// Whether what a portal of `specification` would show its server is in the segment.
fn check(layout: &Layout, specification: &[u8; NAMELEN], arguments: &[u64; 6]) -> Result<(), Error> {
    let letters = specification.split(|byte| *byte == 0).next().unwrap_or(&[]);
    let mut passed = arguments.iter();
    let mut length_of = None;
    for letter in letters.get(2..).unwrap_or(&[]) {
        // Inserted by the portal.
        if b"c=tahd".contains(letter) {
            continue;
        }
        let &argument = passed.next().ok_or(Error::EINVAL)?;
        if let Some(start) = length_of.take() {
            let most = (WINDOW_PAGES * PAGE) as u64;
            if argument > most || !layout.holds(start, argument.max(1)) {
                return Err(Error::EFAULT);
            }
            continue;
        }
        match letter {
            b'i' => {}
            // A window shows the page, and pages are all in the segment or not.
            b'r' | b'w' if layout.holds(argument, 1) => {}
            b'r' | b'w' => return Err(Error::EFAULT),
            b'R' | b'W' => length_of = Some(argument),
            // Pages that change hands or stay shared, capabilities, and letters of servers.
            _ => return Err(Error::ENOTSUP),
        }
    }
    if length_of.is_some() { Err(Error::EINVAL) } else { Ok(()) }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
