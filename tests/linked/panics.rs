// arguments link link 2 3 2 wait 2 3 ends list unlink
// expect stdout turn 2: 2
// expect stdout turn 3: -5
// expect stdout turn 2: -5
// expect stdout turn 2: -5
// expect stdout turn 3: -5
// expect stdout 1 panics: Panic, panics.rs:15
// expect stdout 2 panics: Panic, panics.rs:15
// expect stdout unlinked Err(ENOENT)
//! Who panics is taken out, and the raiser gets the default.
#![no_std]
use sample as _;
pub fn turn(number: u32) -> i64 {
    let bytes = [0, 1, 2];
    bytes[number as usize]
}
