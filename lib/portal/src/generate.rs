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
use crate::template::{Filling, Templates, Use, Uses, put_part};
use abi::Error;
use abi::address::ENTRY_STUB;
use abi::boot::Symbols;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, Thread, domain, fault};
use abi::template::{Part, hole, part};
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
    /// The code of the specification's other letters.
    pub templates: Templates<'a>,
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
    /// The letter has lost its template.
    NoTemplate(u8),
}

const INVOCATION: i32 = offset_of!(Thread, invocation) as i32;
const TABLE: i32 = offset_of!(Thread, table) as i32;
const SERVICE: i32 = offset_of!(Thread, service) as i32;
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
    if !connection.specification.is_templated() {
        return generate_with(connection, symbols, FramePlan::new(connection, 0), &Uses::NONE, out);
    }
    let at = FramePlan::new(connection, 0).size;
    let uses = Uses::new(connection.specification, &connection.templates, at).map_err(GenerateError::NoTemplate)?;
    generate_with(connection, symbols, FramePlan::new(connection, uses.size), &uses, out)
}
#[inline(always)]
fn generate_with(
    connection: &Connection,
    symbols: &Symbols,
    plan: FramePlan,
    uses: &Uses,
    out: &mut Buffer,
) -> Result<Block, GenerateError> {
    let mut g = Generator {
        e: Emitter::new(out),
        c: connection,
        symbols,
        plan,
        uses,
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
            if offset > REACH * if connection.specification.is_long() { 2 } else { 1 } {
                return Err(GenerateError::NoRoom);
            }
            if connection.specification.is_long() {
                // Two steps, where one may not reach.
                let step = (offset / 2) as i32;
                g.e.patch(address, addi(T4, T1, step));
                g.e.patch(address + 1, addi(T4, T4, offset as i32 - step));
            } else {
                g.e.patch(address, addi(T4, T1, offset as i32));
            }
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

/// Farthest that one addition reaches.
const REACH: usize = 2047;

/// Ways out of a portal before its frame is committed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tail {
    /// The `ecall` ends with an error.
    Fail(u16),
    /// The letter of this use, of those with templates, raises its fault.
    Slow(u8),
    /// The same when the call returns: the return is made again.
    Again(u8),
    /// The callee's stack queue is empty.
    NoStack,
    /// Threads wait for the stack that was put back.
    StackFree,
}
/// Most tails of one portal.
const TAILS: usize = 14;

struct Generator<'a, 'o> {
    e: Emitter<'o>,
    c: &'a Connection<'a>,
    symbols: &'a Symbols,
    plan: FramePlan,
    uses: &'a Uses,
    tails: [(Label, Tail); TAILS],
    tail_count: usize,
}

#[inline(always)]
fn label_of(e: &mut Emitter, tails: &mut [(Label, Tail); TAILS], count: &mut usize, tail: Tail) -> Label {
    if let Some(&(label, _)) = tails[..*count].iter().find(|(_, t)| *t == tail) {
        return label;
    }
    let label = e.label();
    // Six letters and several errors fit; a label too many is reported at the end.
    if let Some(place) = tails.get_mut(*count) {
        *place = (label, tail);
        *count += 1;
    }
    label
}

impl Generator<'_, '_> {
    /// The label of `tail`, which is written after the portal's code.
    #[inline(always)]
    fn tail(&mut self, tail: Tail) -> Label {
        label_of(&mut self.e, &mut self.tails, &mut self.tail_count, tail)
    }
    #[inline(always)]
    fn branch(&mut self, branch: u32, tail: Tail) {
        let label = self.tail(tail);
        self.e.branch(branch, label);
    }
    /// Puts in the parts that templates have for moment `which`.
    fn templates(&mut self, which: usize) {
        if !self.specification_templated() {
            return;
        }
        for (n, used) in self.uses.all().iter().enumerate() {
            let template = self.c.templates.get(used.template as usize);
            if used.first && which < part::SLOW {
                self.template(template.before[which], used, n, which);
            }
            self.template(template.letters[used.letter as usize].parts[which], used, n, which);
            if used.last && which < part::SLOW {
                self.template(template.after[which], used, n, which);
            }
        }
    }
    fn template(&mut self, p: Part, used: &Use, n: usize, which: usize) {
        let template = self.c.templates.get(used.template as usize);
        let letter = &template.letters[used.letter as usize];
        let argument = if matches!(which, part::CHECK | part::ASK | part::SLOW) { used.from } else { used.to };
        let filling = Filling {
            letter,
            argument: argument as u32,
            from: used.from as u32,
            own: used.own as i32,
            common: used.common as i32,
            last: used.last,
            table: self.c.callee.table,
            asid: self.c.callee.asid,
            record: template.record,
        };
        let Generator { e, tails, tail_count, .. } = self;
        put_part(e, template, p, &filling, |e, branch, word| {
            let tail = match (word.kind() == hole::FAIL, which) {
                (true, _) => Tail::Fail(word.operand() as u16),
                (_, part::BACK) => Tail::Again(n as u8),
                _ => Tail::Slow(n as u8),
            };
            let label = label_of(e, tails, tail_count, tail);
            e.branch(branch, label);
        });
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
            self.branch(beq(T3, ZERO, 0), Tail::Fail(Error::EDEPTH as u16));
        } else {
            self.branch(bge(T3, ZERO, 0), Tail::Fail(Error::EDEPTH as u16));
        }
        let address = self.e.position() / 4 + 1;
        self.e.put_all([csrr(T3, csr::SEPC), 0]);
        if self.c.specification.is_long() {
            self.e.put(0);
        }
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
        let templated = self.specification_templated();
        if templated {
            self.templates(part::CHECK);
            self.templates(part::ASK);
            if table {
                // They have used it.
                self.e.page(T6, self.c.callee.table);
            }
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
        if plan.floating_barrier && !templated {
            self.e.put(csrr(T3, csr::SSTATUS));
        }
        self.e.put(sd(T0, TP, INVOCATION));
        self.move_arguments();
        if templated {
            self.templates(part::PASS);
        }
        if plan.floating_barrier {
            // SD (bit 63) is set when floating-point state is live.
            let skip = self.e.label();
            if templated {
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
        self.is_call() && !self.plan.same_domain && !self.specification_templated()
    }
    /// Whether there are parts of templates, which may use all temporary registers.
    fn specification_templated(&self) -> bool {
        self.c.specification.is_templated()
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
                _ => {}
            }
        }
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
        self.templates(part::BACK);
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
                    self.e.constant(A0, -(error as i64));
                    self.e.jump(ZERO, self.symbols.complete, T0);
                }
                Tail::Slow(n) => {
                    let used = self.uses.all()[n as usize];
                    let letter = &self.c.templates.get(used.template as usize).letters[used.letter as usize];
                    self.template(letter.parts[part::SLOW], &used, n as usize, part::SLOW);
                    self.e.constant(T3, (self.c.callee.asid | (used.template as u64) << 16) as i64);
                    self.raise(letter.fault as usize);
                }
                Tail::Again(n) => {
                    let used = self.uses.all()[n as usize];
                    let letter = &self.c.templates.get(used.template as usize).letters[used.letter as usize];
                    if self.plan.floating_barrier {
                        // The caller's state is back already: the return that comes would throw it away.
                        let skip = self.e.label();
                        self.e.put(csrr(T3, csr::SSTATUS));
                        self.e.branch(bge(T3, ZERO, 0), skip);
                        self.e.jump(T4, self.symbols.floating_push, T4);
                        self.e.place(skip);
                    }
                    self.e.put_all([addi(T1, ZERO, 0), addi(T3, ZERO, 0)]);
                    self.raise(letter.fault as usize);
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
                    if self.plan.clear {
                        self.e.put_all([A1, A2, A3, A4, A5, A6, A7].map(|register| addi(register, ZERO, 0)));
                    }
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
