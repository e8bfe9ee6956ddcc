//! The call portal, up to where the callee is gone to: the frame, what templates check, the callee's stack.

use super::emit::{Emitter, Label};
use super::encode::*;
use super::generate::{FRAME_PORTAL, FRAME_RA, FRAME_SP, FRAME_TABLE, Generator, INDEX, INVOCATION, SERVICE, argument};
use super::tails::Tail;
use crate::frame::StackPlan;
use abi::Error;
use abi::address::{SERVICE_ANEW, SERVICE_LOWEST, SERVICE_STACK, SERVICE_STRIDE};
use abi::nucleus::{domain, limit};
use abi::template::part;
use abi::trace;

/// A constant of less than 2³¹, in two instructions.
const fn constant(register: Register, constant: usize) -> [u32; 2] {
    let upper = (constant + 0x800) >> 12;
    [lui(register, upper as u32), addi(register, register, constant as i32 - ((upper as i32) << 12))]
}
/// Before anything else: others go on on the caller's stack, if that is where its stack pointer says. A caller that has lost it must not end one that the system stands
/// on. One that is in the thread's service stack stays, rounded as all are; for another, they have what is below all that may be in use of who has called the caller.
const CHECK_STACK: [u32; 14] = {
    const SHIFT: i32 = SERVICE_STRIDE.trailing_zeros() as i32;
    let ([lowest, lowest_too], [anew, anew_too]) = (constant(T5, SERVICE_LOWEST), constant(T3, SERVICE_ANEW));
    [
        ld(T3, TP, SERVICE),
        addi(T4, T3, -1),
        srli(T4, T4, SHIFT),
        slli(T4, T4, SHIFT),
        lowest,
        lowest_too,
        add(T5, T4, T5),
        sub(T3, T3, T5),
        sub(T5, SP, T5),
        bgeu(T3, T5, 16),
        anew,
        anew_too,
        add(SP, T4, T3),
        andi(SP, SP, -16),
    ]
};
/// Who is called by the callee has the service stack from where the caller's stack pointer is; `t4` is where it began. One that does not lie a stack's length below that
/// is wrong: the next instruction, which says so, is left out.
const IS_BELOW: [u32; 3] = [sub(T4, T4, SP), srli(T4, T4, SERVICE_STACK.trailing_zeros() as i32), bne(T4, ZERO, 8)];

/// Most portals have no such callers.
#[cold]
#[inline(never)]
fn check_stack(e: &mut Emitter) {
    e.put_all(CHECK_STACK);
}

impl Generator<'_, '_> {
    /// The call portal. Returns the index of the word that is to load the return portal's address.
    #[inline(always)]
    pub(super) fn call(&mut self) -> usize {
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
        if plan.stack == StackPlan::Keep && self.stack_may_be_lost() && self.c.callee.first() {
            check_stack(&mut self.e);
        }
        let table = !plan.same_domain || plan.stack == StackPlan::Queue || self.c.callee.supervisor();
        self.make_frame();
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
        self.take_stack();
        if plan.floating_barrier && !templated {
            self.e.put(csrr(T3, csr::SSTATUS));
        }
        self.e.put(sd(T0, TP, INVOCATION));
        self.move_arguments();
        if templated {
            self.templates(part::PASS);
        }
        if plan.floating_barrier {
            if templated {
                self.e.put(csrr(T3, csr::SSTATUS));
            }
            self.push_floating();
        }
        address
    }

    /// Makes room for the frame on the invocation stack, where there is some.
    #[inline(always)]
    fn make_frame(&mut self) {
        let plan = self.plan;
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
    }
    /// The caller is trusted, and not one of the first components: where its stack pointer is is looked at, if one of these goes on there, or service stacks do when it is
    /// called back.
    #[inline(always)]
    fn stack_may_be_lost(&self) -> bool {
        self.c.caller.trusted() && !self.c.caller.first()
    }
    /// Takes the callee's next stack off its queue, if that is where it has one from.
    #[inline(always)]
    fn take_stack(&mut self) {
        let plan = self.plan;
        if plan.stack == StackPlan::Queue {
            self.e.put(ld(T3, T6, domain::STACKS));
            self.branch(beq(T3, ZERO, 0), Tail::new(Tail::NO_STACK, 0));
            self.e.put_all([ld(T4, T3, 0), sd(T4, T6, domain::STACKS), sd(T3, T0, plan.descriptor as i32)]);
            if plan.service != 0 {
                self.e.put_all([ld(T4, TP, SERVICE), sd(T4, T0, plan.service as i32)]);
                if self.stack_may_be_lost() {
                    self.e.put_all(IS_BELOW);
                }
                self.e.put(sd(SP, TP, SERVICE));
            }
            self.e.put(ld(SP, T3, 8));
        }
    }
    /// Keeps the caller's floating-point state, if it is live: of `sstatus`, in `t3`, SD (bit 63) is set then.
    #[inline(always)]
    pub(super) fn push_floating(&mut self) {
        let mut skip = Label::NEW;
        self.e.branch(bge(T3, ZERO, 0), &mut skip);
        self.e.jump(T4, self.symbols.floating_push, T4);
        self.e.place(skip);
    }

    /// The start of what there is no return from. An exception portal: the nucleus has saved everything, `a0`…`a2` are cause, value and pc. Or a
    /// jump from one masked domain to another.
    #[inline(never)]
    pub(super) fn direct(&mut self) -> usize {
        if self.plan.stack == StackPlan::Keep && self.stack_may_be_lost() && self.c.callee.first() {
            check_stack(&mut self.e);
        }
        if self.is_exception() {
            self.e.put_all([ld(A3, T2, domain::IDENTITY), ld(A4, TP, INDEX)]);
        } else {
            self.move_arguments();
        }
        self.e.page(T6, self.c.callee.table);
        0
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
}
