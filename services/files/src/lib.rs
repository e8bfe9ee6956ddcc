//! Files in memory, their directories, and pipes: names, contents, what is open. Free of portals, so that the host tests it.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros))]

extern crate alloc;

mod contents;
mod pipe;
mod shares;
mod store;

pub use pipe::{FEW, Pipe, Reader, Side};
pub use shares::{LOCK_WAITS, Shares};
pub use store::{Open, Store};
