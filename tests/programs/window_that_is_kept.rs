//! An entry point of an interface that keeps what its call shows: the compiler says so.
#![no_std]
#![no_main]

use core::cell::Cell;
use pebble::interfaces::types::Alleged;

pebble::serve! { entropy { read } }

struct Kept(Cell<Option<Alleged<'static, u8>>>);
// SAFETY: it never runs.
unsafe impl Sync for Kept {}
static KEPT: Kept = Kept(Cell::new(None));

extern "C" fn read(buffer: Alleged<u8>, bytes: usize) -> isize {
    KEPT.0.set(Some(buffer));
    bytes as isize
}
fn main(_: &pebble::Env) {}
pebble::server!(main);
