//! An entry point with another number of arguments than its specification: the compiler says so.
#![no_std]
#![no_main]

pebble::provide! { "app.add", "npii", add; }

extern "C" fn add(a: usize) -> isize {
    a as isize
}
fn main(_: &pebble::Env) {}
pebble::server!(main);
