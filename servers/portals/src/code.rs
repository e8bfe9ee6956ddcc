//! The code area: which portal blocks there are, whose they are, and when their room may be used again.
//!
//! A block is in use while a table entry leads to it or an invocation frame will return through it.

use abi::address::{CODE_END, code_address, code_physical};
use abi::nucleus::BLOCK_HEADER;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Blocks start at multiples of this, so that hot code begins on a cache line.
const ALIGN: usize = 64;

/// What a portal leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A registered entry point.
    Registered { registration: usize },
    /// P (`v` false) or V of a semaphore of the scheduler's.
    Semaphore { id: usize, v: bool },
    /// A stub of an interposed domain.
    Stub,
    /// An upcall of the portal manager's.
    Upcall,
}
/// A portal block.
#[derive(Clone, Debug)]
pub struct Block {
    pub bytes: usize,
    /// Bytes of the frame that it pushes.
    pub frame: usize,
    pub kind: Kind,
    /// ASID of the domain it leads to.
    pub server: usize,
    pub specification: portal::Specification,
    /// Frame offset of the windows' slot address, and number of windows.
    pub windows: usize,
    pub window_count: usize,
    pub entry: u64,
    /// Both ends are one domain, so the code does not switch.
    pub same_domain: bool,
    /// Table entries that lead here: (asid, number).
    pub users: Vec<(u16, u16)>,
    /// Kept without users: shared by all domains.
    pub permanent: bool,
}

/// All blocks, by the supervisor address of their code.
pub struct CodeArea {
    blocks: BTreeMap<u64, Block>,
    /// Physical address behind the last block.
    next: usize,
    /// Free blocks by size.
    free: BTreeMap<usize, Vec<usize>>,
}

impl CodeArea {
    pub const fn new() -> CodeArea {
        CodeArea { blocks: BTreeMap::new(), next: 0, free: BTreeMap::new() }
    }
    /// The first physical address that the image builder left free.
    pub fn start(&mut self, next: usize) {
        self.next = next.next_multiple_of(ALIGN);
    }
    /// Puts a block in the area; the supervisor address of its code, or `None` if the area is full.
    pub fn add(&mut self, words: &[u32], block: Block) -> Option<u64> {
        let bytes = (words.len() * 4).next_multiple_of(ALIGN);
        let pa = match self.free.get_mut(&bytes).and_then(|list| list.pop()) {
            Some(pa) => pa,
            None if self.next + bytes <= CODE_END => {
                let pa = self.next;
                self.next += bytes;
                pa
            }
            None => return None,
        };
        crate::view::write_code(pa, words);
        let code = (code_address(pa) + BLOCK_HEADER) as u64;
        self.blocks.insert(code, Block { bytes, frame: words[2] as usize, ..block });
        Some(code)
    }
    /// A block that the image builder generated.
    pub fn adopt(&mut self, code: u64, block: Block) {
        let [_, words, frame, _] = crate::view::header(code);
        let bytes = (BLOCK_HEADER + words as usize * 4).next_multiple_of(ALIGN);
        self.blocks.insert(code, Block { bytes, frame: frame as usize, ..block });
    }
    pub fn get(&self, code: u64) -> Option<&Block> {
        self.blocks.get(&code)
    }
    pub fn get_mut(&mut self, code: u64) -> Option<&mut Block> {
        self.blocks.get_mut(&code)
    }
    /// The block that supervisor address `inside` lies in, and where its code starts.
    pub fn containing(&self, inside: u64) -> Option<(u64, &Block)> {
        let (&code, block) = self.blocks.range(..=inside).next_back()?;
        (inside < code + block.bytes as u64).then_some((code, block))
    }
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Block)> {
        self.blocks.iter().map(|(&code, block)| (code, block))
    }
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (u64, &mut Block)> {
        self.blocks.iter_mut().map(|(&code, block)| (code, block))
    }
    /// Frees the block at `code`. Nothing may lead to it or return through it.
    pub fn remove(&mut self, code: u64) {
        if let Some(block) = self.blocks.remove(&code) {
            let pa = code_physical(code as usize) - BLOCK_HEADER;
            self.free.entry(block.bytes).or_default().push(pa);
        }
    }
    /// Whether a block of so many bytes fits.
    pub fn has_room(&self, bytes: usize) -> bool {
        let bytes = bytes.next_multiple_of(ALIGN);
        self.next + bytes <= CODE_END || self.free.get(&bytes).is_some_and(|list| !list.is_empty())
    }
}
