//! A fault domain as a server: what it registers leads to the host first, which shows it what the windows of a call show, and calls it.
//!
//! A portal's entry point is one of the host's own, [`ENTRIES`] of them; which of the fault domain's it stands for is in [`Entries`]. A window is copied: what
//! it shows goes into the segment before the call, and what the fault domain has changed of it goes back when it returns, exactly as much as the
//! portal has opened. The fault domain says nothing about that but the specification that it registers.

use crate::Layout;
use crate::calls::{Answer, Portals};
use abi::Error;
use abi::address::{PAGE, WINDOW_PAGES};
use abi::nucleus::NAMELEN;
use abi::specification;
use abi::system::{self, Caller, GRANTS, Grant, Registration};
use core::sync::atomic::{AtomicU64, Ordering};

/// Entry points of the host's: so many different ones, but for one, the fault domain can register in its life.
pub const ENTRIES: usize = 128;
/// Bytes between two of them: each is one instruction.
pub const DISTANCE: u64 = 4;
/// Arguments of a call.
const ARGUMENTS: usize = 6;
/// Calls that can be in the fault domain at one time: stacks that it can add to its queue.
pub const CALLS: usize = 64;
/// Most pages that the windows of a call touch: three of several pages each.
pub const MOST_PAGES: usize = ARGUMENTS / 2 * (WINDOW_PAGES + 1);

/// What the host does for a fault domain that serves.
pub trait Host: Portals {
    /// Copies what the fault domain has at `address`. `EFAULT`: it has nothing there.
    fn read(&self, address: u64, to: &mut [u8]) -> Result<(), Error>;
    /// Makes room for so many calls at a time, whose windows touch so many pages. `ENOMEM`.
    fn make_room(&self, calls: usize, pages: usize) -> Result<(), Error>;
}

/// In a word of letters: one of them opens a window. Above the letters of all arguments.
const OPENS: u64 = 1 << 63;
/// Letters of the arguments of a specification, the first in the lowest byte, and [`OPENS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letters(u64);
/// What a call shows: `bytes` at `from`, which the fault domain finds `place` bytes behind the start of its call's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The number of its argument.
    pub argument: usize,
    pub from: u64,
    pub bytes: usize,
    pub place: usize,
    pub write: bool,
}
impl Letters {
    /// Those of a specification that names no other letters. `ENOTSUP`: pages that change hands or stay shared, and capabilities.
    pub fn of(text: &str) -> Result<Letters, Error> {
        let letters = text.as_bytes().get(2..).unwrap_or(&[]);
        if letters.iter().any(|letter| !b"ic=tahdrwRW".contains(letter)) {
            return Err(Error::ENOTSUP);
        }
        let letters = Letters(letters.iter().rev().fold(0, |word, &letter| word << 8 | u64::from(letter)));
        Ok(if letters.pages() > 0 { Letters(letters.0 | OPENS) } else { letters })
    }
    /// Whether a call opens windows.
    pub fn opens(self) -> bool {
        self.0 & OPENS != 0
    }
    /// That of argument `n`, 0 behind the last.
    #[inline(always)]
    pub fn letter(self, n: usize) -> u8 {
        (self.0 >> (8 * n)) as u8
    }
    fn pages_of(letter: u8) -> usize {
        match letter {
            b'r' | b'w' => 1,
            // They begin anywhere in the first one.
            b'R' | b'W' => WINDOW_PAGES + 1,
            _ => 0,
        }
    }
    /// Pages that the windows of a call touch at most.
    pub fn pages(self) -> usize {
        (0..ARGUMENTS).map(|n| Letters::pages_of(self.letter(n))).sum()
    }
    /// The windows of a call with these arguments.
    pub fn windows(self, arguments: &[u64; ARGUMENTS]) -> impl Iterator<Item = Window> {
        let mut page = 0;
        (0..ARGUMENTS).filter_map(move |n| {
            let (letter, from) = (self.letter(n), arguments[n]);
            let pages = Letters::pages_of(letter);
            let inside = from as usize % PAGE;
            let bytes = match pages {
                0 => return None,
                // Up to the end of the page that it shows.
                1 => PAGE - inside,
                // The portal has looked at the length, which is the next argument.
                _ => arguments.get(n + 1).map_or(0, |&length| length as usize).min(WINDOW_PAGES * PAGE),
            };
            let place = page * PAGE + inside;
            page += pages;
            Some(Window { argument: n, from, bytes, place, write: letter.is_ascii() && b"wW".contains(&letter) })
        })
    }
}

/// What each of the host's entry points stands for.
///
/// A call can have begun in one life of a fault domain and come here in the next, where it has waited for a stack or its thread for the processor.
/// All that it brings is the number of its entry point, and what its portal has looked at is what that one's letters say. So an entry point stands for
/// one place and its letters for ever: in a later life it leads there again, or nowhere.
pub struct Entries {
    /// Where it leads, 0 for nowhere, and the letters of the call.
    now: [(AtomicU64, AtomicU64); ENTRIES],
    /// Where it leads in whatever life.
    ever: [AtomicU64; ENTRIES],
}
impl Entries {
    /// None of them stands for anything.
    pub const fn none() -> Entries {
        let now = [const { (AtomicU64::new(0), AtomicU64::new(0)) }; ENTRIES];
        Entries { now, ever: [const { AtomicU64::new(0) }; ENTRIES] }
    }
    /// None of them leads anywhere any more.
    pub fn clear(&self) {
        self.now.iter().for_each(|(address, _)| address.store(0, Ordering::Release));
    }
    /// The address that entry point number `n` leads to, and the letters of the call.
    pub fn at(&self, n: usize) -> Option<(u64, Letters)> {
        let (address, letters) = self.now.get(n)?;
        match address.load(Ordering::Acquire) {
            0 => None,
            address => Some((address, Letters(letters.load(Ordering::Relaxed)))),
        }
    }
    /// Has one of the first `used` lead to `address` again, with `letters`, where one has in an earlier life and leads nowhere now.
    fn again(&self, used: usize, address: u64, letters: Letters) -> Option<usize> {
        let n = (0..used).find(|&n| {
            let (now, its) = &self.now[n];
            let same = self.ever[n].load(Ordering::Relaxed) == address && its.load(Ordering::Relaxed) == letters.0;
            same && now.load(Ordering::Relaxed) == 0
        })?;
        self.now[n].0.store(address, Ordering::Release);
        Some(n)
    }
    /// Has number `n`, which has stood for nothing yet, lead to `address`, with `letters`.
    fn first(&self, n: usize, address: u64, letters: Letters) {
        self.ever[n].store(address, Ordering::Relaxed);
        self.now[n].1.store(letters.0, Ordering::Relaxed);
        self.now[n].0.store(address, Ordering::Release);
    }
}
/// What a fault domain has registered. One thread at a time changes it.
#[derive(Default)]
pub struct Serving {
    /// Entry points that stand for something, in whatever life.
    entries: usize,
    /// Stacks that it has asked for in this life, and that its domain's queue has for it: those of an earlier life are there still.
    wanted: usize,
    calls: usize,
    pages: usize,
}
fn error(error: Error) -> i64 {
    -(error as i64)
}
/// The text of a specification, up to its 0.
pub fn text(bytes: &[u8]) -> &str {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    core::str::from_utf8(&bytes[..end]).unwrap_or("")
}
/// A call that servers make and that changes nothing here, if it is one. `most`: the highest priority that the component gives a thread by its own manifest
/// entry, where its domain is another's, which may give a higher one. `EINVAL` above it, as the scheduler answers above the domain's.
pub fn passed_on(
    host: &impl Portals,
    layout: &Layout,
    most: Option<u8>,
    number: u64,
    arguments: [u64; 6],
) -> Option<Answer> {
    if number as usize == system::SET_PRIORITY && most.is_some_and(|most| arguments[0] > most.into()) {
        return Some(Answer::Result(error(Error::EINVAL)));
    }
    let pointer = match number as usize {
        system::PORTAL_UNREGISTER | system::PORTAL_ADMIT => Some((arguments[0], NAMELEN)),
        system::PORTAL_CALLERS => Some((arguments[1], size_of::<Caller>())),
        system::GRANTED | system::PORTAL_GONE | system::SET_PRIORITY => None,
        _ => return None,
    };
    match pointer {
        Some((address, bytes)) if !layout.holds(address, bytes as u64) => Some(Answer::Result(error(Error::EFAULT))),
        _ => Some(Answer::Result(host.call(number as usize, arguments))),
    }
}
impl Serving {
    pub const NOTHING: Serving = Serving { entries: 0, wanted: 0, calls: 0, pages: 0 };
    /// It has registered nothing, in a new life.
    pub fn begin_again(&mut self) {
        (self.wanted, self.pages) = (0, 0);
    }
    /// A call by which the fault domain gives out portals to itself, if it is one. `first`: the host's first entry point.
    pub fn answer<H: Host>(
        &mut self,
        host: &H,
        (layout, entries, first): (&Layout, &Entries, u64),
        number: u64,
        arguments: [u64; 6],
    ) -> Option<Answer> {
        let of = (layout, entries, first);
        let result = match number as usize {
            system::PORTAL_REGISTER => {
                read(host, layout, arguments[0]).and_then(|mut request| self.register(host, of, request.registration()))
            }
            system::GRANT => self.grant(host, of, arguments[0]),
            _ => return None,
        };
        Some(Answer::Result(result.unwrap_or_else(error)))
    }
    /// The host's entry point that stands for the one at `address` with these letters.
    fn entry_point(
        &mut self,
        (layout, entries, first): (&Layout, &Entries, u64),
        address: u64,
        letters: Letters,
    ) -> Result<u64, Error> {
        if !layout.holds(address, 4) || !address.is_multiple_of(4) {
            return Err(Error::EINVAL);
        }
        let at = |n: usize| first + n as u64 * DISTANCE;
        if let Some(known) = (0..self.entries).find(|&n| entries.at(n) == Some((address, letters))) {
            return Ok(at(known));
        }
        // One that an earlier life had is taken as late as possible. The last one stands for nothing.
        if self.entries < ENTRIES - 1 {
            entries.first(self.entries, address, letters);
            self.entries += 1;
            return Ok(at(self.entries - 1));
        }
        entries.again(self.entries, address, letters).map(at).ok_or(Error::ENFILE)
    }
    /// Room for `stacks` more calls, and for the windows of `letters`.
    fn make_room<H: Host>(&mut self, host: &H, stacks: u64, letters: Letters) -> Result<(), Error> {
        let calls = usize::try_from(stacks).ok().and_then(|stacks| self.wanted.checked_add(stacks));
        let calls = calls.map(|calls| calls.max(self.calls));
        let calls = calls.filter(|calls| *calls <= CALLS).ok_or(Error::ENFILE)?;
        let pages = self.pages.max(letters.pages());
        host.make_room(calls, pages)?;
        self.pages = pages;
        Ok(())
    }
    /// Registers what was [`read`].
    pub fn register<H: Host>(
        &mut self,
        host: &H,
        of: (&Layout, &Entries, u64),
        registration: &mut Registration,
    ) -> Result<i64, Error> {
        let stacks = registration.stacks;
        // One that is wrong is refused by the portal manager, who says where; nothing leads to it then.
        let specification = text(&registration.spec);
        let (entry, letters) = match specification::check(specification) {
            Ok(()) => {
                let letters = Letters::of(specification)?;
                (self.entry_point(of, registration.entry, letters)?, letters)
            }
            Err(_) => (of.2 + (ENTRIES as u64 - 1) * DISTANCE, Letters(0)),
        };
        registration.entry = entry;
        self.make_room(host, stacks, letters)?;
        let wanted = self.wanted + stacks as usize;
        registration.stacks = wanted.saturating_sub(self.calls) as u64;
        let result = host.call(system::PORTAL_REGISTER, [&raw const *registration as u64, 0, 0, 0, 0, 0]);
        if result >= 0 {
            (self.wanted, self.calls) = (wanted, self.calls.max(wanted));
        }
        Ok(result)
    }
    fn grant<H: Host>(&mut self, host: &H, of: (&Layout, &Entries, u64), request: u64) -> Result<i64, Error> {
        let mut copy: Copied<{ size_of::<Grant>() }> = read(host, of.0, request)?;
        // SAFETY: any bytes are a grant, and these are aligned as one.
        let grant = unsafe { &mut *copy.0.as_mut_ptr().cast::<Grant>() };
        let count = usize::try_from(grant.count).ok().filter(|count| *count <= GRANTS).ok_or(Error::EINVAL)?;
        for granted in &mut grant.portals[..count] {
            let specification = text(&granted.spec);
            specification::check(specification).map_err(|_| Error::EINVAL)?;
            let letters = Letters::of(specification)?;
            granted.entry = self.entry_point(of, granted.entry, letters)?;
            self.make_room(host, 0, letters)?;
        }
        Ok(host.call(system::GRANT, [&raw const *grant as u64, 0, 0, 0, 0, 0]))
    }
}
/// A request that the fault domain has at `address`, as it is now.
pub fn read<H: Host, const BYTES: usize>(host: &H, layout: &Layout, address: u64) -> Result<Copied<BYTES>, Error> {
    let mut copy = Copied([0; BYTES]);
    layout.holds(address, BYTES as u64).then_some(()).ok_or(Error::EFAULT)?;
    host.read(address, &mut copy.0)?;
    Ok(copy)
}
/// What was copied out of the segment: it does not cross a page boundary, so that it can be lent through a window.
#[repr(C, align(256))]
pub struct Copied<const BYTES: usize>(pub [u8; BYTES]);
impl Copied<{ size_of::<Registration>() }> {
    pub fn registration(&mut self) -> &mut Registration {
        // SAFETY: any bytes are a registration, and these are aligned as one.
        unsafe { &mut *self.0.as_mut_ptr().cast::<Registration>() }
    }
}

/// Writes those bytes of `now` to where `put` says that differ from what they were.
pub fn changes(was: &[u8], now: &[u8], mut put: impl FnMut(usize, &[u8])) {
    let mut at = 0;
    while at < was.len().min(now.len()) {
        let rest = was[at..].iter().zip(&now[at..]);
        at += rest.clone().take_while(|(old, new)| old == new).count();
        let changed = was[at..].iter().zip(&now[at..]).take_while(|(old, new)| old != new).count();
        if changed > 0 {
            put(at, &now[at..at + changed]);
        }
        at += changed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::{Cell, RefCell};
    use std::vec::Vec;

    const LAYOUT: Layout = Layout::new(false);
    const ADDRESS: u64 = LAYOUT.base() + 0x2_0000;
    const REQUEST: u64 = LAYOUT.base() + 0x8_0000;
    const FIRST: u64 = 0x1_0000;

    struct Fake {
        memory: RefCell<Vec<u8>>,
        registered: RefCell<Vec<(std::string::String, u64)>>,
        room: Cell<(usize, usize)>,
        result: i64,
    }
    impl Portals for Fake {
        fn call(&self, number: usize, arguments: [u64; 6]) -> i64 {
            if number == system::PORTAL_REGISTER {
                // SAFETY: the host's own copy.
                let registration = unsafe { &*(arguments[0] as *const Registration) };
                self.registered.borrow_mut().push((text(&registration.spec).into(), registration.entry));
            }
            self.result
        }
        fn description(&self, _: usize) -> Option<system::Description> {
            None
        }
        fn name(&self, _: u64) -> Option<crate::calls::NameCopy> {
            None
        }
        fn map(&self, _: u64, _: u64) -> i64 {
            0
        }
    }
    impl Host for Fake {
        fn read(&self, _: u64, to: &mut [u8]) -> Result<(), Error> {
            to.copy_from_slice(&self.memory.borrow()[..to.len()]);
            Ok(())
        }
        fn make_room(&self, calls: usize, pages: usize) -> Result<(), Error> {
            self.room.set((calls, pages));
            Ok(())
        }
    }
    fn host() -> Fake {
        Fake { memory: RefCell::default(), registered: RefCell::default(), room: Cell::new((0, 0)), result: 0 }
    }
    fn ask(serving: &mut Serving, host: &Fake, entries: &Entries, spec: &str, entry: u64, stacks: u64) -> i64 {
        let mut bytes = std::vec![0u8; size_of::<Registration>()];
        bytes[NAMELEN..NAMELEN + spec.len()].copy_from_slice(spec.as_bytes());
        bytes[2 * NAMELEN..][..8].copy_from_slice(&entry.to_le_bytes());
        bytes[2 * NAMELEN + 8..][..8].copy_from_slice(&stacks.to_le_bytes());
        *host.memory.borrow_mut() = bytes;
        let arguments = [REQUEST, 0, 0, 0, 0, 0];
        match serving.answer(host, (&LAYOUT, entries, FIRST), system::PORTAL_REGISTER as u64, arguments) {
            Some(Answer::Result(result)) => result,
            other => panic!("{other:?}"),
        }
    }
    #[test]
    fn a_portal_leads_to_the_hosts_entry_point() {
        let (mut serving, host, entries) = (Serving::default(), host(), Entries::none());
        assert_eq!(
            ask(&mut serving, &host, &entries, "nprW", ADDRESS, 2),
            0,
            "its length is missing: the manager's to say"
        );
        assert_eq!(ask(&mut serving, &host, &entries, "nprWi", ADDRESS, 2), 0);
        assert_eq!(ask(&mut serving, &host, &entries, "npi", ADDRESS + 8, 1), 0);
        let last = FIRST + (ENTRIES as u64 - 1) * DISTANCE;
        let wanted = [("nprW", last), ("nprWi", FIRST), ("npi", FIRST + DISTANCE)];
        assert_eq!(*host.registered.borrow(), wanted.map(|(spec, entry)| (spec.to_string(), entry)));
        assert_eq!(entries.at(0), Some((ADDRESS, Letters::of("nprWi").unwrap())));
        assert_eq!(entries.at(ENTRIES - 1), None);
        // The wrong one counts, as it was accepted.
        assert_eq!(host.room.get(), (5, 10));
    }
    #[test]
    fn the_same_entry_again_takes_no_place() {
        let (mut serving, host, entries) = (Serving::default(), host(), Entries::none());
        for _ in 0..3 * ENTRIES {
            assert_eq!(ask(&mut serving, &host, &entries, "npi", ADDRESS, 0), 0);
        }
        assert_eq!(entries.at(1), None);
    }
    #[test]
    fn more_entries_than_there_are_are_refused() {
        let (mut serving, host, entries) = (Serving::default(), host(), Entries::none());
        for n in 0..ENTRIES as u64 - 1 {
            assert_eq!(ask(&mut serving, &host, &entries, "npi", ADDRESS + 4 * n, 0), 0);
        }
        assert_eq!(ask(&mut serving, &host, &entries, "npi", ADDRESS - 4, 0), error(Error::ENFILE));
    }
    #[test]
    fn an_entry_point_of_an_earlier_life_leads_where_it_led_or_nowhere() {
        let (mut serving, host, entries) = (Serving::default(), host(), Entries::none());
        let wanted = [("npii", ADDRESS), ("npRi", ADDRESS), ("npi", ADDRESS + 8)];
        let of = |n: usize| (wanted[n % 3].1 + 0x100 * (n as u64 / 3), Letters::of(wanted[n % 3].0).unwrap());
        let register = |entries: &Entries, serving: &mut Serving, n: usize| {
            ask(serving, &host, entries, wanted[n % 3].0, of(n).0, 0)
        };
        let mut stood_for = std::vec![None; ENTRIES];
        for life in 0..100 {
            // In another order in each, so that no number has the same one twice by chance.
            for n in (0..40).map(|n| (n * 7 + life * 11) % 40) {
                assert_eq!(register(&entries, &mut serving, n), 0, "life {life}");
                assert_eq!((0..ENTRIES).filter(|&at| entries.at(at) == Some(of(n))).count(), 1);
            }
            for (n, stood_for) in stood_for.iter_mut().enumerate() {
                let now = entries.at(n);
                assert!(now.is_none() || stood_for.is_none() || *stood_for == now, "life {life}, entry point {n}");
                *stood_for = now.or(*stood_for);
            }
            entries.clear();
            serving.begin_again();
            assert!((0..ENTRIES).all(|n| entries.at(n).is_none()));
        }
        let other = ask(&mut serving, &host, &entries, "npw", ADDRESS, 0);
        assert_eq!(other, error(Error::ENFILE), "all stand for something else");
    }
    #[test]
    fn an_entry_outside_of_the_segment_is_refused() {
        let (mut serving, host, entries) = (Serving::default(), host(), Entries::none());
        for entry in [0, 0x1_0000, LAYOUT.base(), LAYOUT.top(), ADDRESS + 2, u64::MAX - 3] {
            assert_eq!(ask(&mut serving, &host, &entries, "npi", entry, 1), error(Error::EINVAL), "{entry:#x}");
        }
        assert!(host.registered.borrow().is_empty());
    }
    #[test]
    fn letters_that_move_pages_and_capabilities_are_refused() {
        let (mut serving, host, entries) = (Serving::default(), host(), Entries::none());
        for spec in ["npSi", "np>i", "np<i", "npk"] {
            assert_eq!(ask(&mut serving, &host, &entries, spec, ADDRESS, 1), error(Error::ENOTSUP), "{spec}");
        }
    }
    #[test]
    fn more_stacks_than_calls_are_refused() {
        let (mut serving, host, entries) = (Serving::default(), host(), Entries::none());
        assert_eq!(ask(&mut serving, &host, &entries, "npi", ADDRESS, 60), 0);
        for stacks in [5, 1 << 40, u64::MAX] {
            assert_eq!(ask(&mut serving, &host, &entries, "npi", ADDRESS, stacks), error(Error::ENFILE));
        }
        assert_eq!(ask(&mut serving, &host, &entries, "npi", ADDRESS, 4), 0);
    }
    #[test]
    fn stacks_of_a_portal_that_was_refused_do_not_count() {
        let (mut serving, mut host, entries) = (Serving::default(), host(), Entries::none());
        host.result = error(Error::EACCESS);
        for _ in 0..10 {
            assert_eq!(ask(&mut serving, &host, &entries, "npi", ADDRESS, 60), error(Error::EACCESS));
        }
    }
    #[test]
    fn a_request_outside_of_the_segment_is_refused() {
        let (mut serving, host, entries) = (Serving::default(), host(), Entries::none());
        for (number, request) in [(system::PORTAL_REGISTER, LAYOUT.top() - 64), (system::GRANT, 0x1_0000)] {
            let arguments = [request, 0, 0, 0, 0, 0];
            let answer = serving.answer(&host, (&LAYOUT, &entries, FIRST), number as u64, arguments);
            assert_eq!(answer, Some(Answer::Result(error(Error::EFAULT))));
        }
        for (number, arguments) in [
            (system::PORTAL_UNREGISTER, [0x1_0000, 0, 0, 0, 0, 0]),
            (system::PORTAL_ADMIT, [LAYOUT.top() - 8, 0, 0, 0, 0, 0]),
            (system::PORTAL_CALLERS, [0, LAYOUT.top() - 8, 0, 0, 0, 0]),
        ] {
            let answer = passed_on(&host, &LAYOUT, None, number as u64, arguments);
            assert_eq!(answer, Some(Answer::Result(error(Error::EFAULT))), "{number}");
        }
    }
    #[test]
    fn a_priority_above_the_components_own_is_refused() {
        let set =
            |most, priority| passed_on(&host(), &LAYOUT, most, system::SET_PRIORITY as u64, [priority, 0, 0, 0, 0, 0]);
        let refused = |&priority: &u64| set(Some(10), priority) == Some(Answer::Result(error(Error::EINVAL)));
        assert_eq!([0, 10].map(|priority| set(Some(10), priority)), [Some(Answer::Result(0)), Some(Answer::Result(0))]);
        assert!([11, 45, u64::MAX].iter().all(refused));
        assert_eq!(set(None, 45), Some(Answer::Result(0)), "its domain is its own, and the scheduler says");
    }
    #[test]
    fn windows_keep_their_place_in_the_page_and_their_length() {
        let letters = Letters::of("npirWiw").unwrap();
        assert_eq!(letters.pages(), 11);
        let windows: Vec<Window> = letters.windows(&[7, 0x4000_0ff0, 0x4000_1008, 5000, 0x4000_4000, 0]).collect();
        let window = |argument, from, bytes, place, write| Window { argument, from, bytes, place, write };
        assert_eq!(
            windows,
            [
                window(1, 0x4000_0ff0, 16, 0xff0, false),
                window(2, 0x4000_1008, 5000, 0x1008, true),
                window(4, 0x4000_4000, PAGE, 10 * PAGE, true)
            ]
        );
    }
    #[test]
    fn no_window_is_longer_than_a_portal_opens() {
        let letters = Letters::of("npRiWiRi").unwrap();
        assert_eq!(letters.pages(), MOST_PAGES);
        let all = [0xfff, u64::MAX, 0xfff, 1 << 40, 0xfff, 0x8000];
        for window in letters.windows(&all) {
            assert!(window.bytes <= WINDOW_PAGES * PAGE && window.place + window.bytes <= MOST_PAGES * PAGE);
        }
    }
    #[test]
    fn only_what_has_changed_goes_back() {
        let mut put = Vec::new();
        changes(b"abcdefgh", b"aBCdefgH", |at, bytes| put.push((at, bytes.to_vec())));
        assert_eq!(put, [(1, b"BC".to_vec()), (7, b"H".to_vec())]);
        changes(b"same", b"same", |_, _| panic!("nothing has changed"));
    }
}
