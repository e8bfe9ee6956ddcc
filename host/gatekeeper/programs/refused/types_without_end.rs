//! BUILD: each call is of another type.
#![no_std]
pub struct Around<T>(pub T);
fn deeper<T>(value: T, left: u64) -> u64 {
    if left == 0 { size_of::<T>() as u64 } else { deeper(Around(value), left - 1) }
}
pub fn deep(n: u64) -> u64 {
    deeper(0u8, n)
}
