//! STACK: a frame is moved by it.
#![no_std]
#[repr(align(1048576))]
pub struct Page(pub u8);
