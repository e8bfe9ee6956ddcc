//! Waits for what nobody is left to post: when they end, and when not.

use super::world::{World, registration};
use crate::fake::Fake;

/// A component that has made a semaphore, and a child, which has it too; both threads, and the semaphore's number in both tables.
struct Family {
    world: World,
    parent: (usize, usize),
    child: (usize, usize),
    number: usize,
}
fn family() -> Family {
    let (mut world, asid, thread) = World::with_component();
    let number = world.semaphore(thread).unwrap();
    let child = world.fork(thread, 0).unwrap();
    Family { world, parent: (asid, thread), child, number }
}
impl Family {
    fn waits(&mut self, (asid, thread): (usize, usize)) {
        let id = self.world.manager.semaphore_of(asid, self.number).unwrap();
        Fake.wait_for(thread, id);
    }
    /// The domain is killed, and its thread ends.
    fn end(&mut self, (asid, thread): (usize, usize)) {
        self.world.kill(asid).unwrap();
        self.world.manager.wake_stuck(thread);
        self.world.bury(thread);
        self.world.check();
    }
}
#[test]
fn a_parent_waits_no_more_when_its_child_has_ended() {
    let mut family = family();
    let (parent, child) = (family.parent, family.child);
    family.waits(parent);
    assert!(Fake.still_waits(parent.1));
    family.end(child);
    assert!(!Fake.still_waits(parent.1));
}
#[test]
fn a_child_waits_no_more_when_its_parent_has_ended() {
    let mut family = family();
    let (parent, child) = (family.parent, family.child);
    family.waits(child);
    family.end(parent);
    assert!(!Fake.still_waits(child.1));
}
#[test]
fn a_child_waits_as_long_as_another_lives() {
    let mut family = family();
    let (parent, child) = (family.parent, family.child);
    let other = family.world.fork(parent.1, 0).unwrap();
    family.waits(child);
    family.end(parent);
    assert!(Fake.still_waits(child.1));
    family.end(other);
    assert!(!Fake.still_waits(child.1));
}
#[test]
fn who_waits_for_an_interrupt_is_not_stuck() {
    let mut family = family();
    let (parent, child) = (family.parent, family.child);
    let id = family.world.manager.semaphore_of(parent.0, family.number).unwrap();
    family.world.manager.posted_by_interrupts(id);
    family.waits(parent);
    family.end(child);
    assert!(Fake.still_waits(parent.1));
}
#[test]
fn who_has_granted_what_is_still_there_is_not_stuck() {
    let (mut world, server, thread) = World::with_component();
    let number = world.semaphore(thread).unwrap();
    let child = world.fork(thread, 0).unwrap();
    world.register(thread, "t.open", "npii").unwrap();
    let (client, other) = world.component("client", 2);
    let opened = world.open(other, "t.open").unwrap();
    assert!(world.enter(other, opened));
    let granted = world.grant(other, 5).unwrap();
    world.leave(other);
    world.close(other, opened).unwrap();
    let name = abi::name::Name::new(&registration("t.open", "npii").name).unwrap();
    world.call(thread, abi::system::PORTAL_UNREGISTER, |manager, caller| manager.unregister(caller, &name)).unwrap();
    Fake.wait_for(thread, world.manager.semaphore_of(server, number).unwrap());
    world.kill(child.0).unwrap();
    world.manager.wake_stuck(child.1);
    world.bury(child.1);
    assert!(Fake.still_waits(thread));
    // When the last of them has gone it is told, and may wait for nothing more.
    world.manager.uninstall(client, granted).unwrap();
    world.manager.wake_stuck(thread);
    assert!(!Fake.still_waits(thread));
    world.check();
}
#[test]
fn ends_of_other_accounts_are_nobodys_reason_to_look() {
    let mut family = family();
    let (parent, child) = (family.parent, family.child);
    let (other, thread) = family.world.component("other", 2);
    family.waits(parent);
    family.world.kill(child.0).unwrap();
    family.world.kill(other).unwrap();
    family.world.manager.wake_stuck(thread);
    assert!(Fake.still_waits(parent.1));
    family.world.manager.wake_stuck(child.1);
    assert!(!Fake.still_waits(parent.1));
}
