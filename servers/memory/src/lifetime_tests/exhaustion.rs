//! Memory ends at the n-th frame that an operation takes, for every n: it is an `ENOMEM`, all that holds before holds then, and with
//! memory the same operation does what it was to do.

use super::*;
use abi::nucleus::MAX_DOMAINS;

/// A region of which no space has tables.
const FAR: usize = BASE + (1 << 28);
/// A place of a device's registers.
const REGISTERS: usize = 0x1000_8000;

/// What is asked of the memory manager, in a system that `prepare` has brought to where it can be.
struct Operation {
    name: &'static str,
    prepare: fn(&mut System, DomainId, DomainId),
    ask: fn(&mut System, DomainId, DomainId) -> Result<(), Error>,
}
fn nothing(_: &mut System, _: DomainId, _: DomainId) {}
/// A write to a page has it mapped; its handler would see that it could not be.
fn written(system: &mut System, asid: usize, va: usize) -> Result<(), Error> {
    system.s.resolve(asid, va, Rights::WRITE).then_some(()).ok_or(Error::ENOMEM)
}
/// Domain 3 is a view of the first one's space.
fn view(system: &mut System) -> Result<(), Error> {
    let id = system.serials.next().and_then(|serial| DomainId::new(3, serial)).unwrap();
    let root = system.s.create_view(id, 1, 0)?;
    system.s.ram.spaces.push((3, root));
    system.s.ram.kept.insert(3);
    system.domains[3] = Some(id);
    Ok(())
}
const OPERATIONS: &[Operation] = &[
    Operation { name: "create", prepare: nothing, ask: |system, _, _| system.make(3).map(|_| ()).ok_or(Error::ENOMEM) },
    Operation {
        name: "create, with a number far from the others",
        prepare: nothing,
        ask: |system, _, _| {
            let id = system.serials.next().and_then(|serial| DomainId::new(MAX_DOMAINS - 1, serial)).unwrap();
            system.s.create(id).map(|_| ())
        },
    },
    Operation { name: "map", prepare: nothing, ask: |system, _, _| system.s.map(1, FAR, 3 * PAGE, Rights::READ_WRITE) },
    Operation {
        name: "map over the end of a table",
        prepare: nothing,
        ask: |system, _, _| system.s.map(1, FAR + (1 << 21) - PAGE, 2 * PAGE, Rights::READ_WRITE),
    },
    Operation {
        name: "map_image",
        // The archive is below what is given out.
        prepare: |system, _, _| system.s.shared.first_frame = MANAGED,
        ask: |system, _, _| system.s.map_image(1, FAR, MANAGED - PAGE, PAGE, Rights::READ),
    },
    Operation {
        name: "map_device",
        prepare: nothing,
        ask: |system, _, _| system.s.map_device(1, DEVICE_VA, REGISTERS, PAGE),
    },
    Operation {
        name: "dma",
        prepare: |system, _, _| system.s.map_device(1, DEVICE_VA, REGISTERS, PAGE).unwrap(),
        ask: |system, _, _| system.s.dma(1, 0, 0).map(|_| ()),
    },
    Operation {
        name: "page, of another",
        prepare: nothing,
        ask: |system, one, two| system.page(one, two, BASE, BASE, Rights::READ_WRITE),
    },
    Operation {
        name: "page, of zeros",
        prepare: nothing,
        ask: |system, one, _| system.page(one, one, FAR, 0, Rights::READ),
    },
    Operation {
        name: "grow",
        prepare: |system, _, _| system.s.set_heap(1, BASE + (1 << 21) - PAGE).unwrap(),
        ask: |system, _, _| system.s.grow(1, 3).map(|_| ()),
    },
    Operation { name: "stack", prepare: nothing, ask: |system, _, _| system.s.stack(1, 3 * PAGE).map(|_| ()) },
    Operation { name: "service_stack", prepare: nothing, ask: |system, _, _| system.s.service_stack(1) },
    Operation {
        name: "copy",
        prepare: nothing,
        ask: |system, one, _| system.fork(one, 3, true).map(|_| ()).ok_or(Error::ENOMEM),
    },
    Operation {
        name: "copy, where it is not known what is lent",
        prepare: nothing,
        ask: |system, one, _| system.fork(one, 3, false).map(|_| ()).ok_or(Error::ENOMEM),
    },
    Operation {
        name: "window",
        prepare: nothing,
        ask: |system, _, _| {
            while system.s.window(1, 2, BASE, false, 1)? {}
            Ok(())
        },
    },
    Operation { name: "create_view", prepare: nothing, ask: |system, _, _| view(system) },
    Operation {
        name: "patch",
        prepare: |system, _, _| view(system).unwrap(),
        ask: |system, _, _| system.s.patch(3, 0x1000, false, OpenWindows::all(&[])).map(|_| ()),
    },
    Operation {
        name: "make_visible",
        prepare: |system, _, _| view(system).unwrap(),
        ask: |system, one, _| {
            system.kept(&[one], |s, windows| s.make_visible(1, 3, (BASE, 2 * PAGE), Rights::READ_WRITE, windows))
        },
    },
    Operation { name: "share", prepare: nothing, ask: |system, one, two| system.share(one, two, BASE, 2) },
    Operation { name: "give", prepare: nothing, ask: |system, one, two| system.give(one, two, BASE, 2) },
    Operation { name: "get", prepare: nothing, ask: |system, one, two| system.get(one, two, BASE, 2) },
];
/// What has its frames from a promise, when a page was mapped or copied.
const PROMISED: &[Operation] = &[
    Operation {
        name: "the first write to a page",
        prepare: |system, _, _| system.s.map(1, BASE + 4 * PAGE, PAGE, Rights::READ_WRITE).unwrap(),
        ask: |system, _, _| written(system, 1, BASE + 4 * PAGE),
    },
    Operation {
        name: "write",
        prepare: |system, _, _| system.s.map(1, BASE + 4 * PAGE, 2 * PAGE, Rights::READ_WRITE).unwrap(),
        ask: |system, _, _| system.s.write(1, BASE + 5 * PAGE - 1, b"xy"),
    },
    Operation {
        name: "frame_of",
        prepare: |system, _, _| system.s.map(1, BASE + 4 * PAGE, PAGE, Rights::READ_WRITE).unwrap(),
        ask: |system, _, _| system.s.frame_of(1, BASE + 4 * PAGE).map(|_| ()),
    },
    Operation {
        name: "the first write to a copied page",
        prepare: |system, one, two| system.page(one, two, BASE, BASE, Rights::READ_WRITE).unwrap(),
        ask: |system, _, _| written(system, 2, BASE),
    },
];
fn holds(system: &mut System, name: &str) {
    assert_eq!(system.check(), Ok(()), "{name}");
    assert_eq!(system.s.check(MANAGED), Ok(Ok(0)), "{name}");
}
/// What the first domain wrote is there.
fn has_its_pages(system: &mut System, one: DomainId) {
    for n in 0..2 {
        let leaf = system.leaf(one, BASE + n * PAGE);
        assert!(leaf.allows(Rights::READ));
        assert_eq!(system.s.ram.read(leaf.address()) as u8, b'1' + n as u8);
    }
}
/// Frames that are free, and those that are promised, when an operation was done at once.
fn done_at_once(operation: &Operation) -> (usize, usize) {
    let (mut system, one, two) = System::two();
    (operation.prepare)(&mut system, one, two);
    assert_eq!((operation.ask)(&mut system, one, two), Ok(()), "{}", operation.name);
    (system.s.frames.free(), system.s.frames.promised())
}
#[test]
fn every_operation_fails_at_every_allocation_and_loses_nothing() {
    for operation @ Operation { name, prepare, ask } in OPERATIONS {
        let at_once = done_at_once(operation);
        for left in 0.. {
            let (mut system, one, two) = System::two();
            prepare(&mut system, one, two);
            system.s.frames.left = left;
            let done = ask(&mut system, one, two);
            system.s.frames.left = usize::MAX;
            holds(&mut system, name);
            if done.is_ok() {
                assert!(left > 0, "{name} takes no frame");
                break;
            }
            assert_eq!(done, Err(Error::ENOMEM), "{name}, with {left} frames");
            has_its_pages(&mut system, one);
            assert_eq!(ask(&mut system, one, two), Ok(()), "{name}, with {left} frames before");
            holds(&mut system, name);
            let now = (system.s.frames.free(), system.s.frames.promised());
            assert_eq!(now, at_once, "{name}, with {left} frames before");
        }
    }
}
/// A return that brings pages has them, or neither side has.
#[test]
fn a_return_fails_at_every_allocation_and_leaves_no_page_behind() {
    for left in 0.. {
        let (mut system, one, two) = System::two();
        system.get(one, two, FAR, 2).unwrap();
        let call = system.calls.pop().unwrap();
        system.s.write(2, call.there, b"x").unwrap();
        system.s.frames.left = left;
        let done = system.got(call);
        system.s.frames.left = usize::MAX;
        holds(&mut system, "a return");
        assert!([0, PAGE].into_iter().all(|at| system.leaf(two, call.there + at).is_none()));
        if done.is_ok() {
            assert!(left > 0);
            break;
        }
        assert_eq!(done, Err(Error::ENOMEM));
        assert!([0, PAGE].into_iter().all(|at| system.leaf(one, FAR + at).is_none()));
    }
}
#[test]
fn what_is_promised_is_there_when_no_frame_is_left() {
    for Operation { name, prepare, ask } in PROMISED {
        let (mut system, one, two) = System::two();
        prepare(&mut system, one, two);
        system.s.frames.left = 0;
        assert_eq!(ask(&mut system, one, two), Ok(()), "{name}");
        system.s.frames.left = usize::MAX;
        holds(&mut system, name);
    }
}
#[test]
fn a_transfer_fails_at_every_allocation_and_changes_nothing() {
    for kind in 0..3 {
        for left in 0.. {
            let (mut system, one, two) = System::two();
            system.s.frames.left = left;
            let done = match kind {
                0 => system.share(one, two, BASE, 2),
                1 => system.give(one, two, BASE, 2),
                _ => system.get(one, two, BASE, 2),
            };
            system.s.frames.left = usize::MAX;
            assert_eq!(system.check(), Ok(()));
            assert_eq!(system.s.check(MANAGED), Ok(Ok(0)));
            if done.is_ok() {
                assert!(left > 0);
                break;
            }
            assert_eq!(done, Err(Error::ENOMEM));
            assert!([BASE, BASE + PAGE].into_iter().all(|va| system.leaf(one, va).allows(Rights::WRITE)));
        }
    }
}
