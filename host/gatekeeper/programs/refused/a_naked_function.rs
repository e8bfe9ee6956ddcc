//! ASM, ATTR, EXTERN, LINT: any instructions, as a safe function.
#![no_std]
#[unsafe(naked)]
pub extern "C" fn load(_address: usize) -> u64 {
    core::arch::naked_asm!("ld a0, 0(a0)", "ret")
}
