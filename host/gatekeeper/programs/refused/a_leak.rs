//! FORGET: memory becomes a reference that lasts for ever.
#![no_std]
extern crate alloc;
pub fn leaked() -> &'static mut [u64] {
    alloc::vec![1, 2, 3].leak()
}
