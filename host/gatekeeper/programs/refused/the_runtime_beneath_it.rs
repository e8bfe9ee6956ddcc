//! NAME: addresses as numbers, of the crate that entries are made with
#![no_std]
pub fn address() -> u64 {
    extension_runtime::allocate(8, 8)
}
