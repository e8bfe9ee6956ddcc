//! What components ask of the processor: absent still. What stands here says which it will be.

/// What a back end that is absent says.
const ABSENT: &str = "x86-64: portals are absent";

pub fn call<const N: usize>(_number: usize, _arguments: [usize; N]) -> isize {
    unimplemented!("{ABSENT}")
}
/// # Safety
/// As that of the other machine.
pub unsafe fn leave<const N: usize>(_number: usize, _arguments: [usize; N]) -> ! {
    unimplemented!("{ABSENT}")
}
pub fn stop() -> ! {
    // SAFETY: stops this domain; nothing goes on after it.
    unsafe { core::arch::asm!("ud2", options(noreturn)) }
}
pub fn stack_pointer() -> usize {
    let sp: usize;
    // SAFETY: reads a register.
    unsafe { core::arch::asm!("mov {}, rsp", out(reg) sp, options(nomem, nostack, preserves_flags)) };
    sp
}
/// Nothing comes in with a thread.
pub fn thread_register() -> usize {
    0
}
pub fn cycles() -> u64 {
    // SAFETY: reads a counter.
    unsafe { core::arch::x86_64::_rdtsc() }
}
pub fn time() -> u64 {
    unimplemented!("{ABSENT}")
}
/// The processor does that itself.
pub fn code_was_written() {}
/// Of [`mark`]: instructions with interrupts off do not count until here.
pub const UNCOUNTED: usize = 2047;
pub fn mark<const NUMBER: usize>() {}
/// # Safety
/// As that of the other machine.
pub unsafe fn enter<T, const N: usize>(_block: &mut T, _portal: u64, _arguments: &[u64; N]) -> i64 {
    unimplemented!("{ABSENT}")
}
/// # Safety
/// As that of the other machine.
pub unsafe fn copy_guarded(_to: usize, _from: usize, _bytes: usize) -> bool {
    unimplemented!("{ABSENT}")
}
pub fn after_fault(_pc: usize) -> Option<usize> {
    unimplemented!("{ABSENT}")
}
pub fn keeping_thread<R>(_work: impl FnOnce() -> R) -> R {
    unimplemented!("{ABSENT}")
}

#[macro_export]
macro_rules! idle_program {
    ($start:expr, $wait:expr) => {
        const _: [usize; 2] = [$start, $wait];
    };
}
#[macro_export]
macro_rules! numbered_entries {
    ($name:ident, $entries:expr, $serve:path) => {
        extern "C" fn $name() {
            const _: usize = $entries;
            const _: extern "C" fn(usize, &mut [u64; 6]) -> i64 = $serve;
            unimplemented!("x86-64: entries of portals are absent")
        }
    };
}
