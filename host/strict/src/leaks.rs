//! Where the machine looks for what registers tell of the supervisor ([`crate::secrets`]).

use crate::machine::Machine;
use crate::secrets::Leak;

/// Registers that a component may find something in: `t0` to `t2`, `a0` to `a7`, `t3` to `t6`.
const LOOKED_AT: [usize; 15] = [5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31];

impl Machine {
    /// The supervisor's data: RAM as the kernel's half shows it, sign-extended.
    fn is_secret(&self, value: u64) -> bool {
        value == value as u32 as i32 as i64 as u64
            && value >> 63 == 1
            && self.memory.offset(u64::from(value as u32), 8).is_some()
    }
    /// What a component that goes on now finds.
    pub(crate) fn leak(&mut self) -> Option<Leak> {
        let secrets = self.settings.secrets.filter(|_| self.user && !self.way.restored)?;
        if secrets.stub == self.pc && secrets.stub != 0 {
            self.way.stub = true;
            return None;
        }
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
