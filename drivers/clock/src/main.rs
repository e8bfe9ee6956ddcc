//! The clock: the time of day, and alarms by the clock's own interrupt.
#![no_std]
#![no_main]

mod rtc;

use abi::Error;
use abi::system;
use clock_logic::Alarms;
use core::sync::atomic::{AtomicUsize, Ordering};
use pebble::interfaces::types::Moment;
use pebble::portal::call;
use pebble::sync::{Mutex, Semaphore};
use rtc::Rtc;

pebble::server!(start);
pebble::serve! { clock { time, alarm } }

/// Priority of the thread that serves the interrupt.
const INTERRUPT_PRIORITY: u8 = 45;

static CLOCK: Mutex<Option<Rtc>> = Mutex::new(None);
static ALARMS: Mutex<Alarms> = Mutex::new(Alarms::new());
/// Number of the semaphore that the interrupt posts.
static INTERRUPT: AtomicUsize = AtomicUsize::new(0);

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
    for semaphore in alarms.due(rtc.now()) {
        call(semaphore + 1, []);
    }
    if let Some(next) = alarms.next() {
        rtc.alarm(next);
    }
}

extern "C" fn time() -> isize {
    CLOCK.lock().map_or(Error::EIO.code(), |rtc| rtc.now() as isize)
}
extern "C" fn alarm(Moment(time): Moment) -> isize {
    let Some(rtc) = *CLOCK.lock() else { return Error::EIO.code() };
    if (time as u64) <= rtc.now() {
        return 0;
    }
    let Ok(semaphore) = Semaphore::new(0) else { return Error::ENOMEM.code() };
    let added = ALARMS.lock().add(time as u64, semaphore.number());
    match added {
        Some(true) => rtc.alarm(time as u64),
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
