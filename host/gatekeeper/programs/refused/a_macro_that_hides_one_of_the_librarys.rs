//! MACRO: what it makes would be taken for the library's.
#![no_std]
macro_rules! vec {
    ($($value:expr),*) => { [$($value),*] };
}
pub fn three() -> usize {
    vec![1, 2, 3].len()
}
