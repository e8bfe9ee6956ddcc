// expect stdout 100000 bytes written and read by one call each
// expect stdout a full page of a pipe is not waited beyond: 4096
// expect stdout at the end 0
#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec;
use alloc::vec::Vec;
use pebble::file::{self, File, SeekFrom};
use pebble::println;

const BYTES: usize = 100_000;

#[repr(align(4096))]
struct Pages([u8; 8192]);
static PAGES: pebble::sync::Mutex<Pages> = pebble::sync::Mutex::new(Pages([0; 8192]));

fn main(_: &pebble::Env) -> i32 {
    // Neither starts at a page.
    let out: Vec<u8> = (0..BYTES + 33).map(|n| (n * 7 + n / 251) as u8).collect();
    let mut back = vec![0; BYTES + 71];
    let file = File::options().read(true).write(true).create(true).open("large").unwrap();
    let written = file.write(&out[33..]).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    let read = file.read(&mut back[71..]).unwrap();
    if written == read && back[71..] == out[33..] {
        println!("{read} bytes written and read by one call each");
    }
    let (from, to) = file::pipe().unwrap();
    to.write(&out[..4096]).unwrap();
    println!("a full page of a pipe is not waited beyond: {}", from.read(&mut PAGES.lock().0).unwrap());
    println!("at the end {}", file.read(&mut back).unwrap());
    0
}
pebble::program!(main);
