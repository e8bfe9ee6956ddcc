//! Extensions as files (`.ext`): what the gatekeeper writes, the signer signs and the linker reads.
//!
//! All integers are little endian. A file is a header of [`HEADER`] bytes, the sections in the order of [`Section`], each as long as the header says, with nothing
//! between them, the signer's key and the signature of all that is before it. So there are no offsets that could lie, and no byte that means nothing.
//!
//! What is laid out at run time is the *image*: text, and from a page of its own on constants, at an offset that follows from the text's length alone. Nothing in it
//! is resolved by a symbol: text reaches the rest relative to itself, and an address among the constants is an offset in the image, to which the
//! linker adds where the image is ([`Extension::relocations`]). Procedures of hosts are called through slots, the first words of the
//! constants: one for each [`Import`]. Text is executed, constants are read; an extension has nothing that it could write but what it is lent.
//!
//! [`Extension::parse`] believes nothing and copies nothing. It does not look at the signature, which is for who knows keys.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod image;
mod read;
mod terms;
#[cfg(test)]
mod tests;
mod write;

pub use read::{Extension, seal};
pub use seal::{KEY, SIGNATURE, Seal, signed};
pub use terms::{CONDITION, Compare, Condition, MOST_CONDITIONS, Order, Part, seen};
pub use write::Parts;

/// The first bytes of a file; the last two are the format's version.
pub const MAGIC: [u8; 8] = *b"PBLEXT02";
/// Most bytes of a file.
pub const MOST_BYTES: usize = 4 << 20;
/// Most bytes of an image.
pub const MOST_IMAGE: usize = 2 << 20;
/// Most interfaces, most procedures that are imported, and most that are exported.
pub const MOST_PROCEDURES: usize = 256;
/// Most bytes of a name, and of the reason of an explicit decision.
pub const MOST_NAME: usize = 32;
pub const MOST_REASON: usize = 255;
/// Bytes of a page: each part of an image begins with one.
pub const PAGE: usize = 4096;
/// Bytes of a slot, and of an address.
pub const SLOT: usize = 8;
/// Bytes of the header.
pub const HEADER: usize = 96;

/// SHA-256 of what it stands for: an interface with all its layouts, or a compiler with its flags.
pub type Digest = [u8; 32];

/// In the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Section {
    Name,
    /// UTF-8: why it was signed though the gatekeeper would not; empty where it would.
    Reason,
    /// [`Interface`]s.
    Interfaces,
    /// [`Import`]s.
    Imports,
    /// [`Export`]s.
    Exports,
    /// [`Guard`]s.
    Guards,
    Text,
    /// Slots, then what is read: constants, with and without addresses.
    Constants,
    /// Offsets in `Constants`, ascending, four bytes each.
    Relocations,
    /// For a debugger; means nothing to the linker.
    Symbols,
}
impl Section {
    pub const ALL: [Section; 10] = [
        Section::Name,
        Section::Reason,
        Section::Interfaces,
        Section::Imports,
        Section::Exports,
        Section::Guards,
        Section::Text,
        Section::Constants,
        Section::Relocations,
        Section::Symbols,
    ];
    pub fn name(self) -> &'static str {
        match self {
            Section::Name => "name",
            Section::Reason => "reason",
            Section::Interfaces => "interfaces",
            Section::Imports => "imports",
            Section::Exports => "exports",
            Section::Guards => "guards",
            Section::Text => "text",
            Section::Constants => "constants",
            Section::Relocations => "relocations",
            Section::Symbols => "symbols",
        }
    }
    /// Bytes of one of its records; 1 where it has none.
    pub const fn record(self) -> usize {
        match self {
            Section::Interfaces => 32 + MOST_NAME,
            Section::Imports => 4 + MOST_NAME,
            Section::Exports => 12 + 2 * MOST_NAME,
            Section::Guards => 4 + CONDITION,
            Section::Relocations => 4,
            _ => 1,
        }
    }
    /// Most bytes of it, beside what all together may have.
    const fn most(self) -> usize {
        match self {
            Section::Name => MOST_NAME,
            Section::Reason => MOST_REASON,
            Section::Interfaces | Section::Imports | Section::Exports => MOST_PROCEDURES * self.record(),
            Section::Guards => MOST_PROCEDURES * MOST_CONDITIONS * self.record(),
            Section::Text | Section::Constants => MOST_IMAGE,
            Section::Relocations => MOST_IMAGE / 2,
            Section::Symbols => MOST_BYTES,
        }
    }
}

/// Whether an extension may have that name.
pub fn is_name(name: &str) -> bool {
    name.len() <= MOST_NAME && seal::name(name.as_bytes()).is_some()
}

/// What an extension may take while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the stack of an activation: whole pages, 1 to 64.
    pub stack: u32,
    /// Bytes of its arena, at most 64 MiB.
    pub arena: u32,
    /// Microseconds that an activation may take, 1 to 1,000,000.
    pub quantum: u32,
}
impl Limits {
    /// What one has that does not say.
    pub const DEFAULT: Limits = Limits { stack: 4 * PAGE as u32, arena: 64 * 1024, quantum: 10_000 };
    /// Whether each is in its range.
    pub fn are_valid(&self) -> bool {
        let page = PAGE as u32;
        self.stack.is_multiple_of(page)
            && (page..=64 * page).contains(&self.stack)
            && self.arena <= 64 << 20
            && (1..=1_000_000).contains(&self.quantum)
    }
}

/// What an import or an export is of: procedures and events that a component exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface<'a> {
    pub name: &'a str,
    /// Of its whole declaration: two interfaces are the same where this is.
    pub digest: Digest,
}
/// A procedure of a host that the extension calls, through the slot with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Import<'a> {
    /// The interface's place among the file's.
    pub interface: u16,
    /// Its place among the interface's procedures.
    pub procedure: u16,
    /// For who reads; what counts are the numbers.
    pub name: &'a str,
}
/// A procedure of the extension that handles an event of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Export<'a> {
    pub interface: u16,
    /// Its place among the interface's events.
    pub event: u16,
    /// Where it begins in the text.
    pub entry: u32,
    pub name: &'a str,
    /// Among the event's handlers; names are those of extensions.
    pub order: Order<&'a str>,
}
/// A condition of an export's guard: all of them hold where it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The export's place among the file's.
    pub export: u16,
    pub condition: Condition,
}

/// Where the constants are in an image, and its bytes: whole pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub constants: usize,
    pub end: usize,
}
impl Layout {
    /// Of parts with so many bytes.
    pub fn of(text: usize, constants: usize) -> Layout {
        let first = text.next_multiple_of(PAGE);
        Layout { constants: first, end: first + constants.next_multiple_of(PAGE) }
    }
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Its first bytes are others.
    Magic,
    /// It is not as long as its header says, or longer than [`MOST_BYTES`].
    Length,
    /// A section is longer than it may be, or not whole records.
    SectionLength(Section),
    /// The name of the extension, or that of record `at` of a section, is not of small letters, digits, hyphens and low lines, begins with a hyphen, or has bytes behind its end.
    Name(Section, usize),
    /// The reason is no UTF-8.
    Reason,
    /// A limit is out of its range.
    Limits,
    /// The image is larger than [`MOST_IMAGE`].
    Image,
    /// Record `at` is not behind the one before it: by interface and place, interfaces by their names.
    Order(Section, usize),
    /// Record `at` is of an interface that the file has not.
    Interface(Section, usize),
    /// Record `at` is of a place that no interface has: [`MOST_PROCEDURES`] or more.
    Place(Section, usize),
    /// Export `at` does not begin in the text, or at an odd place.
    Entry(usize),
    /// The order of export `at` is none, or has a name where it needs none, or none where it needs one.
    Terms(usize),
    /// Condition `at` can not be, is of an export that the file has not or of one before that of the last, or is one too many of its export.
    Guard(usize),
    /// Relocation `at` is not behind the one before it, is no whole word of the constants, is a slot, or its address is not in the image.
    Relocation(usize),
    /// There are more slots than the constants have room for, or one that is not 0.
    Slots,
}
impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {
            Error::Magic => write!(f, "is no extension: it does not begin with PBLEXT02"),
            Error::Length => write!(f, "is not as long as its header says"),
            Error::SectionLength(section) => write!(f, "section \"{}\": its length can not be", section.name()),
            Error::Name(section, at) => {
                write!(f, "section \"{}\": name {at} is not of small letters, digits, \"-\" and \"_\"", section.name())
            }
            Error::Reason => write!(f, "the reason of its explicit decision is no text"),
            Error::Limits => write!(f, "a limit is out of its range"),
            Error::Image => write!(f, "its image is too large"),
            Error::Order(section, at) => {
                write!(f, "section \"{}\": record {at} is not behind the one before it", section.name())
            }
            Error::Interface(section, at) => {
                write!(f, "section \"{}\": record {at} is of an interface that it has not", section.name())
            }
            Error::Place(section, at) => {
                write!(f, "section \"{}\": record {at} is of a place that no interface has", section.name())
            }
            Error::Entry(at) => write!(f, "export {at} does not begin in its text"),
            Error::Terms(at) => write!(f, "export {at} has an order that can not be"),
            Error::Guard(at) => write!(f, "condition {at} of its guards can not be"),
            Error::Relocation(at) => write!(f, "relocation {at} is not where one can be, or leads out of the image"),
            Error::Slots => write!(f, "it has no room for its slots, or one is taken"),
        }
    }
}
impl core::error::Error for Error {}
