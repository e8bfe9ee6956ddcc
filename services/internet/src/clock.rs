//! Time as the stack counts it, and waits of so much of it.

use core::sync::atomic::{AtomicU64, Ordering};
use pebble::Result;
use pebble::sync::Semaphore;
use pebble::time::{TIMEBASE, hrtime, time};
use smoltcp::time::Instant;

/// Units of the time register in a microsecond.
const UNITS: u64 = TIMEBASE / 1_000_000;
/// Longest wait in microseconds: how fast `hrtime` runs is measured by each.
const LONGEST: u64 = 10_000_000;
/// Ticks of `hrtime` in 256 microseconds, as far as is known: the machine's affair.
static RATE: AtomicU64 = AtomicU64::new(500 * 256);

/// Microseconds since the machine was started.
pub fn micros() -> u64 {
    time() / UNITS
}
pub fn now() -> Instant {
    Instant::from_micros(micros() as i64)
}
/// Waits until the semaphore is posted, or until that time, or earlier.
pub fn wait(semaphore: &Semaphore, until: u64) -> Result<()> {
    let (start, first) = (micros(), hrtime());
    let wanted = until.saturating_sub(start).min(LONGEST);
    if wanted == 0 {
        return semaphore.wait_for(0);
    }
    let waited = semaphore.wait_for((wanted * RATE.load(Ordering::Relaxed) / 256).max(1));
    let passed = micros() - start;
    if passed >= 1000 {
        RATE.store(((hrtime() - first) * 256 / passed).max(1), Ordering::Relaxed);
    }
    waited
}
pub fn sleep(micros: u64) {
    pebble::time::sleep(micros * RATE.load(Ordering::Relaxed) / 256);
}
