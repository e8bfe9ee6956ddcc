//! The logic of the capability manager: who holds which capability under which name, and what may be done with it.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

pub mod cache;
pub mod template;

use abi::Error;
use abi::capability::flags;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::ops::Bound;

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

/// Most capabilities that one domain holds.
const MOST: usize = 1024;

/// Most capabilities of the dead that one [`Capabilities::sweep`] forgets: more than one call adds, so that however many domains
/// come and go, what they leave does not become more and more, and few enough that nobody waits long.
pub const SWEPT: usize = 16;

/// All capabilities by their names. A name is given once, so that an old one never stands for something new.
///
/// What belongs to one domain, or was derived from one name, is found without looking at the others, so that the end of a domain,
/// however it is noticed, costs as much as the domain had.
pub struct Capabilities {
    all: BTreeMap<usize, Capability>,
    /// (parent, name) of each that has a parent.
    derived: BTreeSet<(usize, usize)>,
    /// (serial, name): of its holder, and of its issuer where that is another.
    of: BTreeSet<(usize, usize)>,
    next: usize,
    /// The domain that the last [`Capabilities::sweep`] looked at.
    swept: usize,
}
/// All pairs that begin with `first`.
fn with(set: &BTreeSet<(usize, usize)>, first: usize) -> impl DoubleEndedIterator<Item = usize> {
    set.range((first, 0)..=(first, usize::MAX)).map(|&(_, second)| second)
}
impl Capabilities {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Capabilities {
        Capabilities { all: BTreeMap::new(), derived: BTreeSet::new(), of: BTreeSet::new(), next: 1, swept: 0 }
    }
    fn add(&mut self, capability: Capability) -> Result<usize, Error> {
        let of_holder = with(&self.of, capability.holder.serial);
        // What it has issued and others hold does not count.
        let held = of_holder.filter(|name| self.all[name].holder == capability.holder).take(MOST).count();
        if held >= MOST || self.next > i32::MAX as usize {
            return Err(Error::ENFILE);
        }
        let name = self.next;
        self.next += 1;
        self.of.insert((capability.holder.serial, name));
        self.of.insert((capability.issuer.serial, name));
        if capability.parent != 0 {
            self.derived.insert((capability.parent, name));
        }
        self.all.insert(name, capability);
        Ok(name)
    }
    /// Takes `name` out of all but what was derived from it.
    fn take(&mut self, name: usize) -> Option<Capability> {
        let taken = self.all.remove(&name)?;
        self.of.remove(&(taken.holder.serial, name));
        self.of.remove(&(taken.issuer.serial, name));
        self.derived.remove(&(taken.parent, name));
        Some(taken)
    }
    /// What domain `serial` holds under `name`. `EBADF`: nothing.
    pub fn held(&self, serial: usize, name: usize) -> Result<Capability, Error> {
        self.all.get(&name).filter(|c| c.holder.serial == serial).copied().ok_or(Error::EBADF)
    }
    /// A new capability of `issuer`'s, in its own list; its name.
    pub fn create(&mut self, issuer: Domain, object: u64, rights: u64, flags: u64) -> Result<usize, Error> {
        if flags & !flags::ALL != 0 {
            return Err(Error::EINVAL);
        }
        self.add(Capability { holder: issuer, issuer, object, rights, flags, parent: 0 })
    }
    /// A weaker one, derived from `name`; its name.
    pub fn reduce(&mut self, serial: usize, name: usize, rights: u64, flags: u64) -> Result<usize, Error> {
        let from = self.held(serial, name)?;
        if flags & !flags::ALL != 0 {
            return Err(Error::EINVAL);
        }
        // Who has it for one use does not get a second one.
        if from.flags & flags::ONCE != 0 {
            return Err(Error::EACCESS);
        }
        let weaker = Capability { rights: from.rights & rights, flags: from.flags | flags, parent: name, ..from };
        self.add(weaker)
    }
    /// Passes what `serial` holds under `name` to domain `to`. `EACCESS`: it stays with its holder.
    pub fn pass(&mut self, serial: usize, name: usize, to: Domain) -> Result<Passed, Error> {
        let from = self.held(serial, name)?;
        if from.flags & flags::STAYS != 0 && to != from.issuer {
            return Err(Error::EACCESS);
        }
        let moved = from.flags & flags::ONCE != 0;
        if moved {
            let new = self.add(Capability { holder: to, ..from })?;
            self.remove(name);
            return Ok(Passed { name: new, moved });
        }
        let known =
            with(&self.derived, name).find(|name| self.all.get(name).is_some_and(|c| c.holder == to && same(c, &from)));
        if let Some(name) = known {
            return Ok(Passed { name, moved });
        }
        let new = self.add(Capability { holder: to, parent: name, ..from })?;
        Ok(Passed { name: new, moved })
    }
    /// Takes back all that was derived from what `serial` holds under `name`; how many that were.
    pub fn revoke(&mut self, serial: usize, name: usize) -> Result<usize, Error> {
        self.held(serial, name)?;
        let mut from = Vec::from([name]);
        let mut count = 0;
        while let Some(parent) = from.pop() {
            let derived: Vec<usize> = with(&self.derived, parent).collect();
            for &name in &derived {
                self.take(name);
            }
            count += derived.len();
            from.extend(derived);
        }
        Ok(count)
    }
    /// Lets go of `name`; what was derived from it stays.
    pub fn drop_name(&mut self, serial: usize, name: usize) -> Result<(), Error> {
        self.held(serial, name)?;
        self.remove(name);
        Ok(())
    }
    /// Takes `name` away; what was derived from it is derived from its parent now.
    fn remove(&mut self, name: usize) {
        let Some(removed) = self.take(name) else { return };
        let derived: Vec<usize> = with(&self.derived, name).collect();
        for child in derived {
            self.derived.remove(&(name, child));
            if removed.parent != 0 {
                self.derived.insert((removed.parent, child));
            }
            if let Some(child) = self.all.get_mut(&child) {
                child.parent = removed.parent;
            }
        }
    }
    /// Looks at the next one of the domains that hold or have issued anything; if `lives` says that it is no more, forgets of that as much
    /// as [`SWEPT`], and looks at the same again the next time. Whether it has forgotten anything.
    pub fn sweep(&mut self, lives: impl FnOnce(Domain) -> bool) -> bool {
        let after = (Bound::Excluded((self.swept, usize::MAX)), Bound::Unbounded);
        let Some(&(serial, name)) = self.of.range(after).next().or_else(|| self.of.first()) else { return false };
        let Some(capability) = self.all.get(&name) else { return false };
        let domain = if capability.holder.serial == serial { capability.holder } else { capability.issuer };
        if lives(domain) {
            self.swept = serial;
            return false;
        }
        let gone: Vec<usize> = with(&self.of, serial).take(SWEPT).collect();
        gone.into_iter().for_each(|name| self.remove(name));
        true
    }
    /// The `n`th capability of domain `serial`, by name.
    pub fn nth(&self, serial: usize, n: usize) -> Option<(usize, Capability)> {
        let all = with(&self.of, serial).filter_map(|name| Some((name, *self.all.get(&name)?)));
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn domain(n: usize) -> Domain {
        Domain { asid: n, serial: 100 + n }
    }
    const SERVER: usize = 1;
    /// One capability of the server's, held by domain 2.
    fn one(rights: u64, flags: u64) -> (Capabilities, usize) {
        let mut all = Capabilities::new();
        let own = all.create(domain(SERVER), 7, rights, flags).unwrap();
        let passed = all.pass(101, own, domain(2)).unwrap();
        (all, passed.name)
    }

    #[test]
    fn the_receiver_has_its_own_name_for_the_same() {
        let (mut all, name) = one(6, 0);
        let held = all.held(102, name).unwrap();
        assert_eq!((held.object, held.rights, held.issuer), (7, 6, domain(SERVER)));
        assert_eq!(all.held(101, name), Err(Error::EBADF), "a name is its holder's");
        let back = all.pass(102, name, domain(SERVER)).unwrap();
        assert_eq!(all.held(101, back.name).unwrap().object, 7);
        assert_eq!(all.pass(102, name, domain(SERVER)).unwrap().name, back.name, "the same again");
    }
    #[test]
    fn what_was_derived_is_revoked() {
        let (mut all, name) = one(6, 0);
        let third = all.pass(102, name, domain(3)).unwrap().name;
        let weaker = all.reduce(103, third, 2, 0).unwrap();
        assert_eq!(all.revoke(102, name), Ok(2));
        assert_eq!((all.held(103, third), all.held(103, weaker)), (Err(Error::EBADF), Err(Error::EBADF)));
        assert!(all.held(102, name).is_ok());
    }
    #[test]
    fn rights_only_get_fewer() {
        let (mut all, name) = one(6, 0);
        let weaker = all.reduce(102, name, 3, flags::STAYS).unwrap();
        let held = all.held(102, weaker).unwrap();
        assert_eq!((held.rights, held.flags), (2, flags::STAYS));
        assert_eq!(all.reduce(102, name, 0, 8), Err(Error::EINVAL));
    }
    #[test]
    fn one_use_is_one() {
        let (mut all, name) = one(6, flags::ONCE);
        let passed = all.pass(102, name, domain(SERVER)).unwrap();
        assert!(passed.moved);
        assert_eq!(all.pass(102, name, domain(SERVER)), Err(Error::EBADF));
        let (mut all, name) = one(6, flags::ONCE);
        assert_eq!(all.reduce(102, name, 6, 0), Err(Error::EACCESS));
    }
    #[test]
    fn what_stays_goes_to_its_issuer_only() {
        let (mut all, name) = one(6, 0);
        let stays = all.reduce(102, name, 6, flags::STAYS).unwrap();
        assert_eq!(all.pass(102, stays, domain(3)), Err(Error::EACCESS));
        assert!(all.pass(102, stays, domain(SERVER)).is_ok());
    }
    /// Sweeps until nothing is left of the dead domain.
    fn forget(all: &mut Capabilities, dead: usize) {
        (0..2 * all.count()).for_each(|_| _ = all.sweep(|d| d.serial != dead));
    }
    #[test]
    fn what_the_dead_leave_does_not_become_more_and_more() {
        let mut all = Capabilities::new();
        for n in 0..200 {
            for _ in 0..5 {
                // However many are there already.
                all.create(domain(n), 1, 1, 0).unwrap();
                all.sweep(|d| d.serial >= 100 + n);
            }
            assert!(all.count() <= 5 + 2 * SWEPT, "{} of domain {n} and the dead", all.count());
        }
    }
    #[test]
    fn a_sweep_is_short_however_much_the_dead_have() {
        let mut all = Capabilities::new();
        (0..MOST).for_each(|n| _ = all.create(domain(1), n as u64, 0, 0));
        assert!(all.sweep(|_| false));
        assert_eq!(all.count(), MOST - SWEPT);
    }
    #[test]
    fn the_dead_hold_nothing() {
        let (mut all, name) = one(6, 0);
        let third = all.pass(102, name, domain(3)).unwrap().name;
        forget(&mut all, 102);
        assert_eq!(all.held(102, name), Err(Error::EBADF));
        assert_eq!(all.held(103, third).unwrap().object, 7);
        forget(&mut all, 101);
        assert_eq!(all.count(), 0, "what a dead issuer has made stands for nothing");
    }
    #[test]
    fn too_many_are_refused() {
        let mut all = Capabilities::new();
        assert!((0..MOST).all(|n| all.create(domain(1), n as u64, 0, 0).is_ok()));
        assert_eq!(all.create(domain(1), 0, 0, 0), Err(Error::ENFILE));
    }
    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]
        /// Nobody ever holds rights that no chain of passing has given, whatever is done in which order.
        #[test]
        fn rights_come_from_the_issuer(steps in proptest::collection::vec((0..5u8, 1..5usize, 1..5usize, 0..16u64, 0..4u64), 1..80)) {
            let mut all = Capabilities::new();
            let mut given = std::collections::BTreeMap::new();
            for (what, who, other, rights, flags) in steps {
                let name = all.nth(100 + who, (rights as usize + other) % 4).map_or(0, |(name, _)| name);
                match what {
                    0 => {
                        if let Ok(name) = all.create(domain(who), name as u64 + 1, rights, flags) {
                            let c = all.held(100 + who, name).unwrap();
                            *given.entry((c.issuer.serial, c.object)).or_insert(0) |= rights;
                        }
                    }
                    1 => { let _ = all.pass(100 + who, name, domain(other)); }
                    2 => { let _ = all.reduce(100 + who, name, rights, flags); }
                    3 => { let _ = all.revoke(100 + who, name); }
                    4 if flags == 3 => { let _ = all.sweep(|d| d.asid != who); }
                    _ => { let _ = all.drop_name(100 + who, name); }
                }
                let of = all.all.iter().flat_map(|(&name, c)| [(c.holder.serial, name), (c.issuer.serial, name)]);
                prop_assert_eq!(&of.collect::<BTreeSet<_>>(), &all.of);
                let derived = all.all.iter().filter(|(_, c)| c.parent != 0).map(|(&name, c)| (c.parent, name));
                prop_assert_eq!(&derived.collect::<BTreeSet<_>>(), &all.derived);
                for c in all.all.values() {
                    prop_assert_eq!(c.rights & !given[&(c.issuer.serial, c.object)], 0);
                    prop_assert!(c.parent == 0 || all.all.contains_key(&c.parent), "no chain hangs in the air");
                }
            }
        }
    }
}
