//! A specification with a letter that stands for nothing: the compiler says so.
#![no_std]
#![no_main]

pebble::provide! { "app.add", "npiz", add; }

extern "C" fn add(a: usize) -> isize {
    a as isize
}
fn main(_: &pebble::Env) {}
pebble::server!(main);
