//! Has an extension linked into TCP/IP for `./pebble bench services`, and leaves the rest to it.
#![no_std]
#![no_main]

use pebble::{Env, file, linker, println};

pebble::program!(main);

const FILE: &str = "extension.ext";
/// A second, in ticks of `hrtime`.
const SECOND: u64 = 500_000_000;

fn main(_: &Env) -> i32 {
    let linked = file::read(FILE).map_err(linker::Refused::from).and_then(|file| linker::link("internet", &file));
    if let Err(linker::Refused { error, why }) = linked {
        println!("{FILE}: {}: {why}", error.text());
        return 1;
    }
    println!("ready");
    loop {
        pebble::time::sleep(SECOND);
    }
}
