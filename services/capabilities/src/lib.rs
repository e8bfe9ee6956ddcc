//! The logic of the capability manager: who holds which capability under which name, and what may be done with it.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros))]

pub mod cache;
pub mod template;

use abi::Error;
use abi::account::Resource;
use abi::capability::flags;
use account::{Account, Charge, Ledger};
use core::ops::Bound;
use fallible::Map;

/// A domain: its number while it lives, and its identity (`abi::identity`), which no other has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    pub asid: usize,
    pub serial: usize,
}
/// What a holder has under one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capability {
    pub holder: Domain,
    /// Who made it, and what it stands for there.
    pub issuer: Domain,
    pub object: u64,
    /// Bits whose meaning is the issuer's.
    pub rights: u64,
    pub flags: u64,
    /// The name that it was derived from; 0: none.
    pub parent: usize,
}
/// What passing a capability comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The receiver's name for it.
    pub name: usize,
    /// It has left the sender's list.
    pub moved: bool,
}

/// Most capabilities of the dead that one [`Capabilities::sweep`] forgets: more than one call adds, so that however many domains
/// come and go, what they leave does not become more and more, and few enough that nobody waits long.
pub const SWEPT: usize = 16;

/// What is kept of one. Those that were derived from the same one follow each other, by their names; 0: nobody.
struct Record {
    capability: Capability,
    /// What it has cost whoever had it made.
    charge: Charge,
    /// The latest that was derived from it.
    derived: usize,
    next: usize,
    previous: usize,
}
/// What [`Capabilities::sweep`] has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swept {
    /// It has forgotten something.
    pub forgot: bool,
    /// It began anew with the first domain.
    pub anew: bool,
}

/// Names that are given: the first is above what 32 bits have, so that who keeps one in fewer bits than a word finds out with the first, and not when so many
/// have been made. A manager that is started again begins with as many more as the machine has run for, in tenths of a microsecond, in which no capability is made: so
/// none of its names is one of before. Those up to the last are enough for three thousand years.
const FIRST: usize = 1 << 32;
const LAST: usize = (1 << NAME_BITS) - 1;
/// A name is below 2 to the power of this: above it in a word, a portal says which argument it is about.
pub const NAME_BITS: u32 = 60;

/// All capabilities by their names. A name is given once, so that an old one never stands for something new.
///
/// Each is paid for by the account of who had it made: who created or reduced it, or passed it on. So nobody fills another's list at
/// that one's cost. What belongs to one domain, or was derived from one name, is found without looking at the others, so that the end of
/// a domain, however it is noticed, costs as much as the domain had. Taking away needs no memory.
pub struct Capabilities<L> {
    ledger: L,
    all: Map<usize, Record>,
    /// (serial, name): of its holder, and of its issuer where that is another.
    of: Map<(usize, usize), ()>,
    next: usize,
    /// The domain that the last [`Capabilities::sweep`] looked at.
    swept: usize,
}
impl<L: Ledger> Capabilities<L> {
    pub const fn new(ledger: L) -> Capabilities<L> {
        Capabilities { ledger, all: Map::new(), of: Map::new(), next: FIRST, swept: 0 }
    }
    /// Begins when the machine has run for so many tenths of a microsecond, before there is a name.
    pub fn begin(&mut self, now: u64) {
        self.next = FIRST.saturating_add(now as usize);
    }
    /// The names that domain `serial` holds or has issued.
    fn with(&self, serial: usize) -> impl Iterator<Item = usize> {
        let all = self.of.from(Bound::Included(&(serial, 0)));
        all.map(|(&pair, ())| pair).take_while(move |&(own, _)| own == serial).map(|(_, name)| name)
    }
    /// The names that were derived from `name`.
    fn derived(&self, name: usize) -> impl Iterator<Item = usize> {
        let known = |name: usize| Some(name).filter(|&name| name != 0);
        let first = self.all.get(&name).and_then(|record| known(record.derived));
        core::iter::successors(first, move |name| known(self.all.get(name)?.next))
    }
    /// `name` is derived from `parent` from now on, which may be 0.
    fn link(&mut self, name: usize, parent: usize) {
        let next = self.all.get_mut(&parent).map_or(0, |parent| core::mem::replace(&mut parent.derived, name));
        if let Some(next) = self.all.get_mut(&next) {
            next.previous = name;
        }
        if let Some(record) = self.all.get_mut(&name) {
            record.capability.parent = parent;
            (record.next, record.previous) = (next, 0);
        }
    }
    /// Keeps a new one; its name. `ENFILE`: there are no more names; `ENOMEM`: nothing has changed.
    fn enter(&mut self, capability: Capability) -> Result<usize, Error> {
        let name = self.next;
        if name > LAST {
            return Err(Error::ENFILE);
        }
        let [holder, issuer] = [capability.holder, capability.issuer].map(|domain| (domain.serial, name));
        let record = Record { capability, charge: Charge::NONE, derived: 0, next: 0, previous: 0 };
        let entered = self.of.try_insert(holder, ()).and_then(|_| self.of.try_insert(issuer, ()));
        if let Err(error) = entered.and_then(|_| self.all.try_insert(name, record).map(|_| ())) {
            self.of.remove(&holder);
            self.of.remove(&issuer);
            return Err(error);
        }
        self.next += 1;
        self.link(name, capability.parent);
        Ok(name)
    }
    /// The same, for which `payer` pays. `ENFILE`: that one has no more.
    fn add(&mut self, capability: Capability, payer: Account) -> Result<usize, Error> {
        let charge = self.ledger.charge(payer, Resource::Capabilities, 1)?;
        match self.enter(capability) {
            Ok(name) => {
                self.pay(name, charge);
                Ok(name)
            }
            Err(error) => {
                self.ledger.refund(charge);
                Err(error)
            }
        }
    }
    fn pay(&mut self, name: usize, charge: Charge) {
        match self.all.get_mut(&name) {
            Some(record) => record.charge = charge,
            None => self.ledger.refund(charge),
        }
    }
    /// What domain `serial` holds under `name`. `EBADF`: nothing.
    pub fn held(&self, serial: usize, name: usize) -> Result<Capability, Error> {
        let held = self.all.get(&name).map(|record| record.capability);
        held.filter(|c| c.holder.serial == serial).ok_or(Error::EBADF)
    }
    /// A new capability of `issuer`'s, in its own list, for which `payer` pays; its name.
    pub fn create(
        &mut self,
        issuer: Domain,
        payer: Account,
        object: u64,
        rights: u64,
        flags: u64,
    ) -> Result<usize, Error> {
        if flags & !flags::ALL != 0 {
            return Err(Error::EINVAL);
        }
        self.add(Capability { holder: issuer, issuer, object, rights, flags, parent: 0 }, payer)
    }
    /// A weaker one, derived from `name`, for which `payer` pays; its name.
    pub fn reduce(
        &mut self,
        serial: usize,
        payer: Account,
        name: usize,
        rights: u64,
        flags: u64,
    ) -> Result<usize, Error> {
        let from = self.held(serial, name)?;
        if flags & !flags::ALL != 0 {
            return Err(Error::EINVAL);
        }
        // Who has it for one use does not get a second one.
        if from.flags & flags::ONCE != 0 {
            return Err(Error::EACCESS);
        }
        let weaker = Capability { rights: from.rights & rights, flags: from.flags | flags, parent: name, ..from };
        self.add(weaker, payer)
    }
    /// Passes what `serial` holds under `name` to domain `to`; `payer` pays, where `to` does not have it yet. `EACCESS`: it stays with
    /// its holder.
    pub fn pass(&mut self, serial: usize, payer: Account, name: usize, to: Domain) -> Result<Passed, Error> {
        let from = self.held(serial, name)?;
        if from.flags & flags::STAYS != 0 && to != from.issuer {
            return Err(Error::EACCESS);
        }
        let moved = from.flags & flags::ONCE != 0;
        if moved {
            // There is one as before, and who has paid for it does.
            let new = self.enter(Capability { holder: to, ..from })?;
            let charge = self.all.get_mut(&name).map_or(Charge::NONE, |record| record.charge.take());
            self.pay(new, charge);
            self.remove(name);
            return Ok(Passed { name: new, moved });
        }
        let is_known = |c: &Capability| c.holder == to && same(c, &from);
        let known = self.derived(name).find(|name| self.all.get(name).is_some_and(|r| is_known(&r.capability)));
        if let Some(name) = known {
            return Ok(Passed { name, moved });
        }
        let new = self.add(Capability { holder: to, parent: name, ..from }, payer)?;
        Ok(Passed { name: new, moved })
    }
    /// Takes back all that was derived from what `serial` holds under `name`; how many that were.
    pub fn revoke(&mut self, serial: usize, name: usize) -> Result<usize, Error> {
        self.held(serial, name)?;
        let mut count = 0;
        loop {
            // What was derived from the one that goes is derived from `name` then.
            let Some(derived) = self.derived(name).next() else { return Ok(count) };
            self.remove(derived);
            count += 1;
        }
    }
    /// Lets go of `name`; what was derived from it stays.
    pub fn drop_name(&mut self, serial: usize, name: usize) -> Result<(), Error> {
        self.held(serial, name)?;
        self.remove(name);
        Ok(())
    }
    /// Takes `name` away; what was derived from it is derived from its parent now.
    fn remove(&mut self, name: usize) {
        let Some(Record { capability, charge, mut derived, next, previous }) = self.all.remove(&name) else { return };
        self.of.remove(&(capability.holder.serial, name));
        self.of.remove(&(capability.issuer.serial, name));
        self.ledger.refund(charge);
        if let Some(next) = self.all.get_mut(&next) {
            next.previous = previous;
        }
        match self.all.get_mut(&previous) {
            Some(previous) => previous.next = next,
            None => _ = self.all.get_mut(&capability.parent).map(|parent| parent.derived = next),
        }
        while let Some(record) = self.all.get(&derived) {
            let after = record.next;
            self.link(derived, capability.parent);
            derived = after;
        }
    }
    /// Looks at the next one of the domains that hold or have issued anything; if `lives` says that it is no more, forgets of that as much
    /// as [`SWEPT`], and looks at the same again the next time.
    pub fn sweep(&mut self, lives: impl FnOnce(Domain) -> bool) -> Swept {
        let mut swept = Swept { forgot: false, anew: false };
        let after = self.of.from(Bound::Excluded(&(self.swept, usize::MAX))).next().map(|(&pair, ())| pair);
        swept.anew = after.is_none();
        let Some((serial, name)) = after.or_else(|| self.of.iter().next().map(|(&pair, ())| pair)) else {
            return swept;
        };
        let Some(Record { capability, .. }) = self.all.get(&name) else { return swept };
        let domain = if capability.holder.serial == serial { capability.holder } else { capability.issuer };
        if lives(domain) {
            self.swept = serial;
            return swept;
        }
        for _ in 0..SWEPT {
            let Some(name) = self.with(serial).next() else { break };
            self.remove(name);
            swept.forgot = true;
        }
        swept
    }
    /// The `n`th capability of domain `serial`, by name.
    pub fn nth(&self, serial: usize, n: usize) -> Option<(usize, Capability)> {
        let all = self.with(serial).filter_map(|name| Some((name, self.all.get(&name)?.capability)));
        all.filter(|(_, c)| c.holder.serial == serial).nth(n)
    }
    pub fn count(&self) -> usize {
        self.all.len()
    }
}
fn same(a: &Capability, b: &Capability) -> bool {
    (a.issuer, a.object, a.rights, a.flags) == (b.issuer, b.object, b.rights, b.flags)
}

#[cfg(test)]
mod tests;
