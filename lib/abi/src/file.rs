//! What the files component and its clients agree on.

use crate::nucleus::NAMELEN;

numbers! {
    /// What each of a descriptor's consecutive portals does, from its first on.
    pub mod portal as PORTAL {
        pub const READ: usize = 0;
        pub const WRITE: usize = 1;
        pub const SEEK: usize = 2;
        pub const CONTROL: usize = 3;
        pub const COUNT: usize = 4;
    }
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
    /// `ELOOP` where it is a symbolic link.
    pub const NO_FOLLOW: usize = 0x10_0000;
}
/// Where the seek portal counts from.
pub mod whence {
    pub const START: usize = 0;
    pub const POSITION: usize = 1;
    pub const END: usize = 2;
}
numbers! {
    /// Operations of the control portal: `(operation, page)`, with something to write to in every case.
    pub mod operation as CONTROL {
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
        /// Reads a [`Hand`](super::Hand): that domain may have four portals to the same control block, once, by `files.inherit`. `EINVAL`: a number
        /// alone is nobody.
        pub const HAND: usize = 6;
        /// Four portals to a control block of its own for the same file, open for reading, at its start; the first one's number. `EBADF`: this
        /// one is not open for reading; `EISDIR`; `EINVAL`: it is no file.
        pub const REOPEN: usize = 7;
        /// Reads a [`Lock`](super::Lock), and writes it where that asks.
        pub const LOCK: usize = 8;
        /// Four portals to a control block of its own for the same file, for nothing but locks; the first one's number. `EISDIR`; `EINVAL`: it
        /// is no file.
        pub const LOCKER: usize = 9;
        /// How many names of a directory [`NEXT`] has left out since its start, since they can not be written as a [`Name`](crate::name::Name).
        pub const LEFT_OUT: usize = 10;
    }
}
shared! {
    /// A lock on bytes of a file, which the control block has through which it was taken.
    #[repr(C, align(64))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Lock as lock {
        /// One of [`lock`].
        pub kind: u64,
        /// Of [`lock_how`].
        pub how: u64,
        /// Its first byte.
        pub start: u64,
        /// The byte behind it; all ones: none, however long the file becomes.
        pub end: u64,
        /// Answer of [`lock_how::ASK`]: the number of the domain whose lock is in the way, and is told in the fields above; where none is, the kind is
        /// [`lock::NONE`].
        pub holder: u64,
    }
}
numbers! {
    /// Values of [`Lock::kind`].
    pub mod lock as LOCK {
        /// What the control block has of these bytes goes.
        pub const NONE: u64 = 0;
        /// Others may have it too. `EBADF`: the control block is not open for reading; so for ranges, as POSIX has it.
        pub const SHARED: u64 = 1;
        /// `EBADF`: not open for writing; so for ranges.
        pub const EXCLUSIVE: u64 = 2;
    }
}
numbers! {
    /// Bits of [`Lock::how`].
    pub mod lock_how as LOCK {
        /// On all of the file, whatever the range; such locks and those on ranges do not see each other.
        pub const WHOLE: u64 = 1;
        /// Waits as long as it takes, where `EAGAIN` would be the answer. `EDEADLK`: for ever; `EBUSY`: too many wait already, and who calls
        /// again some time later does the same as if it had waited.
        pub const WAIT: u64 = 2;
        /// Only says what is in the way.
        pub const ASK: u64 = 4;
    }
}
shared! {
    /// Who is to have what is handed over, and as which of its standard streams.
    #[repr(C, align(16))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Hand as hand {
        /// Its identity's word.
        pub domain: u64,
        pub stream: u64,
    }
}
/// Bit of [`Status::node`] that those of the disk have, and none in memory.
pub const NODE_OF_DISK: u64 = 1 << 62;
numbers! {
    /// Values of [`Status::kind`].
    pub mod kind as KIND {
        pub const FILE: u64 = 1;
        pub const DIRECTORY: u64 = 2;
        pub const PIPE: u64 = 3;
        /// Of a disk, as what follows: a symbolic link.
        pub const LINK: u64 = 5;
        pub const CHARACTER_DEVICE: u64 = 6;
        pub const BLOCK_DEVICE: u64 = 7;
    }
}
numbers! {
    /// What [`Status::version`] says of a pipe: the sides that nobody has any more.
    pub mod pipe as PIPE {
        pub const NO_READERS: u64 = 1;
        pub const NO_WRITERS: u64 = 2;
    }
}
shared! {
    /// What a file is; must not cross a page boundary (so: is aligned to its size rounded up).
    #[repr(C, align(32))]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Status as status {
        /// One of [`kind`].
        pub kind: u64,
        /// In the file, or in the pipe.
        pub bytes: u64,
        /// No other of the same kind has this number.
        pub node: u64,
        /// No other contents of a file, of this one or another, before or after, have this number. Of a pipe: see [`pipe`].
        pub version: u64,
    }
}
impl Status {
    /// Of nothing that there is.
    pub const NONE: Status = Status { kind: 0, bytes: 0, node: 0, version: 0 };
}
shared! {
    /// A name in a directory.
    #[repr(C, align(128))]
    #[derive(Clone, Copy)]
    pub struct Entry as entry {
        pub status: Status,
        /// Filled up with zeros.
        pub name: [u8; NAMELEN],
    }
}
