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
    /// The same, but of a link it is the link
    "disk.link_status", "nprw": fn link_status(path: Alleged<Name>, status: Alleged<Status>) -> Result<()>;
    /// The path of a symbolic link: as many bytes of it as there is room for → how many it has. `EINVAL`: it is no link
    "disk.read_link", "nprwi": fn read_link(path: Alleged<Name>, to: Alleged<u8>, room: usize) -> Result<usize>;
    /// Makes a symbolic link that leads to `target`. `EEXIST`
    "disk.make_link", "nprr": fn make_link(target: Alleged<Name>, path: Alleged<Name>) -> Result<()>;
    /// All that was written lasts when it is over
    "disk.sync", "np": fn sync() -> Result<()>;
    /// KiB: 0: that there are, 1: that are free
    "disk.space", "npi": fn space(which: usize) -> Result<usize>;
}
