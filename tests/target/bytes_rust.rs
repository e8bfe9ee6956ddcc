// expect stdout every byte is right
//! Copies, fills and comparisons of every length up to some blocks, from and to every place in a word, overlapping or not: what the
//! compiler's functions leave must be what a loop over bytes leaves, and nothing beside it may change.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::boxed::Box;
use core::hint::black_box;
use pebble::println;

const ROOM: usize = 512;
/// Two blocks of the longest loop, and what is left over.
const LONGEST: usize = 290;

unsafe extern "C" {
    fn memcpy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8;
    fn memmove(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8;
    fn memset(to: *mut u8, byte: i32, bytes: usize) -> *mut u8;
    fn memcmp(one: *const u8, other: *const u8, bytes: usize) -> i32;
    fn bcmp(one: *const u8, other: *const u8, bytes: usize) -> i32;
}
#[repr(align(64))]
struct Room([u8; ROOM]);

fn pattern() -> Box<Room> {
    Box::new(Room(core::array::from_fn(|n| (n * 7 + n / 256 + 1) as u8)))
}
/// All of them, and those around a block's ends, beyond some.
fn lengths() -> impl Iterator<Item = usize> {
    (0..LONGEST).filter(|n| *n < 40 || n % 61 == 0 || (n + 9) % 64 < 18)
}
fn expect(good: bool, what: &str, (to, from, bytes): (usize, usize, usize)) {
    if !good {
        println!("{what}: {bytes} bytes from {from} to {to}");
        pebble::thread::exit_domain(1);
    }
}
/// Moved as a loop does it, by way of another room.
fn moved(to: usize, from: usize, bytes: usize) -> Box<Room> {
    let (source, mut room) = (pattern(), pattern());
    for n in 0..bytes {
        room.0[to + n] = black_box(source.0[from + n]);
    }
    room
}
fn copies() {
    let source = pattern();
    for bytes in lengths() {
        for place in 0..64 {
            let (to, from) = (16 + place / 8, 32 + place % 8);
            let mut room = pattern();
            // SAFETY: both lie in their rooms.
            let result = unsafe { memcpy(room.0[to..].as_mut_ptr(), source.0[from..].as_ptr(), black_box(bytes)) };
            expect(result == room.0[to..].as_mut_ptr(), "memcpy's result", (to, from, bytes));
            expect(room.0 == moved(to, from, bytes).0, "memcpy", (to, from, bytes));
        }
    }
}
fn moves() {
    for bytes in lengths() {
        for (to, from) in
            (0..8).flat_map(|n| [(64, 57 + n), (64 + n, 64), (71, 64 - n), (80 + n, 64), (64, 80 + n), (66, 65 + n)])
        {
            let mut room = pattern();
            let base = room.0.as_mut_ptr();
            // SAFETY: both lie in the room.
            let result = unsafe { memmove(base.add(to), base.add(from), black_box(bytes)) };
            expect(result == room.0[to..].as_mut_ptr(), "memmove's result", (to, from, bytes));
            expect(room.0 == moved(to, from, bytes).0, "memmove", (to, from, bytes));
        }
    }
}
fn fills() {
    for bytes in lengths() {
        for to in 16..24 {
            let mut room = pattern();
            let mut wanted = pattern();
            wanted.0[to..to + bytes].iter_mut().for_each(|byte| *byte = black_box(0xa5));
            // SAFETY: it lies in the room.
            let result = unsafe { memset(room.0[to..].as_mut_ptr(), 0x1a5, black_box(bytes)) };
            expect(result == room.0[to..].as_mut_ptr(), "memset's result", (to, 0, bytes));
            expect(room.0 == wanted.0, "memset", (to, 0, bytes));
        }
    }
}
/// Every byte in turn is another one; those around do not count.
fn comparisons() {
    let one = pattern();
    for bytes in lengths().filter(|bytes| *bytes < 100) {
        for place in 0..64 {
            let (to, from) = (16 + place / 8, 32 + place % 8);
            let mut other = moved(to, from, bytes);
            other.0[to + bytes] ^= 1;
            let mut compared = |different: &mut dyn FnMut(i32) -> bool, change: Option<usize>| {
                if let Some(at) = change {
                    other.0[to + at] ^= 0x80;
                }
                // SAFETY: both lie in their rooms.
                let both = unsafe {
                    let (one, other) = (one.0[from..].as_ptr(), other.0[to..].as_ptr());
                    (memcmp(one, other, black_box(bytes)), bcmp(one, other, black_box(bytes)))
                };
                expect(different(both.0) && (both.0 == 0) == (both.1 == 0), "memcmp", (to, from, bytes));
                if let Some(at) = change {
                    other.0[to + at] ^= 0x80;
                }
            };
            compared(&mut |result| result == 0, None);
            for at in 0..bytes {
                let larger = one.0[from + at] >= 0x80;
                compared(&mut |result| if larger { result > 0 } else { result < 0 }, Some(at));
            }
        }
    }
}
fn main(_: &pebble::Env) -> i32 {
    copies();
    moves();
    fills();
    comparisons();
    println!("every byte is right");
    0
}
pebble::program!(main);
