//! What is in files, by way of the cache.

use crate::cache::{At, Key, Room};
use crate::{Open, Owner, Result, Volume, kinds, told};
use abi::Error;
use abi::address::PAGE;
use alloc::vec::Vec;
use rsext4::{BlockIo, EntropySource, InodeNumber};

/// Pages that are read at once where all is read in order.
const AHEAD: usize = 8;

/// The page of a file in which byte `at` is, and where in it.
fn place(inode: InodeNumber, at: u64) -> Result<(Key, usize)> {
    let page = u32::try_from(at / PAGE as u64).map_err(|_| Error::EINVAL)?;
    Ok(((inode.raw(), page), (at % PAGE as u64) as usize))
}
/// Where a page begins in its file.
fn start(key: Key) -> u64 {
    key.1 as u64 * PAGE as u64
}
impl<D: BlockIo, E: EntropySource> Volume<D, E> {
    /// Bytes of an open file.
    pub(crate) fn bytes(&self, inode: InodeNumber) -> u64 {
        self.users.get(&inode.raw()).map_or(0, |users| users.bytes)
    }
    /// Reads from the position on. `EBADF`: not open for reading; `EISDIR`.
    pub fn read(&mut self, open: &mut Open, to: &mut [u8]) -> Result<usize> {
        if !open.read {
            return Err(Error::EBADF);
        }
        if open.directory.is_some() {
            return Err(Error::EISDIR);
        }
        let left = self.bytes(open.inode).saturating_sub(open.position);
        let count = (to.len() as u64).min(left) as usize;
        let mut done = 0;
        while done < count {
            let (key, within) = place(open.inode, open.position)?;
            let piece = (PAGE - within).min(count - done);
            let to = &mut to[done..done + piece];
            match self.fetch(key, open.next == key.1 as u64) {
                Ok(Some(at)) => to.copy_from_slice(&self.cache.page(at).bytes[within..within + piece]),
                Ok(None) => self.read_past(open.inode, open.position, to)?,
                // It comes again with the next call.
                Err(_) if done > 0 => break,
                Err(error) => return Err(error),
            }
            (done, open.next) = (done + piece, key.1 as u64 + 1);
            open.position += piece as u64;
        }
        Ok(done)
    }
    fn read_past(&mut self, inode: InodeNumber, from: u64, to: &mut [u8]) -> Result<()> {
        if self.read_by_runs(inode, from, to)? {
            return Ok(());
        }
        let read = self.files.read_inode(inode, from, to).map_err(told)?;
        if read == to.len() { Ok(()) } else { Err(Error::EIO) }
    }
    /// The page of a file in the cache, and those behind it where all is read `in_order`. `None`: there is no memory for it.
    fn fetch(&mut self, key: Key, in_order: bool) -> Result<Option<At>> {
        if let Some(at) = self.cache.find(key) {
            return Ok(Some(at));
        }
        if in_order && key.1 > 0 {
            self.fetch_ahead(key)?;
            return Ok(self.cache.find(key));
        }
        // What it would push out stays where it is, if that can not be written.
        let Ok(Some(at)) = self.room() else { return Ok(None) };
        let left = self.bytes(inode(key)?).saturating_sub(start(key));
        let count = left.min(PAGE as u64) as usize;
        let page = self.cache.page(at);
        page.bytes[count..].fill(0);
        let mut bytes = core::mem::take(&mut page.bytes);
        let read = self.read_past(inode(key)?, start(key), &mut bytes[..count]);
        self.cache.page(at).bytes = bytes;
        if let Err(error) = read {
            self.cache.lose(at);
            return Err(error);
        }
        self.cache.take(at, key).count = count;
        Ok(Some(at))
    }
    /// Reads some pages at once, from the one of `key` on, those which the cache has not.
    fn fetch_ahead(&mut self, key: Key) -> Result<()> {
        let left = self.bytes(inode(key)?).saturating_sub(start(key)).div_ceil(PAGE as u64);
        let most = (left as usize).min(AHEAD);
        let pages = (1..most).find(|n| self.cache.find((key.0, key.1 + *n as u32)).is_some()).unwrap_or(most);
        let mut all = Vec::new();
        if all.try_reserve_exact(pages * PAGE).is_err() {
            return Ok(());
        }
        all.resize(pages * PAGE, 0);
        let count = (self.bytes(inode(key)?) - start(key)).min(all.len() as u64) as usize;
        self.read_past(inode(key)?, start(key), &mut all[..count])?;
        for (n, bytes) in all.chunks(PAGE).enumerate() {
            let Ok(Some(at)) = self.room() else { return Ok(()) };
            let page = self.cache.take(at, (key.0, key.1 + n as u32));
            page.bytes.copy_from_slice(bytes);
            page.count = (count - n * PAGE).min(PAGE);
        }
        Ok(())
    }
    /// A place in the cache; what was there is on the disk. `None`: there is no memory.
    fn room(&mut self) -> Result<Option<At>> {
        match self.cache.room() {
            Room::At(at) => Ok(Some(at)),
            Room::Dirty(at) => {
                self.write_page_back(at)?;
                self.cache.cleaned();
                Ok(Some(at))
            }
            Room::None => Ok(None),
        }
    }
    /// Writes at the position, or at the end. `EBADF`: not open for writing; `ENOSPC`.
    pub fn write(&mut self, open: &mut Open, from: &[u8]) -> Result<usize> {
        if !open.write {
            return Err(Error::EBADF);
        }
        if open.append {
            open.position = self.bytes(open.inode);
        }
        let mut done = 0;
        while done < from.len() {
            let (key, within) = place(open.inode, open.position)?;
            let piece = (PAGE - within).min(from.len() - done);
            match self.write_piece(key, within, &from[done..done + piece], open.payer) {
                Ok(()) => {}
                Err(_) if done > 0 => break,
                Err(error) => return Err(error),
            }
            done += piece;
            open.position += piece as u64;
        }
        Ok(done)
    }
    /// Writes to a page: in the cache, if it is there and has a place on the disk, else on the disk too.
    fn write_piece(&mut self, key: Key, within: usize, from: &[u8], payer: Owner) -> Result<()> {
        let (number, first) = (inode(key)?, start(key) + within as u64);
        let end = first + from.len() as u64;
        let found = self.cache.find(key);
        self.versions.changed(key.0);
        let placed = found.is_some_and(|at| self.cache.page(at).placed) && end <= self.bytes(number);
        if !placed {
            let before = self.before_write(number, payer, first, from.len())?;
            self.runs.changed(key.0);
            self.counted(number, before, |volume| volume.files.write_inode(number, first, from).map_err(told))?;
            if let Some(users) = self.users.get_mut(&key.0) {
                users.bytes = users.bytes.max(end);
            }
        }
        let whole = from.len() == PAGE;
        let at = match found {
            Some(at) => at,
            None if whole => match self.room() {
                Ok(Some(at)) => {
                    self.cache.take(at, key);
                    at
                }
                _ => return Ok(()),
            },
            None => return Ok(()),
        };
        let page = self.cache.page(at);
        page.bytes[within..within + from.len()].copy_from_slice(from);
        page.count = page.count.max(within + from.len());
        page.placed |= whole;
        if placed {
            self.cache.soil(at);
        }
        Ok(())
    }
    fn write_page_back(&mut self, at: At) -> Result<()> {
        let page = self.cache.page(at);
        let (key, count) = (page.key, page.count);
        let number = inode(key)?;
        self.runs.changed(key.0);
        self.files.write_inode(number, start(key), &self.cache.page(at).bytes[..count]).map_err(told)?;
        self.cache.clean(at);
        Ok(())
    }
    /// What was written to a file, or to all, in the cache alone goes to the file system; a page that can not be written keeps no other
    /// from it. `EIO`: some of it is in the cache still.
    pub(crate) fn write_back(&mut self, of: Option<InodeNumber>) -> Result<()> {
        let soiled = self.cache.soiled(of.map(InodeNumber::raw));
        if soiled.is_empty() {
            return Ok(());
        }
        let mut written = Ok(());
        for at in soiled {
            written = written.and(self.write_page_back(at));
        }
        self.cache.cleaned();
        written
    }
    pub(crate) fn write_all_back(&mut self) -> Result<()> {
        self.write_back(None)
    }
    /// The file has so many bytes from now on. `EBADF`: not open for writing; `ENOSPC`.
    pub fn truncate(&mut self, open: &Open, bytes: u64) -> Result<()> {
        if !open.write {
            return Err(Error::EBADF);
        }
        kinds::may_resize(&self.files.inode(open.inode).map_err(told)?)?;
        self.resize(open.inode, bytes)
    }
    pub(crate) fn resize(&mut self, number: InodeNumber, bytes: u64) -> Result<()> {
        if !bytes.is_multiple_of(PAGE as u64) {
            // Of the last page some stays.
            self.write_back(Some(number))?;
        }
        self.versions.changed(number.raw());
        let before = self.pages(number)?;
        self.runs.changed(number.raw());
        self.counted(number, before, |volume| volume.files.truncate_inode(number, bytes).map_err(told))?;
        self.cache.forget(number.raw(), u32::try_from(bytes / PAGE as u64).unwrap_or(u32::MAX));
        if let Some(users) = self.users.get_mut(&number.raw()) {
            users.bytes = bytes;
        }
        Ok(())
    }
    /// What has no name and no user any more goes; its number may be another's next.
    pub(crate) fn reap(&mut self, number: InodeNumber) -> Result<()> {
        self.versions.changed(number.raw());
        self.runs.changed(number.raw());
        self.cache.forget(number.raw(), 0);
        self.reap_counted(number)
    }
}
/// The inode of a page.
fn inode(key: Key) -> Result<InodeNumber> {
    InodeNumber::new(key.0).map_err(told)
}
