//! Sv39 page tables: walking, mapping, unmapping.

use crate::doomed::Doomed;
use crate::frames::{For, Frames};
use crate::ram::Ram;
use abi::Error;
use abi::address::{index, pte};

/// Where the entry of `va` is in the tables below `root`, if its table exists.
pub fn entry(ram: &impl Ram, root: usize, va: usize) -> Option<usize> {
    let mut table = root;
    for level in [2, 1] {
        let value = ram.read(table + 8 * index(va, level));
        if value & (pte::V | pte::R | pte::W | pte::X) != pte::V {
            return None;
        }
        table = pte::address(value);
    }
    Some(table + 8 * index(va, 0))
}
/// The leaf entry of `va`, 0 if there is none.
pub fn leaf(ram: &impl Ram, root: usize, va: usize) -> u64 {
    entry(ram, root, va).map_or(0, |at| ram.read(at))
}
/// The same, making the tables that are missing.
pub fn make_entry(ram: &mut impl Ram, frames: &mut Frames, root: usize, va: usize) -> Result<usize, Error> {
    let mut table = root;
    for level in [2, 1] {
        let at = table + 8 * index(va, level);
        let value = ram.read(at);
        table = if value & pte::V != 0 {
            if value & (pte::R | pte::W | pte::X) != 0 {
                return Err(Error::EINVAL);
            }
            pte::address(value)
        } else {
            let new = frames.take(For::System)?;
            ram.clear(new);
            ram.write(at, pte::table(new));
            new
        };
    }
    Ok(table + 8 * index(va, 0))
}
/// Where the entry at `at` points to table `shared`, makes it point to a new one, which has of that one entry `kept`, its only one.
pub fn unshare(ram: &mut impl Ram, frames: &mut Frames, at: usize, shared: usize, kept: usize) -> Result<(), Error> {
    if ram.read(at) == pte::table(shared) {
        let new = frames.take(For::System)?;
        ram.clear(new);
        ram.write(new + 8 * kept, ram.read(shared + 8 * kept));
        ram.write(at, pte::table(new));
    }
    Ok(())
}
/// Gives back the frames of the tables below the root of the dead: `l1` and those that its first `count` entries point to.
pub fn release(ram: &mut impl Ram, frames: &mut Frames, doomed: &mut Doomed, l1: usize, count: usize) {
    for place in 0..count {
        let value = ram.read(l1 + 8 * place);
        if value & (pte::V | pte::R | pte::W | pte::X) == pte::V {
            doomed.add(pte::address(value), ram, frames);
        }
    }
    doomed.add(l1, ram, frames);
}
