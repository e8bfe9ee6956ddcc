//! Who waits for whom, circles of such waits, and which calls take too long: what is made of what `inspect.thread` tells.
//!
//! Nothing here asks anybody anything: `init`, which ends components for what is found here, and the shell, which shows it, look at all threads and give them to a [`Picture`].

#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod deadlines;
mod graph;
mod picture;
#[cfg(test)]
mod tests;

pub use deadlines::{Deadlines, Late, Limits};
pub use picture::{End, Inside, Picture, Thread};

use abi::Error;
use alloc::vec::Vec;
use fallible::TryPush;

/// Makes `all` so many times `with`. `ENOMEM`: it is empty.
fn fill<T: Copy>(all: &mut Vec<T>, count: usize, with: T) -> Result<(), Error> {
    all.clear();
    all.room_for(count)?;
    (0..count).for_each(|_| _ = all.push_kept(with));
    Ok(())
}
