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
}

impl Clock {
    pub const fn new() -> Clock {
        Clock { time_at_start: 0, cycles_at_start: 0, time_per_tick: 0, next_measure: 0 }
    }
    /// `cycles_per_time`: the ratio where it is fixed, else 0.
    pub fn start(&mut self, machine: &impl Machine, cycles_per_time: u64) {
        self.time_at_start = machine.now();
        self.cycles_at_start = machine.cycles();
        let ratio = if cycles_per_time == 0 { DEFAULT_RATIO } else { cycles_per_time };
        self.time_per_tick = (1u64 << 33).div_ceil(ratio);
        self.next_measure = if cycles_per_time == 0 { FIRST_MEASURE } else { NEVER };
    }
    /// The first moment of `time` that is at least `ticks` from now: rounded up, so that nobody wakes early.
    pub fn deadline(&mut self, machine: &impl Machine, ticks: u64) -> u64 {
        let now = machine.now();
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
