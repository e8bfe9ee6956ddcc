//! One of two files of one name.
#![no_std]
#![no_main]

fn main(_: &pebble::Env) -> i32 {
    pebble::println!("this is one");
    0
}
pebble::program!(main);
