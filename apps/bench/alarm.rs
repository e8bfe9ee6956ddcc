//! A driver of the real-time clock for `driver.c`: how long it takes from an interrupt of the device until the thread that serves it executes. Of
//! which isolation it is, the manifest says.
#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use pebble::abi::system;
use pebble::portal::call;
use pebble::sync::Semaphore;

pebble::provide! {
    "alarm.now", "np", now;
    "alarm.late", "npi", late;
}

/// Goldfish's registers.
const TIME_LOW: usize = 0x00;
const TIME_HIGH: usize = 0x04;
const ALARM_LOW: usize = 0x08;
const ALARM_HIGH: usize = 0x0c;
const INTERRUPT_ENABLED: usize = 0x10;
const CLEAR_INTERRUPT: usize = 0x1c;
/// Above all others: nobody keeps it waiting but who keeps interrupts off.
const PRIORITY: u8 = 46;

static DEVICE: AtomicUsize = AtomicUsize::new(0);
/// Numbers of the semaphores: the interrupt's, and that of who waits until it was served.
static INTERRUPT: AtomicUsize = AtomicUsize::new(0);
static SERVED: AtomicUsize = AtomicUsize::new(0);
/// When the thread executed: on the core's counter, and by the device.
static CYCLES: AtomicU64 = AtomicU64::new(0);
static TIME: AtomicU64 = AtomicU64::new(0);

fn read(register: usize) -> u64 {
    // SAFETY: `init` mapped the device of our manifest entry there, for us alone.
    unsafe { ((DEVICE.load(Relaxed) + register) as *const u32).read_volatile() as u64 }
}
fn write(register: usize, value: u64) {
    // SAFETY: as above.
    unsafe { ((DEVICE.load(Relaxed) + register) as *mut u32).write_volatile(value as u32) }
}
fn time() -> u64 {
    let low = read(TIME_LOW);
    read(TIME_HIGH) << 32 | low
}
fn cycles() -> u64 {
    pebble::arch::component::cycles()
}
fn serve() {
    loop {
        call(INTERRUPT.load(Relaxed), [usize::MAX]);
        CYCLES.store(cycles(), Relaxed);
        TIME.store(time(), Relaxed);
        write(CLEAR_INTERRUPT, 1);
        call(system::INTERRUPT_DONE, [0]);
        call(SERVED.load(Relaxed) + 1, []);
    }
}
fn served() {
    call(SERVED.load(Relaxed), [usize::MAX]);
}
/// The alarm is set to a time that has been: from there to the thread, on the core's counter.
extern "C" fn now() -> isize {
    write(ALARM_HIGH, 0);
    let start = cycles();
    write(ALARM_LOW, 1);
    served();
    (CYCLES.load(Relaxed) - start) as isize
}
/// The alarm is set to a time in `after` nanoseconds, when others execute: nanoseconds from there to the thread, by the device.
extern "C" fn late(after: usize) -> isize {
    let at = time() + after as u64;
    write(ALARM_HIGH, at >> 32);
    write(ALARM_LOW, at);
    served();
    (TIME.load(Relaxed) - at) as isize
}
fn main(env: &pebble::Env) {
    let (Some(device), Ok(interrupt), Ok(served)) = (env.device(0), Semaphore::new(0), Semaphore::new(0)) else {
        return;
    };
    DEVICE.store(device.address as usize, Relaxed);
    INTERRUPT.store(interrupt.number(), Relaxed);
    SERVED.store(served.number(), Relaxed);
    core::mem::forget((interrupt, served));
    write(INTERRUPT_ENABLED, 1);
    if call(system::INTERRUPT, [0, INTERRUPT.load(Relaxed)]) < 0 {
        return;
    }
    let _ = pebble::thread::spawn(Some(PRIORITY), serve);
}
pebble::server!(main);
