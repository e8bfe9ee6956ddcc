//! What is told of threads, and marks in their frames.

use super::world::{Returned, Scene, World, scene};
use crate::fake::{Fake, INIT, INIT_THREAD, MEMORY};
use crate::machine::nucleus_memory::NucleusMemory;
use abi::Error;
use abi::activity::{Activity, CALLS, Doing, GRANTED, What};

impl World {
    fn told(&self, thread: usize) -> Activity {
        self.manager.activity(INIT, thread, false).unwrap()
    }
    /// What is told of it when its calls are marked: whether each was, the innermost first.
    fn mark(&mut self, thread: usize) -> Vec<bool> {
        let told = self.manager.activity(INIT, thread, true).unwrap();
        self.check();
        told.calls().iter().map(|call| call.was_marked()).collect()
    }
    fn servers(&self, thread: usize) -> Vec<u64> {
        self.told(thread).calls().iter().map(|call| call.server).collect()
    }
}
/// The same, and a server of `t.deep`, which the first server has open.
fn deep() -> (World, Scene, usize, usize) {
    let (mut world, s) = scene();
    let (deep, its) = world.component("deep", 3);
    world.register(its, "t.deep", "npii").unwrap();
    let portal = world.open(s.its, "t.deep").unwrap();
    (world, s, deep, portal)
}

#[test]
fn threads_are_told_with_their_calls_the_innermost_first() {
    let (mut world, s, deep, portal) = deep();
    assert_eq!(world.servers(s.other), []);
    assert!(world.enter(s.other, s.portal) && world.enter(s.other, portal));
    let told = world.told(s.other);
    assert_eq!((told.index, told.home, told.depth), (s.other as u64, world.identity(s.client).word(), 2));
    assert_eq!(Doing::of(told.doing).what(), What::Ready);
    assert_eq!(world.servers(s.other), [world.identity(deep).word(), world.identity(s.server).word()]);
    let name = |call: &abi::activity::Call| {
        let portal = world.manager.inspect_portal(0, call.registration as usize).unwrap();
        abi::section::text(&portal.name).to_string()
    };
    assert_eq!(told.calls().iter().map(name).collect::<Vec<_>>(), ["t.deep", "t.add"]);
    assert!(told.calls()[0].place() < told.calls()[1].place());
    // A call of one of the first components beyond them is not told.
    assert!(world.enter(s.other, abi::system::PORTAL_CLOSE));
    assert_eq!(world.depth(s.other), 3);
    assert_eq!(world.servers(s.other).len(), 2);
}
#[test]
fn the_next_thread_is_told_where_there_is_none_of_that_index() {
    let (world, s) = scene();
    let mut all = vec![];
    let mut next = 0;
    while let Ok(told) = world.manager.activity(s.client, next, false) {
        next = told.index as usize + 1;
        all.push(told.index as usize);
    }
    assert!([INIT_THREAD, s.its, s.other].iter().all(|thread| all.contains(thread)), "{all:?}");
    assert!(all.is_sorted() && world.manager.activity(INIT, usize::MAX, false).err() == Some(Error::ESRCH));
}
#[test]
fn a_call_by_no_name_is_told_without_one() {
    let (mut world, s) = scene();
    assert!(world.enter(s.other, s.portal));
    let granted = world.grant(s.other, 5).unwrap();
    world.leave(s.other);
    assert!(world.enter(s.other, granted));
    let told = world.told(s.other);
    assert_eq!((told.depth, told.calls()[0].registration), (1, GRANTED));
}
#[test]
fn a_call_stays_marked_until_it_returns() {
    let (mut world, s, _, portal) = deep();
    assert!(world.enter(s.other, s.portal));
    assert_eq!(world.mark(s.other), [false]);
    assert_eq!(world.mark(s.other), [true]);
    assert!(world.enter(s.other, portal));
    assert_eq!(world.mark(s.other), [false, true]);
    assert_eq!(world.mark(s.other), [true, true]);
    assert_eq!(world.leave(s.other), Returned::Goes);
    assert_eq!(world.mark(s.other), [true]);
    // Another one at the same place, from the same caller.
    assert!(world.enter(s.other, portal));
    assert_eq!(world.mark(s.other), [false, true]);
    assert_eq!((world.leave(s.other), world.leave(s.other)), (Returned::Goes, Returned::Goes));
    assert!(world.enter(s.other, s.portal));
    assert_eq!(world.mark(s.other), [false]);
}
#[test]
fn a_call_that_has_returned_since_it_was_found_is_not_marked() {
    let (mut world, s, _, portal) = deep();
    assert!(world.enter(s.other, s.portal) && world.enter(s.other, portal));
    let page = world.page(s.other);
    let frame = page.frames(&world.manager.code).next().unwrap();
    let (at, way_back) = (frame.address() - page.address(), frame.portal());
    world.leave(s.other);
    assert!(!world.manager.mark_call(page, at, way_back));
    // Another is around there now, and this is a register that it has saved.
    assert!(world.enter(s.other, portal));
    let word = Fake.read(frame.address());
    Fake.write(frame.address(), 0x1234_5678);
    assert!(!world.manager.mark_call(page, at, way_back));
    assert_eq!(Fake.read(frame.address()), 0x1234_5678);
    Fake.write(frame.address(), word);
    assert_eq!(world.mark(s.other), [false, false]);
}
#[test]
fn who_only_looks_leaves_no_mark_and_sees_none() {
    let (mut world, s) = scene();
    assert!(world.enter(s.other, s.portal));
    for _ in 0..2 {
        assert!(!world.told(s.other).calls()[0].was_marked());
    }
    assert_eq!(world.mark(s.other), [false]);
    assert!(!world.told(s.other).calls()[0].was_marked());
}
#[test]
fn only_a_first_component_marks() {
    let (mut world, s) = scene();
    assert!(world.enter(s.other, s.portal));
    assert_eq!(world.manager.activity(s.client, s.other, true).err(), Some(Error::EACCESS));
    assert_eq!(world.manager.activity(s.server, 0, true).err(), Some(Error::EACCESS));
    assert_eq!(world.mark(s.other), [false], "nothing was marked");
}
#[test]
fn marked_calls_of_servers_and_clients_that_end_return_as_others() {
    for client in [false, true] {
        let (mut world, s, _, portal) = deep();
        assert!(world.enter(s.other, s.portal) && world.enter(s.other, portal));
        world.mark(s.other);
        world.dies(if client { s.client } else { s.server });
        assert_eq!(world.leave(s.other), Returned::Goes);
        if client {
            // Back in the server, and from there to where nobody is.
            assert_eq!(world.leave(s.other), Returned::Ended);
        } else {
            assert_eq!(world.inside(s.other), s.client);
        }
        world.check();
    }
}
#[test]
fn a_thread_that_is_deep_is_told_with_its_innermost_calls() {
    let (mut world, s) = scene();
    let own = world.open(s.its, "t.add").unwrap();
    // The server's calls of itself do not leave it, so two call each other.
    assert!(world.enter(s.other, s.portal) && world.enter(s.other, own));
    assert_eq!(world.servers(s.other).len(), 1);
    let (mut world, s, deep, portal) = deep();
    let deeps = world.manager.threads.living().find(|(_, _, home)| *home == world.identity(deep)).unwrap().0;
    let back = world.open(deeps, "t.add").unwrap();
    assert!(world.enter(s.other, s.portal));
    let mut depth = 1;
    while depth < CALLS as u64 + 4 {
        assert!(world.enter(s.other, portal) && world.enter(s.other, back));
        depth += 2;
    }
    let told = world.told(s.other);
    assert_eq!((told.depth, told.calls().len()), (depth, CALLS));
    assert_eq!(told.calls()[0].server, world.identity(s.server).word());
    assert!(told.beyond.has(s.server) && told.beyond.has(deep) && !told.beyond.has(s.client));
    // Those that are not told are not marked.
    world.mark(s.other);
    while world.depth(s.other) > CALLS {
        world.leave(s.other);
    }
    assert_eq!(world.mark(s.other).iter().filter(|marked| **marked).count(), 2 * CALLS - depth as usize);
}
#[test]
fn who_starts_components_says_how_high_its_threads_may_go() {
    let (mut world, s) = scene();
    let make = |world: &mut World, asid, priority| world.manager.create_thread(asid, 0x10000, 0x20000, 0, priority);
    for priority in [3, 63] {
        let id = make(&mut world, INIT, priority).unwrap();
        assert_eq!(Fake.ceiling(id % abi::nucleus::THREAD_IDS), Some(priority as u8));
    }
    assert_eq!(make(&mut world, INIT, 64), Err(Error::EINVAL));
    assert_eq!(make(&mut world, s.client, 21), Err(Error::EINVAL), "above its own");
    let id = make(&mut world, s.client, 3).unwrap();
    assert_eq!(Fake.ceiling(id % abi::nucleus::THREAD_IDS), Some(20));
    assert_eq!(make(&mut world, MEMORY, 64), Err(Error::EINVAL));
}
