//! What takes memory without a limit: `rsext4` reads all of a file's map for whatever changes where the file lies, has each block of a file that goes
//! in a list, and keeps blocks of a directory that it has looked at until the request is over.
//!
//! So there is a limit to what a request takes without a question: before more than that may be needed, whoever has the volume is
//! asked for the memory, and the change is refused where there is none. A file that goes and can not be taken apart now stays until it can.

use crate::{Result, Volume, told};
use abi::Error;
use rsext4::{BlockIo, EntropySource, InodeInfo, InodeNumber};

/// Pieces of a file, blocks of one that goes, and bytes of a directory for which any request has memory.
const FEW: usize = 2000;
const SHORT: u64 = 64 << 10;
/// Bytes that a request takes beside; for each piece and for each block (vectors grow to twice of what is in them); and quarters of what a directory
/// has. `hostile_tests` compares them with what is taken.
const BESIDE: usize = 96 << 10;
const PIECE: usize = 120;
const BLOCK: usize = 40;
const QUARTERS: u64 = 9;
/// Bytes of a piece in a block of a file's map (ext4's disk layout, "Extent Tree"), and pieces that are in the inode itself.
const IN_MAP: u64 = 12;
const IN_INODE: u64 = 4;
/// Bytes of the unit in which inodes count.
const UNIT: u64 = 512;

/// What a file takes of the disk.
struct Size {
    blocks: usize,
    /// As many as there can be.
    pieces: usize,
}
fn count(many: u64) -> usize {
    usize::try_from(many).unwrap_or(usize::MAX)
}
impl<D: BlockIo, E: EntropySource> Volume<D, E> {
    /// From now on `keep` is asked before a request takes more than a few hundred KiB: it sees to it that there are so many bytes. `ENOMEM`.
    pub fn ask_for_memory(&mut self, keep: fn(usize) -> Result<()>) {
        self.keep = Some(keep);
    }
    fn size(&self, info: &InodeInfo) -> Size {
        let block = self.files.statfs().block_size.max(UNIT);
        let blocks = info.blocks / (block / UNIT);
        // What it takes beside what is in it is its map. With holes nobody knows how much of it that is.
        let pieces = match blocks.checked_sub(info.size.div_ceil(block)) {
            Some(map) => blocks.min(map.saturating_mul(block / IN_MAP).saturating_add(IN_INODE)),
            None => blocks,
        };
        Size { blocks: count(blocks), pieces: count(pieces) }
    }
    /// Sees to it that there are so many bytes beside what any request has. `ENOMEM`: there are not, also where no page is kept.
    fn ask(&mut self, bytes: usize) -> Result<()> {
        let Some(keep) = self.keep else { return Ok(()) };
        let bytes = bytes.saturating_add(BESIDE);
        keep(bytes).or_else(|_| {
            self.write_all_back()?;
            self.cache.empty();
            keep(bytes)
        })
    }
    /// The same for a change of where this file lies.
    pub(crate) fn room_for(&mut self, info: &InodeInfo) -> Result<()> {
        let Size { pieces, .. } = self.size(info);
        if pieces <= FEW { Ok(()) } else { self.ask(pieces.saturating_mul(PIECE)) }
    }
    /// The same for a look at names of this directory, or a change of them.
    pub(crate) fn room_in(&mut self, directory: &InodeInfo) -> Result<()> {
        if directory.size <= SHORT { Ok(()) } else { self.ask(count(directory.size.saturating_mul(QUARTERS) / 4)) }
    }
    /// What has no name and no user any more goes, now or when there is memory for that.
    pub(crate) fn reap_or_leave(&mut self, number: InodeNumber) -> Result<()> {
        let info = self.files.inode(number).map_err(told)?;
        let Size { mut blocks, pieces } = self.size(&info);
        if blocks > FEW && pieces <= FEW && !info.is_directory() && self.resize(number, 0).is_ok() {
            blocks = 0;
        }
        let bytes = pieces.saturating_mul(PIECE).saturating_add(blocks.saturating_mul(BLOCK));
        if pieces.max(blocks) > FEW && self.ask(bytes) == Err(Error::ENOMEM) {
            self.users.entry(number.raw()).or_default().nameless = true;
            return Ok(());
        }
        self.users.remove(&number.raw());
        self.reap(number)
    }
    /// One of those that were left goes, if there is memory for it now.
    pub fn reap_left(&mut self) -> Result<()> {
        match self.users.iter().find(|(_, users)| users.count == 0) {
            Some((&number, _)) => InodeNumber::new(number).map_err(told).and_then(|number| self.reap_or_leave(number)),
            None => Ok(()),
        }
    }
}
