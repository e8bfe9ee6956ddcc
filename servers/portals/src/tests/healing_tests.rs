//! Portals to a domain that has ended heal: who calls waits, and calls whoever has taken its place; nobody else gets anything by it.

use super::world::{Returned, Scene, World, registration, scene, wanted};
use crate::failing::with_only;
use crate::fake::{Fake, INIT};
use crate::machine::nucleus_memory::NucleusMemory;
use crate::manager::Manager;
use crate::operations::parking::PARKED;
use crate::operations::stacks::NoStack;
use abi::Error;
use abi::account::{Limits, Resource};
use abi::identity::DomainId;
use abi::nucleus::Thread;
use abi::section::padded;
use abi::system::{self, Ended};
use account::Account;
use core::mem::offset_of;

impl World {
    /// A component that takes the place of who has ended; its number, and its thread.
    fn heir(&mut self, of: DomainId) -> (usize, usize) {
        let (new, thread) = self.component("heir", 1);
        self.manager.heals(INIT, new).unwrap();
        let id = self.identity(new);
        assert_eq!(self.manager.inherit(INIT, Some(id), of), Ok(0));
        (new, thread)
    }
    /// What becomes at tick `now` of a call by portal `number` of domain `asid`, which leads to `of`; `None`: it is entered, or answered, at once.
    fn calls(&mut self, asid: usize, number: usize, of: DomainId, now: u64) -> Option<Result<NoStack, Error>> {
        let code = self.code(asid, number);
        let waits = self.manager.remains.all_parked().any(|parked| parked.of == of && parked.blocks.contains(&code));
        waits.then(|| self.manager.no_stack(1, of, (code, false), now))
    }
}
const ENTRY: u64 = 0x30000;
const WAITS: Option<Result<NoStack, Error>> = Some(Ok(NoStack::Wait));

/// The same as `scene`, where the server's portals heal.
fn healing() -> (World, Scene) {
    let (mut world, scene) = scene();
    world.manager.heals(INIT, scene.server).unwrap();
    (world, scene)
}

#[test]
fn a_portal_leads_to_the_heir_under_its_number() {
    let (mut world, Scene { server, client, other, portal, .. }) = healing();
    let dead = world.dies(server);
    let code = world.code(client, portal);
    assert_eq!(world.calls(client, portal, dead, 5), WAITS);
    assert_eq!(world.open(other, "t.add"), Err(Error::ENOENT), "the name is nobody's");
    let (new, its) = world.heir(dead);
    assert_eq!(world.calls(client, portal, dead, 6), WAITS);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((new, ENTRY)));
    assert_eq!(world.manager.no_stack(1, dead, (code, false), 7), Ok(NoStack::Again), "who waited calls again");
    assert!(world.enter(other, portal));
    assert_eq!(world.inside(other), new);
    assert_eq!(world.leave(other), Returned::Goes);
}
#[test]
fn who_was_inside_gets_edead_and_calls_again() {
    let (mut world, Scene { server, client, other, portal, .. }) = healing();
    assert!(world.enter(other, portal));
    let dead = world.dies(server);
    assert_eq!(world.leave(other), Returned::Goes);
    assert_eq!(world.inside(other), client);
    assert_eq!(world.calls(client, portal, dead, 5), WAITS);
    let (new, its) = world.heir(dead);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert!(world.enter(other, portal));
    assert_eq!(world.inside(other), new);
}
#[test]
fn nobody_waits_for_longer_than_its_bound() {
    let (mut world, Scene { server, client, portal, .. }) = healing();
    let dead = world.dies(server);
    assert_eq!(world.calls(client, portal, dead, 5), WAITS, "the first that waits begins it");
    assert_eq!(world.calls(client, portal, dead, 4 + PARKED), WAITS);
    assert_eq!(world.calls(client, portal, dead, 5 + PARKED), Some(Err(Error::EDEAD)));
    let (new, its) = world.heir(dead);
    assert_eq!(world.calls(client, portal, dead, 6 + PARKED), Some(Err(Error::EDEAD)), "whoever calls");
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((new, ENTRY)), "and heals still");
}
#[test]
fn a_domain_whose_portals_do_not_heal() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let dead = world.dies(server);
    assert_eq!(world.calls(client, portal, dead, 5), None);
    assert_eq!(world.leads(client, portal), Some((0, 0)));
}
#[test]
fn another_specification_does_not_heal() {
    let (mut world, Scene { server, client, portal, .. }) = healing();
    let dead = world.dies(server);
    let code = world.code(client, portal);
    let (_, its) = world.heir(dead);
    world.register_at(its, "t.add", "npi", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((0, 0)), "it answers for the dead");
    assert_eq!(world.manager.no_stack(1, dead, (code, false), 5), Ok(NoStack::Again));
}
#[test]
fn a_name_of_somebody_else_heals_nothing() {
    let (mut world, Scene { server, client, portal, .. }) = healing();
    let dead = world.dies(server);
    let (_, stranger) = world.component("stranger", 1);
    world.register_at(stranger, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.calls(client, portal, dead, 5), WAITS, "though nobody else has the name");
    let (_, its) = world.heir(dead);
    assert_eq!(world.register_at(its, "t.add", "npii", ENTRY), Err(Error::EEXIST));
    world.register_at(its, "t.other", "npii", ENTRY).unwrap();
    assert_eq!(world.calls(client, portal, dead, 5), WAITS);
}
#[test]
fn each_name_heals_when_it_is_registered() {
    let (mut world, Scene { server, its: old, client, other, portal }) = scene();
    world.register(old, "t.second", "npi").unwrap();
    let second = world.open(other, "t.second").unwrap();
    world.manager.heals(INIT, server).unwrap();
    let dead = world.dies(server);
    let (new, its) = world.heir(dead);
    world.register_at(its, "t.second", "npi", ENTRY).unwrap();
    assert_eq!(world.leads(client, second), Some((new, ENTRY)));
    assert_eq!(world.calls(client, portal, dead, 5), WAITS);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((new, ENTRY)));
}
#[test]
fn an_heir_that_ends_leaves_it_to_the_next() {
    let (mut world, Scene { server, its: old, client, other, portal }) = scene();
    world.register(old, "t.second", "npi").unwrap();
    let second = world.open(other, "t.second").unwrap();
    world.manager.heals(INIT, server).unwrap();
    let first = world.dies(server);
    let (new, its) = world.heir(first);
    world.register_at(its, "t.second", "npi", ENTRY).unwrap();
    let then = world.dies(new);
    assert_eq!(world.calls(client, portal, first, 5), WAITS);
    assert_eq!(world.calls(client, second, then, 5), WAITS);
    // One that registers nothing.
    let (none, _) = world.heir(then);
    let last = world.dies(none);
    let (third, its) = world.heir(last);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    world.register_at(its, "t.second", "npi", ENTRY).unwrap();
    assert_eq!([portal, second].map(|n| world.leads(client, n)), [Some((third, ENTRY)); 2]);
    world.counts();
    assert_eq!(world.counts()[1], 0, "nothing is left of those that have ended");
}
#[test]
fn who_closes_a_portal_or_ends_does_not_get_another() {
    let (mut world, Scene { server, client, other, portal, .. }) = healing();
    let (second, its_second) = world.component("second", 3);
    world.open(its_second, "t.add").unwrap();
    let dead = world.dies(server);
    world.close(other, portal).unwrap();
    world.check();
    let semaphore = world.semaphore(other).unwrap();
    assert_eq!(semaphore, portal, "the number is another's");
    let before = world.leads(client, portal);
    world.dies(second);
    let (new, its) = world.component("heir", 1);
    let id = world.identity(new);
    assert_eq!(world.manager.inherit(INIT, Some(id), dead), Err(Error::ESRCH), "nobody waits");
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), before);
    world.counts();
    assert_eq!(world.counts()[1], 0, "nothing is left of those that have ended");
}
#[test]
fn nobody_takes_its_place() {
    let (mut world, Scene { server, client, other, portal, .. }) = healing();
    let dead = world.dies(server);
    let code = world.code(client, portal);
    assert_eq!(world.calls(client, portal, dead, 5), WAITS);
    assert_eq!(world.manager.inherit(client, None, dead), Err(Error::EACCESS), "says who has not made it");
    assert_eq!(world.manager.inherit(INIT, None, dead), Ok(0));
    world.check();
    assert_eq!(world.leads(client, portal), Some((0, 0)));
    assert_eq!(
        world.manager.no_stack(1, dead, (code, false), 6),
        Ok(NoStack::Again),
        "and then there is the answer for the dead"
    );
    assert_eq!(world.manager.inherit(INIT, None, dead), Err(Error::ESRCH));
    let (_, its) = world.component("late", 1);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((0, 0)));
    world.close(other, portal).unwrap();
}
#[test]
fn who_says_what_takes_its_place_ends() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let (maker, _) = world.component("maker", 3);
    world.manager.heals(maker, server).unwrap();
    let dead = world.dies(server);
    assert_eq!(world.calls(client, portal, dead, 5), WAITS);
    world.dies(maker);
    assert_eq!(world.leads(client, portal), Some((0, 0)));
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let (maker, _) = world.component("maker", 3);
    world.manager.heals(maker, server).unwrap();
    world.dies(maker);
    world.dies(server);
    assert_eq!(world.leads(client, portal), Some((0, 0)), "it has ended before");
}
#[test]
fn its_maker_does_not_wait_for_itself() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let (maker, its_maker) = world.component("maker", 3);
    world.manager.heals(maker, server).unwrap();
    let own = world.open(its_maker, "t.add").unwrap();
    let dead = world.dies(server);
    assert_eq!(world.leads(maker, own), Some((0, 0)));
    assert_eq!(world.calls(client, portal, dead, 5), WAITS);
}
#[test]
fn who_may_not_inherit() {
    let (mut world, Scene { server, client, .. }) = healing();
    let (new, its) = world.component("new", 1);
    let id = world.identity(new);
    let alive = world.identity(server);
    assert_eq!(world.manager.inherit(INIT, Some(id), alive), Err(Error::ESRCH), "of who lives");
    let dead = world.dies(server);
    assert_eq!(world.manager.inherit(client, Some(id), dead), Err(Error::EACCESS));
    let first = world.identity(crate::fake::MEMORY);
    assert_eq!(world.manager.inherit(INIT, Some(first), dead), Err(Error::EACCESS), "a first component");
    world.register_at(its, "t.others", "npi", ENTRY).unwrap();
    assert_eq!(world.manager.inherit(INIT, Some(id), dead), Err(Error::EINVAL), "who has registered something");
    world.dies(new);
    assert_eq!(world.manager.inherit(INIT, Some(id), dead), Err(Error::ESRCH), "who has ended");
}
#[test]
fn what_was_granted_does_not_heal() {
    let (mut world, Scene { server, client, other, portal, .. }) = healing();
    assert!(world.enter(other, portal));
    let granted = world.grant(other, 9).unwrap();
    world.leave(other);
    let dead = world.dies(server);
    assert_eq!(world.leads(client, granted), Some((0, 0)));
    assert_eq!(world.calls(client, portal, dead, 5), WAITS);
}
#[test]
fn a_name_that_was_withdrawn_does_not_heal() {
    let (mut world, Scene { server, its, client, portal, .. }) = healing();
    let name = abi::name::Name::of("t.add").unwrap();
    world.call(its, system::PORTAL_UNREGISTER, |manager, caller| manager.unregister(caller, &name)).unwrap();
    world.dies(server);
    assert_eq!(world.leads(client, portal), Some((0, 0)));
}
#[test]
fn children_and_sandboxes_call_the_heir() {
    let (mut world, Scene { server, other, portal, .. }) = healing();
    let (child, its_child) = world.fork(other, system::fork::COPIED).unwrap();
    let (_, in_sandbox) = world.fork(other, 0x50000).unwrap();
    let dead = world.dies(server);
    let (late, _) = world.fork(other, system::fork::COPIED).unwrap();
    assert_eq!(world.calls(late, portal, dead, 5), WAITS, "one that was made since");
    let (new, its) = world.heir(dead);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!([child, late].map(|asid| world.leads(asid, portal)), [Some((new, ENTRY)); 2]);
    assert!(world.enter(its_child, portal));
    assert_eq!(world.inside(its_child), new);
    world.leave(its_child);
    assert!(world.enter(in_sandbox, portal));
    world.leave(in_sandbox);
}
#[test]
fn who_pays_for_the_code_goes_on_to() {
    let (mut world, Scene { server, other, portal, .. }) = healing();
    let account = Account::new(2).unwrap();
    world.counts();
    let used = world.manager.accounts.used(account, Resource::Code);
    let dead = world.dies(server);
    assert_eq!(world.manager.accounts.used(account, Resource::Code), used);
    let (_, its) = world.heir(dead);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    world.counts();
    assert_eq!(world.manager.accounts.used(account, Resource::Code), used);
    world.close(other, portal).unwrap();
    world.counts();
    assert_eq!(world.manager.accounts.used(account, Resource::Code), 0);
}
#[test]
fn a_name_costs_nobody_anything_while_calls_are_parked() {
    let (mut world, Scene { server, .. }) = healing();
    let account = Account::new(1).unwrap();
    assert_eq!(world.manager.accounts.used(account, Resource::Names), 1);
    world.dies(server);
    assert_eq!(world.manager.accounts.used(account, Resource::Names), 0, "of its limit, the heir needs as many");
}
#[test]
fn who_traces_the_dead_traces_the_heir() {
    let (mut world, Scene { server, other, .. }) = healing();
    let on = |manager: &mut Manager<Fake>, caller| manager.trace(caller, &padded("t.add"), abi::trace::operation::ON);
    assert_eq!(world.call(other, system::PORTAL_OPEN, on), Ok(1));
    let dead = world.dies(server);
    let (new, its) = world.heir(dead);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    let traced: Vec<bool> =
        world.manager.registrations.iter().filter(|(_, r)| r.server == new).map(|(_, r)| r.traced).collect();
    assert_eq!(traced, [true]);
}
#[test]
fn a_thousand_ends_leave_nothing() {
    let (mut world, Scene { server, mut its, client, other, portal }) = healing();
    let (mut old, mut counts) = (server, Vec::new());
    for round in 0..1000 {
        assert!(world.enter(other, portal));
        let dead = world.dies(old);
        if round % 2 == 0 {
            assert_eq!(world.leave(other), Returned::Goes);
        }
        let (new, thread) = world.heir(dead);
        world.register_at(thread, "t.add", "npii", ENTRY).unwrap();
        if round % 2 != 0 {
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
fn every_allocation_of_a_healing_fails() {
    for left in 0.. {
        let (mut world, Scene { server, client, other, portal, .. }) = healing();
        let own = world.open(other, "t.add").unwrap();
        (0..4).for_each(|_| _ = world.fork(other, system::fork::COPIED).unwrap());
        let id = world.identity(server);
        with_only(0, || world.manager.end_domain(server, Ended::default()));
        world.check();
        let (new, its) = world.heir(id);
        let registered = with_only(left, || world.register_at(its, "t.add", "npii", ENTRY));
        let leads = [portal, own].map(|n| world.leads(client, n));
        match registered {
            Err(error) => {
                assert_eq!(error, Error::ENOMEM, "{left}");
                assert_eq!(world.calls(client, portal, id, 5), WAITS, "nothing has happened");
                world.register_at(its, "t.add", "npii", ENTRY).unwrap();
            }
            Ok(_) if leads == [Some((new, ENTRY)); 2] => {
                assert!(left > 1, "{left}");
                break;
            }
            Ok(_) => assert_eq!(leads, [Some((0, 0)); 2], "it does not heal, and calls do not wait for ever"),
        }
        world.counts();
        world.check();
    }
}
#[test]
fn who_the_heir_does_not_admit_does_not_call_it() {
    let (mut world, Scene { server, client, other, portal, .. }) = healing();
    let (second, its_second) = world.component("second", 3);
    let its_portal = world.open(its_second, "t.add").unwrap();
    let dead = world.dies(server);
    let (new, its) = world.heir(dead);
    let mut request = system::Registration { entry: ENTRY, ..registration("t.add", "npii") };
    (request.admission, request.admitted[0]) = (system::admission::LISTED as u64, second as _);
    world.call(its, system::PORTAL_REGISTER, |manager, caller| manager.register(caller, &request)).unwrap();
    world.check();
    assert_eq!(world.leads(second, its_portal), Some((new, ENTRY)));
    assert_eq!(world.leads(client, portal), Some((0, 0)), "who is not in the list");
    assert_eq!(world.open(other, "t.add"), Err(Error::EACCESS));
}
#[test]
fn whose_pages_the_dead_has_does_not_call_the_heir_without_them() {
    let (mut world, Scene { server, client, other, portal, .. }) = healing();
    let (second, its_second) = world.component("second", 3);
    let its_portal = world.open(its_second, "t.add").unwrap();
    let (alive, page) = (world.identity(server), world.page(other).address());
    Fake.write(page + offset_of!(Thread, transfer_ends) as u64 + 8, alive.word());
    Fake.write(page + offset_of!(Thread, transfers) as u64, 1);
    Fake.write(page + offset_of!(Thread, transferring) as u64, 1);
    assert_eq!(world.manager.no_stack(other, alive, (0, true), 5), Ok(NoStack::Again), "they come back");
    let dead = world.dies(server);
    let at = |offset: usize| page + offset as u64;
    Fake.write(at(offset_of!(Thread, transfers)), 1);
    Fake.write(at(offset_of!(Thread, transfer_ends)), world.identity(client).word());
    Fake.write(at(offset_of!(Thread, transfer_ends)) + 8, dead.word());
    Fake.write(at(offset_of!(Thread, transferring)), 1);
    let code = world.code(client, portal);
    assert_eq!(world.manager.no_stack(other, dead, (code, true), 5), Err(Error::EDEAD));
    assert_eq!(world.calls(second, its_portal, dead, 5), WAITS);
    let (new, its) = world.heir(dead);
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(second, its_portal), Some((new, ENTRY)));
    assert_eq!(world.leads(client, portal), Some((0, 0)), "whose call has given pages away");
}
#[test]
fn who_shares_its_makers_table_does_not_wait_either() {
    let (mut world, Scene { server, .. }) = scene();
    let (maker, its_maker) = world.component("maker", 3);
    world.manager.heals(maker, server).unwrap();
    let own = world.open(its_maker, "t.add").unwrap();
    let (sharer, _) = world.fork(its_maker, system::fork::SHARED).unwrap();
    world.dies(server);
    assert_eq!([maker, sharer].map(|asid| world.leads(asid, own)), [Some((0, 0)); 2]);
}
#[test]
fn calls_wait_for_no_more_domains_than_their_servers_account_has() {
    let (mut world, Scene { server, client, portal, .. }) = healing();
    let mut limits = Resource::ALL.map(|resource| 4 * resource.default_limit());
    limits[Resource::Domains as usize] = 1;
    let account = Account::new(1).unwrap();
    world.manager.accounts.set(account, &Limits(limits));
    let dead = world.dies(server);
    assert_eq!(world.calls(client, portal, dead, 5), WAITS);
    let another = world.manager.create_domain(&wanted("heir", 0, account)).unwrap();
    world.check();
    assert_eq!(world.leads(client, portal), Some((0, 0)), "it is started at the cost of who waits");
    let _ = another;
}
#[test]
fn who_takes_the_place_of_an_heir_inherits() {
    let (mut world, Scene { server, client, portal, .. }) = healing();
    let dead = world.dies(server);
    let (heir, _) = world.heir(dead);
    let (new, its) = world.component("new", 1);
    let [successor, predecessor] = [new, heir].map(|asid| world.identity(asid));
    world.manager.succeed(INIT, successor, predecessor).unwrap();
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.calls(client, portal, dead, 5), WAITS);
    world.manager.take_over(INIT, successor, true).unwrap();
    world.check();
    assert_eq!(world.leads(client, portal), Some((new, ENTRY)));
}
#[test]
fn a_name_that_is_lost_is_nobodys_to_look_at() {
    let (mut world, Scene { server, other, .. }) = healing();
    let id = world.manager.registrations.iter().find(|(_, r)| r.server == server).map(|(id, _)| id).unwrap();
    assert!(world.manager.inspect_portal(0, id).is_ok());
    world.dies(server);
    assert_eq!(world.manager.inspect_portal(0, id).err(), Some(Error::ENOENT));
    let on = |manager: &mut Manager<Fake>, caller| manager.trace(caller, &padded("t.add"), abi::trace::operation::ON);
    assert_eq!(world.call(other, system::PORTAL_OPEN, on), Err(Error::ENOENT));
}
#[test]
fn who_share_a_table_heal_together_or_not() {
    let (mut world, Scene { server, client, other, portal, .. }) = healing();
    let (sharer, _) = world.fork(other, system::fork::SHARED).unwrap();
    let dead = world.dies(server);
    let (_, its) = world.heir(dead);
    let mut request = system::Registration { entry: ENTRY, ..registration("t.add", "npii") };
    (request.admission, request.admitted[0]) = (system::admission::LISTED as u64, client as _);
    world.call(its, system::PORTAL_REGISTER, |manager, caller| manager.register(caller, &request)).unwrap();
    world.check();
    assert_eq!([client, sharer].map(|asid| world.leads(asid, portal)), [Some((0, 0)); 2], "one is not in the list");
}
#[test]
fn a_name_that_is_awaited_heals_nothing_yet() {
    let (mut world, Scene { server, client, portal, .. }) = healing();
    let dead = world.dies(server);
    let (old, its_old) = world.component("old", 3);
    world.register_at(its_old, "t.add", "npii", ENTRY).unwrap();
    let (new, its) = world.heir(dead);
    let [successor, predecessor] = [new, old].map(|asid| world.identity(asid));
    world.manager.succeed(INIT, successor, predecessor).unwrap();
    world.register_at(its, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.calls(client, portal, dead, 5), WAITS, "it is another's still");
    world.manager.take_over(INIT, successor, true).unwrap();
    world.check();
}
