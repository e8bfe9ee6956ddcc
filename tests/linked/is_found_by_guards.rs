// timeout 60
// arguments chosen:200
// expect stdout raised 2000 times, the same were called; many; 141 lists by the machine's own code
//! Guards at random: who is found by the machine's own code is who the dispatcher finds.
#![no_std]
use sample::{Header, Measured, Verdict};
pub fn arrived(_: &Header, _: &[u8]) -> Verdict {
    Verdict::Pass
}
pub fn turn(number: u32) -> i64 {
    number.into()
}
pub fn noted(_: i8, _: u64) {}
pub fn measured(_: &Measured) {}
