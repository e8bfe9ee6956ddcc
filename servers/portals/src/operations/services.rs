//! What services keep for their clients: files, capabilities. The accounts are here, so a service asks whose account pays, and charges it.
//!
//! Whose it is follows from the thread's invocation stack, or from an identity: from nothing that the client says. What a service has
//! charged is kept with its domain, one sum for each account and resource: it gives back no more than that, and all of it comes back when
//! the service ends, which then keeps nothing for anybody. Who may charge at all is the manifest's to say (`opens`), and a service can
//! charge what services keep and nothing else: it can use up nobody's threads or memory.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use abi::Error;
use abi::account::Resource;
use abi::identity::DomainId;
use account::{Account, Sum};
use fallible::TryPush;

/// The account and resource that a service means. `EINVAL`: there is no such, or it is none of services, or no charge is of that amount.
fn of_service(account: usize, resource: usize, amount: usize) -> Result<(Account, Resource)> {
    let resource = Resource::of(resource).filter(|resource| resource.is_of_services()).ok_or(Error::EINVAL)?;
    if amount > u16::MAX as usize {
        return Err(Error::EINVAL);
    }
    Ok((Account::new(account)?, resource))
}

impl<M: Machine> Manager<M> {
    /// The number of the account of the domain that has called the service, whose thread is `index`; of the living domain with identity
    /// `who`, where that is not 0. `EINVAL`: nobody has called it; `EDEAD`: the client is no more; `ESRCH`: nor is `who`.
    #[optimize(size)]
    pub fn payer(&self, caller: Caller, index: usize, who: usize) -> Result<isize> {
        let asid = match who {
            0 => self.client_of(index, caller.direct)?,
            word => self.live(DomainId::of(word as u64).ok_or(Error::EINVAL)?)?,
        };
        Ok(self.domain(asid)?.account.number() as isize)
    }
    /// Takes `amount` of `resource` from `account`, for the calling service. [`Resource::exhausted`]; `EINVAL`: out of range.
    #[optimize(size)]
    pub fn charge_for_service(
        &mut self,
        caller: Caller,
        account: usize,
        resource: usize,
        amount: usize,
    ) -> Result<isize> {
        let (account, resource) = of_service(account, resource, amount)?;
        let services = &mut self.domains.get_mut(caller.subject).ok_or(Error::ESRCH)?.services;
        if !services.iter().any(|sum| sum.is_of(account, resource)) {
            services.try_push(Sum::new(account, resource))?;
        }
        let mut charge = self.accounts.charge(account, resource, amount)?;
        for sum in services {
            match sum.add(charge) {
                Ok(()) => return Ok(0),
                Err(back) => charge = back,
            }
        }
        // Not reached: the sum is there.
        self.accounts.refund(charge);
        Err(Error::ENOMEM)
    }
    /// Gives back what the calling service has charged. `EINVAL`: it has not charged so much.
    #[optimize(size)]
    pub fn refund_for_service(
        &mut self,
        caller: Caller,
        account: usize,
        resource: usize,
        amount: usize,
    ) -> Result<isize> {
        let (account, resource) = of_service(account, resource, amount)?;
        let services = &mut self.domains.get_mut(caller.subject).ok_or(Error::ESRCH)?.services;
        let sum = services.iter_mut().find(|sum| sum.is_of(account, resource));
        let sum = sum.filter(|sum| amount <= sum.amount()).ok_or(Error::EINVAL)?;
        self.accounts.refund(sum.take(amount));
        Ok(0)
    }
}
