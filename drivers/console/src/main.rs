//! The console: a 16550 by interrupts.
//!
//! One thread waits for the device's interrupt and serves both directions. Writers fill the transmit FIFO while it has
//! room and otherwise wait for the interrupt that says so; readers wait until a key, or a line, is there.
#![no_std]
#![no_main]

extern crate alloc;

mod uart;

use abi::Error;
use abi::address::PAGE;
use abi::system;
use console_logic::line::Input;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use pebble::portal::call;
use pebble::sync::{Mutex, Semaphore};
use uart::{FIFO, Uart};

pebble::server!(start);
pebble::provide! {
    "console.write", "nmcri", write;
    "console.read", "nmcwi", read;
    "console.raw", "nmcwi", raw;
}

/// Priority of the thread that serves the interrupt.
const INTERRUPT_PRIORITY: u8 = 45;

static INPUT: Mutex<Input> = Mutex::new(Input::new());
/// One writer at a time, so that what is written in one call stays together.
static OUTPUT: Mutex<Option<Uart>> = Mutex::new(None);
/// A writer waits for the transmitter.
static WAITING: AtomicBool = AtomicBool::new(false);
/// Readers that wait.
static READERS: AtomicUsize = AtomicUsize::new(0);
/// Numbers of the semaphores: interrupt, transmitter, keys.
static SEMAPHORES: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
const INTERRUPT: usize = 0;
const TRANSMITTER: usize = 1;
const KEYS: usize = 2;

fn wait(semaphore: usize) {
    call(SEMAPHORES[semaphore].load(Ordering::Relaxed), [usize::MAX]);
}
fn post(semaphore: usize) {
    call(SEMAPHORES[semaphore].load(Ordering::Relaxed) + 1, []);
}

fn start(env: &pebble::Env) {
    let Some(device) = env.device(0) else { return };
    for place in &SEMAPHORES {
        let Ok(semaphore) = Semaphore::new(0) else { return };
        place.store(semaphore.number(), Ordering::Relaxed);
        core::mem::forget(semaphore);
    }
    // SAFETY: init mapped the device of our manifest entry there, for us alone.
    let uart = unsafe { Uart::new(device.address as usize) };
    *OUTPUT.lock() = Some(uart);
    call(system::INTERRUPT, [0, SEMAPHORES[INTERRUPT].load(Ordering::Relaxed)]);
    let _ = pebble::thread::spawn(Some(INTERRUPT_PRIORITY), move || serve(uart));
}

/// Serves the device's interrupts.
fn serve(uart: Uart) {
    loop {
        wait(INTERRUPT);
        let mut keys = false;
        while let Some(byte) = uart.receive() {
            INPUT.lock().key(byte);
            keys = true;
        }
        if keys {
            for _ in 0..READERS.swap(0, Ordering::AcqRel) {
                post(KEYS);
            }
        }
        if uart.ready() && WAITING.swap(false, Ordering::AcqRel) {
            uart.interrupt_when_empty(false);
            post(TRANSMITTER);
        }
        call(system::INTERRUPT_DONE, [0]);
    }
}

/// Sends all of `bytes`. The caller holds `OUTPUT`.
fn send(uart: Uart, bytes: &[u8]) {
    for piece in bytes.chunks(FIFO) {
        if !uart.ready() {
            WAITING.store(true, Ordering::Release);
            uart.interrupt_when_empty(true);
            wait(TRANSMITTER);
        }
        piece.iter().for_each(|&byte| uart.send(byte));
    }
}

/// Checks that a buffer lies in the page that its window shows.
fn check(buffer: usize, length: usize) -> Result<(), Error> {
    if buffer % PAGE + length > PAGE { Err(Error::EINVAL) } else { Ok(()) }
}
extern "C" fn write(_channel: usize, buffer: usize, length: usize) -> isize {
    if let Err(error) = check(buffer, length) {
        return error.code();
    }
    // SAFETY: the page is open for this call; what the caller changes meanwhile is sent or not.
    let bytes = unsafe { core::slice::from_raw_parts(buffer as *const u8, length) };
    match *OUTPUT.lock() {
        Some(uart) => {
            send(uart, bytes);
            length as isize
        }
        None => Error::EIO.code(),
    }
}
/// Waits until `take` gives something, and puts it in the caller's buffer.
fn read_by(buffer: usize, length: usize, mut take: impl FnMut(&mut Input, &mut [u8]) -> Option<usize>) -> isize {
    if let Err(error) = check(buffer, length) {
        return error.code();
    }
    if length == 0 {
        return 0;
    }
    // SAFETY: the page is open for this call, for writing.
    let out = unsafe { core::slice::from_raw_parts_mut(buffer as *mut u8, length) };
    loop {
        READERS.fetch_add(1, Ordering::AcqRel);
        if let Some(count) = take(&mut INPUT.lock(), out) {
            return count as isize;
        }
        wait(KEYS);
    }
}
extern "C" fn read(_channel: usize, buffer: usize, length: usize) -> isize {
    read_by(buffer, length, |input, out| {
        let echo = input.edit();
        if let Some(uart) = *OUTPUT.lock() {
            send(uart, &echo);
        }
        input.take_line(out)
    })
}
extern "C" fn raw(_channel: usize, buffer: usize, length: usize) -> isize {
    read_by(buffer, length, |input, out| match input.take_raw(out) {
        0 => None,
        count => Some(count),
    })
}
