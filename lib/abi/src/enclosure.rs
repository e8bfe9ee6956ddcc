//! A component that is a software fault domain, as its host finds it: the image builder puts the program beside the host's own segments, and
//! `init` starts the two as one component.

/// Where the host sees the program: a [`Header`], then the ELF file that the rewriter and the linker have made.
pub const PROGRAM_VA: usize = 0x1D00_0000;
/// Most bytes of both.
pub const PROGRAM_BYTES: usize = crate::address::HEAP_END - PROGRAM_VA;
/// A host's segment: 64 MiB between its heap and what others share.
pub const SEGMENT: u64 = 0x1800_0000;
/// Its size is two to the power of this.
pub const SEGMENT_BITS: u32 = 26;
pub const MAGIC: u64 = 0x6e69_616d_6f64_6673;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Header {
    pub magic: u64,
    /// Of the file.
    pub bytes: u64,
    /// 1: its loads are kept in too.
    pub loads: u64,
    pub reserved: u64,
}
// The program lies behind the segment and its guard.
const _: () = assert!(SEGMENT + (1 << SEGMENT_BITS) + (1 << 17) <= PROGRAM_VA as u64);
