//! Files in memory, their directories, and pipes: names, contents, what is open. Free of portals, so that the host tests it.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod pipe;
mod store;

pub use pipe::{FEW, Pipe, Reader, Side};
pub use store::{Open, Store};
