//! Accounts: what each component may take of what all share, and what it has taken.
//!
//! A component of the manifest has one account, for all domains that it is started as and all their children: a child's limits come
//! out of its parent's, because both take from the same. Who makes something for a domain charges its account first
//! ([`Accounts::charge`]); the [`Charge`] that comes back is kept in the record of the thing made, and whoever removes that record has
//! it in hand and gives it back ([`Accounts::refund`]). It can not be copied, and it says itself how much it is of what, so that what
//! comes back is what was taken. The sum of all charges that are kept is what the accounts say: the portal manager's `inspect.check`
//! compares them.
#![cfg_attr(not(test), no_std)]

use abi::Error;
use abi::account::{ACCOUNTS, Limits, RESOURCES, Resource};

/// An account's number, below [`ACCOUNTS`]; 0 is the system's own, which has no limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account(u8);
impl Account {
    pub const SYSTEM: Account = Account(0);
    /// The account with this number. `EINVAL`: there is none.
    pub fn new(number: usize) -> Result<Account, Error> {
        if number < ACCOUNTS { Ok(Account(number as u8)) } else { Err(Error::EINVAL) }
    }
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// So much of a resource has been taken from an account. Kept where the thing is that it was taken for.
#[must_use = "what was charged has to be kept, and given back"]
#[derive(Debug)]
pub struct Charge {
    account: Account,
    resource: Resource,
    amount: u16,
}
impl Charge {
    /// Nothing, taken from nobody.
    pub const NONE: Charge = Charge { account: Account::SYSTEM, resource: Resource::Domains, amount: 0 };
    pub fn account(&self) -> Account {
        self.account
    }
    pub fn resource(&self) -> Resource {
        self.resource
    }
    pub fn amount(&self) -> usize {
        self.amount as usize
    }
    /// What another that keeps the accounts says it has taken: for a [`Ledger`] that is reached through portals.
    pub fn taken_elsewhere(account: Account, resource: Resource, amount: usize) -> Charge {
        Charge { account, resource, amount: amount as u16 }
    }
    /// What it was; nothing is left here.
    pub fn take(&mut self) -> Charge {
        core::mem::replace(self, Charge::NONE)
    }
}

/// What has been taken of one resource of an account in several charges, kept together: what a service has of it, or what a file
/// is made of.
#[derive(Debug)]
pub struct Sum {
    account: Account,
    resource: Resource,
    amount: u32,
}
impl Sum {
    /// Nothing yet.
    pub const fn new(account: Account, resource: Resource) -> Sum {
        Sum { account, resource, amount: 0 }
    }
    pub fn is_of(&self, account: Account, resource: Resource) -> bool {
        self.account == account && self.resource == resource
    }
    pub fn account(&self) -> Account {
        self.account
    }
    pub fn resource(&self) -> Resource {
        self.resource
    }
    pub fn amount(&self) -> usize {
        self.amount as usize
    }
    /// Keeps `charge`, which is of the same account and resource; else it comes back.
    pub fn add(&mut self, charge: Charge) -> Result<(), Charge> {
        if !self.is_of(charge.account, charge.resource) {
            return Err(charge);
        }
        self.amount += charge.amount as u32;
        Ok(())
    }
    /// So much of it, or as much as there is, or as fits in a charge.
    pub fn take(&mut self, amount: usize) -> Charge {
        let amount = amount.min(self.amount as usize).min(u16::MAX as usize) as u16;
        self.amount -= amount as u32;
        Charge { account: self.account, resource: self.resource, amount }
    }
}

/// Who keeps accounts: the portal manager itself, or, in a service, the portals that lead there (`pebble::account`).
pub trait Ledger {
    /// Takes `amount` (below 65,536) of `resource` from `account`. [`Resource::exhausted`]: its limit is reached; nothing is taken.
    fn charge(&mut self, account: Account, resource: Resource, amount: usize) -> Result<Charge, Error>;
    /// Gives back what was taken.
    fn refund(&mut self, charge: Charge);
    /// Gives back all of `sum`.
    fn refund_all(&mut self, mut sum: Sum) {
        while sum.amount() > 0 {
            self.refund(sum.take(usize::MAX));
        }
    }
}
impl Ledger for Accounts {
    #[inline(always)]
    fn charge(&mut self, account: Account, resource: Resource, amount: usize) -> Result<Charge, Error> {
        Accounts::charge(self, account, resource, amount)
    }
    #[inline(always)]
    fn refund(&mut self, charge: Charge) {
        Accounts::refund(self, charge);
    }
}

/// All accounts.
pub struct Accounts {
    limits: [Limits; ACCOUNTS],
    used: [[u32; RESOURCES]; ACCOUNTS],
}
impl Accounts {
    /// All but the system's have no more than nothing.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Accounts {
        Accounts { limits: [Limits::NONE; ACCOUNTS], used: [[0; RESOURCES]; ACCOUNTS] }
    }
    /// What `account` may take from now on; it keeps what it has, if that is more.
    pub fn set(&mut self, account: Account, limits: &Limits) {
        self.limits[account.number()] = *limits;
    }
    pub fn limit(&self, account: Account, resource: Resource) -> usize {
        if account == Account::SYSTEM { usize::MAX } else { self.limits[account.number()].of(resource) as usize }
    }
    pub fn used(&self, account: Account, resource: Resource) -> usize {
        self.used[account.number()][resource as usize] as usize
    }
    /// Takes `amount` (below 65,536) of `resource`. [`Resource::exhausted`]: the account's limit is reached; nothing is taken.
    #[inline(always)]
    pub fn charge(&mut self, account: Account, resource: Resource, amount: usize) -> Result<Charge, Error> {
        let used = &mut self.used[account.number()][resource as usize];
        let now = *used as usize + amount;
        if account != Account::SYSTEM && now > self.limits[account.number()].of(resource) as usize {
            return Err(resource.exhausted());
        }
        *used = now as u32;
        Ok(Charge { account, resource, amount: amount as u16 })
    }
    /// Gives back what was taken.
    #[inline(always)]
    pub fn refund(&mut self, charge: Charge) {
        self.used[charge.account.number()][charge.resource as usize] -= charge.amount as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limits(of: u32) -> Limits {
        Limits([of; RESOURCES])
    }
    #[test]
    fn a_limit_that_is_reached_is_an_error_and_takes_nothing() {
        let (mut all, one) = (Box::new(Accounts::new()), Account::new(1).unwrap());
        all.set(one, &limits(3));
        let two = all.charge(one, Resource::Threads, 2).unwrap();
        assert_eq!(all.charge(one, Resource::Threads, 2).unwrap_err(), Error::ENFILE);
        assert_eq!(all.used(one, Resource::Threads), 2);
        all.refund(two);
        let three = all.charge(one, Resource::Threads, 3).unwrap();
        all.refund(three);
        assert_eq!(all.used(one, Resource::Threads), 0);
    }
    #[test]
    fn who_has_no_limits_set_gets_nothing_and_the_system_all() {
        let mut all = Box::new(Accounts::new());
        assert_eq!(all.charge(Account::new(1).unwrap(), Resource::Code, 1).unwrap_err(), Error::ENFILE);
        let taken = all.charge(Account::SYSTEM, Resource::Code, 60_000).unwrap();
        all.refund(taken);
    }
    #[test]
    fn an_account_that_there_can_not_be_is_refused() {
        assert_eq!(Account::new(ACCOUNTS), Err(Error::EINVAL));
    }
    #[test]
    fn a_limit_below_what_is_used_takes_nothing_away() {
        let (mut all, one) = (Box::new(Accounts::new()), Account::new(1).unwrap());
        all.set(one, &limits(3));
        let three = all.charge(one, Resource::Names, 3).unwrap();
        all.set(one, &limits(1));
        assert_eq!(all.used(one, Resource::Names), 3);
        all.refund(three);
        assert_eq!(all.charge(one, Resource::Names, 2).unwrap_err(), Error::ENFILE);
    }
    #[test]
    fn charges_are_kept_together_and_come_back() {
        let (mut all, one) = (Box::new(Accounts::new()), Account::new(1).unwrap());
        all.set(one, &limits(200_000));
        let mut sum = Sum::new(one, Resource::Storage);
        for amount in [60_000, 60_000, 3] {
            sum.add(all.charge(one, Resource::Storage, amount).unwrap()).unwrap();
        }
        all.refund(sum.take(3));
        assert_eq!((sum.amount(), all.used(one, Resource::Storage)), (120_000, 120_000));
        all.refund_all(sum);
        assert_eq!(all.used(one, Resource::Storage), 0);
    }
    #[test]
    fn a_charge_of_another_account_or_resource_is_not_kept() {
        let (mut all, mut sum) = (Box::new(Accounts::new()), Sum::new(Account::SYSTEM, Resource::Storage));
        all.set(Account::new(1).unwrap(), &limits(1));
        for (account, resource) in [(Account::SYSTEM, Resource::Files), (Account::new(1).unwrap(), Resource::Storage)] {
            let charge = sum.add(all.charge(account, resource, 1).unwrap()).unwrap_err();
            assert_eq!((charge.account(), charge.resource(), sum.amount()), (account, resource, 0));
            all.refund(charge);
        }
    }
    #[test]
    fn who_has_no_storage_left_is_told_enomem() {
        assert_eq!(Accounts::new().charge(Account::new(1).unwrap(), Resource::Storage, 1).unwrap_err(), Error::ENOMEM);
    }
    proptest! {
        #![proptest_config(properties::config(256))]
        /// Whatever is charged and refunded: an account uses what is kept of its charges, never more than its limit, and what one does
        /// changes no other.
        #[test]
        fn used_is_what_is_kept_and_within_the_limit(
            steps in proptest::collection::vec((1usize..5, 0usize..RESOURCES, 0usize..40, any::<bool>(), any::<prop::sample::Index>()), 1..400),
            most in 1u32..100,
        ) {
            let mut all = Box::new(Accounts::new());
            (1..5).for_each(|n| all.set(Account::new(n).unwrap(), &limits(most * n as u32)));
            let mut kept: Vec<Charge> = Vec::new();
            for (account, resource, amount, give, which) in steps {
                if give && !kept.is_empty() {
                    all.refund(kept.swap_remove(which.index(kept.len())));
                } else {
                    let (account, resource) = (Account::new(account).unwrap(), Resource::ALL[resource]);
                    let (used, limit) = (all.used(account, resource), all.limit(account, resource));
                    match all.charge(account, resource, amount) {
                        Ok(charge) => kept.push(charge),
                        Err(error) => prop_assert!(error == resource.exhausted() && used + amount > limit),
                    }
                }
                for account in (1..5).map(|n| Account::new(n).unwrap()) {
                    for resource in Resource::ALL {
                        let sum: usize = kept.iter().filter(|c| c.account() == account && c.resource() == resource).map(Charge::amount).sum();
                        prop_assert_eq!(all.used(account, resource), sum);
                        prop_assert!(sum <= all.limit(account, resource));
                    }
                }
            }
            kept.into_iter().for_each(|charge| all.refund(charge));
            prop_assert!((1..5).all(|n| Resource::ALL.into_iter().all(|r| all.used(Account::new(n).unwrap(), r) == 0)));
        }
    }
}
