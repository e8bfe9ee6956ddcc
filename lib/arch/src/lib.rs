//! The one seam between Pebble and the machine that it runs on: what differs between instruction sets is behind it.
//!
//! Its contract. Whatever names a register, a bit of a page-table entry, an instruction or the number of an exception is in this
//! library or in the nucleus; everything else speaks of what is below, in the same words for each machine.
//!
//! | | what a back end gives | who uses it |
//! | --- | --- | --- |
//! | [`paging`] | [`Entry`](paging::Entry): a page-table entry, made of an address, [`Rights`](abi::rights::Rights) and [`Marks`], asked for them, and else a word that is only stored; the tables' shape; how portal code looks at entries ([`Walk`], [`Lendable`]); [`AddressSpace`](paging::AddressSpace): what a processor is told to use one | memory manager, portal manager, image builder |
//! | [`trap`] | what an access wanted that faulted, from the number of the exception | memory manager |
//! | [`stubs`] | the return page: code through which threads enter and leave domains | image builder |
//! | [`text`] | what is in code: whether it has floating point | hosts of extensions |
//! | [`landing`] | what a thread comes back to from code that was linked into its component: the same for every machine | hosts of extensions |
//! | [`hart`] | what is so because there is one hart: the same for every machine | servers that run with interrupts off |
//! | `activation` | how such code is entered and left; only where components are built | hosts of extensions |
//! | `choosing` | how it is found which of several such is entered; only where components are built | hosts of extensions |
//! | `component` | calls through portals, counters, ways in that are not a function's; only where components are built | SDKs, servers, hosts of fault domains |
//!
//! The other half of the seam is `portal::machine`: what portals are made of, in this machine's instructions. It is there and not here,
//! as it speaks of specifications, connections and templates, which are above this library; servers that bring code of their own write it
//! in steps ([`abi::step`]), and it is lowered there.
//!
//! A back end promises: an entry of [`Entry::user`](paging::Entry::user) lets user mode do what its rights say and nothing else, without
//! a fault for bits of bookkeeping; [`Entry::NONE`](paging::Entry::NONE) is the word 0 and maps nothing; an entry that is not present keeps
//! its rights and marks; no entry is both a table and a page.
//!
//! All back ends are plain data but for `component`, `activation` and `choosing`, and all that is data is built and tested on the host; [`paging`] and the others are those
//! of the machine that is built for: RISC-V, where it is the host that builds for it.
#![cfg_attr(not(test), no_std)]

pub mod hart;
pub mod landing;
pub mod riscv64;
pub mod x86_64;

#[cfg(not(all(target_arch = "x86_64", target_os = "none")))]
pub use riscv64 as machine;
#[cfg(all(target_arch = "x86_64", target_os = "none"))]
pub use x86_64 as machine;

#[cfg(target_os = "none")]
pub use machine::{activation, choosing, component};
pub use machine::{paging, text, trap};
/// Built on the host for the machine that there is an image builder for.
pub use riscv64::stubs;

pub use hart::{Masked, PerHart};

bitflags::bitflags! {
    /// What the memory manager notes in an entry, in bits that no processor looks at.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Marks: u64 {
        /// The frame is not the space's own (a device, a shared page of the image), and is not freed with it.
        const FOREIGN = 1;
        /// Present: the frame is shared, the first write gets a copy. Not present: the first access gets a page of zeros.
        const LAZY = 2;
    }
}

/// How portal code looks at an entry of a page that a window is to show, itself and in few instructions: of the bits `looked_at` exactly
/// those of `wanted` are set, and `kept` are passed on, with `added`.
#[derive(Clone, Copy)]
pub struct Lendable {
    pub looked_at: u64,
    pub wanted: u64,
    pub kept: u64,
    pub added: u64,
}
/// How it goes from an entry to the table that the entry leads to. It leads to one where of the bits `looked_at` exactly that of `table` is
/// set; the frame's number is in the bits from `frame` on, and says in its lowest 20 where a frame below 4 GiB is.
#[derive(Clone, Copy)]
pub struct Walk {
    pub looked_at: i32,
    pub table: i32,
    pub frame: i32,
}

#[cfg(test)]
mod tests;
