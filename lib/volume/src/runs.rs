//! Where files lie on the disk, so that what is not in the cache is read from there at once.
//!
//! `rsext4` looks for each block of a read through all that the journal has committed and not yet written to its place. What is in
//! files never goes through the journal, so it is at its place as soon as [`Volume::sync`] has returned: a file of which nothing was
//! given to the file system since is read by its runs of blocks, which are asked for once. Anything else is read by the file system.

use crate::{Open, Result, Volume, told};
use abi::Error;
use alloc::vec::Vec;
use rsext4::{BlockIo, EntropySource, FileExtent, FileExtentState, FileExtentTarget, InodeNumber, SectorId};

/// Files whose runs are remembered, and most runs of one of them.
const FILES: usize = 8;
const MOST: usize = 128;
/// Bytes that a file may have on the disk beside what is in it, which is where its runs are written: to ask for them takes memory for
/// all of them.
const BESIDE: u64 = 32 << 10;
/// Files that are known by number to have been written since the last sync; of more it is only known that there are more.
const WRITTEN: usize = 64;
/// Bytes of the unit in which inodes count.
const UNIT: u64 = 512;

/// Bytes of a file that lie together, in both by their first byte.
#[derive(Clone, Copy)]
struct Run {
    from: u64,
    at: u64,
    bytes: u64,
}
struct Map {
    inode: u32,
    /// In the file's order; empty: it has too many.
    runs: Vec<Run>,
}
#[derive(Default)]
pub struct Runs {
    maps: Vec<Map>,
    /// The one that makes room next.
    oldest: usize,
    written: Vec<u32>,
    /// Others than those were written, too.
    more: bool,
}
impl Runs {
    /// Something of the file's goes to the file system, or is taken from it.
    pub fn changed(&mut self, inode: u32) {
        self.maps.retain(|map| map.inode != inode);
        if self.more || self.written.contains(&inode) {
            return;
        }
        if self.written.len() == WRITTEN || self.written.try_reserve(1).is_err() {
            self.more = true;
            return;
        }
        self.written.push(inode);
    }
    /// All that the file system was given is at its place.
    pub fn synced(&mut self) {
        self.written.clear();
        self.more = false;
    }
    fn settled(&self, inode: u32) -> bool {
        !self.more && !self.written.contains(&inode)
    }
    fn of(&self, inode: u32) -> Option<&[Run]> {
        self.maps.iter().find(|map| map.inode == inode).map(|map| &map.runs[..])
    }
    fn remember(&mut self, inode: u32, runs: Vec<Run>) {
        let map = Map { inode, runs };
        if self.maps.len() < FILES {
            self.maps.push(map);
        } else {
            self.maps[self.oldest % FILES] = map;
            self.oldest = (self.oldest + 1) % FILES;
        }
    }
}
/// The place on the disk of byte `at` of a file, and how many lie there together from it on. `None`: nowhere.
fn place(runs: &[Run], at: u64) -> Option<(u64, u64)> {
    let run = &runs[runs.partition_point(|run| run.from <= at).checked_sub(1)?];
    let within = at - run.from;
    let left = run.bytes.checked_sub(within).filter(|left| *left > 0)?;
    Some((run.at + within, left))
}
/// The runs of a file; empty: there are too many, or not all of them were written.
fn runs(extents: &[FileExtent]) -> Vec<Run> {
    let written = extents.iter().all(|extent| extent.state == FileExtentState::Initialized);
    let mut runs = Vec::new();
    if !written || extents.len() > MOST || runs.try_reserve_exact(extents.len()).is_err() {
        return Vec::new();
    }
    runs.extend(extents.iter().map(|extent| Run {
        from: extent.logical_start,
        at: extent.physical_start,
        bytes: extent.length,
    }));
    runs
}
impl<D: BlockIo, E: EntropySource> Volume<D, E> {
    /// Reads `to` from byte `from` of a file on by its runs; whether that could be done.
    pub(crate) fn read_by_runs(&mut self, number: InodeNumber, from: u64, to: &mut [u8]) -> Result<bool> {
        let inode = number.raw();
        let sector = u64::from(self.disk.geometry().logical_block_size);
        if !self.runs.settled(inode) || !(from | to.len() as u64).is_multiple_of(sector) {
            return Ok(false);
        }
        if self.runs.of(inode).is_none() {
            let found = self.find_runs(number)?;
            self.runs.remember(inode, found);
        }
        let runs = self.runs.of(inode).unwrap_or_default();
        let mut done = 0;
        while done < to.len() {
            let Some((at, left)) = place(runs, from + done as u64) else { return Ok(false) };
            let count = left.min((to.len() - done) as u64) as usize;
            let sectors = (count as u64 / sector) as u32;
            self.disk.read(&mut to[done..done + count], SectorId::new(at / sector), sectors).map_err(told)?;
            done += count;
        }
        Ok(true)
    }
    /// Which bytes of an open file have a place on the disk, in order; all others are zeros. `EBADF`: not open for reading; `EISDIR`.
    pub fn placed(&mut self, open: &Open) -> Result<Vec<core::ops::Range<u64>>> {
        if !open.read {
            return Err(Error::EBADF);
        }
        if open.directory.is_some() {
            return Err(Error::EISDIR);
        }
        let bytes = self.bytes(open.inode);
        if bytes == 0 {
            return Ok(Vec::new());
        }
        let map = self.files.inode_extents(open.inode, 0, bytes, FileExtentTarget::Data, usize::MAX).map_err(told)?;
        let written = map.extents.iter().filter(|extent| extent.state == FileExtentState::Initialized);
        let range = |extent: &FileExtent| {
            let start = extent.logical_start.min(bytes);
            start..extent.logical_start.saturating_add(extent.length).clamp(start, bytes)
        };
        let mut placed = Vec::new();
        placed.try_reserve_exact(map.extents.len()).map_err(|_| Error::ENOMEM)?;
        placed.extend(written.map(range));
        Ok(placed)
    }
    /// The runs of a file that has no holes, and few of them, by what it takes of the disk.
    fn find_runs(&mut self, number: InodeNumber) -> Result<Vec<Run>> {
        let info = self.files.inode(number).map_err(told)?;
        let taken = info.blocks.saturating_mul(UNIT);
        if info.size == 0 || !(info.size..=info.size.saturating_add(BESIDE)).contains(&taken) {
            return Ok(Vec::new());
        }
        let target = FileExtentTarget::Data;
        let map = self.files.inode_extents(number, 0, info.size, target, MOST + 1).map_err(told)?;
        Ok(runs(&map.extents))
    }
}
