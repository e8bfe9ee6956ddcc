//! What is on a disk.

use crate::SECTOR;
use std::collections::HashMap;
use std::sync::Arc;

/// What was on a disk at first, which many share, and what was written since.
#[derive(Clone)]
pub struct Contents {
    first: Arc<Vec<u8>>,
    since: HashMap<usize, [u8; SECTOR]>,
}
impl Contents {
    /// Of whole sectors.
    pub fn of(first: impl Into<Arc<Vec<u8>>>) -> Contents {
        let first = first.into();
        assert!(first.len().is_multiple_of(SECTOR), "half a sector");
        Contents { first, since: HashMap::new() }
    }
    pub fn sectors(&self) -> usize {
        self.first.len() / SECTOR
    }
    /// Whether there are so many bytes from a sector on.
    pub fn has(&self, sector: usize, bytes: usize) -> bool {
        sector.checked_add(bytes.div_ceil(SECTOR)).is_some_and(|end| end <= self.sectors())
    }
    pub fn sector(&self, sector: usize) -> &[u8] {
        let first = || &self.first[sector * SECTOR..][..SECTOR];
        self.since.get(&sector).map_or_else(first, |bytes| bytes)
    }
    pub fn read(&self, sector: usize, to: &mut [u8]) {
        for (sector, to) in (sector..).zip(to.chunks_mut(SECTOR)) {
            to.copy_from_slice(&self.sector(sector)[..to.len()]);
        }
    }
    /// Writes whole sectors.
    pub fn write(&mut self, sector: usize, from: &[u8]) {
        for (sector, from) in (sector..).zip(from.as_chunks().0) {
            assert!(self.has(sector, SECTOR), "sector {sector} of {}", self.sectors());
            self.since.insert(sector, *from);
        }
    }
}
