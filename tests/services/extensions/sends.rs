//! Answers each datagram for port 7 with two, of which it sends one itself from its own memory, whatever its length; what is none it has sent in vain.
#![no_std]
extern crate alloc;
use alloc::vec::Vec;
use packets::Verdict;

fn answer(frame: &mut [u8]) {
    let mut middle = |at: usize, half: usize| {
        let (one, other) = frame[at..at + 2 * half].split_at_mut(half);
        one.swap_with_slice(other);
    };
    middle(0, 6);
    middle(26, 4);
    middle(34, 2);
}
pub fn arrived(frame: &mut [u8]) -> Verdict {
    if frame.len() < 42 || frame[12..14] != [8, 0] || frame[23] != 17 || frame[36..38] != [0, 7] {
        return Verdict::Pass;
    }
    let mut own: Vec<u8> = Vec::new();
    // Wherever a page ends in it.
    own.resize(4096 - 50, 0);
    let at = own.len();
    own.extend_from_slice(frame);
    answer(&mut own[at..]);
    let is_sent = packets::send(&own[at..]) && !packets::send(&own) && !packets::send(&own[..13]);
    if is_sent { answer(frame); Verdict::Return } else { Verdict::Drop }
}
