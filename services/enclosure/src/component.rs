//! A fault domain that is a component by its manifest, on the machine: its host does nothing else, and has its name, its rights and its end.
//!
//! What it calls out goes through [`Calls`] and [`Serving`]. Its main thread runs on the stack at the segment's end; a call of one of its portals
//! comes from the system to one of the host's entry points, on a stack of the domain's queue, and goes on in the segment on a stack
//! and with windows of its own. A fault of its is nobody's but the component's, which ends as any other does.

use crate::calls::{Answer, Calls, NameCopy, Portals};
use crate::domain::{self, System};
use crate::image::Image;
use crate::member::Member;
use crate::serving::{self, CALLS, DISTANCE, ENTRIES, Entries, Host, Letters, MOST_PAGES, Serving, Window};
use crate::threads::{self, Stacks};
use crate::{Layout, Why};
use ::portal::software::block::Block;
use abi::Error;
use abi::address::{COMMON_VA, PAGE, THREAD_STACK, WINDOW_VA};
use abi::enclosure::{GUESTS, PROGRAM_VA};
use abi::rights::Rights;
use abi::system::{self, Ended};
use alloc::boxed::Box;
use alloc::vec::Vec;
use arch::component::copy_guarded;
use core::ops::Range;
use core::ptr::copy_nonoverlapping;
use core::slice::from_raw_parts;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use pebble::sync::Mutex;
use pebble::{Result, thread};
use verifier::Uses;

/// Bytes that a call of one of its portals takes of the segment: a stack, the windows below it, and what is not mapped below each.
const CALL_BYTES: u64 = 0x2_8000;
const _: () = assert!(THREAD_STACK + (MOST_PAGES + 2) * PAGE <= CALL_BYTES as usize);
// Where the host keeps the windows of calls as they were is room for all of them, below the stubs of the next one.
const ORIGINALS: u64 = CALLS as u64 * CALL_BYTES;
const _: () = assert!(Layout::new(true).beside() + ORIGINALS <= PROGRAM_VA as u64);
const _: () = assert!(Layout::guest(0, true).beside() + ORIGINALS <= Layout::guest(1, true).stubs());
const _: () = assert!(Layout::last(true).beside() == Layout::wide(0, true).beside());
const _: () = assert!(Layout::wide(0, true).beside() + ORIGINALS <= PROGRAM_VA as u64);
const _: () = assert!(Layout::wide(1, true).beside() + ORIGINALS <= Layout::guest(1, true).stubs());

/// What a thread's register leads to while it is in a fault domain: its block, and what the host knows of the call.
#[repr(C)]
pub struct Place {
    pub block: Block,
    pub of: &'static Component,
    /// Calls between fault domains that this one is nested in.
    pub depth: u8,
    /// It is a thread's that the fault domain has started.
    started: bool,
}
/// A component that is a fault domain.
pub struct Component {
    pub layout: Layout,
    pub system: System,
    pub calls: Calls<System>,
    /// What is mapped of the segment beside the heap and the calls' parts.
    mapped: Mutex<Vec<Range<u64>>>,
    /// The software portal to any entry, that for calls by others of the space, and where a thread goes on that has faulted in the fault domain.
    any: AtomicU64,
    nested: AtomicU64,
    pub unwind: AtomicU64,
    /// The end of the first call's part of the segment; those of the others lie below.
    first: u64,
    pub entries: Entries,
    pub serving: Mutex<Serving>,
    /// Calls that there is room for, their windows' pages, and those that are free, a bit each.
    blocks: [AtomicPtr<Place>; CALLS],
    room: Mutex<(usize, usize)>,
    free: AtomicU64,
    stacks: Mutex<Stacks>,
    /// What is known of it where others are in the space.
    pub member: Option<OfSpace>,
}
/// What is known of one that shares its space.
pub type OfSpace = Member<&'static Component>;
/// Those of this space.
static COMPONENTS: [AtomicPtr<Component>; GUESTS + 1] = [const { AtomicPtr::new(core::ptr::null_mut()) }; GUESTS + 1];

/// Number `n` of this space, from 0.
pub fn component(n: usize) -> Option<&'static Component> {
    // SAFETY: set once, to what stays.
    unsafe { COMPONENTS.get(n)?.load(Ordering::Acquire).as_ref() }
}

/// Whether `bytes` at `address` are of `component`, or of another one in its space: what that is shown of it was looked at where the call was made.
pub fn hold(component: &Component, address: u64, bytes: u64) -> bool {
    let others = || (0..=GUESTS).filter_map(self::component);
    component.layout.holds(address, bytes)
        || component.member.is_some() && others().any(|other| other.layout.holds(address, bytes))
}
// The host's entry points: each says which one it is, and whose, by its place.
arch::numbered_entries!(enclosure_entries, ENTRIES * (GUESTS + 1), serve);

/// A call of a portal to entry point number `entry`.
extern "C" fn serve(entry: usize, arguments: &mut [u64; 6]) -> i64 {
    // Nothing leads to those of one that is not there.
    let Some(component) = component(entry / ENTRIES) else { return Error::EDEAD.code() as i64 };
    match &component.member {
        None => component.serve_numbered(entry % ENTRIES, arguments),
        Some(member) => member.while_alive(None, || component.serve_numbered(entry % ENTRIES, arguments)),
    }
}
/// A call out of a fault domain that is alone in its space.
extern "C" fn decide(place: &mut Place) -> i64 {
    let component = place.of;
    let [a0, a1, a2, a3, a4, a5, number] = place.block.arguments;
    let arguments = [a0, a1, a2, a3, a4, a5];
    match number as usize {
        system::EXIT => thread::exit_domain(a0 as i32),
        // It comes back to where it was started.
        system::THREAD_EXIT if place.started => {
            place.block.ended = 1;
            return 0;
        }
        system::THREAD_EXIT => component.exit_thread(place),
        // What locks ask, most often of all.
        system::GET_THREAD => return component.system.call(system::GET_THREAD, arguments),
        system::STACK
        | system::THREAD_CREATE
        | system::THREAD_JOIN
        | system::THREAD_CANCEL
        | system::DOMAIN_WAIT
        | system::DOMAIN_KILL
        | system::INTERRUPT
        | system::INTERRUPT_DONE => return component.of_the_host(number as usize, arguments),
        _ => {}
    }
    let answer = serving::passed_on(&component.system, &component.layout, None, number, arguments).or_else(|| {
        let of = (&component.layout, &component.entries, component.first_entry());
        let serves = matches!(number as usize, system::PORTAL_REGISTER | system::GRANT);
        serves.then(|| component.serving.lock().answer(component, of, number, arguments)).flatten()
    });
    match answer.unwrap_or_else(|| component.calls.answer(number, arguments)) {
        Answer::Result(result) | Answer::End(result) => result,
    }
}

impl Component {
    /// Where the host keeps what the windows of call `n` show, as it was.
    fn originals(&self, n: usize) -> u64 {
        self.layout.beside() + n as u64 * CALL_BYTES
    }
    /// The first of the host's entry points that stand for its own.
    pub fn first_entry(&self) -> u64 {
        let number = self.member.as_ref().map_or(0, OfSpace::number);
        enclosure_entries as *const () as u64 + (number * ENTRIES) as u64 * DISTANCE
    }
    /// Ends the thread that is at `place`.
    pub fn exit_thread(&self, place: &mut Place) -> ! {
        let own = |other: &AtomicPtr<Place>| other.load(Ordering::Acquire) == &raw mut *place;
        if let Some(n) = self.blocks.iter().position(own) {
            self.give_back(n);
        }
        thread::exit()
    }
    /// A call about threads, devices, and domains that it has started: they are its host's, which has no others for anything else.
    #[cold]
    fn of_the_host(&'static self, number: usize, arguments: [u64; 6]) -> i64 {
        let result = match number {
            system::STACK => self.stack(arguments[0]),
            system::THREAD_CREATE => self.start(arguments),
            system::DOMAIN_WAIT if !self.layout.holds(arguments[1], size_of::<Ended>() as u64) => Err(Error::EFAULT),
            _ => Ok(self.system.call(number, arguments)),
        };
        result.unwrap_or_else(|error| error.code() as i64)
    }
    /// Has registers of the host's at `address`, so many bytes, appear in the segment; where.
    pub fn registers(&self, address: u64, bytes: u64) -> Result<u64> {
        let inside = address % PAGE as u64;
        let pages = (inside + bytes).div_ceil(PAGE as u64);
        let start = pebble::check(self.calls.grow(pages) as isize)? as u64;
        for page in (0..pages).map(|n| n * PAGE as u64) {
            self.system.page(start + page, (address - inside + page) as usize, Rights::READ_WRITE)?;
        }
        Ok(start + inside)
    }
    /// A new stack for a thread; its end.
    fn stack(&self, bytes: u64) -> Result<i64> {
        let room = |pages: u64| {
            // The first page stays away, so that what is too deep faults.
            let guard = pebble::check(self.calls.grow(pages.checked_add(1).ok_or(Error::ENOMEM)?) as isize)? as u64;
            let start = guard + PAGE as u64;
            self.system.clear(&(guard..start));
            Ok(start)
        };
        self.stacks.lock().take(bytes, room).map(|end| end as i64)
    }
    /// Starts a thread; its id.
    fn start(&'static self, [entry, stack, argument, priority, ..]: [u64; 6]) -> Result<i64> {
        let begun = threads::begins(&self.layout, entry, stack).and_then(|()| {
            let priority = match priority {
                u64::MAX => None,
                priority => Some(u8::try_from(priority).map_err(|_| Error::EINVAL)?),
            };
            thread::spawn(priority, move || {
                let mut place = self.place();
                (place.block.entry, place.block.stack, place.started) = (entry, stack, true);
                domain::enter(&mut place.block, self.any.load(Ordering::Acquire), &[argument, 0, 0, 0, 0, 0]);
                self.stacks.lock().give_back(stack);
            })
        });
        if begun.is_err() {
            self.stacks.lock().give_back(stack);
        }
        begun.map(|thread| thread.id() as i64)
    }
    /// Calls it at what that entry point stands for.
    #[inline(always)]
    fn serve_numbered(&self, n: usize, arguments: &mut [u64; 6]) -> i64 {
        match self.entries.at(n) {
            Some(entry) => self.serve(entry, arguments, 0),
            None => Error::ENOTSUP.code() as i64,
        }
    }
    /// Calls it at an entry, `depth` calls deep in others of the space.
    #[inline(always)]
    pub fn serve(&self, entry: (u64, Letters), arguments: &mut [u64; 6], depth: u8) -> i64 {
        match self.take() {
            Some(n) => self.serve_in(n, entry, arguments, depth),
            None => self.serve_in_another(entry, arguments, depth),
        }
    }
    /// The same where no part is free. There are as many as stacks, but for those that the system takes for itself, and reserves.
    #[cold]
    #[inline(never)]
    fn serve_in_another(&self, entry: (u64, Letters), arguments: &mut [u64; 6], depth: u8) -> i64 {
        match self.another() {
            Some(n) => self.serve_in(n, entry, arguments, depth),
            None => Error::ENOSTACK.code() as i64,
        }
    }
    /// The same in part `n`, which nobody else has.
    #[inline(always)]
    fn serve_in(&self, n: usize, (address, letters): (u64, Letters), arguments: &mut [u64; 6], depth: u8) -> i64 {
        // SAFETY: whoever takes a part has it alone, with its block, which stays where it is.
        let place = unsafe { &mut *self.blocks[n].load(Ordering::Acquire) };
        place.depth = depth;
        let block = &mut place.block;
        (block.entry, block.stack, block.ended) = (address, self.end(n), 0);
        let portal = if depth == 0 { &self.any } else { &self.nested }.load(Ordering::Relaxed);
        let result = match letters.opens() {
            false => domain::enter(block, portal, arguments),
            true => self.with_windows(n, portal, letters, arguments),
        };
        self.give_back(n);
        result
    }
    /// The same with windows, in part `n`, by that software portal.
    #[inline(never)]
    fn with_windows(&self, n: usize, portal: u64, letters: Letters, arguments: &mut [u64; 6]) -> i64 {
        let place = |window: &Window| (self.originals(n) + window.place as u64, self.windows(n) + window.place as u64);
        let passed = *arguments;
        // A portal shows nothing else, and one to its own domain what it has been given.
        let slots = WINDOW_VA as u64..COMMON_VA as u64;
        let shown = |w: &Window| slots.contains(&w.from) || hold(self, w.from, w.bytes as u64);
        const EFAULT: i64 = Error::EFAULT.code() as i64;
        if letters.windows(&passed).any(|window| window.bytes > 0 && !shown(&window)) {
            return EFAULT;
        }
        for window in letters.windows(&passed) {
            let (was, now) = place(&window);
            // SAFETY: the pages of this call are the host's and the fault domain's, and nobody else's until it is over.
            let there = unsafe { copy_guarded(was as usize, window.from as usize, window.bytes) };
            // A neighbour need not have what it shows.
            if !there {
                return EFAULT;
            }
            // SAFETY: as above; they are mapped.
            unsafe { copy_nonoverlapping(was as *const u8, now as *mut u8, window.bytes) };
            arguments[window.argument] = now;
        }
        // SAFETY: the part is this call's.
        let block = unsafe { &mut (*self.blocks[n].load(Ordering::Acquire)).block };
        let mut result = domain::enter(block, portal, arguments);
        for window in letters.windows(&passed).filter(|window| window.write) {
            let (was, now) = place(&window);
            // SAFETY: as above. Other threads of the fault domain may write there meanwhile, which harms nobody: each byte is some byte.
            let [was, now] = [was, now].map(|at| unsafe { from_raw_parts(at as *const u8, window.bytes) });
            serving::changes(was, now, |at, bytes| {
                // SAFETY: the caller shows it, and has it written. A neighbour may show what can not be.
                if !unsafe { copy_guarded(window.from as usize + at, bytes.as_ptr() as usize, bytes.len()) } {
                    result = EFAULT;
                }
            });
        }
        result
    }
    /// The end of the part of the segment of call `n`, which is the top of its stack.
    fn end(&self, n: usize) -> u64 {
        self.first - n as u64 * CALL_BYTES
    }
    /// Where the pages of its windows are.
    fn windows(&self, n: usize) -> u64 {
        self.end(n) - CALL_BYTES + PAGE as u64
    }
    /// A part that is free.
    fn take(&self) -> Option<usize> {
        let lowest = |free: u64| (free != 0).then_some(free & free.wrapping_sub(1));
        let free = self.free.fetch_update(Ordering::Acquire, Ordering::Relaxed, lowest).ok()?;
        // Mostly the first.
        Some(if free & 1 != 0 { 0 } else { lowest_of_others(free) })
    }
    /// One more, where the segment has room for it and there is memory.
    #[cold]
    fn another(&self) -> Option<usize> {
        loop {
            let (calls, pages) = *self.room.lock();
            if calls == CALLS || self.make_room(calls + 1, pages).is_err() {
                return None;
            }
            // Other calls may have it by now.
            if let Some(n) = self.take() {
                return Some(n);
            }
        }
    }
    fn give_back(&self, n: usize) {
        self.free.fetch_or(1 << n, Ordering::Release);
    }
    /// Whether all bytes there are mapped.
    pub fn has(&self, start: u64, bytes: usize) -> bool {
        let Some(end) = start.checked_add(bytes as u64) else { return false };
        if self.stacks.lock().end_in(start, bytes as u64) {
            return false;
        }
        let (calls, pages) = *self.room.lock();
        let grown = self.calls.grown();
        let mapped = self.mapped.lock();
        // What is asked for may lie in two that follow each other.
        let mut at = start;
        while at < end {
            let stacks = (0..calls).map(|n| self.end(n) - THREAD_STACK as u64..self.end(n));
            let windows = (0..calls).map(|n| self.windows(n)..self.windows(n) + (pages * PAGE) as u64);
            let mut all = mapped.iter().cloned().chain([grown.clone()]).chain(stacks).chain(windows);
            match all.find(|range| range.contains(&at)) {
                Some(range) => at = range.end,
                None => return false,
            }
        }
        true
    }
}
impl Portals for Component {
    fn call(&self, number: usize, arguments: [u64; 6]) -> i64 {
        self.system.call(number, arguments)
    }
    fn description(&self, number: usize) -> Option<system::Description> {
        self.system.description(number)
    }
    fn name(&self, address: u64) -> Option<NameCopy> {
        self.system.name(address)
    }
    fn map(&self, address: u64, pages: u64) -> i64 {
        self.system.map(address, pages)
    }
}
impl Host for Component {
    fn read(&self, address: u64, to: &mut [u8]) -> Result<()> {
        if !self.has(address, to.len()) {
            return Err(Error::EFAULT);
        }
        // SAFETY: it is mapped; what other threads make of it meanwhile, each byte is some byte.
        match unsafe { copy_guarded(to.as_mut_ptr() as usize, address as usize, to.len()) } {
            true => Ok(()),
            false => Err(Error::EFAULT),
        }
    }
    fn make_room(&self, calls: usize, pages: usize) -> Result<()> {
        let mut room = self.room.lock();
        let (had, shown) = *room;
        let (calls, pages) = (calls.max(had), pages.max(shown));
        for n in 0..calls {
            let known = if n < had { shown } else { 0 };
            for (system, start) in [(self.system, self.windows(n)), (self.system.beside(), self.originals(n))] {
                system.zeros(start + (known * PAGE) as u64, ((pages - known) * PAGE) as u64)?;
            }
        }
        for n in had..calls {
            self.system.zeros(self.end(n) - THREAD_STACK as u64, THREAD_STACK as u64)?;
            if self.blocks[n].load(Ordering::Relaxed).is_null() {
                // SAFETY: components are made once and stay.
                let of: &'static Component = unsafe { &*core::ptr::from_ref(self) };
                self.blocks[n].store(Box::into_raw(fallible::boxed(of.place())?), Ordering::Release);
            }
        }
        *room = (calls, pages);
        for n in had..calls {
            self.give_back(n);
        }
        Ok(())
    }
}

/// The number of the lowest bit that is set: a dozen instructions where the processor has none for it.
#[cold]
#[inline(never)]
fn lowest_of_others(bits: u64) -> usize {
    bits.trailing_zeros() as usize
}
/// Where its heap ends, below the parts of all calls, of which that of the first ends there.
fn limit(first: u64) -> u64 {
    first - CALLS as u64 * CALL_BYTES - PAGE as u64
}
impl Component {
    /// One with that layout and image, of which nothing is laid out yet, with a main stack of so many bytes.
    fn new(layout: Layout, image: &Image, stack: u64, member: Option<OfSpace>) -> Result<&'static Component> {
        let system = System::with_segment(layout)?;
        let first = layout.top() - stack - PAGE as u64;
        let limit = limit(first);
        let calls = match &member {
            None => Calls::of_component(system, layout, image.heap, limit),
            Some(member) => Calls::of_several(system, layout, image.heap..limit, member.numbers()),
        };
        fallible::boxed(Component {
            layout,
            system,
            calls,
            mapped: Mutex::new(Vec::new()),
            any: AtomicU64::new(0),
            nested: AtomicU64::new(0),
            unwind: AtomicU64::new(0),
            first,
            entries: Entries::none(),
            serving: Mutex::new(Serving::NOTHING),
            blocks: [const { AtomicPtr::new(core::ptr::null_mut()) }; CALLS],
            room: Mutex::new((0, 0)),
            free: AtomicU64::new(0),
            stacks: Mutex::new(Stacks::none()),
            member,
        })
        .map(|component| &*Box::leak(component))
    }
    /// A thread's place in it.
    fn place(&'static self) -> Place {
        let decide = self.member.as_ref().map_or(decide as *const () as usize, |member| member.decide);
        Place { block: domain::block(&self.layout, decide as u64), of: self, depth: 0, started: false }
    }
    /// Lays `image` out, which was verified and uses those registers.
    pub fn lay_out(&self, image: &Image, uses: Uses, stack: u64) -> core::result::Result<(), Why> {
        let mut mapped = self.mapped.lock();
        let stubs = {
            let end = limit(self.first);
            domain::lay_out(self.system, &self.layout, (image, uses), (stack, &[]), end, &mut mapped)?
        };
        self.any.store(stubs.any, Ordering::Release);
        self.nested.store(stubs.nested, Ordering::Release);
        self.unwind.store(stubs.unwind, Ordering::Release);
        Ok(())
    }
    /// Takes away all that it has. Nobody is in it.
    pub fn clear(&self) {
        let (calls, pages) = core::mem::take(&mut *self.room.lock());
        self.free.store(0, Ordering::Relaxed);
        for n in 0..calls {
            let stack = self.end(n) - THREAD_STACK as u64..self.end(n);
            let [windows, originals] = [self.windows(n), self.originals(n)].map(|at| at..at + (pages * PAGE) as u64);
            [stack, windows].iter().for_each(|range| self.system.clear(range));
            self.system.beside().clear(&originals);
        }
        self.mapped.lock().drain(..).chain([self.calls.grown()]).for_each(|range| self.system.clear(&range));
        self.entries.clear();
        self.serving.lock().begin_again();
        self.calls.begin_again();
    }
    /// Runs its main thread on this one, with what `start` puts below the top of its stack, which says where that begins: its status.
    pub fn main(
        &'static self,
        entry: u64,
        start: impl FnOnce(&Component, u64) -> Result<u64>,
    ) -> core::result::Result<i64, Why> {
        let start = start(self, self.layout.top()).map_err(|error| Why::at("its arguments", error))?;
        let mut place = fallible::boxed(self.place())?;
        (place.block.entry, place.block.stack) = (entry, start);
        Ok(domain::enter(&mut place.block, self.any.load(Ordering::Acquire), &[start, 0, 0, 0, 0, 0]))
    }
}
/// Makes number `n` of this space of an image whose code uses those registers. `ENOMEM`.
pub fn make(
    n: usize,
    layout: Layout,
    image: &Image,
    stack: u64,
    member: Option<OfSpace>,
) -> Result<&'static Component> {
    let component = Component::new(layout, image, stack, member)?;
    COMPONENTS[n].store((&raw const *component).cast_mut(), Ordering::Release);
    Ok(component)
}
/// Runs `image` as this component, with a main stack of so many bytes; `start` puts what it finds there below the top, and says where that
/// begins. It returns only with why it did not begin. `member`: where it shares its space.
pub fn run(
    layout: Layout,
    image: &Image,
    stack: u64,
    member: Option<OfSpace>,
    start: impl FnOnce(&Component, u64) -> Result<u64>,
) -> Why {
    let begun = domain::verified(&layout, image).and_then(|uses| {
        let component = make(0, layout, image, stack, member)?;
        component.lay_out(image, uses, stack)?;
        component.main(image.entry, start)
    });
    match begun {
        Ok(status) => thread::exit_domain(status as i32),
        Err(why) => why,
    }
}
