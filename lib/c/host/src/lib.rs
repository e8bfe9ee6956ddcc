//! What `fault_domain.h` declares: a C program's fault domain, over the library that hosts in Rust use. A call into it is in line in the
//! header; here is what comes before the first, and what is known after one that has ended it.
#![no_std]

extern crate alloc;

use abi::Error;
use abi::address::PAGE;
use alloc::vec::Vec;
use core::alloc::{GlobalAlloc, Layout as Block};
use core::cell::UnsafeCell;
use core::ffi::{c_char, c_int, c_void};
use core::fmt::Write;
use core::ptr::null_mut;
use enclosure_logic::domain::{Ended, FaultDomain};
use enclosure_logic::image::{Image, Part};
use enclosure_logic::stubs::Wanted;
use enclosure_logic::{Layout, Why};
use fallible::TryPush;

/// Entries of a fault domain: the header has the same number.
const ENTRIES: usize = 16;
/// Bytes of the stack, and of the start block, which says that there are no arguments, at its end.
const STACK: u64 = 0x1_0000;
const START: u64 = 64;
/// Most bytes of why it was not loaded, with a 0.
const TEXT: usize = 200;

/// C's heap.
struct Malloc;
unsafe extern "C" {
    fn aligned_alloc(alignment: usize, bytes: usize) -> *mut u8;
    fn free(block: *mut u8);
}
// SAFETY: C's functions promise the same; a size is rounded up, as `aligned_alloc` may want it.
unsafe impl GlobalAlloc for Malloc {
    unsafe fn alloc(&self, block: Block) -> *mut u8 {
        let alignment = block.align().max(size_of::<usize>());
        // SAFETY: a power of two, and a multiple of it.
        unsafe { aligned_alloc(alignment, block.size().next_multiple_of(alignment)) }
    }
    unsafe fn dealloc(&self, block: *mut u8, _: Block) {
        // SAFETY: it came from there.
        unsafe { free(block) }
    }
}
#[global_allocator]
static HEAP: Malloc = Malloc;

/// What a call in line needs: `struct fault_domain_entrance` of the header.
#[repr(C)]
pub struct Entrance {
    block: *mut c_void,
    count: u64,
    portals: [u64; ENTRIES],
}
/// `struct fault_domain_stop` of the header.
#[repr(C)]
pub struct Stop {
    cause: u64,
    address: u64,
    pc: u64,
}
struct Host {
    domain: Option<FaultDomain>,
    why: [u8; TEXT],
}
impl Host {
    /// The place of the fault domain, which is made where there is none yet.
    fn domain(&mut self) -> Result<&mut FaultDomain, Error> {
        match &mut self.domain {
            Some(domain) => Ok(domain),
            none => Ok(none.insert(FaultDomain::new(Layout::new(false))?)),
        }
    }
}
struct Only<T>(UnsafeCell<T>);
// SAFETY: one thread has the fault domain, as the header says.
unsafe impl<T> Sync for Only<T> {}
static HOST: Only<Host> = Only(UnsafeCell::new(Host { domain: None, why: [0; TEXT] }));

#[unsafe(no_mangle)]
pub static mut __fault_domain: Entrance = Entrance { block: null_mut(), count: 0, portals: [0; ENTRIES] };

/// The entries that the fault domain offers: a pointer to how many there are, and they.
fn entries(image: &Image, offer: u64) -> Option<([u64; ENTRIES], usize)> {
    let word = |n: u64| {
        let at = offer.checked_add(8 * n)?;
        let lies = |part: &&Part| at >= part.start && at.checked_add(8).is_some_and(|end| end <= part.range().end);
        image.parts.iter().find(lies)?;
        // SAFETY: it is mapped for as long as the fault domain is there; whatever is written there, it is some word.
        at.is_multiple_of(8).then(|| unsafe { (at as *const u64).read_volatile() })
    };
    let code = image.code().ok()?.range();
    let count = word(0).filter(|count| (1..=ENTRIES as u64).contains(count))? as usize;
    let mut all = [0; ENTRIES];
    for (n, entry) in all[..count].iter_mut().enumerate() {
        *entry = word(1 + n as u64).filter(|entry| code.contains(entry) && entry.is_multiple_of(4))?;
    }
    Some((all, count))
}
/// Loads it, with so many bytes of memory that both can write; where that is.
fn load(host: &mut Host, file: &[u8], loads: bool, shared: u64) -> Result<u64, Why> {
    let layout = Layout::new(loads);
    let mut image = Image::parse(file, &layout)?;
    let memory = image.heap;
    let size = shared.checked_next_multiple_of(PAGE as u64).filter(|size| *size <= layout.0.size() / 2);
    let size = size.ok_or(Why::wrong("more memory than half the segment"))?;
    // Where there is no room for it behind the file's parts, it is not laid out.
    image.parts.try_push(Part { start: memory, bytes: Vec::new(), size, write: true, execute: false })?;
    image.heap += size;
    let domain = host.domain().map_err(|error| Why::at("its host", error))?;
    let wanted = [Wanted { specification: "smi", entry: image.entry }];
    domain.keep_loads(loads);
    domain.lay_out(&image, STACK, &wanted)?;
    // A start block of nothing but zeros: no arguments, no streams.
    domain.set_stack(layout.top() - START);
    // C's thread has its variables where this thread's register points.
    let started = arch::component::keeping_thread(|| domain.call(0, layout.top() - START, None));
    let offer = started.map_err(|ended| match ended {
        Ended::Fault(_) => Why::at("before it offered its entries", Error::EDEAD),
        Ended::Late => Why::from(Error::ETIMEDOUT),
        Ended::NotMade(error) => Why::at("its thread", error),
    })?;
    let (entries, count) = entries(&image, offer as u64).ok_or(Why::wrong("it does not offer its entries"))?;
    domain.set_stack(layout.top());
    let wanted = entries.map(|entry| Wanted { specification: "smiiiiii", entry });
    domain.remake_portals(&wanted[..count])?;
    let mut portals = [0; ENTRIES];
    portals[..count].copy_from_slice(&domain.portals);
    let block: *mut _ = domain.block();
    let entrance = Entrance { block: block.cast(), count: count as u64, portals };
    // SAFETY: the one thread that uses it is here.
    unsafe { __fault_domain = entrance };
    Ok(memory)
}

/// # Safety
/// As the header says: there is a text at `names`; one thread has the fault domain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fault_domain_opens(names: *const c_char) -> c_int {
    // SAFETY: the caller has it, and is alone.
    let (host, names) = unsafe { (&mut *HOST.0.get(), core::ffi::CStr::from_ptr(names)) };
    let done = host.domain().and_then(|domain| domain.may_open(names.to_bytes()));
    done.map_or_else(|error| error.code() as c_int, |()| 0)
}
/// # Safety
/// As the header says: `bytes` bytes are at `program`; one thread has the fault domain.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fault_domain_load(
    program: *const u8,
    bytes: usize,
    loads: c_int,
    shared: usize,
    memory: *mut *mut c_void,
) -> c_int {
    // SAFETY: the caller has them, and is alone.
    let (host, file) = unsafe { (&mut *HOST.0.get(), core::slice::from_raw_parts(program, bytes)) };
    // SAFETY: as above. No entry is one while there is nothing behind it.
    unsafe { __fault_domain.count = 0 };
    match load(host, file, loads != 0, shared as u64) {
        Ok(at) => {
            if !memory.is_null() {
                // SAFETY: the caller's.
                unsafe { *memory = at as *mut c_void };
            }
            0
        }
        Err(why) => {
            // What it has before it offers its entries is given back.
            if let Some(domain) = &mut host.domain {
                domain.clear();
            }
            host.why.fill(0);
            // Cut where it is too long, before a 0.
            let _ = write!(Text(&mut host.why[..TEXT - 1]), "{why}");
            why.error.code() as c_int
        }
    }
}
/// Room for what is said.
struct Text<'a>(&'a mut [u8]);
impl Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let count = text.len().min(self.0.len());
        let (now, rest) = core::mem::take(&mut self.0).split_at_mut(count);
        now.copy_from_slice(&text.as_bytes()[..count]);
        self.0 = rest;
        Ok(())
    }
}
/// Why the last load failed; empty, if none has.
#[unsafe(no_mangle)]
pub extern "C" fn fault_domain_why() -> *const c_char {
    // SAFETY: it stays where it is, and ends in a 0.
    unsafe { (*HOST.0.get()).why.as_ptr().cast() }
}
/// Whether a fault has ended it since it was loaded, and where.
///
/// # Safety
/// `stop` is the caller's, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fault_domain_stopped(stop: *mut Stop) -> c_int {
    // SAFETY: the caller is the one thread.
    let host = unsafe { &mut *HOST.0.get() };
    let Some(fault) = host.domain.as_ref().and_then(FaultDomain::fault) else { return 0 };
    if !stop.is_null() {
        let text = Stop { cause: fault.cause as u64, address: fault.address as u64, pc: fault.pc as u64 };
        // SAFETY: the caller's.
        unsafe { *stop = text };
    }
    1
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    arch::component::stop()
}
