// on strict
// slices 5
// timeout 60
// arguments guarded:150
// expect stdout came and went 150 times, 0 answers were wrong
//! As `comes_and_goes`, with a guard in every other life: threads are interrupted anywhere on the way to who is found by it.
#![no_std]
use sample as _;
pub fn turn(number: u32) -> i64 {
    i64::from(number) * 2 + 1
}
