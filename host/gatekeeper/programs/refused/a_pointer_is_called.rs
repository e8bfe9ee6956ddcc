//! FNPTR, STACK: what is called is a value.
#![no_std]
pub fn apply(step: fn(u64) -> u64, value: u64) -> u64 {
    step(value)
}
