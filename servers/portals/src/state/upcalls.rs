//! Portals in the trusted servers' own tables.

use abi::identity::DomainId;
use account::Charge;

/// What an upcall is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Faults of this domain.
    Faults(DomainId),
    /// A domain's new portals.
    Portals,
    /// What the code of a template can not do.
    Template,
    /// Who may open names, of the account that its charge is of. `serial` is no other's; `constants`: what the portal that was named for it
    /// has.
    Question { serial: u64, constants: [u64; 6] },
}

/// A portal in the memory manager's or the portal manager's own table.
#[derive(Debug)]
pub struct Upcall {
    /// In whose table, which is a boot component's.
    pub from: usize,
    pub number: usize,
    /// Where it leads.
    pub to: DomainId,
    pub what: What,
    /// Calls of the portal manager's that are pending.
    pub pending: u32,
    /// Withdrawn: it answers for the dead.
    pub withdrawn: bool,
    /// What a range of addresses with a handler costs the handler's account, and a question who has it asked.
    pub charge: Charge,
}
