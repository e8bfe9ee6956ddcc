//! Page tables: walking, mapping, unmapping.

use crate::doomed::Doomed;
use crate::frames::{For, Frames};
use crate::ram::Ram;
use abi::Error;
use arch::paging::{Entry, LEVELS, index};

/// Where the entry of `va` is in the tables below `root`, if its table exists.
pub fn entry(ram: &impl Ram, root: usize, va: usize) -> Option<usize> {
    let mut table = root;
    for level in (1..LEVELS).rev() {
        let value = ram.entry(table + 8 * index(va, level));
        if !value.is_table() {
            return None;
        }
        table = value.address();
    }
    Some(table + 8 * index(va, 0))
}
/// The leaf entry of `va`; none, if there is no table for it.
pub fn leaf(ram: &impl Ram, root: usize, va: usize) -> Entry {
    entry(ram, root, va).map_or(Entry::NONE, |at| ram.entry(at))
}
/// The same, making the tables that are missing.
pub fn make_entry(ram: &mut impl Ram, frames: &mut Frames, root: usize, va: usize) -> Result<usize, Error> {
    let mut table = root;
    for level in (1..LEVELS).rev() {
        let at = table + 8 * index(va, level);
        let value = ram.entry(at);
        table = if value.is_present() {
            if !value.is_table() {
                return Err(Error::EINVAL);
            }
            value.address()
        } else {
            let new = frames.take(For::System)?;
            ram.clear(new);
            ram.set_entry(at, Entry::table(new));
            new
        };
    }
    Ok(table + 8 * index(va, 0))
}
/// Where the entry at `at` points to table `shared`, makes it point to a new one, which has of that one entry `kept`, its only one; whether it did. Harts may
/// know the old one.
pub fn unshare(ram: &mut impl Ram, frames: &mut Frames, at: usize, shared: usize, kept: usize) -> Result<bool, Error> {
    let is_shared = ram.entry(at) == Entry::table(shared);
    if is_shared {
        let new = frames.take(For::System)?;
        ram.clear(new);
        ram.write(new + 8 * kept, ram.read(shared + 8 * kept));
        ram.set_entry(at, Entry::table(new));
    }
    Ok(is_shared)
}
/// Gives back the frames of the tables below the root of the dead: `l1` and those that its first `count` entries point to.
pub fn release(ram: &mut impl Ram, frames: &mut Frames, doomed: &mut Doomed, l1: usize, count: usize) {
    for place in 0..count {
        let value = ram.entry(l1 + 8 * place);
        if value.is_table() {
            doomed.add(value.address(), ram, frames);
        }
    }
    doomed.add(l1, ram, frames);
}
