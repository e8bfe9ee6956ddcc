//! What a driver of a disk and its client agree on.
//!
//! `block.read (sector, buffer, bytes)` and `block.write` transfer whole sectors, at most as many as seven pages hold, and return 0;
//! `block.flush ()` returns when all that was written lasts; `block.size ()` is the disk's size in sectors. `EIO`: the disk says that it
//! failed; `EINVAL`: not whole sectors, too many, or beyond the disk's end.

/// Bytes of a sector.
pub const SECTOR: usize = 512;
/// Most bytes of one transfer: a buffer of so many lies in eight pages wherever it begins.
pub const MOST: usize = 7 * crate::address::PAGE;
