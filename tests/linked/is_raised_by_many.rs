// timeout 30
// on strict
// slices 8
// arguments race:60
// expect stdout came and went 60 times, 0 answers were wrong
//! Three threads raise an event, and it raises itself, while it comes and goes; they are interrupted anywhere.
#![no_std]
use core::hint::black_box;

fn said(number: u32) -> i64 {
    i64::from(number) * 2 + 1
}
pub fn turn(number: u32) -> i64 {
    // On its own stack, and in its own arena.
    let own = black_box([number; 16]);
    let memory = black_box(alloc::vec![number; 16]);
    let inner = if number % 4 == 3 { sample::raise(number / 4) } else { -5 };
    let is_kept = own.iter().chain(&memory).all(|&one| one == number);
    let is_right = inner == -5 || inner == said(number / 4);
    if is_kept && is_right { said(number) } else { -1 }
}
extern crate alloc;
