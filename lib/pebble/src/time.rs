//! Time. A tick of `hrtime` is two core cycles.

use abi::system;

/// High-resolution time, in ticks.
pub fn hrtime() -> u64 {
    crate::portal::call(system::HRTIME, []) as u64
}
/// Waits `ticks` of [`hrtime`].
pub fn sleep(ticks: u64) {
    crate::portal::call(system::SLEEP, [ticks as usize]);
}
/// The hart's cycle counter.
#[inline(always)]
pub fn cycles() -> u64 {
    let cycles;
    // SAFETY: reads a counter that every component may read.
    unsafe { core::arch::asm!("rdcycle {}", out(reg) cycles, options(nomem, nostack)) };
    cycles
}
/// Units of the time register in a second, on QEMU's `virt` machine.
pub const TIMEBASE: u64 = 10_000_000;
/// The time register: [`TIMEBASE`] units in a second since the machine was started.
#[inline(always)]
pub fn time() -> u64 {
    let time;
    // SAFETY: reads a counter that every component may read.
    unsafe { core::arch::asm!("rdtime {}", out(reg) time, options(nomem, nostack)) };
    time
}
