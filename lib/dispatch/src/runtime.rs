//! What is beneath an extension's code: its arena, and the end of an activation. No extension can name it.

use crate::activation::{end, own};
use crate::state::Why;

mod interface {
    #![allow(clippy::all, clippy::pedantic)]
    include!(concat!(env!("OUT_DIR"), "/runtime.rs"));
}
pub use interface::INTERFACE;

/// Where its procedures begin.
pub fn procedures() -> [usize; 3] {
    interface::procedures::<Runtime>()
}
struct Runtime;
impl interface::Procedures for Runtime {
    fn allocate(bytes: u64, align: u64) -> u64 {
        own().map_or(0, |activation| activation.allocate(bytes as usize, align as usize) as u64)
    }
    fn release(address: u64, bytes: u64, _: u64) {
        if let Some(activation) = own() {
            activation.release(address as usize, bytes as usize);
        }
    }
    fn panicked(file: &[u8], line: u32) {
        if let Some(activation) = own() {
            activation.said(file, line);
            end(Why::Panic);
        }
    }
}
