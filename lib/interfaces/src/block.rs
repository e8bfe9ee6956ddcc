//! A disk, by sectors.

use crate::types::Alleged;

interface! {
    "Disk (`drivers/block`)";
    /// Reads whole sectors, at most 28 KiB, into pages that follow each other. `EIO`: the disk says that it failed; `EINVAL`: there are no such sectors
    "block.read", "npiWi": fn read(sector: usize, buffer: Alleged<u8>, bytes: usize) -> Result<()>;
    /// Writes them
    "block.write", "npiRi": fn write(sector: usize, buffer: Alleged<u8>, bytes: usize) -> Result<()>;
    /// All that was written lasts when it is over
    "block.flush", "np": fn flush() -> Result<()>;
    /// How many sectors there are
    "block.size", "np": fn size() -> Result<usize>;
}
