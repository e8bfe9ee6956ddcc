//! Portals from the trusted servers' own tables into domains that want to be called: handlers of faults, in the memory manager's
//! table, and notification routines, templates' questions and questions about who may open a name, in the portal manager's.
//!
//! Who makes such a call reads the portal's number under a lock, and makes the call without one. So what a number leads to must not
//! change in between, and three rules see to that. Nothing else ever gets a number in these tables: no server can grant a portal there
//! (`grant.rs`), and nobody opens one. A number that a pending call names, one that is about to be made or has not returned, leads to
//! the same handler or, once that is withdrawn, to the answer for the dead; it is given away when no call is pending. And who holds
//! up calls holds up its own numbers: those of handlers that are withdrawn count with the others that lead to the same domain.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use crate::state::code::Kind;
use abi::Error;
use abi::account::Resource;
use fallible::TryPush;
use portal::Specification;

use crate::state::upcalls::{Upcall, What};

/// Most upcalls that lead to one domain.
const MOST: usize = 64;

impl<M: Machine> Manager<M> {
    /// Makes a portal from the table of boot component `from` to `entry` in domain `to`; its number. `ENFILE`: there are too many.
    #[optimize(size)]
    pub fn add_upcall(&mut self, (from, to): (usize, usize), spec: &str, entry: usize, what: What) -> Result<usize> {
        let specification = self.parse(spec).map_err(|_| Error::EINVAL)?;
        self.add_upcall_with((from, to), to, &specification, (entry as u64, &[]), what)
    }
    /// The same for a specification that is parsed, with constants; `payer` pays for what counts.
    #[optimize(size)]
    pub fn add_upcall_with(
        &mut self,
        (from, to): (usize, usize),
        payer: usize,
        specification: &Specification,
        target: (u64, &[u64]),
        what: What,
    ) -> Result<usize> {
        self.free_upcalls();
        let id = self.domain(to)?.id;
        if self.upcalls.iter().filter(|u| u.to == id).count() >= MOST {
            return Err(Error::ENFILE);
        }
        let number = self.free_numbers(from, 1)?;
        self.upcalls.try_reserve(1).map_err(|_| Error::ENOMEM)?;
        let count = matches!(what, What::Faults(_) | What::Question { .. }) as usize;
        let charge = self.charge(payer, Resource::Pagers, count)?;
        let ends = (self.end(from)?, to);
        let made = self.generate(ends, specification, target, Kind::Upcall, self.count(number));
        if let Err(error) = made.and_then(|code| self.install_first(from, number, code)) {
            self.accounts.refund(charge);
            return Err(error);
        }
        self.upcalls.push_kept(Upcall { from, number, to: id, what, pending: 0, withdrawn: false, charge });
        Ok(number)
    }
    /// Withdraws the upcalls that are `meant`.
    #[optimize(size)]
    pub fn withdraw_upcalls(&mut self, meant: impl Fn(&Upcall) -> bool) {
        let mut upcalls = core::mem::take(&mut self.upcalls);
        for upcall in upcalls.iter_mut().filter(|u| !u.withdrawn && meant(u)) {
            upcall.withdrawn = true;
            // From here on whoever calls it gets the answer for the dead; the number stays taken.
            let dead = self.dead.portal;
            let _ = self.install_alone(upcall.from, upcall.number, dead);
        }
        self.upcalls = upcalls;
        self.free_upcalls();
    }
    /// Frees the numbers of those that are withdrawn and that no pending call names.
    #[optimize(size)]
    fn free_upcalls(&mut self) {
        let mut upcalls = core::mem::take(&mut self.upcalls);
        upcalls.retain_mut(|upcall| {
            let kept = !upcall.withdrawn
                || upcall.pending > 0
                || (upcall.from != self.roles.own && self.machine.pager_pending(upcall.number));
            if !kept {
                let _ = self.uninstall(upcall.from, upcall.number);
                self.accounts.refund(upcall.charge.take());
            }
            kept
        });
        self.upcalls = upcalls;
    }
    /// A call of portal `number` of the portal manager's own table is about to be made: it leads where it does until
    /// [`Manager::upcall_returned`]. `EDEAD`: it leads nowhere.
    #[optimize(size)]
    pub fn upcall_pending(&mut self, number: usize) -> Result<usize> {
        let own = self.roles.own;
        let upcall = self.upcalls.iter_mut().find(|u| u.from == own && u.number == number && !u.withdrawn);
        upcall.ok_or(Error::EDEAD)?.pending += 1;
        Ok(number)
    }
    #[optimize(size)]
    pub fn upcall_returned(&mut self, number: usize) {
        let own = self.roles.own;
        if let Some(upcall) = self.upcalls.iter_mut().find(|u| u.from == own && u.number == number) {
            upcall.pending -= 1;
            if upcall.withdrawn && upcall.pending == 0 {
                self.free_upcalls();
            }
        }
    }
    /// Whether somebody has an upcall for faults.
    pub fn has_pagers(&self) -> bool {
        self.upcalls.iter().any(|u| matches!(u.what, What::Faults(_)) && !u.withdrawn)
    }
}
