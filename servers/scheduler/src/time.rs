//! From ticks of `hrtime` to units of `time`.
//!
//! Components count in ticks (two cycles of the core, as in the USENIX paper's `hrtime`); the timer compares `time`. The
//! ratio is fixed where the image builder knows it. Elsewhere it is measured from the scheduler's start on: first after
//! [`FIRST_MEASURE`] units, then whenever the time measured has doubled, so that it soon is as exact as its format.
//! Until the first measurement, [`DEFAULT_RATIO`] stands in.

use crate::machine::Machine;

/// The deadline that does not come.
pub const NEVER: u64 = u64::MAX;
/// Time between two looks at who runs, in units of `time`: 5 ms at the 10 MHz of QEMU's `virt`. A thread that has run
/// without waiting from one to the next makes room for others of its priority.
pub const SLICE: u64 = 50_000;
/// Units of `time` after which the ratio is first measured (1 ms at 10 MHz).
const FIRST_MEASURE: u64 = 10_000;
/// Units of `time` after which it is left as it is; the shift in `measure` has room for it.
const LAST_MEASURE: u64 = 1 << 30;
/// Cycles in a unit of `time` before the first measurement: 1 GHz at 10 MHz.
const DEFAULT_RATIO: u64 = 100;

pub struct Clock {
    time_at_start: u64,
    cycles_at_start: u64,
    /// Units of `time` in a tick, times 2³², rounded up.
    time_per_tick: u64,
    /// Units since the start after which to measure (again).
    next_measure: u64,
    /// Units of `time` in a cycle, times 2⁶⁴, rounded down; 0 where the ratio is not fixed.
    time_per_cycle: u64,
}

impl Clock {
    pub const fn new() -> Clock {
        Clock { time_at_start: 0, cycles_at_start: 0, time_per_tick: 0, next_measure: 0, time_per_cycle: 0 }
    }
    /// `cycles_per_time`: the ratio where it is fixed, else 0.
    pub fn start(&mut self, machine: &impl Machine, cycles_per_time: u64) {
        // The second reading takes less time than the first, which is not in the cache: `passed` lags behind by as much.
        machine.now();
        self.time_at_start = machine.now();
        self.cycles_at_start = machine.cycles();
        let ratio = if cycles_per_time == 0 { DEFAULT_RATIO } else { cycles_per_time };
        self.time_per_tick = (1u64 << 33).div_ceil(ratio);
        self.next_measure = if cycles_per_time == 0 { FIRST_MEASURE } else { NEVER };
        self.time_per_cycle = match cycles_per_time {
            0 => 0,
            1 => u64::MAX,
            ratio => ((1u128 << 64) / u128::from(ratio)) as u64,
        };
    }
    /// A moment of `time` that has come, and is now or little earlier. Where the ratio is fixed the cycles say so: a register, while
    /// to read `time` may be a trap into firmware.
    #[inline(always)]
    pub fn passed(&self, machine: &impl Machine) -> u64 {
        if self.time_per_cycle == 0 {
            return machine.now();
        }
        let cycles = machine.cycles().wrapping_sub(self.cycles_at_start);
        self.time_at_start.wrapping_add(((u128::from(cycles) * u128::from(self.time_per_cycle)) >> 64) as u64)
    }
    /// The first moment of `time` that is at least `ticks` from `now`: rounded up, so that nobody wakes early.
    pub fn deadline(&mut self, machine: &impl Machine, now: u64, ticks: u64) -> u64 {
        let since = now.wrapping_sub(self.time_at_start);
        if since >= self.next_measure {
            self.measure(machine, since);
        }
        let units = (u128::from(ticks) * u128::from(self.time_per_tick)).div_ceil_shift();
        // One more, because the present unit has begun already.
        now.saturating_add(units).saturating_add(1).min(NEVER - 1)
    }
    #[cold]
    #[inline(never)]
    fn measure(&mut self, machine: &impl Machine, since: u64) {
        let cycles = machine.cycles().wrapping_sub(self.cycles_at_start);
        if since < LAST_MEASURE && cycles != 0 {
            self.time_per_tick = (since << 33).div_ceil(cycles);
        }
        self.next_measure = if since < LAST_MEASURE { since * 2 } else { NEVER };
    }
}

trait DivCeilShift {
    fn div_ceil_shift(self) -> u64;
}
impl DivCeilShift for u128 {
    /// Divided by 2³², rounded up, at most `u64::MAX`.
    #[inline(always)]
    fn div_ceil_shift(self) -> u64 {
        let rounded = self + 0xFFFF_FFFF;
        if rounded >> 96 != 0 { u64::MAX } else { (rounded >> 32) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;
    use proptest::prelude::*;

    /// A hart that takes `reading` cycles before and after `time` is read, as where that is a trap.
    struct Slow {
        cycle: Cell<u64>,
        ratio: u64,
        reading: u64,
    }
    impl Machine for Slow {
        fn now(&self) -> u64 {
            let read = self.cycle.get() + self.reading;
            self.cycle.set(read + self.reading);
            read / self.ratio
        }
        fn cycles(&self) -> u64 {
            self.cycle.get()
        }
        fn timer_set(&mut self, _: u64) {}
    }
    proptest! {
        #![proptest_config(properties::config(256))]
        #[test]
        fn what_has_passed_is_never_ahead_of_time_and_little_behind(
            start in 0..1u64 << 40,
            ratio in 1..1000u64,
            reading in 0..200u64,
            later in 0..1u64 << 50,
        ) {
            let hart = Slow { cycle: Cell::new(start), ratio, reading };
            let mut clock = Clock::new();
            clock.start(&hart, ratio);
            hart.cycle.set(hart.cycle.get() + later);
            let (passed, now) = (clock.passed(&hart), hart.cycle.get() / ratio);
            prop_assert!(passed <= now && now - passed <= reading / ratio + 3, "{passed} at {now}");
        }
    }
}
