//! Entry points of domains of protection.

use crate::Result;
use abi::Error;
use abi::identity::DomainId;
use abi::protection::ENTRIES;
use alloc::vec::Vec;
use fallible::TryPush;

/// Where calls enter a domain of protection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    pub domain: DomainId,
    pub entry: u32,
    /// How many procedures are behind it.
    pub procedures: u16,
}

/// All of them.
pub struct EntryPoints(Vec<EntryPoint>);
impl EntryPoints {
    pub const fn new() -> EntryPoints {
        EntryPoints(Vec::new())
    }
    /// `EEXIST`: it is there; `ENFILE`: the domain has too many; `ENOMEM`.
    pub fn add(&mut self, point: EntryPoint) -> Result<()> {
        if self.find(point.domain, point.entry).is_some() {
            return Err(Error::EEXIST);
        }
        if self.0.iter().filter(|other| other.domain == point.domain).count() >= ENTRIES {
            return Err(Error::ENFILE);
        }
        self.0.try_push(point)
    }
    pub fn find(&self, domain: DomainId, entry: u32) -> Option<EntryPoint> {
        self.0.iter().find(|point| (point.domain, point.entry) == (domain, entry)).copied()
    }
    /// Those of a domain.
    pub fn of(&self, domain: DomainId) -> impl Iterator<Item = EntryPoint> + use<'_> {
        self.0.iter().filter(move |point| point.domain == domain).copied()
    }
    /// Takes one back.
    pub fn remove(&mut self, point: EntryPoint) {
        self.0.retain(|other| *other != point);
    }
    pub fn forget(&mut self, domain: DomainId) {
        self.0.retain(|point| point.domain != domain);
    }
}
