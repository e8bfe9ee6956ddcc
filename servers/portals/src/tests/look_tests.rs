//! What a number stands for that a thread has asked about, until that thread calls it.

use super::world::World;
use crate::machine::nucleus_memory::NucleusMemory;
use crate::manager::Caller;
use abi::Error;
use abi::nucleus::NPORTALS;
use abi::system::{self, FIRST_FREE, fork::SHARED};

/// Thread `thread` of `asid` asks what `number` stands for.
fn look(world: &mut World, asid: usize, thread: usize, number: usize) {
    let caller = Caller { direct: asid, subject: asid };
    world.manager.look_at_portal(caller, thread, number).unwrap();
}
/// A client of a server that has granted it a portal, of which it has `number` besides; thread `other` of it has called there, `watcher` has not. A third component
/// provides "t.other".
struct Client {
    world: World,
    server: usize,
    client: usize,
    other: usize,
    watcher: usize,
    number: usize,
    granted: usize,
}
impl Client {
    fn new() -> Client {
        let (mut world, server, thread) = World::with_component();
        world.register(thread, "t.open", "npii").unwrap();
        let (_, third) = world.component("third", 3);
        world.register(third, "t.other", "npw").unwrap();
        let (client, other) = world.component("client", 2);
        let watcher = world.thread(client).unwrap();
        let number = world.open(other, "t.open").unwrap();
        assert!(world.enter(other, number));
        let granted = world.grant(other, 1).unwrap();
        world.leave(other);
        Client { world, server, client, other, watcher, number, granted }
    }
}
/// The tables of these domains, which are alike, have no number left.
fn fill(world: &mut World, sharers: &[usize]) {
    let (dead, bad) = (world.manager.dead.portal, world.manager.machine.info().symbols.bad_portal);
    for free in FIRST_FREE..NPORTALS {
        if world.manager.domain(sharers[0]).unwrap().table.entry(free) == bad {
            sharers.iter().for_each(|&asid| world.manager.install_alone(asid, free, dead).unwrap());
        }
    }
}
#[test]
fn a_number_that_a_thread_has_asked_about_is_not_another_portals() {
    let Client { mut world, server, client, other, watcher, number, granted } = Client::new();
    fill(&mut world, &[client]);
    look(&mut world, client, watcher, granted);
    world.kill(server).unwrap();
    assert_eq!(world.open(other, "t.other"), Err(Error::ENFILE), "it may be about to be called");
    assert_eq!(world.semaphore(other), Err(Error::ENFILE));
    // Who asks about another has called it, or does not.
    look(&mut world, client, watcher, number);
    // And who opens one calls nothing.
    look(&mut world, client, other, granted);
    assert_eq!(world.open(other, "t.other"), Ok(granted));
    world.check();
}
#[test]
fn the_end_of_a_thread_that_has_asked_keeps_no_number() {
    let (mut world, client, other) = World::with_component();
    let watcher = world.thread(client).unwrap();
    let number = world.semaphore(other).unwrap();
    look(&mut world, client, watcher, number);
    assert_eq!(world.manager.looked_at(client).iter().collect::<Vec<_>>(), [number]);
    world.exit_thread(watcher);
    // Takes back what has ended.
    world.counts();
    assert_eq!(world.manager.looked_at(client).iter().count(), 0);
}
#[test]
fn a_semaphore_that_another_domain_ends_leaves_no_number_that_may_be_about_to_be_called() {
    for looked in [false, true] {
        let (mut world, _, thread) = World::with_component();
        let number = world.semaphore(thread).unwrap();
        let (child, its) = world.fork(thread, 0).unwrap();
        let watcher = world.thread(child).unwrap();
        if looked {
            look(&mut world, child, watcher, number);
        }
        let destroyed =
            world.call(thread, system::SEM_DESTROY, |manager, caller| manager.semaphore_destroy(caller, number));
        assert_eq!(destroyed, Ok(0));
        let next = world.semaphore(its).unwrap();
        assert_eq!(next == number, !looked);
        world.check();
    }
}
#[test]
fn a_number_that_a_thread_has_asked_about_is_no_portals_that_a_sharer_of_its_table_opens() {
    let Client { mut world, server, client, other, watcher, number, granted } = Client::new();
    let (sharer, sharers) = world.fork(other, SHARED).unwrap();
    fill(&mut world, &[client, sharer]);
    look(&mut world, client, watcher, granted);
    world.kill(server).unwrap();
    assert_eq!(world.open(sharers, "t.other"), Err(Error::ENFILE), "it may be about to be called");
    assert_eq!(world.semaphore(sharers), Err(Error::ENFILE));
    look(&mut world, client, watcher, number);
    assert_eq!(world.open(sharers, "t.other"), Ok(granted));
    world.check();
}
#[test]
fn a_semaphore_that_another_domain_ends_leaves_no_number_to_a_sharer_of_the_table_either() {
    for looked in [false, true] {
        let (mut world, _, thread) = World::with_component();
        let number = world.semaphore(thread).unwrap();
        let (child, its) = world.fork(thread, 0).unwrap();
        let (_, sharers) = world.fork(its, SHARED).unwrap();
        let watcher = world.thread(child).unwrap();
        if looked {
            look(&mut world, child, watcher, number);
        }
        let destroyed =
            world.call(thread, system::SEM_DESTROY, |manager, caller| manager.semaphore_destroy(caller, number));
        assert_eq!(destroyed, Ok(0));
        let next = world.semaphore(sharers).unwrap();
        assert_eq!(next == number, !looked);
        world.check();
    }
}
