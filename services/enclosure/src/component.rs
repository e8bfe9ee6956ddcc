//! A fault domain that is a component by its manifest, on the machine: its host does nothing else, and has its name, its rights and its end.
//!
//! What it calls out goes through [`Calls`] and [`Serving`]. Its main thread runs on the stack at the segment's end; a call of one of its portals
//! comes from the system to one of the host's entry points, on a stack of the domain's queue, and goes on in the segment on a stack
//! and with windows of its own. A fault of its is nobody's but the component's, which ends as any other does.

use crate::Layout;
use crate::calls::{Answer, Calls, Portals};
use crate::domain::{self, System};
use crate::image::Image;
use crate::serving::{self, CALLS, ENTRIES, Entries, Host, MOST_PAGES, Serving, Window};
use ::portal::software::block::Block;
use abi::Error;
use abi::address::{PAGE, THREAD_STACK, WINDOW_VA};
use abi::enclosure::{PROGRAM_VA, SEGMENT, SEGMENT_BITS};
use abi::system;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;
use core::ptr::copy_nonoverlapping;
use core::slice::from_raw_parts;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use pebble::sync::Mutex;
use pebble::{Result, thread};
use verifier::segment::GUARD;

/// Bytes that a call of one of its portals takes of the segment: a stack, the windows below it, and what is not mapped below each.
const CALL_BYTES: u64 = 0x2_8000;
const _: () = assert!(THREAD_STACK + (MOST_PAGES + 2) * PAGE <= CALL_BYTES as usize);
/// Where the host keeps the windows of calls as they were: behind the guard zone of the segment.
const ORIGINALS: u64 = SEGMENT + (1 << SEGMENT_BITS) + 2 * GUARD;
const _: () = assert!(ORIGINALS + CALLS as u64 * CALL_BYTES <= PROGRAM_VA as u64);

struct Component {
    layout: Layout,
    system: System,
    calls: Calls<System>,
    /// What is mapped of the segment beside the heap and the calls' parts.
    mapped: Vec<Range<u64>>,
    /// The software portal to any entry.
    any: u64,
    /// The end of the first call's part of the segment; those of the others lie below.
    first: u64,
    entries: Entries,
    serving: Mutex<Serving>,
    /// Calls that there is room for, their windows' pages, and those that are free, a bit each.
    blocks: [AtomicPtr<Block>; CALLS],
    room: Mutex<(usize, usize)>,
    free: AtomicU64,
}
static COMPONENT: AtomicPtr<Component> = AtomicPtr::new(core::ptr::null_mut());

fn component() -> &'static Component {
    // SAFETY: set before the fault domain is entered, and never changed; the two functions that ask are entered from there.
    unsafe { &*COMPONENT.load(Ordering::Acquire) }
}

// The host's entry points: each says which one it is by its place.
arch::numbered_entries!(enclosure_entries, ENTRIES, serve);

/// A call of a portal to entry point number `entry`.
extern "C" fn serve(entry: usize, arguments: &mut [u64; 6]) -> i64 {
    let component = component();
    let Some((address, letters)) = component.entries.at(entry) else { return Error::ENOTSUP.code() as i64 };
    // There are as many as stacks, but for those that the system takes for itself.
    let Some(n) = component.take() else { return Error::ENOSTACK.code() as i64 };
    // SAFETY: whoever takes a part has it alone, with its block, which stays where it is.
    let block = unsafe { &mut *component.blocks[n].load(Ordering::Acquire) };
    block.entry = address;
    block.stack = component.end(n);
    if !letters.opens() {
        let result = domain::enter(block, component.any, arguments);
        component.give_back(n);
        return result;
    }
    let place = |window: &Window| (originals(n) + window.place as u64, component.windows(n) + window.place as u64);
    let passed = *arguments;
    // A portal shows nothing else, and one to its own domain what it has been given.
    let shown = |w: &Window| w.from >= WINDOW_VA as u64 || component.layout.holds(w.from, w.bytes as u64);
    if letters.windows(&passed).any(|window| window.bytes > 0 && !shown(&window)) {
        component.give_back(n);
        return Error::EFAULT.code() as i64;
    }
    for window in letters.windows(&passed) {
        let (was, now) = place(&window);
        // SAFETY: the portal shows so many bytes there; the pages of this call are mapped, the host's and the fault domain's.
        unsafe {
            copy_nonoverlapping(window.from as *const u8, was as *mut u8, window.bytes);
            copy_nonoverlapping(was as *const u8, now as *mut u8, window.bytes);
        }
        arguments[window.argument] = now;
    }
    let result = domain::enter(block, component.any, arguments);
    for window in letters.windows(&passed).filter(|window| window.write) {
        let (was, now) = place(&window);
        // SAFETY: as above. Other threads of the fault domain may write there meanwhile, which harms nobody: each byte is some byte.
        let [was, now] = [was, now].map(|at| unsafe { from_raw_parts(at as *const u8, window.bytes) });
        serving::changes(was, now, |at, bytes| {
            // SAFETY: the portal shows it, and it may be written.
            unsafe { copy_nonoverlapping(bytes.as_ptr(), (window.from as *mut u8).add(at), bytes.len()) };
        });
    }
    component.give_back(n);
    result
}
/// A call out of the fault domain: the stub comes here.
extern "C" fn decide(block: &mut Block) -> i64 {
    let component = component();
    let [a0, a1, a2, a3, a4, a5, number] = block.arguments;
    let arguments = [a0, a1, a2, a3, a4, a5];
    match number as usize {
        system::EXIT => thread::exit_domain(a0 as i32),
        system::THREAD_EXIT => {
            let own = |other: &AtomicPtr<Block>| other.load(Ordering::Acquire) == &raw mut *block;
            if let Some(n) = component.blocks.iter().position(own) {
                component.give_back(n);
            }
            thread::exit()
        }
        _ => {}
    }
    let answer = serving::passed_on(&component.system, &component.layout, number, arguments).or_else(|| {
        let first = enclosure_entries as *const () as u64;
        let of = (&component.layout, &component.entries, first);
        let serves = matches!(number as usize, system::PORTAL_REGISTER | system::GRANT);
        serves.then(|| component.serving.lock().answer(component, of, number, arguments)).flatten()
    });
    match answer.unwrap_or_else(|| component.calls.answer(number, arguments)) {
        Answer::Result(result) | Answer::End(result) => result,
    }
}

/// Where the host keeps what the windows of call `n` show, as it was.
fn originals(n: usize) -> u64 {
    ORIGINALS + n as u64 * CALL_BYTES
}
impl Component {
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
        Some(free.trailing_zeros() as usize)
    }
    fn give_back(&self, n: usize) {
        self.free.fetch_or(1 << n, Ordering::Release);
    }
    /// Whether all bytes there are mapped.
    fn has(&self, start: u64, bytes: usize) -> bool {
        let Some(end) = start.checked_add(bytes as u64) else { return false };
        let (calls, pages) = *self.room.lock();
        let stacks = (0..calls).map(|n| self.end(n) - THREAD_STACK as u64..self.end(n));
        let windows = (0..calls).map(|n| self.windows(n)..self.windows(n) + (pages * PAGE) as u64);
        let all = self.mapped.iter().cloned().chain([self.calls.grown()]).chain(stacks).chain(windows);
        // What is asked for may lie in two that follow each other.
        let mut at = start;
        let ranges: Vec<_> = all.collect();
        while at < end {
            match ranges.iter().find(|range| range.contains(&at)) {
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
        unsafe { core::ptr::copy_nonoverlapping(address as *const u8, to.as_mut_ptr(), to.len()) };
        Ok(())
    }
    fn make_room(&self, calls: usize, pages: usize) -> Result<()> {
        let mut room = self.room.lock();
        let (had, shown) = *room;
        let (calls, pages) = (calls.max(had), pages.max(shown));
        for n in 0..calls {
            let known = if n < had { shown } else { 0 };
            for start in [self.windows(n), originals(n)] {
                self.system.zeros(start + (known * PAGE) as u64, ((pages - known) * PAGE) as u64)?;
            }
        }
        for n in had..calls {
            self.system.zeros(self.end(n) - THREAD_STACK as u64, THREAD_STACK as u64)?;
            if self.blocks[n].load(Ordering::Relaxed).is_null() {
                let block = fallible::boxed(domain::block(&self.layout, decide as *const () as u64))?;
                self.blocks[n].store(Box::into_raw(block), Ordering::Release);
            }
        }
        *room = (calls, pages);
        for n in had..calls {
            self.give_back(n);
        }
        Ok(())
    }
}

/// Runs `image` as this component, with a main stack of so many bytes; `start` puts what it finds there below the top, and says where that
/// begins. It returns only with why it did not begin.
pub fn run(layout: Layout, image: &Image, stack: u64, start: impl FnOnce(u64) -> Result<u64>) -> String {
    let system = System::own();
    let mut mapped = Vec::new();
    let stubs = domain::verified(&layout, image)
        .and_then(|changes| domain::lay_out(system, &layout, (image, changes), (stack, &[]), &mut mapped));
    let stubs = match stubs {
        Ok(stubs) => stubs,
        Err(why) => return why,
    };
    let first = layout.top() - stack - PAGE as u64;
    let limit = first - CALLS as u64 * CALL_BYTES - PAGE as u64;
    let component = Box::leak(Box::new(Component {
        layout,
        system,
        calls: Calls::of_component(system, layout, image.heap, limit),
        mapped,
        any: stubs.any,
        first,
        entries: Entries::none(),
        serving: Mutex::new(Serving::NOTHING),
        blocks: [const { AtomicPtr::new(core::ptr::null_mut()) }; CALLS],
        room: Mutex::new((0, 0)),
        free: AtomicU64::new(0),
    }));
    COMPONENT.store(component, Ordering::Release);
    let start = match start(layout.top()) {
        Ok(start) => start,
        Err(error) => return format!("its arguments: {}", error.text()),
    };
    let mut block = Box::new(domain::block(&layout, decide as *const () as u64));
    (block.entry, block.stack) = (image.entry, start);
    let status = domain::enter(&mut block, component.any, &[start, 0, 0, 0, 0, 0]);
    thread::exit_domain(status as i32)
}
