//! Where domain blocks are: in runs of pages, in which each block but the last shares its page with the next one's record.

use crate::manager::{NUCLEUS_FREE, NUCLEUS_PAGES};
use abi::address::PAGE;
use alloc::vec::Vec;
use pebble::{Result, check};

/// Blocks of a run, where there is room for so many.
const RUN: usize = 3;
/// Most blocks of dead domains that are kept for new ones, but for those of runs that living ones have blocks in.
const SPARE: usize = 8;

/// Physical addresses of blocks.
pub struct Blocks {
    spare: Vec<usize>,
    /// Each run's first block, and how many it has.
    runs: Vec<(usize, usize)>,
}
impl Blocks {
    pub const fn new() -> Blocks {
        Blocks { spare: Vec::new(), runs: Vec::new() }
    }
    /// A block, whatever is in it.
    pub fn take(&mut self) -> Result<usize> {
        if self.spare.is_empty() {
            let new = |count: usize| Ok((check(NUCLEUS_PAGES.call([count + 1]))?, count));
            let (first, count) = new(RUN).or_else(|_| new(1))?;
            self.runs.push((first, count));
            self.spare.extend((0..count).rev().map(|n| first + n * PAGE));
        }
        self.spare.pop().ok_or(abi::Error::ENOMEM)
    }
    pub fn release(&mut self, block: usize) {
        self.spare.push(block);
        if self.spare.len() <= SPARE {
            return;
        }
        let inside = |&(first, count): &(usize, usize)| (first..first + count * PAGE).contains(&block);
        let Some(n) = self.runs.iter().position(inside) else { return };
        let (first, count) = self.runs[n];
        let run = first..first + count * PAGE;
        if self.spare.iter().filter(|block| run.contains(block)).count() == count {
            self.spare.retain(|block| !run.contains(block));
            self.runs.swap_remove(n);
            NUCLEUS_FREE.call([first, count + 1]);
        }
    }
}
