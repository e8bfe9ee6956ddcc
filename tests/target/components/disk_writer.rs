//! Writes numbered files to the disk, syncs each, says so, and waits for a byte of standard input, or its end; then it writes a long one. Or, asked to read, it
//! says whether all is as it was.
//! Arguments: `write` or `read`, how many files, bytes of the long one.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::format;
use alloc::vec::Vec;
use pebble::file::{self, File};
use pebble::{Error, Result, directory, println};

const BYTES: usize = 20_000;
/// Bytes of the long file that are written or read at a time.
const PIECE: usize = 64 * 1024;

fn contents(n: usize) -> Vec<u8> {
    (0..BYTES + n).map(|at| (at * 7 + n) as u8).collect()
}
/// Words of the long file from `at` on: each is another one.
fn piece(at: usize, count: usize) -> Vec<u8> {
    (at..at + count).map(|at| ((at / 8).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (at % 8 * 8)) as u8).collect()
}
fn write(count: usize, long: usize) -> Result<()> {
    directory::create("disk/numbers").or_else(|error| if error == Error::EEXIST { Ok(()) } else { Err(error) })?;
    for n in 0..count {
        File::create(&format!("disk/numbers/{n}"))?.write(&contents(n))?;
        file::sync()?;
        println!("synced {n}");
        file::stdin().read(&mut [0])?;
    }
    if long > 0 {
        let file = File::create("disk/long")?;
        for at in (0..long).step_by(PIECE) {
            let bytes = piece(at, PIECE.min(long - at));
            if file.write(&bytes)? < bytes.len() {
                return Err(Error::ENOSPC);
            }
        }
        file::sync()?;
        println!("synced {long} bytes");
    }
    Ok(())
}
fn read(count: usize, long: usize) -> Result<()> {
    for n in 0..count {
        let mut bytes = alloc::vec![0; BYTES + n + 1];
        let read = File::open(&format!("disk/numbers/{n}"))?.read(&mut bytes)?;
        if bytes[..read] != contents(n) {
            println!("{n} is not as it was: {read} bytes");
            return Err(Error::EIO);
        }
    }
    if long > 0 {
        let file = File::open("disk/long")?;
        let mut bytes = alloc::vec![0; PIECE];
        for at in (0..long).step_by(PIECE) {
            let read = file.read(&mut bytes)?;
            if bytes[..read] != piece(at, PIECE.min(long - at)) {
                println!("the long file is not as it was from {at} on");
                return Err(Error::EIO);
            }
        }
    }
    println!("all is as it was");
    Ok(())
}
fn main(env: &pebble::Env) -> i32 {
    let number = |n| env.argument(n).and_then(|text| text.parse().ok()).unwrap_or(0);
    let (count, long) = (number(2), number(3));
    let result = if env.argument(1) == Some("read") { read(count, long) } else { write(count, long) };
    match result {
        Ok(()) => 0,
        Err(error) => {
            println!("{}", error.name());
            1
        }
    }
}
pebble::program!(main);
