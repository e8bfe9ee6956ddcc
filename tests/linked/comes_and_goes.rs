// on strict
// slices 5
// timeout 60
// arguments race:150
// expect stdout came and went 150 times, 0 answers were wrong
//! Threads are interrupted anywhere on the way to a handler, which is not there any more when they go on.
#![no_std]
use sample as _;
pub fn turn(number: u32) -> i64 {
    i64::from(number) * 2 + 1
}
