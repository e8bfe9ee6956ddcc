//! What an extension's file, who asks the linker (`services/linker`) for it, and a host that extensions are linked into say to each other.
//!
//! A host provides one portal, `link.NAME`, by [`SPECIFICATION`]: an operation of [`operation`], two words, and a page that both read and write. Who may open it may have
//! any code run in the host: the linker, by the manifest.

use crate::section::NAME;

/// First letters of the names by which hosts provide the portal.
pub const PREFIX: &str = "link.";
/// The portal's specification.
pub const SPECIFICATION: &str = "npiiiw";
/// Most procedures and most handlers that one interface, or one extension, has.
pub const MOST: usize = 256;
/// Most extensions that are linked into a host, and so most handlers of an event.
pub const EXTENSIONS: usize = 1024;
/// Most interfaces that a host exports, with the one beneath all extensions.
pub const INTERFACES: usize = 32;
/// Most bytes of an extension's name, with zeros behind it.
pub const EXTENSION: usize = 32;

/// What a host is asked.
pub mod operation {
    /// The page becomes the [`super::Interface`] of that number. `ENOENT` behind the last.
    pub const INTERFACE: usize = 0;
    /// Makes room for the extension that the page says, a [`super::Draft`], and says where: the draft's number. What had been begun before is forgotten. `EINVAL`, `ENOMEM`.
    pub const DRAFT: usize = 1;
    /// The page is that of draft's image, at an offset. `ENOENT`: there is no such draft; `EINVAL`: it has no page there; `ENOMEM`.
    pub const PLACE: usize = 2;
    /// A draft's image is complete, and it handles what the page says, [`super::Handlers`], from now on: the extension's number. `ENOENT`; `EINVAL`: an
    /// interface or event that the host has not, an entry that is none, or terms of a handler that is none or that its event can not be handled on; `EACCESS`: the host does not let it
    /// handle that; `ENFILE`, `ENOMEM`. There is no draft then, whatever comes of it.
    pub const LINK: usize = 3;
    /// Takes the extension of that number out. When it returns, nobody is in it. `ENOENT`.
    pub const UNLINK: usize = 4;
    /// The page becomes the [`super::Info`] of the extension that is linked in with the lowest number from that one on. `ENOENT` behind the last.
    pub const LINKED: usize = 5;
    /// The page becomes the [`super::Info`] of the oldest that was taken out for what it did, which is forgotten. `ENOENT`: there is none.
    pub const ENDED: usize = 6;
    /// There is no draft any more.
    pub const FORGET: usize = 7;
    /// The handler at that place among those that [`LINK`] will say is called on the terms that the page says, [`super::Terms`]. `ENOENT`: there is no such draft; `EINVAL`: a place
    /// that none has, one that has terms already, or terms that can not be.
    pub const TERMS: usize = 8;
}

/// An interface that a host exports.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Interface {
    pub name: [u8; EXTENSION],
    /// SHA-256 of its declaration.
    pub identity: [u8; 32],
    pub events: u64,
    /// How many of the addresses there are.
    pub procedures: u64,
    /// Microseconds of an extension's quantum that names it, at most.
    pub quantum: u64,
    /// Where its procedures begin.
    pub addresses: [u64; MOST],
}
/// An extension that is to be laid out.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Draft {
    pub name: [u8; EXTENSION],
    /// Bytes.
    pub text: u64,
    pub constants: u64,
    /// As in its file: bytes, bytes, microseconds.
    pub stack: u32,
    pub arena: u32,
    pub quantum: u32,
    /// 1: it was refused by the gatekeeper, and signed all the same.
    pub vetted: u32,
    /// The key that it is signed with.
    pub key: [u8; 8],
    /// Where its image will be: the host's answer.
    pub base: u64,
}
/// A procedure of the extension's, and what it handles.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Handler {
    /// The interface's number in the host.
    pub interface: u16,
    /// The event's place in it.
    pub event: u16,
    /// The entry's offset in the text.
    pub entry: u32,
}
/// All that an extension handles.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Handlers {
    pub count: u64,
    pub all: [Handler; MOST],
}
/// Bytes of a condition, as an extension's file has it, and most of them of one handler.
pub const CONDITION: usize = 24;
pub const CONDITIONS: usize = 16;
/// On what terms a handler is called; one of which nothing is said is in all cases, behind those that are there.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Terms {
    /// As in the file: its number, and the name of the other extension, where it needs one.
    pub order: u64,
    pub other: [u8; EXTENSION],
    /// All of so many conditions hold of the event's arguments.
    pub count: u64,
    pub conditions: [[u8; CONDITION]; CONDITIONS],
}
/// Bytes of a file's name in the place of a panic.
pub const FILE: usize = 64;
/// What a host knows of an extension.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Info {
    pub name: [u8; EXTENSION],
    pub number: u64,
    /// How often it was activated, and how often there was no stack for it.
    pub calls: u64,
    pub missed: u64,
    /// Why it was taken out, by `dispatch::Why`; 0: it is linked in.
    pub why: u64,
    /// Where it panicked; line 0: it did not.
    pub line: u64,
    pub file: [u8; FILE],
}

/// What [`Info::why`] means.
pub fn why(number: u64) -> &'static str {
    const WHY: [&str; 6] = [
        "linked in",
        "ended: it panicked",
        "ended: too little of its stack was left",
        "ended: it passed what is none of its type's values",
        "ended: it faulted",
        "ended: it took longer than its quantum",
    ];
    usize::try_from(number).ok().and_then(|n| WHY.get(n)).unwrap_or(&"ended")
}

/// Bytes of a text that says why something is refused.
pub const WHY: usize = 192;
/// What the linker is asked to do with the file that it was given last.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Request {
    /// The host's name, without [`PREFIX`].
    pub host: [u8; NAME],
    /// Why it was refused: the linker's answer.
    pub why: [u8; WHY],
}
/// An extension that the linker has linked in.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Linked {
    /// By which the linker knows it. No other ever has it.
    pub number: u64,
    pub host: [u8; NAME],
    /// The key that it is signed with.
    pub key: [u8; 8],
    /// Why it was signed though the gatekeeper refused it; empty: it did not.
    pub reason: [u8; 256],
    pub info: Info,
}
macro_rules! empty {
    ($($name:ident { $($field:ident: $value:expr),* })*) => { $(
        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $value),* }
            }
        }
    )* };
}
empty! {
    Interface { name: [0; EXTENSION], identity: [0; 32], events: 0, procedures: 0, quantum: 0, addresses: [0; MOST] }
    Terms { order: 0, other: [0; EXTENSION], count: 0, conditions: [[0; CONDITION]; CONDITIONS] }
    Handlers { count: 0, all: [Handler::default(); MOST] }
    Info { name: [0; EXTENSION], number: 0, calls: 0, missed: 0, why: 0, line: 0, file: [0; FILE] }
    Request { host: [0; NAME], why: [0; WHY] }
    Linked { number: 0, host: [0; NAME], key: [0; 8], reason: [0; 256], info: Info::default() }
}
