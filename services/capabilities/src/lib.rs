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
        Capabilities { ledger, all: Map::new(), of: Map::new(), next: 1, swept: 0 }
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
        if name > i32::MAX as usize {
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
mod tests {
    use super::*;
    use account::Accounts;
    use fallible::failing::with_only;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    type Capabilities = super::Capabilities<Accounts>;
    const ME: Account = Account::SYSTEM;

    fn new() -> Capabilities {
        Capabilities::new(Accounts::new())
    }

    fn domain(n: usize) -> Domain {
        Domain { asid: n, serial: 100 + n }
    }
    const SERVER: usize = 1;
    /// One capability of the server's, held by domain 2.
    fn one(rights: u64, flags: u64) -> (Capabilities, usize) {
        let mut all = new();
        let own = all.create(domain(SERVER), ME, 7, rights, flags).unwrap();
        let passed = all.pass(101, ME, own, domain(2)).unwrap();
        (all, passed.name)
    }

    #[test]
    fn the_receiver_has_its_own_name_for_the_same() {
        let (mut all, name) = one(6, 0);
        let held = all.held(102, name).unwrap();
        assert_eq!((held.object, held.rights, held.issuer), (7, 6, domain(SERVER)));
        assert_eq!(all.held(101, name), Err(Error::EBADF), "a name is its holder's");
        let back = all.pass(102, ME, name, domain(SERVER)).unwrap();
        assert_eq!(all.held(101, back.name).unwrap().object, 7);
        assert_eq!(all.pass(102, ME, name, domain(SERVER)).unwrap().name, back.name, "the same again");
    }
    #[test]
    fn what_was_derived_is_revoked() {
        let (mut all, name) = one(6, 0);
        let third = all.pass(102, ME, name, domain(3)).unwrap().name;
        let weaker = all.reduce(103, ME, third, 2, 0).unwrap();
        assert_eq!(all.revoke(102, name), Ok(2));
        assert_eq!((all.held(103, third), all.held(103, weaker)), (Err(Error::EBADF), Err(Error::EBADF)));
        assert!(all.held(102, name).is_ok());
    }
    #[test]
    fn rights_only_get_fewer() {
        let (mut all, name) = one(6, 0);
        let weaker = all.reduce(102, ME, name, 3, flags::STAYS).unwrap();
        let held = all.held(102, weaker).unwrap();
        assert_eq!((held.rights, held.flags), (2, flags::STAYS));
        assert_eq!(all.reduce(102, ME, name, 0, 8), Err(Error::EINVAL));
    }
    #[test]
    fn one_use_is_one() {
        let (mut all, name) = one(6, flags::ONCE);
        let passed = all.pass(102, ME, name, domain(SERVER)).unwrap();
        assert!(passed.moved);
        assert_eq!(all.pass(102, ME, name, domain(SERVER)), Err(Error::EBADF));
        let (mut all, name) = one(6, flags::ONCE);
        assert_eq!(all.reduce(102, ME, name, 6, 0), Err(Error::EACCESS));
    }
    #[test]
    fn what_stays_goes_to_its_issuer_only() {
        let (mut all, name) = one(6, 0);
        let stays = all.reduce(102, ME, name, 6, flags::STAYS).unwrap();
        assert_eq!(all.pass(102, ME, stays, domain(3)), Err(Error::EACCESS));
        assert!(all.pass(102, ME, stays, domain(SERVER)).is_ok());
    }
    /// Sweeps until nothing is left of the dead domain.
    fn forget(all: &mut Capabilities, dead: usize) {
        (0..2 * all.count()).for_each(|_| _ = all.sweep(|d| d.serial != dead));
    }
    #[test]
    fn what_the_dead_leave_does_not_become_more_and_more() {
        let mut all = new();
        for n in 0..200 {
            for _ in 0..5 {
                // However many are there already.
                all.create(domain(n), ME, 1, 1, 0).unwrap();
                all.sweep(|d| d.serial >= 100 + n);
            }
            assert!(all.count() <= 5 + 2 * SWEPT, "{} of domain {n} and the dead", all.count());
        }
    }
    #[test]
    fn a_sweep_is_short_however_much_the_dead_have() {
        let mut all = new();
        (0..1000).for_each(|n| _ = all.create(domain(1), ME, n as u64, 0, 0));
        assert_eq!(all.sweep(|_| false), Swept { forgot: true, anew: false });
        assert_eq!(all.count(), 1000 - SWEPT);
    }
    #[test]
    fn the_dead_hold_nothing() {
        let (mut all, name) = one(6, 0);
        let third = all.pass(102, ME, name, domain(3)).unwrap().name;
        forget(&mut all, 102);
        assert_eq!(all.held(102, name), Err(Error::EBADF));
        assert_eq!(all.held(103, third).unwrap().object, 7);
        forget(&mut all, 101);
        assert_eq!(all.count(), 0, "what a dead issuer has made stands for nothing");
    }
    /// An account that may have `most`.
    fn limited(all: &mut Capabilities, number: usize, most: u32) -> Account {
        let (account, mut limits) = (Account::new(number).unwrap(), abi::account::Limits::NONE);
        limits.0[Resource::Capabilities as usize] = most;
        all.ledger.set(account, &limits);
        account
    }
    fn used(all: &Capabilities, account: Account) -> usize {
        all.ledger.used(account, Resource::Capabilities)
    }
    #[test]
    fn too_many_are_refused_and_others_notice_nothing() {
        let mut all = new();
        let (one, two) = (limited(&mut all, 1, 10), limited(&mut all, 2, 10));
        let first = all.create(domain(1), one, 0, 7, 0).unwrap();
        (1..10).for_each(|n| _ = all.create(domain(1), one, n, 7, 0).unwrap());
        assert_eq!(all.create(domain(1), one, 0, 0, 0), Err(Error::ENFILE));
        assert_eq!(all.reduce(101, one, first, 1, 0), Err(Error::ENFILE));
        assert_eq!(all.pass(101, one, first, domain(2)), Err(Error::ENFILE));
        assert!(all.create(domain(2), two, 0, 0, 0).is_ok());
        all.drop_name(101, first + 1).unwrap();
        assert!(all.pass(101, one, first, domain(2)).is_ok());
    }
    #[test]
    fn who_passes_on_pays_and_not_who_receives() {
        let mut all = new();
        let (one, two) = (limited(&mut all, 1, 100), limited(&mut all, 2, 1));
        let own = all.create(domain(1), one, 0, 7, 0).unwrap();
        (0..50).for_each(|n| {
            let other = all.reduce(101, one, own, n, 0).unwrap();
            all.pass(101, one, other, domain(2)).unwrap_or_else(|_| panic!("{n}"));
            all.drop_name(101, other).unwrap();
        });
        assert_eq!((used(&all, one), used(&all, two)), (51, 0));
        assert!(all.create(domain(2), two, 0, 0, 0).is_ok());
        // And has it back, whoever holds it.
        all.revoke(101, own).unwrap();
        assert_eq!(used(&all, one), 1);
    }
    #[test]
    fn what_leaves_its_holder_costs_no_more() {
        let mut all = new();
        let one = limited(&mut all, 1, 1);
        let own = all.create(domain(1), one, 0, 7, flags::ONCE).unwrap();
        let passed = all.pass(101, one, own, domain(2)).unwrap();
        assert_eq!((passed.moved, used(&all, one)), (true, 1));
        all.drop_name(102, passed.name).unwrap();
        assert_eq!(used(&all, one), 0);
    }
    #[test]
    fn a_sweep_says_when_it_has_looked_at_all() {
        let mut all = new();
        (1..4).for_each(|n| _ = all.create(domain(n), ME, 0, 0, 0).unwrap());
        let anew: Vec<bool> = (0..7).map(|_| all.sweep(|_| true).anew).collect();
        assert_eq!(anew, [false, false, false, true, false, false, true]);
        assert_eq!(new().sweep(|_| true), Swept { forgot: false, anew: true });
    }
    /// The n-th allocation fails, for every n: `ENOMEM`, and nothing has changed; what takes away needs none.
    #[test]
    fn every_allocation_can_fail() {
        type Step = (&'static str, fn(&mut Capabilities, usize, usize) -> Result<(), Error>);
        let steps: [Step; 4] = [
            ("create", |all, _, _| all.create(domain(5), ME, 1, 1, 0).map(|_| ())),
            ("reduce", |all, own, _| all.reduce(101, ME, own, 1, 0).map(|_| ())),
            ("pass", |all, own, _| all.pass(101, ME, own, domain(6)).map(|_| ())),
            ("pass on", |all, _, once| all.pass(101, ME, once, domain(6)).map(|_| ())),
        ];
        for (what, step) in steps {
            let mut failed = 0;
            // As many are there as fill a chunk of a table, for each table.
            for filled in 0..40 {
                for n in 0.. {
                    let mut all = new();
                    let own = all.create(domain(1), ME, 0, 7, 0).unwrap();
                    let once = all.create(domain(1), ME, 0, 7, flags::ONCE).unwrap();
                    (0..filled).for_each(|n| _ = all.create(domain(9), ME, n, 7, 0).unwrap());
                    let before = (all.count(), used(&all, ME), all.of.len());
                    let result = with_only(n, || step(&mut all, own, once));
                    if result.is_ok() {
                        break;
                    }
                    assert_eq!(
                        (result, all.count(), used(&all, ME), all.of.len()),
                        (Err(Error::ENOMEM), before.0, before.1, before.2)
                    );
                    failed += 1;
                    assert_eq!(step(&mut all, own, once), Ok(()), "{what} after it failed");
                    with_only(0, || {
                        all.revoke(101, own).unwrap();
                        all.drop_name(101, own).unwrap();
                        (0..2 * before.0 + 4).for_each(|_| _ = all.sweep(|_| false));
                    });
                    assert_eq!((all.count(), used(&all, ME), all.of.len()), (0, 0, 0));
                }
            }
            assert!(failed > 1, "{what}: {failed} allocations failed");
        }
    }
    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]
        /// Nobody ever holds rights that no chain of passing has given, whatever is done in which order.
        #[test]
        fn rights_come_from_the_issuer(steps in proptest::collection::vec((0..5u8, 1..5usize, 1..5usize, 0..16u64, 0..4u64), 1..80)) {
            let mut all = new();
            let mut given = BTreeMap::new();
            for (what, who, other, rights, flags) in steps {
                let name = all.nth(100 + who, (rights as usize + other) % 4).map_or(0, |(name, _)| name);
                match what {
                    0 => {
                        if let Ok(name) = all.create(domain(who), ME, name as u64 + 1, rights, flags) {
                            let c = all.held(100 + who, name).unwrap();
                            *given.entry((c.issuer.serial, c.object)).or_insert(0) |= rights;
                        }
                    }
                    1 => { let _ = all.pass(100 + who, ME, name, domain(other)); }
                    2 => { let _ = all.reduce(100 + who, ME, name, rights, flags); }
                    3 => { let _ = all.revoke(100 + who, name); }
                    4 if flags == 3 => { let _ = all.sweep(|d| d.asid != who); }
                    _ => { let _ = all.drop_name(100 + who, name); }
                }
                let known: BTreeMap<usize, Capability> = all.all.iter().map(|(&name, record)| (name, record.capability)).collect();
                let of = known.iter().flat_map(|(&name, c)| [(c.holder.serial, name), (c.issuer.serial, name)]);
                prop_assert_eq!(of.collect::<BTreeSet<_>>(), all.of.iter().map(|(&pair, ())| pair).collect());
                let derived = known.iter().filter(|(_, c)| c.parent != 0).map(|(&name, c)| (c.parent, name));
                let listed = known.keys().flat_map(|&parent| all.derived(parent).map(move |name| (parent, name)));
                prop_assert_eq!(derived.collect::<BTreeSet<_>>(), listed.collect());
                prop_assert_eq!(used(&all, ME), known.len());
                for c in known.values() {
                    prop_assert_eq!(c.rights & !given[&(c.issuer.serial, c.object)], 0);
                    prop_assert!(c.parent == 0 || known.contains_key(&c.parent), "no chain hangs in the air");
                }
            }
        }
    }
}
