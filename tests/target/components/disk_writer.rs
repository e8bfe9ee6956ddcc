//! Writes numbered files to the disk, syncs each, and says so; or, asked to read, says what is there.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::format;
use alloc::vec::Vec;
use pebble::file::{self, File};
use pebble::{directory, println};

const BYTES: usize = 20_000;

fn contents(n: usize) -> Vec<u8> {
    (0..BYTES + n).map(|at| (at * 7 + n) as u8).collect()
}
fn write(count: usize) -> pebble::Result<()> {
    directory::create("disk/numbers").or_else(|error| if error == pebble::Error::EEXIST { Ok(()) } else { Err(error) })?;
    for n in 0..count {
        File::create(&format!("disk/numbers/{n}"))?.write(&contents(n))?;
        file::sync()?;
        println!("synced {n}");
    }
    Ok(())
}
fn read(count: usize) -> pebble::Result<()> {
    for n in 0..count {
        let mut bytes = alloc::vec![0; BYTES + n + 1];
        let read = File::open(&format!("disk/numbers/{n}"))?.read(&mut bytes)?;
        if bytes[..read] != contents(n) {
            println!("{n} is not as it was: {read} bytes");
            return Err(pebble::Error::EIO);
        }
    }
    println!("{count} files are as they were");
    Ok(())
}
fn main(env: &pebble::Env) -> i32 {
    let count = env.argument(2).and_then(|text| text.parse().ok()).unwrap_or(0);
    let result = if env.argument(1) == Some("read") { read(count) } else { write(count) };
    match result {
        Ok(()) => 0,
        Err(error) => {
            println!("{}", error.name());
            1
        }
    }
}
pebble::program!(main);
