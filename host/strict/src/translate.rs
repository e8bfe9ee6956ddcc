//! Sv39 translation by a buffer that forgets nothing by itself: each entry that a walk has read, each pointer to a table on
//! its way, and, where asked for, each page that was found missing, is used until an `sfence.vma` that covers it.
//!
//! Privileged specification, sections 4.2.1 and 4.3.2: an implementation may keep any of these, and may walk for an address that nothing
//! has been looked for at ([`crate::unseen`]). A fence for one address orders leaf entries only, one for an address space no global ones.

use crate::entry::{Map, Name, POINTER, Whose, address, key, pte};
use crate::memory::{Memory, PAGE, noted};
use crate::unseen::{Place, Tables};

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

/// A remembered entry, and where it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
/// Whether a page that was found missing is remembered as missing, until a fence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// For some accesses it is, for others it has been forgotten, as drawn from this seed.
    Drawn(u64),
    Kept,
    #[default]
    Forgotten,
}

const LINES: usize = 4096;
const NO_TAG: u64 = u64::MAX;

pub struct Buffer {
    lines: Box<[Line; LINES]>,
    spaces: Map<Map<Remembered>>,
    all: Map<Remembered>,
    /// The root table that each space had last.
    roots: Map<u64>,
    readers: Readers,
    /// What else a hart may remember, of each space: no access has asked for it.
    unseen: Map<Map<Vec<Remembered>>>,
    tables: Tables,
    /// Whether missing pages are remembered.
    pub missing: Missing,
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
            readers: Readers::default(),
            unseen: Map::default(),
            tables: Tables::default(),
            missing: Missing::Kept,
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
        let mut found = self.find(page, space);
        if found.is_some_and(|(kept, _)| kept.entry & pte::V == 0) && self.has_forgotten() {
            found = None;
        }
        let (found, level) = found.or_else(|| self.walk(memory, root, space, page))?;
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
    /// Whether this access finds forgotten what it would else find missing.
    fn has_forgotten(&mut self) -> bool {
        let Missing::Drawn(state) = &mut self.missing else { return false };
        *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        *state >> 63 == 1
    }
    fn remember(&mut self, memory: &mut Memory, name: Name, remembered: Remembered) {
        let map = match name.whose {
            Whose::Space(space) => self.spaces.entry(space.into()).or_default(),
            Whose::All => &mut self.all,
        };
        map.insert(name.key, remembered);
        self.read_by(memory, name, remembered);
    }
    /// Notes that `name` depends on the entry that it was read from.
    fn read_by(&mut self, memory: &mut Memory, name: Name, remembered: Remembered) {
        self.readers.add(remembered.at, name);
        if let Some(offset) = memory.offset(remembered.at, 8) {
            memory.note(offset, noted::TABLE);
        }
    }
    fn walk(&mut self, memory: &mut Memory, root: u64, space: u16, page: u64) -> Option<(Remembered, u32)> {
        let mut table = root;
        let mut global = false;
        for level in (0..3).rev() {
            let at = table + 8 * (page >> (9 * level) & 511);
            if !global {
                self.tables.reached(table, Place { space, above: page >> (9 * (level + 1)), level });
                if let Some(offset) = memory.offset(table, 8) {
                    memory.note(offset, noted::TABLE);
                }
            }
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
                if self.missing != Missing::Forgotten {
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
    /// The entry at physical address `at` is about to be written, by who executes in `active`, the space of now: what a hart may have read there, it may
    /// go on to remember. False: its frame is no table any more, of which anything could be.
    pub fn about_to_write(&mut self, memory: &mut Memory, at: u64, active: u16) -> bool {
        let old = Remembered { entry: memory.word(at), at };
        for place in self.tables.places(at) {
            if self.is_there(memory, place, at) {
                if old.entry & pte::V != 0 && self.tables.seen(place, at) {
                    self.may_remember(memory, place.name(at, old.entry), old);
                }
                self.tables.written(place, at, active);
            } else {
                self.tables.left(at & !0xfff, place);
            }
        }
        self.tables.is_one(at) || self.readers.any_of(at)
    }
    /// Space `space` translates from now on.
    pub fn enter(&mut self, space: u16) {
        self.tables.enter(space);
    }
    /// Whether a walk in the space comes to the table with the entry at `at`.
    fn is_there(&self, memory: &Memory, place: Place, at: u64) -> bool {
        let Some(&root) = self.roots.get(&place.space.into()) else { return false };
        let page = place.above << (9 * (place.level + 1));
        let table = (place.level + 1..3).rev().try_fold(root << 12, |table, level| {
            let pointer = Name { whose: Whose::Space(place.space), key: key(page, level) | POINTER };
            let entry = self
                .remembered(pointer)
                .map_or_else(|| memory.word(table + 8 * (page >> (9 * level) & 511)), |kept| kept.entry);
            (entry & pte::V != 0 && entry & pte::LEAF == 0).then(|| address(entry))
        });
        table == Some(at & !0xfff)
    }
    fn may_remember(&mut self, memory: &mut Memory, name: Name, old: Remembered) {
        let Whose::Space(space) = name.whose else { return };
        if name.is_pointer() && !self.pointers || self.all_remembered(name).any(|known| known == old) {
            return;
        }
        self.unseen.entry(space.into()).or_default().entry(name.key).or_default().push(old);
        self.read_by(memory, name, old);
    }
    /// Forgets what a fence covers: of one address or all, of one space or all.
    pub fn fence(&mut self, address: Option<u64>, space: Option<u16>) {
        self.fence_unseen(address, space);
        if let (None, Some(space)) = (address, space) {
            self.tables.forget(space);
        }
        let Buffer { lines, spaces, all, readers, .. } = self;
        let mut whole = address.is_none() || space.is_none();
        let mut forget = |whose: Whose, map: &mut Map<Remembered>| match address {
            None => {
                for (key, remembered) in map.drain() {
                    readers.forget(remembered.at, Name { whose, key });
                }
            }
            Some(address) => {
                for level in 0..3 {
                    let key = key(address << 25 >> 37, level);
                    if let Some(remembered) = map.remove(&key) {
                        readers.forget(remembered.at, Name { whose, key });
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
    fn fence_unseen(&mut self, address: Option<u64>, space: Option<u16>) {
        let Buffer { unseen, readers, spaces, .. } = self;
        for (&of, map) in unseen.iter_mut().filter(|&(&of, _)| space.is_none_or(|space| of == space.into())) {
            let covered = |key: u64| {
                address.is_none_or(|address| (0..3).any(|level| key == self::key(address << 25 >> 37, level)))
            };
            map.retain(|&key, entries| {
                if !covered(key) {
                    return true;
                }
                let name = Name { whose: Whose::Space(of as u16), key };
                let kept = spaces.get(&of).and_then(|map| map.get(&key));
                for old in entries.iter().filter(|old| kept.is_none_or(|kept| kept.at != old.at)) {
                    readers.forget(old.at, name);
                }
                false
            });
        }
        unseen.retain(|_, map| !map.is_empty());
    }
    /// Space `space` has the root table at `root` now: whether something is remembered that another root table led to.
    pub fn root_is_new(&mut self, space: u16, root: u64) -> bool {
        let before = self.roots.insert(space.into(), root);
        before.is_some_and(|before| before != root) && self.spaces.get(&space.into()).is_some_and(|map| !map.is_empty())
    }
    /// Who remembers the entry at physical address `at`.
    pub fn readers(&self, at: u64) -> &[Name] {
        self.readers.of(at)
    }
    pub fn remembered(&self, name: Name) -> Option<Remembered> {
        match name.whose {
            Whose::Space(space) => self.spaces.get(&space.into())?.get(&name.key).copied(),
            Whose::All => self.all.get(&name.key).copied(),
        }
    }
    /// The same, and what else a hart may remember by that name.
    pub fn all_remembered(&self, name: Name) -> impl Iterator<Item = Remembered> {
        let unseen = match name.whose {
            Whose::Space(space) => self.unseen.get(&space.into()).and_then(|map| map.get(&name.key)),
            Whose::All => None,
        };
        self.remembered(name).into_iter().chain(unseen.into_iter().flatten().copied())
    }
}
/// By where an entry was read, who remembers it.
#[derive(Default)]
struct Readers {
    by_word: Map<Vec<Name>>,
    /// How many words of each frame are among these.
    frames: Map<u32>,
}
impl Readers {
    fn add(&mut self, at: u64, name: Name) {
        let names = self.by_word.entry(at).or_default();
        if names.is_empty() {
            *self.frames.entry(at / PAGE).or_default() += 1;
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    fn of(&self, at: u64) -> &[Name] {
        self.by_word.get(&at).map_or(&[], Vec::as_slice)
    }
    fn forget(&mut self, at: u64, name: Name) {
        let Some(names) = self.by_word.get_mut(&at) else { return };
        names.retain(|&other| other != name);
        if names.is_empty() {
            self.by_word.remove(&at);
            let words = self.frames.entry(at / PAGE).or_default();
            *words -= 1;
            if *words == 0 {
                self.frames.remove(&(at / PAGE));
            }
        }
    }
    /// Whether anything is remembered of the frame that `at` is in.
    fn any_of(&self, at: u64) -> bool {
        self.frames.contains_key(&(at / PAGE))
    }
}
/// The frame of a page by the leaf of its level; `None`: a superpage that is not aligned.
fn address_of(entry: u64, level: u32, page: u64) -> Option<u64> {
    let inside = (1 << (9 * level)) - 1;
    let frame = address(entry) >> 12;
    (frame & inside == 0).then_some((frame | page & inside) << 12)
}
