//! STACK: it has no other way.
#![no_std]
pub fn down(n: u64) -> u64 {
    down(n + 1) + 1
}
