//! Where a fault domain lies in its host's address space.
//!
//! One range of addresses, a power of two long and aligned to that, holds code (read-execute), constants and data; what is where is the page table's
//! to say, but for the two ends and the jump table, which are always in the same place.

use crate::dedicated::{BASE, HOST, JUMP_MASK, MASK};
use core::ops::Range;

/// Bytes at each end of a segment, and before and behind it, that are never mapped: more than an offset in an instruction and what the stack pointer
/// may be away from where it was last seen to be ([`crate::dedicated::MOST_DRIFT`]) reach together.
pub const GUARD: u64 = 0x1_0000;
/// The jump table's place in the segment: behind the guard zone.
pub const JUMP_TABLE: u64 = GUARD;
/// Bytes of the jump table.
pub const JUMP_TABLE_BYTES: u64 = 4096;
/// Where code may lie at the lowest.
pub const CODE: u64 = JUMP_TABLE + JUMP_TABLE_BYTES;

/// How addresses are brought into the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `add.uw` of extension Zba, with the segment's base: segments of 4 GiB.
    AddUnsignedWord,
    /// `and` with a mask, `or` with the base: segments of any size, on every core.
    Mask,
    /// `or` with the base: the one segment that ends where the addresses of user mode do. What has all bits of its base is in it, or nobody's in user mode:
    /// an access to it is a fault, as is a jump.
    Or,
}

/// Sv39: the addresses of user mode are those below this. Of all others the lower half has no translation, and the upper one none for user mode
/// (The RISC-V Instruction Set Manual, volume II, version 20211203, section 4.4.1).
pub const USER_END: u64 = 1 << 38;

/// A fault domain's addresses, and what is asked of its code.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub base: u64,
    /// Its size is two to the power of this: 32 with [`Form::AddUnsignedWord`], else 20…32.
    pub bits: u32,
    pub form: Form,
    /// Whether loads are kept in too.
    pub loads: bool,
}
impl Segment {
    pub fn size(&self) -> u64 {
        1 << self.bits
    }
    pub fn jump_table(&self) -> Range<u64> {
        self.base + JUMP_TABLE..self.base + CODE
    }
    /// The register is one that verified code never writes.
    pub(crate) fn keeps(&self, register: u8) -> bool {
        matches!(register, BASE | HOST) || (matches!(register, MASK | JUMP_MASK) && self.form == Form::Mask)
    }
    /// The address behind `words` words from `start`, if they are in their place.
    pub(crate) fn code_end(&self, start: u64, words: usize) -> Option<u64> {
        let bits = match self.form {
            Form::AddUnsignedWord => 32..=32,
            Form::Mask | Form::Or => 20..=32,
        };

        // A base of 0 would have no guard zone before it, and the last segment none behind.
        if !bits.contains(&self.bits) || self.base == 0 || !self.base.is_multiple_of(self.size()) || words == 0 {
            return None;
        }
        // Where the base alone brings addresses in, none of user mode that has its bits may lie behind the segment.
        if self.form == Form::Or && self.base.checked_add(self.size()) != Some(USER_END) {
            return None;
        }
        let last = self.base.checked_add(self.size())?.checked_add(GUARD)? - 2 * GUARD;
        let end = start.checked_add((words as u64).checked_mul(4)?)?;
        (start.is_multiple_of(4) && start >= self.base + CODE && end <= last).then_some(end)
    }
    /// Whether an address is in the segment.
    pub fn contains(&self, address: u64) -> bool {
        address.wrapping_sub(self.base) < self.size()
    }
}
