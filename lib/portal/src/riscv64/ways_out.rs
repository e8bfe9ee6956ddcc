//! Ways out of a portal: errors, faults, waits. They are written behind its code, so that what is usual runs on without a jump.

use super::emit::jump;
use super::encode::*;
use super::generate::{FRAME_SP, Generator, SERVICE};
use super::tails::{TAILS, Tail};
use crate::frame::StackPlan;
use abi::nucleus::{domain, fault};
use abi::template::part;
use abi::trace;

impl Generator<'_, '_> {
    /// Writes all that branches lead to: errors first, which share their end.
    #[inline(always)]
    pub(super) fn tails(&mut self) {
        self.failures();
        for n in 0..self.tails.count.min(TAILS) {
            let tail = self.tails.all[n];
            if tail.kind() != Tail::FAIL {
                self.e.place(self.tails.labels[n]);
            }
            match tail.kind() {
                // All of them are there already.
                Tail::FAIL => {}
                Tail::SLOW => self.slow(tail.of()),
                Tail::AGAIN => self.again(tail.of()),
                Tail::NO_STACK => self.no_stack(),
                _ => self.stack_free(),
            }
        }
    }
    /// Ends the call with an error.
    #[inline(always)]
    fn failures(&mut self) {
        let count = self.tails.count.min(TAILS);
        let fails = |tail: &&Tail| tail.kind() == Tail::FAIL;
        let mut left = self.tails.all[..count].iter().filter(fails).count() as i32;
        for n in 0..count {
            let tail = self.tails.all[n];
            if tail.kind() != Tail::FAIL {
                continue;
            }
            self.e.place(self.tails.labels[n]);
            self.e.put(addi(A0, ZERO, -(tail.of() as i32)));
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
    /// The letter of use `of` raises its fault.
    #[inline(always)]
    fn slow(&mut self, of: usize) {
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
    /// The letter of use `of` raises its fault when the call returns: the return is made again.
    #[inline(always)]
    fn again(&mut self, of: usize) {
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
            self.e.put(csrr(T3, csr::SSTATUS));
            self.push_floating();
        }
        if letter.fault as usize == fault::TRANSFER {
            self.e.put_all([addi(T1, A6, 0), addi(T3, T5, 0)]);
        } else {
            self.e.put_all([addi(T1, ZERO, 0), addi(T3, ZERO, 0)]);
        }
        // At the callee's own trap.
        self.raise_at(letter.fault as usize, self.symbols.raise);
    }
    /// The callee's stack queue is empty: the thread waits for one. What was moved for the call comes back first, in the portal manager.
    #[inline(always)]
    fn no_stack(&mut self) {
        self.e.put_all(jump(ZERO, self.symbols.no_stack, T4));
    }
    /// Threads wait for the stack that was put back: the scheduler wakes one.
    #[inline(always)]
    fn stack_free(&mut self) {
        let waiters = self.waiters();
        self.e.put_all([addi(waiters, waiters, -1), sd(waiters, T6, domain::STACK_WAITERS)]);
        self.clear([waiters]);
        if self.plan.tp != 0 {
            self.e.put(ld(T3, T0, self.plan.tp as i32 - self.plan.size as i32));
            self.e.put(csrw(csr::SSCRATCH, T3));
        }
        self.e.put_all(jump(ZERO, self.symbols.stack_free, T4));
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
