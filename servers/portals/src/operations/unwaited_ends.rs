//! How domains ended that nobody has waited for.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::operations::semaphores::new_semaphore;
use abi::Error;
use abi::account::Resource;
use abi::system::Ended;
use fallible::TryPush;

use crate::state::unwaited_ends::Waiting;

impl<M: Machine> Manager<M> {
    /// The caller wants to know how domain `asid` ends. `EACCESS`: it may not.
    #[optimize(size)]
    pub fn wait_begin(&mut self, caller: Caller, asid: usize) -> Result<Waiting> {
        let (id, ended) = match self.ended.of(asid) {
            Some(end) => (end.id, true),
            None => (self.domain(asid)?.id, false),
        };
        if !self.may_control(caller.subject, asid) {
            return Err(Error::EACCESS);
        }
        if ended {
            return Ok(Waiting { id, semaphore: None });
        }
        self.domain_mut(asid)?.waiters.room_for(1)?;
        let charge = self.charge(caller.subject, Resource::Semaphores, 1)?;
        let semaphore = match new_semaphore(self.machine, 0) {
            Ok(semaphore) => semaphore,
            Err(error) => {
                self.accounts.refund(charge);
                return Err(error);
            }
        };
        self.domain_mut(asid)?.waiters.push_kept((semaphore, charge));
        Ok(Waiting { id, semaphore: Some(semaphore) })
    }
    /// It waits no more, for whatever reason, and has destroyed the semaphore.
    #[optimize(size)]
    pub fn wait_over(&mut self, waiting: &Waiting) {
        if let Ok(asid) = self.live(waiting.id)
            && let Ok(domain) = self.domain_mut(asid)
            && let Some(place) = domain.waiters.iter().position(|&(own, _)| Some(own) == waiting.semaphore)
        {
            let (_, charge) = domain.waiters.swap_remove(place);
            self.accounts.refund(charge);
        }
    }
    /// Nobody is to know how the domain that had number `asid` ended.
    #[optimize(size)]
    pub fn forget_end(&mut self, asid: usize) {
        if let Some((_, charge)) = self.ended.of(asid).map(|end| end.id).and_then(|id| self.ended.remove(id)) {
            self.accounts.refund(charge);
        }
    }
    /// How the domain ended, which is forgotten from here on. `ESRCH`: another has waited, or nobody's it was.
    pub fn wait_end(&mut self, waiting: &Waiting) -> Result<Ended> {
        let (how, charge) = self.ended.remove(waiting.id).ok_or(Error::ESRCH)?;
        self.accounts.refund(charge);
        Ok(how)
    }
}
