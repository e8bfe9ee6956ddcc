//! What is linked in where, as far as the linker knows: what hosts say, and whose it is.

use abi::Error;
use abi::linking::{EXTENSIONS, Info, Linked};
use abi::section::NAME;
use alloc::vec::Vec;
use extension::Extension;
use fallible::TryPush;

/// Most that were taken out for what they did that are remembered: the last ones.
pub const REMEMBERED: usize = 16;
/// Most that a host may say it has, and most that it may say it has taken out.
pub const MOST: usize = EXTENSIONS;

/// A host's name.
pub type Name = [u8; NAME];

pub struct Table {
    linked: Vec<Linked>,
    next: u64,
}
impl Table {
    /// An empty one, whose first number is above all that a linker before this has given.
    pub const fn new(next: u64) -> Table {
        Table { linked: Vec::new(), next }
    }
    /// An extension was linked into a host, where it has that number: the number by which it is known from now on, which no other ever has. What had its number there before
    /// went with an earlier life of the host's. `ENOMEM`.
    pub fn note(&mut self, host: &Name, number: usize, extension: &Extension) -> Result<usize, Error> {
        self.linked
            .retain(|linked| linked.host != *host || linked.info.number != number as u64 || linked.info.why != 0);
        let mut linked = Linked { host: *host, key: extension.seal().key, ..Linked::default() };
        linked.reason = abi::section::cut(extension.vetted().unwrap_or_default());
        linked.info.number = number as u64;
        linked.info.name[..extension.name().len()].copy_from_slice(extension.name().as_bytes());
        linked.number = self.next;
        self.linked.try_push(linked)?;
        self.next += 1;
        Ok(linked.number as usize)
    }
    /// Where the extension of that number is: its host, and its number there. `ENOENT`: it is linked in no more.
    pub fn find(&self, number: usize) -> Result<(Name, usize), Error> {
        let found = self.linked.iter().find(|linked| linked.number == number as u64 && linked.info.why == 0);
        found.map(|linked| (linked.host, linked.info.number as usize)).ok_or(Error::ENOENT)
    }
    /// It was taken out.
    pub fn forget(&mut self, number: usize) {
        self.linked.retain(|linked| linked.number != number as u64);
    }
    /// The one in that place. `ENOENT` behind the last.
    pub fn get(&self, n: usize) -> Result<Linked, Error> {
        self.linked.get(n).copied().ok_or(Error::ENOENT)
    }
    /// Hosts that something was linked into. `ENOMEM`.
    pub fn hosts(&self) -> Result<Vec<Name>, Error> {
        let mut names = Vec::new();
        for linked in self.linked.iter().filter(|linked| linked.info.why == 0) {
            if !names.contains(&linked.host) {
                names.try_push(linked.host)?;
            }
        }
        Ok(names)
    }
    /// What a host says of its extensions: those of which it says nothing are no more.
    pub fn replace(&mut self, host: &Name, said: &[Info]) {
        self.linked.retain_mut(|linked| {
            if linked.host != *host || linked.info.why != 0 {
                return true;
            }
            let found = said.iter().find(|info| info.number == linked.info.number);
            found.is_some_and(|info| {
                linked.info = Info { name: linked.info.name, ..*info };
                true
            })
        });
        while self.linked.iter().filter(|linked| linked.info.why != 0).count() > REMEMBERED {
            let oldest = self.linked.iter().position(|linked| linked.info.why != 0);
            self.linked.remove(oldest.unwrap_or(0));
        }
    }
}
/// What a host has, and what it has taken out, as it says: `linked(n)` the one with the lowest number from `n` on, `ended()` one after the other. `EINVAL`: it says what can not be.
pub fn said(mut ask: impl FnMut(Asked) -> Result<Option<Info>, Error>) -> Result<Vec<Info>, Error> {
    let mut all: Vec<Info> = Vec::new();
    let mut from = 0;
    while let Some(info) = ask(Asked::Linked(from))? {
        let next = info.number.checked_add(1).filter(|_| info.number >= from && all.len() < MOST);
        from = next.ok_or(Error::EINVAL)?;
        all.try_push(Info { why: 0, ..info })?;
    }
    // Whoever is taken out in between is among these.
    for n in 0.. {
        let Some(info) = ask(Asked::Ended)? else { break };
        if n == MOST {
            return Err(Error::EINVAL);
        }
        all.retain(|other| other.number != info.number);
        all.try_push(Info { why: info.why.max(1), ..info })?;
    }
    Ok(all)
}
/// What a host is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Linked(u64),
    Ended,
}
