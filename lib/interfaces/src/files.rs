//! Files in memory, and pipes.

use crate::types::{Alleged, Identity, PortalNumber};
use abi::file::Status;
use abi::name::Name;

interface! {
    "Files (`services/files`)";
    /// With flags (`lib/abi/src/file.rs`) → the first of four portals: read `smcwi`, write `smcri`, seek `smcii`, control `smcdiw`
    "files.open", "smri": fn open(path: Alleged<Name>, flags: usize) -> Result<PortalNumber>;
    /// What that domain has handed over to the caller as that stream, once → the first of four portals; `ENOENT`; `EINVAL`: a number alone is nobody
    "files.inherit", "smdii": fn inherit [heir: Identity] (starter: Identity, stream: usize) -> Result<PortalNumber>;
    /// A pipe → the first portal of the reading side, and 2¹⁶ times that of the writing side
    "files.pipe", "sm": fn pipe() -> Result<usize>;
    /// Takes a file's name away; it goes with the last that has it open. `ENOENT`, `EISDIR`
    "files.unlink", "smr": fn unlink(path: Alleged<Name>) -> Result<()>;
    /// Makes a directory. `EEXIST`, `ENOENT`, `ENOTDIR`
    "files.mkdir", "smr": fn mkdir(path: Alleged<Name>) -> Result<()>;
    /// Takes an empty directory away. `ENOTEMPTY`, `ENOTDIR`, `EBUSY`
    "files.rmdir", "smr": fn rmdir(path: Alleged<Name>) -> Result<()>;
    /// Gives a file or directory another name, in place of what had that
    "files.rename", "smrr": fn rename(path: Alleged<Name>, new: Alleged<Name>) -> Result<()>;
    /// What is there. `ENOENT`, `ENOTDIR`
    "files.status", "smrw": fn status(path: Alleged<Name>, status: Alleged<Status>) -> Result<()>;
}
