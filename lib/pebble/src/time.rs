//! Time. A tick of `hrtime` is two core cycles.

use abi::system;
pub use abi::system::TIMEBASE;
pub use arch::component::cycles;

/// High-resolution time, in ticks.
pub fn hrtime() -> u64 {
    crate::portal::call(system::HRTIME, []) as u64
}
/// Waits `ticks` of [`hrtime`].
pub fn sleep(ticks: u64) {
    crate::portal::call(system::SLEEP, [ticks as usize]);
}
/// The time register: [`TIMEBASE`] units in a second since the machine was started.
#[inline(always)]
pub fn time() -> u64 {
    arch::component::time()
}
/// Waits `units` of [`time`]. How many ticks of [`hrtime`] that is, it finds out while it waits.
pub fn wait(units: u64) {
    let end = time() + units;
    let mut ticks = 1 << 16;
    loop {
        let (from, tick) = (time(), hrtime());
        sleep(ticks);
        let now = time();
        if now >= end {
            return;
        }
        let rate = (hrtime() - tick) as u128 * (end - now) as u128 / (now - from).max(1) as u128;
        ticks = (rate as u64).max(1);
    }
}

/// A time that comes again and again, each time so many ticks of [`hrtime`] after the one before, however long the work between takes.
pub struct Timer {
    next: u64,
    period: u64,
}
impl Timer {
    /// Every `period` ticks (at least one), for the first time one period from now.
    pub fn every(period: u64) -> Timer {
        let period = period.max(1);
        Timer { next: hrtime().saturating_add(period), period }
    }
    /// Waits for the next time. How many were missed, because it was called too late for them.
    pub fn wait(&mut self) -> u64 {
        loop {
            let now = hrtime();
            if now >= self.next {
                let missed = (now - self.next) / self.period;
                self.next = self.next.saturating_add((missed + 1).saturating_mul(self.period));
                return missed;
            }
            sleep(self.next - now);
        }
    }
}
