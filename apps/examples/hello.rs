//! The smallest component in Rust.
#![no_std]
#![no_main]

fn main(_: &pebble::Env) -> i32 {
    pebble::println!("hello from domain {}", pebble::thread::asid());
    0
}
pebble::program!(main);
