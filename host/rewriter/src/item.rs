//! An instruction on its way through the rewriter: where it comes from, where it goes, what the linker does to it.

use crate::instruction::Instruction;
use object::build::elf::SymbolId;

/// What an instruction's immediate is to become.
#[derive(Clone, Copy, Debug)]
pub enum Link {
    /// What it is.
    None,
    /// A jump or branch to what was at this offset of the section.
    Inside(u64),
    /// A jump or branch so many bytes further.
    Near(i32),
    /// The linker's to say.
    Relocation { kind: u32, symbol: Option<SymbolId>, addend: i64 },
}

#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub instruction: Instruction,
    pub link: Link,
    /// Offset in the section before; who jumped there comes here.
    pub label: Option<u64>,
    /// The same of the instruction proper, where something was put before it: what an address's lower half refers to.
    pub proper: Option<u64>,
    /// Somebody may jump here.
    pub leader: bool,
    /// The same, from where is not known: by its address, or from another section.
    pub entered: bool,
    /// Needs nothing more.
    pub done: bool,
}
impl Item {
    pub fn new(instruction: Instruction) -> Item {
        Item { instruction, link: Link::None, label: None, proper: None, leader: false, entered: false, done: false }
    }
    /// One that needs nothing more.
    pub fn done(instruction: Instruction) -> Item {
        Item { done: true, ..Item::new(instruction) }
    }
    pub fn linked(self, link: Link) -> Item {
        Item { link, ..self }
    }
    /// In the place of `other`, as far as jumps go.
    pub fn labelled(self, other: &Item) -> Item {
        Item { label: other.label, leader: other.leader, entered: other.entered, ..self }
    }
}
