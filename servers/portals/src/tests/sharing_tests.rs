//! Portal tables that several domains share.

use super::world::World;
use crate::failing::with_only;
use abi::Error;
use abi::system::{self, Child, FIRST_FREE, admission, fork::SHARED};

/// A server of `t.add`; a domain with a portal to it, and its child that shares the table: number and thread of each.
struct Scene {
    world: World,
    its: usize,
    parent: usize,
    parents: usize,
    child: usize,
    childs: usize,
    portal: usize,
}
fn scene() -> Scene {
    let (mut world, _, its) = World::with_component();
    world.register(its, "t.add", "npii").unwrap();
    let (parent, parents) = world.component("parent", 2);
    let portal = world.open(parents, "t.add").unwrap();
    let (child, childs) = world.fork(parents, SHARED).unwrap();
    world.check();
    Scene { world, its, parent, parents, child, childs, portal }
}
impl Scene {
    fn both(&self, number: usize) -> [Option<(usize, u64)>; 2] {
        [self.parent, self.child].map(|asid| self.world.leads(asid, number))
    }
}
#[test]
fn what_one_opens_or_closes_the_other_has_or_has_no_more() {
    let mut s = scene();
    let opened = s.world.open(s.childs, "t.add").unwrap();
    let [one, other] = s.both(opened);
    assert!(one.is_some() && one == other);
    let next = s.world.open(s.parents, "t.add").unwrap();
    assert_eq!(next, opened + 1, "numbers are free in both or in none");
    assert_eq!(s.world.close(s.parents, opened), Ok(0));
    assert_eq!(s.both(opened), [None, None]);
    assert_eq!(s.world.close(s.childs, s.portal), Ok(0));
    assert_eq!(s.both(s.portal), [None, None]);
    assert_eq!(s.world.close(s.parents, s.portal), Err(Error::EPORTAL));
    s.world.check();
}
#[test]
fn a_semaphore_is_destroyed_for_both() {
    let mut s = scene();
    let semaphore = s.world.semaphore(s.childs).unwrap();
    assert!(s.both(semaphore + 1).iter().all(Option::is_some));
    let result = s.world.call(s.parents, system::SEM_DESTROY, |m, caller| m.semaphore_destroy(caller, semaphore));
    assert_eq!((result, s.both(semaphore), s.both(semaphore + 1)), (Ok(0), [None; 2], [None; 2]));
    s.world.check();
}
#[test]
fn what_a_server_grants_one_both_have() {
    let mut s = scene();
    assert!(s.world.enter(s.childs, s.portal));
    let granted = s.world.grant(s.childs, 3).unwrap();
    let [one, other] = s.both(granted);
    assert!(one.is_some() && one == other);
    s.world.leave(s.childs);
    s.world.kill(s.child).unwrap();
    assert_eq!(s.world.leads(s.parent, granted), one);
    s.world.check();
}
#[test]
fn who_has_a_portal_to_itself_enters_it_and_the_other_crosses() {
    let mut s = scene();
    s.world.register(s.parents, "t.own", "npii").unwrap();
    for opener in [s.parents, s.childs] {
        let number = s.world.open(opener, "t.own").unwrap();
        assert_eq!(s.both(number), [Some((s.parent, 0x20000)); 2]);
        assert!(s.world.enter(s.childs, number));
        assert_eq!(s.world.inside(s.childs), s.parent);
        s.world.leave(s.childs);
        s.world.check();
    }
    s.world.kill(s.parent).unwrap();
    s.world.check();
}
#[test]
fn one_dies_and_the_other_keeps_all() {
    for first in [true, false] {
        let mut s = scene();
        let opened = s.world.open(s.childs, "t.add").unwrap();
        let (dies, stays, thread) = if first { (s.parent, s.child, s.childs) } else { (s.child, s.parent, s.parents) };
        s.world.kill(dies).unwrap();
        s.world.check();
        assert!(s.world.leads(stays, opened).is_some() && s.world.leads(stays, s.portal).is_some());
        assert!(!s.world.manager.shares(stays));
        assert_eq!(s.world.close(thread, opened), Ok(0));
        s.world.check();
    }
}
#[test]
fn a_copy_of_one_that_shares_has_its_own() {
    let mut s = scene();
    let (copy, copys) = s.world.fork(s.childs, 0).unwrap();
    let opened = s.world.open(copys, "t.add").unwrap();
    assert_eq!(s.both(opened), [None, None]);
    assert_eq!(s.world.close(s.parents, s.portal), Ok(0));
    assert!(s.world.leads(copy, s.portal).is_some());
    s.world.check();
}
#[test]
fn three_share_and_the_middle_one_dies() {
    let mut s = scene();
    let (third, thirds) = s.world.fork(s.childs, SHARED).unwrap();
    let opened = s.world.open(thirds, "t.add").unwrap();
    assert!(s.both(opened).iter().all(Option::is_some));
    s.world.kill(s.child).unwrap();
    s.world.check();
    let next = s.world.open(s.parents, "t.add").unwrap();
    assert!(s.world.leads(third, next).is_some());
    assert_eq!(s.world.close(thirds, opened), Ok(0));
    assert_eq!(s.world.leads(s.parent, opened), None);
    s.world.check();
}
#[test]
fn what_is_withdrawn_from_one_both_lose() {
    let mut s = scene();
    assert_eq!(s.world.admit(s.its, "t.add", s.child, admission::WITHDRAWN), Ok(0));
    assert_eq!(s.both(s.portal), [Some((0, 0)); 2]);
}
#[test]
fn a_sandbox_of_one_that_shares() {
    let mut s = scene();
    let (inner, inside) = s.world.fork(s.childs, 0x30000).unwrap();
    assert!(s.world.enter(inside, system::PORTAL_OPEN));
    let opened = s.world.open(inside, "t.add").unwrap();
    s.world.leave(inside);
    assert!(s.both(opened).iter().all(Option::is_some));
    assert!(s.world.manager.domain(inner).unwrap().sandbox.held.has(opened));
    // Who shares the table closes it for the sandbox too.
    assert_eq!(s.world.close(s.parents, opened), Ok(0));
    assert!(!s.world.manager.domain(inner).unwrap().sandbox.held.has(opened));
    s.world.check();
    assert!(s.world.enter(inside, system::PORTAL_OPEN));
    let opened = s.world.open(inside, "t.add").unwrap();
    s.world.leave(inside);
    s.world.kill(inner).unwrap();
    assert_eq!(s.both(opened), [None, None], "it was opened for the sandbox");
    s.world.check();
}
#[test]
fn two_in_a_sandbox_share_its_numbers() {
    let mut s = scene();
    let (one, inside) = s.world.fork(s.childs, 0x30000).unwrap();
    assert!(s.world.enter(inside, system::DOMAIN_FORK));
    let (other, others) = s.world.fork(inside, SHARED).unwrap();
    s.world.leave(inside);
    s.world.check();
    let held = |s: &Scene, number| [one, other].map(|d| s.world.manager.domain(d).unwrap().sandbox.held.has(number));
    assert!(s.world.enter(others, system::PORTAL_OPEN));
    let opened = s.world.open(others, "t.add").unwrap();
    s.world.leave(others);
    assert_eq!(held(&s, opened), [true; 2]);
    assert!(s.world.enter(inside, system::PORTAL_CLOSE));
    assert_eq!(s.world.close(inside, opened), Ok(0));
    s.world.leave(inside);
    assert_eq!((held(&s, opened), s.both(opened)), ([false; 2], [None; 2]));
    s.world.check();
    assert!(s.world.enter(others, system::PORTAL_OPEN));
    let opened = s.world.open(others, "t.add").unwrap();
    s.world.leave(others);
    s.world.kill(other).unwrap();
    assert!(s.both(opened).iter().all(Option::is_some), "the one that is left has it");
    s.world.check();
}
#[test]
fn enotsup_a_domain_of_protection_of_who_shares() {
    let mut s = scene();
    for thread in [s.parents, s.childs] {
        let made = s.world.call(thread, system::PORTAL_OPEN, |m, caller| m.create_protection(caller, "part"));
        assert_eq!(made, Err(Error::ENOTSUP));
    }
}
#[test]
fn enotsup_a_portal_that_acts_for_one_that_shares() {
    let mut s = scene();
    let mut request = Child { spec: [0; 64], asid: s.child as u64, portal: 60, constant: 1, entry: 0x31000 };
    request.spec[..4].copy_from_slice(b"smci");
    let made =
        s.world.call(s.parents, system::PORTAL_CREATE_CHILD, |m, caller| m.create_child(caller, &request).map(|_| ()));
    assert_eq!(made, Err(Error::ENOTSUP));
    assert_eq!(s.both(60), [None, None]);
}
#[test]
fn enotsup_a_trusted_domain_shares_with_nobody() {
    let mut world = World::new();
    let asid = world
        .manager
        .create_domain(&super::world::wanted("trusted", abi::nucleus::flags::TRUSTED, account::Account::SYSTEM))
        .unwrap();
    assert_eq!(world.manager.may_share(asid), Err(Error::ENOTSUP));
}
#[test]
fn each_thing_that_sharing_asks_for_can_fail() {
    for name in ["t.add", "t.own"] {
        let mut tried = 0;
        for n in 0.. {
            let mut s = scene();
            // More than a block has room for.
            let more: Vec<usize> = (0..3).map(|_| s.world.fork(s.childs, SHARED).unwrap().0).collect();
            s.world.register(s.parents, "t.own", "npii").unwrap();
            let before = s.world.counts();
            let opened = with_only(n, || s.world.open(s.parents, name));
            s.world.check();
            match opened {
                Ok(number) => {
                    assert!(more.iter().all(|&asid| s.world.leads(asid, number).is_some()));
                    break;
                }
                Err(error) => assert_eq!(error, Error::ENOMEM),
            }
            tried += 1;
            // Nothing of it stays, in any of the tables.
            assert!((FIRST_FREE + 1..FIRST_FREE + 8).all(|number| s.both(number) == [None, None]));
            assert_eq!(s.world.counts(), before);
        }
        assert!(tried > 0, "{name}");
    }
    let mut s = scene();
    with_only(0, || s.world.kill(s.parent)).expect("an end needs nothing");
    with_only(0, || s.world.close(s.childs, s.portal)).expect("nor does closing");
    s.world.check();
}
