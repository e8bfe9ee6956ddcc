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
