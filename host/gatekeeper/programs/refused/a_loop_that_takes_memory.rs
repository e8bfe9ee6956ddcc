//! QUOTA, TIME: until there is none.
#![no_std]
extern crate alloc;
use alloc::{boxed::Box, vec::Vec};
pub fn all() {
    let mut taken: Vec<Box<[u8]>> = Vec::new();
    loop {
        taken.push(alloc::vec![1; 1 << 16].into_boxed_slice());
    }
}
