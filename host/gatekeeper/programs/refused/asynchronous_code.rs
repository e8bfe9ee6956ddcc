//! ASYNC: a block of it.
#![no_std]
pub fn later() {
    let _later = async { 3 };
}
