//! The return portal: what templates undo, what the caller had, and the way to it, with nothing of the callee's.

use super::emit::{Label, sret};
use super::encode::*;
use super::generate::{FRAME_RA, FRAME_SP, Generator, INVOCATION, SERVICE, TABLE};
use super::tails::Tail;
use crate::frame::StackPlan;
use abi::nucleus::domain;
use abi::template::part;
use abi::trace;

impl Generator<'_, '_> {
    /// The return portal.
    #[inline(always)]
    pub(super) fn returns(&mut self) {
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
        let satp = self.restore_stack();
        self.restore_state(satp);
        self.clear_left();
        self.go_home();
    }
    /// Gives the stack back to its queue, and the caller its own. Returns the register that its address space is in.
    #[inline(always)]
    fn restore_stack(&mut self) -> Register {
        let plan = self.plan;
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
        satp
    }
    /// Restores registers, address space and interrupts, and takes the frame away.
    #[inline(always)]
    fn restore_state(&mut self, satp: Register) {
        let plan = self.plan;
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
    }
    /// Clears what the callee may have left, and looks for those who wait for its stack.
    #[inline(always)]
    fn clear_left(&mut self) {
        let plan = self.plan;
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
    }
    /// Goes on in the caller.
    #[inline(always)]
    fn go_home(&mut self) {
        let plan = self.plan;
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
    pub(super) fn waiters(&self) -> Register {
        if self.plan.hide { GP } else { T3 }
    }
}
