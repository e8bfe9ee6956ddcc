//! STACK: more than the stack of an activation.
#![no_std]
pub fn large(at: usize) -> u8 {
    let mut values = [1u8; 1 << 16];
    core::hint::black_box(&mut values)[at % (1 << 16)]
}
