//! The n-th thing that an operation asks for is not there, for every n: it ends with an error, nothing is left of what it began, all
//! invariants hold, and the same works once there is memory again. Asked for is memory of the manager's own as well as what it wants
//! from its neighbours.

use super::world::{Scene, World, registration, scene, wanted};
use crate::failing::with_only;
use crate::fake::{Fake, INIT, INIT_THREAD};
use abi::Error;
use abi::name::Name;
use abi::system::{self, Child};

/// Has each thing that `operation` asks for fail in turn. `prepare` is done before it, with all memory there is.
pub fn each_fails<T>(
    what: &str,
    prepare: impl Fn(&mut World, Scene),
    operation: impl Fn(&mut World, Scene) -> Result<T, Error>,
) {
    for n in 0.. {
        let (mut world, scene) = scene();
        prepare(&mut world, scene);
        let before = world.counts();
        let result = with_only(n, || operation(&mut world, scene).map(|_| ()));
        world.check();
        match result {
            Ok(()) => {
                assert!(n > 0, "{what} asks for nothing");
                return;
            }
            Err(error) => {
                assert!([Error::ENOMEM, Error::ENOSTACK].contains(&error), "{what}, {n} things there: {error:?}");
                assert_eq!(world.counts(), before, "{what} leaves something, with {n} things there");
                let again = operation(&mut world, scene).map(|_| ());
                assert_eq!(again, Ok(()), "{what} after it failed with {n} things there");
                world.check();
            }
        }
        assert!(n < 200, "{what} does not come to its end");
    }
}
/// The same for what must succeed whatever there is.
fn never_fails(what: &str, prepare: impl Fn(&mut World, Scene), operation: impl Fn(&mut World, Scene)) {
    let (mut world, scene) = scene();
    prepare(&mut world, scene);
    operation(&mut world, scene);
    let with_all = world.counts();
    for n in 0..40 {
        let (mut world, scene) = self::scene();
        prepare(&mut world, scene);
        with_only(n, || operation(&mut world, scene));
        world.check();
        assert_eq!(world.counts(), with_all, "{what} leaves something, with {n} things there");
    }
}
fn nothing(_: &mut World, _: Scene) {}

#[test]
fn registering() {
    each_fails("register", nothing, |world, scene| world.register(scene.its, "t.sub", "npciii"));
}
/// There is room kept for the next ones, so the first ones ask for nothing.
#[test]
fn opening_until_no_memory_is_left() {
    let (mut world, scene) = scene();
    let mut opened = 0;
    with_only(0, || {
        while let Ok(number) = world.open(scene.other, "t.add") {
            opened += 1;
            assert_eq!(number, scene.portal + opened);
        }
    });
    world.check();
    let before = world.counts();
    assert_eq!(with_only(0, || world.open(scene.other, "t.add")), Err(Error::ENOMEM));
    world.check();
    assert_eq!(world.counts(), before);
    assert_eq!(world.open(scene.other, "t.add"), Ok(scene.portal + opened + 1));
    world.check();
}
#[test]
fn making_a_semaphore() {
    each_fails("semaphore", nothing, |world, scene| world.semaphore(scene.other));
}
#[test]
fn making_a_thread() {
    each_fails("thread", nothing, |world, scene| {
        world.call(scene.other, system::THREAD_CREATE, |manager, caller| {
            manager.create_thread(caller.subject, 0x10000, 0x3000_0000, 0, 5)
        })
    });
}
#[test]
fn making_a_stack() {
    let stack = |world: &mut World, scene: Scene| {
        world.call(scene.other, system::STACK, |manager, caller| manager.new_stack(caller.subject, 8192))
    };
    // One stack of another size, so that it does not take a spare one.
    each_fails("stack", |world, scene| assert!(stack(world, scene).is_ok()), stack);
}
#[test]
fn making_a_domain() {
    each_fails("domain", nothing, |world, _| {
        world.manager.create_domain(&wanted("third", 0, account::Account::SYSTEM))
    });
}
#[test]
fn making_a_trusted_domain() {
    // The tables of trusted domains are made once, and kept.
    let first = |world: &mut World, _: Scene| world.manager.make_system_portals(1);
    each_fails("trusted domain", first, |world, _| {
        world.manager.create_domain(&wanted("third", abi::nucleus::flags::TRUSTED, account::Account::SYSTEM))
    });
}
fn fork(world: &mut World, thread: usize, intercept: usize) -> Result<usize, Error> {
    world.call(thread, system::DOMAIN_FORK, |manager, caller| {
        manager.fork_domain(caller, intercept, 0x10000, abi::address::STACK_TOP - 4096)
    })
}
#[test]
fn forking() {
    each_fails(
        "fork",
        |world, scene| assert!(world.semaphore(scene.other).is_ok()),
        |world, scene| fork(world, scene.other, 0),
    );
}
#[test]
fn forking_into_a_sandbox() {
    let elastic = |world: &mut World, scene: Scene| world.manager.make_elastic(scene.client).unwrap();
    each_fails("sandbox", elastic, |world, scene| fork(world, scene.other, 0x30000));
}
#[test]
fn forking_in_a_sandbox() {
    for (depth, what) in [(1, "fork in a sandbox"), (2, "sandbox in a sandbox")] {
        let elastic = |world: &mut World, scene: Scene| {
            world.manager.make_elastic(scene.client).unwrap();
            let (child, its) = world.fork(scene.other, 0x30000).unwrap();
            world.manager.make_elastic(child).unwrap();
            assert!(world.enter(its, system::DOMAIN_FORK));
        };
        each_fails(what, elastic, |world, scene| {
            let inside = world.manager.domain(scene.client)?.sandbox.inside[0];
            let id = world.manager.domain(inside)?.id;
            let its = world.manager.threads.living().find(|&(_, _, home)| home == id).map(|(index, ..)| index).unwrap();
            fork(world, its, if depth == 2 { 0x31000 } else { 0 })
        });
    }
}
#[test]
fn a_portal_in_a_sandbox() {
    let child = |world: &mut World, scene: Scene| assert!(world.fork(scene.other, 0x30000).is_ok());
    each_fails("create_child", child, |world, scene| {
        let asid = world.manager.domain(scene.client)?.sandbox.inside[0] as u64;
        let mut request = Child { spec: [0; 64], asid, portal: 50, constant: 1, entry: 0x31000 };
        request.spec[..4].copy_from_slice(b"smci");
        world.call(scene.other, system::PORTAL_CREATE_CHILD, |manager, caller| manager.create_child(caller, &request))
    });
}
#[test]
fn being_notified() {
    let elastic = |world: &mut World, scene: Scene| world.manager.make_elastic(scene.client).unwrap();
    each_fails("notify", elastic, |world, scene| {
        world.call(scene.other, system::PORTAL_NOTIFY, |manager, caller| manager.set_notify(caller, 0x50000))
    });
}
#[test]
fn answering_faults() {
    let elastic = |world: &mut World, scene: Scene| world.manager.make_elastic(scene.client).unwrap();
    each_fails("pager", elastic, |world, scene| {
        world.call(scene.other, system::PAGER, |manager, caller| {
            manager.set_pager(caller, caller.subject, (0x1000_0000, 4096), 0x50000)
        })
    });
}
#[test]
fn granting() {
    each_fails(
        "grant",
        |world, scene| assert!(world.enter(scene.other, scene.portal)),
        |world, scene| world.grant(scene.other, 9),
    );
}
#[test]
fn waiting_for_an_end() {
    each_fails("wait", nothing, |world, scene| {
        world.call(INIT_THREAD, system::DOMAIN_WAIT, |manager, caller| manager.wait_begin(caller, scene.client))?;
        Ok(())
    });
}
#[test]
fn a_template() {
    // Refused for a client that is not trusted, whatever there is; what a trusted one asks for is in the boot components' tests.
    let (mut world, scene) = scene();
    let template = Box::new(abi::template::Template::EMPTY);
    let result =
        world.call(scene.other, system::GRANT, |manager, caller| manager.register_template(caller, template, 0));
    assert_eq!(result, Err(Error::EACCESS));
}

#[test]
fn ends_need_nothing() {
    never_fails("an end", nothing, |world, scene| world.kill(scene.server).unwrap());
    never_fails(
        "an end in a call",
        |world, scene| assert!(world.enter(scene.other, scene.portal)),
        |world, scene| world.kill(scene.client).unwrap(),
    );
    never_fails(
        "an end of a server in a call",
        |world, scene| assert!(world.enter(scene.other, scene.portal)),
        |world, scene| world.kill(scene.server).unwrap(),
    );
    never_fails(
        "an end of a sandbox",
        |world, scene| assert!(world.fork(scene.other, 0x30000).is_ok()),
        |world, scene| world.kill(scene.client).unwrap(),
    );
}
#[test]
fn closing_needs_nothing() {
    never_fails("closing", nothing, |world, scene| {
        world.close(scene.other, scene.portal).unwrap();
    });
    never_fails("withdrawing a name", nothing, |world, scene| {
        let name = Name::of("t.add").unwrap();
        world.call(scene.its, system::PORTAL_UNREGISTER, |manager, caller| manager.unregister(caller, &name)).unwrap();
    });
    never_fails(
        "destroying a semaphore",
        |world, scene| assert_eq!(world.semaphore(scene.other), Ok(scene.portal + 1)),
        |world, scene| {
            let number = scene.portal + 1;
            let destroy =
                |manager: &mut crate::manager::Manager<Fake>, caller| manager.semaphore_destroy(caller, number);
            world.call(scene.other, system::SEM_DESTROY, destroy).unwrap();
        },
    );
}
#[test]
fn a_request_with_nonsense_takes_nothing() {
    let (mut world, scene) = scene();
    let before = world.counts();
    for (name, spec, entry, stacks) in [
        ("", "npii", 0x20000, 0),
        ("t.x", "q", 0x20000, 0),
        ("t.x", "npii", abi::address::WINDOW_VA as u64, 0),
        ("t.x", "npii", 0x20000, 65),
        ("other.x", "npii", 0x20000, 1),
        ("t.add", "npii", 0x20000, 1),
    ] {
        let mut request = registration(name, spec);
        (request.entry, request.stacks) = (entry, stacks);
        let result =
            world.call(scene.its, system::PORTAL_REGISTER, |manager, caller| manager.register(caller, &request));
        assert!(result.map_or(true, |rejected| rejected < 0), "{name} {spec}");
        world.check();
        assert_eq!(world.counts(), before, "{name} {spec}");
    }
    assert_eq!(world.inside(scene.other), scene.client);
    assert_eq!(world.inside(INIT_THREAD), INIT);
}
