//! EXTERN: C's.
#![no_std]
pub extern "C" fn add(one: u64, other: u64) -> u64 {
    one + other
}
