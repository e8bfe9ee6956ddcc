//! Four levels of 512 entries (Intel SDM volume 3A, section 4.5). User mode has what three levels cover: the first place of the root.

use crate::{Lendable, Marks, Walk};
use abi::address::{RAM_BASE, supervisor};
use abi::rights::Rights;

const PRESENT: u64 = 1;
const WRITABLE: u64 = 1 << 1;
const USER: u64 = 1 << 2;
const ACCESSED: u64 = 1 << 5;
const DIRTY: u64 = 1 << 6;
/// A page where a table could be.
const LARGE: u64 = 1 << 7;
const GLOBAL: u64 = 1 << 8;
/// Three bits that the processor ignores: two marks, and that an entry is a page's, present or not.
const MARKS: u32 = 9;
const PAGE: u64 = 1 << 11;
const ADDRESS: u64 = 0x000F_FFFF_FFFF_F000;
const NO_EXECUTE: u64 = 1 << 63;

pub const LEVELS: usize = 4;
pub const ENTRIES: usize = 512;

/// A page-table entry. A page that is present can be read: there is no bit for that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub struct Entry(u64);
impl Entry {
    pub const NONE: Entry = Entry(0);

    pub const fn of(word: u64) -> Entry {
        Entry(word)
    }
    pub const fn word(self) -> u64 {
        self.0
    }
    const fn bits(rights: Rights) -> u64 {
        PAGE | if rights.contains(Rights::WRITE) { WRITABLE } else { 0 }
            | if rights.contains(Rights::EXECUTE) { 0 } else { NO_EXECUTE }
    }
    pub const fn user(pa: usize, rights: Rights, marks: Marks) -> Entry {
        Entry(pa as u64 & ADDRESS | Entry::bits(rights) | marks.bits() << MARKS | PRESENT | USER | ACCESSED | DIRTY)
    }
    pub const fn supervisor(pa: usize, rights: Rights) -> Entry {
        Entry(pa as u64 & ADDRESS | Entry::bits(rights) | PRESENT | GLOBAL | ACCESSED | DIRTY)
    }
    pub const fn in_all_spaces(self) -> Entry {
        Entry(self.0 | GLOBAL)
    }
    pub const fn large(self, level: usize) -> Entry {
        Entry(self.0 | if level > 0 { LARGE } else { 0 })
    }
    pub const fn table(pa: usize) -> Entry {
        Entry(pa as u64 & ADDRESS | PRESENT | WRITABLE | USER | ACCESSED)
    }
    pub const fn promised(rights: Rights) -> Entry {
        Entry(Entry::bits(rights) | USER | Marks::LAZY.bits() << MARKS)
    }
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
    pub const fn is_present(self) -> bool {
        self.0 & PRESENT != 0
    }
    pub const fn is_table(self) -> bool {
        self.0 & (PRESENT | PAGE) == PRESENT
    }
    pub const fn is_page(self) -> bool {
        self.0 & (PRESENT | PAGE) == PRESENT | PAGE
    }
    pub const fn is_user(self) -> bool {
        self.0 & USER != 0
    }
    pub const fn is_global(self) -> bool {
        self.0 & GLOBAL != 0
    }
    pub const fn rights(self) -> Rights {
        if self.0 & PAGE == 0 {
            return Rights::NONE;
        }
        let write = if self.0 & WRITABLE != 0 { Rights::WRITE } else { Rights::NONE };
        let execute = if self.0 & NO_EXECUTE == 0 { Rights::EXECUTE } else { Rights::NONE };
        Rights::READ.union(write).union(execute)
    }
    pub const fn marks(self) -> Marks {
        Marks::from_bits_truncate(self.0 >> MARKS)
    }
    pub const fn has(self, marks: Marks) -> bool {
        self.0 & marks.bits() << MARKS != 0
    }
    pub const fn allows(self, rights: Rights) -> bool {
        self.is_page() && self.rights().contains(rights)
    }
    pub const fn allows_at_once(self, rights: Rights) -> bool {
        self.allows(rights) && !self.has(Marks::LAZY)
    }
    pub const fn for_mode(self, supervisor: bool) -> Entry {
        Entry(self.0 & !USER | if supervisor || self.0 == 0 { 0 } else { USER })
    }
    pub const fn with_rights(self, rights: Rights) -> Entry {
        Entry(self.0 & !(WRITABLE | NO_EXECUTE) | Entry::bits(rights))
    }
    pub const fn with(self, marks: Marks) -> Entry {
        Entry(self.0 | marks.bits() << MARKS)
    }
    pub const fn without(self, marks: Marks) -> Entry {
        Entry(self.0 & !(marks.bits() << MARKS))
    }
    pub const fn address(self) -> usize {
        (self.0 & ADDRESS) as usize
    }
}
impl core::fmt::Debug for Entry {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        write!(f, "Entry({:#x})", self.0)
    }
}

/// As few instructions look at the lower bits only, an entry keeps its [`NO_EXECUTE`] and gets none: that nothing is lent for execution is
/// for the tables above the slots to say, whose entries have it for all that is below them.
pub const fn lendable(write: bool) -> Lendable {
    let wanted = PRESENT | PAGE | if write { WRITABLE } else { 0 };
    Lendable {
        looked_at: wanted | Marks::LAZY.bits() << MARKS,
        wanted,
        kept: !(GLOBAL | USER | if write { 0 } else { WRITABLE }),
        added: Marks::FOREIGN.bits() << MARKS,
    }
}
/// What an entry has for the mode in which its component executes.
pub const fn mode(supervisor: bool) -> u32 {
    if supervisor { 0 } else { USER as u32 }
}
pub const WALK: Walk = Walk { looked_at: (PRESENT | PAGE) as i32, table: PRESENT as i32, frame: 12 };

pub const fn index(va: usize, level: usize) -> usize {
    (va >> (12 + 9 * level)) & (ENTRIES - 1)
}
pub const fn is_user_address(va: usize) -> bool {
    va >> 47 == 0
}
/// Both views of the supervisor are below one place of the root, the last.
pub const fn supervisor_half(code_table: usize) -> [(usize, Entry); 2] {
    let ram = Entry::supervisor(RAM_BASE, Rights::READ_WRITE).large(2);
    [(ENTRIES - 2, ram), (ENTRIES - 1, Entry::table(code_table))]
}

/// What a processor is told to use an address space: here `CR3`, with a PCID.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct AddressSpace(u64);
impl AddressSpace {
    pub const fn new(root: usize, number: usize) -> AddressSpace {
        AddressSpace(root as u64 & ADDRESS | number as u64 & 0xfff)
    }
    pub const fn number(self) -> usize {
        (self.0 & 0xfff) as usize
    }
    pub const fn of(word: u64) -> AddressSpace {
        AddressSpace(word)
    }
    pub const fn word(self) -> u64 {
        self.0
    }
    pub const fn root(self) -> usize {
        supervisor((self.0 & ADDRESS) as usize)
    }
}
