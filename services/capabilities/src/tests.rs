//! Who holds what, one behaviour each, named after it.

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
#[test]
fn names_do_not_end_and_stand_for_one_thing_each() {
    let mut all = new();
    let first = all.create(domain(1), ME, 0, 7, 0).unwrap();
    assert!(first > u32::MAX as usize, "no 32 bits have it");
    // As many as a second of a fast machine makes, for as long as that is there.
    for next in [FIRST + (1 << 31) - 1, 1 << 40, LAST - 1] {
        all.next = next;
        let own = all.create(domain(1), ME, 1, 7, 0).unwrap();
        let passed = all.pass(101, ME, own, domain(2)).unwrap();
        assert_eq!((own, passed.name), (next, next + 1));
        all.drop_name(102, passed.name).unwrap();
        assert_eq!(all.held(102, passed.name), Err(Error::EBADF));
    }
    assert_eq!(all.create(domain(1), ME, 1, 7, 0), Err(Error::ENFILE), "no name is another's again");
    assert_eq!(used(&all, ME), 4);
}
#[test]
fn a_manager_that_is_started_again_gives_no_name_of_before() {
    let mut before = new();
    before.begin(1_000);
    let mut last = 0;
    for _ in 0..100 {
        last = before.create(domain(1), ME, 1, 7, 0).unwrap();
    }
    // A hundred were made, which took longer than ten microseconds.
    let mut after = new();
    after.begin(1_000 + 100);
    assert!(after.create(domain(1), ME, 1, 7, 0).unwrap() > last && last > FIRST + 1_000);
    assert_eq!(after.held(101, last), Err(Error::EBADF));
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
    #![proptest_config(properties::config(200))]
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
