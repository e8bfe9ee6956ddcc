//! The file system on the disk.

use crate::types::{Alleged, PortalNumber};
use abi::file::Status;
use abi::name::Name;

interface! {
    "File system (`services/disk`)";
    /// As `files.open`; the four portals are `npcwi`, `npcri`, `npcii`, `npcdiw`
    "disk.open", "npri": fn open(path: Alleged<Name>, flags: usize) -> Result<PortalNumber>;
    /// As `files.unlink`
    "disk.unlink", "npr": fn unlink(path: Alleged<Name>) -> Result<()>;
    /// As `files.rename`
    "disk.rename", "nprr": fn rename(path: Alleged<Name>, new: Alleged<Name>) -> Result<()>;
    /// As `files.mkdir`
    "disk.mkdir", "npr": fn mkdir(path: Alleged<Name>) -> Result<()>;
    /// As `files.rmdir`
    "disk.rmdir", "npr": fn rmdir(path: Alleged<Name>) -> Result<()>;
    /// As `files.status`
    "disk.status", "nprw": fn status(path: Alleged<Name>, status: Alleged<Status>) -> Result<()>;
    /// All that was written lasts when it is over
    "disk.sync", "np": fn sync() -> Result<()>;
    /// KiB: 0: that there are, 1: that are free
    "disk.space", "npi": fn space(which: usize) -> Result<usize>;
}
