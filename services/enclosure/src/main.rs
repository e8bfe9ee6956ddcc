//! Runs a program as a software fault domain: `enclosure FILE ARGUMENT…`. The program has the rights of this component's block in the manifest, and
//! nothing else of it: its memory is one segment of this one's, its instructions are verified before they can be executed, and its calls go through
//! [`enclosure_logic::calls`].
#![no_std]
#![no_main]

extern crate alloc;

mod gate;

use abi::address::{PAGE, pte};
use abi::nucleus::NAMELEN;
use abi::system::{self, Description, Registration};
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use enclosure_logic::block::Block;
use enclosure_logic::calls::{Answer, Calls, Portals};
use enclosure_logic::image::{Image, words};
use enclosure_logic::{SEGMENT, STACK, STUBS, TOP, VARIABLES, VARIABLES_END, stubs};
use pebble::file::File;
use pebble::{Env, Result, check, portal};
use verifier::segment::JUMP_TABLE;

pebble::program!(main);

/// A page of the host's that others are copies of.
#[repr(C, align(4096))]
struct Page([u8; PAGE]);

/// The system, as the host calls it for its fault domain.
struct System {
    own: usize,
}
impl System {
    /// Maps a copy of `bytes`, at most a page of them, at `address`.
    fn place(&self, page: &mut Page, address: u64, bytes: &[u8], rights: u64) -> Result<()> {
        page.0.fill(0);
        page.0[..bytes.len()].copy_from_slice(bytes);
        let source = page.0.as_ptr() as usize;
        check(portal::call(system::PAGE, [self.own, address as usize, source, rights as usize])).map(|_| ())
    }
    fn zeros(&self, address: u64, bytes: u64) -> Result<()> {
        for at in (address..address + bytes).step_by(PAGE) {
            check(portal::call(system::PAGE, [self.own, at as usize, 0, (pte::R | pte::W) as usize]))?;
        }
        Ok(())
    }
}
impl Portals for System {
    fn call(&mut self, number: usize, arguments: [u64; 6]) -> i64 {
        portal::call(number, arguments.map(|word| word as usize)) as i64
    }
    fn specification(&mut self, number: usize) -> Option<[u8; NAMELEN]> {
        let mut description = Description { spec: [0; NAMELEN], name: [0; NAMELEN] };
        check(portal::call(system::PORTAL_INFO, [number, &raw mut description as usize])).ok()?;
        Some(description.spec)
    }
    fn map(&mut self, address: u64, pages: u64) -> i64 {
        self.zeros(address, pages * PAGE as u64).map_or_else(|error| error.code() as i64, |()| 0)
    }
}

/// What the one thread that enters the fault domain shares with the host's functions that it enters from there.
struct Shared {
    calls: UnsafeCell<Option<Calls<System>>>,
    fault: UnsafeCell<Option<Fault>>,
}
// SAFETY: one thread uses it; a fault is answered in the thread that has it.
unsafe impl Sync for Shared {}
static SHARED: Shared = Shared { calls: UnsafeCell::new(None), fault: UnsafeCell::new(None) };

#[derive(Clone, Copy)]
struct Fault {
    cause: usize,
    address: usize,
    pc: usize,
}

/// A call out of the fault domain: the stub comes here.
extern "C" fn decide(block: &mut Block) -> i64 {
    // SAFETY: the one thread, which is in the fault domain and not in here a second time.
    let Some(calls) = (unsafe { &mut *SHARED.calls.get() }) else { return abi::Error::EPORTAL.code() as i64 };
    let [a0, a1, a2, a3, a4, a5, number] = block.arguments;
    match calls.answer(number, [a0, a1, a2, a3, a4, a5]) {
        Answer::Result(result) => result,
        Answer::End(status) => {
            block.ended = 1;
            status
        }
    }
}
/// A fault of this domain's: one at an instruction of the fault domain's ends the call; one of the host's own ends the host.
extern "C" fn faulted(_asid: usize, cause: usize, address: usize, pc: usize) -> isize {
    if !(SEGMENT.base..SEGMENT.base + (1 << SEGMENT.bits)).contains(&(pc as u64)) {
        return abi::Error::EFAULT.code();
    }
    // SAFETY: the thread that faulted is not reading it.
    unsafe { *SHARED.fault.get() = Some(Fault { cause, address, pc }) };
    gate::unwind as *const () as isize
}
/// Adds stacks to the queue, for the faults are answered on one.
fn add_stacks() -> Result<()> {
    let mut registration =
        Registration { name: [0; 64], spec: [0; 64], entry: faulted as *const () as u64, stacks: 1, constants: [0; 6] };
    let name = b"app.enclosure";
    registration.name[..name.len()].copy_from_slice(name);
    registration.spec[..3].copy_from_slice(b"nmi");
    check(portal::call(system::PORTAL_REGISTER, [&raw const registration as usize]))?;
    check(portal::call(system::PORTAL_UNREGISTER, [registration.name.as_ptr() as usize])).map(|_| ())
}

/// Says why on the error stream.
fn complain(why: core::fmt::Arguments) {
    pebble::console::print_error(format_args!("{why}\n"));
}
/// Lays the program out; its entry point and where its stack pointer begins.
fn load(name: &str, file: &[u8], arguments: &[&str]) -> core::result::Result<(u64, u64), String> {
    let failed = |what: &str, error: abi::Error| alloc::format!("{name}: {what}: {}", error.text());
    let image = Image::parse(file).map_err(|error| alloc::format!("{name}: {}", error.text()))?;
    let code = image.code().map_err(|error| alloc::format!("{name}: {}", error.text()))?;
    verifier::verify(&SEGMENT, code.start, &words(code)).map_err(|rejection| alloc::format!("{name}: {rejection}"))?;

    let system = System { own: pebble::thread::asid() };
    let mut page = alloc::boxed::Box::new(Page([0; PAGE]));
    let mut place = |address: u64, bytes: &[u8], rights| system.place(&mut page, address, bytes, rights);
    for part in &image.parts {
        let rights = pte::R | if part.write { pte::W } else { 0 } | if part.execute { pte::X } else { 0 };
        for (n, address) in part.range().step_by(PAGE).enumerate() {
            let bytes = part.bytes.get(n * PAGE..).unwrap_or(&[]);
            place(address, &bytes[..bytes.len().min(PAGE)], rights).map_err(|e| failed("its memory", e))?;
        }
    }
    let (variables, size) = &image.variables;
    for (n, address) in (SEGMENT.base + VARIABLES..SEGMENT.base + VARIABLES_END).step_by(PAGE).enumerate() {
        if (n * PAGE) as u64 >= *size {
            break;
        }
        let bytes = variables.get(n * PAGE..).unwrap_or(&[]);
        place(address, &bytes[..bytes.len().min(PAGE)], pte::R | pte::W).map_err(|e| failed("its variables", e))?;
    }
    let (stubs, table) = stubs::make();
    let bytes = |words: Vec<u32>| -> Vec<u8> { words.into_iter().flat_map(u32::to_le_bytes).collect() };
    place(STUBS, &bytes(stubs), pte::R | pte::X).map_err(|e| failed("its stubs", e))?;
    place(SEGMENT.base + JUMP_TABLE, &bytes(table), pte::R | pte::X).map_err(|e| failed("its jump table", e))?;
    system.zeros(TOP - STACK, STACK).map_err(|e| failed("its stack", e))?;
    gate::instructions_have_changed();

    let (start, block) = abi_start(arguments);
    // SAFETY: the stack was mapped above, and nobody else uses it.
    unsafe { core::ptr::copy_nonoverlapping(block.as_ptr(), start as *mut u8, block.len()) };
    let calls = Calls::new(system, image.heap, TOP - STACK - PAGE as u64);
    // SAFETY: nobody is in the fault domain yet.
    unsafe { *SHARED.calls.get() = Some(calls) };
    Ok((image.entry, start))
}
/// The start block at the top of the stack: where it begins, and its bytes.
fn abi_start(arguments: &[&str]) -> (u64, Vec<u8>) {
    let text: usize = arguments.iter().map(|a| a.len() + 1).sum();
    let words = 4 + arguments.len() + 1;
    let start = (TOP - (8 * words + text) as u64) & !15;
    let mut bytes = Vec::new();
    let mut put = |word: u64| bytes.extend(word.to_le_bytes());
    put(arguments.len() as u64);
    put(start + 32);
    put(0);
    put(0);
    let mut at = start + 8 * words as u64;
    for argument in arguments {
        put(at);
        at += argument.len() as u64 + 1;
    }
    put(0);
    for argument in arguments {
        bytes.extend_from_slice(argument.as_bytes());
        bytes.push(0);
    }
    (start, bytes)
}
fn read(name: &str) -> Result<Vec<u8>> {
    let file = File::open(name)?;
    let mut bytes = Vec::new();
    let mut piece = alloc::vec![0; 16 * PAGE];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(bytes),
            count => bytes.extend_from_slice(&piece[..count]),
        }
    }
}
/// Status of a program that did not begin, and of one that faulted.
const NOT_BEGUN: i32 = 125;
const FAULTED: i32 = 126;

fn main(env: &Env) -> i32 {
    let name = env.argument(1).unwrap_or("");
    let arguments: Vec<&str> =
        core::iter::once(env.argument(0).unwrap_or("")).chain((2..env.len()).filter_map(|n| env.argument(n))).collect();
    let file = match read(name) {
        Ok(file) => file,
        Err(error) => {
            complain(format_args!("{name}: {}", error.text()));
            return NOT_BEGUN;
        }
    };
    let (entry, start) = match load(arguments[0], &file, &arguments) {
        Ok(loaded) => loaded,
        Err(why) => {
            complain(format_args!("{why}"));
            return NOT_BEGUN;
        }
    };
    drop(file);
    let own = pebble::thread::asid();
    let handler = faulted as *const () as usize;
    if let Err(error) = add_stacks().and_then(|()| check(portal::call(system::PAGER, [own, 0, 0, handler]))) {
        complain(format_args!("{}: its faults can not be answered: {}", arguments[0], error.text()));
        return NOT_BEGUN;
    }
    let mut block = Block {
        base: SEGMENT.base,
        mask: (1 << SEGMENT.bits) - 1,
        stack: start,
        back: SEGMENT.base + JUMP_TABLE,
        decide: decide as *const () as u64,
        left: gate::left as *const () as u64,
        ..Block::default()
    };
    let status = gate::enter(&mut block, entry, start);
    // SAFETY: the thread is out of the fault domain.
    match unsafe { *SHARED.fault.get() } {
        None => status as i32,
        Some(Fault { cause, address, pc }) => {
            complain(format_args!(
                "{}: {} at address {address:#x}, pc {pc:#x} of its fault domain ({:#x} of its program)",
                arguments[0],
                system::cause_text(cause as u64),
                pc as u64 - SEGMENT.base,
            ));
            FAULTED
        }
    }
}
