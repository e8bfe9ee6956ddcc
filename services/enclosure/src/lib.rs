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
#[cfg(target_os = "none")]
mod member;
pub mod owners;
pub mod serving;
#[cfg(target_os = "none")]
pub mod space;
pub mod stubs;
pub mod threads;
mod why;

use abi::enclosure::{
    GUEST_BITS, GUEST_DISTANCE, GUEST_SEGMENTS, SEGMENT, SEGMENT_BITS, TOP_BITS, TOP_SEGMENT, WIDE_BITS, WIDE_DISTANCE,
    WIDE_SEGMENTS, form, used_end,
};
pub use portal::software::block;
use verifier::segment::{GUARD, JUMP_TABLE};
use verifier::{Form, Segment};
pub use why::Why;

/// Where the fault domain is, and what its code must keep to.
#[derive(Clone, Copy, Debug)]
pub struct Layout(pub Segment);
// The memory manager keeps the guard zones that the verifier's proof needs.
const _: () = assert!(GUARD == abi::enclosure::GUARD);
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
    /// The one of fault domain number `n` of a host, from 0, in the form with `add.uw`: 4 GiB.
    pub const fn wide(n: usize, loads: bool) -> Layout {
        let base = WIDE_SEGMENTS + n as u64 * WIDE_DISTANCE;
        Layout(Segment { base, bits: WIDE_BITS, form: Form::AddUnsignedWord, loads })
    }
    /// The one at the end of what user mode can address.
    pub const fn last(loads: bool) -> Layout {
        Layout(Segment { base: TOP_SEGMENT, bits: TOP_BITS, form: Form::Or, loads })
    }
    /// The one of fault domain number `n` of a host, from 0, in the form that is wanted (of [`form`]), if there is one.
    pub const fn numbered(n: usize, form: u64, loads: bool) -> Option<Layout> {
        match (form, n) {
            (form::MASKS, 0) => Some(Layout::new(loads)),
            (form::MASKS, _) => Some(Layout::guest(n - 1, loads)),
            (form::ZBA, _) => Some(Layout::wide(n, loads)),
            (form::TOP, 0) => Some(Layout::last(loads)),
            _ => None,
        }
    }
    pub const fn base(&self) -> u64 {
        self.0.base
    }
    /// The end of what is used of it: first address of the upper guard zone, or of what is not mapped before that.
    pub const fn top(&self) -> u64 {
        used_end((self.0.base, self.0.bits))
    }
    /// Where the host has pages of its own for the fault domain, which are in no segment: behind this one's guard zone, or, where it lies above the private
    /// part, at the place of the one that it would have there.
    pub const fn beside(&self) -> u64 {
        match self.0.form {
            Form::Mask => self.0.base + (1 << self.0.bits) + 2 * GUARD,
            Form::AddUnsignedWord if self.0.base > WIDE_SEGMENTS => {
                GUEST_SEGMENTS + ((self.0.base - WIDE_SEGMENTS) / WIDE_DISTANCE - 1) * GUEST_DISTANCE + GUARD
            }
            Form::AddUnsignedWord | Form::Or => SEGMENT + GUARD,
        }
    }
    /// Where jumps of the fault domain's may lead, from its guard zone on, in bytes: up to 2 KiB beside the segment; with [`Form::Or`], to where nobody in user mode
    /// has anything, and around the end of all addresses.
    pub const fn reach(&self) -> u64 {
        let before = self.0.base - GUARD;
        match self.0.form {
            Form::Or => 0u64.wrapping_sub(before) + GUARD,
            _ => (1 << self.0.bits) + 2 * GUARD,
        }
    }
    /// Whether a jump of the fault domain's may have led there.
    pub const fn reaches(&self, pc: u64) -> bool {
        pc.wrapping_sub(self.0.base - GUARD) < self.reach()
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
