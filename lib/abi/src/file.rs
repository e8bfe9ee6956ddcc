//! What the files component and its clients agree on.

use crate::nucleus::NAMELEN;

/// What each of a descriptor's consecutive portals does, from its first on.
pub mod portal {
    pub const READ: usize = 0;
    pub const WRITE: usize = 1;
    pub const SEEK: usize = 2;
    pub const CONTROL: usize = 3;
    pub const COUNT: usize = 4;
}
/// Flags of `files.open`.
pub mod flags {
    pub const READ_ONLY: usize = 0;
    pub const WRITE_ONLY: usize = 1;
    pub const READ_WRITE: usize = 2;
    pub const ACCESS: usize = 3;
    pub const APPEND: usize = 0x0008;
    pub const CREATE: usize = 0x0200;
    pub const TRUNCATE: usize = 0x0400;
    pub const EXCLUSIVE: usize = 0x0800;
    /// It must be a directory.
    pub const DIRECTORY: usize = 0x1000;
}
/// Where the seek portal counts from.
pub mod whence {
    pub const START: usize = 0;
    pub const POSITION: usize = 1;
    pub const END: usize = 2;
}
/// Operations of the control portal: `(operation, page)`, with something to write to in every case.
pub mod operation {
    /// Four more portals to the same control block; the first one's number.
    pub const DUPLICATE: usize = 1;
    /// Writes a `Status`.
    pub const STATUS: usize = 2;
    /// Writes the next `Entry` of a directory; 1, or 0 after the last.
    pub const NEXT: usize = 3;
    /// Reads a word: the file has so many bytes from now on, zeros where there were none.
    pub const TRUNCATE: usize = 4;
    /// What was written lasts.
    pub const SYNC: usize = 5;
    /// Reads a [`Hand`](super::Hand): that domain may have four portals to the same control block, once, by `files.inherit`.
    pub const HAND: usize = 6;
    /// Four portals to a control block of its own for the same file, open for reading, at its start; the first one's number. `EBADF`: this
    /// one is not open for reading; `EISDIR`; `EINVAL`: it is no file.
    pub const REOPEN: usize = 7;
}
/// Who is to have what is handed over, and as which of its standard streams.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hand {
    pub domain: u64,
    pub stream: u64,
}
/// Bit of [`Status::node`] that those of the disk have, and none in memory.
pub const NODE_OF_DISK: u64 = 1 << 62;
/// Values of [`Status::kind`].
pub mod kind {
    pub const FILE: u64 = 1;
    pub const DIRECTORY: u64 = 2;
    pub const PIPE: u64 = 3;
}
/// What [`Status::version`] says of a pipe: the sides that nobody has any more.
pub mod pipe {
    pub const NO_READERS: u64 = 1;
    pub const NO_WRITERS: u64 = 2;
}
/// What a file is; must not cross a page boundary (so: is aligned to its size rounded up).
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// One of [`kind`].
    pub kind: u64,
    /// In the file, or in the pipe.
    pub bytes: u64,
    /// No other of the same kind has this number.
    pub node: u64,
    /// No other contents of a file, of this one or another, before or after, have this number. Of a pipe: see [`pipe`].
    pub version: u64,
}
impl Status {
    /// Of nothing that there is.
    pub const NONE: Status = Status { kind: 0, bytes: 0, node: 0, version: 0 };
}
/// A name in a directory.
#[repr(C, align(128))]
#[derive(Clone, Copy)]
pub struct Entry {
    pub status: Status,
    /// Filled up with zeros.
    pub name: [u8; NAMELEN],
}
