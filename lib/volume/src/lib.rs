//! A file system on a disk: ext4, by `rsext4`, with paths and open files as the files component has them.
//!
//! What was written lasts when [`Volume::sync`] has returned; a disk that loses its power before that mounts again, by its journal.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod cache;
mod contents;
mod fit;
mod kinds;
mod paths;
mod pieces;
mod quota;
mod recent;
mod runs;
mod versions;

use abi::Error;
use abi::file::{NODE_OF_DISK, Status, flags, whence};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use cache::Cache;
pub use fit::Unfit;
pub use paths::Last;
use paths::Place;
pub use quota::Owner;
use quota::Quotas;
use recent::Recent;
pub use rsext4::{
    BlockIo as Disk, Clock, DeviceCapabilities, DeviceGeometry, EntropySource, Ext4Error as Failure, Ext4Result,
    Ext4Timestamp, SectorId,
};
use rsext4::{
    BlockIo, DirectoryCursor, DirectoryEntryType, Ext4, Ext4Error, Ext4ErrorKind, FileName, FilePermissions, InodeInfo,
    InodeNumber, MkfsOptions, MountOptions, MountServices, MountedServices, MutationContext, NoopObserver,
    RenameOptions, UnlinkOutcome,
};
use runs::Runs;
use versions::Versions;

type Result<T> = core::result::Result<T, Error>;

/// What went wrong, as clients know it.
fn told(error: Ext4Error) -> Error {
    match error.kind() {
        Ext4ErrorKind::NotFound => Error::ENOENT,
        Ext4ErrorKind::AlreadyExists => Error::EEXIST,
        Ext4ErrorKind::NotDirectory => Error::ENOTDIR,
        Ext4ErrorKind::IsDirectory => Error::EISDIR,
        Ext4ErrorKind::NotEmpty => Error::ENOTEMPTY,
        Ext4ErrorKind::NoSpace => Error::ENOSPC,
        Ext4ErrorKind::NoMemory => Error::ENOMEM,
        Ext4ErrorKind::Busy => Error::EBUSY,
        _ => Error::EIO,
    }
}

/// An open file or directory.
#[derive(Debug)]
pub struct Open {
    inode: InodeNumber,
    position: u64,
    read: bool,
    write: bool,
    append: bool,
    /// The page that is read next where all is read in order.
    next: u64,
    directory: Option<Listing>,
    /// Has what becomes longer through this.
    payer: Owner,
}
impl Open {
    /// The file's number, which no other has while this is open, and whether it is open for reading, and for writing.
    pub fn access(&self) -> (u64, bool, bool) {
        (self.inode.raw().into(), self.read, self.write)
    }
}
/// How far a directory was read.
#[derive(Clone, Copy, Debug)]
struct Listing {
    cursor: DirectoryCursor,
    /// Names that were not told of.
    left_out: usize,
}
impl Listing {
    const START: Listing = Listing { cursor: DirectoryCursor::Start, left_out: 0 };
}
/// How much there is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    pub all: u64,
    pub free: u64,
}
/// How often something is open, and whether its name has gone.
#[derive(Default)]
struct Users {
    count: usize,
    nameless: bool,
    /// In the file.
    bytes: u64,
}

type Files<D, E> = Ext4<Recent<D>, MountedServices<E, NoopObserver>>;

pub struct Volume<D: BlockIo, E: EntropySource> {
    /// Apart, for it is large, and what is built of it is moved: the thread that mounts has a small stack.
    files: Box<Files<D, E>>,
    /// The same disk, for what is read past the file system.
    disk: D,
    runs: Runs,
    users: BTreeMap<u32, Users>,
    cache: Cache,
    versions: Versions,
    quotas: Quotas,
    /// Has so many bytes ready for the request that was begun.
    keep: Option<fn(usize) -> Result<()>>,
}

/// Disks of less than this many bytes have small blocks.
const SMALL: u64 = 512 << 20;
/// Bytes of a block there, and of one elsewhere.
const SMALL_BLOCK: u32 = 1024;
const LARGE_BLOCK: u32 = 4096;

/// Makes a file system on a disk; the disk. A small one has small blocks, as those that `mkfs.ext4` makes have: whatever changes of directories,
/// inodes and bitmaps, whole blocks of them are summed and go through the journal.
pub fn format<D: BlockIo>(disk: D, clock: impl Clock + Send + 'static) -> Result<D> {
    let geometry = disk.geometry();
    let small = geometry.block_count * u64::from(geometry.logical_block_size) < SMALL;
    format_in_blocks(disk, clock, if small { SMALL_BLOCK } else { LARGE_BLOCK })
}
fn format_in_blocks<D: BlockIo>(disk: D, clock: impl Clock + Send + 'static, block_size: u32) -> Result<D> {
    rsext4::format(disk, clock, MkfsOptions { block_size, ..MkfsOptions::default() }).map_err(told)
}

/// Everybody may do everything that the manifest allows; who makes something has it.
fn by(payer: Owner) -> MutationContext {
    MutationContext::new(payer.number(), 0, 0, 0)
}
impl<D: BlockIo, E: EntropySource> Volume<D, E> {
    /// The file system of a disk, of which a clone is the same disk; what its journal has is done first. Nothing is written to one that is not
    /// understood.
    pub fn mount(
        mut disk: D,
        clock: impl Clock + Send + 'static,
        mut entropy: E,
    ) -> core::result::Result<Volume<D, E>, Unfit>
    where
        D: Clone,
    {
        fit::look(&mut disk)?;
        let start = match clock.now() {
            Ok(now) if now != Ext4Timestamp::UNIX_EPOCH => {
                (now.sec as u64).wrapping_mul(1_000_000_000) + u64::from(now.nsec)
            }
            // There is no clock: numbers from 0 would be those of the mount before.
            _ => {
                let mut word = [0; 8];
                entropy.fill_bytes(&mut word).map_err(Unfit::from)?;
                u64::from_le_bytes(word) >> 1
            }
        };
        let versions = Versions::new(start);
        let services = MountServices::new(clock, entropy, NoopObserver);
        let files = match Ext4::mount(Recent::new(disk.clone()), services, MountOptions::read_write()) {
            Ok(files) => Box::new(files),
            Err(error) => return Err(error.into()),
        };
        Ok(Volume {
            files,
            disk,
            runs: Runs::default(),
            users: BTreeMap::new(),
            cache: Cache::new(),
            versions,
            quotas: Quotas::default(),
            keep: None,
        })
    }
    /// All is written, and the disk is marked as left in order.
    pub fn unmount(mut self) -> Result<()> {
        let written = self.write_all_back();
        self.files.unmount().map_err(told).and(written)
    }
    /// What was written lasts. `EIO`: but for some of it; the rest does.
    pub fn sync(&mut self) -> Result<()> {
        let written = self.write_all_back();
        self.files.sync().map_err(told)?;
        self.runs.synced();
        written
    }
    pub fn space(&self) -> Space {
        let stats = self.files.statfs();
        Space { all: stats.total_blocks * stats.block_size, free: stats.free_blocks * stats.block_size }
    }
    /// Opens a path for `payer`, with the flags and errors of `files.open`; and `ENOSPC`, `EDQUOT`.
    pub fn open(&mut self, path: &str, how: usize, payer: Owner) -> Result<Open> {
        let access = how & flags::ACCESS;
        let only_reads = access == flags::READ_ONLY;
        if access > flags::READ_WRITE
            || (only_reads && how & (flags::TRUNCATE | flags::APPEND) != 0)
            || how & (flags::CREATE | flags::DIRECTORY) == flags::CREATE | flags::DIRECTORY
        {
            return Err(Error::EINVAL);
        }
        let is_new = how & flags::CREATE != 0 && how & flags::EXCLUSIVE != 0;
        let last = if is_new || how & flags::NO_FOLLOW != 0 { Last::Itself } else { Last::Followed };
        let Place { directory, name, found, slash } = self.walk(path, last)?;
        let found = match found {
            Some(_) if is_new => return Err(Error::EEXIST),
            Some(found) if found.file_type() == DirectoryEntryType::Symlink => return Err(Error::ELOOP),
            Some(found) if found.is_directory() && (!only_reads || how & flags::CREATE != 0) => {
                return Err(Error::EISDIR);
            }
            Some(found) if !found.is_directory() && (slash || how & flags::DIRECTORY != 0) => {
                return Err(Error::ENOTDIR);
            }
            Some(found) => {
                kinds::may_open(&found, how)?;
                found
            }
            None if how & flags::CREATE == 0 => return Err(Error::ENOENT),
            None if slash => return Err(Error::EISDIR),
            None => {
                kinds::may_add(&directory)?;
                let permissions = FilePermissions::new(0o644).map_err(told)?;
                self.made(payer, &directory, |files| {
                    let name = self::name(&name)?;
                    files.create_regular_file(by(payer), directory.number, name, permissions).map_err(told)
                })?
            }
        };
        if how & flags::TRUNCATE != 0 {
            self.resize(found.number, 0)?;
        }
        let users = self.users.entry(found.number.raw()).or_default();
        users.count += 1;
        users.bytes = if how & flags::TRUNCATE != 0 { 0 } else { found.size };
        Ok(Open {
            inode: found.number,
            position: 0,
            read: access != flags::WRITE_ONLY,
            write: !only_reads,
            append: how & flags::APPEND != 0,
            next: 0,
            directory: found.is_directory().then_some(Listing::START),
            payer,
        })
    }
    /// What is open for reading is opened once more, for reading alone. `EBADF`; `EISDIR`.
    pub fn reopen(&mut self, open: &Open, payer: Owner) -> Result<Open> {
        if open.directory.is_some() {
            return Err(Error::EISDIR);
        }
        let users = self.users.get_mut(&open.inode.raw()).filter(|_| open.read).ok_or(Error::EBADF)?;
        users.count += 1;
        let inode = open.inode;
        Ok(Open { inode, position: 0, read: true, write: false, append: false, next: 0, directory: None, payer })
    }
    /// What is open is opened once more, for neither reading nor writing. `EISDIR`.
    pub fn keep(&mut self, open: &Open, payer: Owner) -> Result<Open> {
        if open.directory.is_some() {
            return Err(Error::EISDIR);
        }
        self.users.get_mut(&open.inode.raw()).ok_or(Error::EBADF)?.count += 1;
        let inode = open.inode;
        Ok(Open { inode, position: 0, read: false, write: false, append: false, next: 0, directory: None, payer })
    }
    /// It goes; what has no name any more, with the last that has it open.
    pub fn close(&mut self, open: Open) -> Result<()> {
        let number = open.inode.raw();
        let Some(users) = self.users.get_mut(&number) else { return Ok(()) };
        users.count -= 1;
        if users.count > 0 {
            return Ok(());
        }
        if users.nameless {
            return self.reap_or_leave(open.inode);
        }
        self.users.remove(&number);
        Ok(())
    }
    /// Moves the position; where it is then. `EINVAL`: before the start, or from nowhere.
    pub fn seek(&mut self, open: &mut Open, offset: isize, from: usize) -> Result<usize> {
        if let Some(listing) = &mut open.directory {
            if (offset, from) != (0, whence::START) {
                return Err(Error::EINVAL);
            }
            *listing = Listing::START;
            return Ok(0);
        }
        let from = match from {
            whence::START => 0,
            whence::POSITION => open.position,
            whence::END => self.bytes(open.inode),
            _ => return Err(Error::EINVAL),
        };
        open.position = from.checked_add_signed(offset as i64).ok_or(Error::EINVAL)?;
        Ok(open.position as usize)
    }
    /// The next name of an open directory that the caller `can_say`, and what has it; `None`: that was all. Others, and those that are no text, are left
    /// out, and counted. `ENOTDIR`.
    pub fn next(&mut self, open: &mut Open, can_say: impl Fn(&str) -> bool) -> Result<Option<(String, Status)>> {
        let listing = open.directory.as_mut().ok_or(Error::ENOTDIR)?;
        let directory = self.files.inode(open.inode).map_err(told)?;
        self.room_in(&directory)?;
        loop {
            let entries: Vec<_> = self.files.read_directory(open.inode, listing.cursor, 1).map_err(told)?;
            let Some(entry) = entries.into_iter().next() else { return Ok(None) };
            listing.cursor = entry.next_cursor;
            if matches!(&entry.name[..], b"." | b"..") {
                continue;
            }
            let name = String::from_utf8(entry.name).ok().filter(|name| can_say(name));
            let known = match name {
                Some(name) => {
                    let info = self.files.inode(entry.inode).map_err(told)?;
                    kinds::of(&info).ok().map(|kind| (name, self.status(&info, kind)))
                }
                None => None,
            };
            if known.is_some() {
                return Ok(known);
            }
            listing.left_out += 1;
        }
    }
    /// How many names of an open directory were left out since its start. `ENOTDIR`.
    pub fn left_out(&self, open: &Open) -> Result<usize> {
        open.directory.map(|listing| listing.left_out).ok_or(Error::ENOTDIR)
    }
    fn status(&mut self, info: &InodeInfo, kind: u64) -> Status {
        let version = self.versions.of(info.number.raw());
        Status { kind, bytes: info.size, node: info.number.raw() as u64 | NODE_OF_DISK, version }
    }
    /// What is open.
    pub fn status_of(&mut self, open: &Open) -> Result<Status> {
        let info = self.files.inode(open.inode).map_err(told)?;
        Ok(self.status(&info, kinds::of(&info)?))
    }
    /// What a path names. `ENOENT`, `ENOTDIR`, `ELOOP`.
    pub fn status_at(&mut self, path: &str, last: Last) -> Result<Status> {
        let info = self.find(path, last)?;
        Ok(self.status(&info, kinds::of(&info)?))
    }
    /// Makes a symbolic link of `payer`'s that leads to `target`, be there something or not. `EEXIST`: the name is taken; `EINVAL`: it leads nowhere;
    /// `EDQUOT`.
    pub fn make_link(&mut self, path: &str, target: &str, payer: Owner) -> Result<()> {
        let Place { directory, name, found, slash } = self.walk(path, Last::Itself)?;
        if found.is_some() {
            return Err(Error::EEXIST);
        }
        if slash {
            return Err(Error::ENOENT);
        }
        if target.is_empty() {
            return Err(Error::EINVAL);
        }
        kinds::may_add(&directory)?;
        let make = |files: &mut Files<D, E>| {
            files.create_symlink(by(payer), directory.number, self::name(&name)?, target.as_bytes()).map_err(told)
        };
        self.made(payer, &directory, make).map(|_| ())
    }
    /// Makes a directory of `payer`'s. `EEXIST`: the name is taken; `EDQUOT`.
    pub fn make_directory(&mut self, path: &str, payer: Owner) -> Result<()> {
        let Place { directory, name, found, .. } = self.walk(path, Last::Itself)?;
        if found.is_some() {
            return Err(Error::EEXIST);
        }
        kinds::may_add(&directory)?;
        let permissions = FilePermissions::new(0o755).map_err(told)?;
        let make = |files: &mut Files<D, E>| {
            files.create_directory(by(payer), directory.number, self::name(&name)?, permissions).map_err(told)
        };
        self.made(payer, &directory, make).map(|_| ())
    }
    /// Takes an empty directory away. `ENOENT`, `ENOTDIR`, `ENOTEMPTY`; `EBUSY`: the root.
    pub fn remove_directory(&mut self, path: &str) -> Result<()> {
        let Place { directory, name, found, .. } = self.walk(path, Last::Itself)?;
        if name.is_empty() {
            return Err(Error::EBUSY);
        }
        self.room_to_lose(&directory, found.as_ref())?;
        let gone = self.files.remove_empty_directory(directory.number, self::name(&name)?).map_err(told)?;
        self.nameless(gone)
    }
    /// Takes the name of a file, or of what is no directory, away. `ENOENT`; `EISDIR`: a directory.
    pub fn unlink(&mut self, path: &str) -> Result<()> {
        let Place { directory, name, found, slash } = self.walk(path, Last::Itself)?;
        if name.is_empty() {
            return Err(Error::EISDIR);
        }
        if slash && found.is_some_and(|found| !found.is_directory()) {
            return Err(Error::ENOTDIR);
        }
        self.room_to_lose(&directory, found.as_ref())?;
        let gone = self.files.unlink(directory.number, self::name(&name)?).map_err(told)?;
        self.nameless(gone)
    }
    /// `payer` gives what has one name another, in place of what had that. Errors: as of the files component; `EDQUOT`.
    pub fn rename(&mut self, from: &str, to: &str, payer: Owner) -> Result<()> {
        let from = self.walk(from, Last::Itself)?;
        let to = self.walk(to, Last::Itself)?;
        if from.name.is_empty() || to.name.is_empty() {
            return Err(Error::EBUSY);
        }
        let found = from.found.ok_or(Error::ENOENT)?;
        if !found.is_directory() && (from.slash || to.slash) {
            return Err(Error::ENOTDIR);
        }
        kinds::may_remove(&from.directory, &found)?;
        kinds::may_add(&to.directory)?;
        self.room_to_lose(&to.directory, to.found.as_ref())?;
        let to_directory = to.directory;
        let (from_name, to_name) = (name(&from.name)?, name(&to.name)?);
        let (from, to) = (from.directory.number, to.directory.number);
        let rename = |files: &mut Files<D, E>| files.rename(from, from_name, to, to_name, RenameOptions::default());
        let renamed = self.naming(payer, &to_directory, |volume| {
            let mut renamed = rename(&mut volume.files);
            if from == to && renamed.is_err() && volume.make_room(&found, to, to_name)? {
                renamed = rename(&mut volume.files);
            }
            renamed.map_err(told)
        })?;
        renamed.replaced.map_or(Ok(()), |gone| self.nameless(gone))
    }
    /// Sees to it that there is memory to take away what has a name, if there is something: for a look through what may be a directory, whether that is
    /// empty. `EPERM`.
    fn room_to_lose(&mut self, directory: &InodeInfo, gone: Option<&InodeInfo>) -> Result<()> {
        self.room_in(directory)?;
        let Some(gone) = gone else { return Ok(()) };
        kinds::may_remove(directory, gone)?;
        if gone.is_directory() { self.room_in(gone) } else { Ok(()) }
    }
    /// Sees to it that a directory has room for the new name of what is in it already; whether it had none, as far as can be said.
    ///
    /// `rsext4` 0.9.2 looks where the old name is before it enters the new one, and fails if that has moved names from one block of the directory to
    /// another: nothing has happened then. So the name is entered and taken away again, and its room stays. If the power goes
    /// between the two, a file has both names, and the new one of a directory is that of an empty one: neither is in the way of the same rename.
    fn make_room(&mut self, what: &InodeInfo, directory: InodeNumber, new: FileName<'_>) -> Result<bool> {
        let entered = if what.is_directory() {
            let permissions = FilePermissions::new(0o755).map_err(told)?;
            self.files.create_directory(by(Owner::NOBODY), directory, new, permissions)
        } else {
            self.files.hard_link(what.number, directory, new)
        };
        // The name is taken, or the disk is full or broken: it was not for want of room.
        let Ok(entered) = entered else { return Ok(false) };
        let gone = if entered.is_directory() {
            self.files.remove_empty_directory(directory, new)
        } else {
            self.files.unlink(directory, new)
        };
        self.nameless(gone.map_err(told)?)?;
        Ok(true)
    }
    /// A name of this has gone: if it was the last one, it goes too, as soon as nobody has it open.
    fn nameless(&mut self, gone: UnlinkOutcome) -> Result<()> {
        let number = gone.inode;
        if !gone.requires_reap() {
            return Ok(());
        }
        match self.users.get_mut(&number.raw()) {
            Some(users) => {
                users.nameless = true;
                Ok(())
            }
            None => self.reap_or_leave(number),
        }
    }
}
fn name(text: &str) -> Result<FileName<'_>> {
    FileName::new(text.as_bytes()).map_err(|_| Error::EINVAL)
}
#[cfg(test)]
mod cut_tests;
#[cfg(test)]
mod fit_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod links_tests;
#[cfg(test)]
mod quota_tests;
#[cfg(test)]
mod recent_tests;
#[cfg(test)]
mod runs_tests;
#[cfg(test)]
mod tests;
