//! How domains ended that nobody has waited for.

use crate::Result;
use abi::identity::DomainId;
use abi::system::Ended;
use account::{Account, Charge};
use alloc::vec::Vec;
use fallible::TryPush;

/// Most that are kept: a number is not free before its end is asked for. Each counts as a domain of its account.
const MOST: usize = abi::nucleus::MAX_DOMAINS;

pub struct End {
    pub id: DomainId,
    /// Whose child it was, and who lives.
    pub parent: Option<DomainId>,
    how: Ended,
    account: Account,
    /// Once nothing else is left of the domain.
    charge: Charge,
}

/// In the order in which they ended.
pub struct UnwaitedEnds(Vec<End>);

impl UnwaitedEnds {
    pub const fn new() -> UnwaitedEnds {
        UnwaitedEnds(Vec::new())
    }
    /// The end of the domain that had number `asid`, if it is kept.
    pub fn of(&self, asid: usize) -> Option<&End> {
        self.0.iter().find(|end| end.id.number() == asid)
    }
    /// Makes room for the ends of `living` domains. `ENOMEM`.
    pub fn reserve(&mut self, living: usize) -> Result<()> {
        self.0.room_for(living.min(MOST - self.0.len()))
    }
    /// Keeps the end of a domain, for which there is room: its number is not free before that is removed, so there is no other of it.
    pub fn insert(&mut self, id: DomainId, parent: Option<DomainId>, how: Ended, account: Account) {
        self.0.push_kept(End { id, parent, how, account, charge: Charge::NONE });
    }
    /// Nothing else is left of domain `asid`: its end keeps `charge`, or gives it back if it is not there.
    pub fn keep(&mut self, asid: usize, charge: Charge) -> Option<Charge> {
        match self.0.iter_mut().find(|end| end.id.number() == asid) {
            Some(end) => {
                end.charge = charge;
                None
            }
            None => Some(charge),
        }
    }
    /// Forgets how a domain ended; that, and what it was charged.
    pub fn remove(&mut self, id: DomainId) -> Option<(Ended, Charge)> {
        let place = self.0.iter().position(|end| end.id == id)?;
        let end = self.0.remove(place);
        Some((end.how, end.charge))
    }
    /// Forgets the oldest end of a domain of `account` of which nothing else is left; what it was charged.
    pub fn remove_oldest(&mut self, account: Account) -> Option<Charge> {
        let place = self.0.iter().position(|end| end.account == account && end.charge.amount() > 0)?;
        Some(self.0.remove(place).charge)
    }
    /// What they are charged.
    pub fn charges(&self) -> impl Iterator<Item = &Charge> {
        self.0.iter().map(|end| &end.charge)
    }
    /// Nobody will wait for the children of `parent` any more: forgets the end of one; what that was charged.
    pub fn remove_child(&mut self, parent: DomainId) -> Option<Charge> {
        let place = self.0.iter().position(|end| end.parent == Some(parent))?;
        Some(self.0.remove(place).charge)
    }
    pub fn count(&self) -> usize {
        self.0.len()
    }
}

/// Somebody waits for the end of a domain.
pub struct Waiting {
    pub id: DomainId,
    /// What to wait for first, with the manager's lock free: it lives yet.
    pub semaphore: Option<usize>,
}
