//! For services: whose account pays for what is kept for a client.
//!
//! The portal manager has the accounts. A service that may open `account.*` asks it whose account that of its caller is, and charges it;
//! the charge stays in the record of what was made, whose removal gives it back. When the service ends, all it has charged comes back.

pub use account::{Account, Charge, Ledger, Sum};

use abi::account::Resource;
use abi::identity::DomainId;
use interfaces::domains;
use interfaces::types::Identity;

/// The account of the domain whose call this thread serves. `EINVAL`: it serves none; `EDEAD`: the client is no more.
pub fn of_caller() -> crate::Result<Account> {
    domains::account_of(Identity(0)).and_then(Account::new)
}
/// The account of domain `id`. `ESRCH`: it is no more.
pub fn of(id: DomainId) -> crate::Result<Account> {
    domains::account_of(id.into()).and_then(Account::new)
}

/// The portal manager's accounts.
pub struct Remote;
impl Ledger for Remote {
    fn charge(&mut self, account: Account, resource: Resource, amount: usize) -> crate::Result<Charge> {
        domains::account_charge(account.number(), resource as usize, amount)?;
        Ok(Charge::taken_elsewhere(account, resource, amount))
    }
    fn refund(&mut self, charge: Charge) {
        if charge.amount() > 0 {
            let _ = domains::account_refund(charge.account().number(), charge.resource() as usize, charge.amount());
        }
    }
}
