//! A component that is a software fault domain, as its host finds it: the image builder puts the program beside the host's own segments, and
//! `init` starts the two as one component. What other components of the manifest are in the same address space follows it.

/// Where the host sees the programs. Of each: a [`Header`], the ELF file that the rewriter and the linker have made, and, where there are
/// several, its block of the manifest (`manifest::Component` in postcard form); file and block are filled up to 8 bytes.
pub const PROGRAM_VA: usize = 0x1D00_0000;
/// Most bytes of both.
pub const PROGRAM_BYTES: usize = crate::address::HEAP_END - PROGRAM_VA;
/// A host's segment: 64 MiB between its heap and what others share.
pub const SEGMENT: u64 = 0x1800_0000;
/// Its size is two to the power of this.
pub const SEGMENT_BITS: u32 = 26;
/// Most fault domains beside that one.
pub const GUESTS: usize = 5;
/// Where the segment of the first of them is; the others follow in [`GUEST_DISTANCE`]s.
pub const GUEST_SEGMENTS: u64 = 0x0400_0000;
pub const GUEST_BITS: u32 = 25;
/// Twice the size: the stubs of the next one lie in no segment.
pub const GUEST_DISTANCE: u64 = 2 << GUEST_BITS;
/// With extension Zba a segment is 4 GiB, of which the first GiB is used. The segment of the host, and behind it those of the others.
pub const WIDE_SEGMENTS: u64 = crate::address::SEGMENTS_VA as u64 + 0x4000_0000;
pub const WIDE_BITS: u32 = 32;
/// Twice the size, as above.
pub const WIDE_DISTANCE: u64 = 2 << WIDE_BITS;
/// The last GiB that user mode can address.
pub const TOP_BITS: u32 = 30;
pub const TOP_SEGMENT: u64 = crate::address::SEGMENTS_END as u64 - (1 << TOP_BITS);
/// How code brings addresses into its segment, as [`Header::form`] has it: by a mask and the base; by `add.uw`; by the base alone, which is all ones up to the
/// end of the addresses of user mode.
pub mod form {
    pub const MASKS: u64 = 0;
    pub const ZBA: u64 = 1;
    pub const TOP: u64 = 2;
}
/// The base and the size (as above) of the segment of a component that is alone in its space, or has others beside it, in which `pc` is.
pub const fn own_segment(pc: u64) -> Option<(u64, u32)> {
    let all = [(SEGMENT, SEGMENT_BITS), (WIDE_SEGMENTS, WIDE_BITS), (TOP_SEGMENT, TOP_BITS)];
    let mut n = 0;
    while n < all.len() {
        if pc >> all[n].1 == all[n].0 >> all[n].1 {
            return Some(all[n]);
        }
        n += 1;
    }
    None
}
pub const MAGIC: u64 = 0x6e69_616d_6f64_6673;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Header {
    pub magic: u64,
    /// Of the file.
    pub bytes: u64,
    /// 1: its loads are kept in too.
    pub loads: u64,
    /// How its code keeps it in: one of [`form`].
    pub form: u64,
    /// Bytes of its block; 0: it is alone in its space, and has all rights of its domain.
    pub block: u64,
    /// 1: another one follows.
    pub more: u64,
}
// The program lies behind the segment and its guard.
const _: () = assert!(SEGMENT + (1 << SEGMENT_BITS) + (1 << 17) <= PROGRAM_VA as u64);
const _: () = assert!(WIDE_SEGMENTS.is_multiple_of(1 << WIDE_BITS));
const _: () =
    assert!(WIDE_SEGMENTS + GUESTS as u64 * WIDE_DISTANCE + 0x4000_0000 <= crate::address::SEGMENTS_END as u64);
const _: () = assert!(GUEST_SEGMENTS + GUESTS as u64 * GUEST_DISTANCE <= SEGMENT);
