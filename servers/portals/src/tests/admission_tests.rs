//! Who may open what a server has registered, as that one says.

use super::world::{Returned, World};
use crate::failing::with_only;
use abi::Error;
use abi::name::Name;
use abi::system::{self, admission};

/// A server, a client, and their threads.
fn scene() -> (World, [usize; 2], [usize; 2]) {
    let (mut world, server, its) = World::with_component();
    world.register(its, "t.add", "npii").unwrap();
    let (client, other) = world.component("client", 2);
    (world, [server, its], [client, other])
}
impl World {
    pub fn admit(&mut self, thread: usize, name: &str, asid: usize, how: usize) -> Result<isize, Error> {
        self.admit_with(thread, name, (asid, 0), how)
    }
    /// The same with a token.
    pub fn admit_with(&mut self, thread: usize, name: &str, with: (usize, usize), how: usize) -> Result<isize, Error> {
        let name = Name::of(name).unwrap();
        let result = self.call(thread, system::PORTAL_ADMIT, |manager, caller| manager.admit(caller, &name, with, how));
        self.check();
        result
    }
}
#[test]
fn a_registration_admits_from_the_start() {
    let (mut world, [_, its], [client, other]) = scene();
    let (third, thirds) = world.component("third", 3);
    let mut request = super::world::registration("t.sub", "npii");
    request.admission = admission::LISTED as u64;
    let register = |world: &mut World, request: &system::Registration| {
        let result = world.call(its, system::PORTAL_REGISTER, |m, caller| m.register(caller, request));
        world.check();
        result
    };
    assert_eq!(register(&mut world, &request), Ok(0));
    assert_eq!(world.open(other, "t.sub"), Err(Error::EACCESS), "nobody is listed");
    request.name[2..5].copy_from_slice(b"mul");
    request.admitted[9] = third as u32;
    assert_eq!(register(&mut world, &request), Ok(0));
    assert_eq!(world.open(other, "t.mul"), Err(Error::EACCESS));
    assert!(world.open(thirds, "t.mul").is_ok());
    request.name[2..5].copy_from_slice(b"div");
    request.admitted[0] = 300;
    assert_eq!(register(&mut world, &request), Err(Error::ESRCH));
    request.admission = admission::WITHDRAWN as u64;
    assert_eq!(register(&mut world, &request), Err(Error::EINVAL));
    assert_eq!(world.open(other, "t.div"), Err(Error::ENOENT), "what is refused is not registered");
    assert_eq!(world.admit(its, "t.mul", client, admission::LISTED), Ok(0));
    assert!(world.open(other, "t.mul").is_ok());
}
#[test]
fn who_is_not_admitted_gets_eaccess() {
    let (mut world, [_, its], [client, other]) = scene();
    assert_eq!(world.admit(its, "t.add", 0, admission::LISTED), Ok(0));
    assert_eq!(world.open(other, "t.add"), Err(Error::EACCESS));
    assert_eq!(world.admit(its, "t.add", client, admission::LISTED), Ok(0));
    assert!(world.open(other, "t.add").is_ok());
    let (_, third) = world.component("third", 3);
    assert_eq!(world.open(third, "t.add"), Err(Error::EACCESS));
    assert_eq!(world.admit(its, "t.add", 0, admission::ALL), Ok(0));
    assert!(world.open(third, "t.add").is_ok());
}
#[test]
fn what_is_withdrawn_answers_for_the_dead_and_calls_go_on() {
    let (mut world, [server, its], [client, other]) = scene();
    let opened = [(); 3].map(|()| world.open(other, "t.add").unwrap());
    let own = world.open(its, "t.add").unwrap();
    assert!(world.enter(other, opened[1]));
    assert_eq!(world.admit(its, "t.add", client, admission::WITHDRAWN), Ok(0));
    assert!(opened.iter().all(|&number| world.leads(client, number) == Some((0, 0))));
    assert_eq!(world.leads(server, own), Some((server, 0x20000)));
    assert_eq!((world.inside(other), world.leave(other), world.inside(other)), (server, Returned::Goes, client));
    // Nobody was listed, so it may open it anew; but not once only others are admitted.
    assert!(world.open(other, "t.add").is_ok());
    assert_eq!(world.admit(its, "t.add", server, admission::LISTED), Ok(0));
    assert_eq!(world.admit(its, "t.add", 0, admission::WITHDRAWN), Ok(0));
    assert_eq!(world.leads(server, own), Some((0, 0)));
    assert_eq!(world.open(its, "t.add"), Err(Error::EACCESS));
    for number in opened {
        assert_eq!(world.close(other, number), Ok(0));
    }
    world.check();
}
#[test]
fn more_portals_than_are_freed_at_once_are_withdrawn() {
    let (mut world, [_, its], [client, other]) = scene();
    let before = world.counts();
    let opened: Vec<usize> = (0..100).map(|_| world.open(other, "t.add").unwrap()).collect();
    assert_eq!(world.admit(its, "t.add", client, admission::WITHDRAWN), Ok(0));
    assert!(opened.iter().all(|&number| world.leads(client, number) == Some((0, 0))));
    assert_eq!(world.counts(), before);
}
#[test]
fn who_has_the_number_next_is_not_admitted() {
    let (mut world, [_, its], [client, _]) = scene();
    assert_eq!(world.admit(its, "t.add", client, admission::LISTED), Ok(0));
    world.kill(client).unwrap();
    world.manager.forget_end(client);
    world.manager.sweep();
    world.manager.domains.next_number = client;
    let (again, thread) = world.component("next", 3);
    assert_eq!(again, client, "the test needs the same number");
    assert_eq!(world.open(thread, "t.add"), Err(Error::EACCESS));
}
#[test]
fn a_child_has_what_was_open_but_no_place_in_the_list() {
    let (mut world, [_, its], [client, other]) = scene();
    assert_eq!(world.admit(its, "t.add", client, admission::LISTED), Ok(0));
    let number = world.open(other, "t.add").unwrap();
    let (child, thread) = world.fork(other, 0).unwrap();
    assert_eq!(world.leads(child, number), world.leads(client, number));
    assert_eq!(world.open(thread, "t.add"), Err(Error::EACCESS));
    assert_eq!(world.admit(its, "t.add", client, admission::WITHDRAWN), Ok(0));
    assert_eq!(world.leads(client, number), Some((0, 0)));
    assert_ne!(world.leads(child, number), Some((0, 0)), "it was withdrawn from its parent alone");
}
#[test]
fn who_is_in_a_sandbox_loses_what_was_opened_for_it() {
    let (mut world, [_, its], [controller, other]) = scene();
    let kept = world.open(other, "t.add").unwrap();
    let (child, inside) = world.fork(other, 0x30000).unwrap();
    // Its call of `open` leads to its controlling domain, which makes it there on its behalf.
    assert!(world.enter(inside, system::PORTAL_OPEN));
    let opened = world.open(inside, "t.add").unwrap();
    assert_ne!(world.leads(controller, opened), Some((0, 0)));
    assert_eq!(world.admit(its, "t.add", child, admission::WITHDRAWN), Ok(0));
    assert_eq!(world.leads(controller, opened), Some((0, 0)));
    assert_ne!(world.leads(controller, kept), Some((0, 0)), "it is the controlling domain's own");
}
#[test]
fn only_the_server_says_and_only_of_what_there_is() {
    let (mut world, [_, its], [client, other]) = scene();
    assert_eq!(world.admit(other, "t.add", client, admission::LISTED), Err(Error::ENOENT));
    assert_eq!(world.admit(its, "t.sub", client, admission::LISTED), Err(Error::ENOENT));
    assert_eq!(world.admit(its, "t.add", 300, admission::LISTED), Err(Error::ESRCH));
    assert_eq!(world.admit(its, "t.add", client, 4), Err(Error::EINVAL));
    assert!(world.open(other, "t.add").is_ok());
}
#[test]
fn the_list_ends_and_the_dead_have_no_place_in_it() {
    let (mut world, [_, its], _) = scene();
    let all: Vec<usize> = (0..=admission::MOST).map(|n| world.component("client", 2 + n % 20).0).collect();
    for &asid in &all[..admission::MOST] {
        assert_eq!(world.admit(its, "t.add", asid, admission::LISTED), Ok(0));
    }
    assert_eq!(world.admit(its, "t.add", all[admission::MOST], admission::LISTED), Err(Error::ENFILE));
    world.kill(all[0]).unwrap();
    assert_eq!(world.admit(its, "t.add", all[admission::MOST], admission::LISTED), Ok(0));
}
#[test]
fn each_thing_that_admitting_asks_for_can_fail() {
    for n in 0.. {
        let (mut world, [_, its], [client, other]) = scene();
        let name = Name::of("t.add").unwrap();
        let admit = |world: &mut World| {
            world.call(its, system::PORTAL_ADMIT, |m, caller| m.admit(caller, &name, (client, 0), admission::LISTED))
        };
        let result = with_only(n, || admit(&mut world));
        world.check();
        if result.is_ok() {
            assert!(n > 0);
            break;
        }
        assert_eq!(result, Err(Error::ENOMEM));
        assert_eq!(admit(&mut world), Ok(0));
        assert!(world.open(other, "t.add").is_ok());
    }
    let (mut world, [_, its], [client, other]) = scene();
    world.open(other, "t.add").unwrap();
    let name = Name::of("t.add").unwrap();
    let withdrawn = with_only(0, || {
        world.call(its, system::PORTAL_ADMIT, |m, caller| m.admit(caller, &name, (client, 0), admission::WITHDRAWN))
    });
    assert_eq!(withdrawn, Ok(0), "taking back needs nothing");
}
