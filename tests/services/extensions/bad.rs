//! Panics at the first frame: none is as long.
#![no_std]
use packets::Verdict;

pub fn arrived(frame: &mut [u8]) -> Verdict {
    if frame[2000] == 0 { Verdict::Drop } else { Verdict::Pass }
}
