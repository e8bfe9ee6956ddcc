//! ANY: by its name.
#![no_std]
pub fn kind() -> usize {
    core::any::type_name::<u64>().len()
}
