//! Entries of page tables, and how what was read of them is called.

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
pub(crate) type Map<T> = HashMap<u64, T, BuildHasherDefault<Quick>>;

/// Whose a remembered entry is: an address space's, or everybody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Whose {
    Space(u16),
    All,
}
/// Which remembered thing: a leaf for the pages of a number at a level, a pointer to the table for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name {
    pub whose: Whose,
    /// Page number shifted right by 9 times the level, and the level from bit 60 on; bit 63: a pointer.
    pub key: u64,
}
pub(crate) const POINTER: u64 = 1 << 63;
pub(crate) fn key(page: u64, level: u32) -> u64 {
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
