//! A server in Rust. It says nothing about how it is kept apart: in system "served-together" it is a fault domain beside others in C.
#![no_std]
#![no_main]
extern crate alloc;
use alloc::format;
use pebble::Env;

pebble::server!(main);
pebble::provide! {
    "plus.add", "npii", add;
    "plus.text", "npi", text;
}
extern "C" fn add(a: usize, b: usize) -> isize {
    (a + b) as isize
}
extern "C" fn text(n: usize) -> isize {
    format!("{n:>10}").len() as isize
}
fn main(_: &Env) {}
