//! Whose what is on the disk is, and how much of it each may have.
//!
//! A file or directory belongs to its inode's user: to who made it, or made it grow since. It counts as one page, which stands for its
//! inode and its name, and as those of its blocks. Nobody pays for what another does: who makes another's file
//! grow, has all of it from then on, or is refused; and a directory grows by the names that are made in it. What belongs to nobody in [`DiskParts`] is not
//! counted: the host's, other systems'.
//!
//! A large disk has fewer inodes than pages. Of them each account may have as large a part as of the pages.

use crate::{Files, Result, Volume, told};
use abi::Error;
use abi::account::{ACCOUNTS, DiskParts};
use abi::address::PAGE;
use rsext4::{BlockIo, EntropySource, FileExtentTarget, InodeInfo, InodeMetadataUpdate, InodeNumber};

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
    /// Inodes that it has, and how many it may have.
    pub(crate) inodes: [u32; ACCOUNTS],
    most_inodes: [u32; ACCOUNTS],
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
    /// One more file or directory, of one page so far. `EDQUOT`: it may have none; nothing is taken.
    fn take(&mut self, owner: Owner) -> Result<()> {
        let spent = self.place(owner).is_some_and(|n| self.inodes[n] >= self.most_inodes[n]);
        if spent || self.room(owner) == 0 {
            return Err(Error::EDQUOT);
        }
        self.gets(owner, 1);
        Ok(())
    }
    /// It has a file or directory of so many pages.
    fn gets(&mut self, owner: Owner, pages: u32) {
        self.place(owner).into_iter().for_each(|n| self.inodes[n] += 1);
        self.replace(owner, 0, pages);
    }
    /// It has one less.
    fn loses(&mut self, owner: Owner, pages: u32) {
        self.place(owner).into_iter().for_each(|n| self.inodes[n] = self.inodes[n].saturating_sub(1));
        self.replace(owner, pages, 0);
    }
    /// Of `inodes`, each account may have as large a part as of the pages.
    fn share_inodes(&mut self, inodes: u32) {
        let all: u64 = self.parts.0.iter().map(|part| u64::from(part.pages)).sum();
        for (most, part) in self.most_inodes.iter_mut().zip(&self.parts.0) {
            *most = (u64::from(inodes) * u64::from(part.pages) / all.max(1)) as u32;
        }
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
    u32::try_from(info.blocks.div_ceil(PAGE as u64 / 512).saturating_add(1)).unwrap_or(u32::MAX)
}
/// Bytes of the smallest inode (ext4's disk layout, "Inode Table").
const LEAST_INODE: u64 = 128;
/// Mappings of one page that are looked at: it has no more blocks.
const BLOCKS: usize = PAGE / 1024;

impl<D: BlockIo, E: EntropySource> Volume<D, E> {
    /// From now on each account has its part; what it has already, it keeps.
    pub fn share_out(&mut self, parts: &DiskParts) {
        (self.quotas.parts, self.quotas.some, self.quotas.changed) = (*parts, true, true);
        let had = self.quotas.inodes.iter().sum::<u32>();
        self.quotas.share_inodes(self.files.statfs().free_inodes.saturating_add(had));
    }
    /// Pages that each account has, by its number; `None`: as many as when it was asked last.
    pub fn used(&mut self) -> Option<[u32; ACCOUNTS]> {
        core::mem::take(&mut self.quotas.changed).then_some(self.quotas.used)
    }
    /// Looks through all inodes of the disk for what each has; one that can not be read is left out.
    pub fn count(&mut self) {
        (self.quotas.used, self.quotas.inodes, self.quotas.changed) = ([0; ACCOUNTS], [0; ACCOUNTS], true);
        let stats = self.files.statfs();
        // A damaged disk may say that there are more than fit on it.
        let most = stats.total_blocks.saturating_mul(stats.block_size) / LEAST_INODE;
        for number in 1..=u64::from(stats.total_inodes).min(most) as u32 {
            if let Ok(info) = InodeNumber::new(number).and_then(|number| self.files.inode(number)) {
                self.quotas.gets(Owner(info.uid), pages(&info));
            }
        }
    }
    /// `payer` makes a file or directory in a directory, whose blocks are its own then, if the name makes it grow. `EDQUOT`.
    pub(crate) fn made(
        &mut self,
        payer: Owner,
        directory: &InodeInfo,
        make: impl FnOnce(&mut Files<D, E>) -> Result<InodeInfo>,
    ) -> Result<InodeInfo> {
        if !self.quotas.some {
            self.room_in(directory)?;
            return make(&mut self.files);
        }
        self.quotas.take(payer)?;
        let made = self.naming(payer, directory, |volume| make(&mut volume.files));
        match &made {
            Ok(info) => self.quotas.replace(payer, 1, pages(info)),
            Err(_) => self.quotas.loses(payer, 1),
        }
        made
    }
    /// What `body` does makes a name in a directory, which was so before and may grow by that: it is `payer`'s then. `EDQUOT`: `payer` has no room for it.
    pub(crate) fn naming<T>(
        &mut self,
        payer: Owner,
        before: &InodeInfo,
        body: impl FnOnce(&mut Volume<D, E>) -> Result<T>,
    ) -> Result<T> {
        self.room_in(before)?;
        if !self.quotas.some {
            return body(self);
        }
        // Whether it grows is known when it is too late to refuse that.
        if before.uid != payer.0 && self.quotas.room(payer) <= pages(before) {
            return Err(Error::EDQUOT);
        }
        let done = body(self);
        if let Ok(now) = self.files.inode(before.number)
            && pages(&now) != pages(before)
        {
            self.quotas.replace(Owner(before.uid), pages(before), pages(&now));
            if before.uid != payer.0 {
                self.hand_over(&now, payer)?;
            }
        }
        done
    }
    /// Pages that a file counts as that is about to be changed; `None`: nothing is counted. `ENOMEM`.
    pub(crate) fn pages(&mut self, number: InodeNumber) -> Result<Option<u32>> {
        if !self.quotas.some {
            return Ok(None);
        }
        let info = self.files.inode(number).map_err(told)?;
        self.room_for(&info)?;
        Ok(Some(pages(&info)))
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
        self.room_for(&info)?;
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
        if self.quotas.room(payer) <= pages(info) {
            return Err(Error::EDQUOT);
        }
        self.hand_over(info, payer)
    }
    fn hand_over(&mut self, info: &InodeInfo, payer: Owner) -> Result<()> {
        let owner = InodeMetadataUpdate { owner: Some((payer.0, 0)), ..InodeMetadataUpdate::default() };
        self.files.update_inode_metadata(info.number, owner).map_err(told)?;
        self.quotas.loses(Owner(info.uid), pages(info));
        self.quotas.gets(payer, pages(info));
        Ok(())
    }
    /// Takes what has no name any more from the disk.
    pub(crate) fn reap_counted(&mut self, number: InodeNumber) -> Result<()> {
        let had = if self.quotas.some { self.files.inode(number).ok() } else { None };
        self.files.reap_unlinked_inode(number).map_err(told)?;
        if let Some(info) = had {
            self.quotas.loses(Owner(info.uid), pages(&info));
        }
        Ok(())
    }
}
