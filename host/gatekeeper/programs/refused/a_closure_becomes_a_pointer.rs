//! FNPTR: a closure behind a parameter's type.
#![no_std]
pub struct Table<S>(pub [S; 2]);
pub fn table() -> usize {
    let table = Table([|n: u64| n + 1, |n: u64| n + 2]);
    table.0.len()
}
