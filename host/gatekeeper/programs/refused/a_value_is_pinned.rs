//! PIN: in a box.
#![no_std]
extern crate alloc;
pub fn pinned() -> u64 {
    *alloc::boxed::Box::pin(3)
}
