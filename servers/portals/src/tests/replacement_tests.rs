//! A domain takes the place of another: who has its portals notices nothing, and what is in the way changes nothing.

use super::world::{Returned, Scene, World, registration, scene, wanted};
use crate::failing::with_only;
use crate::fake::{Fake, INIT};
use crate::machine::nucleus_memory::NucleusMemory;
use crate::manager::Manager;
use crate::operations::replacement::Refused;
use crate::state::delegations::Delegation;
use abi::Error;
use abi::account::{Limits, Resource};
use abi::name::Name;
use abi::nucleus::{Thread, flags};
use abi::section::padded;
use abi::system::{self, admission};
use account::Account;
use core::mem::offset_of;

impl World {
    fn succeed(&mut self, new: usize, old: usize) -> Result<isize, Error> {
        let (new, old) = (self.identity(new), self.identity(old));
        self.manager.succeed(INIT, new, old)
    }
    /// By who has heirs of all that is in use; how many calls its predecessor still serves.
    #[track_caller]
    fn take_over(&mut self, new: usize) -> Result<usize, Refused> {
        self.takes_over(new, false)
    }
    #[track_caller]
    fn takes_over(&mut self, new: usize, all: bool) -> Result<usize, Refused> {
        let new = self.identity(new);
        let of = self.manager.domains.succession(new).unwrap().of;
        let result = self.manager.take_over(INIT, new, all);
        self.check();
        result.map(|_| self.manager.served_in(of).unwrap())
    }
    /// A component that is to take the place of `old`; its number, and its thread.
    fn successor(&mut self, old: usize) -> (usize, usize) {
        let (new, thread) = self.component("successor", 1);
        assert_eq!(self.succeed(new, old), Ok(0));
        (new, thread)
    }
}
/// Where the successor's entry points are, which are elsewhere than its predecessor's.
const ENTRY: u64 = 0x30000;
const NOTHING: [u8; 48] = [0; 48];

fn refused(error: Error, name: &str) -> Result<usize, Refused> {
    Err(Refused(error, padded(name)))
}

#[test]
fn a_portal_leads_to_the_successor_under_its_number() {
    let (mut world, Scene { server, client, other, portal, .. }) = scene();
    let (new, its) = world.successor(server);
    assert_eq!(world.register_at(its, "t.add", "npii", ENTRY), Ok(0));
    assert_eq!(world.leads(client, portal), Some((server, 0x20000)), "not before it takes over");
    let early = world.open(other, "t.add").unwrap();
    assert_eq!(world.leads(client, early), Some((server, 0x20000)), "its name leads there, too");
    assert_eq!(world.take_over(new), Ok(0));
    assert_eq!([portal, early].map(|n| world.leads(client, n)), [Some((new, ENTRY)); 2]);
    let late = world.open(other, "t.add").unwrap();
    assert_eq!(world.leads(client, late), Some((new, ENTRY)));
    let left = world.manager.registrations.iter().filter(|(_, r)| r.server == server).count();
    assert_eq!(left, 0, "nothing is registered by who has no names and no callers");
    world.dies(server);
    assert!(world.enter(other, portal));
    assert_eq!(world.inside(other), new);
    assert_eq!(world.leave(other), Returned::Goes);
    assert!(world.open(other, "t.add").is_ok(), "the name is none of the dead");
}
#[test]
fn a_call_that_is_served_comes_to_its_end() {
    let (mut world, Scene { server, client, other, portal, .. }) = scene();
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert!(world.enter(other, portal));
    assert_eq!(world.inside(other), server);
    assert_eq!(world.take_over(new), Ok(1));
    assert_eq!(world.inside(other), server);
    let second = world.thread(client).unwrap();
    assert!(world.enter(second, portal));
    assert_eq!(world.inside(second), new, "who calls now calls the successor");
    assert_eq!(world.leave(other), Returned::Goes);
    assert_eq!(world.inside(other), client);
    let id = world.identity(server);
    assert_eq!(world.manager.served_in(id), Ok(0));
    world.dies(server);
    assert_eq!(world.manager.served_in(id), Err(Error::ESRCH));
    assert_eq!(world.inside(second), new);
    assert_eq!(world.leave(second), Returned::Goes);
}
#[test]
fn an_interface_that_lacks_a_portal_in_use() {
    let (mut world, Scene { server, its: old, client, other, portal }) = scene();
    world.register(old, "t.unused", "npi").unwrap();
    let (new, its) = world.successor(server);
    assert_eq!(world.take_over(new), refused(Error::ENOENT, "t.add"));
    assert_eq!(world.leads(client, portal), Some((server, 0x20000)));
    assert_eq!(world.takes_over(new, true), refused(Error::ENOENT, "t.add"));
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.takes_over(new, true), refused(Error::ENOENT, "t.unused"), "it may be about to register it");
    assert_eq!(world.take_over(new), Ok(0), "what nobody uses it may lack");
    assert!(world.open(other, "t.unused").is_ok(), "and stays its predecessor's");
}
#[test]
fn another_specification() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npi", ENTRY).unwrap();
    assert_eq!(world.take_over(new), refused(Error::EINVAL, "t.add"));
    assert_eq!(world.leads(client, portal), Some((server, 0x20000)));
}
#[test]
fn a_portal_in_use_whose_name_was_withdrawn() {
    let (mut world, Scene { server, its: old, client, other, portal }) = scene();
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    let name = Name::of("t.add").unwrap();
    let unregister = |world: &mut World, thread| {
        world.call(thread, system::PORTAL_UNREGISTER, |manager, caller| manager.unregister(caller, &name))
    };
    assert_eq!(unregister(&mut world, old), Ok(0));
    assert_eq!(world.take_over(new), refused(Error::EBUSY, "(withdrawn)"));
    world.close(other, portal).unwrap();
    assert_eq!(world.takes_over(new, true), Ok(0));
    let opened = world.open(other, "t.add").unwrap();
    assert_eq!(world.leads(client, opened), Some((new, ENTRY)), "the name was nobody's");
}
#[test]
fn a_name_that_is_somebody_elses_by_now() {
    let (mut world, Scene { server, its: old, other, portal, .. }) = scene();
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    let name = Name::of("t.add").unwrap();
    world.call(old, system::PORTAL_UNREGISTER, |manager, caller| manager.unregister(caller, &name)).unwrap();
    world.register(other, "t.add", "npii").unwrap();
    world.close(other, portal).unwrap();
    assert_eq!(world.take_over(new), refused(Error::EEXIST, "t.add"));
}
#[test]
fn who_has_registered_nothing_yet_is_not_ready() {
    let (mut world, Scene { server, other, portal, .. }) = scene();
    world.close(other, portal).unwrap();
    let (new, its) = world.successor(server);
    assert_eq!(world.takes_over(new, true), refused(Error::ENOENT, "t.add"), "though nobody has it open");
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.takes_over(new, true), Ok(0));
}
#[test]
fn who_was_succeeded_is_not_succeeded_again() {
    let (mut world, Scene { server, .. }) = scene();
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.take_over(new), Ok(0));
    let (third, _) = world.component("third", 1);
    assert_eq!(world.succeed(third, server), Err(Error::EBUSY), "it finishes its calls");
    assert_eq!(world.succeed(third, new), Ok(0));
    let id = world.identity(new);
    assert_eq!(world.manager.take_over(INIT, id, false), Err(Refused(Error::EINVAL, NOTHING)), "nor takes over twice");
}
#[test]
fn a_right_to_make_domains_for_others_binds_its_holder() {
    let (mut world, Scene { server, client, .. }) = scene();
    let (giver, holder) = (world.identity(client), world.identity(server));
    let delegation = Delegation { number: 0, giver, holder, domains: 1, pages: 1 };
    let number = world.manager.delegations.add(delegation).unwrap();
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    let id = world.identity(new);
    assert_eq!(world.manager.take_over(INIT, id, false), Err(Refused(Error::EBUSY, padded("(delegation)"))));
    world.manager.delegations.forget(number);
    assert_eq!(world.take_over(new), Ok(0));
}
#[test]
fn a_call_that_has_given_its_pages_counts_as_served() {
    let (world, Scene { server, other, .. }) = scene();
    let id = world.identity(server);
    let page = world.page(other).address();
    let at = |offset: usize| page + offset as u64;
    Fake.write(at(offset_of!(Thread, transfers)), 1);
    Fake.write(at(offset_of!(Thread, transfer_ends)) + 8, id.word());
    assert_eq!(world.manager.served_in(id), Ok(0), "left from another call");
    Fake.write(at(offset_of!(Thread, transferring)), 1);
    assert_eq!(world.manager.served_in(id), Ok(1));
    Fake.write(at(offset_of!(Thread, transfer_ends)) + 8, id.word() + 1);
    assert_eq!(world.manager.served_in(id), Ok(0), "to somebody else");
}
#[test]
fn a_successor_withdraws_what_it_awaits() {
    let (mut world, Scene { server, client, other, portal, .. }) = scene();
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    let name = Name::of("t.add").unwrap();
    world.call(its, system::PORTAL_UNREGISTER, |manager, caller| manager.unregister(caller, &name)).unwrap();
    world.check();
    assert!(world.open(other, "t.add").is_ok(), "the name is its predecessor's still");
    assert_eq!(world.take_over(new), refused(Error::ENOENT, "t.add"));
    assert_eq!(world.leads(client, portal), Some((server, 0x20000)));
}
#[test]
fn two_replacements_at_once() {
    let (mut world, Scene { server, client, .. }) = scene();
    let (new, _) = world.successor(server);
    let (third, _) = world.component("third", 1);
    assert_eq!(world.succeed(third, server), Err(Error::EBUSY), "of one");
    assert_eq!(world.succeed(third, new), Err(Error::EBUSY), "of who replaces");
    assert_eq!(world.succeed(server, third), Err(Error::EINVAL), "by who provides something");
    assert_eq!(world.succeed(new, client), Err(Error::EBUSY), "of two by one");
    world.dies(new);
    assert_eq!(world.succeed(third, server), Ok(0), "once the first attempt has ended");
}
#[test]
fn who_may_not() {
    let (mut world, Scene { server, client, .. }) = scene();
    let (new, _) = world.component("new", 1);
    let [new, old] = [new, server].map(|asid| world.identity(asid));
    assert_eq!(world.manager.succeed(client, new, old), Err(Error::EACCESS));
    let first = world.identity(crate::fake::MEMORY);
    assert_eq!(world.manager.succeed(INIT, new, first), Err(Error::EACCESS), "a first component");
    assert_eq!(world.manager.succeed(INIT, first, old), Err(Error::EACCESS));
    assert_eq!(world.manager.succeed(INIT, old, old), Err(Error::EINVAL), "oneself");
    assert_eq!(
        world.manager.take_over(INIT, new, true),
        Err(Refused(Error::EINVAL, NOTHING)),
        "who is to replace nobody"
    );
    world.manager.succeed(INIT, new, old).unwrap();
    assert_eq!(world.manager.take_over(client, new, true), Err(Refused(Error::EACCESS, NOTHING)));
    // A number alone is not who had it.
    world.dies(server);
    assert_eq!(world.manager.take_over(INIT, new, true), Err(Refused(Error::EDEAD, NOTHING)));
    assert_eq!(world.manager.succeed(INIT, new, old), Err(Error::ESRCH));
}
#[test]
fn a_name_that_somebody_else_has_is_not_awaited() {
    let (mut world, Scene { server, other, .. }) = scene();
    world.register(other, "t.others", "npi").unwrap();
    let (_, its) = world.successor(server);
    assert_eq!(world.register_at(its, "t.others", "npi", ENTRY), Err(Error::EEXIST));
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.register_at(its, "t.add", "npii", ENTRY), Err(Error::EEXIST), "nor twice");
    let (_, stranger) = world.component("stranger", 2);
    assert_eq!(world.register_at(stranger, "t.add", "npii", ENTRY), Err(Error::EEXIST), "nor by who succeeds nobody");
    assert_eq!(world.register_at(its, "u.add", "npii", ENTRY), Err(Error::EACCESS), "nor without the right");
}
#[test]
fn portals_that_were_granted_bind_their_server() {
    let (mut world, Scene { server, other, portal, .. }) = scene();
    assert!(world.enter(other, portal));
    let granted = world.grant(other, 9).unwrap();
    world.leave(other);
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.take_over(new), refused(Error::EBUSY, "(granted)"));
    world.close(other, granted).unwrap();
    assert_eq!(world.take_over(new), Ok(0));
}
#[test]
fn children_and_sandboxes_bind_their_maker() {
    let (mut world, Scene { server, its: old, .. }) = scene();
    let (child, _) = world.fork(old, system::fork::COPIED).unwrap();
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.take_over(new), refused(Error::EBUSY, "(domains)"));
    world.dies(child);
    assert_eq!(world.take_over(new), Ok(0));
}
#[test]
fn a_child_calls_by_what_its_parent_opened() {
    let (mut world, Scene { server, other, portal, .. }) = scene();
    let (child, its_child) = world.fork(other, system::fork::COPIED).unwrap();
    let (guest, in_sandbox) = world.fork(other, 0x50000).unwrap();
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.take_over(new), Ok(0));
    assert_eq!(world.leads(child, portal), Some((new, ENTRY)));
    world.dies(server);
    assert!(world.enter(its_child, portal));
    assert_eq!(world.inside(its_child), new);
    world.leave(its_child);
    let controller = world.leads(guest, portal).unwrap().0;
    assert_eq!(world.manager.domain(controller).unwrap().sandbox.inside, [guest]);
    assert!(world.enter(in_sandbox, portal));
    world.leave(in_sandbox);
}
#[test]
fn who_may_open_is_what_the_successor_says() {
    let (mut world, Scene { server, client, other, portal, .. }) = scene();
    let (new, its) = world.successor(server);
    let request = system::Registration { admission: admission::LISTED as u64, ..registration("t.add", "npii") };
    world.call(its, system::PORTAL_REGISTER, |manager, caller| manager.register(caller, &request)).unwrap();
    assert!(world.open(other, "t.add").is_ok());
    assert_eq!(world.take_over(new), Ok(0));
    assert_eq!(world.open(other, "t.add"), Err(Error::EACCESS));
    assert_eq!(world.leads(client, portal), Some((new, 0x20000)), "what is open stays so");
}
#[test]
fn the_predecessor_calls_itself_and_the_successor_its_predecessor() {
    let (mut world, Scene { server, its: old, .. }) = scene();
    let own = world.open(old, "t.add").unwrap();
    let (new, its) = world.successor(server);
    let before = world.open(its, "t.add").unwrap();
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(new, before), Some((server, 0x20000)));
    assert!(world.enter(old, own));
    assert_eq!(world.take_over(new), Ok(0), "what it calls of itself nobody waits for");
    assert_eq!((world.leads(server, own), world.leads(new, before)), (Some((new, ENTRY)), Some((new, ENTRY))));
    assert!(world.enter(its, before));
    assert_eq!(world.inside(its), new);
    world.leave(its);
    world.dies(server);
    assert!(world.enter(its, before));
    world.leave(its);
}
#[test]
fn a_client_without_room_for_code_keeps_nobody_from_being_replaced() {
    let (mut world, Scene { server, client, other, portal, .. }) = scene();
    let account = Account::new(2).unwrap();
    let used = world.manager.accounts.used(account, Resource::Code);
    let mut limits = Resource::ALL.map(|resource| 4 * resource.default_limit());
    limits[Resource::Code as usize] = used as u32;
    world.manager.accounts.set(account, &Limits(limits));
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.take_over(new), Ok(0));
    // The old code is freed.
    world.counts();
    assert_eq!(world.manager.accounts.used(account, Resource::Code), used, "it pays for the new as it has for the old");
    world.dies(server);
    assert_eq!(world.leads(client, portal), Some((new, ENTRY)));
    world.close(other, portal).unwrap();
    world.counts();
    assert_eq!(world.manager.accounts.used(account, Resource::Code), 0);
    world.check();
}
#[test]
fn who_traces_the_predecessor_traces_the_successor() {
    let (mut world, Scene { server, other, .. }) = scene();
    let on = |manager: &mut Manager<Fake>, caller| manager.trace(caller, &padded("t.add"), abi::trace::operation::ON);
    assert_eq!(world.call(other, system::PORTAL_OPEN, on), Ok(1));
    let (new, its) = world.successor(server);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.take_over(new), Ok(0));
    let traced: Vec<bool> =
        world.manager.registrations.iter().filter(|(_, r)| r.server == new).map(|(_, r)| r.traced).collect();
    assert_eq!(traced, [true]);
}
#[test]
fn a_thousand_replacements_leave_nothing() {
    let (mut world, Scene { server, mut its, client, other, portal }) = scene();
    let (mut old, mut counts) = (server, Vec::new());
    for round in 0..1000 {
        let (new, thread) = world.successor(old);
        world.register_at(thread, "t.add", "npii", ENTRY).unwrap();
        assert!(world.enter(other, portal));
        assert_eq!(world.take_over(new), Ok(1));
        if round % 2 == 0 {
            assert_eq!(world.leave(other), Returned::Goes);
            world.dies(old);
        } else {
            world.dies(old);
            assert_eq!(world.leave(other), Returned::Goes);
        }
        world.bury(its);
        assert_eq!(world.leads(client, portal), Some((new, ENTRY)));
        (old, its) = (new, thread);
        if round == 99 {
            counts = world.counts();
        }
    }
    assert_eq!(world.counts(), counts);
}
#[test]
fn every_allocation_of_a_replacement_fails() {
    for left in 0.. {
        let (mut world, Scene { server, client, other, portal, .. }) = scene();
        // More than a block has room for from the start.
        let own = world.open(other, "t.add").unwrap();
        (0..4).for_each(|_| _ = world.fork(other, system::fork::COPIED).unwrap());
        let (new, its) = world.successor(server);
        world.register_at(its, "t.add", "npii", ENTRY).unwrap();
        let before = world.counts();
        match with_only(left, || world.take_over(new)) {
            Ok(served) => {
                assert!(left > 1 && served == 0, "{left}");
                break;
            }
            Err(refused) => assert_eq!(refused, Refused(Error::ENOMEM, NOTHING), "{left}"),
        }
        assert_eq!([portal, own].map(|n| world.leads(client, n)), [Some((server, 0x20000)); 2]);
        assert_eq!(world.counts(), before);
        assert_eq!(world.take_over(new), Ok(0));
    }
}
#[test]
fn a_trusted_server_with_letters_of_its_own_is_bound_to_them() {
    let mut world = World::new();
    let old = world.manager.create_domain(&wanted("server", flags::TRUSTED, Account::SYSTEM)).unwrap();
    let (new, _) = world.component("new", 1);
    assert_eq!(world.succeed(new, old), Ok(0));
    world.manager.templates.owners[0].server = old;
    let id = world.identity(new);
    assert_eq!(world.manager.take_over(INIT, id, true), Err(Refused(Error::EBUSY, padded("(template)"))));
}
