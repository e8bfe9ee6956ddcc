//! RAM, with a note on each page of what was taken from it and may be remembered: instructions, page-table entries.

/// Bytes of a page.
pub const PAGE: u64 = 4096;

/// What may be remembered of a page.
pub mod noted {
    /// Instructions were taken apart.
    pub const CODE: u8 = 1;
    /// Entries were read by a walk of page tables.
    pub const TABLE: u8 = 2;
    /// It was written since its instructions were.
    pub const WRITTEN: u8 = 4;
}

pub struct Memory {
    pub base: u64,
    bytes: Vec<u8>,
    pub notes: Vec<u8>,
}

impl Memory {
    /// `bytes` of zeros at physical address `base`; whole pages.
    pub fn new(base: u64, bytes: usize) -> Memory {
        Memory { base, bytes: vec![0; bytes], notes: vec![0; bytes / PAGE as usize] }
    }
    /// All of it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
    /// Where `count` bytes at a physical address are; `None`: not in RAM.
    #[inline(always)]
    pub fn offset(&self, at: u64, count: usize) -> Option<usize> {
        let offset = at.wrapping_sub(self.base) as usize;
        (offset <= self.bytes.len() - count).then_some(offset)
    }
    /// Puts `content` at a physical address of RAM that has room for it.
    pub fn load(&mut self, at: u64, content: &[u8]) -> Option<()> {
        let offset = self.offset(at, content.len())?;
        self.bytes[offset..offset + content.len()].copy_from_slice(content);
        Some(())
    }
    /// The little-endian value of `N` bytes.
    #[inline(always)]
    pub fn read<const N: usize>(&self, offset: usize) -> u64 {
        let mut value = [0; 8];
        value[..N].copy_from_slice(&self.bytes[offset..offset + N]);
        u64::from_le_bytes(value)
    }
    #[inline(always)]
    pub fn write<const N: usize>(&mut self, offset: usize, value: u64) {
        self.bytes[offset..offset + N].copy_from_slice(&value.to_le_bytes()[..N]);
    }
    /// The doubleword at a physical address; 0 where there is no RAM.
    pub fn word(&self, at: u64) -> u64 {
        self.offset(at & !7, 8).map_or(0, |offset| self.read::<8>(offset))
    }
    pub fn note(&mut self, offset: usize, what: u8) {
        self.notes[offset / PAGE as usize] |= what;
    }
    #[inline(always)]
    pub fn noted(&self, offset: usize) -> u8 {
        self.notes[offset / PAGE as usize]
    }
}
