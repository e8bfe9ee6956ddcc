//! The code area: which portal blocks there are, whose they are, and when their room may be used again.
//!
//! A block is in use while a table entry leads to it or an invocation frame will return through it. One that no entry
//! leads to any more is retired; from time to time the frames of all threads are looked through once, and the retired
//! blocks that none of them returns through are freed.
//!
//! The area is the first region behind the nucleus, and as many others as the limits of all components need, which follow each
//! other elsewhere (`BootInfo::code_more`). A free block goes to the list of its size, and serves for a smaller one where there is
//! nothing else; before that, neighbours that are free are put together.

use crate::Result;
use crate::machine::nucleus_memory::{Masked, NucleusMemory};
use crate::state::slots::Slots;
use abi::Error;
use abi::address::{CODE_END, CODE_REGION, IMAGE_BASE, code_address, code_physical, supervisor};
use abi::boot::BootInfo;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC};
use account::Account;
use alloc::vec::Vec;
use fallible::TryPush;
use portal::Count;
use portal::emit::{Buffer, short_constant};
use smallvec::SmallVec;

/// Blocks start at multiples of this, so that hot code begins on a cache line.
const ALIGN: usize = 64;
/// Free lists are kept for blocks of up to so many times `ALIGN`; no portal is longer.
const CLASSES: usize = 4 * portal::emit::WORDS / ALIGN + 1;

/// Granules that a block has, taken together.
const USUAL: usize = 6;

/// Granules of `ALIGN` bytes in the first region.
const FIRST: usize = (CODE_END - IMAGE_BASE) / ALIGN;

/// What a portal leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A registered entry point.
    Registered { registration: u32 },
    /// P (`v` false) or V of a semaphore of the scheduler's.
    Semaphore { id: u32, v: bool },
    /// An entry point that `server` granted to who called it.
    Granted { constant: u32, server: u16 },
    /// A stub of an interposed domain.
    Stub,
    /// An upcall of the portal manager's.
    Upcall,
    /// A handle of a domain of protection: no call goes through it.
    Handle,
    /// A right to make domains of protection in the task of who has given it: no call goes through it either.
    Delegation { delegation: u32 },
    /// A handle of a domain that was made with one.
    Delegated { delegation: u32 },
    /// An entry point of a domain of protection.
    Procedure { entry: u32 },
    /// What traced portals call: no table entry leads to it.
    Recorder,
    /// A portal of the nucleus's, which is counted: `entry` is its code.
    Nucleus,
}
impl Kind {
    /// Whether it has to do with a domain of protection: it means something to one domain, or to those of one task.
    pub fn names_a_part(self) -> bool {
        matches!(self, Kind::Handle | Kind::Procedure { .. } | Kind::Delegation { .. } | Kind::Delegated { .. })
    }
}
/// Table entries that lead to a block: (asid, number).
pub type Users = SmallVec<[(u16, u16); 2]>;

/// A portal block.
#[derive(Debug)]
pub struct Block {
    pub bytes: u16,
    /// Bytes of the frame that it pushes.
    pub frame: u16,
    pub kind: Kind,
    /// ASID of the domain it leads to.
    pub server: u16,
    pub specification: portal::Specification,
    /// Frame offset of the words of templates.
    pub templated: u16,
    pub entry: u64,
    /// Both ends are one domain, so the code does not switch.
    pub same_domain: bool,
    pub users: Users,
    /// Kept without users: shared by all domains.
    pub permanent: bool,
    /// A frame returns through it, as far as the last look has found.
    pub marked: bool,
    /// No table entry leads to it any more.
    pub retired: bool,
    /// Calls by it wait at its server's gate: what it begins with when that is open.
    pub at_gate: Option<[u32; 3]>,
    /// What its bytes cost.
    pub charge: account::Charge,
    /// In which circumstances it was generated: in the same it need not be generated again.
    pub made_for: Option<MadeFor>,
}

/// What the code of a portal to a registration depends on, beside what of the registration never changes: whether both ends are one
/// domain, the flags of both, which of its short circuits the registration had, and where calls are counted; and who pays for it, so that
/// nobody keeps what another account is charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeFor {
    pub payer: Account,
    pub same_domain: bool,
    pub flags: [u16; 2],
    pub short_circuit: u32,
    pub count: Count,
    pub traced: bool,
}

impl Block {
    /// Table entry `user` leads to it. `ENOMEM`; never the first two times.
    #[inline(always)]
    pub fn add_user(&mut self, user: (u16, u16)) -> Result<()> {
        if self.users.len() == self.users.capacity() {
            self.users.try_reserve(1).map_err(|_| Error::ENOMEM)?;
        }
        self.users.push(user);
        Ok(())
    }
    /// Whether a table entry leads to it.
    #[inline(always)]
    pub fn is_used(&self) -> bool {
        !self.users.is_empty()
    }
}

/// Bytes of the area that a block of `count` words takes.
#[inline(always)]
pub fn bytes(count: usize) -> usize {
    (count * 4).next_multiple_of(ALIGN)
}

/// All blocks, by the supervisor address of their code.
pub struct CodeArea<M> {
    memory: M,
    blocks: Slots<(u64, Block)>,
    /// For each `ALIGN` bytes of the area, the number of the block there plus 1.
    numbers: Vec<u32>,
    /// Numbers that are free.
    vacant: Vec<u32>,
    /// The first granule that blocks may have: before it is the nucleus, and what the image builder made.
    first: usize,
    /// Physical address behind the last block, and where that region ends.
    next: usize,
    end: usize,
    /// From where to where the regions beside the first are.
    more: [usize; 2],
    /// The first free block of each size, by its physical address, or 0. Its first word says which is next, and how many granules it
    /// has: what ends frees blocks, and must not need memory for that.
    free: [u32; CLASSES],
    /// Whether a block was freed since neighbours were put together.
    freed: bool,
    /// How many blocks no table entry leads to.
    retired: usize,
}
/// Where there is room for a block.
enum Room {
    /// Behind the last block, at this address, in the region with this end.
    Fresh(usize, usize),
    /// The first free block of this list.
    Free(usize),
}

impl<M: NucleusMemory> CodeArea<M> {
    pub const fn new(memory: M) -> CodeArea<M> {
        CodeArea {
            memory,
            blocks: Slots::new(),
            numbers: Vec::new(),
            vacant: Vec::new(),
            first: 0,
            next: 0,
            end: CODE_END,
            more: [0; 2],
            free: [0; CLASSES],
            freed: false,
            retired: 0,
        }
    }
    /// Makes room for `made` blocks, which are there, and `more`.
    pub fn reserve(&mut self, made: usize, more: usize) -> Result<()> {
        self.blocks.reserve(made + more)?;
        self.reserve_numbers(self.first + more * USUAL)
    }
    /// Makes room for the numbers of `count` granules more, and no others. `ENOMEM`.
    fn reserve_numbers(&mut self, count: usize) -> Result<()> {
        self.numbers.try_reserve_exact(count).map_err(|_| Error::ENOMEM)
    }
    /// Rather than twice as many as there are, an eighth more.
    #[cold]
    #[inline(never)]
    fn more_numbers(&mut self, count: usize) -> Result<()> {
        self.reserve_numbers(count.max(self.numbers.len() / 8)).or_else(|_| self.reserve_numbers(count))
    }
    /// Begins where the image builder has left room.
    pub fn start(&mut self, info: &BootInfo) {
        let more = info.code_more as usize;
        self.more = [more, more + info.code_regions as usize * CODE_REGION];
        self.next = (info.code_next as usize).next_multiple_of(ALIGN);
        self.first = self.granule(code_address(self.next) as u64);
    }
    /// Puts a block of `count` words in the area; the supervisor address of its code. `ENOMEM`: the area is full, or there is no
    /// memory for its record. Only if it was made is `charge` taken.
    #[inline(always)]
    pub fn add(&mut self, words: &Buffer, count: usize, mut block: Block, charge: &mut account::Charge) -> Result<u64> {
        let bytes = bytes(count);
        let (pa, room) = match *self.free.get(bytes / ALIGN).ok_or(Error::ENOMEM)? {
            free if free != 0 => (free as usize, Room::Free(bytes / ALIGN)),
            _ if self.next + bytes <= self.end => (self.next, Room::Fresh(self.next, self.end)),
            _ => self.find_elsewhere(bytes)?,
        };
        let code = (code_address(pa) + BLOCK_HEADER) as u64;
        self.room(code, bytes)?;
        match room {
            Room::Fresh(pa, end) => (self.next, self.end) = (pa + bytes, end),
            Room::Free(list) => {
                self.free[list] = self.memory.read_half(supervisor(pa) as u64);
                if list > bytes / ALIGN || list == CLASSES - 1 {
                    let granules = self.memory.read_half(supervisor(pa) as u64 + 4) as usize;
                    self.free_room(pa + bytes, granules - bytes / ALIGN);
                }
            }
        }
        self.memory.write_code(pa, words, bytes);
        (block.bytes, block.frame) = (bytes as u16, words.0[2] as u16);
        block.charge = charge.take();
        self.insert(code, block);
        Ok(code)
    }
    /// A block that the image builder generated. `ENOMEM`.
    pub fn adopt(&mut self, code: u64, block: Block) -> Result<()> {
        let [_, words, frame, _] = self.header(code);
        let bytes = (BLOCK_HEADER + words as usize * 4).next_multiple_of(ALIGN);
        self.room(code, bytes)?;
        self.insert(code, Block { bytes: bytes as u16, frame: frame as u16, ..block });
        Ok(())
    }
    /// Makes room for the record of a block of `bytes` at `code`, and for what its end needs. `ENOMEM`.
    #[inline(always)]
    fn room(&mut self, code: u64, bytes: usize) -> Result<()> {
        let end = self.granule(code) + bytes / ALIGN;
        if self.numbers.capacity() < end {
            self.more_numbers(end - self.numbers.len())?;
        }
        if self.vacant.is_empty() {
            let number = self.blocks.end();
            self.blocks.room_at(number)?;
            // Every block that there is may become vacant.
            self.vacant.room_for(number + 1)?;
        }
        Ok(())
    }
    /// Room for a block of `bytes` where neither a free one of its size is nor what is left of the region. `ENOMEM`.
    #[cold]
    #[inline(never)]
    fn find_elsewhere(&mut self, bytes: usize) -> Result<(usize, Room)> {
        let [more, end] = self.more;
        if self.end != end && more + bytes <= end {
            // What is left of the first region is free.
            self.freed = true;
            return Ok((more, Room::Fresh(more, end)));
        }
        if self.freed {
            // First, so that no large block is cut where small ones would do.
            self.join_neighbours();
        }
        let larger = (bytes / ALIGN..CLASSES).find(|&granules| self.free[granules] != 0).ok_or(Error::ENOMEM)?;
        Ok((self.free[larger] as usize, Room::Free(larger)))
    }
    /// Whether a free block has at least so many bytes.
    fn has_free(&self, bytes: usize) -> bool {
        self.free.get(bytes / ALIGN..).is_some_and(|lists| lists.iter().any(|&first| first != 0))
    }
    /// Puts `granules` from physical address `pa` on in the list of their size; the last list has larger ones, too.
    fn free_room(&mut self, pa: usize, granules: usize) {
        if granules > 0 {
            let list = granules.min(CLASSES - 1);
            self.memory.write_half(supervisor(pa) as u64, self.free[list]);
            self.memory.write_half(supervisor(pa) as u64 + 4, granules as u32);
            self.free[list] = pa as u32;
        }
    }
    /// Puts free blocks that follow each other together.
    fn join_neighbours(&mut self) {
        (self.free, self.freed) = ([0; CLASSES], false);
        let mut granule = self.first;
        while granule < self.numbers.len() {
            // No block crosses from the first region to the next one.
            let most = if granule < FIRST { self.numbers.len().min(FIRST) } else { self.numbers.len() };
            let free = self.numbers[granule..most].iter().take_while(|&&number| number == 0).count();
            if free > 0 {
                self.free_room(self.place(granule), free);
            }
            granule += free.max(1);
        }
    }
    /// Which `ALIGN` bytes of the area supervisor address `code` lies in. Of no region's: none that there is.
    #[inline(always)]
    fn granule(&self, code: u64) -> usize {
        let pa = code_physical(code as usize);
        match pa.wrapping_sub(IMAGE_BASE) / ALIGN {
            granule if granule < FIRST => granule,
            _ => pa.wrapping_sub(self.more[0]) / ALIGN + FIRST,
        }
    }
    /// The physical address of a granule.
    fn place(&self, granule: usize) -> usize {
        match granule.checked_sub(FIRST) {
            None => IMAGE_BASE + granule * ALIGN,
            Some(granule) => self.more[0] + granule * ALIGN,
        }
    }
    #[inline(always)]
    fn insert(&mut self, code: u64, block: Block) {
        let number = self.vacant.pop().map_or(self.blocks.end(), |number| number as usize);
        let (first, count) = (self.granule(code), block.bytes as usize / ALIGN);
        while self.numbers.len() < first + count && self.numbers.push_kept(0) {}
        self.numbers[first..first + count].fill(number as u32 + 1);
        self.blocks.set(number, (code, block));
    }
    /// The number of the block that supervisor address `inside` lies in.
    #[inline(always)]
    fn number(&self, inside: u64) -> Option<usize> {
        (*self.numbers.get(self.granule(inside))? as usize).checked_sub(1)
    }
    #[inline(always)]
    pub fn get(&self, code: u64) -> Option<&Block> {
        self.containing(code).filter(|(at, _)| *at == code).map(|(_, block)| block)
    }
    #[inline(always)]
    pub fn get_mut(&mut self, code: u64) -> Option<&mut Block> {
        let (at, block) = self.blocks.get_mut(self.number(code)?)?;
        (*at == code).then_some(block)
    }
    /// The block that supervisor address `inside` lies in, and where its code starts.
    #[inline(always)]
    pub fn containing(&self, inside: u64) -> Option<(u64, &Block)> {
        let (code, block) = self.blocks.get(self.number(inside)?)?;
        Some((*code, block))
    }
    /// Frees the block at `code`. Nothing may lead to it or return through it.
    fn remove(&mut self, code: u64) {
        let Some(number) = self.number(code) else { return };
        let Some((_, block)) = self.blocks.remove(number) else { return };
        let first = self.granule(code);
        let count = block.bytes as usize / ALIGN;
        self.numbers[first..first + count].fill(0);
        self.vacant.push_kept(number as u32);
        self.free_room(code_physical(code as usize) - BLOCK_HEADER, count);
        self.freed = true;
    }
    /// The header of the block whose code starts at supervisor address `code`.
    pub fn header(&self, code: u64) -> [u32; 4] {
        let header = supervisor(code_physical(code as usize) - BLOCK_HEADER) as u64;
        core::array::from_fn(|n| self.memory.read_half(header + 4 * n as u64))
    }
    /// The words of the block whose code starts at supervisor address `code`, header excluded, and how many they are.
    pub fn words(&self, code: u64) -> (usize, impl Iterator<Item = u32>) {
        let [magic, words, ..] = self.header(code);
        let count = if magic == BLOCK_MAGIC { words as usize } else { 0 };
        let (memory, first) = (self.memory, supervisor(code_physical(code as usize)) as u64);
        (count, (0..count).map(move |n| memory.read_half(first + 4 * n as u64)))
    }
    /// Whether a block of so many bytes fits.
    pub fn has_room(&self, bytes: usize) -> bool {
        let bytes = bytes.next_multiple_of(ALIGN);
        let [more, end] = self.more;
        self.next + bytes <= self.end || self.end != end && more < end || self.has_free(bytes)
    }
    /// Behind the number of the last block.
    pub fn end(&self) -> usize {
        self.blocks.end()
    }
    /// The block of this number, and where its code is.
    pub fn at(&self, number: usize) -> Option<(u64, &Block)> {
        self.blocks.get(number).map(|(code, block)| (*code, block))
    }
    /// All blocks, and where their code is.
    pub fn all(&self) -> impl Iterator<Item = (u64, &Block)> {
        self.blocks.iter().map(|(_, (code, block))| (*code, block))
    }
    /// Table entry `user` no longer leads to the block at `code`: what that leads to, and whether it was the last entry, so that the
    /// block is retired.
    #[inline(always)]
    pub fn leave(&mut self, code: u64, user: (u16, u16)) -> Option<(Kind, bool)> {
        let (at, block) = self.blocks.get_mut(self.number(code)?)?;
        if *at != code {
            return None;
        }
        block.users.retain(|other| *other != user);
        let unused = !block.is_used() && !block.permanent;
        if unused && !block.retired {
            block.retired = true;
            self.retired += 1;
        }
        Some((block.kind, unused))
    }
    /// No table entry leads to the block at `code` any more.
    pub fn retire(&mut self, code: u64) {
        if let Some(block) = self.get_mut(code).filter(|block| !block.retired) {
            block.retired = true;
            self.retired += 1;
        }
    }
    /// The block at `code` is not freed, if it was retired: a table entry is to lead to it again. Whether it was.
    #[inline(always)]
    pub fn revive(&mut self, code: u64) -> bool {
        let Some(block) = self.get_mut(code).filter(|block| block.retired) else { return false };
        block.retired = false;
        self.retired -= 1;
        true
    }
    /// Has the block at `code`, which nobody enters, load `now` in place of `before` as its constant, which it begins to do in word `at`, header included.
    /// False: it does not load that there, or the other would take more or fewer words.
    pub fn change_constant(&self, code: u64, at: usize, register: u8, before: u32, now: u32) -> bool {
        let (Some((from, count)), Some((to, same))) = (short_constant(register, before), short_constant(register, now))
        else {
            return false;
        };
        let place = |n: usize| supervisor(code_physical(code as usize) - BLOCK_HEADER + 4 * (at + n)) as u64;
        let there = count == same && (0..count).all(|n| self.memory.read_half(place(n)) == from[n]);
        if there {
            (0..count).for_each(|n| self.memory.write_half(place(n), to[n]));
        }
        there
    }
    /// Has the call portal at `code`, which others may enter, begin with `words`.
    pub fn begin_with(&self, code: u64, words: &[u32]) {
        let first = supervisor(code_physical(code as usize)) as u64;
        let _masked = Masked::new(self.memory);
        words.iter().enumerate().for_each(|(n, &word)| self.memory.write_half(first + 4 * n as u64, word));
        self.memory.sync_code();
    }
    /// How many blocks are retired.
    pub fn retired(&self) -> usize {
        self.retired
    }
    /// Whether no entry leads to the block at `code`, so that it will be freed.
    pub fn is_retired(&self, code: u64) -> bool {
        self.get(code).is_some_and(|block| block.retired)
    }
    /// How many blocks there are, their bytes, and how many table entries lead to them.
    pub fn counts(&self) -> (usize, usize, usize) {
        let blocks = self.blocks.iter().map(|(_, (_, block))| block);
        blocks.fold((0, 0, 0), |(n, bytes, users), b| (n + 1, bytes + b.bytes as usize, users + b.users.len()))
    }
    /// Says that a frame returns through supervisor address `inside`.
    pub fn mark(&mut self, inside: u64) {
        if let Some(number) = self.number(inside)
            && let Some((_, block)) = self.blocks.get_mut(number)
        {
            block.marked = true;
        }
    }
    /// Frees the retired blocks that are not marked, tells `gone` their code and what they were, and takes all marks away.
    pub fn free_unmarked(&mut self, mut gone: impl FnMut(u64, Kind, usize, account::Charge)) {
        for number in 0..self.blocks.end() {
            let Some((code, block)) = self.blocks.get_mut(number) else { continue };
            let (code, kind, server) = (*code, block.kind, block.server as usize);
            if !core::mem::take(&mut block.marked) && block.retired {
                let charge = block.charge.take();
                self.retired -= 1;
                self.remove(code);
                gone(code, kind, server, charge);
            }
        }
    }
}
