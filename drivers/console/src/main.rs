//! The console: a 16550 by interrupts.
//!
//! One thread waits for the device's interrupt and serves both directions. Writers fill the transmit FIFO while it has
//! room and otherwise wait for the interrupt that says so; readers wait until a key, or a line, is there.
#![no_std]
#![no_main]

extern crate alloc;

mod uart;

use abi::Error;
use abi::console::{
    BEGIN, ERROR, ESCAPE, FRAMED_INPUT, FRAMED_OUTPUT, INIT_SIGNAL, INTERRUPTED, INTERRUPTS, OUTPUT as STANDARD, READY,
    SERIAL_ROOM, TAKEN,
};
use abi::system;
use alloc::vec::Vec;
use console_logic::frames::{Framing, Stream, message};
use console_logic::line::Input;
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use pebble::Result;
use pebble::interfaces::types::Alleged;
use pebble::portal::call;
use pebble::sync::{Mutex, Semaphore};
use uart::{FIFO, Uart};

pebble::server!(start);
pebble::serve! { console { write, error, read, raw, ready, attention } }

/// Priority of the thread that serves the interrupt.
const INTERRUPT_PRIORITY: u8 = 45;

/// Ticks of `hrtime` after which to look again whether the last byte has left: about a character at 115200 baud.
const CHARACTER: usize = 50_000;

static INPUT: Mutex<Input> = Mutex::new(Input::new());
/// One writer at a time, so that what is written in one call stays together.
static OUTPUT: Mutex<Option<Output>> = Mutex::new(None);
/// The device, and how what is written to it is made out.
struct Output {
    uart: Uart,
    framing: Framing,
}
/// A bit for each stream of output, by its number, that nobody takes any more.
static CLOSED: AtomicU8 = AtomicU8::new(0);
/// A writer waits for the transmitter.
static WAITING: AtomicBool = AtomicBool::new(false);
/// Numbers of the semaphores: interrupt, transmitter, keys, attention.
static SEMAPHORES: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];
const INTERRUPT: usize = 0;
const TRANSMITTER: usize = 1;
const KEYS: usize = 2;
const ATTENTION: usize = 3;

fn wait(semaphore: usize) -> Result<()> {
    pebble::check(call(SEMAPHORES[semaphore].load(Ordering::Relaxed), [usize::MAX])).map(|_| ())
}
fn post(semaphore: usize) {
    call(SEMAPHORES[semaphore].load(Ordering::Relaxed) + 1, []);
}

fn start(env: &pebble::Env) {
    let Some(device) = env.device(0) else { return };
    let asked = |argument| (1..env.len()).any(|n| env.argument(n) == Some(argument));
    let framed_input = asked(FRAMED_INPUT);
    let framing = Framing::new(framed_input || asked(FRAMED_OUTPUT));
    if framed_input {
        INPUT.lock().stream = Some(Stream::new(SERIAL_ROOM));
    }
    for place in &SEMAPHORES {
        let Ok(semaphore) = Semaphore::new(0) else { return };
        place.store(semaphore.number(), Ordering::Relaxed);
        core::mem::forget(semaphore);
    }
    // A caller who waits takes nothing of ours that was not there before.
    // SAFETY: init mapped the device of our manifest entry there, for us alone.
    let uart = unsafe { Uart::new(device.address as usize, framed_input) };
    *OUTPUT.lock() = Some(Output { uart, framing });
    if call(system::INTERRUPT, [0, SEMAPHORES[INTERRUPT].load(Ordering::Relaxed)]) < 0
        || pebble::thread::spawn(Some(INTERRUPT_PRIORITY), move || serve(uart)).is_err()
    {
        // Without interrupts nobody would ever be woken: every call answers EIO.
        *OUTPUT.lock() = None;
        return;
    }
    uart.interrupt_when_empty(false);
    if asked(INTERRUPTS) {
        // Where it fails, Ctrl-C is a key as others are.
        let _ = pebble::thread::spawn(None, interrupts);
    }
    if framed_input {
        let number = pebble::time::time() as u32;
        // Where one of them fails, no input ever comes: rather than some of it.
        let prepared = INPUT.lock().stream.as_mut().is_some_and(|stream| stream.prepare(number).is_ok());
        if prepared {
            let _ = tell(&message(BEGIN, number));
        }
    }
}

/// Serves the device's interrupts.
fn serve(uart: Uart) {
    while wait(INTERRUPT).is_ok() {
        let (readers, attentive) = receive(uart);
        (0..readers).for_each(|_| post(KEYS));
        (0..attentive).for_each(|_| post(ATTENTION));
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

/// Passes Ctrl-C on that nobody else takes: to the main program, and to the host where that does not take it.
fn interrupts() {
    /// Ctrl-C, and the number of its signal.
    const CONTROL_C: u8 = 3;
    const SIGINT: usize = 2;
    let signal = pebble::start::open(INIT_SIGNAL);
    loop {
        // The lock is not held while it waits.
        let waits = INPUT.lock().attend_self();
        let Some(own) = waits else { return };
        let key = loop {
            if let Some(key) = INPUT.lock().take_own(own) {
                break key;
            }
            if wait(ATTENTION).is_err() {
                return;
            }
        };
        let taken = key != CONTROL_C || signal.is_ok_and(|portal| call(portal, [0, SIGINT]) == 0);
        if !taken {
            let _ = tell(&[INTERRUPTED]);
        }
    }
}
/// Takes what has arrived; how many readers are to be woken for it, and how many of those that wait for Ctrl-C.
fn receive(uart: Uart) -> (usize, usize) {
    let mut input = INPUT.lock();
    let mut any = false;
    while let Some(byte) = uart.receive() {
        any = true;
        input.key(byte, |stream| _ = CLOSED.fetch_or(1 << stream, Ordering::Relaxed));
    }
    (if any { input.woken() } else { 0 }, input.attention.woken())
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
/// Sends all of `bytes` as part of `stream`.
fn send(output: &mut Output, stream: u8, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        transmitter(output.uart)?;
        let mut piece = [0; FIFO];
        let (length, done) = output.framing.next(stream, bytes, &mut piece);
        piece[..length].iter().for_each(|&byte| output.uart.send(byte));
        bytes = &bytes[done..];
    }
    Ok(())
}
/// Tells the host something, in a few bytes.
fn tell(what: &[u8]) -> Result<()> {
    let output = OUTPUT.lock();
    let Some(Output { uart, .. }) = *output else { return Err(Error::EIO) };
    transmitter(uart)?;
    uart.send(ESCAPE);
    what.iter().for_each(|&byte| uart.send(byte));
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
extern "C" fn write(_channel: usize, buffer: Alleged<u8>, length: usize) -> isize {
    word(write_window(STANDARD, buffer, length))
}
/// The same to standard error, where that is told apart.
extern "C" fn error(_channel: usize, buffer: Alleged<u8>, length: usize) -> isize {
    word(write_window(ERROR, buffer, length))
}
fn write_window(stream: u8, buffer: Alleged<u8>, length: usize) -> Result<usize> {
    // SAFETY: it is only read.
    let window = unsafe { buffer.window(length) }?;
    let mut output = OUTPUT.lock();
    let output = output.as_mut().ok_or(Error::EIO)?;
    if length == 0 {
        return drain(output.uart).map(|()| 0);
    }
    if CLOSED.load(Ordering::Relaxed) & 1 << stream != 0 {
        return Err(Error::EPIPE);
    }
    // SAFETY: what the caller changes meanwhile is sent or not.
    let bytes = unsafe { window.values() };
    send(output, stream, bytes).map(|()| length)
}
/// Sends what is to be shown of what is typed. Without the lock of the input: who waits for the transmitter waits for the interrupt thread, which
/// takes it for each key.
fn show(echo: &[u8]) -> Result<()> {
    if !echo.is_empty()
        && let Some(output) = OUTPUT.lock().as_mut()
    {
        return send(output, STANDARD, echo);
    }
    Ok(())
}
/// Waits until `take` gives something, and puts it in the caller's buffer. `take` also tells what is to be echoed. For no bytes it only says
/// whether keys are taken as they are from now on; 1: nobody types here.
fn read_window(
    raw: bool,
    buffer: Alleged<u8>,
    length: usize,
    take: impl Fn(&mut Input, &mut [u8]) -> (Vec<u8>, Option<usize>),
) -> Result<usize> {
    // SAFETY: `buffer` is a window argument whose letter is `w`.
    let window = unsafe { buffer.window(length) }?;
    if length == 0 {
        let mut input = INPUT.lock();
        input.raw = raw;
        return Ok(input.stream.is_some() as usize);
    }
    // SAFETY: it is only written, and by this call alone.
    let out = unsafe { window.values_mut() };
    loop {
        let (echo, taken, owed) = {
            let mut input = INPUT.lock();
            let (echo, taken) = input.take_stream(out).unwrap_or_else(|| take(&mut input, out));
            if taken.is_none() && !input.wait() {
                return Err(Error::EBUSY);
            }
            (echo, taken, input.stream.as_mut().map_or(0, Stream::owed))
        };
        // What the host could not be told of now, it is with the next bytes that are taken.
        if owed > 0
            && tell(&message(TAKEN, owed as u32)).is_err()
            && let Some(stream) = &mut INPUT.lock().stream
        {
            stream.owe(owed);
        }
        let shown = show(&echo);
        match taken {
            // What was taken is the caller's, whatever became of the echo.
            Some(count) => return Ok(count),
            None => shown.and_then(|()| wait(KEYS)).inspect_err(|_| INPUT.lock().leave())?,
        }
    }
}
extern "C" fn read(_channel: usize, buffer: Alleged<u8>, length: usize) -> isize {
    word(read_window(false, buffer, length, |input, out| match input.take_line(out) {
        None => (input.edit(), input.take_line(out)),
        taken => (Vec::new(), taken),
    }))
}
extern "C" fn raw(_channel: usize, buffer: Alleged<u8>, length: usize) -> isize {
    word(read_window(true, buffer, length, |input, out| {
        (Vec::new(), Some(input.take_raw(out)).filter(|&count| count > 0))
    }))
}
/// Whether who reads would not wait, and which output nobody takes any more.
extern "C" fn ready(_channel: usize, raw: usize) -> isize {
    let (echo, waits_not) = INPUT.lock().ready(raw != 0);
    let closed = CLOSED.load(Ordering::Relaxed) as usize;
    word(show(&echo).map(|()| (waits_not as usize * READY) | closed))
}
/// Waits until Ctrl-C, Ctrl-Z or Ctrl-\\ is pressed while no program takes keys as they are; that key.
extern "C" fn attention() -> isize {
    let Some(own) = INPUT.lock().attend() else { return Error::EBUSY.code() };
    loop {
        if let Some(key) = INPUT.lock().attention.take(own) {
            return key.into();
        }
        if let Err(error) = wait(ATTENTION) {
            INPUT.lock().attention.leave(own);
            return error.code();
        }
    }
}
