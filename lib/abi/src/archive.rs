//! The archive: component images, made ready for mapping by the image builder, and files.
//!
//! Starts with a [`Header`], then its entries; segment contents are page-aligned so that read-only pages are mapped
//! straight from the archive. `init` sees it read-only at [`VA`]; offsets count from its first byte.

use crate::section::NAME;

pub const MAGIC: u64 = 0x6576_6968_6372_6120;
/// Where `init` sees the archive.
pub const VA: usize = LOG_VA + crate::log::BYTES;
/// Where `init` sees the system log: behind its image and heap, in the range of the same page table.
pub const LOG_VA: usize = 0x0010_0000;
/// Most segments of a component.
pub const SEGMENTS: usize = 6;

#[repr(C)]
pub struct Header {
    pub magic: u64,
    /// Component images that follow this header.
    pub images: u64,
    /// Offset and bytes of the system description (`manifest::System` in postcard form).
    pub system: u64,
    pub system_bytes: u64,
    /// Offset and number of [`File`]s.
    pub files: u64,
    pub file_count: u64,
}
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Image {
    pub name: [u8; NAME],
    pub entry: u64,
    /// Page-aligned end: where the heap starts.
    pub heap: u64,
    pub segment_count: u64,
    pub segments: [Segment; SEGMENTS],
    /// Offset and number of [`Relocation`]s, where the image may be placed at another address: see [`Image::start`].
    pub relocations: u64,
    pub relocation_count: u64,
}
impl Image {
    /// Its first address.
    pub fn start(&self) -> u64 {
        let segments = self.segments.iter().take(self.segment_count as usize);
        segments.map(|segment| segment.va).min().unwrap_or(self.heap)
    }
}
/// What is added to a place in an image that lies so many bytes, whole pages, behind where it was linked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// To a word of 64 bits: the distance.
    Word,
    /// To a word of 32 bits, which may be the upper part of an address in an instruction.
    Up,
    /// To such a word: minus the distance. It is the upper part of how far something is that stays.
    Down,
}
impl Kind {
    /// Bytes of the word.
    pub fn bytes(self) -> usize {
        if self == Kind::Word { 8 } else { 4 }
    }
}
/// A place in an image: how far from its start, and from bit 30 on what is added.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation(pub u32);
impl Relocation {
    pub fn new(offset: u64, kind: Kind) -> Option<Relocation> {
        (offset >> 30 == 0).then_some(Relocation(offset as u32 | (kind as u32) << 30))
    }
    pub fn offset(self) -> usize {
        self.0 as usize & ((1 << 30) - 1)
    }
    pub fn kind(self) -> Kind {
        match self.0 >> 30 {
            0 => Kind::Word,
            1 => Kind::Up,
            _ => Kind::Down,
        }
    }
    /// Adds to the word, of which these are the bytes, what it takes at this distance.
    pub fn apply(self, bytes: &mut [u8], distance: usize) {
        let mut word = [0; 8];
        let there = bytes.len().min(word.len());
        word[..there].copy_from_slice(&bytes[..there]);
        let old = u64::from_le_bytes(word);
        let new = match self.kind() {
            Kind::Word | Kind::Up => old.wrapping_add(distance as u64),
            Kind::Down => old.wrapping_sub(distance as u64),
        };
        bytes[..there].copy_from_slice(&new.to_le_bytes()[..there]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_word_has_the_distance_added_and_an_upper_part_too() {
        let placed = |kind, word: u64, bytes: usize| {
            let mut word = word.to_le_bytes();
            Relocation::new(8, kind).unwrap().apply(&mut word[..bytes], 0x3000);
            u64::from_le_bytes(word)
        };
        assert_eq!(placed(Kind::Word, 0x12345, 8), 0x15345);
        // `lui a0, 0xfffff`: the carry goes nowhere.
        assert_eq!(placed(Kind::Up, 0x1_ffff_f537, 4), 0x1_0000_2537);
        // `auipc a0, 0`.
        assert_eq!(placed(Kind::Down, 0x517, 4), 0xffff_d517);
    }
    #[test]
    fn a_place_too_far_from_the_start_is_refused() {
        assert_eq!(Relocation::new(1 << 30, Kind::Word), None);
        let last = Relocation::new((1 << 30) - 1, Kind::Down).unwrap();
        assert_eq!((last.offset(), last.kind(), last.kind().bytes()), ((1 << 30) - 1, Kind::Down, 4));
    }
}
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Segment {
    /// Page-aligned address in the component.
    pub va: u64,
    /// Page-aligned offset in the archive.
    pub offset: u64,
    pub file_bytes: u64,
    /// Beyond `file_bytes` it is zero.
    pub memory_bytes: u64,
    /// [`crate::rights::Rights`].
    pub rights: u64,
}
/// A file given with `--file`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct File {
    pub path: [u8; 128],
    pub offset: u64,
    pub bytes: u64,
}
