//! What registers tell a component of the supervisor: whoever goes on in user mode, and is not trusted, finds in the temporaries and the argument
//! registers no address of the supervisor's data that was not in a register of whoever was there before.
//!
//! What a trap from user mode has saved as a whole, and what is restored as a whole (which the nucleus begins with a store-conditional),
//! are that component's own values.

use crate::machine::Machine;

/// Where the machine reads who goes on, and what such a one may be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Secrets {
    /// Offset of its table's supervisor address in a thread, whose own is in `sscratch`.
    pub table: u64,
    /// Offset of the flags in the table.
    pub flags: i64,
    /// The flags of components which may find anything.
    pub trusted: u64,
}
/// A register that had such an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leak {
    /// `x1` to `x31`.
    pub register: usize,
    pub value: u64,
    /// Where the component goes on, and in which address space.
    pub to: (u64, u16),
    /// Where the component before it was left, and the portal that it called, if it called one.
    pub from: (u64, u16),
    pub portal: u64,
    /// Instructions before that.
    pub when: u64,
}
/// Registers that a component may find something in: `t0` to `t2`, `a0` to `a7`, `t3` to `t6`.
const LOOKED_AT: [usize; 15] = [5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31];

/// What is known of the way from one component to the next.
#[derive(Default)]
pub(crate) struct Way {
    /// Registers of the component that was left.
    left_with: [u64; 32],
    left_at: (u64, u16),
    /// All registers are what they were before another trap.
    restored: bool,
}
impl Way {
    pub fn leave(&mut self, registers: &[u64; 32], at: (u64, u16)) {
        *self = Way { left_with: *registers, left_at: at, restored: false };
    }
    pub fn restore(&mut self) {
        self.restored = true;
    }
}

impl Machine {
    /// The supervisor's data: RAM as the kernel's half shows it, sign-extended.
    fn is_secret(&self, value: u64) -> bool {
        value == value as u32 as i32 as i64 as u64
            && value >> 63 == 1
            && self.memory.offset(u64::from(value as u32), 8).is_some()
    }
    /// What a component that goes on now finds.
    pub(crate) fn leak(&self) -> Option<Leak> {
        let secrets = self.settings.secrets.as_ref().filter(|_| self.user && !self.way.restored)?;
        let physical = |address: u64| u64::from(address as u32);
        let found = |r: &usize| self.is_secret(self.x[*r]) && !self.way.left_with.contains(&self.x[*r]);
        let register = LOOKED_AT.into_iter().find(found)?;
        let table = self.memory.word(physical(self.control.sscratch.wrapping_add(secrets.table)));
        let flags = self.memory.word(physical(table.wrapping_add_signed(secrets.flags)));
        (flags & secrets.trusted == 0).then(|| Leak {
            register,
            value: self.x[register],
            to: self.place_now(),
            from: self.way.left_at,
            portal: self.way.left_with[17],
            when: self.instructions,
        })
    }
}
