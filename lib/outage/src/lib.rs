//! Disks with a cache that is lost when the power is cut, for tests of what keeps its word with such.
//!
//! A disk may do what it was asked to write whenever it likes, in any order, and piece by piece; only what it was asked before a flush
//! that it has answered is there for good (Virtual I/O Device 1.1, section 5.2.6.2). So one run of a program is enough for as many cuts
//! as anybody likes: what was asked is logged ([`Device`], or whatever else has a log), and [`cuts`] says for moments all over the log what
//! may be on the disk then.

mod contents;
mod cuts;
mod device;
mod random;

pub use contents::Contents;
pub use cuts::{Cut, cuts};
pub use device::Device;
pub use random::Random;

/// Bytes of a sector.
pub const SECTOR: usize = 512;
/// Bytes that are written as a whole or not at all. Less is not for ext4: its superblock has so many under one checksum, and where half of it is another
/// one's there is nothing that mounts, here as on Linux.
pub const PIECE: usize = 1024;

/// What a disk is asked to do that changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// So many bytes, a multiple of a sector's, from a sector on.
    Write { sector: usize, bytes: Vec<u8> },
    /// What was written before it lasts when this is done.
    Flush,
}
