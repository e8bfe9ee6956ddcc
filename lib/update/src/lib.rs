//! Updates of components as files (`.upd`): what the host tool writes, the signer signs and the system reads.
//!
//! All integers are little endian. A file is a header of [`HEADER`] bytes, as many records of segments as that says, the names that the component opens, zeros up to the next
//! page, the bytes of the segments, each from a page of its own on and in the order of their records, the identity of the signer's key and the signature
//! of all that is before it. Nothing says where something is: it follows from the lengths, and no byte means nothing.
//!
//! [`Update::parse`] believes nothing and copies nothing, and says of a file that holds together that its image can be laid out: segments are pages
//! where images may be, one behind the other, none is written and executed, and it is entered at an instruction. It does not look at the signature, which is for who knows
//! keys ([`seal`]).
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::{Update, claimed, length, seal};
pub use seal::{KEY, SIGNATURE, Seal, signed};
pub use write::{Part, Parts};

use abi::archive::SEGMENTS;
use core::fmt::{Display, Formatter};

/// The first bytes of a file; the last two are the format's version.
pub const MAGIC: [u8; 8] = *b"PBLUPD01";
/// Most bytes of a file.
pub const MOST_BYTES: usize = 4 << 20;
/// Most bytes of the names that a component opens.
pub const MOST_OPENS: usize = 16 << 10;
/// Bytes of the header, and of a segment's record.
pub const HEADER: usize = 128;
pub const RECORD: usize = 32;

/// SHA-256 of what a component is built against: the interface of the nucleus and of the first components.
pub type Digest = [u8; 32];

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// It begins as none.
    Magic,
    /// It is not as long as it says, longer than [`MOST_BYTES`], or something is behind its parts.
    Length,
    /// The component's name is none.
    Name,
    /// Version 0 is no version.
    Version,
    /// It has no segment, or more than [`SEGMENTS`].
    Segments,
    /// Segment `.0` lies where no image may, or not behind the one before it.
    Place(usize),
    /// Segment `.0` has more bytes than room.
    Bytes(usize),
    /// Segment `.0` can not be read, or can be written and executed.
    Rights(usize),
    /// It is entered where nothing can be executed.
    Entry,
    /// Its heap begins where none may.
    Heap,
    /// What it opens is not a list of names, one in a line.
    Opens,
    /// A byte is not zero that fills a page.
    Padding,
}
impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        match self {
            Error::Magic => write!(f, "is no update of a component, or one of another version of the format"),
            Error::Length => write!(f, "is not as long as it says, or longer than {MOST_BYTES} bytes"),
            Error::Name => write!(f, "is of a component with a name that is none"),
            Error::Version => write!(f, "has no version"),
            Error::Segments => write!(f, "has no segment, or more than {SEGMENTS}"),
            Error::Place(n) => write!(f, "has segment {n} where no image may be, or not behind the one before it"),
            Error::Bytes(n) => write!(f, "has more bytes in segment {n} than that has room for"),
            Error::Rights(n) => write!(f, "has segment {n} that can not be read, or that can be written and executed"),
            Error::Entry => write!(f, "is entered where nothing can be executed"),
            Error::Heap => write!(f, "has its heap where none may be"),
            Error::Opens => write!(f, "opens what is no list of names"),
            Error::Padding => write!(f, "has bytes that mean nothing"),
        }
    }
}
impl core::error::Error for Error {}
