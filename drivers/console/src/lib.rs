//! The console driver's line discipline: what becomes of keys. Free of hardware.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod line;
