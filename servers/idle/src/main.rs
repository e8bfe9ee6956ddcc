//! The idle thread: it starts the scheduler, and from then on runs when no other thread is ready.
//!
//! `idle::WAIT` halts the hart (`wfi`) until an interrupt is pending, which is then taken as soon as the portal returns
//! here: whoever it wakes has a higher priority. The thread needs no stack, so the component is five instructions, which the
//! image builder puts in the return page: they may lie at any address.
#![no_std]
#![no_main]

core::arch::global_asm!(
    ".section .text.start, \"ax\", @progbits",
    ".global _start",
    "_start:",
    "   li a7, {start}",
    "   ecall",
    "1: li a7, {wait}",
    "   ecall",
    "   j 1b",
    start = const abi::system::idle::START,
    wait = const abi::system::idle::WAIT,
);

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo) -> ! {
    // SAFETY: an illegal instruction; nothing goes on after it. (Nothing here panics.)
    unsafe { core::arch::asm!("unimp", options(noreturn)) }
}
