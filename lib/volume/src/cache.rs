//! Pages of files, by inode and place: what is read or written again goes no further than here.
//!
//! A page may be written here alone, and later on the disk, once the file system has a place for all of it: then nothing is left that could
//! go wrong for want of room. The first write of a whole page goes to the file system at once, which finds that place.

use abi::address::PAGE;
use alloc::vec::Vec;
use hashbrown::HashMap;

/// Bytes that the cache leaves to the file system, for a moment at a time.
pub const RESERVE: usize = 512 << 10;
/// Most pages: 3 MiB.
const MOST: usize = 768;

/// A page's file, by its inode's number, and its place there.
pub type Key = (u32, u32);
/// A page in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At(u16);

pub struct Page {
    pub key: Key,
    /// A whole page; zeros behind what is in the file.
    pub bytes: Vec<u8>,
    /// How many of them are in the file, as far as is known here.
    pub count: usize,
    /// The file system has a place for all of it.
    pub placed: bool,
    dirty: bool,
    /// It was looked at since the hand came by.
    used: bool,
}
pub struct Cache {
    pages: Vec<Page>,
    places: HashMap<Key, At>,
    /// Those that are to be written to the disk.
    dirty: Vec<At>,
    /// Where the next page to go is looked for (second chance).
    hand: usize,
}
/// What a new page finds.
pub enum Room {
    /// This place may be taken.
    At(At),
    /// This one may be taken once it was written to the disk.
    Dirty(At),
    /// There is no memory.
    None,
}
impl Cache {
    pub fn new() -> Cache {
        Cache { pages: Vec::new(), places: HashMap::new(), dirty: Vec::new(), hand: 0 }
    }
    pub fn find(&mut self, key: Key) -> Option<At> {
        let at = *self.places.get(&key)?;
        self.pages[at.0 as usize].used = true;
        Some(at)
    }
    pub fn page(&mut self, at: At) -> &mut Page {
        &mut self.pages[at.0 as usize]
    }
    /// A place for one more page: a new one, or that of a page that was not looked at for longest, or nearly.
    pub fn room(&mut self) -> Room {
        if self.pages.len() < MOST
            && let Some(at) = self.grow()
        {
            return Room::At(at);
        }
        // Each comes by twice at most.
        for _ in 0..2 * self.pages.len() {
            let at = At(self.hand as u16);
            self.hand = (self.hand + 1) % self.pages.len();
            let page = &mut self.pages[at.0 as usize];
            if !core::mem::take(&mut page.used) {
                return if page.dirty { Room::Dirty(at) } else { Room::At(at) };
            }
        }
        Room::None
    }
    /// A place that no page had; `None`: there is no memory but what the file system may need, which can not do without.
    fn grow(&mut self) -> Option<At> {
        let mut reserve: Vec<u8> = Vec::new();
        reserve.try_reserve_exact(RESERVE).ok()?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(PAGE).ok()?;
        bytes.resize(PAGE, 0);
        self.pages.try_reserve(1).ok()?;
        // For all that there may be: with room for twice as many a map does not grow for what was removed from it.
        if self.places.capacity() < 2 * MOST {
            self.places.try_reserve(2 * MOST).ok()?;
        }
        self.dirty.try_reserve(MOST).ok()?;
        self.pages.push(Page { key: NOWHERE, bytes, count: 0, placed: false, dirty: false, used: false });
        Some(At(self.pages.len() as u16 - 1))
    }
    /// Gives all memory back; none of the pages is still to be written, or it is lost.
    pub fn empty(&mut self) {
        *self = Cache::new();
    }
    /// A place that may be taken is another page's now, of which the caller fills in the bytes.
    pub fn take(&mut self, at: At, key: Key) -> &mut Page {
        let page = &mut self.pages[at.0 as usize];
        if page.key != NOWHERE {
            self.places.remove(&page.key);
        }
        self.places.insert(key, at);
        (page.key, page.count, page.placed, page.used) = (key, 0, false, true);
        page
    }
    /// What is in a place that may be taken is nothing any more.
    pub fn lose(&mut self, at: At) {
        let page = &mut self.pages[at.0 as usize];
        if page.key != NOWHERE {
            self.places.remove(&page.key);
        }
        (page.key, page.used) = (NOWHERE, false);
    }
    /// What is in it is to be written to the disk.
    pub fn soil(&mut self, at: At) {
        let page = &mut self.pages[at.0 as usize];
        if !core::mem::replace(&mut page.dirty, true) {
            self.dirty.push(at);
        }
    }
    /// It was written to the disk; [`Cache::cleaned`] follows when all were that are.
    pub fn clean(&mut self, at: At) {
        self.pages[at.0 as usize].dirty = false;
    }
    pub fn cleaned(&mut self) {
        let Cache { pages, dirty, .. } = self;
        dirty.retain(|at| pages[at.0 as usize].dirty);
    }
    /// Those that are to be written, of one inode or of all, in the order in which they lie in their files.
    pub fn soiled(&self, inode: Option<u32>) -> Vec<At> {
        let key = |at: &At| self.pages[at.0 as usize].key;
        let of = |at: &&At| inode.is_none_or(|inode| key(at).0 == inode);
        let mut all: Vec<At> = self.dirty.iter().filter(of).copied().collect();
        all.sort_unstable_by_key(key);
        all
    }
    /// What is in the file from page `first` on is not what it was: nothing of it is known here, and nothing is written.
    pub fn forget(&mut self, inode: u32, first: u32) {
        let Cache { pages, places, .. } = self;
        let mut some = false;
        for page in pages.iter_mut().filter(|page| page.key.0 == inode && page.key.1 >= first) {
            places.remove(&page.key);
            (page.key, page.dirty, page.used) = (NOWHERE, false, false);
            some = true;
        }
        if some {
            self.cleaned();
        }
    }
}
/// No inode has the number 0.
const NOWHERE: Key = (0, 0);
