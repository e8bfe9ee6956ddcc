//! Domains of protection that others make: who may, with what, and what is left when either side ends or changes its mind.

use super::exhaustion_tests::each_fails;
use super::world::{Scene, World, scene};
use abi::Error;
use abi::protection::operation;
use abi::rights::Rights;
use abi::system;

const ENTRY: usize = 0x12340;
const PAGE: usize = abi::address::PAGE;

fn operate(world: &mut World, thread: usize, handle: usize, what: usize, words: [usize; 3]) -> Result<usize, Error> {
    let done = |done: isize| done as usize;
    world.call(thread, system::PORTAL_CLOSE, |manager, caller| manager.operate(caller, handle, what, words)).map(done)
}
/// The client lets whom its portal leads to make two domains of protection, of a hundred pages.
fn delegate(world: &mut World, scene: Scene) -> Result<usize, Error> {
    operate(world, scene.other, 0, operation::DELEGATE, [scene.portal, 2, 100])
}
/// In a call of the client's thread through `portal`, whose server accepts.
fn accept_through(world: &mut World, scene: Scene, portal: usize, delegation: usize) -> Result<usize, Error> {
    assert!(world.enter(scene.other, portal));
    let accept = |manager: &mut crate::manager::Manager<_>, caller| manager.accept(caller, scene.other, delegation);
    let accepted = world.call(scene.other, system::PORTAL_OPEN, accept);
    world.leave(scene.other);
    accepted
}
fn accept(world: &mut World, scene: Scene, delegation: usize) -> Result<usize, Error> {
    accept_through(world, scene, scene.portal, delegation)
}
fn make(world: &mut World, thread: usize, delegation: usize) -> Result<usize, Error> {
    world.call(thread, system::PORTAL_OPEN, |manager, caller| manager.make_delegated(caller, delegation, "part"))
}
fn number(world: &mut World, thread: usize, handle: usize) -> Result<usize, Error> {
    operate(world, thread, handle, operation::NUMBER, [0; 3])
}
/// A loader with a delegation of its client's and a domain that it made: the client's delegation, the loader's, its handle, the domain.
fn loaded() -> (World, Scene, usize, usize, usize, usize) {
    let (mut world, scene) = scene();
    let given = delegate(&mut world, scene).unwrap();
    let taken = accept(&mut world, scene, given).unwrap();
    let handle = make(&mut world, scene.its, taken).unwrap();
    let part = number(&mut world, scene.its, handle).unwrap();
    world.check();
    (world, scene, given, taken, handle, part)
}
/// A thread of a new component that has the number of one that has ended, whose thread goes its way.
fn component_with_number(world: &mut World, wanted: usize, its: usize) -> usize {
    world.bury(its);
    world.manager.forget_end(wanted);
    world.manager.reap();
    world.manager.sweep();
    world.manager.domains.next_number = wanted;
    let (next, thread) = world.component("next", 3);
    assert_eq!(next, wanted, "the number");
    thread
}

#[test]
fn a_loader_makes_domains_in_its_clients_task_and_gives_it_their_handles() {
    let (mut world, scene, _, _, handle, part) = loaded();
    assert_eq!(world.manager.task_of(part), scene.client);
    let domain = world.manager.domain(part).unwrap();
    assert_eq!((domain.parent, domain.account), (scene.client, world.manager.domain(scene.client).unwrap().account));
    operate(&mut world, scene.its, handle, operation::REGISTER, [ENTRY, 3, 1]).unwrap();
    let given = operate(&mut world, scene.its, handle, operation::GIVE, [0; 3]).unwrap();
    assert_eq!(operate(&mut world, scene.its, handle, operation::GIVE, [0; 3]), Ok(given), "it has one");
    assert_eq!(number(&mut world, scene.other, given), Ok(part));
    let portal = operate(&mut world, scene.other, given, operation::CONNECT, [ENTRY, 0, 0]).unwrap();
    assert_eq!(world.leads(scene.client, portal), Some((part, ENTRY as u64)));
    world.check();
}
#[test]
fn what_it_passes_is_its_clients_and_it_does_not_call_what_it_has_made() {
    let (mut world, scene, _, taken, handle, part) = loaded();
    let semaphore = world.semaphore(scene.other).unwrap();
    operate(&mut world, scene.its, handle, operation::PASS, [semaphore, 0, 0]).unwrap();
    assert_eq!(world.leads(part, semaphore), world.leads(scene.client, semaphore));
    operate(&mut world, scene.its, handle, operation::REGISTER, [ENTRY, 3, 1]).unwrap();
    assert_eq!(operate(&mut world, scene.its, handle, operation::CONNECT, [ENTRY, 0, 0]), Err(Error::EACCESS));
    let on = operate(&mut world, scene.its, handle, operation::DELEGATE, [scene.portal, 1, 1]);
    assert_eq!(on, Err(Error::EACCESS), "a delegation is not delegated on");
    // Nor is it passed, to a domain of its own.
    let own = world.call(scene.its, system::PORTAL_OPEN, |manager, caller| manager.create_protection(caller, "own"));
    let own = own.unwrap();
    for entry in [taken, handle] {
        assert_eq!(operate(&mut world, scene.its, own, operation::PASS, [entry, 0, 0]), Err(Error::EINVAL));
    }
    world.check();
}
#[test]
fn eaccess_a_delegation_that_is_for_somebody_else() {
    let (mut world, scene) = scene();
    let (_, thief) = world.component("thief", 3);
    world.register(thief, "t.thief", "npii").unwrap();
    let portal = world.open(scene.other, "t.thief").unwrap();
    let given = delegate(&mut world, scene).unwrap();
    assert_eq!(accept_through(&mut world, scene, portal, given), Err(Error::EACCESS));
    assert_eq!(make(&mut world, thief, given), Err(Error::EBADF), "the number means nothing in its table");
    world.check();
}
#[test]
fn ebadf_and_einval_delegations_that_are_none() {
    let (mut world, scene) = scene();
    for forged in [0, 1, scene.portal, scene.portal + 1, 512, usize::MAX] {
        assert_eq!(accept(&mut world, scene, forged), Err(Error::EBADF), "{forged}");
        assert_eq!(make(&mut world, scene.its, forged), Err(Error::EBADF), "{forged}");
    }
    let given = delegate(&mut world, scene).unwrap();
    let outside =
        world.call(scene.its, system::PORTAL_OPEN, |manager, caller| manager.accept(caller, scene.its, given));
    assert_eq!(outside, Err(Error::EINVAL), "it serves no call");
    for (portal, error) in [(given, Error::EPORTAL), (3, Error::EPORTAL), (511, Error::EPORTAL)] {
        let made = operate(&mut world, scene.other, 0, operation::DELEGATE, [portal, 1, 1]);
        assert_eq!(made, Err(error), "no server's portal");
    }
    let none = operate(&mut world, scene.other, 0, operation::DELEGATE, [scene.portal, 0, 1]);
    assert_eq!(none, Err(Error::EINVAL));
    world.register(scene.other, "t.own", "npii").unwrap();
    let own = world.open(scene.other, "t.own").unwrap();
    let itself = operate(&mut world, scene.other, 0, operation::DELEGATE, [own, 1, 1]);
    assert_eq!(itself, Err(Error::EINVAL), "to itself");
    world.check();
}
#[test]
fn enfile_and_enomem_more_than_was_delegated() {
    let (mut world, scene, _, taken, handle, _) = loaded();
    let take = |world: &mut World, pages: usize| {
        operate(world, scene.its, handle, operation::TAKE, [pages * PAGE, 0, 0]).map(|_| ())
    };
    assert_eq!(
        (take(&mut world, 101), take(&mut world, 60), take(&mut world, 60)),
        (Err(Error::ENOMEM), Ok(()), Err(Error::ENOMEM))
    );
    let stacks = operate(&mut world, scene.its, handle, operation::REGISTER, [ENTRY, 1, 64]);
    assert_eq!(stacks, Err(Error::ENOMEM), "stacks are pages");
    assert_eq!(operate(&mut world, scene.its, handle, operation::TAKE, [PAGE + 1, 0, 0]), Err(Error::EINVAL));
    let second = make(&mut world, scene.its, taken).unwrap();
    operate(&mut world, scene.its, second, operation::DESTROY, [0; 3]).unwrap();
    assert_eq!(make(&mut world, scene.its, taken), Err(Error::ENFILE), "two were made");
    world.check();
}
#[test]
fn accepted_twice_it_is_one() {
    let (mut world, scene, given, taken, ..) = loaded();
    assert_eq!(accept(&mut world, scene, given), Ok(taken));
    world.check();
}
#[test]
fn withdrawn_it_leaves_the_loader_nothing_and_the_client_what_it_has_a_name_for() {
    for kept in [false, true] {
        let (mut world, scene, given, taken, handle, part) = loaded();
        if kept {
            operate(&mut world, scene.its, handle, operation::GIVE, [0; 3]).unwrap();
        }
        operate(&mut world, scene.other, given, operation::DESTROY, [0; 3]).unwrap();
        assert_eq!(world.manager.domain(part).is_ok(), kept);
        assert_eq!(number(&mut world, scene.its, handle), Err(Error::EBADF));
        assert_eq!(make(&mut world, scene.its, taken), Err(Error::EBADF));
        assert_eq!(world.manager.delegations.count(), 0);
        // Its numbers are free again.
        let own = world.semaphore(scene.its).unwrap();
        assert!(own <= taken.max(handle), "{own}");
        world.check();
    }
}
#[test]
fn the_loader_gives_it_up_and_can_not_withdraw_it() {
    let (mut world, scene, given, taken, handle, part) = loaded();
    operate(&mut world, scene.its, taken, operation::DESTROY, [0; 3]).unwrap();
    assert_eq!(
        (make(&mut world, scene.its, taken), number(&mut world, scene.its, handle)),
        (Err(Error::EBADF), Ok(part))
    );
    assert_eq!(accept(&mut world, scene, given), Ok(taken));
    world.check();
}
#[test]
fn a_domain_that_only_the_loader_had_a_name_for_ends_with_it() {
    for kept in [false, true] {
        let (mut world, scene, _, _, handle, part) = loaded();
        if kept {
            operate(&mut world, scene.its, handle, operation::GIVE, [0; 3]).unwrap();
        }
        world.kill(scene.server).unwrap();
        assert_eq!(world.manager.domain(part).is_ok(), kept);
        world.check();
    }
}
#[test]
fn the_last_handle_that_is_closed_ends_it_in_the_other_task() {
    let (mut world, scene, _, _, handle, part) = loaded();
    world.close(scene.its, handle).unwrap();
    assert!(world.manager.domain(part).is_err());
    world.check();
}
#[test]
fn with_the_client_all_ends_and_who_has_its_number_next_has_delegated_nothing() {
    let (mut world, scene, _, taken, handle, part) = loaded();
    let client = scene.client;
    world.kill(client).unwrap();
    assert!(world.manager.domain(part).is_err());
    assert_eq!(world.manager.delegations.count(), 0);
    world.check();
    component_with_number(&mut world, client, scene.other);
    for what in [operation::NUMBER, operation::SHOW, operation::PASS, operation::REGISTER, operation::TAKE] {
        assert_eq!(operate(&mut world, scene.its, handle, what, [ENTRY, 4096, 2]), Err(Error::EBADF), "{what}");
    }
    assert_eq!(make(&mut world, scene.its, taken), Err(Error::EBADF));
    world.check();
}
#[test]
fn who_has_the_loaders_number_next_may_not_accept_what_was_given_to_it() {
    let (mut world, scene, given, ..) = loaded();
    world.kill(scene.server).unwrap();
    let thread = component_with_number(&mut world, scene.server, scene.its);
    world.register(thread, "t.next", "npii").unwrap();
    let portal = world.open(scene.other, "t.next").unwrap();
    assert_eq!(accept_through(&mut world, scene, portal, given), Err(Error::EACCESS));
    world.check();
}
#[test]
fn a_part_delegates_what_it_sees_and_with_its_end_that_ends() {
    let (mut world, scene) = scene();
    let made =
        world.call(scene.other, system::PORTAL_OPEN, |manager, caller| manager.create_protection(caller, "inner"));
    let inner = made.unwrap();
    let asid = number(&mut world, scene.other, inner).unwrap();
    let given = operate(&mut world, scene.other, inner, operation::DELEGATE, [scene.portal, 2, 100]).unwrap();
    let taken = accept(&mut world, scene, given).unwrap();
    let handle = make(&mut world, scene.its, taken).unwrap();
    let part = number(&mut world, scene.its, handle).unwrap();
    assert_eq!(world.manager.domain(part).unwrap().parent, asid, "it is made in the part's name");
    operate(&mut world, scene.other, inner, operation::DESTROY, [0; 3]).unwrap();
    assert_eq!(
        (number(&mut world, scene.its, handle), make(&mut world, scene.its, taken)),
        (Err(Error::EDEAD), Err(Error::EDEAD))
    );
    assert_eq!(operate(&mut world, scene.its, handle, operation::DESTROY, [0; 3]), Err(Error::EDEAD));
    world.check();
    world.close(scene.its, handle).unwrap();
    assert!(world.manager.domain(part).is_err());
    world.check();
}
#[test]
fn neither_sides_copies_have_it() {
    let (mut world, scene, given, taken, handle, part) = loaded();
    let (child, its) = world.fork(scene.other, 0).unwrap();
    assert_eq!(world.manager.family(child).count(), 1, "nobody there has a name for a copy of the domain");
    assert_eq!(world.leads(child, given), None);
    assert_eq!(operate(&mut world, its, given, operation::DESTROY, [0; 3]), Err(Error::EBADF));
    let (_, its) = world.fork(scene.its, 0).unwrap();
    assert_eq!((make(&mut world, its, taken), number(&mut world, its, handle)), (Err(Error::EBADF), Err(Error::EBADF)));
    let shared = world.call(scene.its, system::DOMAIN_FORK, |manager, caller| {
        manager.fork_domain(caller, abi::system::fork::SHARED, 0x10000, abi::address::STACK_TOP - 4096)
    });
    assert_eq!(shared, Err(Error::ENOTSUP), "a table that has one is not shared");
    assert!(world.manager.domain(part).is_ok());
    world.check();
}
#[test]
fn enotsup_from_a_sandbox_in_a_sandbox_and_from_who_has_no_parts() {
    let (mut world, scene) = scene();
    let (child, its) = world.fork(scene.other, 0x10000).unwrap();
    let inside = crate::manager::Caller { direct: scene.client, subject: child };
    let words = [scene.portal, 1, 1];
    assert_eq!(world.manager.operate(inside, 0, operation::DELEGATE, words), Err(Error::ENOTSUP));
    assert_eq!(world.manager.accept(inside, its, scene.portal), Err(Error::ENOTSUP));
    assert_eq!(world.manager.make_delegated(inside, scene.portal, "part"), Err(Error::ENOTSUP));
    assert_eq!(world.manager.place(inside, scene.portal, 0, Rights::READ, (0, 0)), Err(Error::ENOTSUP));
    world.check();
}
#[test]
fn delegating_accepting_and_making_without_memory() {
    each_fails("delegation", |_, _| (), delegate);
    let given = |world: &mut World, scene: Scene| {
        delegate(world, scene).unwrap();
    };
    // The first number that was free for it.
    each_fails(
        "domain",
        |world, scene| {
            given(world, scene);
            accept(world, scene, scene.portal + 1).unwrap();
        },
        |world, scene| {
            let table = world.manager.domain(scene.server).unwrap().table;
            let is = |&n: &usize| {
                matches!(
                    world.manager.code.get(table.entry(n)).map(|b| b.kind),
                    Some(crate::state::code::Kind::Delegation { .. })
                )
            };
            let taken = (system::FIRST_FREE..abi::nucleus::NPORTALS).find(is).unwrap();
            make(world, scene.its, taken)
        },
    );
}
