//! The console: a 16550 by interrupts.
//!
//! One thread waits for the device's interrupt and serves both directions. Writers fill the transmit FIFO while it has
//! room and otherwise wait for the interrupt that says so; readers wait until a key, or a line, is there.
#![no_std]
#![no_main]

extern crate alloc;

mod uart;

use abi::Error;
use abi::system;
use abi::window::Window;
use alloc::vec::Vec;
use console_logic::line::Input;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use pebble::Result;
use pebble::portal::call;
use pebble::sync::{Mutex, Semaphore, prepare};
use uart::{FIFO, Uart};

pebble::server!(start);
pebble::provide! {
    "console.write", "nmcri", write;
    "console.read", "nmcwi", read;
    "console.raw", "nmcwi", raw;
}

/// Priority of the thread that serves the interrupt.
const INTERRUPT_PRIORITY: u8 = 45;

/// Ticks of `hrtime` after which to look again whether the last byte has left: about a character at 115200 baud.
const CHARACTER: usize = 50_000;

static INPUT: Mutex<Input> = Mutex::new(Input::new());
/// One writer at a time, so that what is written in one call stays together.
static OUTPUT: Mutex<Option<Uart>> = Mutex::new(None);
/// A writer waits for the transmitter.
static WAITING: AtomicBool = AtomicBool::new(false);
/// Numbers of the semaphores: interrupt, transmitter, keys.
static SEMAPHORES: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
const INTERRUPT: usize = 0;
const TRANSMITTER: usize = 1;
const KEYS: usize = 2;

fn wait(semaphore: usize) -> Result<()> {
    pebble::check(call(SEMAPHORES[semaphore].load(Ordering::Relaxed), [usize::MAX])).map(|_| ())
}
fn post(semaphore: usize) {
    call(SEMAPHORES[semaphore].load(Ordering::Relaxed) + 1, []);
}

fn start(env: &pebble::Env) {
    let Some(device) = env.device(0) else { return };
    ECHO.store(env.argument(1) != Some("no-echo"), Ordering::Relaxed);
    for place in &SEMAPHORES {
        let Ok(semaphore) = Semaphore::new(0) else { return };
        place.store(semaphore.number(), Ordering::Relaxed);
        core::mem::forget(semaphore);
    }
    // A caller who waits takes nothing of ours that was not there before.
    prepare(&INPUT);
    prepare(&OUTPUT);
    // SAFETY: init mapped the device of our manifest entry there, for us alone.
    let uart = unsafe { Uart::new(device.address as usize) };
    *OUTPUT.lock() = Some(uart);
    if call(system::INTERRUPT, [0, SEMAPHORES[INTERRUPT].load(Ordering::Relaxed)]) < 0
        || pebble::thread::spawn(Some(INTERRUPT_PRIORITY), move || serve(uart)).is_err()
    {
        // Without interrupts nobody would ever be woken: every call answers EIO.
        *OUTPUT.lock() = None;
        return;
    }
    uart.interrupt_when_empty(false);
}

/// Whether readers of lines show what is typed; not with the argument "no-echo", where nobody types.
static ECHO: AtomicBool = AtomicBool::new(true);

/// Serves the device's interrupts.
fn serve(uart: Uart) {
    while wait(INTERRUPT).is_ok() {
        let mut readers = 0;
        while let Some(byte) = uart.receive() {
            let mut input = INPUT.lock();
            input.key(byte);
            readers += input.woken();
        }
        (0..readers).for_each(|_| post(KEYS));
        if uart.ready() {
            // Off before the writer goes on, who may turn it on again.
            uart.interrupt_when_empty(false);
            if WAITING.swap(false, Ordering::AcqRel) {
                post(TRANSMITTER);
            }
        }
        call(system::INTERRUPT_DONE, [0]);
    }
}

/// Waits until the transmit FIFO is empty. The caller holds `OUTPUT`.
fn transmitter(uart: Uart) -> Result<()> {
    while !uart.ready() {
        WAITING.store(true, Ordering::Release);
        // Interrupts at once if the FIFO has become empty meanwhile.
        uart.interrupt_when_empty(true);
        wait(TRANSMITTER)?;
    }
    Ok(())
}
/// Sends all of `bytes`. The caller holds `OUTPUT`.
fn send(uart: Uart, bytes: &[u8]) -> Result<()> {
    for piece in bytes.chunks(FIFO) {
        transmitter(uart)?;
        piece.iter().for_each(|&byte| uart.send(byte));
    }
    Ok(())
}
/// Waits until all that was sent has left the device.
fn drain(uart: Uart) -> Result<()> {
    transmitter(uart)?;
    // Nothing interrupts for the shift register's last byte: it takes the time of ten bits.
    while !uart.drained() {
        pebble::check(call(system::SLEEP, [CHARACTER]))?;
    }
    Ok(())
}

/// The result of an entry point in a word.
fn word(result: Result<usize>) -> isize {
    result.map_or_else(Error::code, |value| value as isize)
}

/// Writes; with no bytes, waits until all that was written has left the device.
extern "C" fn write(_channel: usize, buffer: usize, length: usize) -> isize {
    word(write_window(buffer, length))
}
fn write_window(buffer: usize, length: usize) -> Result<usize> {
    // SAFETY: `buffer` is a window argument.
    let window = unsafe { Window::new(buffer, length) }?;
    let output = OUTPUT.lock();
    let uart = output.ok_or(Error::EIO)?;
    if length == 0 {
        return drain(uart).map(|()| 0);
    }
    // SAFETY: what the caller changes meanwhile is sent or not.
    let bytes = unsafe { window.values() };
    send(uart, bytes).map(|()| length)
}
/// Waits until `take` gives something, and puts it in the caller's buffer. `take` also tells what is to be echoed.
fn read_window(
    buffer: usize,
    length: usize,
    take: impl Fn(&mut Input, &mut [u8]) -> (Vec<u8>, Option<usize>),
) -> Result<usize> {
    // SAFETY: `buffer` is a window argument whose letter is `w`.
    let window = unsafe { Window::new(buffer, length) }?;
    if length == 0 {
        return Ok(0);
    }
    // SAFETY: it is only written, and by this call alone.
    let out = unsafe { window.values_mut() };
    loop {
        let (echo, taken) = {
            let mut input = INPUT.lock();
            let (echo, taken) = take(&mut input, out);
            if taken.is_none() && !input.wait() {
                return Err(Error::EBUSY);
            }
            (echo, taken)
        };
        // Without the lock: who waits for the transmitter waits for the interrupt thread, which takes it for each key.
        let shown = if !echo.is_empty()
            && ECHO.load(Ordering::Relaxed)
            && let Some(uart) = *OUTPUT.lock()
        {
            send(uart, &echo)
        } else {
            Ok(())
        };
        match taken {
            // What was taken is the caller's, whatever became of the echo.
            Some(count) => return Ok(count),
            None => shown.and_then(|()| wait(KEYS)).inspect_err(|_| INPUT.lock().leave())?,
        }
    }
}
extern "C" fn read(_channel: usize, buffer: usize, length: usize) -> isize {
    word(read_window(buffer, length, |input, out| match input.take_line(out) {
        None => (input.edit(), input.take_line(out)),
        taken => (Vec::new(), taken),
    }))
}
extern "C" fn raw(_channel: usize, buffer: usize, length: usize) -> isize {
    word(read_window(buffer, length, |input, out| (Vec::new(), Some(input.take_raw(out)).filter(|&count| count > 0))))
}
