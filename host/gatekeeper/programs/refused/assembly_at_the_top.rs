//! ASM, LINT: outside of all functions.
#![no_std]
core::arch::global_asm!("nop");
