// arguments sweep
// expect stdout where the reserve begins some end, where it ends all
//! However little is left of the stack, to the byte, where a procedure of the host's is called, or where it panics: it is the extension that ends.
#![no_std]
use core::hint::black_box;
use sample::{Header, Verdict};

pub fn turn(number: u32) -> i64 {
    small(number / 8, number % 8)
}
/// Two kinds of frames: together they come to every place.
fn small(depth: u32, rest: u32) -> i64 {
    if depth == 0 { large(rest / 2, rest % 2) } else { small(depth - 1, rest) + i64::from(black_box(depth) > 0) }
}
fn large(depth: u32, what: u32) -> i64 {
    let own = black_box([depth as u8; 16]);
    let found = if depth == 0 { ends(what) } else { large(depth - 1, what) };
    found + i64::from(own[(depth % 16) as usize])
}
fn ends(what: u32) -> i64 {
    if what == 0 {
        let mut header = Header { port: 1, source: [0; 4], size: 0 };
        return (sample::turned(Verdict::Drop, &mut header, &mut [0; 3], 1, true) == Verdict::Pass) as i64;
    }
    let none: [u8; 0] = [];
    i64::from(none[black_box(what) as usize])
}
