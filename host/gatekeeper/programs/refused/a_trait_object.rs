//! DYN: in an argument.
#![no_std]
use core::fmt::Debug;
pub fn size(value: &dyn Debug) -> usize {
    size_of_val(value)
}
