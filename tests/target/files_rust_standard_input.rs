// stdin first line
// expect stdout read: first line
// expect stdout end of input
#![no_std]
#![no_main]

use pebble::file::{Read, Write};

/// Copies all there is, by the traits alone.
fn copy<R: Read, W: Write>(from: &mut R, to: &mut W) {
    let mut piece = [0; 64];
    while let Ok(count @ 1..) = from.read(&mut piece) {
        let _ = to.write_all(&piece[..count]);
    }
}
fn main(_: &pebble::Env) -> i32 {
    let mut out = pebble::file::stdout();
    let _ = out.write_all(b"read: ");
    copy(&mut pebble::file::stdin(), &mut out);
    pebble::println!("end of input");
    0
}
pebble::program!(main);
