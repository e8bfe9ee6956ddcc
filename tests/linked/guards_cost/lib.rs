// icount
// arguments only:1 link cost none only:2 link cost none each:10 cost none each:1000 cost 999 1000
// expect stdout raised in 81 instructions
// expect stdout raised in 34 instructions
// expect stdout raised in 81 instructions
// expect stdout raised in 81 instructions
// expect stdout turn 999: 999
// expect stdout turn 1000: -5
//! What an event costs whose one handler is not called, or is, by its guard; and one of 10 and of 1,000 by what they are compared to.
#![no_std]
use sample as _;
pub fn turn(number: u32) -> i64 {
    i64::from(number)
}
