//! Calls wait at a gate while another takes their server's place; what is in the way changes nothing, and a gate that is opened leaves nothing.

use super::world::{Returned, Scene, World, scene};
use crate::fake::INIT;
use crate::operations::parking::PARKED;
use crate::operations::replacement::Refused;
use crate::operations::stacks::NoStack;
use abi::Error;
use abi::identity::DomainId;
use abi::nucleus::domain;
use abi::section::{NAME, padded, text};
use abi::system;

/// A component whose server's gate is closed for an heir.
struct Closed {
    of: DomainId,
    heir: DomainId,
    /// The heir's number, and its thread.
    new: usize,
    its_new: usize,
}
impl World {
    fn closes(&mut self, server: usize) -> Closed {
        let (new, its_new) = self.component("heir", 1);
        let (of, heir) = (self.identity(server), self.identity(new));
        assert_eq!(self.manager.close_gate(INIT, of, heir), Ok(0));
        self.check();
        Closed { of, heir, new, its_new }
    }
    /// What becomes at tick `now` of a call by portal `number` of domain `asid`, which leads to `server`; `None`: it is entered.
    fn waits(&mut self, asid: usize, number: usize, server: usize, now: u64) -> Option<Result<NoStack, Error>> {
        let (code, of) = (self.code(asid, number), self.identity(server));
        let table = self.manager.domain(server).unwrap().table.address();
        self.is_stopped(code, table).then(|| self.manager.no_stack(1, of, (code, false), now))
    }
    fn awaited(&mut self, heir: DomainId) -> (Result<isize, Error>, String) {
        let mut name = [0; NAME];
        let count = self.manager.awaits_of(INIT, heir, &mut name);
        (count, text(&name).into())
    }
}
const ENTRY: u64 = 0x30000;
const WAITS: Option<Result<NoStack, Error>> = Some(Ok(NoStack::Wait));

#[test]
fn a_call_that_comes_to_a_gate_is_the_heirs() {
    let (mut world, Scene { server, client, other, portal, .. }) = scene();
    let Closed { of, heir, new, its_new } = world.closes(server);
    assert_eq!(world.waits(client, portal, server, 5), WAITS);
    assert_eq!(world.awaited(heir), (Err(Error::ESRCH), String::new()), "it takes nobody's place");
    assert_eq!(world.manager.end_behind_gate(INIT, of), Ok(0));
    world.check();
    assert_eq!(world.awaited(heir), (Ok(2), "t.add".into()));
    world.register_at(its_new, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.awaited(heir), (Ok(0), String::new()));
    assert_eq!(world.leads(client, portal), Some((new, ENTRY)));
    assert!(world.enter(other, portal));
    assert_eq!(world.inside(other), new);
    assert_eq!(world.leave(other), Returned::Goes);
    assert_eq!(world.counts()[1], 0, "nothing is left of the old one");
}
#[test]
fn a_gate_that_is_opened_leaves_all_as_it_was() {
    let (mut world, Scene { server, client, other, portal, .. }) = scene();
    let words = |world: &World| {
        let code = world.code(client, portal);
        (code, world.manager.code.words(code).1.collect::<Vec<_>>())
    };
    let before = words(&world);
    let Closed { of, new, .. } = world.closes(server);
    assert_ne!(words(&world), before);
    assert_eq!(world.waits(client, portal, server, 5), WAITS);
    assert_eq!(world.manager.open_gate(INIT, of), Ok(0));
    world.dies(new);
    assert_eq!(words(&world), before);
    assert!(world.enter(other, portal));
    assert_eq!(world.inside(other), server);
    world.leave(other);
    assert_eq!(world.manager.open_gate(INIT, of), Err(Error::ESRCH), "it is open");
    assert_eq!(world.manager.end_behind_gate(INIT, of), Err(Error::ESRCH.into()), "so it does not end");
}
#[test]
fn who_is_inside_comes_out() {
    let (mut world, Scene { server, client, other, portal, .. }) = scene();
    assert!(world.enter(other, portal));
    let Closed { of, new, its_new, .. } = world.closes(server);
    assert_eq!(world.manager.served_in(of), Ok(1));
    assert_eq!(world.leave(other), Returned::Goes);
    assert_eq!(world.inside(other), client);
    assert_eq!(world.manager.served_in(of), Ok(0));
    world.manager.end_behind_gate(INIT, of).unwrap();
    world.register_at(its_new, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((new, ENTRY)));
}
#[test]
fn a_gate_opens_by_itself() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let Closed { of, .. } = world.closes(server);
    assert_eq!(world.waits(client, portal, server, 5), WAITS, "the first that waits begins it");
    assert_eq!(world.waits(client, portal, server, 4 + PARKED), WAITS);
    assert_eq!(world.waits(client, portal, server, 5 + PARKED), Some(Ok(NoStack::Again)));
    world.check();
    assert_eq!(world.waits(client, portal, server, 6 + PARKED), None);
    assert_eq!(world.manager.end_behind_gate(INIT, of), Err(Error::ESRCH.into()));
}
#[test]
fn who_waits_at_a_gate_is_counted_and_takes_no_reserve() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let Closed { of, .. } = world.closes(server);
    let waiters = |world: &World| world.manager.domain(server).unwrap().table.field(domain::STACK_WAITERS);
    assert_eq!(waiters(&world), 0);
    assert_eq!(world.waits(client, portal, server, 5), WAITS);
    assert_eq!(waiters(&world), 1);
    world.manager.waited(of);
    assert_eq!(waiters(&world), 0);
    assert!(world.manager.threads.pages().all(|page| page.reserve() == 0));
}
#[test]
fn what_is_opened_or_made_meanwhile_waits_too() {
    let (mut world, Scene { server, client, other, portal, .. }) = scene();
    let Closed { of, new, its_new, .. } = world.closes(server);
    // Of another kind of caller, so that it is made anew.
    let (late, its_late) = world.component("late", 3);
    let late_portal = world.open(its_late, "t.add").unwrap();
    world.check();
    let (child, _) = world.fork(other, system::fork::COPIED).unwrap();
    for (asid, number) in [(late, late_portal), (child, portal), (client, portal)] {
        assert_eq!(world.waits(asid, number, server, 5), WAITS);
    }
    world.manager.end_behind_gate(INIT, of).unwrap();
    world.register_at(its_new, "t.add", "npii", ENTRY).unwrap();
    for (asid, number) in [(late, late_portal), (child, portal), (client, portal)] {
        assert_eq!(world.leads(asid, number), Some((new, ENTRY)));
    }
    let (mut world, Scene { server, .. }) = scene();
    let Closed { of, .. } = world.closes(server);
    let (late, its_late) = world.component("late", 3);
    let portal = world.open(its_late, "t.add").unwrap();
    assert_eq!(world.waits(late, portal, server, 5), WAITS);
    world.manager.open_gate(INIT, of).unwrap();
    assert_eq!(world.waits(late, portal, server, 5), None);
}
#[test]
fn who_has_closed_it_does_not_wait_at_it() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let (maker, its_maker) = world.component("maker", 3);
    world.manager.domain_mut(maker).unwrap().privileged = true;
    let own = world.open(its_maker, "t.add").unwrap();
    let (new, _) = world.component("heir", 1);
    let (of, heir) = (world.identity(server), world.identity(new));
    assert_eq!(world.manager.close_gate(maker, of, heir), Ok(0));
    world.check();
    assert_eq!(world.waits(maker, own, server, 5), None);
    assert_eq!(world.waits(client, portal, server, 5), WAITS);
    assert_eq!(world.manager.open_gate(INIT, of), Err(Error::ESRCH), "another's gate");
    world.dies(maker);
    assert_eq!(world.waits(client, portal, server, 5), None, "nobody would open it");
    world.check();
}
#[test]
fn an_heir_that_ends_opens_the_gate() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let Closed { of, new, .. } = world.closes(server);
    world.dies(new);
    assert_eq!(world.waits(client, portal, server, 5), None);
    assert_eq!(world.manager.end_behind_gate(INIT, of), Err(Error::ESRCH.into()));
}
#[test]
fn a_server_that_ends_behind_its_gate_leaves_its_calls_to_the_heir() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let Closed { of, heir, new, its_new } = world.closes(server);
    world.dies(server);
    assert_eq!(world.manager.end_behind_gate(INIT, of), Err(Error::ESRCH.into()));
    assert_eq!(world.awaited(heir), (Ok(2), "t.add".into()));
    let code = world.code(client, portal);
    assert_eq!(world.manager.no_stack(1, of, (code, false), 5), Ok(NoStack::Wait));
    world.register_at(its_new, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((new, ENTRY)));
}
#[test]
fn an_heir_that_ends_when_the_old_one_has_leaves_it_to_the_next() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let Closed { of, heir, new, .. } = world.closes(server);
    world.manager.end_behind_gate(INIT, of).unwrap();
    world.dies(new);
    let (next, its_next) = world.component("next", 1);
    let id = world.identity(next);
    assert_eq!(world.manager.inherit(INIT, Some(id), heir), Ok(0));
    world.register_at(its_next, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((next, ENTRY)));
}
#[test]
fn an_heir_that_ends_before_it_has_all_leaves_what_it_has_to_the_next() {
    let (mut world, Scene { server, its, client, other, portal }) = scene();
    world.register_at(its, "t.second", "npi", ENTRY).unwrap();
    let second = world.open(other, "t.second").unwrap();
    let Closed { of, heir, new, its_new } = world.closes(server);
    world.manager.end_behind_gate(INIT, of).unwrap();
    world.register_at(its_new, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((new, ENTRY)));
    assert_eq!(world.awaited(heir), (Ok(2), "t.second".into()));
    world.dies(new);
    let (next, its_next) = world.component("next", 1);
    let id = world.identity(next);
    assert_eq!(world.manager.inherit(INIT, Some(id), heir), Ok(0));
    world.register_at(its_next, "t.second", "npi", ENTRY).unwrap();
    world.register_at(its_next, "t.add", "npii", ENTRY).unwrap();
    assert_eq!([portal, second].map(|n| world.leads(client, n)), [Some((next, ENTRY)); 2]);
    // When it is said to have taken the place, it ends as its maker has said.
    assert_eq!(world.manager.has_taken_place(INIT, id), Err(Error::ESRCH), "it was not tried");
    let Closed { of, heir, new, its_new } = world.closes(next);
    world.manager.end_behind_gate(INIT, of).unwrap();
    world.register_at(its_new, "t.second", "npi", ENTRY).unwrap();
    world.register_at(its_new, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.awaited(heir), (Ok(0), String::new()));
    assert_eq!(world.manager.has_taken_place(client, heir), Err(Error::ESRCH), "says somebody else");
    assert_eq!(world.manager.has_taken_place(INIT, heir), Ok(0));
    world.dies(new);
    assert_eq!([portal, second].map(|n| world.leads(client, n)), [Some((0, 0)); 2]);
}
#[test]
fn an_heir_with_another_specification_gets_nothing_and_the_next_one_does() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let Closed { of, heir, new, its_new } = world.closes(server);
    world.manager.end_behind_gate(INIT, of).unwrap();
    let code = world.code(client, portal);
    world.register_at(its_new, "t.add", "npi", ENTRY).unwrap();
    assert_eq!(world.awaited(heir), (Err(Error::EINVAL), "t.add".into()));
    assert_eq!(world.manager.no_stack(1, of, (code, false), 5), Ok(NoStack::Wait));
    world.dies(new);
    let (next, its_next) = world.component("next", 1);
    let id = world.identity(next);
    assert_eq!(world.manager.inherit(INIT, Some(id), heir), Ok(0));
    world.register_at(its_next, "t.add", "npii", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((next, ENTRY)));
    // From the next one on, what does not heal is lost.
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let Closed { of, heir, new, .. } = world.closes(server);
    world.manager.end_behind_gate(INIT, of).unwrap();
    world.dies(new);
    let (next, its_next) = world.component("next", 1);
    let id = world.identity(next);
    assert_eq!(world.manager.inherit(INIT, Some(id), heir), Ok(0));
    world.register_at(its_next, "t.add", "npi", ENTRY).unwrap();
    assert_eq!(world.leads(client, portal), Some((0, 0)));
}
#[test]
fn who_is_tried_takes_no_part_in_another_replacement() {
    let (mut world, Scene { server, .. }) = scene();
    let Closed { of, heir, new, its_new } = world.closes(server);
    world.manager.end_behind_gate(INIT, of).unwrap();
    let (next, _) = world.component("next", 1);
    let id = world.identity(next);
    assert_eq!(world.manager.close_gate(INIT, heir, id), Err(Error::EBUSY.into()));
    assert_eq!(world.manager.close_gate(INIT, id, heir), Err(Error::EBUSY.into()));
    assert_eq!(world.manager.succeed(INIT, id, heir), Err(Error::EBUSY));
    world.register_at(its_new, "t.add", "npii", ENTRY).unwrap();
    world.manager.has_taken_place(INIT, heir).unwrap();
    assert_eq!(world.manager.close_gate(INIT, heir, id), Ok(0));
    world.dies(new);
}
#[test]
fn who_has_succeeded_another_can_be_handed_over_from() {
    let (mut world, Scene { server, .. }) = scene();
    let (new, its_new) = world.component("beside", 1);
    let (of, by) = (world.identity(server), world.identity(new));
    world.manager.succeed(INIT, by, of).unwrap();
    world.register_at(its_new, "t.add", "npii", ENTRY).unwrap();
    world.manager.take_over(INIT, by, true).unwrap();
    world.dies(server);
    world.closes(new);
}
#[test]
fn what_is_bound_to_it_since_its_gate_was_closed_keeps_a_server() {
    let (mut world, Scene { server, other, portal, .. }) = scene();
    assert!(world.enter(other, portal));
    let Closed { of, .. } = world.closes(server);
    world.grant(other, 9).unwrap();
    world.leave(other);
    assert_eq!(world.manager.end_behind_gate(INIT, of), Err(Refused(Error::EBUSY, padded("(granted)"))));
    world.manager.open_gate(INIT, of).unwrap();
    world.check();
}
#[test]
fn its_own_calls_do_not_wait_at_a_gate() {
    let (mut world, Scene { server, its, client, portal, .. }) = scene();
    let own = world.open(its, "t.add").unwrap();
    world.closes(server);
    assert_eq!(world.waits(server, own, server, 5), None);
    assert_eq!(world.waits(client, portal, server, 5), WAITS);
}
#[test]
fn whoever_waits_for_one_before_waits_for_the_heir() {
    let (mut world, Scene { server, its, client, other, portal }) = scene();
    world.register_at(its, "t.second", "npi", ENTRY).unwrap();
    let second = world.open(other, "t.second").unwrap();
    world.manager.heals(INIT, server).unwrap();
    let first = world.dies(server);
    let (old, its_old) = world.component("old", 1);
    let id = world.identity(old);
    world.manager.inherit(INIT, Some(id), first).unwrap();
    world.register_at(its_old, "t.add", "npii", ENTRY).unwrap();
    let Closed { of, heir, new, its_new } = world.closes(old);
    world.manager.end_behind_gate(INIT, of).unwrap();
    assert_eq!(world.awaited(heir).0, Ok(3), "both, and the number of names");
    world.register_at(its_new, "t.second", "npi", ENTRY).unwrap();
    world.register_at(its_new, "t.add", "npii", ENTRY).unwrap();
    assert_eq!([portal, second].map(|n| world.leads(client, n)), [Some((new, ENTRY)); 2]);
    assert_eq!(world.awaited(heir).0, Ok(0));
}
#[test]
fn the_first_components_do_not_wait_by_what_they_open_meanwhile() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    world.closes(server);
    let own = world.open(crate::fake::INIT_THREAD, "t.add").unwrap();
    assert_eq!(world.waits(INIT, own, server, 5), None);
    assert_eq!(world.waits(client, portal, server, 5), WAITS);
}
#[test]
fn a_gate_that_opens_leaves_nobody_counted() {
    let (mut world, Scene { server, client, portal, .. }) = scene();
    let Closed { of, .. } = world.closes(server);
    (0..3).for_each(|n| assert_eq!(world.waits(client, portal, server, 5 + n), WAITS));
    world.manager.open_gate(INIT, of).unwrap();
    assert_eq!(world.manager.domain(server).unwrap().table.field(domain::STACK_WAITERS), 0);
}
#[test]
fn who_may_not_close_a_gate() {
    let (mut world, Scene { server, client, .. }) = scene();
    let (new, its_new) = world.component("heir", 1);
    let (of, heir) = (world.identity(server), world.identity(new));
    let memory = world.identity(crate::fake::MEMORY);
    let refused = |error: Error| Err(Refused(error, [0; NAME]));
    let closes = |world: &mut World, by, of, heir| {
        let result = world.manager.close_gate(by, of, heir);
        world.check();
        result
    };
    assert_eq!(closes(&mut world, client, of, heir), refused(Error::EACCESS), "who may not end them");
    assert_eq!(closes(&mut world, INIT, memory, heir), refused(Error::EACCESS), "of a first component");
    assert_eq!(closes(&mut world, INIT, of, memory), refused(Error::EACCESS), "for a first component");
    assert_eq!(closes(&mut world, INIT, of, of), refused(Error::EINVAL), "for itself");
    let (busy, _) = world.component("busy", 1);
    let third = world.identity(busy);
    assert_eq!(closes(&mut world, INIT, of, third), Ok(0));
    assert_eq!(closes(&mut world, INIT, of, heir), refused(Error::EBUSY), "a second gate");
    assert_eq!(closes(&mut world, INIT, third, heir), refused(Error::EBUSY), "of an heir");
    assert_eq!(world.manager.succeed(INIT, heir, of), Err(Error::EBUSY));
    world.manager.open_gate(INIT, of).unwrap();
    assert_eq!(world.manager.succeed(INIT, third, of), Ok(0));
    assert_eq!(closes(&mut world, INIT, of, heir), refused(Error::EBUSY), "of who is being replaced");
    world.dies(busy);
    world.register_at(its_new, "t.own", "npi", ENTRY).unwrap();
    assert_eq!(closes(&mut world, INIT, of, heir), refused(Error::EINVAL), "for who has registered something");
    world.dies(new);
    assert_eq!(closes(&mut world, INIT, of, heir), refused(Error::ESRCH), "for who has ended");
}
#[test]
fn what_is_bound_to_a_server_keeps_its_gate_open() {
    let (mut world, Scene { server, its, other, portal, .. }) = scene();
    let (new, _) = world.component("heir", 1);
    let (of, heir) = (world.identity(server), world.identity(new));
    let closes = |world: &mut World| {
        let result = world.manager.close_gate(INIT, of, heir);
        world.check();
        result
    };
    assert!(world.enter(other, portal));
    let granted = world.grant(other, 9).unwrap();
    world.leave(other);
    assert_eq!(closes(&mut world), Err(Refused(Error::EBUSY, padded("(granted)"))));
    world.close(other, granted).unwrap();
    let (child, _) = world.fork(its, system::fork::COPIED).unwrap();
    assert_eq!(closes(&mut world), Err(Refused(Error::EBUSY, padded("(domains)"))));
    world.dies(child);
    assert_eq!(closes(&mut world), Ok(0));
}
#[test]
fn a_block_that_is_another_servers_by_then_is_not_written_to() {
    let (mut world, Scene { server, other, portal, .. }) = scene();
    let Closed { of, .. } = world.closes(server);
    world.close(other, portal).unwrap();
    world.counts();
    world.check();
    world.manager.open_gate(INIT, of).unwrap();
    world.check();
    let again = world.open(other, "t.add").unwrap();
    assert!(world.enter(other, again));
    assert_eq!(world.inside(other), server);
}
#[test]
fn a_thousand_gates_leave_nothing() {
    let (mut world, Scene { server, mut its, client, other, portal }) = scene();
    let (mut old, mut counts) = (server, Vec::new());
    for round in 0..1000 {
        let Closed { of, new, its_new, .. } = world.closes(old);
        if round % 3 == 0 {
            world.manager.open_gate(INIT, of).unwrap();
            world.dies(new);
            world.bury(its_new);
        } else {
            world.manager.end_behind_gate(INIT, of).unwrap();
            world.register_at(its_new, "t.add", "npii", ENTRY).unwrap();
            assert_eq!(world.manager.has_taken_place(INIT, world.identity(new)), Ok(0));
            world.bury(its);
            (old, its) = (new, its_new);
        }
        assert!(world.enter(other, portal));
        assert_eq!(world.inside(other), old);
        world.leave(other);
        if round == 99 {
            counts = world.counts();
        }
    }
    assert_eq!(world.counts(), counts);
    assert_eq!(world.leads(client, portal).map(|(server, _)| server), Some(old));
}
