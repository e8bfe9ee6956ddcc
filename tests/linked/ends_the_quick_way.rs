// icount
// arguments link quick 2 3 2 wait 2 ends link quick 4 wait ends link quick 5 wait ends link quick 6 6 7 wait ends link quick 8 wait ends link quick 9 9 9 9 9 wait list quick kept
// expect stdout turn 2: 2
// expect stdout turn 3: -5
// expect stdout turn 2: -5
// expect stdout turn 2: -5
// expect stdout 1 ends_the_quick_way: Panic, ends_the_quick_way.rs:37
// expect stdout turn 4: -5
// expect stdout 2 ends_the_quick_way: Stack
// expect stdout turn 5: -5
// expect stdout 3 ends_the_quick_way: Time
// expect stdout turn 6: 3000
// expect stdout turn 6: 3000
// expect stdout turn 7: -5
// expect stdout turn 8: -5
// expect stdout 5 ends_the_quick_way: Panic, ends_the_quick_way.rs:37
// expect stdout turn 9: 3
// expect stdout turn 9: 3
// expect stdout turn 9: 3
// expect stdout turn 9: 3
// expect stdout turn 9: 3
// expect stdout 6 ends_the_quick_way 11 calls, 0 missed
// expect stdout kept true
//! One alone is entered the quick way: its ends are those of the long one.
#![no_std]
extern crate alloc;
use alloc::vec::Vec;

fn deep(depth: u32) -> i64 {
    match depth {
        0 => 0,
        depth => deep(depth - 1) + i64::from(core::hint::black_box(depth)),
    }
}
pub fn turn(number: u32) -> i64 {
    match number {
        3 => panic!(),
        4 => deep(1_000_000),
        5 => {
            while sample::count(1) != u64::MAX {}
            5
        }
        6 => core::hint::black_box(Vec::<u8>::with_capacity(3000)).capacity() as i64,
        7 => core::hint::black_box(Vec::<u8>::with_capacity(300_000)).capacity() as i64,
        // In itself: the inner one ends both, and it is called no more.
        8 => match (sample::raise(3), sample::raise(2)) {
            (-5, -5) => panic!(),
            _ => 8,
        },
        // Both come home.
        9 => sample::raise(2) + 1,
        // With all registers that a function keeps in use.
        10 => {
            let all = core::hint::black_box([number; 14]).map(|n| n * 3);
            sample::count(1);
            let [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = all;
            let mixed = (a ^ b) * (c ^ d) + (e ^ f) * (g ^ h) + (i ^ j) * (k ^ l) + m * n;
            sample::count(mixed);
            panic!()
        }
        _ => i64::from(number),
    }
}
