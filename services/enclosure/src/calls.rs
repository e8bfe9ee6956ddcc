//! What a fault domain may ask of the system: its calls come here, and go on as the host's where they may.
//!
//! A pointer that a portal opens a window on must point into the segment; a call that would act for the whole host (threads, forks, pagers, other
//! stacks, domains of protection) is refused, by whatever way its portal was opened; the numbers of portals that the host has opened for itself, whenever that was, lead nowhere.

use crate::Layout;
use abi::Error;
use abi::address::{PAGE, WINDOW_PAGES};
use abi::nucleus::{NAMELEN, NPORTALS};
use abi::section;
use abi::system::{self, Description};
use core::ops::Range;
use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

/// A call that the host makes.
pub trait Portals {
    fn call(&self, number: usize, arguments: [u64; 6]) -> i64;
    /// What a portal of the host's own table is.
    fn description(&self, number: usize) -> Option<Description>;
    /// Maps so many pages of zeros there.
    fn map(&self, address: u64, pages: u64) -> i64;
}
/// How many calls are on their way through each number. What it stands for is looked at before it is called, and must not change in between: so
/// a number through which somebody calls is not closed, and nobody calls through one that is being closed.
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

/// Numbers of portals.
struct Numbers([AtomicU64; NPORTALS / 64]);
impl Numbers {
    const fn none() -> Numbers {
        Numbers([const { AtomicU64::new(0) }; NPORTALS / 64])
    }
    fn has(&self, number: usize) -> bool {
        self.0[number / 64].load(Ordering::Relaxed) >> (number % 64) & 1 != 0
    }
    fn add(&self, number: usize) {
        self.0[number / 64].fetch_or(1 << (number % 64), Ordering::Relaxed);
    }
    fn remove(&self, number: usize) {
        self.0[number / 64].fetch_and(!(1 << (number % 64)), Ordering::Relaxed);
    }
}
/// Whose each number of a table is that several fault domains and their host's runtime have together.
pub struct Owners([AtomicU8; NPORTALS]);
/// Nobody's, and the runtime's.
const NOBODYS: u8 = 0;
const RUNTIMES: u8 = u8::MAX;
impl Owners {
    pub const fn none() -> Owners {
        Owners([const { AtomicU8::new(NOBODYS) }; NPORTALS])
    }
    /// What stands for something by now is the runtime's.
    pub fn keep(&self, portals: &impl Portals) {
        let used = |number: &usize| portals.description(*number).is_some();
        (system::FIRST_FREE..NPORTALS).filter(used).for_each(|number| self.give(number, RUNTIMES));
    }
    /// Gives a number to a fault domain, from 1 on, whoever had it: the system has said that it is new.
    fn give(&self, number: usize, to: u8) {
        self.0[number].store(to, Ordering::Release);
    }
    /// Gives it one that is nobody's.
    fn find(&self, number: usize, to: u8) {
        let _ = self.0[number].compare_exchange(NOBODYS, to, Ordering::AcqRel, Ordering::Relaxed);
    }
    /// Takes it away again. False: it had another.
    fn take(&self, number: usize, from: u8) -> bool {
        self.0[number].compare_exchange(from, NOBODYS, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}
/// Which numbers are a fault domain's own.
enum Own {
    /// It is all of its component: all.
    All,
    /// Those that it has opened: its host has others for itself. Only one thread is in it, so none of its locks is held by another.
    Opened(Numbers),
    /// Those that have its number among the owners.
    Of(&'static Owners, u8),
}
impl Own {
    fn has(&self, number: usize) -> bool {
        match self {
            Own::All => true,
            Own::Opened(numbers) => numbers.has(number),
            Own::Of(owners, own) => owners.0[number].load(Ordering::Acquire) == *own,
        }
    }
    fn add(&self, number: usize) {
        match self {
            Own::All => {}
            Own::Opened(numbers) => numbers.add(number),
            Own::Of(owners, own) => owners.give(number, *own),
        }
    }
    fn remove(&self, number: usize) {
        match self {
            Own::All => {}
            Own::Opened(numbers) => numbers.remove(number),
            Own::Of(owners, own) => _ = owners.take(number, *own),
        }
    }
}
/// A fault domain's rights and what it has.
pub struct Calls<P> {
    pub portals: P,
    layout: Layout,
    own: Own,
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
    /// Of a fault domain whose heap is between `heap` and `limit`. All portals are the host's but those that it opens itself.
    pub fn new(portals: P, layout: Layout, heap: u64, limit: u64) -> Calls<P> {
        Calls { own: Own::Opened(Numbers::none()), ..Calls::of_component(portals, layout, heap, limit) }
    }
    /// The same of one that is all of its component: all portals are its own.
    pub fn of_component(portals: P, layout: Layout, heap: u64, limit: u64) -> Calls<P> {
        let (on_their_way, heap_end) = (OnTheirWay::none(), AtomicU64::new(heap));
        Calls { portals, layout, own: Own::All, on_their_way, first: heap, heap: heap_end, limit }
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
            system::PORTAL_OPEN if self.layout.holds(arguments[0], NAMELEN as u64) => self.opens(number, arguments),
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
    /// Makes a call that opens portals: their numbers are its own from then on.
    fn opens(&self, number: usize, arguments: [u64; 6]) -> Answer {
        let result = self.portals.call(number, arguments);
        if let Ok(first) = usize::try_from(result) {
            let numbers = first..first + if number == system::SEM_CREATE { SEMAPHORE } else { 1 };
            numbers.filter(|&number| number < NPORTALS).for_each(|number| self.own.add(number));
        }
        Answer::Result(result)
    }
    /// Opens a portal by the name at an address of the host's.
    pub fn open(&self, name: u64) -> Answer {
        self.opens(system::PORTAL_OPEN, [name, 0, 0, 0, 0, 0])
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
    /// One that it has opened, or been given. What it is now is asked each time: a number can come to stand for another portal.
    fn opened(&self, number: usize, arguments: [u64; 6]) -> Answer {
        let Some(Description { spec, name }) = self.portals.description(number) else { return refused(Error::EPORTAL) };
        if FOR_THE_WHOLE_HOST.iter().any(|group| section::text(&name).starts_with(group)) {
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
    fn grow(&self, pages: u64) -> i64 {
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
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};
    use std::collections::HashMap;
    use std::vec::Vec;

    #[derive(Default)]
    struct Fake {
        specifications: HashMap<usize, &'static str>,
        names: HashMap<usize, &'static str>,
        opens: Cell<i64>,
        called: RefCell<Vec<usize>>,
        mapped: Cell<u64>,
        full: bool,
    }
    impl Portals for Fake {
        fn call(&self, number: usize, _: [u64; 6]) -> i64 {
            self.called.borrow_mut().push(number);
            match number {
                system::PORTAL_OPEN | system::SEM_CREATE => self.opens.get(),
                _ => 7,
            }
        }
        fn description(&self, number: usize) -> Option<Description> {
            let bytes = |text: &str| {
                let mut bytes = [0; NAMELEN];
                bytes[..text.len()].copy_from_slice(text.as_bytes());
                bytes
            };
            let spec = bytes(self.specifications.get(&number)?);
            Some(Description { spec, name: bytes(self.names.get(&number).unwrap_or(&"app.some")) })
        }
        fn map(&self, _: u64, pages: u64) -> i64 {
            if self.full {
                return error(Error::ENOMEM);
            }
            self.mapped.set(self.mapped.get() + pages);
            0
        }
    }
    const LAYOUT: Layout = Layout::new(false);
    const TOP: u64 = LAYOUT.top();
    const HEAP: u64 = LAYOUT.base() + 0x10_0000;
    fn calls() -> Calls<Fake> {
        let host = Fake { specifications: HashMap::from([(40, "smii")]), ..Fake::default() };
        let mut calls = Calls::new(host, LAYOUT, HEAP, HEAP + 0x10_0000);
        let opened = [(41, "smii"), (42, "smciw"), (43, "smRi"), (44, "smik"), (45, "nm>i"), (46, "smW")];
        calls.portals.specifications.extend(opened);
        for (number, _) in opened {
            calls.own.add(number);
        }
        calls
    }
    fn result(calls: &Calls<Fake>, number: usize, arguments: &[u64]) -> i64 {
        let mut all = [0; 6];
        all[..arguments.len()].copy_from_slice(arguments);
        match calls.answer(number as u64, all) {
            Answer::Result(result) => result,
            Answer::End(status) => panic!("ended with {status}"),
        }
    }
    fn error(error: Error) -> i64 {
        -(error as i64)
    }

    #[test]
    fn a_portal_that_it_opened_is_called() {
        let calls = calls();
        assert_eq!(result(&calls, 41, &[1, 2]), 7);
        assert_eq!(*calls.portals.called.borrow(), [41]);
    }
    #[test]
    fn a_lock_that_nobody_else_can_hold_is_not_waited_for() {
        let mut calls = calls();
        let turns = u64::MAX;
        assert_eq!(result(&calls, system::LOCK_WAIT, &[HEAP, 0, turns]), 7, "what is only asked");
        assert_eq!(result(&calls, system::LOCK_WAIT, &[HEAP, 3, 5]), error(Error::ESRCH));
        calls.own = Own::All;
        assert_eq!(result(&calls, system::LOCK_WAIT, &[HEAP, 3, 5]), 7);
    }
    #[test]
    fn a_portal_of_the_hosts_is_none() {
        let calls = calls();
        for number in [40, 47, NPORTALS, usize::MAX] {
            assert_eq!(result(&calls, number, &[1, 2]), error(Error::EPORTAL));
        }
        assert_eq!(result(&calls, system::PORTAL_CLOSE, &[40]), error(Error::ENOTSUP));
        assert!(calls.portals.called.borrow().is_empty());
    }
    #[test]
    fn what_it_opens_is_its_own_until_it_closes_it() {
        let mut calls = calls();
        calls.portals.specifications.extend([(50, "sm"), (51, "sm"), (52, "sm")]);
        calls.portals.opens.set(50);
        assert_eq!(result(&calls, system::PORTAL_OPEN, &[HEAP]), 50);
        assert_eq!([50, 51].map(|number| result(&calls, number, &[])), [7, error(Error::EPORTAL)]);
        calls.portals.opens.set(51);
        assert_eq!(result(&calls, system::SEM_CREATE, &[1]), 51);
        assert_eq!([51, 52].map(|number| result(&calls, number, &[])), [7; 2], "both operations");
        assert_eq!(result(&calls, system::PORTAL_CLOSE, &[50]), 7);
        assert_eq!(result(&calls, system::SEM_DESTROY, &[51]), 7);
        assert_eq!([50, 51, 52].map(|number| result(&calls, number, &[])), [error(Error::EPORTAL); 3]);
    }
    #[test]
    fn of_several_each_has_its_own_numbers() {
        static OWNERS: Owners = Owners::none();
        let one = |own: u8| {
            let specifications = HashMap::from([(40, "smii"), (41, "smii"), (42, "smii"), (43, "smii")]);
            let host = Fake { specifications, ..Fake::default() };
            Calls::of_several(host, LAYOUT, HEAP..HEAP + 0x10_0000, (&OWNERS, own))
        };
        let (first, second) = (one(1), one(2));
        OWNERS.give(40, RUNTIMES);
        first.portals.opens.set(41);
        assert_eq!(first.open(HEAP), Answer::Result(41));
        second.portals.opens.set(42);
        assert_eq!(result(&second, system::SEM_CREATE, &[1]), 42);
        let of = |calls| [40, 41, 42, 43].map(|number| result(calls, number, &[1, 2]) == 7);
        assert_eq!((of(&first), of(&second)), ([false, true, false, false], [false, false, true, true]));
        assert_eq!(result(&first, system::SEM_DESTROY, &[42]), error(Error::ENOTSUP));
        second.begin_again();
        assert_eq!(of(&second), [false; 4]);
        // What a server says that it has granted is that one's who hears it, but not what another has.
        first.granted(40);
        assert_eq!(of(&first), [false, true, true, true]);
        second.granted(41);
        assert_eq!(of(&second), [false; 4]);
    }
    #[test]
    fn what_could_not_be_opened_makes_no_number_its_own() {
        let mut calls = calls();
        calls.portals.specifications.extend([(NPORTALS - 1, "sm")]);
        for failed in [error(Error::ENOENT), i64::MAX, NPORTALS as i64] {
            calls.portals.opens.set(failed);
            assert_eq!(result(&calls, system::PORTAL_OPEN, &[HEAP]), failed);
            assert_eq!(result(&calls, system::SEM_CREATE, &[1]), failed);
        }
        assert_eq!(result(&calls, NPORTALS - 1, &[]), error(Error::EPORTAL));
    }
    #[test]
    fn what_the_host_opens_later_is_the_hosts() {
        let mut calls = calls();
        calls.portals.specifications.insert(48, "smRi");
        assert_eq!(result(&calls, 48, &[HEAP, 10]), error(Error::EPORTAL));
    }
    #[test]
    fn portals_that_act_for_the_whole_host_are_refused_by_their_names() {
        let mut calls = calls();
        for name in ["protection.operate", "portal.template", "domain.create", "memory.page"] {
            calls.portals.names.insert(41, name);
            assert_eq!(result(&calls, 41, &[1, 2]), error(Error::ENOTSUP), "{name}");
        }
        calls.portals.names.insert(41, "inspect.domain");
        assert_eq!(result(&calls, 41, &[1, 2]), 7);
        calls.own = Own::All;
        calls.portals.names.insert(40, "protection.create");
        assert_eq!(result(&calls, 40, &[1, 2]), error(Error::ENOTSUP), "a component, too");
    }
    #[test]
    fn calls_that_act_for_the_whole_host_are_refused() {
        let calls = calls();
        for number in [system::THREAD_CREATE, system::DOMAIN_FORK, system::PAGER, system::PAGE, system::SET_TP, 0, 39] {
            assert_eq!(result(&calls, number, &[]), error(Error::ENOTSUP), "{number}");
        }
        assert!(calls.portals.called.borrow().is_empty());
    }
    #[test]
    fn a_window_on_the_hosts_memory_is_refused() {
        let calls = calls();
        for pointer in [0x1_0000, LAYOUT.base() - 1, LAYOUT.base(), TOP, u64::MAX] {
            assert_eq!(result(&calls, 42, &[1, pointer]), error(Error::EFAULT), "{pointer:#x}");
            assert_eq!(result(&calls, 43, &[pointer, 10]), error(Error::EFAULT), "{pointer:#x}");
            assert_eq!(result(&calls, system::PORTAL_OPEN, &[pointer]), error(Error::EFAULT));
            assert_eq!(result(&calls, system::PORTAL_INFO, &[41, pointer]), error(Error::EFAULT));
        }
        assert!(calls.portals.called.borrow().is_empty());
        assert_eq!(result(&calls, 42, &[1, HEAP]), 7);
        assert_eq!(result(&calls, 43, &[HEAP, 10]), 7);
    }
    #[test]
    fn a_length_that_lies_is_refused() {
        let calls = calls();
        assert_eq!(result(&calls, 43, &[TOP - 8, 9]), error(Error::EFAULT));
        assert_eq!(result(&calls, 43, &[HEAP, u64::MAX]), error(Error::EFAULT));
        assert_eq!(result(&calls, 43, &[HEAP, (WINDOW_PAGES * PAGE) as u64 + 1]), error(Error::EFAULT));
        assert_eq!(result(&calls, 46, &[HEAP, 8]), error(Error::EINVAL), "no length at all");
    }
    #[test]
    fn letters_that_give_more_than_a_window_are_refused() {
        let calls = calls();
        assert_eq!(result(&calls, 44, &[1, 2]), error(Error::ENOTSUP));
        assert_eq!(result(&calls, 45, &[HEAP, 4096]), error(Error::ENOTSUP));
    }
    #[test]
    fn a_number_that_comes_to_stand_for_another_portal_is_asked_again() {
        let mut calls = calls();
        assert_eq!(result(&calls, 41, &[1, 2]), 7);
        calls.portals.specifications.insert(41, "smwi");
        assert_eq!(result(&calls, 41, &[1, 2]), error(Error::EFAULT));
    }
    #[test]
    fn a_number_that_somebody_calls_through_is_not_closed() {
        let calls = calls();
        let close = |number, first| result(&calls, number, &[first]);
        calls.on_their_way.through(42, || {
            assert_eq!(close(system::PORTAL_CLOSE, 42), error(Error::EBUSY));
            assert_eq!(close(system::SEM_DESTROY, 41), error(Error::EBUSY), "its second operation");
            assert_eq!(close(system::PORTAL_CLOSE, 43), 7, "another's");
            Answer::Result(0)
        });
        assert_eq!(close(system::SEM_DESTROY, 41), 7);
        calls.own.add(NPORTALS - 1);
        assert_eq!(close(system::SEM_DESTROY, NPORTALS as u64 - 1), 7);
    }
    #[test]
    fn nobody_calls_through_a_number_that_is_being_closed() {
        let calls = calls();
        calls.on_their_way.closing(41..42, || {
            assert_eq!(result(&calls, 41, &[1, 2]), error(Error::EPORTAL));
            assert_eq!(result(&calls, system::PORTAL_CLOSE, &[41]), error(Error::EBUSY));
            Answer::Result(0)
        });
        assert_eq!(result(&calls, 41, &[1, 2]), 7);
    }
    #[test]
    fn the_heap_grows_to_its_limit() {
        let calls = calls();
        assert_eq!(result(&calls, system::GROW, &[16]), HEAP as i64);
        assert_eq!(result(&calls, system::GROW, &[1]), HEAP as i64 + 0x1_0000);
        for pages in [256, u64::MAX, u64::MAX / 4096] {
            assert_eq!(result(&calls, system::GROW, &[pages]), error(Error::ENOMEM));
        }
        assert_eq!(calls.portals.mapped.get(), 17);
    }
    #[test]
    fn a_heap_that_could_not_grow_is_as_it_was() {
        let mut calls = calls();
        calls.portals.full = true;
        assert_eq!(result(&calls, system::GROW, &[16]), error(Error::ENOMEM));
        calls.portals.full = false;
        assert_eq!(result(&calls, system::GROW, &[1]), HEAP as i64);
    }
    #[test]
    fn the_portals_of_a_component_that_is_a_fault_domain_are_its_own() {
        let host = Fake { specifications: HashMap::from([(40, "smii")]), ..Fake::default() };
        let calls = Calls::of_component(host, LAYOUT, HEAP, HEAP);
        assert_eq!(result(&calls, 40, &[1, 2]), 7);
    }
    #[test]
    fn its_exit_is_the_end_of_its_call() {
        let mut all = [0; 6];
        all[0] = 3;
        assert_eq!(calls().answer(system::EXIT as u64, all), Answer::End(3));
    }
}
