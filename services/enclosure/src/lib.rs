//! The host of a software fault domain: a library for components that have one.
//!
//! [`image`] reads a program as the rewriter and the linker leave it, [`stubs`] makes the code around it (how it is entered and left), and
//! [`calls`] decides what it may ask of the system; `domain` puts them together on the machine for a host that has other things to do, and
//! `component` for a component that is a fault domain by its manifest, whose portals are [`serving`]'s. None of them trusts the program. `docs/src/fault-domains.md` explains the layout.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(target_os = "none", feature(allocator_api))]

extern crate alloc;

pub mod calls;
#[cfg(target_os = "none")]
pub mod component;
#[cfg(target_os = "none")]
pub mod domain;
pub mod image;
pub mod local;
pub mod serving;
#[cfg(target_os = "none")]
pub mod space;
pub mod stubs;
mod why;

use abi::enclosure::{GUEST_BITS, GUEST_DISTANCE, GUEST_SEGMENTS, SEGMENT, SEGMENT_BITS};
pub use portal::software::block;
use verifier::segment::{GUARD, JUMP_TABLE};
use verifier::{Form, Segment};
pub use why::Why;

/// Where the fault domain is, and what its code must keep to.
#[derive(Clone, Copy, Debug)]
pub struct Layout(pub Segment);
impl Layout {
    /// The one of a host: 64 MiB between the heap and what others share. `loads`: they are kept in too.
    pub const fn new(loads: bool) -> Layout {
        Layout(Segment { base: SEGMENT, bits: SEGMENT_BITS, form: Form::Mask, loads })
    }
    /// The one of fault domain number `n`, from 0, of those beside the host's first.
    pub const fn guest(n: usize, loads: bool) -> Layout {
        let base = GUEST_SEGMENTS + n as u64 * GUEST_DISTANCE;
        Layout(Segment { base, bits: GUEST_BITS, form: Form::Mask, loads })
    }
    pub const fn base(&self) -> u64 {
        self.0.base
    }
    /// First address of the upper guard zone.
    pub const fn top(&self) -> u64 {
        self.0.base + (1 << self.0.bits) - GUARD
    }
    /// Where the stubs are: one page below the guard zone before the segment.
    pub const fn stubs(&self) -> u64 {
        self.0.base - 2 * GUARD
    }
    pub const fn jump_table(&self) -> u64 {
        self.0.base + JUMP_TABLE
    }
    /// Whether `bytes` from `address` are the fault domain's, and none of its guard zones'.
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        let end = address.checked_add(bytes);
        address >= self.0.base + GUARD && end.is_some_and(|end| end <= self.top())
    }
}
/// Where a thread's variables begin, in bytes from the base: the rewriter has the same.
pub const VARIABLES: u64 = 0x1_2000;
/// First byte behind their room.
pub const VARIABLES_END: u64 = 0x2_0000;
/// Bytes of the stack, whose top is the upper guard zone.
pub const STACK: u64 = 1 << 20;

#[cfg(test)]
mod exhaustion_tests;
