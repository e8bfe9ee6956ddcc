//! Domains of protection: handles, connections and ends, and that whatever is missing leaves nothing.

use super::exhaustion_tests::each_fails;
use super::world::{Scene, World};
use crate::fake::{Fake, INIT};
use abi::Error;
use abi::identity::{DomainId, Serials};
use abi::nucleus::flags::{SUPERVISOR, TRUSTED};
use abi::protection::operation;
use abi::system;

const ENTRY: usize = 0x12340;

fn create(world: &mut World, thread: usize) -> Result<usize, Error> {
    world.call(thread, system::PORTAL_OPEN, |manager, caller| manager.create_protection(caller, "part"))
}
fn operate(world: &mut World, thread: usize, handle: usize, what: usize, words: [usize; 3]) -> Result<usize, Error> {
    let done = |done: isize| done as usize;
    world.call(thread, system::PORTAL_CLOSE, |manager, caller| manager.operate(caller, handle, what, words)).map(done)
}
/// The number of a thread's home.
fn home(world: &World, thread: usize) -> usize {
    let id = world.manager.threads.living().find(|&(index, ..)| index == thread).expect("the thread").2;
    id.number()
}
/// A task with a domain of protection that has an entry point with three procedures: thread, handle, the domain's number.
fn task() -> (World, usize, usize, usize) {
    let (mut world, _, thread) = World::with_component();
    let handle = create(&mut world, thread).unwrap();
    operate(&mut world, thread, handle, operation::REGISTER, [ENTRY, 3, 1]).unwrap();
    let part = operate(&mut world, thread, handle, operation::NUMBER, [0; 3]).unwrap();
    world.check();
    (world, thread, handle, part)
}

#[test]
fn a_handle_names_its_domain_until_it_is_destroyed() {
    let (mut world, thread, handle, part) = task();
    assert_eq!(world.manager.task_of(part), home(&world, thread));
    for forged in [0, 1, system::FIRST_FREE - 1, handle + 1, 511, 512, usize::MAX] {
        let named = operate(&mut world, thread, forged, operation::NUMBER, [0; 3]);
        assert_eq!(named, Err(Error::EBADF), "{forged}");
    }
    operate(&mut world, thread, handle, operation::DESTROY, [0; 3]).unwrap();
    assert_eq!(operate(&mut world, thread, handle, operation::NUMBER, [0; 3]), Err(Error::EBADF));
    world.check();
}
#[test]
fn the_handle_of_who_has_ended_says_so_and_is_given_back() {
    let (mut world, thread, handle, part) = task();
    world.kill(part).unwrap();
    for what in [operation::NUMBER, operation::CONNECT, operation::SHOW, operation::PASS] {
        assert_eq!(operate(&mut world, thread, handle, what, [ENTRY, 4096, 2]), Err(Error::EDEAD));
    }
    assert_eq!(operate(&mut world, thread, handle, operation::DESTROY, [0; 3]), Ok(0));
    world.check();
}
#[test]
fn who_was_passed_a_handle_does_not_keep_the_end_from_who_made_it() {
    for by_its_maker in [false, true] {
        let (mut world, thread, handle, part) = task();
        let other = create(&mut world, thread).unwrap();
        operate(&mut world, thread, other, operation::PASS, [handle, 0, 0]).unwrap();
        let holder = operate(&mut world, thread, other, operation::NUMBER, [0; 3]).unwrap();
        let its = world.thread(holder).unwrap();
        assert_eq!(operate(&mut world, its, handle, operation::DESTROY, [0; 3]), Err(Error::EACCESS));
        world.kill(part).unwrap();
        let closes = if by_its_maker { thread } else { its };
        assert_eq!(operate(&mut world, closes, handle, operation::DESTROY, [0; 3]), Ok(0));
        assert_eq!(operate(&mut world, closes, handle, operation::NUMBER, [0; 3]), Err(Error::EBADF));
        let waited = world.call(thread, system::DOMAIN_WAIT, |manager, caller| {
            let waiting = manager.wait_begin(caller, part)?;
            manager.wait_end(&waiting)
        });
        let told = waited.map(|ended| ended.number());
        assert!(if by_its_maker { told.is_err() } else { told == Ok(part) }, "{told:?}");
        world.check();
    }
}
#[test]
fn a_connection_has_one_number_and_is_gone_with_its_domain() {
    let (mut world, thread, handle, _) = task();
    let connect = |world: &mut World, entry| operate(world, thread, handle, operation::CONNECT, [entry, 0, 0]);
    let portal = connect(&mut world, ENTRY).unwrap();
    assert_eq!((connect(&mut world, ENTRY), connect(&mut world, ENTRY + 2)), (Ok(portal), Err(Error::ENOENT)));
    let other = create(&mut world, thread).unwrap();
    assert_eq!(operate(&mut world, thread, other, operation::PASS, [portal, 0, 0]), Ok(0));
    let asid = operate(&mut world, thread, other, operation::NUMBER, [0; 3]).unwrap();
    assert!(world.leads(asid, portal).is_some_and(|to| to.1 == ENTRY as u64));
    world.check();
    operate(&mut world, thread, handle, operation::DESTROY, [0; 3]).unwrap();
    assert_eq!((world.leads(asid, portal), connect(&mut world, ENTRY)), (None, Err(Error::EBADF)));
    world.check();
}
#[test]
fn numbers_mean_the_same_in_all_domains_of_a_task() {
    let (mut world, thread, handle, _) = task();
    let semaphore = world.semaphore(thread).unwrap();
    for n in 0..2 {
        operate(&mut world, thread, handle, operation::PASS, [semaphore + n, 0, 0]).unwrap();
    }
    world.close(thread, semaphore).unwrap();
    // The domain of protection has it still, so nobody else gets the number.
    assert_ne!(world.semaphore(thread).unwrap(), semaphore);
    assert_eq!(operate(&mut world, thread, handle, operation::WITHDRAW, [semaphore, 0, 0]), Ok(0));
    assert_eq!(operate(&mut world, thread, handle, operation::WITHDRAW, [semaphore, 0, 0]), Err(Error::EPORTAL));
    world.check();
}
#[test]
fn with_a_task_all_its_domains_end() {
    let (mut world, thread, ..) = task();
    (0..3).for_each(|_| assert!(create(&mut world, thread).is_ok()));
    let asid = home(&world, thread);
    let spaces = Fake.counts()[0];
    world.kill(asid).unwrap();
    world.check();
    assert_eq!(Fake.counts()[0], spaces - 5);
}
#[test]
fn a_copy_of_a_task_has_copies_of_its_domains() {
    let (mut world, thread, handle, part) = task();
    let portal = operate(&mut world, thread, handle, operation::CONNECT, [ENTRY, 0, 0]).unwrap();
    let other = create(&mut world, thread).unwrap();
    operate(&mut world, thread, other, operation::PASS, [handle, 0, 0]).unwrap();
    operate(&mut world, thread, other, operation::PASS, [portal, 0, 0]).unwrap();
    let (child, its) = world.fork(thread, 0).unwrap();
    let number = |world: &mut World, handle| operate(world, its, handle, operation::NUMBER, [0; 3]).unwrap();
    let (copy, others) = (number(&mut world, handle), number(&mut world, other));
    assert!(copy != part && copy != others);
    assert_eq!(world.manager.family(child).collect::<Vec<_>>(), [child, others, copy]);
    // Numbers mean the same in all of them, and lead to the copy.
    for member in [child, others] {
        assert_eq!(world.leads(member, portal), Some((copy, ENTRY as u64)));
    }
    let stacks = |world: &World, domain| world.manager.domain(domain).unwrap().queue;
    assert_eq!(stacks(&world, copy), stacks(&world, part));
    let again = operate(&mut world, its, handle, operation::REGISTER, [ENTRY, 1, 0]);
    assert_eq!(again, Err(Error::EEXIST), "its entry points are copied");
    world.check();
    // Neither is the other's.
    operate(&mut world, its, handle, operation::DESTROY, [0; 3]).unwrap();
    assert!(world.manager.domain(copy).is_err() && world.manager.domain(part).is_ok());
    assert_eq!((world.leads(others, portal), world.leads(home(&world, thread), portal).is_some()), (None, true));
    world.check();
    world.kill(child).unwrap();
    assert!(world.manager.domain(others).is_err() && world.manager.domain(part).is_ok());
    world.check();
}
#[test]
fn who_made_it_is_copied_with_it() {
    let (mut world, thread, handle, part) = task();
    let enclosure = crate::state::enclosure::Enclosure::Protection { task: home(&world, thread) as u16, next: 0 };
    let account = world.manager.domain(part).unwrap().account;
    let wanted = crate::state::wanted::Wanted { name: "inner", flags: 0, enclosure, parent: part, account };
    let inner = world.manager.create_domain(&wanted).unwrap();
    // Nobody has a name for a copy of that one: it ends, and the other does not.
    let (child, its) = world.fork(thread, 0).unwrap();
    let copy = operate(&mut world, its, handle, operation::NUMBER, [0; 3]).unwrap();
    assert_eq!(world.manager.family(child).collect::<Vec<_>>(), [child, copy]);
    assert!(world.manager.domain(inner).is_ok() && world.manager.domain(copy).unwrap().parent == child);
    world.check();
}
#[test]
fn a_copy_of_a_task_has_no_name_for_its_components() {
    let (mut world, thread, ..) = task();
    let account = world.manager.domain(home(&world, thread)).unwrap().account;
    let enclosure = crate::state::enclosure::Enclosure::Protection { task: home(&world, thread) as u16, next: 0 };
    let wanted = crate::state::wanted::Wanted { name: "decoder", flags: 0, enclosure, parent: 0, account };
    world.manager.create_domain(&wanted).unwrap();
    let opened = |manager: &mut crate::manager::Manager<Fake>, caller| manager.open_protection(caller, "decoder");
    let handle = world.call(thread, system::PORTAL_OPEN, opened).unwrap();
    let (child, its) = world.fork(thread, 0).unwrap();
    assert_eq!(operate(&mut world, its, handle, operation::NUMBER, [0; 3]), Err(Error::EBADF));
    assert_eq!(world.manager.family(child).count(), 2, "the one that was made there");
    world.check();
}
#[test]
fn a_sandbox_has_no_copies_of_domains() {
    let (mut world, thread, handle, _) = task();
    let (child, _) = world.fork(thread, 0x30000).unwrap();
    assert_eq!(
        (world.manager.family(child).count(), world.leads(child, handle).is_some_and(|to| to.1 == 0)),
        (1, false)
    );
    world.check();
}
#[test]
fn copying_a_task_without_memory() {
    let parts = |world: &mut World, scene: Scene| {
        let handle = create(world, scene.other).unwrap();
        operate(world, scene.other, handle, operation::REGISTER, [ENTRY, 3, 2]).unwrap();
        let portal = operate(world, scene.other, handle, operation::CONNECT, [ENTRY, 0, 0]).unwrap();
        let other = create(world, scene.other).unwrap();
        operate(world, scene.other, other, operation::PASS, [portal, 0, 0]).unwrap();
    };
    each_fails("copy", parts, |world, scene| world.fork(scene.other, 0).map(|_| ()));
}
#[test]
fn from_a_sandbox_none_is_made() {
    let (mut world, _, thread) = World::with_component();
    let (_, its) = world.fork(thread, 0x10000).unwrap();
    let made = world.manager.caller(its).and_then(|caller| world.manager.create_protection(caller, "part"));
    assert!(made.is_err());
    world.check();
}
#[test]
fn it_ends_with_the_last_name_for_it() {
    let (mut world, thread, handle, part) = task();
    let other = create(&mut world, thread).unwrap();
    operate(&mut world, thread, other, operation::PASS, [handle, 0, 0]).unwrap();
    let portal = operate(&mut world, thread, handle, operation::CONNECT, [ENTRY, 0, 0]).unwrap();
    world.close(thread, portal).unwrap();
    world.close(thread, handle).unwrap();
    assert!(world.manager.domain(part).is_ok(), "another has a handle");
    world.check();
    operate(&mut world, thread, other, operation::DESTROY, [0; 3]).unwrap();
    assert!(world.manager.domain(part).is_err());
    world.check();
}
#[test]
fn a_connection_keeps_it_and_a_withdrawn_one_does_not() {
    let (mut world, thread, handle, part) = task();
    let other = create(&mut world, thread).unwrap();
    let portal = operate(&mut world, thread, handle, operation::CONNECT, [ENTRY, 0, 0]).unwrap();
    operate(&mut world, thread, other, operation::PASS, [portal, 0, 0]).unwrap();
    world.close(thread, handle).unwrap();
    world.close(thread, portal).unwrap();
    assert!(world.manager.domain(part).is_ok());
    operate(&mut world, thread, other, operation::WITHDRAW, [portal, 0, 0]).unwrap();
    assert!(world.manager.domain(part).is_err());
    // Nobody will ask how it ended: its number is free.
    assert!(world.manager.ended.of(part).is_none());
    world.check();
}
#[test]
fn names_of_each_other_keep_two_until_their_task_ends() {
    let (mut world, thread, one, part) = task();
    let other = create(&mut world, thread).unwrap();
    operate(&mut world, thread, one, operation::PASS, [other, 0, 0]).unwrap();
    operate(&mut world, thread, other, operation::PASS, [one, 0, 0]).unwrap();
    world.close(thread, one).unwrap();
    world.close(thread, other).unwrap();
    assert!(world.manager.domain(part).is_ok());
    let asid = home(&world, thread);
    world.kill(asid).unwrap();
    assert!(world.manager.domain(part).is_err());
    world.check();
}
#[test]
fn a_component_is_one_of_a_task_that_is_meant_and_needs_no_name() {
    let (mut world, _, thread) = World::with_component();
    let task = home(&world, thread);
    let (account, id) = world.manager.domain(task).map(|task| (task.account, task.id)).unwrap();
    let another = DomainId::new(task, Serials::after(id.serial().get()).next().unwrap()).unwrap();
    let dp = abi::isolation::Isolation::Dp as u64;
    assert_eq!(world.manager.enclosure(INIT, dp, another.word()), Err(Error::EDEAD), "another has the number");
    assert_eq!(world.manager.enclosure(INIT, dp, task as u64), Err(Error::EINVAL), "a number is nobody");
    let enclosure = world.manager.enclosure(INIT, dp, id.word()).unwrap();
    let wanted = crate::state::wanted::Wanted { name: "decoder", flags: 0, enclosure, parent: 0, account };
    let part = world.manager.create_domain(&wanted).unwrap();
    let part_id = world.manager.domain(part).unwrap().id;
    assert_eq!(world.manager.enclosure(INIT, dp, part_id.word()), Err(Error::ENOTSUP));
    let open = |world: &mut World, name| {
        world.call(thread, system::PORTAL_OPEN, |manager, caller| manager.open_protection(caller, name))
    };
    assert_eq!(open(&mut world, "decode"), Err(Error::ENOENT));
    create(&mut world, thread).unwrap();
    assert_eq!(open(&mut world, "part"), Err(Error::ENOENT), "no component");
    let handle = open(&mut world, "decoder").unwrap();
    assert_eq!(operate(&mut world, thread, handle, operation::NUMBER, [0; 3]), Ok(part));
    world.close(thread, handle).unwrap();
    assert!(world.manager.domain(part).is_ok());
    world.check();
    world.kill(task).unwrap();
    let how = world.manager.events.queue.iter().find(|how| how.number() == part).expect("its end");
    assert_eq!((how.kind, how.cause), (system::ended::KILLED, task as u64));
    world.check();
}
#[test]
fn wrong_entry_points_are_refused() {
    let (mut world, thread, handle, _) = task();
    let mut register = |words| operate(&mut world, thread, handle, operation::REGISTER, words);
    assert_eq!(register([ENTRY, 1, 0]), Err(Error::EEXIST));
    for words in [[0, 1, 0], [abi::address::WINDOW_VA, 1, 0], [8, 0, 0], [8, 2048, 0], [8, 1, 65]] {
        assert_eq!(register(words), Err(Error::EINVAL), "{words:?}");
    }
    assert!((1..abi::protection::ENTRIES).all(|n| register([8 * n, 1, 0]).is_ok()));
    assert_eq!(register([0x8000, 1, 0]), Err(Error::ENFILE));
}
#[test]
fn making_one_without_memory() {
    each_fails("part", |_, _| (), |world, scene| create(world, scene.other));
}
#[test]
fn registering_without_memory() {
    let made = |world: &mut World, scene: Scene| {
        create(world, scene.other).unwrap();
    };
    let handle = |world: &World, scene: Scene| {
        let numbers = scene.portal..abi::nucleus::NPORTALS;
        let is = |&n: &usize| {
            let portal = world.manager.inspect_portal(scene.client, n);
            portal.is_ok_and(|p| abi::section::text(&p.name) == "(protection domain)")
        };
        numbers.into_iter().find(is).expect("the handle")
    };
    each_fails("entry point", made, |world, scene| {
        let handle = handle(world, scene);
        operate(world, scene.other, handle, operation::REGISTER, [ENTRY, 3, 1])
    });
}

#[test]
fn a_supervisor_domain_is_made_by_who_starts_the_others_only() {
    let (mut world, other, _) = World::with_component();
    let (with, sfi) = (abi::isolation::Isolation::Supervisor as u64, abi::isolation::Isolation::Sfi as u64);
    assert_eq!(world.manager.enclosure(other, with, 0), Err(Error::EACCESS));
    assert_eq!(world.manager.enclosure(INIT, with, 1), Err(Error::EINVAL), "it is within nothing");
    assert!(world.manager.enclosure(other, sfi, 0).is_ok(), "others need no such right");
    let enclosure = world.manager.enclosure(INIT, with, 0).unwrap();
    let wanted = crate::state::wanted::Wanted {
        name: "inside",
        flags: 0,
        enclosure,
        parent: 0,
        account: account::Account::SYSTEM,
    };
    let inside = world.manager.create_domain(&wanted).unwrap();
    let domain = world.manager.domain(inside).unwrap();
    assert_eq!(domain.flags & (SUPERVISOR | TRUSTED), SUPERVISOR);
    assert_eq!(world.manager.may_fork(inside), Err(Error::ENOTSUP));
    // It has no list of them, with which they would end.
    assert_eq!(world.manager.may_have_parts(inside), Err(Error::ENOTSUP));
}
#[test]
fn enotsup_sharing_with_a_domain_of_protection() {
    let (mut world, _, thread) = World::with_component();
    let handle = world.call(thread, abi::system::PORTAL_OPEN, |m, caller| m.create_protection(caller, "part")).unwrap();
    assert_eq!(world.fork(thread, abi::system::fork::SHARED).map(|_| ()), Err(Error::ENOTSUP));
    assert!(world.fork(thread, 0).is_ok());
    world.check();
    world.close(thread, handle).unwrap();
    assert!(world.fork(thread, abi::system::fork::SHARED).is_ok(), "it ended with its last handle");
    world.check();
}
