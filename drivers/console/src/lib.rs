//! The console driver's logic: what becomes of keys, and of what programs send. Free of hardware.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros))]

extern crate alloc;

pub mod attention;
pub mod frames;
pub mod line;
