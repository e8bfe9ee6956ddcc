//! Whose account pays for what: a domain's is its component's. What is made for a domain is charged before it is made, and its
//! record keeps the charge until nothing is left of it.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use abi::Error;
use abi::account::{ACCOUNTS, Limits, RESOURCES, Report, Resource};
use account::{Account, Charge};

impl<M: Machine> Manager<M> {
    /// Takes `amount` of `resource` from the account of domain `asid`. `ENFILE`: its limit is reached.
    #[inline(always)]
    pub fn charge(&mut self, asid: usize, resource: Resource, amount: usize) -> Result<Charge> {
        let account = self.domain(asid)?.account;
        self.accounts.charge(account, resource, amount)
    }
    /// Takes a domain from `account`. Where that has no more, it forgets the oldest of its ends that nobody has waited for, and then what is left of one whose callers wait for another.
    pub fn charge_domain(&mut self, account: Account) -> Result<Charge> {
        loop {
            match self.accounts.charge(account, Resource::Domains, 1) {
                Ok(charge) => return Ok(charge),
                Err(error) => match self.ended.remove_oldest(account) {
                    Some(forgotten) => self.accounts.refund(forgotten),
                    None if self.unpark_oldest(account) => {}
                    None => return Err(error),
                },
            }
        }
    }
    /// Nothing is left of a dead domain but, perhaps, how it ended: that costs as much.
    pub fn settle(&mut self, asid: usize, charge: Charge) {
        if let Some(charge) = self.ended.keep(asid, charge) {
            self.accounts.refund(charge);
        }
    }
    /// Says what an account may take from now on.
    #[optimize(size)]
    pub fn set_limits(&mut self, account: usize, limits: &Limits) -> Result<isize> {
        let account = Account::new(account)?;
        if account == Account::SYSTEM {
            return Err(Error::EINVAL);
        }
        self.accounts.set(account, limits);
        self.machine.processor_limit(account, limits.of(Resource::Processor) as usize);
        Ok(0)
    }
    /// What an account has taken, and what it may take.
    #[optimize(size)]
    pub fn report(&self, account: usize) -> Result<Report> {
        let account = Account::new(account)?;
        let mut report = Report::NONE;
        for resource in Resource::ALL {
            report.used[resource as usize] = self.accounts.used(account, resource) as u32;
            report.limits[resource as usize] = self.accounts.limit(account, resource).min(u32::MAX as usize) as u32;
        }
        report.used[Resource::Processor as usize] = self.machine.processor_used(account) as u32;
        Ok(report)
    }
    /// What all records together say that each account has taken.
    #[optimize(size)]
    pub fn kept(&self) -> [[u32; RESOURCES]; ACCOUNTS] {
        let mut kept = [[0; RESOURCES]; ACCOUNTS];
        let domains = self.domains.iter().map(|(_, d)| &d.charge);
        let waiters = self.domains.iter().flat_map(|(_, d)| d.waiters.iter().map(|(_, charge)| charge));
        let charges = domains
            .chain(waiters)
            .chain(self.remains.zombies.iter().map(|zombie| &zombie.charge))
            .chain(self.ended.charges())
            .chain(self.threads.charges())
            .chain(self.semaphores.iter().map(|(_, semaphore)| &semaphore.charge))
            .chain(self.registrations.iter().map(|(_, registration)| &registration.charge))
            .chain(self.code.all().map(|(_, block)| &block.charge))
            .chain(self.upcalls.iter().map(|upcall| &upcall.charge));
        for charge in charges {
            kept[charge.account().number()][charge.resource() as usize] += charge.amount() as u32;
        }
        for sum in self.domains.iter().flat_map(|(_, d)| &d.services) {
            kept[sum.account().number()][sum.resource() as usize] += sum.amount() as u32;
        }
        kept
    }
}
