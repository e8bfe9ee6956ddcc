//! Nobody gets to port 80.
#![no_std]
use packets::Verdict;

pub fn arrived(frame: &mut [u8]) -> Verdict {
    let to_http = frame.len() > 38 && frame[12..14] == [8, 0] && frame[23] == 6 && frame[36..38] == [0, 80];
    if to_http { Verdict::Drop } else { Verdict::Pass }
}
