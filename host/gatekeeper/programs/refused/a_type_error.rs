//! COMPILER: a method of an impl that assumes more than its trait's.
#![no_std]
pub fn wrong() -> u64 {
    "three"
}
