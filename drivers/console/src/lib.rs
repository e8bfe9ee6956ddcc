//! The console driver's logic: what becomes of keys, and of what programs send. Free of hardware.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod attention;
pub mod frames;
pub mod line;
