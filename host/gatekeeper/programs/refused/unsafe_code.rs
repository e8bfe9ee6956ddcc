//! LINT: that the source allows.
#![no_std]
#![allow(unsafe_code)]
pub fn first(values: &[u64]) -> u64 {
    unsafe { *values.get_unchecked(0) }
}
