//! EXTERN, LINT: called safe, by who calls it.
#![no_std]
unsafe extern "C" {
    safe fn map_physical(address: usize) -> usize;
}
pub fn map() -> usize {
    map_physical(0)
}
