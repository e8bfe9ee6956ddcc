//! The nucleus's data, as the portal manager sees it: threads, frames, domain records, portal tables, code.
//!
//! Everything here is at `nucleus_view` of its physical address; pointers stored in it are supervisor addresses. Other
//! threads read and write the same words from portal code, but never in parallel: there is one hart, and each access
//! here is one load or store. What needs more than one store is done under [`Masked`].

use crate::code::CodeArea;
use abi::address::{code_physical, nucleus_view, physical};
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, Frame, NPORTALS, Thread, domain};
use portal::emit::Buffer;

pebble::import! { INTERRUPTS_MASK = "nucleus.interrupts_mask"; CODE_SYNC = "nucleus.code_sync"; }

/// Interrupts are off while this lives.
pub struct Masked;
impl Masked {
    pub fn new() -> Masked {
        INTERRUPTS_MASK.call([1]);
        Masked
    }
    /// Calls the scheduler, which is entered with interrupts still off: nothing has happened since they were turned off. They are
    /// on when it returns.
    pub fn enter_scheduler(self, call: impl FnOnce() -> isize) {
        call();
    }
}
impl Drop for Masked {
    fn drop(&mut self) {
        INTERRUPTS_MASK.call([0]);
    }
}

/// Reads the word at supervisor address `address`, which must be the nucleus's data.
pub fn read(address: u64) -> u64 {
    // SAFETY: the callers pass addresses of nucleus data only, all of which is mapped here.
    unsafe { (nucleus_view(physical(address as usize)) as *const u64).read_volatile() }
}
/// Writes the word at supervisor address `address`, which must be the nucleus's data.
pub fn write(address: u64, value: u64) {
    // SAFETY: as above; the word is one that only the portal manager writes, or interrupts are off.
    unsafe { (nucleus_view(physical(address as usize)) as *mut u64).write_volatile(value) }
}

/// A domain's block, named by the supervisor address of its portal table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Table(pub u64);
impl Table {
    /// A field of the record or a fixed entry.
    pub fn field(self, offset: i32) -> u64 {
        read(self.0.wrapping_add(offset as i64 as u64))
    }
    pub fn set_field(self, offset: i32, value: u64) {
        write(self.0.wrapping_add(offset as i64 as u64), value)
    }
    /// Clears the record.
    pub fn clear_record(self) {
        let first = nucleus_view(physical((self.0 as i64 + domain::RECORD as i64) as usize)) as *mut u64;
        // SAFETY: in the domain's block, which is nucleus data and mapped here; the record goes up to the fixed entries.
        unsafe { first.write_bytes(0, ((domain::SATP - domain::RECORD) / 8 + 1) as usize) };
    }
    /// Code of portal `number` (< `NPORTALS`).
    pub fn entry(self, number: usize) -> u64 {
        read(self.0 + 8 * (number % NPORTALS) as u64)
    }
    /// Makes all entries from `first` on `code`.
    pub fn fill(self, first: usize, code: u64) {
        let table = nucleus_view(physical(self.0 as usize)) as *mut u64;
        for number in (first..NPORTALS).step_by(8) {
            // SAFETY: the table is nucleus data, mapped here; `first` and `NPORTALS` are multiples of 8.
            (0..8).for_each(|n| unsafe { table.add(number + n).write_volatile(code) });
        }
    }
    pub fn set_entry(self, number: usize, code: u64) {
        write(self.0 + 8 * (number % NPORTALS) as u64, code)
    }
}

/// A thread's page, at this supervisor address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadPage(pub u64);
impl ThreadPage {
    /// The thread with this index in the thread table.
    pub fn of(index: usize) -> Option<ThreadPage> {
        if index >= abi::nucleus::MAX_THREADS {
            return None;
        }
        let at = ThreadPage::place(index);
        // SAFETY: in the thread table, which is mapped here.
        let low = unsafe { at.read_volatile() };
        (low != 0).then_some(ThreadPage(low as i64 as u64))
    }
    /// Puts it in the thread table under an index that is free.
    pub fn enter(self, index: usize) {
        // SAFETY: as above; the index is below `MAX_THREADS`, and only the portal manager writes the table.
        unsafe { ThreadPage::place(index).write_volatile(self.0 as i32) }
    }
    /// This index's entry of the thread table.
    fn place(index: usize) -> *mut i32 {
        let table = pebble::boot::info().thread_table as usize;
        (nucleus_view(physical(table)) as *mut i32).wrapping_add(index)
    }
    /// Fills the page for a thread that will start at `pc` in `home`.
    pub fn prepare(self, index: usize, home: Table, pc: u64, sp: u64, argument: u64) {
        let symbols = &pebble::boot::info().symbols;
        let first = self.0 + 4096 - abi::nucleus::FIRST_FRAME as u64;
        let start = first - abi::nucleus::START_FRAME as u64;
        FrameView(first).set(symbols.first_frame, home, 0, 0, 0);
        FrameView(start).set(symbols.start, home, pc, sp, abi::address::RETURN_STUB as u64);
        write(start + 40, argument);
        self.set(core::mem::offset_of!(Thread, invocation), start);
        self.set(core::mem::offset_of!(Thread, table), home.0);
        self.set(core::mem::offset_of!(Thread, service), abi::address::service_top(index) as u64);
        self.set(core::mem::offset_of!(Thread, window), abi::address::window_base(index) as u64);
        self.set(core::mem::offset_of!(Thread, index), index as u64);
        self.set(core::mem::offset_of!(Thread, home), home.0);
        self.set(core::mem::offset_of!(Thread, floating_saved), 0);
        // The page's last thread has left its slots unused; what it had for calls came back before it ended.
        if self.is_transferring() {
            for n in 0..abi::nucleus::TRANSFERS {
                self.set(core::mem::offset_of!(Thread, transfers) + 16 * n, 0);
            }
            self.set(core::mem::offset_of!(Thread, transferring), 0);
        }
    }
    fn set(self, offset: usize, value: u64) {
        write(self.0 + offset as u64, value)
    }
    /// Whether calls of thread `index`, whose page this is, have windows open.
    pub fn has_windows(self, index: usize) -> bool {
        read(self.0 + core::mem::offset_of!(Thread, window) as u64) != abi::address::window_base(index) as u64
    }
    /// Whether pages may have been shared or moved for a call that was not made.
    pub fn is_transferring(self) -> bool {
        read(self.0 + core::mem::offset_of!(Thread, transferring) as u64) != 0
    }
    /// What the thread has for the window slot at `address`.
    pub fn slot(self, address: usize) -> u64 {
        let number = address / abi::address::PAGE % abi::address::WINDOW_SLOTS;
        read(self.0 + (core::mem::offset_of!(Thread, slots) + 8 * number) as u64)
    }
    /// Forgets what is mapped in `count` window slots from address `first` on: the domain that saw it is no more.
    pub fn forget_slots(self, first: u64, count: usize) {
        let number = first as usize / abi::address::PAGE % abi::address::WINDOW_SLOTS;
        for n in number..(number + count).min(abi::address::WINDOW_SLOTS) {
            self.set(core::mem::offset_of!(Thread, slots) + 8 * n, 0);
        }
    }
    pub fn invocation(self) -> u64 {
        read(self.0 + core::mem::offset_of!(Thread, invocation) as u64)
    }
    /// The frames from the top of the invocation stack to the last but the bottom one.
    pub fn frames(self, code: &CodeArea) -> impl Iterator<Item = FrameView> + use<'_> {
        let mut next = self.invocation();
        core::iter::from_fn(move || {
            let (frame, after) = self.frame(next, code)?;
            next = after;
            Some(frame)
        })
    }
    /// The frame at `next`, unless it is the bottom one or none, and the address of the one below it.
    #[inline(always)]
    pub fn frame(self, next: u64, code: &CodeArea) -> Option<(FrameView, u64)> {
        if next < self.0 || next >= self.0 + 4096 - abi::nucleus::FIRST_FRAME as u64 {
            return None;
        }
        let frame = FrameView(next);
        Some((frame, next + frame.bytes(code)? as u64))
    }
}

/// An invocation frame, at this supervisor address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameView(pub u64);
impl FrameView {
    pub fn portal(self) -> u64 {
        read(self.0)
    }
    /// The caller's domain.
    pub fn table(self) -> Table {
        Table(read(self.0 + core::mem::offset_of!(Frame, table) as u64))
    }
    pub fn word(self, offset: usize) -> u64 {
        read(self.0 + offset as u64)
    }
    pub fn set_word(self, offset: usize, value: u64) {
        write(self.0 + offset as u64, value)
    }
    pub fn set(self, portal: u64, table: Table, pc: u64, sp: u64, ra: u64) {
        for (n, value) in [portal, table.0, pc, sp, ra].into_iter().enumerate() {
            self.set_word(8 * n, value);
        }
    }
    /// Makes the thread go on at `pc` in `table` when it returns through this frame.
    pub fn divert(self, table: Table, pc: u64) {
        self.set_word(core::mem::offset_of!(Frame, table), table.0);
        self.set_word(core::mem::offset_of!(Frame, pc), pc);
    }
    /// Whether it only holds floating-point state.
    pub fn floating(self) -> bool {
        self.portal() == pebble::boot::info().symbols.floating_return
    }
    /// Its size; `None` if nothing is known to return through it.
    #[inline(always)]
    fn bytes(self, code: &CodeArea) -> Option<usize> {
        let symbols = &pebble::boot::info().symbols;
        let portal = self.portal();
        if let Some((_, block)) = code.containing(portal) {
            return Some(block.frame as usize);
        }
        match portal {
            p if p == symbols.start => Some(abi::nucleus::START_FRAME),
            p if p == symbols.restore => Some(abi::nucleus::EXCEPTION_FRAME),
            p if p == symbols.floating_return => Some(abi::nucleus::FLOATING_FRAME),
            _ => None,
        }
    }
}

/// Copies `bytes` (a multiple of 64) of a new portal block to the code area at physical address `pa` and makes it visible to
/// fetch. What is behind the block's last word is never reached.
pub fn write_code(pa: usize, block: &Buffer, bytes: usize) {
    /// Eight words at a time, which is what blocks are rounded up to.
    type Line = [u64; 8];
    let from = block.0.as_ptr().cast::<Line>();
    let to = nucleus_view(pa) as *mut Line;
    for n in 0..bytes.min(size_of::<Buffer>()) / size_of::<Line>() {
        // SAFETY: `pa` is a free block of the code area, mapped here, aligned to 64; nobody executes it yet.
        unsafe { to.add(n).write(from.add(n).read()) };
    }
    CODE_SYNC.call([]);
}
/// What the free block at physical address `pa` of the code area has for the next one.
pub fn free_block(pa: usize) -> u32 {
    // SAFETY: a free block of the code area, mapped here, aligned to 64.
    unsafe { (nucleus_view(pa) as *const u32).read() }
}
/// Has the free block at physical address `pa` say that `next` is the next one.
pub fn set_free_block(pa: usize, next: u32) {
    // SAFETY: as above; nobody executes it any more.
    unsafe { (nucleus_view(pa) as *mut u32).write(next) }
}
/// The header of the block whose code starts at supervisor address `code`.
pub fn header(code: u64) -> [u32; 4] {
    let header = nucleus_view(code_physical(code as usize) - BLOCK_HEADER) as *const [u32; 4];
    // SAFETY: `code` is an entry of a portal table, so it lies in the code area, which is mapped here.
    unsafe { header.read() }
}
/// The words of the block whose code starts at supervisor address `code`, header excluded.
pub fn code_words(code: u64) -> &'static [u32] {
    let [magic, words, ..] = header(code);
    if magic != BLOCK_MAGIC {
        return &[];
    }
    let first = nucleus_view(code_physical(code as usize)) as *const u32;
    // SAFETY: as above; the header says how many words follow it.
    unsafe { core::slice::from_raw_parts(first, words as usize) }
}
