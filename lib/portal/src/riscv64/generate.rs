//! Code for one connection: the call portal and its return portal.
//!
//! The nucleus jumps to a call portal with `tp` = the thread, `t1` = the portal's own address, `t2` = the caller's
//! table, `t0` = the top of the invocation stack, `a7` = the portal's number, and the caller's `tp` in `sscratch`; `t3`…`t6`
//! are free, `a0`…`a5` are the arguments. It comes back to the return portal with `t0` = the frame, `t1` = the return portal's
//! address, `t2` = the caller's table and `t3` = where the caller goes on. Loads come well before what needs them. Until the
//! frame is committed nothing has changed but free words below the invocation stack, so that a raised fault can execute
//! the caller's `ecall` again.

use super::emit::{Buffer, Emitter};
use super::encode::*;
use super::filling::{self, Filling, code};
use super::lower::hole;
use super::tails::{TAILS, Tail, Tails};
use crate::connection::{Block, Connection, Count, GenerateError, Trace};
use crate::frame::{FramePlan, StackPlan};
use crate::specification::{Stack, State};
use crate::uses::{Use, Uses};
use abi::boot::Symbols;
use abi::count;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, Thread, domain, fault, flags};
use abi::template::{LETTERS, Part, part};
use abi::trace;
use core::mem::offset_of;

pub(super) const INVOCATION: i32 = offset_of!(Thread, invocation) as i32;
pub(super) const TABLE: i32 = offset_of!(Thread, table) as i32;
pub(super) const SERVICE: i32 = offset_of!(Thread, service) as i32;
pub(super) const INDEX: i32 = offset_of!(Thread, index) as i32;
pub(super) const FRAME_PORTAL: i32 = 0;
pub(super) const FRAME_TABLE: i32 = 8;
pub(super) const FRAME_PC: i32 = 16;
pub(super) const FRAME_SP: i32 = 24;
pub(super) const FRAME_RA: i32 = 32;

/// Argument register `n`.
#[inline(always)]
pub(super) fn argument(n: usize) -> Register {
    Register(A0.0 + n as u8)
}

/// Writes header and code for `connection` to `out`, to be executed at any supervisor address that is a multiple of 64
/// (the code is independent of its own place).
#[inline(always)]
pub fn generate(connection: &Connection, symbols: &Symbols, out: &mut Buffer) -> Result<Block, GenerateError> {
    match generate_once(connection, symbols, out) {
        Err(GenerateError::NoRoom) => generate_at_call(connection, symbols, out),
        made => made,
    }
}
#[inline(never)]
fn generate_once(connection: &Connection, symbols: &Symbols, out: &mut Buffer) -> Result<Block, GenerateError> {
    if connection.constants.len() < connection.specification.constants() {
        return Err(GenerateError::Constants);
    }
    let mut plan = FramePlan::new(connection, 0);
    let mut uses = Uses::NONE;
    uses.find(connection.specification, &connection.templates, plan.size).map_err(GenerateError::NoTemplate)?;
    plan.size += uses.size;
    let mut g = Generator {
        e: Emitter::new(out),
        c: connection,
        symbols,
        plan,
        uses: &uses,
        tails: Tails::NONE,
        constant: (0, 0),
    };
    g.e.put_all([0; BLOCK_HEADER / 4]);
    let address = if g.is_call() { g.call() } else { g.direct() };
    g.cross();
    let (frame, return_offset) = if g.is_call() {
        let offset = g.e.position() - BLOCK_HEADER;
        if offset > REACH << g.is_long() as u32 {
            return Err(GenerateError::NoRoom);
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
        return Err(GenerateError::NoRoom);
    };
    let header = [BLOCK_MAGIC, (words - BLOCK_HEADER / 4) as u32, frame as u32, return_offset as u32];
    for (index, word) in header.into_iter().enumerate() {
        g.e.patch(index, word);
    }
    let constant = if connection.specification.constants() == 1 { g.constant } else { (0, 0) };
    Ok(Block { words, plan: g.plan, constant })
}

/// What is too long with windows that are mapped at the first access (three of several pages are) has them mapped at the call.
#[cold]
fn generate_at_call(connection: &Connection, symbols: &Symbols, out: &mut Buffer) -> Result<Block, GenerateError> {
    if !connection.templates.is_at_touch() {
        return Err(GenerateError::NoRoom);
    }
    generate_once(&Connection { templates: connection.templates.at_touch(false), ..*connection }, symbols, out)
}

/// Farthest that one addition reaches.
const REACH: usize = 2047;

pub(super) struct Generator<'a, 'o> {
    pub(super) e: Emitter<'o>,
    pub(super) c: &'a Connection<'a>,
    pub(super) symbols: &'a Symbols,
    pub(super) plan: FramePlan,
    pub(super) uses: &'a Uses,
    pub(super) tails: Tails,
    /// Where the last constant is loaded, and into which register.
    pub(super) constant: (u16, u8),
}

impl Generator<'_, '_> {
    /// A branch to `tail`, which no other leads to so far, and which is written after the portal's code.
    #[inline(always)]
    pub(super) fn branch(&mut self, branch: u32, tail: Tail) {
        let n = self.tails.add(tail);
        self.e.put(branch | self.tails.link(n, self.e.next()));
    }
    /// Puts in the parts that templates have for moment `which`.
    #[inline(always)]
    pub(super) fn templates(&mut self, which: usize) {
        if self.specification_templated() {
            let uses = self.uses;
            for (n, used) in uses.all().iter().enumerate() {
                self.template(n, used, which);
            }
        }
    }
    /// The parts of `used`, which is number `n`.
    pub(super) fn template(&mut self, n: usize, used: &Use, which: usize) {
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
            filling::put(&mut self.e, code, &filling, |word, at| {
                let n = match hole::kind(word) {
                    hole::SLOW => {
                        *slow.get_or_insert_with(|| tails.find(slow_tail).unwrap_or_else(|| tails.add(slow_tail)))
                    }
                    _ => {
                        let fail = Tail::new(Tail::FAIL, hole::operand(word) as u16);
                        tails.find(fail).unwrap_or_else(|| tails.add(fail))
                    }
                };
                tails.link(n, at)
            });
        }
    }

    /// Whether the callee's `satp` is loaded well before it is written, to `t5`: a walk for windows needs the register.
    #[inline(always)]
    pub(super) fn satp_early(&self) -> bool {
        self.is_call() && !self.plan.same_domain && !self.specification_templated() && !self.patches()
    }
    /// Whether the caller's tables may be patched for the call ([`abi::patch`]): where it is to its task, which is known when it is made. Pages that
    /// are lent lie in the callee's own tables only.
    #[inline(always)]
    pub(super) fn patches(&self) -> bool {
        let eligible =
            self.c.caller.flags & flags::PATCHES != 0 && self.plan.hide && self.plan.stack == StackPlan::Queue;
        eligible && self.is_call() && !self.specification_templated() && self.c.trace.is_none()
    }
    /// Whether there are parts of templates, which may use all temporary registers.
    #[inline(always)]
    pub(super) fn specification_templated(&self) -> bool {
        self.c.specification.is_templated()
    }
    /// Whether the return portal may be farther from the call portal than one addition reaches.
    #[inline(always)]
    pub(super) fn is_long(&self) -> bool {
        self.c.specification.is_long() || self.c.trace.is_some()
    }
    /// Has a step of this kind written down, with depth `t6`. `t3` to `t6` are written.
    #[cold]
    pub(super) fn record(&mut self, kind: u64) {
        if let Some(Trace { recorder, what }) = self.c.trace {
            // What is passed is of no use at the end.
            let what = if kind == trace::CALL { what } else { what >> trace::REGISTRATION << trace::REGISTRATION };
            self.e.constant(T5, (what | kind) as i64);
            self.e.jump(T4, recorder, T4);
        }
    }
    /// Whether pages are shared or moved before the call is made.
    pub(super) fn transfers(&self) -> bool {
        let letter = |used: &Use| &self.c.templates.get(used.template as usize).letters[used.letter as usize % LETTERS];
        self.uses.all().iter().any(|used| letter(used).fault as usize == fault::TRANSFER)
    }
    /// Whether there is a frame to return through.
    #[inline(always)]
    pub(super) fn is_call(&self) -> bool {
        !self.is_exception() && self.c.specification.stack != Stack::Jump
    }
    /// Saves the `part`th third of the callee-saved registers. They go between the writes to control registers, each of which
    /// empties the pipeline: a write-through cache takes its time for so many stores in a row.
    #[inline(always)]
    pub(super) fn save(&mut self, part: usize) {
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
    pub(super) fn clear<const N: usize>(&mut self, registers: [Register; N]) {
        self.e.put_all(registers.map(|register| addi(register, ZERO, 0)));
    }
    #[inline(always)]
    pub(super) fn is_exception(&self) -> bool {
        self.c.specification.state == State::Exception
    }
    /// One call more, of who calls (`t2`): where nothing can keep it from being made any more. `t3` and `t4` are free there.
    #[inline(always)]
    pub(super) fn count(&mut self) {
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
}
/// Writes code that ends a call with `error`; its words, or `None`.
pub fn answer(error: abi::Error, symbols: &Symbols, out: &mut Buffer) -> Option<usize> {
    let mut e = Emitter::new(out);
    e.put_all([0; BLOCK_HEADER / 4]);
    e.constant(A0, error.code() as i64);
    e.jump(ZERO, symbols.complete, T0);
    let words = e.words()?;
    for (index, word) in [BLOCK_MAGIC, (words - BLOCK_HEADER / 4) as u32, 0, 0].into_iter().enumerate() {
        e.patch(index, word);
    }
    Some(words)
}
