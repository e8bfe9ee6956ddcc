// arguments link 3 floating wait floating ends
// expect stdout turn 3: 4
// expect stdout kept true
// expect stdout kept true
// expect stdout 1 computes: Panic, computes.rs:25
//! Registers of floating point that a raiser relies on are his again, though the handler had them and was ended.
#![no_std]
use sample as _;

pub fn turn(number: u32) -> i64 {
    let mut all = [0.5f64; 16];
    for (n, one) in all.iter_mut().enumerate() {
        *one = f64::from(number) * n as f64;
    }
    // In registers, across the call.
    let [a, b, c, d, e, f, g, h, i, j, k, l, ..] = all;
    let one = if sample::count(number) < u64::MAX { 1.0 } else { 2.0 };
    let sum = a * one + b * (one + 1.0) + c * (one + 2.0) + d * (one + 3.0) + e * (one + 4.0) + f * (one + 5.0);
    let sum = sum + g * (one + 6.0) + h * (one + 7.0) + i * (one + 8.0) + j * (one + 9.0) + k * (one + 10.0);
    let sum = sum + l * (one + 11.0);
    // 0, 2, 6, 12, …: 572 times the number.
    let exact = core::hint::black_box(sum / 572.0);
    match number {
        3 => exact as i64 + 1,
        _ => i64::from([0u8; 4][number as usize]),
    }
}
