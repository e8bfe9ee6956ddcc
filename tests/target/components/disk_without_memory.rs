//! Has the disk do everything that it can do, each so and so many times, while its memory ends at one allocation after the other: it is done, or
//! `ENOMEM` says that nothing was. In the end each file that was synced is there, with its bytes.
#![no_std]
#![no_main]

extern crate alloc;

use alloc::format;
use alloc::vec;
use pebble::file::{self, File};
use pebble::{Error, Result, directory, println};

/// Attempts before it is said that there will be no memory.
const ATTEMPTS: usize = 1000;

/// How often all names are read: each name is a request.
const LISTS: usize = 10;

/// Until there is memory: how often there was none.
fn until<T>(what: &str, refused: &mut usize, mut attempt: impl FnMut() -> Result<T>) -> T {
    for _ in 0..ATTEMPTS {
        match attempt() {
            Ok(value) => return value,
            Err(Error::ENOMEM) => *refused += 1,
            Err(error) => {
                println!("{what}: {}", error.text());
                pebble::thread::exit_domain(1);
            }
        }
    }
    println!("{what}: there is no memory any more");
    pebble::thread::exit_domain(1)
}
fn words(n: usize) -> alloc::string::String {
    format!("the words of {n}\n").repeat(500)
}
fn write(file: &File, n: usize, refused: &mut usize) {
    let words = words(n);
    let mut at = 0;
    while at < words.len() {
        at += until("write", refused, || file.write(&words.as_bytes()[at..]));
    }
}
/// Whether file `n` has what was written.
fn is_whole(n: usize, refused: &mut usize) -> bool {
    let wanted = words(n);
    let file = until("open", refused, || File::open(&format!("disk/kept/{n}")));
    let mut bytes = vec![0; wanted.len() + 1];
    let mut length = 0;
    loop {
        match until("read", refused, || file.read(&mut bytes[length..])) {
            0 => return &bytes[..length] == wanted.as_bytes(),
            count => length += count,
        }
    }
}

pebble::program!(main);

fn main(env: &pebble::Env) -> i32 {
    let times = env.argument(1).and_then(|times| times.parse().ok()).unwrap_or(10);
    let mut refused = 0;
    let r = &mut refused;
    until("a directory", r, || directory::create("disk/kept"));
    for n in 0..times {
        let (new, name) = (format!("disk/kept/{n}.new"), format!("disk/kept/{n}"));
        let file = until("create", r, || File::create(&new));
        write(&file, n, r);
        until("sync", r, || file.sync());
        drop(file);
        until("rename", r, || file::rename(&new, &name));
    }
    for n in 0..times {
        let name = format!("disk/passing{n}");
        until("mkdir", r, || directory::create(&name));
        until("status", r, || file::metadata(&name));
        until("rmdir", r, || directory::remove(&name));
        let file = until("create", r, || File::create(&name));
        write(&file, n, r);
        until("truncate", r, || file.set_length(10));
        // Its bytes go when it is closed.
        until("unlink", r, || file::remove(&name));
    }
    for _ in 0..LISTS {
        let entries = until("a list", r, || directory::read("disk/kept"));
        let names = entries.filter(|entry| entry.is_ok()).count();
        if names > times {
            println!("{names} names");
            return 1;
        }
    }
    until("sync", r, file::sync);
    if let Some(n) = (0..times).find(|&n| !is_whole(n, r)) {
        println!("file {n} is another");
        return 1;
    }
    println!("{refused} times there was no memory");
    0
}
