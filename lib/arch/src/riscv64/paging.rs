//! Sv39 (RISC-V privileged specification, section 4.4): three levels, 512 entries a table.

use crate::{Lendable, Marks, Walk};
use abi::address::{RAM_BASE, supervisor};
use abi::rights::Rights;

const V: u64 = 1;
const R: u64 = 2;
const W: u64 = 4;
const X: u64 = 8;
const U: u64 = 16;
const G: u64 = 32;
const A: u64 = 64;
const D: u64 = 128;
/// The two software bits.
const MARKS: u32 = 8;
const ADDRESS: u64 = 0x003F_FFFF_FFFF_FC00;

// The rights are the entry's bits: no instruction is spent on them.
const RIGHTS: u64 = R | W | X;
const _: () = assert!(Rights::READ.bits() == R && Rights::WRITE.bits() == W && Rights::EXECUTE.bits() == X);

/// Levels of tables; that of the leaves is 0.
pub const LEVELS: usize = 3;
/// Entries of a table, of 8 bytes each.
pub const ENTRIES: usize = 512;

/// A page-table entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub struct Entry(u64);
impl Entry {
    /// Nothing is there.
    pub const NONE: Entry = Entry(0);

    /// What a word of a table, or one that was kept elsewhere, says.
    pub const fn of(word: u64) -> Entry {
        Entry(word)
    }
    pub const fn word(self) -> u64 {
        self.0
    }
    /// The page at `pa`, for user mode. Accessed and dirty are always set: a core may fault on clear ones (CVA6 does).
    pub const fn user(pa: usize, rights: Rights, marks: Marks) -> Entry {
        Entry(((pa as u64) >> 12 << 10) | rights.bits() | marks.bits() << MARKS | V | U | A | D)
    }
    /// The page at `pa`, for supervisor mode, the same in every space.
    pub const fn supervisor(pa: usize, rights: Rights) -> Entry {
        Entry(((pa as u64) >> 12 << 10) | rights.bits() | V | G | A | D)
    }
    /// The same for a page that every space has at one address, always: it takes one translation, and none is ever forgotten.
    pub const fn in_all_spaces(self) -> Entry {
        Entry(self.0 | G)
    }
    /// The same for a page as large as a table of `level` covers, in that table's place.
    pub const fn large(self, _level: usize) -> Entry {
        self
    }
    /// The next table, at `pa`.
    pub const fn table(pa: usize) -> Entry {
        Entry(((pa as u64) >> 12 << 10) | V)
    }
    /// A page of zeros for user mode that is not there yet.
    pub const fn promised(rights: Rights) -> Entry {
        Entry(rights.bits() | U | Marks::LAZY.bits() << MARKS)
    }
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
    pub const fn is_present(self) -> bool {
        self.0 & V != 0
    }
    pub const fn is_table(self) -> bool {
        self.0 & (V | RIGHTS) == V
    }
    /// A page that is present, of user or supervisor mode.
    pub const fn is_page(self) -> bool {
        self.is_present() && self.0 & RIGHTS != 0
    }
    pub const fn is_user(self) -> bool {
        self.0 & U != 0
    }
    /// Of a page that every space has.
    pub const fn is_global(self) -> bool {
        self.0 & G != 0
    }
    pub const fn rights(self) -> Rights {
        Rights::from_bits_truncate(self.0)
    }
    pub const fn marks(self) -> Marks {
        Marks::from_bits_truncate(self.0 >> MARKS)
    }
    /// Whether it has one of `marks` at least.
    pub const fn has(self, marks: Marks) -> bool {
        self.0 & marks.bits() << MARKS != 0
    }
    /// Whether the component may do this with the page, which is present and in its half of the space.
    pub const fn allows(self, rights: Rights) -> bool {
        let wanted = V | rights.bits();
        self.0 & wanted == wanted
    }
    /// [`Entry::allows`], at once: no access has to be answered first.
    pub const fn allows_at_once(self, rights: Rights) -> bool {
        let wanted = V | rights.bits();
        self.0 & (wanted | Marks::LAZY.bits() << MARKS) == wanted
    }
    /// The same for a space whose component executes in supervisor mode, or (`supervisor` false) in user mode.
    pub const fn for_mode(self, supervisor: bool) -> Entry {
        Entry(self.0 & !U | if supervisor || self.0 == 0 { 0 } else { U })
    }
    /// The same page with other rights.
    pub const fn with_rights(self, rights: Rights) -> Entry {
        Entry(self.0 & !RIGHTS | rights.bits())
    }
    pub const fn with(self, marks: Marks) -> Entry {
        Entry(self.0 | marks.bits() << MARKS)
    }
    pub const fn without(self, marks: Marks) -> Entry {
        Entry(self.0 & !(marks.bits() << MARKS))
    }
    /// Physical address of the page or table.
    pub const fn address(self) -> usize {
        ((self.0 & ADDRESS) << 2) as usize
    }
}
impl core::fmt::Debug for Entry {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        write!(f, "Entry({:#x})", self.0)
    }
}

/// That of a window for reading, or (`write`) for both. Nothing is lent for execution.
pub const fn lendable(write: bool) -> Lendable {
    let wanted = V | Rights::of_window(write).bits();
    Lendable {
        looked_at: wanted | Marks::LAZY.bits() << MARKS,
        wanted,
        // One space shows it to another at an address of its own: no translation of all spaces; and for the other's mode (`mode`).
        kept: !(X | G | U | if write { 0 } else { W }),
        added: Marks::FOREIGN.bits() << MARKS,
    }
}
pub const WALK: Walk = Walk { looked_at: (V | RIGHTS) as i32, table: V as i32, frame: 10 };

/// What an entry of a page of the lower half has for the mode that its component executes in, added to the others' bits.
pub const fn mode(supervisor: bool) -> u32 {
    if supervisor { 0 } else { U as u32 }
}

/// Place of the entry of `va` in a table of `level`; the root is the highest.
pub const fn index(va: usize, level: usize) -> usize {
    (va >> (12 + 9 * level)) & (ENTRIES - 1)
}
/// Whether `va` is in the half of a space that is user mode's.
pub const fn is_user_address(va: usize) -> bool {
    va >> 38 == 0
}
/// The supervisor half, which is the same in every space: places in the root table, and what they hold. `code_table` is that of the
/// code's view.
pub const fn supervisor_half(code_table: usize) -> [(usize, Entry); 2] {
    let ram = Entry::supervisor(RAM_BASE, Rights::READ_WRITE).large(LEVELS - 1);
    [(ENTRIES - 2, ram), (ENTRIES - 1, Entry::table(code_table))]
}

/// What a processor is told to use an address space: here `satp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct AddressSpace(u64);
impl AddressSpace {
    const ROOT: u64 = (1 << 44) - 1;

    /// That with the root table at physical address `root`, whose translations the processor knows by `number`.
    pub const fn new(root: usize, number: usize) -> AddressSpace {
        AddressSpace((8 << 60) | ((number as u64) << 44) | (root as u64 >> 12))
    }
    /// The number that the processor knows its translations by.
    pub const fn number(self) -> usize {
        ((self.0 >> 44) & 0xffff) as usize
    }
    pub const fn of(word: u64) -> AddressSpace {
        AddressSpace(word)
    }
    pub const fn word(self) -> u64 {
        self.0
    }
    /// Supervisor address of its root table.
    pub const fn root(self) -> usize {
        supervisor(((self.0 & AddressSpace::ROOT) << 12) as usize)
    }
}
