// arguments link 1000 1000 100000 wait 2 ends
// expect stdout turn 1000: 1000
// expect stdout turn 1000: 1000
// expect stdout turn 100000: -5
// expect stdout turn 2: -5
//! Of an arena's memory there is so much, and all of it is there again for the next activation.
#![no_std]
extern crate alloc;
use alloc::vec::Vec;
use sample as _;

pub fn turn(number: u32) -> i64 {
    let all: Vec<u32> = (0..number).collect();
    // Each is looked at.
    all.iter().map(|n| i64::from(*n > 0 && sample::count(0) > *n as u64)).sum::<i64>() + all.len() as i64
}
