//! SIZE: two mebibytes.
#![no_std]
pub static TABLE: [u8; 2 << 20] = [1; 2 << 20];
