//! A server that has not all portals of its interface: the compiler says which is missing.
#![no_std]
#![no_main]

pebble::serve! { clock { time } }

extern "C" fn time() -> isize {
    0
}
fn main(_: &pebble::Env) {}
pebble::server!(main);
