//! May take a second for a frame.
#![no_std]
use packets::Verdict;

pub fn arrived(_: &mut [u8]) -> Verdict {
    Verdict::Pass
}
