//! What a fault domain may ask for, and what it is refused.

use super::*;
use crate::owners::RUNTIMES;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::vec::Vec;

#[derive(Default)]
struct Fake {
    specifications: HashMap<usize, &'static str>,
    names: HashMap<usize, &'static str>,
    opens: Cell<i64>,
    /// What lies in the segment as a name.
    asked: Cell<Option<&'static str>>,
    called: RefCell<Vec<usize>>,
    mapped: Cell<u64>,
    full: bool,
}
impl Portals for Fake {
    fn call(&self, number: usize, arguments: [u64; 6]) -> i64 {
        self.called.borrow_mut().push(number);
        match number {
            system::PORTAL_OPEN if self.asked.get().is_some() => {
                // SAFETY: a copy of the host's, which is not in the segment.
                let name = unsafe { &*(arguments[0] as *const NameCopy) };
                assert_eq!(section::text(&name.0), self.asked.get().unwrap());
                self.opens.get()
            }
            system::PORTAL_OPEN | system::SEM_CREATE => self.opens.get(),
            _ => 7,
        }
    }
    fn description(&self, number: usize) -> Option<Description> {
        let bytes = |text: &str| {
            let mut bytes = [0; NAMELEN];
            bytes[..text.len()].copy_from_slice(text.as_bytes());
            bytes
        };
        let spec = bytes(self.specifications.get(&number)?);
        Some(Description { spec, name: bytes(self.names.get(&number).unwrap_or(&"app.some")) })
    }
    fn name(&self, _: u64) -> Option<NameCopy> {
        let name = self.asked.get()?;
        let mut copy = NameCopy([0; NAMELEN]);
        copy.0[..name.len()].copy_from_slice(name.as_bytes());
        Some(copy)
    }
    fn map(&self, _: u64, pages: u64) -> i64 {
        if self.full {
            return error(Error::ENOMEM);
        }
        self.mapped.set(self.mapped.get() + pages);
        0
    }
}
const LAYOUT: Layout = Layout::new(false);
const TOP: u64 = LAYOUT.top();
const HEAP: u64 = LAYOUT.base() + 0x10_0000;
fn calls() -> Calls<Fake> {
    let asked = Cell::new(Some("app.some"));
    let host = Fake { specifications: HashMap::from([(40, "smii")]), asked, ..Fake::default() };
    let mut calls = Calls::new(host, LAYOUT, HEAP..HEAP + 0x10_0000, b"app.* files.open".to_vec());
    let opened = [(41, "smii"), (42, "smciw"), (43, "smRi"), (44, "smik"), (45, "nm>i"), (46, "smW")];
    calls.portals.specifications.extend(opened);
    for (number, _) in opened {
        calls.own.add(number);
    }
    calls
}
fn result(calls: &Calls<Fake>, number: usize, arguments: &[u64]) -> i64 {
    let mut all = [0; 6];
    all[..arguments.len()].copy_from_slice(arguments);
    match calls.answer(number as u64, all) {
        Answer::Result(result) => result,
        Answer::End(status) => panic!("ended with {status}"),
    }
}
fn error(error: Error) -> i64 {
    -(error as i64)
}

#[test]
fn a_portal_that_it_opened_is_called() {
    let calls = calls();
    assert_eq!(result(&calls, 41, &[1, 2]), 7);
    assert_eq!(*calls.portals.called.borrow(), [41]);
}
#[test]
fn a_lock_that_nobody_else_can_hold_is_not_waited_for() {
    let mut calls = calls();
    let turns = u64::MAX;
    assert_eq!(result(&calls, system::LOCK_WAIT, &[HEAP, 0, turns]), 7, "what is only asked");
    assert_eq!(result(&calls, system::LOCK_WAIT, &[HEAP, 3, 5]), error(Error::ESRCH));
    calls.own = Own::All;
    assert_eq!(result(&calls, system::LOCK_WAIT, &[HEAP, 3, 5]), 7);
}
#[test]
fn a_portal_of_the_hosts_is_none() {
    let calls = calls();
    for number in [40, 47, NPORTALS, usize::MAX] {
        assert_eq!(result(&calls, number, &[1, 2]), error(Error::EPORTAL));
    }
    assert_eq!(result(&calls, system::PORTAL_CLOSE, &[40]), error(Error::ENOTSUP));
    assert!(calls.portals.called.borrow().is_empty());
}
#[test]
fn what_it_opens_is_its_own_until_it_closes_it() {
    let mut calls = calls();
    calls.portals.specifications.extend([(50, "sm"), (51, "sm"), (52, "sm")]);
    calls.portals.opens.set(50);
    assert_eq!(result(&calls, system::PORTAL_OPEN, &[HEAP]), 50);
    assert_eq!([50, 51].map(|number| result(&calls, number, &[])), [7, error(Error::EPORTAL)]);
    calls.portals.opens.set(51);
    assert_eq!(result(&calls, system::SEM_CREATE, &[1]), 51);
    assert_eq!([51, 52].map(|number| result(&calls, number, &[])), [7; 2], "both operations");
    assert_eq!(result(&calls, system::PORTAL_CLOSE, &[50]), 7);
    assert_eq!(result(&calls, system::SEM_DESTROY, &[51]), 7);
    assert_eq!([50, 51, 52].map(|number| result(&calls, number, &[])), [error(Error::EPORTAL); 3]);
}
#[test]
fn it_opens_what_its_host_lets_it_and_nothing_else() {
    let mut calls = calls();
    calls.portals.opens.set(50);
    calls.portals.specifications.insert(50, "sm");
    for (name, may) in [
        ("app.some", true),
        ("files.open", true),
        ("files.opens", false),
        ("files", false),
        ("console.write", false),
        ("", false),
    ] {
        calls.portals.names.insert(50, name);
        // By its name, of which nobody hears where it may not have that; and by what has come to have another one's name.
        for (asked, done) in [(name, &[][..]), ("app.some", &[system::PORTAL_OPEN, system::PORTAL_CLOSE])] {
            calls.portals.asked.set(Some(asked));
            calls.portals.called.borrow_mut().clear();
            let opened = result(&calls, system::PORTAL_OPEN, &[HEAP]);
            assert_eq!(opened, if may { 50 } else { error(Error::EACCESS) }, "{name}");
            assert_eq!(result(&calls, 50, &[]), if may { 7 } else { error(Error::EPORTAL) }, "{name}");
            let done = if may { &[system::PORTAL_OPEN, 50] } else { done };
            assert_eq!(*calls.portals.called.borrow(), done, "{name}");
            result(&calls, system::PORTAL_CLOSE, &[50]);
        }
    }
    // A name that is not there.
    calls.portals.asked.set(None);
    assert_eq!(result(&calls, system::PORTAL_OPEN, &[HEAP]), error(Error::EFAULT));
    calls.portals.asked.set(Some("app.some"));
    // What can not be told what it is is nothing that it may have.
    calls.portals.specifications.remove(&50);
    assert_eq!(result(&calls, system::PORTAL_OPEN, &[HEAP]), error(Error::EACCESS));
}
#[test]
fn a_list_of_nothing_opens_nothing() {
    assert!(!matches(b"", b"app.some") && !matches(b"  ", b"") && !matches(b" ", b"app.some"));
    assert!(matches(b"*", b"app.some") && matches(b" a  b* ", b"bc") && !matches(b"a b", b"a b"));
}
#[test]
fn of_several_each_has_its_own_numbers() {
    static OWNERS: Owners = Owners::none();
    let one = |own: u8| {
        let specifications = HashMap::from([(40, "smii"), (41, "smii"), (42, "smii"), (43, "smii")]);
        let host = Fake { specifications, ..Fake::default() };
        Calls::of_several(host, LAYOUT, HEAP..HEAP + 0x10_0000, (&OWNERS, own))
    };
    let (first, second) = (one(1), one(2));
    OWNERS.give(40, RUNTIMES);
    first.portals.opens.set(41);
    assert_eq!(first.open(HEAP, || true), Some(41));
    second.portals.opens.set(42);
    assert_eq!(result(&second, system::SEM_CREATE, &[1]), 42);
    let of = |calls| [40, 41, 42, 43].map(|number| result(calls, number, &[1, 2]) == 7);
    assert_eq!((of(&first), of(&second)), ([false, true, false, false], [false, false, true, true]));
    assert_eq!(result(&first, system::SEM_DESTROY, &[42]), error(Error::ENOTSUP));
    second.begin_again();
    assert_eq!(of(&second), [false; 4]);
    // What a server says that it has granted is that one's who hears it, but not what another has.
    first.granted(40);
    assert_eq!(of(&first), [false, true, true, true]);
    second.granted(41);
    assert_eq!(of(&second), [false; 4]);
}
#[test]
fn what_does_not_suit_when_it_is_open_is_no_number_of_its_own() {
    static OWNERS: Owners = Owners::none();
    let host = Fake { specifications: HashMap::from([(41, "smii")]), ..Fake::default() };
    let calls = Calls::of_several(host, LAYOUT, HEAP..HEAP + 0x10_0000, (&OWNERS, 1));
    calls.portals.opens.set(41);
    assert_eq!(calls.open(HEAP, || false), None);
    assert_eq!(result(&calls, 41, &[1, 2]), error(Error::EPORTAL));
    assert_eq!(calls.open(HEAP, || true), Some(41));
    assert_eq!(result(&calls, 41, &[1, 2]), 7);
}
#[test]
fn what_could_not_be_opened_makes_no_number_its_own() {
    let mut calls = calls();
    calls.portals.specifications.extend([(NPORTALS - 1, "sm")]);
    for failed in [error(Error::ENOENT), i64::MAX, NPORTALS as i64] {
        calls.portals.opens.set(failed);
        assert_eq!(result(&calls, system::PORTAL_OPEN, &[HEAP]), failed);
        assert_eq!(result(&calls, system::SEM_CREATE, &[1]), failed);
    }
    assert_eq!(result(&calls, NPORTALS - 1, &[]), error(Error::EPORTAL));
}
#[test]
fn what_the_host_opens_later_is_the_hosts() {
    let mut calls = calls();
    calls.portals.specifications.insert(48, "smRi");
    assert_eq!(result(&calls, 48, &[HEAP, 10]), error(Error::EPORTAL));
}
#[test]
fn portals_that_act_for_the_whole_host_are_refused_by_their_names() {
    let mut calls = calls();
    for name in ["protection.operate", "portal.template", "domain.create", "memory.page"] {
        calls.portals.names.insert(41, name);
        assert_eq!(result(&calls, 41, &[1, 2]), error(Error::ENOTSUP), "{name}");
    }
    for name in ["inspect.domain", "memory.info"] {
        calls.portals.names.insert(41, name);
        assert_eq!(result(&calls, 41, &[1, 2]), 7, "{name}");
    }
    calls.portals.names.insert(41, "domain.destroy");
    assert_eq!(result(&calls, 41, &[1, 2]), error(Error::ENOTSUP), "it is a guest");
    calls.own = Own::All;
    assert_eq!(result(&calls, 41, &[1, 2]), 7, "it is all that the host is for");
    calls.portals.names.insert(40, "protection.create");
    assert_eq!(result(&calls, 40, &[1, 2]), error(Error::ENOTSUP), "a component, too");
}
#[test]
fn calls_that_act_for_the_whole_host_are_refused() {
    let calls = calls();
    for number in [system::THREAD_CREATE, system::DOMAIN_FORK, system::PAGER, system::PAGE, system::SET_TP, 0, 39] {
        assert_eq!(result(&calls, number, &[]), error(Error::ENOTSUP), "{number}");
    }
    assert!(calls.portals.called.borrow().is_empty());
}
#[test]
fn a_window_on_the_hosts_memory_is_refused() {
    let calls = calls();
    for pointer in [0x1_0000, LAYOUT.base() - 1, LAYOUT.base(), TOP, u64::MAX] {
        assert_eq!(result(&calls, 42, &[1, pointer]), error(Error::EFAULT), "{pointer:#x}");
        assert_eq!(result(&calls, 43, &[pointer, 10]), error(Error::EFAULT), "{pointer:#x}");
        assert_eq!(result(&calls, system::PORTAL_OPEN, &[pointer]), error(Error::EFAULT));
        assert_eq!(result(&calls, system::PORTAL_INFO, &[41, pointer]), error(Error::EFAULT));
    }
    assert!(calls.portals.called.borrow().is_empty());
    assert_eq!(result(&calls, 42, &[1, HEAP]), 7);
    assert_eq!(result(&calls, 43, &[HEAP, 10]), 7);
}
#[test]
fn a_length_that_lies_is_refused() {
    let calls = calls();
    assert_eq!(result(&calls, 43, &[TOP - 8, 9]), error(Error::EFAULT));
    assert_eq!(result(&calls, 43, &[HEAP, u64::MAX]), error(Error::EFAULT));
    assert_eq!(result(&calls, 43, &[HEAP, (WINDOW_PAGES * PAGE) as u64 + 1]), error(Error::EFAULT));
    assert_eq!(result(&calls, 46, &[HEAP, 8]), error(Error::EINVAL), "no length at all");
}
#[test]
fn letters_that_give_more_than_a_window_are_refused() {
    let calls = calls();
    assert_eq!(result(&calls, 44, &[1, 2]), error(Error::ENOTSUP));
    assert_eq!(result(&calls, 45, &[HEAP, 4096]), error(Error::ENOTSUP));
}
#[test]
fn a_number_that_comes_to_stand_for_another_portal_is_asked_again() {
    let mut calls = calls();
    assert_eq!(result(&calls, 41, &[1, 2]), 7);
    calls.portals.specifications.insert(41, "smwi");
    assert_eq!(result(&calls, 41, &[1, 2]), error(Error::EFAULT));
}
#[test]
fn a_number_that_somebody_calls_through_is_not_closed() {
    let calls = calls();
    let close = |number, first| result(&calls, number, &[first]);
    calls.on_their_way.through(42, || {
        assert_eq!(close(system::PORTAL_CLOSE, 42), error(Error::EBUSY));
        assert_eq!(close(system::SEM_DESTROY, 41), error(Error::EBUSY), "its second operation");
        assert_eq!(close(system::PORTAL_CLOSE, 43), 7, "another's");
        Answer::Result(0)
    });
    assert_eq!(close(system::SEM_DESTROY, 41), 7);
    calls.own.add(NPORTALS - 1);
    assert_eq!(close(system::SEM_DESTROY, NPORTALS as u64 - 1), 7);
}
#[test]
fn nobody_calls_through_a_number_that_is_being_closed() {
    let calls = calls();
    calls.on_their_way.closing(41..42, || {
        assert_eq!(result(&calls, 41, &[1, 2]), error(Error::EPORTAL));
        assert_eq!(result(&calls, system::PORTAL_CLOSE, &[41]), error(Error::EBUSY));
        Answer::Result(0)
    });
    assert_eq!(result(&calls, 41, &[1, 2]), 7);
}
#[test]
fn the_heap_grows_to_its_limit() {
    let calls = calls();
    assert_eq!(result(&calls, system::GROW, &[16]), HEAP as i64);
    assert_eq!(result(&calls, system::GROW, &[1]), HEAP as i64 + 0x1_0000);
    for pages in [256, u64::MAX, u64::MAX / 4096] {
        assert_eq!(result(&calls, system::GROW, &[pages]), error(Error::ENOMEM));
    }
    assert_eq!(calls.portals.mapped.get(), 17);
}
#[test]
fn a_heap_that_could_not_grow_is_as_it_was() {
    let mut calls = calls();
    calls.portals.full = true;
    assert_eq!(result(&calls, system::GROW, &[16]), error(Error::ENOMEM));
    calls.portals.full = false;
    assert_eq!(result(&calls, system::GROW, &[1]), HEAP as i64);
}
#[test]
fn the_portals_of_a_component_that_is_a_fault_domain_are_its_own() {
    let host = Fake { specifications: HashMap::from([(40, "smii")]), ..Fake::default() };
    let calls = Calls::of_component(host, LAYOUT, HEAP, HEAP);
    assert_eq!(result(&calls, 40, &[1, 2]), 7);
}
#[test]
fn its_exit_is_the_end_of_its_call() {
    let mut all = [0; 6];
    all[0] = 3;
    assert_eq!(calls().answer(system::EXIT as u64, all), Answer::End(3));
}
