//! FNPTR: the second parameter of the cell is a function pointer where nobody says another.
#![no_std]
use core::cell::LazyCell;
pub fn late() -> u64 {
    let cell: LazyCell<u64> = LazyCell::new(|| 3);
    *cell
}
