//! Into the callee: its address space, its stack, its arguments and its mode. Of what has no return, all of it.

use super::emit::{jump, sret};
use super::encode::*;
use super::generate::{FRAME_PC, FRAME_TABLE, Generator, INDEX, INVOCATION, SERVICE, TABLE, argument};
use super::tails::Tail;
use crate::frame::StackPlan;
use crate::specification::{ARGUMENTS, Argument};
use abi::address::ENTRY_STUB;
use abi::nucleus::{domain, flags};

impl Generator<'_, '_> {
    /// Goes to the callee.
    #[inline(always)]
    pub(super) fn cross(&mut self) {
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
            self.change_thread_pointer();
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
    /// The caller's thread pointer is kept, and the callee's is in its place: the domain's, or the thread's number.
    #[inline(always)]
    fn change_thread_pointer(&mut self) {
        let own = if self.c.callee.flags & flags::NAMED != 0 { ld(TP, TP, INDEX) } else { ld(TP, T6, domain::TP) };
        self.e.put_all([csrrw(T3, csr::SSCRATCH, TP), sd(T3, T0, self.plan.tp as i32), own]);
    }
    /// Calls a supervisor domain's entry point, as a function, with interrupts on; it returns to the return portal, which follows.
    fn call_supervisor(&mut self) {
        self.e.put_all([csrr(T4, csr::SEPC), addi(T4, T4, 4), sd(T4, T0, FRAME_PC)]);
        self.save(2);
        self.change_thread_pointer();
        let [upper, call] = jump(RA, self.c.entry, T3);
        self.e.put_all([upper, csrsi(csr::SSTATUS, sstatus::SIE), call]);
        // An interrupt may come before the first instruction here as it may after the last there: the thread goes on where it was.
        self.e.put_all([csrci(csr::SSTATUS, sstatus::SIE), csrrw(TP, csr::SSCRATCH, TP), ld(T0, TP, INVOCATION)]);
        self.e.put_all([ld(T2, T0, FRAME_TABLE), ld(T3, T0, FRAME_PC)]);
    }
    /// Whether nothing is asked of a supervisor domain that there is not for it: its pages are not shared or moved, there is no trap to
    /// make a return from it again at, and no jump leads to it.
    pub(super) fn suits_supervisor(&self) -> bool {
        let (caller, callee) = (self.c.caller.supervisor(), self.c.callee.supervisor());
        let again = |tail: &Tail| tail.kind() == Tail::AGAIN;
        !(caller || callee) || !self.transfers() && !(callee && (!self.is_call() || self.tails.all.iter().any(again)))
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
                    self.constant = (self.e.next() as u16, register.0);
                    self.e.constant(register, value as i64);
                }
                Argument::Number => self.e.put(addi(register, A7, 0)),
                Argument::Thread => self.e.put(ld(register, TP, INDEX)),
                Argument::Domain => self.e.put(ld(register, T2, domain::ASID)),
                Argument::Identity => self.e.put(ld(register, T2, domain::IDENTITY)),
                Argument::Time => {
                    self.e.put(csrr(register, csr::CYCLE));
                    self.e.put(srli(register, register, 1));
                }
                _ => {}
            }
        }
    }
}
