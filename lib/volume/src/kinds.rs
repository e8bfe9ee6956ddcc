//! What has a name on a disk, and what its attributes (`chattr(1)`) rule out.
//!
//! Links, pipes, sockets and devices of the machine that the disk was on are there to be seen and taken away. Where a file has its blocks such a one has a
//! path or a number, so none of them is ever opened.

use crate::Result;
use abi::Error;
use abi::file::{flags, kind};
use rsext4::{DirectoryEntryType, InodeFlags, InodeInfo};

/// One of [`kind`]. `EIO`: none that there is.
pub(crate) fn of(info: &InodeInfo) -> Result<u64> {
    Ok(match info.file_type() {
        DirectoryEntryType::RegularFile => kind::FILE,
        DirectoryEntryType::Directory => kind::DIRECTORY,
        DirectoryEntryType::Symlink => kind::LINK,
        DirectoryEntryType::Fifo => kind::PIPE,
        DirectoryEntryType::Socket => abi::internet::SOCKET,
        DirectoryEntryType::CharacterDevice => kind::CHARACTER_DEVICE,
        DirectoryEntryType::BlockDevice => kind::BLOCK_DEVICE,
        DirectoryEntryType::Unknown => return Err(Error::EIO),
    })
}
/// With the flags of `files.open`. `ENOTSUP`: it is neither a file nor a directory; `EPERM`: it is to be written.
pub(crate) fn may_open(info: &InodeInfo, how: usize) -> Result<()> {
    if !matches!(of(info)?, kind::FILE | kind::DIRECTORY) {
        return Err(Error::ENOTSUP);
    }
    let only_appends = how & (flags::APPEND | flags::TRUNCATE) == flags::APPEND;
    let may_write = !has(info, InodeFlags::IMMUTABLE) && (only_appends || !has(info, InodeFlags::APPEND));
    if how & flags::ACCESS == flags::READ_ONLY || may_write { Ok(()) } else { Err(Error::EPERM) }
}
/// A name may be made in a directory. `EPERM`.
pub(crate) fn may_add(directory: &InodeInfo) -> Result<()> {
    if has(directory, InodeFlags::IMMUTABLE) { Err(Error::EPERM) } else { Ok(()) }
}
/// A file may become shorter or longer otherwise than by what is appended. `EPERM`.
pub(crate) fn may_resize(info: &InodeInfo) -> Result<()> {
    if has(info, InodeFlags::IMMUTABLE | InodeFlags::APPEND) { Err(Error::EPERM) } else { Ok(()) }
}
/// What has a name in a directory may lose it. `EPERM`.
pub(crate) fn may_remove(directory: &InodeInfo, info: &InodeInfo) -> Result<()> {
    let fixed = InodeFlags::IMMUTABLE | InodeFlags::APPEND;
    if has(directory, fixed) || has(info, fixed) { Err(Error::EPERM) } else { Ok(()) }
}
fn has(info: &InodeInfo, flags: InodeFlags) -> bool {
    info.flags.intersects(flags)
}
