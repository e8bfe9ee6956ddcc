// expect stdout open: ENOENT
// expect stdout create_new: EEXIST
// expect stdout read: EBADF
// expect stdout write: EBADF
// expect stdout standard input: EBADF
// expect stdout standard output: EBADF
// expect stdout seek: EINVAL
// expect stdout pipe seek: ESPIPE
// expect stdout console seek: ESPIPE
// expect stdout no access: EINVAL
// expect stdout long name: ENAMETOOLONG
// expect stdout remove: ENOENT
// expect stdout broken pipe: EPIPE
#![no_std]
#![no_main]

use pebble::file::{self, File, SeekFrom};
use pebble::{Result, println};

fn say<T>(what: &str, result: Result<T>) {
    println!("{what}: {}", result.map_or_else(|error| error.name(), |_| "worked"));
}
fn main(_: &pebble::Env) -> i32 {
    say("open", File::open("nothing"));
    let writing = File::create("a").unwrap();
    let reading = File::open("a").unwrap();
    say("create_new", File::options().write(true).create_new(true).open("a"));
    say("read", writing.read(&mut [0]));
    say("write", reading.write(b"x"));
    say("standard input", file::stdin().write(b"x"));
    say("standard output", file::stdout().read(&mut [0]));
    say("seek", reading.seek(SeekFrom::Current(-1)));
    let (from, to) = file::pipe().unwrap();
    say("pipe seek", from.seek(SeekFrom::Start(0)));
    say("console seek", file::stdin().position());
    say("no access", File::options().open("a"));
    say("long name", File::open(core::str::from_utf8(&[b'x'; 64]).unwrap()));
    say("remove", file::remove("nothing"));
    drop(from);
    pebble::time::sleep(2_000_000);
    say("broken pipe", to.write(b"x"));
    0
}
pebble::program!(main);
