//! Sv39 translation by a buffer that forgets nothing by itself: each entry that a walk has read, each pointer to a table on
//! its way, and, where asked for, each page that was found missing, is used until an `sfence.vma` that covers it.
//!
//! Privileged specification, sections 4.2.1 and 4.3.2: an implementation may keep any of these. A fence for one address orders
//! leaf entries only, one for an address space no global ones.

use crate::memory::{Memory, noted};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Bits of page-table entries.
pub mod pte {
    pub const V: u64 = 1;
    pub const R: u64 = 2;
    pub const W: u64 = 4;
    pub const X: u64 = 8;
    pub const U: u64 = 16;
    pub const G: u64 = 32;
    pub const A: u64 = 64;
    pub const D: u64 = 128;
    pub const LEAF: u64 = R | W | X;
    /// Rights: what can be taken away.
    pub const RIGHTS: u64 = R | W | X | U | A | D;
}
/// Of an entry, where its page or the next table is.
pub const fn address(entry: u64) -> u64 {
    entry >> 10 << 12 & 0x00ff_ffff_ffff_f000
}

/// Hashes page numbers and addresses: multiplication.
#[derive(Default, Clone, Copy)]
pub struct Quick(u64);
impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 29;
    }
}
type Map<T> = HashMap<u64, T, BuildHasherDefault<Quick>>;

/// What an access needs of an entry, and what it may not have.
#[derive(Clone, Copy)]
pub struct Access {
    pub needs: u64,
    pub never: u64,
}
pub const FETCH: u64 = pte::V | pte::X | pte::A;
pub const READ: u64 = pte::V | pte::R | pte::A;
pub const WRITE: u64 = pte::V | pte::W | pte::A | pte::D;
impl Access {
    /// In user mode, or in supervisor mode, which does not see user pages.
    #[inline(always)]
    pub fn new(kind: u64, user: bool) -> Access {
        if user { Access { needs: kind | pte::U, never: 0 } } else { Access { needs: kind, never: pte::U } }
    }
}

/// Whose a remembered entry is: an address space's, or everybody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    Space(u16),
    All,
}
/// Which remembered thing: a leaf for the pages of a number at a level, a pointer to the table for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    pub whose: Whose,
    /// Page number shifted right by 9 times the level, and the level from bit 60 on; bit 63: a pointer.
    pub key: u64,
}
const POINTER: u64 = 1 << 63;
fn key(page: u64, level: u32) -> u64 {
    page >> (9 * level) | u64::from(level) << 60
}
impl Name {
    /// First address that it stands for.
    pub fn address(self) -> u64 {
        let level = (self.key >> 60 & 3) as u32;
        let page = (self.key & ((1 << 60) - 1)) << (9 * level + 12);
        (page << 25) as i64 as u64 >> 25 | if page >> 38 & 1 == 1 { !0 << 39 } else { 0 }
    }
    pub fn is_pointer(self) -> bool {
        self.key & POINTER != 0
    }
}
/// A remembered entry, and where it was read.
#[derive(Clone, Copy, Debug)]
pub struct Remembered {
    pub entry: u64,
    pub at: u64,
}

/// Recently used translations of single pages, found without a search.
#[derive(Clone, Copy)]
struct Line {
    tag: u64,
    entry: u64,
    /// Physical address of the page.
    page: u64,
}
const LINES: usize = 4096;
const NO_TAG: u64 = u64::MAX;

pub struct Buffer {
    lines: Box<[Line; LINES]>,
    spaces: Map<Map<Remembered>>,
    all: Map<Remembered>,
    /// The root table that each space had last.
    roots: Map<u64>,
    /// By where an entry was read, who remembers it.
    readers: Map<Vec<Name>>,
    /// Whether missing pages are remembered.
    pub missing: bool,
    /// Whether pointers to tables are.
    pub pointers: bool,
}

impl Buffer {
    pub fn new() -> Buffer {
        let line = Line { tag: NO_TAG, entry: 0, page: 0 };
        Buffer {
            lines: Box::new([line; LINES]),
            spaces: Map::default(),
            all: Map::default(),
            roots: Map::default(),
            readers: Map::default(),
            missing: true,
            pointers: true,
        }
    }
    #[inline(always)]
    fn tag(page: u64, space: u16) -> (usize, u64) {
        let index = (page ^ page >> 9 ^ u64::from(space) << 3) as usize % LINES;
        (index, page | u64::from(space) << 40)
    }
    /// The physical page of virtual `address` in the space `space` with root table `root`; `None`: a page fault.
    #[inline(always)]
    pub fn translate(
        &mut self,
        memory: &mut Memory,
        root: u64,
        space: u16,
        address: u64,
        access: Access,
    ) -> Option<u64> {
        let page = address << 25 >> 37;
        let (index, tag) = Buffer::tag(page, space);
        let line = &self.lines[index];
        if line.tag == tag && (address as i64) << 25 >> 25 == address as i64 {
            let allowed = line.entry & access.needs == access.needs && line.entry & access.never == 0;
            return allowed.then_some(line.page);
        }
        self.search(memory, root, space, address, access)
    }
    #[inline(never)]
    fn search(&mut self, memory: &mut Memory, root: u64, space: u16, address: u64, access: Access) -> Option<u64> {
        if (address as i64) << 25 >> 25 != address as i64 {
            return None;
        }
        let page = address << 25 >> 37;
        let (found, level) = self.find(page, space).or_else(|| self.walk(memory, root, space, page))?;
        // A superpage's frame, and the page's place in it.
        let frame = address_of(found.entry, level, page)?;
        let (index, tag) = Buffer::tag(page, space);
        self.lines[index] = Line { tag, entry: found.entry, page: frame };
        let allowed = found.entry & access.needs == access.needs && found.entry & access.never == 0;
        allowed.then_some(frame)
    }
    fn find(&self, page: u64, space: u16) -> Option<(Remembered, u32)> {
        let own = self.spaces.get(&space.into());
        (0..3).find_map(|level| {
            let key = key(page, level);
            own.and_then(|map| map.get(&key)).or_else(|| self.all.get(&key)).map(|&found| (found, level))
        })
    }
    fn remember(&mut self, memory: &mut Memory, name: Name, remembered: Remembered) {
        let map = match name.whose {
            Whose::Space(space) => self.spaces.entry(space.into()).or_default(),
            Whose::All => &mut self.all,
        };
        map.insert(name.key, remembered);
        self.readers.entry(remembered.at).or_default().push(name);
        if let Some(offset) = memory.offset(remembered.at, 8) {
            memory.note(offset, noted::TABLE);
        }
    }
    fn walk(&mut self, memory: &mut Memory, root: u64, space: u16, page: u64) -> Option<(Remembered, u32)> {
        let mut table = root;
        let mut global = false;
        for level in (0..3).rev() {
            let at = table + 8 * (page >> (9 * level) & 511);
            let pointer = Name { whose: Whose::Space(space), key: key(page, level) | POINTER };
            let kept = self.spaces.get(&space.into()).and_then(|map| map.get(&pointer.key));
            let (entry, at, new) = match kept {
                Some(kept) => (kept.entry, kept.at, false),
                None => (memory.word(at), at, true),
            };
            global |= entry & pte::G != 0;
            let whose = if global { Whose::All } else { Whose::Space(space) };
            let found = Remembered { entry, at };
            let valid = entry & pte::V != 0 && entry & (pte::R | pte::W) != pte::W;
            if !valid {
                if self.missing {
                    let entry = entry & !pte::V;
                    let name = Name { whose: Whose::Space(space), key: key(page, 0) };
                    self.remember(memory, name, Remembered { entry, at });
                }
                return None;
            }
            if entry & pte::LEAF != 0 {
                self.remember(memory, Name { whose, key: key(page, level) }, found);
                return Some((found, level));
            }
            if new && self.pointers {
                self.remember(memory, pointer, found);
            }
            table = address(entry);
        }
        None
    }
    /// Forgets what a fence covers: of one address or all, of one space or all.
    pub fn fence(&mut self, address: Option<u64>, space: Option<u16>) {
        let Buffer { lines, spaces, all, readers, .. } = self;
        let mut whole = address.is_none() || space.is_none();
        let mut forget = |whose: Whose, map: &mut Map<Remembered>| match address {
            None => {
                for (key, remembered) in map.drain() {
                    forget_reader(readers, remembered.at, Name { whose, key });
                }
            }
            Some(address) => {
                for level in 0..3 {
                    let key = key(address << 25 >> 37, level);
                    if let Some(remembered) = map.remove(&key) {
                        forget_reader(readers, remembered.at, Name { whose, key });
                        whole |= level > 0;
                    }
                }
            }
        };
        match space {
            Some(space) => {
                if let Some(map) = spaces.get_mut(&space.into()) {
                    forget(Whose::Space(space), map);
                }
            }
            None => {
                spaces.iter_mut().for_each(|(&space, map)| forget(Whose::Space(space as u16), map));
                forget(Whose::All, all);
            }
        }
        match (address, space) {
            (Some(address), Some(space)) if !whole => {
                let (index, tag) = Buffer::tag(address << 25 >> 37, space);
                if lines[index].tag == tag {
                    lines[index].tag = NO_TAG;
                }
            }
            _ => {
                let covered = |tag: u64| space.is_none_or(|space| tag >> 40 == space.into());
                lines.iter_mut().filter(|line| covered(line.tag)).for_each(|line| line.tag = NO_TAG);
            }
        }
    }
    /// Space `space` has the root table at `root` now: whether something is remembered that another root table led to.
    pub fn root_is_new(&mut self, space: u16, root: u64) -> bool {
        let before = self.roots.insert(space.into(), root);
        before.is_some_and(|before| before != root) && self.spaces.get(&space.into()).is_some_and(|map| !map.is_empty())
    }
    /// Who remembers the entry at physical address `at`.
    pub fn readers(&self, at: u64) -> &[Name] {
        self.readers.get(&at).map_or(&[], Vec::as_slice)
    }
    pub fn remembered(&self, name: Name) -> Option<Remembered> {
        match name.whose {
            Whose::Space(space) => self.spaces.get(&space.into())?.get(&name.key).copied(),
            Whose::All => self.all.get(&name.key).copied(),
        }
    }
}
fn forget_reader(readers: &mut Map<Vec<Name>>, at: u64, name: Name) {
    if let Some(names) = readers.get_mut(&at) {
        names.retain(|&other| other != name);
        if names.is_empty() {
            readers.remove(&at);
        }
    }
}
/// The frame of a page by the leaf of its level; `None`: a superpage that is not aligned.
fn address_of(entry: u64, level: u32, page: u64) -> Option<u64> {
    let inside = (1 << (9 * level)) - 1;
    let frame = address(entry) >> 12;
    (frame & inside == 0).then_some((frame | page & inside) << 12)
}
