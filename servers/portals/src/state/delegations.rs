//! Who may make domains of protection in whose task, and how much that may come to.

use crate::Result;
use abi::Error;
use abi::identity::DomainId;
use alloc::vec::Vec;
use fallible::TryPush;

/// A right to make domains of protection in the task of `giver`, and to do with them what it could.
#[derive(Clone, Copy, Debug)]
pub struct Delegation {
    /// No other has had it, or will.
    pub number: u32,
    pub giver: DomainId,
    /// Whose right it is. Identities: who gets the number of one that has ended is another.
    pub holder: DomainId,
    /// How many domains may still be made, and how many pages taken for them.
    pub domains: usize,
    pub pages: usize,
}

/// All of them.
pub struct Delegations {
    all: Vec<Delegation>,
    made: u32,
}
impl Delegations {
    pub const fn new() -> Delegations {
        Delegations { all: Vec::new(), made: 0 }
    }
    /// A new one; its number. `ENFILE`: there were as many as there are numbers; `ENOMEM`.
    pub fn add(&mut self, delegation: Delegation) -> Result<u32> {
        let number = self.made.checked_add(1).ok_or(Error::ENFILE)?;
        self.all.try_push(Delegation { number, ..delegation })?;
        self.made = number;
        Ok(number)
    }
    pub fn get(&self, number: u32) -> Option<&Delegation> {
        self.all.iter().find(|one| one.number == number)
    }
    pub fn get_mut(&mut self, number: u32) -> Option<&mut Delegation> {
        self.all.iter_mut().find(|one| one.number == number)
    }
    pub fn forget(&mut self, number: u32) {
        self.all.retain(|one| one.number != number);
    }
    /// Domain `giver` has ended.
    pub fn forget_giver(&mut self, giver: DomainId) {
        self.all.retain(|one| one.giver != giver);
    }
    /// Whether domain `holder` has one.
    pub fn is_holder(&self, holder: DomainId) -> bool {
        self.all.iter().any(|one| one.holder == holder)
    }
    pub fn count(&self) -> usize {
        self.all.len()
    }
}
