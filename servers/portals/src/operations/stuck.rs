//! Domains that wait for what can not come.

use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use abi::identity::DomainId;

impl<M: Machine> Manager<M> {
    /// A domain may wait for a semaphore that nobody is left to post: its threads all wait without a time-out, nobody
    /// else has the semaphores, and nobody can call it. Such waits end with `EDEAD`. Only who had a child or a parent that has ended is
    /// looked at: a domain that nobody else ever had a part in has itself to thank for what it waits for.
    ///
    /// What thread `index` has come from has ended. Its account's domains are looked at alone: nobody else has a semaphore of theirs, nor pays for the look.
    pub fn wake_stuck(&mut self, index: usize) {
        let account = self.threads.account(index);
        for n in 0..self.domains.orphaned.len() {
            let asid = self.domains.orphaned[n];
            if self.domain(asid).is_ok_and(|d| d.account != account) {
                continue;
            }
            // Unless one of them has been woken while the others were looked at: who is as it was found then, now that all have been,
            // waited when they all did, and nobody was left to wake one.
            if self.is_stuck(asid) {
                let Ok(id) = self.domain(asid).map(|d| d.id) else { continue };
                if self.threads_of(id).all(|index| self.machine.end_stuck(index, false)) {
                    self.threads_of(id).for_each(|index| {
                        self.machine.end_stuck(index, true);
                    });
                }
            }
        }
    }
    fn threads_of(&self, id: DomainId) -> impl Iterator<Item = usize> {
        self.threads.living().filter(move |&(_, _, home)| home == id).map(|(index, _, _)| index)
    }
    fn is_stuck(&self, asid: usize) -> bool {
        let Some(d) = self.domains.get(asid) else { return false };
        // Who has what it granted may call it, and what nobody has any more it is told of.
        if d.provides > 0 || !d.children.is_empty() || d.grants.iter().any(|(_, count)| count > 0) {
            return false;
        }
        let waits = |index: usize| {
            let semaphore = self.machine.waiting(index);
            semaphore.is_some_and(|id| self.only_users(id, asid))
        };
        if self.threads_of(d.id).next().is_none() || !self.threads_of(d.id).all(waits) {
            return false;
        }
        let mut seen = self.seen.borrow_mut();
        // They may run whenever this is interrupted.
        let foreign = self.threads.living().any(|(_, page, home)| {
            home != d.id && seen.settle_calls(page, &self.code).any(|(_, table)| table == d.table)
        });
        !foreign
    }
    /// Whether semaphore `id` has portals, only in the table of `asid`, and no interrupt posts it.
    fn only_users(&self, id: usize, asid: usize) -> bool {
        let Some(semaphore) = self.semaphores.get(id).filter(|semaphore| !semaphore.interrupts) else { return false };
        let blocks = semaphore.blocks.iter().filter_map(|&code| self.code.get(code));
        blocks.flat_map(|b| &b.users).all(|&(user, _)| user as usize == asid)
    }
}
