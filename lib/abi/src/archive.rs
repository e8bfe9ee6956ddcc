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
#[derive(Clone, Copy)]
pub struct Image {
    pub name: [u8; NAME],
    pub entry: u64,
    /// Page-aligned end: where the heap starts.
    pub heap: u64,
    pub segment_count: u64,
    pub segments: [Segment; SEGMENTS],
}
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Segment {
    /// Page-aligned address in the component.
    pub va: u64,
    /// Page-aligned offset in the archive.
    pub offset: u64,
    pub file_bytes: u64,
    /// Beyond `file_bytes` it is zero.
    pub memory_bytes: u64,
    /// `pte::R | W | X`.
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
