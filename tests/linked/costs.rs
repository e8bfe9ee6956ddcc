// icount
// arguments cost link cost link cost
// expect stdout raised in 2 instructions
// expect stdout raised in 59 instructions
// expect stdout raised in 253 instructions
//! What an event costs that nobody handles, that one extension does, and that two do.
#![no_std]
use sample as _;
pub fn turn(number: u32) -> i64 {
    i64::from(number)
}
