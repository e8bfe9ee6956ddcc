//! Code for one connection: the call portal and its return portal.
//!
//! The nucleus jumps to a call portal with `tp` = the thread, `t1` = the portal's own address, `t2` = the caller's
//! table, `t0` = the top of the invocation stack, `a7` = the portal's number, and the caller's `tp` in `sscratch`; `t3`…`t6`
//! are free, `a0`…`a5` are the arguments. It comes back to the return portal with `t0` = the frame, `t1` = the return portal's
//! address, `t2` = the caller's table and `t3` = where the caller goes on. Loads come well before what needs them. Until the
//! frame is committed nothing has changed but free words below the invocation stack, so that a raised fault can execute
//! the caller's `ecall` again.

use crate::emit::{Buffer, Emitter, Label};
use crate::encode::*;
use crate::frame::{FramePlan, StackPlan};
use crate::short_circuit::ShortCircuit;
use crate::specification::{ARGUMENTS, Argument, Specification, Stack, State};
use abi::Error;
use abi::address::{ENTRY_STUB, WINDOW_SLOTS};
use abi::boot::Symbols;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, Thread, domain, fault};
use core::mem::offset_of;

/// One end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Supervisor address of entry 0 of the domain's portal table.
    pub table: u64,
    pub asid: u64,
    /// `abi::nucleus::flags`.
    pub flags: u64,
}
/// What a portal connects.
#[derive(Clone, Copy, Debug)]
pub struct Connection<'a> {
    pub specification: &'a Specification,
    pub caller: End,
    pub callee: End,
    /// The callee's entry point.
    pub entry: u64,
    /// Values of the `c`s, in their order.
    pub constants: &'a [u64],
    /// What may end the call before the callee is entered.
    pub short_circuit: Option<ShortCircuit<'a>>,
}
/// What was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Words written, header included; the portal's code starts after the header (`BLOCK_HEADER` bytes).
    pub words: usize,
    /// What its frame holds.
    pub plan: FramePlan,
}
/// Why no code was generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateError {
    /// It is longer than a buffer.
    NoRoom,
    /// Fewer constants than `c`s.
    Constants,
}

const INVOCATION: i32 = offset_of!(Thread, invocation) as i32;
const TABLE: i32 = offset_of!(Thread, table) as i32;
const SERVICE: i32 = offset_of!(Thread, service) as i32;
const WINDOW: i32 = offset_of!(Thread, window) as i32;
const INDEX: i32 = offset_of!(Thread, index) as i32;
const FRAME_PORTAL: i32 = 0;
const FRAME_TABLE: i32 = 8;
const FRAME_PC: i32 = 16;
const FRAME_SP: i32 = 24;
const FRAME_RA: i32 = 32;

/// Argument registers, in order.
const ARGUMENT: [Register; ARGUMENTS] = [A0, A1, A2, A3, A4, A5];

/// Writes header and code for `connection` to `out`, to be executed at any supervisor address that is a multiple of 64
/// (the code is independent of its own place).
pub fn generate(connection: &Connection, symbols: &Symbols, out: &mut Buffer) -> Result<Block, GenerateError> {
    if connection.constants.len() < connection.specification.constants() {
        return Err(GenerateError::Constants);
    }
    let mut g = Generator {
        e: Emitter::new(out),
        c: connection,
        symbols,
        plan: FramePlan::new(connection),
        tails: [(Label::NONE, Tail::NoStack); TAILS],
        tail_count: 0,
    };
    for _ in 0..BLOCK_HEADER / 4 {
        g.e.put(0);
    }
    let (frame, return_offset) = match (connection.specification.state, connection.specification.stack) {
        (State::Exception, _) => {
            g.exception();
            (0, 0)
        }
        (_, Stack::Jump) => {
            g.jump();
            (0, 0)
        }
        _ => {
            let address = g.call();
            let offset = g.e.position() - BLOCK_HEADER;
            g.e.patch(address, addi(T4, T1, offset as i32));
            g.returns();
            (g.plan.size as usize, offset)
        }
    };
    g.tails();
    let words = g.e.words().ok_or(GenerateError::NoRoom)?;
    let header = [BLOCK_MAGIC, (words - BLOCK_HEADER / 4) as u32, frame as u32, return_offset as u32];
    for (index, word) in header.into_iter().enumerate() {
        g.e.patch(index, word);
    }
    Ok(Block { words, plan: g.plan })
}

/// Ways out of a portal before its frame is committed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// The `ecall` ends with an error.
    Fail(Error),
    /// The window on argument register `argument` can not be opened.
    Window { write: bool, argument: Register },
    /// The callee's stack queue is empty.
    NoStack,
    /// Threads wait for the stack that was put back.
    StackFree,
}
/// Most tails of one portal.
const TAILS: usize = 12;

struct Generator<'a, 'o> {
    e: Emitter<'o>,
    c: &'a Connection<'a>,
    symbols: &'a Symbols,
    plan: FramePlan,
    tails: [(Label, Tail); TAILS],
    tail_count: usize,
}

impl Generator<'_, '_> {
    /// The label of `tail`, which is written after the portal's code.
    #[inline(always)]
    fn tail(&mut self, tail: Tail) -> Label {
        if let Some(&(label, _)) = self.tails[..self.tail_count].iter().find(|(_, t)| *t == tail) {
            return label;
        }
        let label = self.e.label();
        // Six windows and one of each other kind fit.
        if let Some(place) = self.tails.get_mut(self.tail_count) {
            *place = (label, tail);
            self.tail_count += 1;
        }
        label
    }
    #[inline(always)]
    fn branch(&mut self, branch: u32, tail: Tail) {
        let label = self.tail(tail);
        self.e.branch(branch, label);
    }
    fn windows(&self) -> impl Iterator<Item = (usize, bool)> + use<'_> {
        // (index among the caller's arguments, write)
        let passed = self.c.specification.arguments().iter().filter(|a| !a.inserted());
        passed.enumerate().filter_map(|(index, a)| match a {
            Argument::Window { write } => Some((index, *write)),
            _ => None,
        })
    }

    /// The call portal. Returns the index of the word that is to load the return portal's address.
    fn call(&mut self) -> usize {
        let plan = self.plan;
        if let Some(short_circuit) = &self.c.short_circuit {
            short_circuit.write(&mut self.e);
        }
        let table = !plan.same_domain || plan.stack == StackPlan::Queue;
        // Bit 11 of the frame's address is clear below the limit of the page; trusted callers may go on to bit 10.
        self.e.put_all([addi(T0, T0, -(plan.size as i32)), slli(T3, T0, 52)]);
        if self.c.caller.trusted() {
            self.e.put(srli(T3, T3, 62));
            self.branch(beq(T3, ZERO, 0), Tail::Fail(Error::EDEPTH));
        } else {
            self.branch(bge(T3, ZERO, 0), Tail::Fail(Error::EDEPTH));
        }
        let address = self.e.position() / 4 + 1;
        self.e.put_all([csrr(T3, csr::SEPC), 0]);
        if table {
            self.e.page(T6, self.c.callee.table);
        }
        if self.satp_early() {
            self.e.put(ld(T5, T6, domain::SATP));
        }
        self.e.put_all([
            sd(T4, T0, FRAME_PORTAL),
            sd(T2, T0, FRAME_TABLE),
            addi(T3, T3, 4),
            sd(T3, T0, FRAME_PC),
            sd(RA, T0, FRAME_RA),
        ]);
        if plan.save_sp {
            self.e.put(sd(SP, T0, FRAME_SP));
        }
        if plan.tp != 0 {
            self.e.put_all([csrr(T3, csr::SSCRATCH), sd(T3, T0, plan.tp as i32)]);
        }
        if plan.window_count > 0 {
            self.translate_windows();
        }
        if plan.window_count > 0 && table {
            // The walk has used it.
            self.e.page(T6, self.c.callee.table);
        }
        if plan.stack == StackPlan::Queue {
            self.e.put(ld(T3, T6, domain::STACKS));
            self.branch(beq(T3, ZERO, 0), Tail::NoStack);
            self.e.put_all([ld(T4, T3, 0), sd(T4, T6, domain::STACKS), sd(T3, T0, plan.descriptor as i32)]);
            if plan.service != 0 {
                self.e.put_all([ld(T4, TP, SERVICE), sd(T4, T0, plan.service as i32), sd(SP, TP, SERVICE)]);
            }
            self.e.put(ld(SP, T3, 8));
        }
        if plan.floating_barrier && plan.window_count == 0 {
            self.e.put(csrr(T3, csr::SSTATUS));
        }
        self.e.put(sd(T0, TP, INVOCATION));
        self.move_arguments();
        if plan.window_count > 0 {
            self.open_windows();
        }
        if plan.floating_barrier {
            // SD (bit 63) is set when floating-point state is live.
            let skip = self.e.label();
            if plan.window_count > 0 {
                self.e.put(csrr(T3, csr::SSTATUS));
            }
            self.e.branch(bge(T3, ZERO, 0), skip);
            self.e.jump(T4, self.symbols.floating_push, T4);
            self.e.place(skip);
        }
        self.enter();
        if plan.same_domain {
            self.save(0);
        }
        self.save(1);
        self.insert_arguments();
        self.leave(plan.tp != 0 && !self.c.callee.trusted() && !plan.same_domain);
        address
    }

    /// Whether the callee's `satp` is loaded well before it is written, to `t5`: a walk for windows needs the register.
    fn satp_early(&self) -> bool {
        self.is_call() && !self.plan.same_domain && self.plan.window_count == 0
    }
    /// Whether there is a frame to return through.
    fn is_call(&self) -> bool {
        self.c.specification.state != State::Exception && self.c.specification.stack != Stack::Jump
    }
    /// Saves the `part`th third of the callee-saved registers. They go between the writes to control registers, each of which
    /// empties the pipeline: a write-through cache takes its time for so many stores in a row.
    fn save(&mut self, part: usize) {
        if self.plan.callee_saved != 0 && self.is_call() {
            let at = self.plan.callee_saved as i32;
            let store = |n: usize| sd(CALLEE_SAVED[4 * part + n], T0, at + 8 * (4 * part + n) as i32);
            self.e.put_all(core::array::from_fn::<u32, 4, _>(store));
        }
    }
    /// Makes the callee's address space and stack current.
    fn enter(&mut self) {
        if !self.plan.same_domain {
            self.save(0);
            if self.satp_early() {
                self.e.put_all([sd(T6, TP, TABLE), csrw(csr::SATP, T5)]);
            } else {
                self.e.put_all([ld(T3, T6, domain::SATP), sd(T6, TP, TABLE), csrw(csr::SATP, T3)]);
            }
        }
        match self.plan.stack {
            StackPlan::Service => self.e.put(ld(SP, TP, SERVICE)),
            StackPlan::Masked => self.e.put(ld(SP, T6, domain::MASKED_STACK)),
            StackPlan::Keep | StackPlan::Queue => {}
        }
        if self.c.callee.masked() && !self.c.caller.masked() {
            self.e.put(csrw(csr::SIE, ZERO));
        }
    }
    /// Goes to the entry point. `own_tp`: with the callee's thread pointer; else with the caller's, which a callee that
    /// may keep registers keeps.
    fn leave(&mut self, own_tp: bool) {
        self.e.constant(T4, ENTRY_STUB as i64);
        self.e.put(csrw(csr::SEPC, T4));
        self.save(2);
        self.e.constant(T3, self.c.entry as i64);
        if own_tp {
            self.e.put_all([csrw(csr::SSCRATCH, TP), ld(TP, T6, domain::TP)]);
        } else {
            self.e.put(csrrw(TP, csr::SSCRATCH, TP));
        }
        self.sret();
    }
    /// `sret`, and behind it what stops fetch from running into the next line on cores that would wait for it.
    fn sret(&mut self) {
        self.e.put_all([SRET, jal(ZERO, 0)]);
    }

    /// Moves what the caller passes to the callee's places: towards higher registers only, so the last goes first.
    fn move_arguments(&mut self) {
        let arguments = self.c.specification.arguments();
        let mut source = arguments.iter().filter(|a| !a.inserted()).count();
        for (to, argument) in arguments.iter().enumerate().rev() {
            if !argument.inserted() {
                source -= 1;
                if source != to {
                    self.e.put(addi(ARGUMENT[to], ARGUMENT[source], 0));
                }
            }
        }
    }
    /// Makes what the portal inserts. `t2` is still the caller's table.
    fn insert_arguments(&mut self) {
        let mut constants = self.c.constants.iter();
        for (to, argument) in self.c.specification.arguments().iter().enumerate() {
            let register = ARGUMENT[to];
            match argument {
                Argument::Constant => {
                    let value = constants.next().copied().unwrap_or(0);
                    self.e.constant(register, value as i64);
                }
                Argument::Number => self.e.put(addi(register, A7, 0)),
                Argument::Thread => self.e.put(ld(register, TP, INDEX)),
                Argument::Domain => self.e.put(ld(register, T2, domain::ASID)),
                Argument::Time => {
                    self.e.put(csrr(register, csr::CYCLE));
                    self.e.put(srli(register, register, 1));
                }
                Argument::Word | Argument::Window { .. } => {}
            }
        }
    }

    /// One step of a page-table walk: `t3` is the table's address; loads its entry for `address >> shift`.
    fn walk(&mut self, address: Register, shift: i32) {
        self.e.put_all([srli(T4, address, shift), and(T4, T4, T5), add(T3, T3, T4), ld(T3, T3, 0)]);
    }
    /// `t3` is an entry that must point to a table: makes it the table's supervisor address.
    fn descend(&mut self, tail: Tail) {
        self.e.put_all([andi(T4, T3, 15), addi(T4, T4, -1)]);
        self.branch(bne(T4, ZERO, 0), tail);
        self.e.put_all([srli(T3, T3, 10), slliw(T3, T3, 12)]);
    }
    /// Finds the caller's page-table entries and the callee's slots, and keeps both in the frame.
    fn translate_windows(&mut self) {
        let plan = self.plan;
        self.e.constant(T5, 0xFF8);
        let windows: [Option<(usize, bool)>; ARGUMENTS] = {
            let mut found = [None; ARGUMENTS];
            for (place, window) in found.iter_mut().zip(self.windows()) {
                *place = Some(window);
            }
            found
        };
        for (n, (argument, write)) in windows.into_iter().flatten().enumerate() {
            let register = ARGUMENT[argument];
            let tail = Tail::Window { write, argument: register };
            self.e.put(srli(T3, register, 38));
            self.branch(bne(T3, ZERO, 0), tail);
            self.e.put(ld(T3, T2, domain::ROOT));
            self.walk(register, 27);
            self.descend(tail);
            self.walk(register, 18);
            self.descend(tail);
            self.walk(register, 9);
            // Valid, the component's, with the rights; and not shared, for then it would change hands under the window.
            let rights = if write { 0x17 } else { 0x13 };
            self.e.put_all([andi(T4, T3, rights | abi::address::pte::LAZY as i32), addi(T4, T4, -rights)]);
            self.branch(bne(T4, ZERO, 0), tail);
            // No execution, no more rights than the caller has; not the callee's frame to free.
            self.e.put_all([
                andi(T3, T3, if write { !8 } else { !12 }),
                ori(T3, T3, abi::address::pte::FOREIGN as i32),
                sd(T3, T0, plan.windows as i32 + 8 + 8 * n as i32),
            ]);
        }
        let (argument, write) = windows[0].unwrap_or((0, false));
        let tail = Tail::Window { write, argument: ARGUMENT[argument] };
        // The slot's entry in the callee's tables: root entry 1, then by the slot's address.
        self.e.put_all([
            ld(T6, TP, WINDOW),
            slli(T4, T6, 48),
            srli(T4, T4, 60),
            sltiu(T4, T4, WINDOW_SLOTS as i32 - plan.window_count as i32),
        ]);
        self.branch(beq(T4, ZERO, 0), Tail::Fail(Error::EWINDOW));
        self.e.page(T3, self.c.callee.table);
        self.e.put_all([ld(T3, T3, domain::ROOT), ld(T3, T3, 8)]);
        self.descend(tail);
        self.walk(T6, 18);
        self.descend(tail);
        self.e.put_all([srli(T4, T6, 9), and(T4, T4, T5), add(T3, T3, T4), sd(T3, T0, plan.windows as i32)]);
    }
    /// Writes the slots and makes the arguments their addresses.
    fn open_windows(&mut self) {
        let plan = self.plan;
        self.e.put(ld(T3, T0, plan.windows as i32));
        self.e.put(ld(T4, TP, WINDOW));
        let mut n = 0;
        for (to, argument) in self.c.specification.arguments().iter().enumerate() {
            if let Argument::Window { .. } = argument {
                let register = ARGUMENT[to];
                self.e.put_all([
                    ld(T5, T0, plan.windows as i32 + 8 + 8 * n),
                    sd(T5, T3, 8 * n),
                    slli(register, register, 52),
                    srli(register, register, 52),
                    add(register, register, T4),
                    lui(T5, 1),
                    add(T4, T4, T5),
                ]);
                n += 1;
            }
        }
        self.e.put(sd(T4, TP, WINDOW));
    }

    /// The return portal.
    fn returns(&mut self) {
        let plan = self.plan;
        if plan.floating_barrier {
            // `floating_return` in the nucleus skips these four instructions.
            let skip = self.e.label();
            self.e.put(csrr(T4, csr::SSTATUS));
            self.e.branch(bge(T4, ZERO, 0), skip);
            self.e.put_all([lui(T4, 6), csrc(csr::SSTATUS, T4)]);
            self.e.place(skip);
        }
        if plan.window_count > 0 {
            self.e.put_all([
                ld(T1, T0, plan.windows as i32),
                ld(T4, TP, WINDOW),
                lui(T5, (plan.window_count as u32).wrapping_neg() & 0xF_FFFF),
                add(T4, T4, T5),
                sd(T4, TP, WINDOW),
            ]);
            self.e.constant(T5, self.c.callee.asid as i64);
            for n in 0..plan.window_count as usize {
                self.e.put_all([sd(ZERO, T1, 8 * n as i32), sfence_vma(T4, T5)]);
                if n + 1 < plan.window_count as usize {
                    self.e.put_all([lui(T6, 1), add(T4, T4, T6)]);
                }
            }
        }
        if !plan.same_domain {
            self.e.put(ld(T5, T2, domain::SATP));
        }
        if plan.stack == StackPlan::Queue {
            self.e.page(T6, self.c.callee.table);
            self.e.put_all([
                ld(T1, T0, plan.descriptor as i32),
                ld(T4, T6, domain::STACKS),
                ld(RA, T0, FRAME_RA),
                csrw(csr::SEPC, T3),
                sd(T4, T1, 0),
                sd(T1, T6, domain::STACKS),
            ]);
        } else {
            self.e.put_all([ld(RA, T0, FRAME_RA), csrw(csr::SEPC, T3)]);
        }
        if plan.service != 0 {
            self.e.put_all([ld(T1, T0, plan.service as i32), sd(T1, TP, SERVICE)]);
        }
        if plan.save_sp {
            self.e.put(ld(SP, T0, FRAME_SP));
        }
        if plan.callee_saved != 0 {
            let at = plan.callee_saved as i32;
            self.e.put_all(core::array::from_fn::<u32, 12, _>(|n| ld(CALLEE_SAVED[n], T0, at + 8 * n as i32)));
        }
        if !plan.same_domain {
            self.e.put_all([sd(T2, TP, TABLE), csrw(csr::SATP, T5)]);
        }
        self.e.put_all([addi(T0, T0, plan.size as i32), sd(T0, TP, INVOCATION)]);
        if self.c.callee.masked() && !self.c.caller.masked() {
            self.e.constant(T3, SIE_ON as i64);
            self.e.put(csrw(csr::SIE, T3));
        }
        if plan.stack == StackPlan::Queue {
            self.e.put(ld(T3, T6, domain::STACK_WAITERS));
            self.branch(bne(T3, ZERO, 0), Tail::StackFree);
        }
        if plan.clear {
            // What the callee may have left; the other temporaries have the portal's own values now.
            self.e.put_all([A1, A2, A3, A4, A5, A6, A7].map(|register| addi(register, ZERO, 0)));
            if plan.same_domain {
                self.e.put(addi(T5, ZERO, 0));
            }
            if plan.stack != StackPlan::Queue {
                self.e.put_all([addi(T1, ZERO, 0), addi(T4, ZERO, 0), addi(T6, ZERO, 0)]);
            }
        }
        if plan.tp != 0 {
            self.e.put_all([csrw(csr::SSCRATCH, TP), ld(TP, T0, plan.tp as i32 - plan.size as i32)]);
        } else {
            self.e.put(csrrw(TP, csr::SSCRATCH, TP));
        }
        self.sret();
    }

    /// An exception portal: the nucleus has saved everything, `a0`…`a2` are cause, value and pc.
    fn exception(&mut self) {
        self.e.put(ld(A3, T2, domain::ASID));
        self.e.put(ld(A4, TP, INDEX));
        self.e.page(T6, self.c.callee.table);
        self.enter();
        self.leave(false);
    }
    /// A jump from one masked domain to another.
    fn jump(&mut self) {
        self.move_arguments();
        self.e.page(T6, self.c.callee.table);
        self.enter();
        self.insert_arguments();
        self.leave(false);
    }

    fn tails(&mut self) {
        for (label, tail) in self.tails.into_iter().take(self.tail_count) {
            self.e.place(label);
            match tail {
                Tail::Fail(error) => {
                    self.e.constant(A0, error.code() as i64);
                    self.e.jump(ZERO, self.symbols.complete, T0);
                }
                Tail::Window { write, argument } => {
                    self.e.put(addi(T1, argument, 0));
                    self.e.constant(T3, self.c.callee.asid as i64);
                    self.raise(if write { fault::WINDOW_WRITE } else { fault::WINDOW });
                }
                Tail::NoStack => {
                    if !self.c.callee.elastic() {
                        self.e.put(ld(T3, T6, domain::STACK_WAITERS));
                        self.e.put(addi(T3, T3, 1));
                        self.e.put(sd(T3, T6, domain::STACK_WAITERS));
                    }
                    self.e.put(addi(T1, T6, 0));
                    self.e.constant(T3, self.c.callee.asid as i64);
                    self.raise(if self.c.callee.elastic() { fault::GROW_STACK } else { fault::NO_STACK });
                }
                Tail::StackFree => {
                    self.e.put(addi(T3, T3, -1));
                    self.e.put(sd(T3, T6, domain::STACK_WAITERS));
                    if self.plan.tp != 0 {
                        self.e.put(ld(T3, T0, self.plan.tp as i32 - self.plan.size as i32));
                        self.e.put(csrw(csr::SSCRATCH, T3));
                    }
                    self.e.put(addi(T1, T6, 0));
                    self.e.constant(T3, self.c.callee.asid as i64);
                    self.raise(fault::STACK_FREE);
                }
            }
        }
    }
    /// Raises fault `number` with value `t1` and `t3` in place of the program counter.
    fn raise(&mut self, number: usize) {
        self.e.constant(T0, number as i64);
        self.e.jump(ZERO, self.symbols.raise, T4);
    }
}
