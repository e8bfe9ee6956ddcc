//! PTR-INT: the library writes it down.
#![no_std]
extern crate alloc;
use alloc::{format, string::String};
pub fn address(value: &u64) -> String {
    format!("{value:p}")
}
