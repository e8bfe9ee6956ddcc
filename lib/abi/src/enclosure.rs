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
/// Bytes at both ends of a segment, and before and behind it, where nothing is ever mapped (`verifier::segment` says what for).
pub const GUARD: u64 = 0x1_0000;
/// How much of a segment is used at most: what is in it has one table above those of its pages.
pub const USED: u64 = 1 << 30;
/// All places that a segment can have in a space, by number: the host's first, those beside it, as many of 4 GiB, and the last one.
pub const SEGMENTS: usize = 2 * (1 + GUESTS) + 1;
/// The first number of those that lie above the private part.
pub const FIRST_ABOVE: usize = 1 + GUESTS;
/// The base and the size (as above) of segment number `n`, below [`SEGMENTS`].
pub const fn segment(n: usize) -> (u64, u32) {
    match n {
        0 => (SEGMENT, SEGMENT_BITS),
        1..=GUESTS => (GUEST_SEGMENTS + (n as u64 - 1) * GUEST_DISTANCE, GUEST_BITS),
        _ if n < SEGMENTS - 1 => (WIDE_SEGMENTS + (n - FIRST_ABOVE) as u64 * WIDE_DISTANCE, WIDE_BITS),
        _ => (TOP_SEGMENT, TOP_BITS),
    }
}
/// The end of what is used of a segment, which is the beginning of its upper guard zone.
pub const fn used_end((base, bits): (u64, u32)) -> u64 {
    base + if 1 << bits < USED { 1 << bits } else { USED } - GUARD
}
/// What an address is to a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// Nothing.
    Outside,
    /// In a guard zone, or in what is used of no segment of its size: nothing is mapped there.
    Guard,
    /// In the segment, or where the host has the code around it, below the guard zone before it: only who makes the fault domain maps there.
    Inside,
}
/// The first address that concerns segment number `n`, and the first one behind those.
pub const fn concern(n: usize) -> (u64, u64) {
    let (base, bits) = segment(n);
    (base - 2 * GUARD, base + (1 << bits) + GUARD)
}
pub const fn zone(n: usize, address: u64) -> Zone {
    let of = segment(n);
    let (start, end) = concern(n);
    if address < start || address >= end {
        Zone::Outside
    } else if address < start + GUARD || (of.0 + GUARD <= address && address < used_end(of)) {
        Zone::Inside
    } else {
        Zone::Guard
    }
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
// What concerns one segment is outside of all others.
const _: () = {
    let mut n = 0;
    while n < SEGMENTS * SEGMENTS {
        let (one, other) = (concern(n / SEGMENTS), concern(n % SEGMENTS));
        assert!(n / SEGMENTS == n % SEGMENTS || one.1 <= other.0 || other.1 <= one.0);
        n += 1;
    }
};
const _: () = assert!(GUEST_SEGMENTS + GUESTS as u64 * GUEST_DISTANCE <= SEGMENT);
