//! Says whether machine code stays in its segment, whoever made it: the part of software fault domains that has to be right.
//!
//! The loader calls [`verify`] on the words that it is about to make executable, and makes them so only if it returns `Ok`. The scan looks at
//! each word once, in order, and follows no jump. It relies on the segment's layout ([`segment`]), on the stubs that enter it (which leave
//! every dedicated register as [`registers`] wants it), and on the memory behind the code's last word being no instruction (the loader fills the page with zeros).
//!
//! The rules and the proof that they suffice are in `docs/src/fault-domains.md`, with the same numbers as [`Rule`].
#![no_std]
#![forbid(unsafe_code)]

mod decode;
pub mod dedicated;
mod reads;
pub mod registers;
mod rejection;
pub mod segment;

#[cfg(test)]
mod tests;

pub use rejection::{Rejection, Rule};
pub use segment::{Form, Segment};

use decode::{Kind, decode};
use dedicated::{ADDRESS, HOST, JUMP, LINK, STACK};
use reads::reads;
use registers::Registers;

/// Registers, by number a bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Set {
    pub integer: u32,
    pub floating: u32,
}
impl Set {
    fn add(&mut self, other: Set) {
        self.integer |= other.integer;
        self.floating |= other.floating;
    }
}
/// What the code that was accepted can do to registers: a stub that calls it saves those that it can change, and leaves nothing of anybody else's in those that it can read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    pub changes: Set,
    pub reads: Set,
    /// Whether it changes the exception flags of floating point, or reads them.
    pub flags: bool,
}

/// Looks through `words`, which are to be executed from `start` on in `segment`.
pub fn verify(segment: &Segment, start: u64, words: &[u32]) -> Result<Uses, Rejection> {
    let reject = |address, rule| Err(Rejection { address, rule });
    let Some(end) = segment.code_end(start, words.len()) else { return reject(start, Rule::Place) };
    let mut uses = Uses::default();
    let mut registers = Registers::VALID;
    let mut address = start;
    for &word in words {
        let scan = Scan { segment, start, end, address };
        match scan.instruction(word, &mut registers, &mut uses) {
            Ok(()) => address += 4,
            Err(rule) => return reject(address, rule),
        }
    }
    // What comes behind is not executed, but can be entered by falling off the end.
    registers.all_valid().map_or(Ok(uses), |rule| reject(end - 4, rule))
}

/// Where the scan is.
struct Scan<'a> {
    segment: &'a Segment,
    start: u64,
    end: u64,
    address: u64,
}
impl Scan<'_> {
    /// One instruction: checks what it does, and follows what it leaves in the dedicated registers.
    fn instruction(&self, word: u32, registers: &mut Registers, uses: &mut Uses) -> Result<(), Rule> {
        let instruction = decode(word, self.segment.form)?;
        let (read, flags) = reads(word);
        // Where the host's block is would be an address of the host's.
        if read.integer >> HOST & 1 != 0 {
            return Err(Rule::Dedicated);
        }
        uses.reads.add(read);
        uses.flags |= flags;
        uses.changes.floating |= instruction.floating;
        if let Some(written) = instruction.written {
            uses.changes.integer |= 1 << written;
            if self.segment.keeps(written) {
                return Err(Rule::Dedicated);
            }
        }
        match instruction.kind {
            Kind::Store { base } => registers.access(base, Rule::Store)?,
            Kind::StoreConditional { base } => registers.attempt(base, Rule::Store)?,
            Kind::Load { base } if self.segment.loads => registers.access(base, Rule::Load)?,
            Kind::Load { base: STACK } => registers.access(STACK, Rule::Load)?,
            Kind::Branch { offset } => {
                self.target(offset)?;
                return registers.all_valid().map_or(Ok(()), Err);
            }
            Kind::Jump { offset } => self.target(offset)?,
            Kind::JumpRegister { base, offset } => registers.jump(base, offset)?,
            _ => {}
        }
        let jumps = matches!(instruction.kind, Kind::Jump { .. } | Kind::JumpRegister { .. });
        if jumps && let Some(rule) = registers.all_valid() {
            return Err(rule);
        }
        match instruction.written {
            Some(written @ (ADDRESS | JUMP | LINK | STACK)) => {
                registers.write(written, instruction.kind, self.segment, self.address)
            }
            _ => Ok(()),
        }
    }
    /// Whether a direct jump or branch may go `offset` bytes from here: to a word of the code, or to an entry of the jump table.
    fn target(&self, offset: i32) -> Result<(), Rule> {
        let target = self.address.wrapping_add_signed(offset.into());
        let inside = (self.start..self.end).contains(&target) || self.segment.jump_table().contains(&target);
        if inside && target.is_multiple_of(4) { Ok(()) } else { Err(Rule::Target) }
    }
}
