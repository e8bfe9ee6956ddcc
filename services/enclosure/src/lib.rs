//! The host of a software fault domain, but for what touches the machine.
//!
//! [`image`] reads a program as the rewriter and the linker leave it, [`stubs`] makes the code around it (how it is entered and left), and
//! [`calls`] decides what it may ask of the system. None of them trusts the program. `docs/src/fault-domains.md` explains the layout.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod block;
pub mod calls;
pub mod image;
pub mod stubs;

use verifier::{Form, Segment};

/// The segment of the one fault domain: 64 MiB between the heap and what others share.
pub const SEGMENT: Segment = Segment { base: 0x1800_0000, bits: 26, form: Form::Mask, loads: false };
/// Where a thread's variables begin, in bytes from the base: the rewriter has the same.
pub const VARIABLES: u64 = 0x1_2000;
/// First byte behind their room.
pub const VARIABLES_END: u64 = 0x2_0000;
/// Bytes of the stack, whose top is the upper guard zone.
pub const STACK: u64 = 1 << 20;
/// First address of the upper guard zone.
pub const TOP: u64 = SEGMENT.base + (1 << SEGMENT.bits) - verifier::segment::GUARD;
/// Where the stubs are: one page below the guard zone before the segment.
pub const STUBS: u64 = SEGMENT.base - 2 * verifier::segment::GUARD;
