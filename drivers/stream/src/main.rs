//! The console of programs whose standard streams are the host's: the portals of the console driver, over a port of a virtio console, in
//! the form of [`abi::console`]. The serial port is left to the nucleus and to who types.
//!
//! One thread waits for the device's interrupt and serves both directions. Writers fill buffers and wait where the device has all of them;
//! readers wait until there is input.
#![no_std]
#![no_main]

use abi::Error;
use abi::console::{BEGIN, ERROR, ESCAPE, OUTPUT, PORT_ROOM, READY, TAKEN};
use console_logic::frames::{Framing, Stream, message};
use core::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use pebble::Result;
use pebble::interfaces::types::Alleged;
use pebble::portal::call;
use pebble::sync::{Mutex, Semaphore};
use stream_logic::Port;
use virtio::DeviceType;
use virtio::device::{Interrupt, Registers, open, trust};
use virtio::memory::Memory;

pebble::server!(start);
pebble::serve! { console { write, error, read, raw: read, ready, attention } }

/// Priority of the thread that serves the interrupt.
const INTERRUPT_PRIORITY: u8 = 45;
/// Most readers that wait: of the four stacks of the driver's, one is left for writers.
const READERS: usize = 3;

/// What touches it touches it for a moment: nobody waits with it.
static PORT: Mutex<Option<Port<Memory, Registers>>> = Mutex::new(None);
/// One writer at a time, so that what is written in one call stays together.
static FRAMING: Mutex<Framing> = Mutex::new(Framing::new(true));
static INPUT: Mutex<Input> = Mutex::new(Input { stream: Stream::new(PORT_ROOM), waiting: 0, attending: 0 });
struct Input {
    stream: Stream,
    /// Readers that wait for more.
    waiting: usize,
    /// Who waits for attention. Each of both keeps one of the stacks that all entries share, and one is left for who writes.
    attending: usize,
}
/// A bit for each stream of output, by its number, that nobody takes any more.
static CLOSED: AtomicU8 = AtomicU8::new(0);
/// A writer waits for the device.
static WAITING: AtomicBool = AtomicBool::new(false);
/// Numbers of the semaphores: buffers for output, input, and what nobody posts.
static SEMAPHORES: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];
const BUFFERS: usize = 0;
const INPUTS: usize = 1;
const NEVER: usize = 2;

fn wait(semaphore: usize) -> Result<()> {
    pebble::check(call(SEMAPHORES[semaphore].load(Ordering::Relaxed), [usize::MAX])).map(|_| ())
}
fn post(semaphore: usize) {
    call(SEMAPHORES[semaphore].load(Ordering::Relaxed) + 1, []);
}

fn start(env: &pebble::Env) {
    let registers = open(env, DeviceType::Console);
    for place in &SEMAPHORES {
        let Ok(semaphore) = Semaphore::new(0) else { return };
        place.store(semaphore.number(), Ordering::Relaxed);
        core::mem::forget(semaphore);
    }
    let Ok(interrupt) = Interrupt::attach() else { return };
    let mut port = trust(Port::new(registers));
    while !trust(port.is_open()) {
        if interrupt.wait().is_err() {
            return;
        }
        port.acknowledge();
    }
    *PORT.lock() = Some(port);
    if pebble::thread::spawn(Some(INTERRUPT_PRIORITY), move || serve(&interrupt)).is_err() {
        // Without it nobody would ever be woken: every call answers EIO.
        *PORT.lock() = None;
        return;
    }
    // Where one of them fails, no input ever comes: rather than some of it.
    let number = pebble::time::time() as u32;
    let prepared = INPUT.lock().stream.prepare(number).is_ok();
    if prepared {
        let _ = tell(&message(BEGIN, number));
    }
}
/// Serves the device's interrupts.
fn serve(interrupt: &Interrupt) {
    loop {
        let readers = take_in();
        (0..readers).for_each(|_| post(INPUTS));
        if WAITING.swap(false, Ordering::AcqRel) {
            post(BUFFERS);
        }
        if interrupt.wait().is_err() {
            return;
        }
    }
}
/// Takes what has arrived; how many readers are to be woken for it.
fn take_in() -> usize {
    let mut port = PORT.lock();
    let Some(port) = port.as_mut() else { return 0 };
    port.acknowledge();
    trust(port.is_open());
    let mut input = INPUT.lock();
    let mut any = false;
    trust(port.receive(|bytes| {
        any = true;
        input.stream.receive(bytes, |stream| _ = CLOSED.fetch_or(1 << stream, Ordering::Relaxed));
    }));
    if any { core::mem::take(&mut input.waiting) } else { 0 }
}

/// Has `body` look at the port until it has what it wants, waiting for the device between. The caller holds `FRAMING`.
fn until<R>(mut body: impl FnMut(&mut Port<Memory, Registers>) -> Option<R>) -> Result<R> {
    let mut look = || PORT.lock().as_mut().map(&mut body).ok_or(Error::EIO);
    loop {
        if let Some(result) = look()? {
            return Ok(result);
        }
        WAITING.store(true, Ordering::Release);
        // What the device has given back before that was told to nobody.
        if let Some(result) = look()? {
            return Ok(result);
        }
        wait(BUFFERS)?;
    }
}
/// Sends all of `bytes` as part of `stream`.
fn send(framing: &mut Framing, stream: u8, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        let done = until(|port| trust(port.send(|buffer| framing.next(stream, bytes, buffer))))?;
        bytes = &bytes[done..];
    }
    Ok(())
}
/// Tells the host something, in a few bytes.
fn tell(what: &[u8]) -> Result<()> {
    let _alone = FRAMING.lock();
    until(|port| {
        trust(port.send(|buffer| {
            buffer[0] = ESCAPE;
            buffer[1..][..what.len()].copy_from_slice(what);
            (1 + what.len(), ())
        }))
    })
}

/// The result of an entry point in a word.
fn word(result: Result<usize>) -> isize {
    result.map_or_else(Error::code, |value| value as isize)
}
/// Writes, and waits until the host has taken it.
extern "C" fn write(_channel: usize, buffer: Alleged<u8>, length: usize) -> isize {
    word(write_window(OUTPUT, buffer, length))
}
/// The same to standard error.
extern "C" fn error(_channel: usize, buffer: Alleged<u8>, length: usize) -> isize {
    word(write_window(ERROR, buffer, length))
}
fn write_window(stream: u8, buffer: Alleged<u8>, length: usize) -> Result<usize> {
    // SAFETY: it is only read.
    let window = unsafe { buffer.window(length) }?;
    let mut framing = FRAMING.lock();
    if length == 0 {
        return until(|port| trust(port.is_drained()).then_some(0));
    }
    if CLOSED.load(Ordering::Relaxed) & 1 << stream != 0 {
        return Err(Error::EPIPE);
    }
    // SAFETY: what the caller changes meanwhile is sent or not.
    let bytes: &[u8] = unsafe { window.values() };
    send(&mut framing, stream, bytes)?;
    // The device forgets what it has not passed on when the driver after this one begins with it.
    until(|port| trust(port.is_drained()).then_some(length))
}
/// Waits for input. Nobody types: lines and single keys are the same, and no bytes are answered by 1.
extern "C" fn read(_channel: usize, buffer: Alleged<u8>, length: usize) -> isize {
    word(read_window(buffer, length))
}
fn read_window(buffer: Alleged<u8>, length: usize) -> Result<usize> {
    // SAFETY: `buffer` is a window argument whose letter is `w`.
    let window = unsafe { buffer.window(length) }?;
    if length == 0 {
        return Ok(1);
    }
    // SAFETY: it is only written, and by this call alone.
    let out: &mut [u8] = unsafe { window.values_mut() };
    loop {
        let (taken, owed) = {
            let mut input = INPUT.lock();
            let taken = input.stream.take(out);
            if taken.is_none() {
                if input.waiting + input.attending >= READERS {
                    return Err(Error::EBUSY);
                }
                input.waiting += 1;
            }
            (taken, input.stream.owed())
        };
        // What the host could not be told of now, it is with the next bytes that are taken.
        if owed > 0 && tell(&message(TAKEN, owed as u32)).is_err() {
            INPUT.lock().stream.owe(owed);
        }
        match taken {
            Some(count) => return Ok(count),
            // Where it was counted among the woken, somebody else wakes for nothing, and looks again.
            None => wait(INPUTS).inspect_err(|_| {
                let mut input = INPUT.lock();
                input.waiting = input.waiting.saturating_sub(1);
            })?,
        }
    }
}
/// Whether who reads would not wait, and which output nobody takes any more.
extern "C" fn ready(_channel: usize, _raw: usize) -> isize {
    let closed = CLOSED.load(Ordering::Relaxed) as usize;
    word(Ok((INPUT.lock().stream.is_ready() as usize * READY) | closed))
}
/// No key is pressed here: waits for good. `EBUSY`: as many as may wait do.
extern "C" fn attention() -> isize {
    {
        let mut input = INPUT.lock();
        if input.waiting + input.attending >= READERS {
            return Error::EBUSY.code();
        }
        input.attending += 1;
    }
    let ended = loop {
        if let Err(error) = wait(NEVER) {
            break error;
        }
    };
    INPUT.lock().attending -= 1;
    ended.code()
}
