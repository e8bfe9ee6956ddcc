//! PTR-INT: a method gives it.
#![no_std]
pub fn empty(values: &[u64]) -> bool {
    let range = values.as_ptr_range();
    range.is_empty()
}
