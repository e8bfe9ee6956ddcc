//! The blocks of the disk that the file system read last.
//!
//! `rsext4` reads a block of inodes or of a bitmap from the disk each time that it changes something in it, and so asks for the same
//! few again and again. What was read is kept here. Everything that is written goes to the disk at once, as if nothing was kept; what
//! is kept of it changes with it, or goes where the write failed, for then only the disk knows what it has.

use alloc::vec::Vec;
use rsext4::{BlockIo, DeviceCapabilities, DeviceGeometry, Ext4Result, SectorId, WriteFlags};

/// Bytes that are kept altogether, and most of one read: longer ones are of what is in files.
const BYTES: usize = 32 << 10;
const MOST: usize = 4096;

/// What one read brought.
struct Block {
    /// Its place on the disk, in bytes.
    at: u64,
    bytes: Vec<u8>,
    /// When it was asked for last, in reads.
    used: u64,
}
impl Block {
    fn end(&self) -> u64 {
        self.at + self.bytes.len() as u64
    }
}
/// A disk whose blocks that were read last are in memory. All writes to it have to go through this.
pub struct Recent<D> {
    disk: D,
    blocks: Vec<Block>,
    reads: u64,
}
impl<D: BlockIo> Recent<D> {
    pub fn new(disk: D) -> Recent<D> {
        Recent { disk, blocks: Vec::new(), reads: 0 }
    }
    /// The place of a sector in bytes.
    fn place(&self, sector: SectorId) -> u64 {
        sector.raw().saturating_mul(u64::from(self.disk.geometry().logical_block_size))
    }
    /// Keeps what was read, in place of what was not asked for the longest. Without memory nothing is kept.
    fn keep(&mut self, at: u64, bytes: &[u8]) {
        let mut kept: usize = self.blocks.iter().map(|block| block.bytes.len()).sum();
        let mut block = Block { at, bytes: Vec::new(), used: self.reads };
        while kept + bytes.len() > BYTES {
            let Some(oldest) = (0..self.blocks.len()).min_by_key(|n| self.blocks[*n].used) else { return };
            block.bytes = self.blocks.swap_remove(oldest).bytes;
            kept -= block.bytes.len();
        }
        block.bytes.clear();
        if block.bytes.try_reserve_exact(bytes.len()).is_err() || self.blocks.try_reserve(1).is_err() {
            return;
        }
        block.bytes.extend_from_slice(bytes);
        self.blocks.push(block);
    }
    /// These bytes are on the disk from `at` on; `None`: nobody knows which.
    fn written(&mut self, at: u64, count: u64, bytes: Option<&[u8]>) {
        let end = at.saturating_add(count);
        self.blocks.retain_mut(|block| {
            if block.end() <= at || end <= block.at {
                return true;
            }
            let inside = at <= block.at && block.end() <= end;
            let Some(bytes) = bytes.filter(|_| inside) else { return false };
            let from = (block.at - at) as usize;
            let count = block.bytes.len();
            block.bytes.copy_from_slice(&bytes[from..from + count]);
            true
        });
    }
}
impl<D: BlockIo> BlockIo for Recent<D> {
    fn read(&mut self, to: &mut [u8], sector: SectorId, count: u32) -> Ext4Result<()> {
        if to.len() > MOST {
            return self.disk.read(to, sector, count);
        }
        let at = self.place(sector);
        self.reads += 1;
        if let Some(block) = self.blocks.iter_mut().find(|block| block.at == at && block.bytes.len() == to.len()) {
            block.used = self.reads;
            to.copy_from_slice(&block.bytes);
            return Ok(());
        }
        self.disk.read(to, sector, count)?;
        self.keep(at, to);
        Ok(())
    }
    fn write(&mut self, from: &[u8], sector: SectorId, count: u32) -> Ext4Result<()> {
        self.write_with_flags(from, sector, count, WriteFlags::empty())
    }
    fn write_with_flags(&mut self, from: &[u8], sector: SectorId, count: u32, flags: WriteFlags) -> Ext4Result<()> {
        let done = self.disk.write_with_flags(from, sector, count, flags);
        let at = self.place(sector);
        self.written(at, from.len() as u64, done.is_ok().then_some(from));
        done
    }
    fn geometry(&self) -> DeviceGeometry {
        self.disk.geometry()
    }
    fn capabilities(&self) -> DeviceCapabilities {
        self.disk.capabilities()
    }
    fn flush(&mut self) -> Ext4Result<()> {
        self.disk.flush()
    }
    fn barrier(&mut self) -> Ext4Result<()> {
        self.disk.barrier()
    }
    fn discard(&mut self, start: SectorId, count: u32) -> Ext4Result<()> {
        let at = self.place(start);
        let bytes = u64::from(count) * u64::from(self.disk.geometry().logical_block_size);
        self.written(at, bytes, None);
        self.disk.discard(start, count)
    }
}
