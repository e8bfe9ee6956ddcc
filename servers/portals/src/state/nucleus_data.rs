//! The nucleus's data, as the portal manager sees it: domain blocks with their portal tables, threads' pages, invocation frames.
//!
//! Each is named by the supervisor address of its first word, or of its table, and knows through which memory it is reached. So a
//! name is one word on the machine, where there is only one memory.

use crate::machine::nucleus_memory::NucleusMemory;
use crate::state::code::CodeArea;
use abi::count;
use abi::nucleus::{Frame, MARK, NPORTALS, Thread, domain, flags};

/// A domain's block, named by the supervisor address of its portal table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table<M> {
    memory: M,
    address: u64,
}
impl<M: NucleusMemory> Table<M> {
    /// The table at supervisor address `address`.
    #[inline(always)]
    pub const fn at(memory: M, address: u64) -> Table<M> {
        Table { memory, address }
    }
    #[inline(always)]
    pub fn address(self) -> u64 {
        self.address
    }
    /// A field of the record or a fixed entry.
    #[inline(always)]
    pub fn field(self, offset: i32) -> u64 {
        self.memory.read(self.address.wrapping_add(offset as i64 as u64))
    }
    #[inline(always)]
    pub fn set_field(self, offset: i32, value: u64) {
        self.memory.write(self.address.wrapping_add(offset as i64 as u64), value)
    }
    /// Word `n` of the domain's counters (`abi::count`), where calls are counted.
    #[inline(always)]
    pub fn counter(self, n: usize) -> u64 {
        self.memory.read(self.field(domain::COUNTERS).wrapping_add(count::offset(n) as i64 as u64))
    }
    #[inline(always)]
    pub fn set_counter(self, n: usize, value: u64) {
        self.memory.write(self.field(domain::COUNTERS).wrapping_add(count::offset(n) as i64 as u64), value)
    }
    /// Makes the second page of the domain's block its counters, all 0.
    pub fn start_counters(self) {
        self.memory.clear(self.own_counters() - count::MIDDLE as u64, count::WORDS);
        self.set_field(domain::COUNTERS, self.own_counters());
    }
    /// Where the middle of its counters is.
    pub fn own_counters(self) -> u64 {
        self.address.wrapping_add((domain::COUNTED - domain::TABLE + count::MIDDLE) as u64)
    }
    /// Clears the record, which goes up to the fixed entries.
    pub fn clear_record(self) {
        let first = self.address.wrapping_add(domain::RECORD as i64 as u64);
        self.memory.clear(first, ((domain::SPACE - domain::RECORD) / 8 + 1) as usize);
    }
    /// Supervisor address of the entry for portal `number` (< `NPORTALS`).
    #[inline(always)]
    fn place(self, number: usize) -> u64 {
        self.address.wrapping_add(domain::entry(number % NPORTALS) as i64 as u64)
    }
    /// Code of portal `number` (< `NPORTALS`).
    #[inline(always)]
    pub fn entry(self, number: usize) -> u64 {
        self.memory.read_half(self.place(number)) as i32 as i64 as u64
    }
    /// Makes all entries `code`.
    pub fn fill(self, code: u64) {
        // Two at a time. The last one's neighbour is nobody's.
        self.memory.fill(self.place(NPORTALS - 1) - 4, NPORTALS / 2, code as u32 as u64 | code << 32);
    }
    #[inline(always)]
    pub fn set_entry(self, number: usize, code: u64) {
        self.memory.write_half(self.place(number), code as u32)
    }
}

/// A thread's page, at this supervisor address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadPage<M> {
    memory: M,
    address: u64,
}
impl<M: NucleusMemory> ThreadPage<M> {
    #[inline(always)]
    pub const fn at(memory: M, address: u64) -> ThreadPage<M> {
        ThreadPage { memory, address }
    }
    #[inline(always)]
    pub fn address(self) -> u64 {
        self.address
    }
    /// The thread with this index in the thread table.
    #[inline(always)]
    pub fn of(memory: M, index: usize) -> Option<ThreadPage<M>> {
        if index >= abi::nucleus::MAX_THREADS {
            return None;
        }
        let low = memory.read_half(ThreadPage::place(memory, index)) as i32;
        (low != 0).then_some(ThreadPage { memory, address: low as i64 as u64 })
    }
    /// Puts it in the thread table under an index that is free.
    pub fn enter(self, index: usize) {
        self.memory.write_half(ThreadPage::place(self.memory, index), self.address as u32)
    }
    /// Address of this index's entry of the thread table: the lower half of a page's address, which the sign extends.
    #[inline(always)]
    fn place(memory: M, index: usize) -> u64 {
        memory.info().thread_table + 4 * index as u64
    }
    /// Fills the page for a thread that will start at `pc` in `home`.
    pub fn prepare(self, index: usize, home: Table<M>, pc: u64, sp: u64, argument: u64) {
        let symbols = &self.memory.info().symbols;
        let first = self.address + 4096 - abi::nucleus::FIRST_FRAME as u64;
        let start = first - abi::nucleus::START_FRAME as u64;
        FrameView::at(self.memory, first).set(symbols.first_frame, home, 0, 0, 0);
        let (begin, end) = match home.field(domain::FLAGS) & flags::SUPERVISOR {
            0 => (symbols.start, abi::address::RETURN_STUB as u64),
            _ => (symbols.start_supervisor, symbols.exit_supervisor),
        };
        FrameView::at(self.memory, start).set(begin, home, pc, sp, end);
        self.memory.write(start + 40, argument);
        self.set(core::mem::offset_of!(Thread, invocation), start);
        self.set(core::mem::offset_of!(Thread, table), home.address());
        self.set(core::mem::offset_of!(Thread, service), abi::address::service_top(index) as u64);
        self.set(core::mem::offset_of!(Thread, window), abi::address::window_base(index) as u64);
        self.set(core::mem::offset_of!(Thread, index), index as u64);
        self.set(core::mem::offset_of!(Thread, home), home.address());
        self.set(core::mem::offset_of!(Thread, floating_saved), 0);
        // The page's last thread has left its slots unused; what it had for calls came back before it ended.
        if self.is_transferring() {
            for n in 0..abi::nucleus::TRANSFERS {
                self.set(core::mem::offset_of!(Thread, transfers) + 16 * n, 0);
            }
            self.set(core::mem::offset_of!(Thread, transferring), 0);
        }
    }
    #[inline(always)]
    fn set(self, offset: usize, value: u64) {
        self.memory.write(self.address + offset as u64, value)
    }
    /// Table of the domain that what the thread runs is counted for.
    pub fn home(self) -> u64 {
        self.memory.read(self.address + core::mem::offset_of!(Thread, home) as u64)
    }
    /// Makes `home` that of the thread: whose counters have what it runs.
    pub fn set_home(self, home: Table<M>) {
        self.set(core::mem::offset_of!(Thread, home), home.address());
    }
    /// Whether calls of thread `index`, whose page this is, have windows open.
    pub fn has_windows(self, index: usize) -> bool {
        self.memory.read(self.address + core::mem::offset_of!(Thread, window) as u64)
            != abi::address::window_base(index) as u64
    }
    /// Whether the domain whose identity that is has pages of a call of the thread that is not made yet.
    pub fn transfers_to(self, callee: u64) -> bool {
        self.transfers_from(callee).is_some()
    }
    /// The same: the identity of the domain whose pages these are.
    pub fn transfers_from(self, callee: u64) -> Option<u64> {
        let word = |offset: usize| self.memory.read(self.address + offset as u64);
        let (done, ends) = (core::mem::offset_of!(Thread, transfers), core::mem::offset_of!(Thread, transfer_ends));
        let to = |n: &usize| word(done + 16 * n) != 0 && word(ends + 16 * n + 8) == callee;
        let found = (0..abi::nucleus::TRANSFERS).find(to).filter(|_| self.is_transferring())?;
        Some(word(ends + 16 * found))
    }
    /// Whether pages may have been shared or moved for a call that was not made.
    pub fn is_transferring(self) -> bool {
        self.memory.read(self.address + core::mem::offset_of!(Thread, transferring) as u64) != 0
    }
    /// Descriptor of the stack that only this thread takes, or 0.
    pub fn reserve(self) -> u64 {
        self.memory.read(self.address + core::mem::offset_of!(Thread, reserve) as u64)
    }
    pub fn set_reserve(self, descriptor: u64) {
        self.set(core::mem::offset_of!(Thread, reserve), descriptor);
    }
    /// What the thread has for the window slot at `address`.
    pub fn slot(self, address: usize) -> u64 {
        let number = address / abi::address::PAGE % abi::address::WINDOW_SLOTS;
        self.memory.read(self.address + (core::mem::offset_of!(Thread, slots) + 8 * number) as u64)
    }
    /// Forgets what is mapped in `count` window slots from address `first` on: the domain that saw it is no more.
    pub fn forget_slots(self, first: u64, count: usize) {
        let number = first as usize / abi::address::PAGE % abi::address::WINDOW_SLOTS;
        for n in number..(number + count).min(abi::address::WINDOW_SLOTS) {
            self.set(core::mem::offset_of!(Thread, slots) + 8 * n, 0);
        }
    }
    /// The frame at this offset in the page.
    #[inline(always)]
    pub fn frame_at(self, offset: u64) -> FrameView<M> {
        FrameView::at(self.memory, self.address + offset)
    }
    #[inline(always)]
    pub fn invocation(self) -> u64 {
        self.memory.read(self.address + core::mem::offset_of!(Thread, invocation) as u64)
    }
    pub fn memory(self) -> M {
        self.memory
    }
    /// Where the bottom frame is.
    #[inline(always)]
    pub fn bottom(self) -> u64 {
        self.address + 4096 - abi::nucleus::FIRST_FRAME as u64
    }
    /// The frames from the top of the invocation stack to the last but the bottom one. The thread must not run meanwhile: it is the calling
    /// one, or interrupts are off; else there is [`crate::state::snapshot::Seen::settle`].
    pub fn frames(self, code: &CodeArea<M>) -> impl Iterator<Item = FrameView<M>> + use<'_, M> {
        let mut next = self.invocation();
        core::iter::from_fn(move || {
            let (frame, after) = self.frame(next, code)?;
            next = after;
            Some(frame)
        })
    }
    /// The frame at `next`, unless it is the bottom one or none, and the address of the one below it.
    #[inline(always)]
    pub fn frame(self, next: u64, code: &CodeArea<M>) -> Option<(FrameView<M>, u64)> {
        if next < self.address || next >= self.bottom() {
            return None;
        }
        let frame = FrameView::at(self.memory, next);
        Some((frame, next + frame.bytes(code)? as u64))
    }
}

/// An invocation frame, at this supervisor address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameView<M> {
    memory: M,
    address: u64,
}
impl<M: NucleusMemory> FrameView<M> {
    #[inline(always)]
    pub const fn at(memory: M, address: u64) -> FrameView<M> {
        FrameView { memory, address }
    }
    #[inline(always)]
    pub fn address(self) -> u64 {
        self.address
    }
    #[inline(always)]
    pub fn portal(self) -> u64 {
        self.memory.read(self.address) & !MARK
    }
    /// Marks the call, which stays marked until it has returned → whether it was already. Interrupts are off.
    pub fn mark(self) -> bool {
        let word = self.memory.read(self.address);
        self.memory.write(self.address, word | MARK);
        word & MARK != 0
    }
    /// The caller's domain.
    #[inline(always)]
    pub fn table(self) -> Table<M> {
        Table::at(self.memory, self.memory.read(self.address + core::mem::offset_of!(Frame, table) as u64))
    }
    #[inline(always)]
    pub fn word(self, offset: usize) -> u64 {
        self.memory.read(self.address + offset as u64)
    }
    #[inline(always)]
    pub fn set_word(self, offset: usize, value: u64) {
        self.memory.write(self.address + offset as u64, value)
    }
    #[inline(always)]
    pub fn set(self, portal: u64, table: Table<M>, pc: u64, sp: u64, ra: u64) {
        for (n, value) in [portal, table.address, pc, sp, ra].into_iter().enumerate() {
            self.set_word(8 * n, value);
        }
    }
    /// Makes the thread go on at `pc` in `table` when it returns through this frame.
    pub fn divert(self, table: Table<M>, pc: u64) {
        self.set_word(core::mem::offset_of!(Frame, table), table.address);
        self.set_word(core::mem::offset_of!(Frame, pc), pc);
    }
    /// Whether it only holds floating-point state.
    pub fn floating(self) -> bool {
        self.portal() == self.memory.info().symbols.floating_return
    }
    /// Its size; `None` if nothing is known to return through it.
    #[inline(always)]
    fn bytes(self, code: &CodeArea<M>) -> Option<usize> {
        let symbols = &self.memory.info().symbols;
        let portal = self.portal();
        if let Some((_, block)) = code.containing(portal) {
            return Some(block.frame as usize);
        }
        match portal {
            p if p == symbols.start => Some(abi::nucleus::START_FRAME),
            p if p == symbols.restore => Some(abi::nucleus::EXCEPTION_FRAME),
            p if p == symbols.start_supervisor => Some(abi::nucleus::START_FRAME),
            p if p == symbols.restore_supervisor => Some(abi::nucleus::EXCEPTION_FRAME),
            p if p == symbols.floating_return => Some(abi::nucleus::FLOATING_FRAME),
            _ => None,
        }
    }
}
