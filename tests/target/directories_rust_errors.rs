// expect stdout create: EEXIST
// expect stdout create in nothing: ENOENT
// expect stdout read a file: ENOTDIR
// expect stdout remove: ENOTEMPTY
// expect stdout remove the root: EBUSY
// expect stdout open for writing: EISDIR
// expect stdout rename into itself: EINVAL
// expect stdout metadata: ENOENT
// expect stdout through a file: ENOTDIR
#![no_std]
#![no_main]

use pebble::file::{self, File};
use pebble::{Result, directory, println};

fn say<T>(what: &str, result: Result<T>) {
    println!("{what}: {}", result.map_or_else(|error| error.name(), |_| "worked"));
}
fn main(_: &pebble::Env) -> i32 {
    directory::create("d").unwrap();
    File::create("d/f").unwrap();
    say("create", directory::create("d"));
    say("create in nothing", directory::create("e/x"));
    say("read a file", directory::read("d/f"));
    say("remove", directory::remove("d"));
    say("remove the root", directory::remove("/"));
    say("open for writing", File::create("d"));
    say("rename into itself", file::rename("d", "d/e"));
    say("metadata", file::metadata("d/g"));
    say("through a file", file::metadata("d/f/x"));
    0
}
pebble::program!(main);
