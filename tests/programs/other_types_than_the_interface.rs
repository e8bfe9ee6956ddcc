//! A server whose entry point takes something else than its interface says: the compiler says so.
#![no_std]
#![no_main]
use pebble::interfaces;

pebble::serve! { clock { time, alarm } }

extern "C" fn time() -> isize {
    0
}
extern "C" fn alarm(_: interfaces::types::DomainNumber) -> isize {
    0
}
fn main(_: &pebble::Env) {}
pebble::server!(main);
