//! The clock: the time of day, and alarms by the clock's own interrupt. With the argument `settable` it has `time.set`, too, for who may
//! open that: the time of day is then what the device says, and a difference.
#![no_std]
#![no_main]

mod rtc;

use abi::Error;
use abi::system;
use clock_logic::Alarms;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use pebble::interfaces::types::Moment;
use pebble::portal::call;
use pebble::sync::{Mutex, Semaphore};
use rtc::Rtc;

pebble::server!(start);
pebble::serve! { clock { time, alarm } }
pebble::serve! { later static SETTING: time { set } }

/// Priority of the thread that serves the interrupt.
const INTERRUPT_PRIORITY: u8 = 45;

static CLOCK: Mutex<Option<Rtc>> = Mutex::new(None);
static ALARMS: Mutex<Alarms> = Mutex::new(Alarms::new());
/// Number of the semaphore that the interrupt posts.
static INTERRUPT: AtomicUsize = AtomicUsize::new(0);
/// Nanoseconds by which the time of day is ahead of the device's, modulo 2^64.
static AHEAD: AtomicU64 = AtomicU64::new(0);

fn start(env: &pebble::Env) {
    let (Some(device), Ok(semaphore)) = (env.device(0), Semaphore::new(0)) else { return };
    INTERRUPT.store(semaphore.number(), Ordering::Relaxed);
    core::mem::forget(semaphore);
    // SAFETY: init mapped the device of our manifest entry there, for us alone.
    let rtc = unsafe { Rtc::new(device.address as usize) };
    let attached = call(system::INTERRUPT, [0, INTERRUPT.load(Ordering::Relaxed)]);
    // Without its interrupt no alarm would ever come: every call answers EIO.
    if attached == 0 && pebble::thread::spawn(Some(INTERRUPT_PRIORITY), move || serve(rtc)).is_ok() {
        *CLOCK.lock() = Some(rtc);
    }
    if (1..env.len()).any(|n| env.argument(n) == Some("settable")) {
        // Where the manifest does not allow it, who opens it is told.
        let _ = pebble::portal::register(&SETTING, 0);
    }
}
/// The time of day.
fn now(rtc: Rtc) -> u64 {
    rtc.now().wrapping_add(AHEAD.load(Ordering::Relaxed))
}
/// Interrupts at this time of day.
fn interrupt_at(rtc: Rtc, time: u64) {
    rtc.alarm(time.wrapping_sub(AHEAD.load(Ordering::Relaxed)));
}
/// Serves the clock's interrupts.
fn serve(rtc: Rtc) {
    loop {
        call(INTERRUPT.load(Ordering::Relaxed), [usize::MAX]);
        rtc.acknowledge();
        wake_due(rtc);
        call(system::INTERRUPT_DONE, [0]);
    }
}
/// Wakes those whose time has come, and sets the alarm for the next.
fn wake_due(rtc: Rtc) {
    let mut alarms = ALARMS.lock();
    for semaphore in alarms.due(now(rtc)) {
        call(semaphore + 1, []);
    }
    if let Some(next) = alarms.next() {
        interrupt_at(rtc, next);
    }
}

extern "C" fn time() -> isize {
    CLOCK.lock().map_or(Error::EIO.code(), |rtc| now(rtc) as isize)
}
extern "C" fn alarm(Moment(time): Moment) -> isize {
    let Some(rtc) = *CLOCK.lock() else { return Error::EIO.code() };
    if (time as u64) <= now(rtc) {
        return 0;
    }
    let Ok(semaphore) = Semaphore::new(0) else { return Error::ENOMEM.code() };
    let added = ALARMS.lock().add(time as u64, semaphore.number());
    match added {
        Some(true) => interrupt_at(rtc, time as u64),
        Some(false) => {}
        None => return Error::EBUSY.code(),
    }
    // The time may have come before the alarm was set.
    wake_due(rtc);
    match semaphore.wait() {
        Ok(()) => 0,
        // Its caller is gone, or does not wait any longer.
        Err(error) => {
            ALARMS.lock().cancel(semaphore.number());
            error.code()
        }
    }
}
extern "C" fn set(Moment(time): Moment) -> isize {
    let Some(rtc) = *CLOCK.lock() else { return Error::EIO.code() };
    if (time as isize) < 0 {
        return Error::EINVAL.code();
    }
    AHEAD.store((time as u64).wrapping_sub(rtc.now()), Ordering::Relaxed);
    wake_due(rtc);
    0
}
