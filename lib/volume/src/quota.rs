//! Whose what is on the disk is, and how much of it each may have.
//!
//! A file or directory belongs to its inode's user: to who made it, or made it grow since. It counts as one page, which stands for its
//! inode and its name, and a file as those of its blocks too. Nobody pays for what another does: who makes another's file
//! grow, has all of it from then on, or is refused. What belongs to nobody in [`DiskParts`] is not counted: the host's, other systems'.

use crate::{Result, Volume, told};
use abi::Error;
use abi::account::{ACCOUNTS, DiskParts};
use abi::address::PAGE;
use alloc::vec::Vec;
use hashbrown::HashSet;
use rsext4::{BlockIo, DirectoryCursor, EntropySource, FileExtentTarget, InodeInfo, InodeMetadataUpdate, InodeNumber};

/// Who has something on the disk, by the number that stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u32);
impl Owner {
    /// Who made the disk: it may have all.
    pub const NOBODY: Owner = Owner(0);
    /// That of the account with this number, or nobody, who has no limit, where there is none.
    pub fn of(parts: &DiskParts, account: usize) -> Owner {
        Owner(parts.0.get(account).map_or(0, |part| part.owner))
    }
    pub fn number(self) -> u32 {
        self.0
    }
}

/// What each account has.
#[derive(Default)]
pub struct Quotas {
    parts: DiskParts,
    pub(crate) used: [u32; ACCOUNTS],
    /// `used` is not what it was when it was last asked for.
    changed: bool,
    /// There are parts.
    some: bool,
}
impl Quotas {
    fn place(&self, owner: Owner) -> Option<usize> {
        if owner == Owner::NOBODY { None } else { self.parts.0.iter().position(|part| part.owner == owner.0) }
    }
    /// Pages that it may have besides.
    fn room(&self, owner: Owner) -> u32 {
        self.place(owner).map_or(u32::MAX, |n| self.parts.0[n].pages.saturating_sub(self.used[n]))
    }
    /// `EDQUOT`: it has not so many left; nothing is taken.
    pub(crate) fn take(&mut self, owner: Owner, pages: u32) -> Result<()> {
        if self.room(owner) < pages {
            return Err(Error::EDQUOT);
        }
        self.replace(owner, 0, pages);
        Ok(())
    }
    /// It has `now` pages in place of `before`, whatever its part is.
    pub(crate) fn replace(&mut self, owner: Owner, before: u32, now: u32) {
        if let Some(n) = self.place(owner)
            && before != now
        {
            self.used[n] = self.used[n].saturating_add(now).saturating_sub(before);
            self.changed = true;
        }
    }
}
/// Of what is there: how many pages it counts as.
fn pages(info: &InodeInfo) -> u32 {
    // Blocks of 512 bytes, whatever the file system's are.
    let blocks = if info.is_directory() { 0 } else { info.blocks };
    u32::try_from(1 + blocks.div_ceil(PAGE as u64 / 512)).unwrap_or(u32::MAX)
}
/// Bytes of the shortest entry of a directory (ext4's disk layout, "Linear Directories").
const LEAST_ENTRY: u64 = 8;
/// Mappings of one page that are looked at: it has no more blocks.
const BLOCKS: usize = PAGE / 1024;

impl<D: BlockIo, E: EntropySource> Volume<D, E> {
    /// From now on each account has its part; what it has already, it keeps.
    pub fn share_out(&mut self, parts: &DiskParts) {
        (self.quotas.parts, self.quotas.some, self.quotas.changed) = (*parts, true, true);
    }
    /// Pages that each account has, by its number; `None`: as many as when it was asked last.
    pub fn used(&mut self) -> Option<[u32; ACCOUNTS]> {
        core::mem::take(&mut self.quotas.changed).then_some(self.quotas.used)
    }
    /// Looks through all that is on the disk for what each has. A directory that can not be read is left out. `ENOMEM`.
    pub fn count(&mut self) -> Result<()> {
        (self.quotas.used, self.quotas.changed) = ([0; ACCOUNTS], true);
        let mut seen = HashSet::new();
        let mut directories = Vec::new();
        let root = self.files.inode(self.files.root_inode()).map_err(told)?;
        seen.insert(root.number.raw());
        directories.push((root.number, root.size));
        while let Some((directory, bytes)) = directories.pop() {
            let mut cursor = DirectoryCursor::Start;
            // Of a damaged disk an entry may lead back to one before it.
            for _ in 0..bytes / LEAST_ENTRY {
                let Ok(entries) = self.files.read_directory(directory, cursor, 1) else { break };
                let Some(entry) = entries.into_iter().next() else { break };
                cursor = entry.next_cursor;
                if entry.name == b"." || entry.name == b".." {
                    continue;
                }
                let Ok(info) = self.files.inode(entry.inode) else { continue };
                if info.is_directory() || info.links > 1 {
                    seen.try_reserve(1).map_err(|_| Error::ENOMEM)?;
                    if !seen.insert(info.number.raw()) {
                        continue;
                    }
                }
                self.quotas.replace(Owner(info.uid), 0, pages(&info));
                if info.is_directory() {
                    directories.try_reserve(1).map_err(|_| Error::ENOMEM)?;
                    directories.push((info.number, info.size));
                }
            }
        }
        Ok(())
    }
    /// Pages that a file counts as; `None`: nothing is counted.
    pub(crate) fn pages(&mut self, number: InodeNumber) -> Result<Option<u32>> {
        if !self.quotas.some {
            return Ok(None);
        }
        self.files.inode(number).map(|info| Some(pages(&info))).map_err(told)
    }
    /// What `body` does to a file, which counts as `before`, makes what its owner has more or less.
    pub(crate) fn counted<T>(
        &mut self,
        number: InodeNumber,
        before: Option<u32>,
        body: impl FnOnce(&mut Volume<D, E>) -> Result<T>,
    ) -> Result<T> {
        let done = body(self);
        let Some(before) = before else { return done };
        // It went wrong in the middle perhaps; and what is gone takes no room.
        let (owner, now) = match self.files.inode(number) {
            Ok(info) => (Owner(info.uid), pages(&info)),
            Err(_) => return done,
        };
        self.quotas.replace(owner, before, now);
        done
    }
    /// `payer` writes `count` bytes to the page of a file in which byte `at` is; what the file counts as before, as of
    /// [`Volume::pages`]. `EDQUOT`: it would grow, and be more than `payer` may have.
    pub(crate) fn before_write(
        &mut self,
        number: InodeNumber,
        payer: Owner,
        at: u64,
        count: usize,
    ) -> Result<Option<u32>> {
        if !self.quotas.some {
            return Ok(None);
        }
        let info = self.files.inode(number).map_err(told)?;
        let own = info.uid == payer.0;
        if !(own && self.quotas.room(payer) > 0 || self.has_blocks(number, at, count)?) {
            if own {
                return Err(Error::EDQUOT);
            }
            self.take_over(&info, payer)?;
        }
        Ok(Some(pages(&info)))
    }
    /// Whether there is a place on the disk for all of these bytes of a page.
    fn has_blocks(&mut self, number: InodeNumber, at: u64, count: usize) -> Result<bool> {
        let (from, end) = (at, at + count as u64);
        let map = self.files.inode_extents(number, from, count as u64, FileExtentTarget::Data, BLOCKS).map_err(told)?;
        let inside = |start: u64, length: u64| (start + length).min(end).saturating_sub(start.max(from));
        Ok(map.extents.iter().map(|extent| inside(extent.logical_start, extent.length)).sum::<u64>() >= end - from)
    }
    /// All of a file is `payer`'s, and a page more could be. `EDQUOT`.
    fn take_over(&mut self, info: &InodeInfo, payer: Owner) -> Result<()> {
        let all = pages(info);
        if self.quotas.room(payer) <= all {
            return Err(Error::EDQUOT);
        }
        let owner = InodeMetadataUpdate { owner: Some((payer.0, 0)), ..InodeMetadataUpdate::default() };
        self.files.update_inode_metadata(info.number, owner).map_err(told)?;
        self.quotas.replace(Owner(info.uid), all, 0);
        self.quotas.replace(payer, 0, all);
        Ok(())
    }
    /// Takes what has no name any more from the disk.
    pub(crate) fn reap_counted(&mut self, number: InodeNumber) -> Result<()> {
        let had = if self.quotas.some { self.files.inode(number).ok() } else { None };
        self.files.reap_unlinked_inode(number).map_err(told)?;
        if let Some(info) = had {
            self.quotas.replace(Owner(info.uid), pages(&info), 0);
        }
        Ok(())
    }
}
