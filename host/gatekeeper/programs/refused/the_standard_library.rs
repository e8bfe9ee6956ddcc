//! NAME: by another name.
#![no_std]
extern crate std as core_of_all;
pub fn read() -> usize {
    core_of_all::fs::read("/etc/passwd").map_or(0, |bytes| bytes.len())
}
