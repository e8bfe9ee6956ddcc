//! MACRO: what the extension's own macro makes would be taken for the library's.
#![no_std]
macro_rules! body {
    ($value:expr) => {
        ::core::mem::forget($value)
    };
}
use body as assert;
pub fn lose(value: u64) {
    assert!(value)
}
