//! Code for one connection: the call portal and its return portal.
//!
//! The nucleus jumps to a call portal with `tp` = the thread, `t1` = the portal's own address, `t2` = the caller's
//! table, `t0` = the top of the invocation stack, `a7` = the portal's number, and the caller's `tp` in `sscratch`; `t3`…`t6`
//! are free, `a0`…`a5` are the arguments. It comes back to the return portal with `t0` = the frame, `t1` = the return portal's
//! address, `t2` = the caller's table and `t3` = where the caller goes on. Loads come well before what needs them. Until the
//! frame is committed nothing has changed but free words below the invocation stack, so that a raised fault can execute
//! the caller's `ecall` again.

use crate::emit::{Buffer, Emitter, Label, jump};
use crate::encode::*;
use crate::frame::{FramePlan, StackPlan};
use crate::short_circuit::ShortCircuit;
use crate::specification::{ARGUMENTS, Argument, Specification, Stack, State};
use crate::template::{self, Filling, Templates, Use, Uses, code};
use abi::Error;
use abi::address::ENTRY_STUB;
use abi::boot::Symbols;
use abi::count;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, Thread, domain, fault, flags, limit};
use abi::template::{LETTERS, Part, hole, part};
use abi::trace;
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
    pub count: Count,
    /// Who writes down each call and its result.
    pub trace: Option<Trace>,
}
/// A traced portal's recorder ([`crate::recorder`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its supervisor address.
    pub recorder: u64,
    /// What is said of each event: `abi::trace::Event::what` without its kind.
    pub what: u64,
}
/// Where the calls of a portal are counted: in which word of the calling domain's counters (`abi::count`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Count {
    /// Nowhere: the system counts nothing.
    Off,
    /// In this word.
    Word(u16),
    /// In that of the number that was called: several lead to the portal.
    Called,
}
impl Count {
    /// In word `n`, where calls are counted.
    pub fn word(counters: bool, n: usize) -> Count {
        if counters { Count::Word(n as u16) } else { Count::Off }
    }
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
    /// An end is a supervisor domain, and pages are shared or moved, or the return from it may have to be made again.
    Supervisor,
}

const INVOCATION: i32 = offset_of!(Thread, invocation) as i32;
const TABLE: i32 = offset_of!(Thread, table) as i32;
const SERVICE: i32 = offset_of!(Thread, service) as i32;
const INDEX: i32 = offset_of!(Thread, index) as i32;
const TRANSFERRING: i32 = offset_of!(Thread, transferring) as i32;
const FRAME_PORTAL: i32 = 0;
const FRAME_TABLE: i32 = 8;
const FRAME_PC: i32 = 16;
const FRAME_SP: i32 = 24;
const FRAME_RA: i32 = 32;

/// Argument register `n`.
#[inline(always)]
fn argument(n: usize) -> Register {
    Register(A0.0 + n as u8)
}

/// Writes header and code for `connection` to `out`, to be executed at any supervisor address that is a multiple of 64
/// (the code is independent of its own place).
#[inline(never)]
pub fn generate(connection: &Connection, symbols: &Symbols, out: &mut Buffer) -> Result<Block, GenerateError> {
    if connection.constants.len() < connection.specification.constants() {
        return Err(GenerateError::Constants);
    }
    let mut plan = FramePlan::new(connection, 0);
    let mut uses = Uses::NONE;
    uses.find(connection.specification, &connection.templates, plan.size).map_err(GenerateError::NoTemplate)?;
    plan.size += uses.size;
    let mut g = Generator { e: Emitter::new(out), c: connection, symbols, plan, uses: &uses, tails: Tails::NONE };
    g.e.put_all([0; BLOCK_HEADER / 4]);
    let address = if g.is_call() { g.call() } else { g.direct() };
    g.cross();
    let (frame, return_offset) = if g.is_call() {
        let offset = g.e.position() - BLOCK_HEADER;
        if offset > REACH << g.is_long() as u32 {
            return generate_at_call(connection, symbols, out);
        }
        if g.is_long() {
            // Two steps, where one may not reach.
            let step = (offset / 2) as i32;
            g.e.patch(address, addi(T4, T1, step));
            g.e.patch(address + 1, addi(T4, T4, offset as i32 - step));
        } else {
            g.e.patch(address, addi(T4, T1, offset as i32));
        }
        g.returns();
        (g.plan.size as usize, offset)
    } else {
        (0, 0)
    };
    g.tails();
    if !g.suits_supervisor() {
        return Err(GenerateError::Supervisor);
    }
    let Some(words) = g.e.words().filter(|_| g.tails.count <= TAILS) else {
        return generate_at_call(connection, symbols, out);
    };
    let header = [BLOCK_MAGIC, (words - BLOCK_HEADER / 4) as u32, frame as u32, return_offset as u32];
    for (index, word) in header.into_iter().enumerate() {
        g.e.patch(index, word);
    }
    Ok(Block { words, plan: g.plan })
}

/// What is too long with windows that are mapped at the first access (three of several pages are) has them mapped at the call.
#[cold]
fn generate_at_call(connection: &Connection, symbols: &Symbols, out: &mut Buffer) -> Result<Block, GenerateError> {
    if !connection.templates.is_at_touch() {
        return Err(GenerateError::NoRoom);
    }
    generate(&Connection { templates: connection.templates.at_touch(false), ..*connection }, symbols, out)
}

/// Words of the shortest cache line that is thought of. Blocks begin on lines.
pub(crate) const CACHE_LINE: usize = 4;

/// `sret`, and behind it what stops fetch from running into the next cache line on cores that would wait for it: in the same line,
/// or it would have to be fetched itself.
#[inline(always)]
pub(crate) fn sret(e: &mut Emitter) {
    if e.next() % CACHE_LINE == CACHE_LINE - 1 {
        e.put(addi(ZERO, ZERO, 0));
    }
    e.put_all([SRET, jal(ZERO, 0)]);
}

/// Farthest that one addition reaches.
const REACH: usize = 2047;

/// A way out of a portal before its frame is committed: its kind, and in the lower twelve bits what it is for.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Tail(u16);
impl Tail {
    /// The `ecall` ends with an error.
    const FAIL: u16 = 0;
    /// The letter of this use, of those with templates, raises its fault.
    const SLOW: u16 = 1;
    /// The same when the call returns: the return is made again.
    const AGAIN: u16 = 2;
    /// The callee's stack queue is empty.
    const NO_STACK: u16 = 3;
    /// Threads wait for the stack that was put back.
    const STACK_FREE: u16 = 4;

    const fn new(kind: u16, of: u16) -> Tail {
        Tail(kind << 12 | of)
    }
}
/// Most tails of one portal.
const TAILS: usize = 14;

struct Generator<'a, 'o> {
    e: Emitter<'o>,
    c: &'a Connection<'a>,
    symbols: &'a Symbols,
    plan: FramePlan,
    uses: &'a Uses,
    tails: Tails,
}

/// Ways out, in the order in which they are written.
struct Tails {
    all: [Tail; TAILS],
    labels: [Label; TAILS],
    count: usize,
}
impl Tails {
    const NONE: Tails = Tails { all: [Tail(0); TAILS], labels: [Label::NEW; TAILS], count: 0 };
    /// The number of `tail`, if it is there.
    #[inline(always)]
    fn find(&self, tail: Tail) -> Option<usize> {
        self.all[..self.count.min(TAILS)].iter().position(|&t| t == tail)
    }
    /// One too many is reported at the end.
    #[inline(always)]
    fn add(&mut self, tail: Tail) -> usize {
        let n = self.count;
        self.count += 1;
        if let Some(place) = self.all.get_mut(n) {
            *place = tail;
        }
        n
    }
    #[inline(always)]
    fn link(&mut self, n: usize, at: usize) -> u32 {
        self.labels.get_mut(n).map_or(0, |label| label.link(at))
    }
}

impl Generator<'_, '_> {
    /// A branch to `tail`, which no other leads to so far, and which is written after the portal's code.
    #[inline(always)]
    fn branch(&mut self, branch: u32, tail: Tail) {
        let n = self.tails.add(tail);
        self.e.put(branch | self.tails.link(n, self.e.next()));
    }
    /// Puts in the parts that templates have for moment `which`.
    #[inline(always)]
    fn templates(&mut self, which: usize) {
        if self.specification_templated() {
            let uses = self.uses;
            for (n, used) in uses.all().iter().enumerate() {
                self.template(n, used, which);
            }
        }
    }
    /// The parts of `used`, which is number `n`.
    fn template(&mut self, n: usize, used: &Use, which: usize) {
        let template = self.c.templates.get(used.template as usize);
        let shared = |parts: &[Part; 3], wanted: bool| match parts.get(which) {
            Some(&p) if wanted => code(template, p),
            _ => &[],
        };
        let own = template.letters[used.letter as usize % LETTERS].parts[which];
        let parts = [shared(&template.before, used.first), code(template, own), shared(&template.after, used.last)];
        let argument = if matches!(which, part::CHECK | part::ASK | part::SLOW) { used.from } else { used.to };
        let filling = Filling::new(template, used, argument, &self.c.callee);
        let slow_tail = Tail::new(if which == part::BACK { Tail::AGAIN } else { Tail::SLOW }, n as u16);
        let mut slow = None;
        let tails = &mut self.tails;
        for code in parts.into_iter().filter(|code| !code.is_empty()) {
            template::put(&mut self.e, code, &filling, |word, at| {
                let n = match word.kind() {
                    hole::SLOW => {
                        *slow.get_or_insert_with(|| tails.find(slow_tail).unwrap_or_else(|| tails.add(slow_tail)))
                    }
                    _ => {
                        let fail = Tail::new(Tail::FAIL, word.operand() as u16);
                        tails.find(fail).unwrap_or_else(|| tails.add(fail))
                    }
                };
                tails.link(n, at)
            });
        }
    }

    /// The call portal. Returns the index of the word that is to load the return portal's address.
    #[inline(always)]
    fn call(&mut self) -> usize {
        let plan = self.plan;
        if self.c.trace.is_some() {
            self.e.put(addi(T6, T0, 0));
            self.record(trace::CALL);
        }
        if let Some(short_circuit) = &self.c.short_circuit {
            // Whether it ends the call or not.
            self.count();
            short_circuit.write(&mut self.e, !self.c.caller.trusted());
        }
        let table = !plan.same_domain || plan.stack == StackPlan::Queue || self.c.callee.supervisor();
        let too_deep = Tail::new(Tail::FAIL, Error::EDEPTH as u16);
        if plan.limit as usize == limit::UNTRUSTED {
            // Bit 11 of the frame's address is clear below the limit of the page.
            self.e.put_all([addi(T0, T0, -(plan.size as i32)), slli(T3, T0, 52)]);
            self.branch(bge(T3, ZERO, 0), too_deep);
        } else {
            // Its offset in the page, and the limit, in the upper bits of a word.
            let at = lui(T4, (plan.limit as u32) << 8);
            self.e.put_all([addi(T0, T0, -(plan.size as i32)), slliw(T3, T0, 20), at]);
            self.branch(bltu(T3, T4, 0), too_deep);
        }
        let address = self.e.next();
        self.e.put(0);
        if self.is_long() {
            self.e.put(0);
        }
        if table {
            self.e.page(T6, self.c.callee.table);
        }
        if self.satp_early() {
            self.e.put(ld(T5, T6, domain::SPACE));
        }
        self.e.put_all([sd(T4, T0, FRAME_PORTAL), sd(T2, T0, FRAME_TABLE), sd(RA, T0, FRAME_RA)]);
        if plan.save_sp {
            self.e.put(sd(SP, T0, FRAME_SP));
        }
        if plan.tp != 0 && !plan.hide && !self.c.callee.supervisor() {
            self.e.put_all([csrr(T3, csr::SSCRATCH), sd(T3, T0, plan.tp as i32)]);
        }
        let templated = self.specification_templated();
        if templated {
            self.templates(part::CHECK);
            if self.uses.asks {
                self.templates(part::ASK);
            }
            if table {
                // They have used it.
                self.e.page(T6, self.c.callee.table);
            }
        }
        if plan.stack == StackPlan::Queue {
            self.e.put(ld(T3, T6, domain::STACKS));
            self.branch(beq(T3, ZERO, 0), Tail::new(Tail::NO_STACK, 0));
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
            let mut skip = Label::NEW;
            if templated {
                self.e.put(csrr(T3, csr::SSTATUS));
            }
            self.e.branch(bge(T3, ZERO, 0), &mut skip);
            self.e.jump(T4, self.symbols.floating_push, T4);
            self.e.place(skip);
        }
        address
    }

    /// Whether the callee's `satp` is loaded well before it is written, to `t5`: a walk for windows needs the register.
    #[inline(always)]
    fn satp_early(&self) -> bool {
        self.is_call() && !self.plan.same_domain && !self.specification_templated() && !self.patches()
    }
    /// Whether the caller's tables may be patched for the call ([`abi::patch`]): where it is to its task, which is known when it is made. Pages that
    /// are lent lie in the callee's own tables only.
    #[inline(always)]
    fn patches(&self) -> bool {
        let eligible =
            self.c.caller.flags & flags::PATCHES != 0 && self.plan.hide && self.plan.stack == StackPlan::Queue;
        eligible && self.is_call() && !self.specification_templated() && self.c.trace.is_none()
    }
    /// Whether there are parts of templates, which may use all temporary registers.
    #[inline(always)]
    fn specification_templated(&self) -> bool {
        self.c.specification.is_templated()
    }
    /// Whether the return portal may be farther from the call portal than one addition reaches.
    #[inline(always)]
    fn is_long(&self) -> bool {
        self.c.specification.is_long() || self.c.trace.is_some()
    }
    /// Has a step of this kind written down, with depth `t6`. `t3` to `t6` are written.
    #[cold]
    fn record(&mut self, kind: u64) {
        if let Some(Trace { recorder, what }) = self.c.trace {
            // What is passed is of no use at the end.
            let what = if kind == trace::CALL { what } else { what >> trace::REGISTRATION << trace::REGISTRATION };
            self.e.constant(T5, (what | kind) as i64);
            self.e.jump(T4, recorder, T4);
        }
    }
    /// Whether pages are shared or moved before the call is made.
    fn transfers(&self) -> bool {
        let letter = |used: &Use| &self.c.templates.get(used.template as usize).letters[used.letter as usize % LETTERS];
        self.uses.all().iter().any(|used| letter(used).fault as usize == fault::TRANSFER)
    }
    /// Whether there is a frame to return through.
    #[inline(always)]
    fn is_call(&self) -> bool {
        !self.is_exception() && self.c.specification.stack != Stack::Jump
    }
    /// Saves the `part`th third of the callee-saved registers. They go between the writes to control registers, each of which
    /// empties the pipeline: a write-through cache takes its time for so many stores in a row.
    #[inline(always)]
    fn save(&mut self, part: usize) {
        if self.plan.callee_saved != 0 && self.is_call() {
            let at = self.plan.callee_saved as i32 + 32 * part as i32;
            let [a, b, c, d] = CALLEE_SAVED[part];
            self.e.put_all([sd(a, T0, at), sd(b, T0, at + 8), sd(c, T0, at + 16), sd(d, T0, at + 24)]);
            if self.plan.hide {
                self.clear([a, b, c, d]);
            }
        }
    }
    #[inline(always)]
    fn clear<const N: usize>(&mut self, registers: [Register; N]) {
        self.e.put_all(registers.map(|register| addi(register, ZERO, 0)));
    }
    #[inline(always)]
    fn is_exception(&self) -> bool {
        self.c.specification.state == State::Exception
    }
    /// One call more, of who calls (`t2`): where nothing can keep it from being made any more. `t3` and `t4` are free there.
    #[inline(always)]
    fn count(&mut self) {
        match self.c.count {
            Count::Off => {}
            Count::Word(n) => {
                let at = count::offset(n as usize);
                self.e.put_all([ld(T3, T2, domain::COUNTERS), ld(T4, T3, at), addi(T4, T4, 1), sd(T4, T3, at)]);
            }
            Count::Called => {
                let at = count::offset(0);
                self.e.put_all([ld(T3, T2, domain::COUNTERS), slli(T4, A7, 3), add(T3, T3, T4)]);
                self.e.put_all([ld(T4, T3, at), addi(T4, T4, 1), sd(T4, T3, at)]);
            }
        }
    }
    /// Goes to the callee.
    #[inline(always)]
    fn cross(&mut self) {
        if self.c.short_circuit.is_none() {
            self.count();
        }
        self.enter();
        if self.plan.same_domain {
            self.save(0);
        }
        self.save(1);
        if !self.is_exception() {
            self.insert_arguments();
        }
        self.leave();
    }
    /// Makes the callee's address space and stack current.
    #[inline(always)]
    fn enter(&mut self) {
        if !self.plan.same_domain {
            self.save(0);
            if self.patches() {
                self.e.jump(T4, self.symbols.patch_open, T4);
            } else if self.satp_early() {
                self.e.put_all([sd(T6, TP, TABLE), csrw(csr::SATP, T5)]);
            } else {
                self.e.put_all([ld(T3, T6, domain::SPACE), sd(T6, TP, TABLE), csrw(csr::SATP, T3)]);
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
    /// Goes to the entry point. An untrusted callee has its own thread pointer, and in other registers its arguments, its entry
    /// point and the entry stub, or 0; another has the caller's thread pointer, and keeps it.
    #[inline(always)]
    fn leave(&mut self) {
        const UPPER: u32 = (ENTRY_STUB >> 12) as u32;
        const { assert!(ENTRY_STUB as u32 == UPPER << 12 && ENTRY_STUB < 1 << 31) };
        // From here on nothing raises a fault, which would need the caller's `sepc` and `sscratch`.
        if self.c.caller.supervisor() && self.is_call() {
            self.e.put_all([addi(T4, ZERO, sstatus::SPP), csrc(csr::SSTATUS, T4)]);
        }
        if self.c.callee.supervisor() {
            return self.call_supervisor();
        }
        if self.is_call() {
            self.e.put_all([lui(T4, UPPER), csrrw(T3, csr::SEPC, T4), addi(T3, T3, 4), sd(T3, T0, FRAME_PC)]);
        } else {
            self.e.put_all([lui(T4, UPPER), csrw(csr::SEPC, T4)]);
        }
        self.save(2);
        if self.plan.hide && self.is_call() {
            self.e.put_all([csrrw(T3, csr::SSCRATCH, TP), sd(T3, T0, self.plan.tp as i32), ld(TP, T6, domain::TP)]);
            self.e.constant(T3, self.c.entry as i64);
            self.clear([GP, T0, T1, T2, T5, T6, A6, A7]);
            for n in self.c.specification.arguments().len()..ARGUMENTS {
                self.clear([argument(n)]);
            }
        } else {
            self.e.constant(T3, self.c.entry as i64);
            self.e.put(csrrw(TP, csr::SSCRATCH, TP));
            if !self.c.callee.trusted() && !self.c.callee.masked() {
                // One that calls itself trusts itself, and yet is not the nucleus.
                self.clear([T0, T1, T2]);
                if self.specification_templated() {
                    self.clear([T5, T6]);
                } else if self.plan.stack == StackPlan::Queue {
                    self.clear([T6]);
                }
            }
        }
        sret(&mut self.e);
    }
    /// Calls a supervisor domain's entry point, as a function, with interrupts on; it returns to the return portal, which follows.
    fn call_supervisor(&mut self) {
        self.e.put_all([csrr(T4, csr::SEPC), addi(T4, T4, 4), sd(T4, T0, FRAME_PC)]);
        self.save(2);
        self.e.put_all([csrrw(T3, csr::SSCRATCH, TP), sd(T3, T0, self.plan.tp as i32), ld(TP, T6, domain::TP)]);
        let [upper, call] = jump(RA, self.c.entry, T3);
        self.e.put_all([upper, csrsi(csr::SSTATUS, sstatus::SIE), call]);
        // An interrupt may come before the first instruction here as it may after the last there: the thread goes on where it was.
        self.e.put_all([csrci(csr::SSTATUS, sstatus::SIE), csrrw(TP, csr::SSCRATCH, TP), ld(T0, TP, INVOCATION)]);
        self.e.put_all([ld(T2, T0, FRAME_TABLE), ld(T3, T0, FRAME_PC)]);
    }
    /// Whether nothing is asked of a supervisor domain that there is not for it: its pages are not shared or moved, there is no trap to
    /// make a return from it again at, and no jump leads to it.
    fn suits_supervisor(&self) -> bool {
        let (caller, callee) = (self.c.caller.supervisor(), self.c.callee.supervisor());
        let again = |tail: &Tail| tail.0 >> 12 == Tail::AGAIN;
        !(caller || callee) || !self.transfers() && !(callee && (!self.is_call() || self.tails.all.iter().any(again)))
    }
    /// Moves what the caller passes to the callee's places: towards higher registers only, so the last goes first.
    #[inline(always)]
    fn move_arguments(&mut self) {
        let arguments = self.c.specification.arguments();
        let mut source = self.c.specification.passed();
        for (to, passed) in arguments.iter().enumerate().rev() {
            if source == to + 1 {
                // Nothing is inserted before it.
                break;
            }
            if !passed.inserted() {
                source -= 1;
                self.e.put(addi(argument(to), argument(source), 0));
            }
        }
    }
    /// Makes what the portal inserts. `t2` is still the caller's table.
    #[inline(always)]
    fn insert_arguments(&mut self) {
        let mut constants = self.c.constants.iter();
        for (to, inserted) in self.c.specification.arguments().iter().enumerate() {
            let register = argument(to);
            match inserted {
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
    #[inline(always)]
    fn returns(&mut self) {
        let plan = self.plan;
        if plan.floating_barrier {
            // `floating_return` in the nucleus skips these four instructions.
            let mut skip = Label::NEW;
            self.e.put(csrr(T4, csr::SSTATUS));
            self.e.branch(bge(T4, ZERO, 0), &mut skip);
            self.e.put_all([lui(T4, 6), csrc(csr::SSTATUS, T4)]);
            self.e.place(skip);
        }
        self.templates(part::BACK);
        if self.c.trace.is_some() {
            // `t3` is where the caller goes on.
            self.e.put_all([addi(T1, T3, 0), addi(T6, T0, plan.size as i32)]);
            self.record(trace::RETURN);
            self.e.put(addi(T3, T1, 0));
        }
        if self.patches() {
            self.e.jump(T4, self.symbols.patch_close, T4);
        }
        let satp = if plan.stack == StackPlan::Queue { T5 } else { T1 };
        if !plan.same_domain {
            self.e.put(ld(satp, T2, domain::SPACE));
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
            for (part, [a, b, c, d]) in CALLEE_SAVED.into_iter().enumerate() {
                let at = plan.callee_saved as i32 + 32 * part as i32;
                self.e.put_all([ld(a, T0, at), ld(b, T0, at + 8), ld(c, T0, at + 16), ld(d, T0, at + 24)]);
            }
        }
        if !plan.same_domain {
            self.e.put_all([sd(T2, TP, TABLE), csrw(csr::SATP, satp)]);
        }
        self.e.put_all([addi(T0, T0, plan.size as i32), sd(T0, TP, INVOCATION)]);
        if self.c.callee.masked() && !self.c.caller.masked() {
            self.e.constant(T1, SIE_ON as i64);
            self.e.put(csrw(csr::SIE, T1));
        }
        // What the callee may have left, and further down what the portal has put there; `t3` is where the caller goes on.
        if plan.clear {
            self.clear([A1, A2, A3, A4, A5, A6]);
            if !plan.hide {
                // An untrusted callee's is 0: it has called "return".
                self.clear([A7]);
            }
        }
        if plan.stack == StackPlan::Queue {
            let waiters = self.waiters();
            self.e.put(ld(waiters, T6, domain::STACK_WAITERS));
            self.branch(bne(waiters, ZERO, 0), Tail::new(Tail::STACK_FREE, 0));
        } else if plan.hide {
            self.clear([GP]);
        }
        if self.c.caller.supervisor() {
            // The table may be the graveyard's by now, which is no supervisor domain.
            self.e.put_all([ld(T4, T2, domain::FLAGS), andi(T4, T4, sstatus::SPP), ori(T4, T4, sstatus::SPIE)]);
            self.e.put(csrs(csr::SSTATUS, T4));
        }
        if plan.clear {
            self.clear([T1, T2, T4, T5, T6]);
        } else if !self.c.caller.trusted() {
            self.clear([T1, T2]);
            if plan.stack == StackPlan::Queue {
                self.clear([T4, T5, T6]);
            }
            if self.specification_templated() {
                self.clear([T4, T5, A6]);
            }
        }
        if plan.tp != 0 {
            self.e.put_all([csrw(csr::SSCRATCH, TP), ld(TP, T0, plan.tp as i32 - plan.size as i32)]);
        } else {
            self.e.put(csrrw(TP, csr::SSCRATCH, TP));
        }
        if plan.clear || !self.c.caller.trusted() {
            self.clear([T0]);
        }
        sret(&mut self.e);
    }

    /// Where the return portal has the number of those who wait for a stack: 0 is what it leaves there.
    #[inline(always)]
    fn waiters(&self) -> Register {
        if self.plan.hide { GP } else { T3 }
    }

    /// The start of what there is no return from. An exception portal: the nucleus has saved everything, `a0`…`a2` are cause, value and pc. Or a
    /// jump from one masked domain to another.
    #[inline(never)]
    fn direct(&mut self) -> usize {
        if self.is_exception() {
            self.e.put_all([ld(A3, T2, domain::IDENTITY), ld(A4, TP, INDEX)]);
        } else {
            self.move_arguments();
        }
        self.e.page(T6, self.c.callee.table);
        0
    }

    #[inline(always)]
    fn tails(&mut self) {
        let count = self.tails.count.min(TAILS);
        let fails = |tail: &Tail| tail.0 >> 12 == Tail::FAIL;
        let mut left = self.tails.all[..count].iter().filter(|tail| fails(tail)).count() as i32;
        for n in 0..count {
            let tail = self.tails.all[n];
            if fails(&tail) {
                self.e.place(self.tails.labels[n]);
                self.e.put(addi(A0, ZERO, -((tail.0 & 0xfff) as i32)));
                left -= 1;
                // The last one goes on behind itself; two words for each that follows are in between.
                if left > 0 {
                    self.e.put(jal(ZERO, 8 * left));
                } else {
                    if self.c.trace.is_some() {
                        self.e.put(addi(T6, T0, self.plan.size as i32));
                        self.record(trace::FAILED);
                    }
                    self.e.put_all(jump(ZERO, self.symbols.complete, T0));
                }
            }
        }
        for n in 0..count {
            let tail = self.tails.all[n];
            if !fails(&tail) {
                self.e.place(self.tails.labels[n]);
            }
            let of = (tail.0 & 0xfff) as usize;
            match tail.0 >> 12 {
                // All of them are there already.
                Tail::FAIL => {}
                Tail::SLOW => {
                    let used = self.uses.all()[of];
                    let letter = &self.c.templates.get(used.template as usize).letters[used.letter as usize];
                    self.template(of, &used, part::SLOW);
                    // Who the call is to, and for a server that is asked, which template asks.
                    self.e.page(T3, self.c.callee.table);
                    self.e.put(ld(T3, T3, domain::IDENTITY));
                    if letter.fault as usize == fault::ARGUMENT {
                        let number = used.template as i32;
                        self.e.put_all([addi(T4, ZERO, number), slli(T4, T4, fault::TEMPLATE as i32), or(T3, T3, T4)]);
                    }
                    self.raise(letter.fault as usize);
                }
                Tail::AGAIN => {
                    let used = self.uses.all()[of];
                    let letter = &self.c.templates.get(used.template as usize).letters[used.letter as usize];
                    // The fault's server runs on a trusted callee's stack, whose pointer the callee need not have kept.
                    match self.plan.stack {
                        StackPlan::Service => self.e.put(ld(SP, TP, SERVICE)),
                        StackPlan::Keep if self.plan.save_sp => self.e.put(ld(SP, T0, FRAME_SP)),
                        _ => {}
                    }
                    if self.plan.floating_barrier {
                        // The caller's state is back already: the return that comes would throw it away.
                        let mut skip = Label::NEW;
                        self.e.put(csrr(T3, csr::SSTATUS));
                        self.e.branch(bge(T3, ZERO, 0), &mut skip);
                        self.e.jump(T4, self.symbols.floating_push, T4);
                        self.e.place(skip);
                    }
                    if letter.fault as usize == fault::TRANSFER {
                        self.e.put_all([addi(T1, A6, 0), addi(T3, T5, 0)]);
                    } else {
                        self.e.put_all([addi(T1, ZERO, 0), addi(T3, ZERO, 0)]);
                    }
                    // At the callee's own trap.
                    self.raise_at(letter.fault as usize, self.symbols.raise);
                }
                Tail::NO_STACK => {
                    if self.transfers() {
                        // Nobody waits with pages that a callee has already: the wait may end otherwise than with the call.
                        let mut nothing = Label::NEW;
                        self.e.put(ld(T3, TP, TRANSFERRING));
                        self.e.branch(beq(T3, ZERO, 0), &mut nothing);
                        self.e.put(addi(T1, ZERO, 0));
                        self.raise(fault::TRANSFER);
                        self.e.place(nothing);
                    }
                    self.e.put_all(jump(ZERO, self.symbols.no_stack, T4));
                }
                _ => {
                    let waiters = self.waiters();
                    self.e.put_all([addi(waiters, waiters, -1), sd(waiters, T6, domain::STACK_WAITERS)]);
                    self.clear([waiters]);
                    if self.plan.tp != 0 {
                        self.e.put(ld(T3, T0, self.plan.tp as i32 - self.plan.size as i32));
                        self.e.put(csrw(csr::SSCRATCH, T3));
                    }
                    self.e.put_all(jump(ZERO, self.symbols.stack_free, T4));
                }
            }
        }
    }
    /// Raises fault `number` of the caller's with value `t1` and `t3` in place of the program counter.
    #[inline(always)]
    fn raise(&mut self, number: usize) {
        let at = if self.c.caller.supervisor() { self.symbols.raise_supervisor } else { self.symbols.raise };
        self.raise_at(number, at);
    }
    #[inline(always)]
    fn raise_at(&mut self, number: usize, at: u64) {
        let [upper, jump] = jump(ZERO, at, T4);
        self.e.put_all([addi(T0, ZERO, number as i32), upper, jump]);
    }
}
