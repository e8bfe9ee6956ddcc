//! The rule of [`crate::doomed`] over whatever domains do: a frame is free only when no table, no TLB, no remembered entry, no open
//! window and no pending return can reach it. [`Fake`] is the adversary: what could be in a TLB, or remembered, is.

use crate::fake::Fake;
use crate::open_windows::{OpenWindows, Shown};
use crate::ram::Ram;
use crate::space::Spaces;
use crate::space_tests::spaces;
use crate::tables;
use crate::transfer_letters::{Kind, Request};
use abi::Error;
use abi::address::*;
use abi::identity::{DomainId, Serials};
use abi::memory::Part;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::{Entry, index};
use proptest::prelude::*;

mod exhaustion;

/// Domains have numbers 1 … 4.
const NUMBERS: usize = 4;
/// Addresses that are mapped, shared and so on begin here.
const BASE: usize = IMAGE_VA;
/// Pages of them.
const PAGES: usize = 12;
/// The frames below are nobody's: tables that all spaces share.
const MANAGED: usize = RAM_BASE + 5 * PAGE;

/// An open window.
#[derive(Clone, Copy)]
struct Window {
    lender: DomainId,
    callee: DomainId,
    pa: usize,
    slot: usize,
}
/// A transfer for a call that is not made yet, or (`<`) not over.
#[derive(Clone, Copy)]
struct Call {
    caller: DomainId,
    callee: DomainId,
    request: Request,
    there: usize,
}
/// The system around the spaces.
struct System {
    s: Box<Spaces<Fake>>,
    serials: Serials,
    domains: [Option<DomainId>; NUMBERS + 1],
    windows: Vec<Window>,
    calls: Vec<Call>,
    stacks: Vec<(DomainId, usize)>,
    /// Whether the portal manager tells all that is lent, or is asked about single frames.
    asked: bool,
}
impl System {
    fn new() -> System {
        let (windows, calls, stacks) = (Vec::new(), Vec::new(), Vec::new());
        let domains = [None; NUMBERS + 1];
        System { s: spaces(), serials: Serials::after(0), domains, windows, calls, stacks, asked: false }
    }
    /// With two domains; the first has two pages, "1" and "2", and the second none.
    fn two() -> (System, DomainId, DomainId) {
        let mut system = System::new();
        let (one, two) = (system.make(1).unwrap(), system.make(2).unwrap());
        for n in 0..2 {
            system.s.map(1, BASE + n * PAGE, PAGE, Rights::READ_WRITE).unwrap();
            system.s.write(1, BASE + n * PAGE, &[b'1' + n as u8]).unwrap();
        }
        (system, one, two)
    }
    fn make(&mut self, number: usize) -> Option<DomainId> {
        let id = DomainId::new(number, self.serials.next()?)?;
        let root = self.s.create(id).ok()?;
        self.s.ram.spaces.push((number, root));
        self.domains[number] = Some(id);
        Some(id)
    }
    fn leaf(&mut self, id: DomainId, va: usize) -> Entry {
        let root = self.s.root(id.number()).unwrap_or(0);
        if root == 0 { Entry::NONE } else { tables::leaf(&self.s.ram, root, va) }
    }
    fn show(&mut self) {
        self.s.ram.shown = self.windows.iter().map(|w| w.pa).collect();
    }
    /// What the memory manager does with portals of the portal manager around it: `between` in `thread.rs`.
    fn kept<T>(
        &mut self,
        domains: &[DomainId],
        mut body: impl FnMut(&mut Spaces<Fake>, OpenWindows) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if domains.iter().any(|id| self.domains[id.number()] != Some(*id)) {
            return Err(Error::EDEAD);
        }
        self.s.ram.kept.extend(domains.iter().map(|id| id.number()));
        let windows = self.s.ram.shown.clone();
        let shown = Shown::new();
        let mut result = Err(Error::EAGAIN);
        for _ in 0..8 {
            result =
                body(&mut self.s, if self.asked { OpenWindows::asked(&shown) } else { OpenWindows::all(&windows) });
            if !matches!(result, Err(Error::EAGAIN)) {
                break;
            }
            let mask = |frames: &[usize]| {
                Ok(frames.iter().enumerate().map(|(n, pa)| (windows.contains(pa) as u64) << n).sum())
            };
            shown.ask(mask).unwrap();
        }
        self.s.ram.kept.retain(|number| domains.iter().all(|id| id.number() != *number));
        result
    }
    /// A portal lends a page, through the memory manager where it can not be at once.
    fn lend(&mut self, lender: DomainId, va: usize, callee: DomainId, thread: usize) {
        let (from, to) = (lender.number(), callee.number());
        while self.s.window(from, to, va, false, thread) == Ok(true) {}
        let leaf = self.leaf(lender, va);
        let root = self.s.root(to).unwrap();
        let slot = window_base(thread);
        if !leaf.allows_at_once(Rights::READ) || tables::entry(&self.s.ram, root, slot).is_none() {
            return;
        }
        if self.windows.iter().any(|w| w.slot == slot) {
            return;
        }
        self.s.ram.portal_writes(
            to,
            slot,
            leaf.with_rights(leaf.rights().difference(Rights::EXECUTE)).with(Marks::FOREIGN),
        );
        self.windows.push(Window { lender, callee, pa: leaf.address(), slot });
        self.show();
    }
    fn close(&mut self, n: usize) {
        let window = self.windows.swap_remove(n);
        if self.domains[window.callee.number()] == Some(window.callee) {
            self.s.ram.portal_writes(window.callee.number(), window.slot, Entry::NONE);
        }
        self.show();
    }
    /// A domain ends. Its space goes when no window shows a page of it.
    fn kill(&mut self, id: DomainId) {
        let number = id.number();
        if self.windows.iter().any(|w| w.lender == id) {
            return;
        }
        self.domains[number] = None;
        self.s.ram.dead.insert(number);
        self.s.close_windows(number).unwrap();
        self.windows.retain(|w| w.callee != id);
        self.show();
        self.stacks.retain(|s| s.0 != id);
        self.s.destroy(number).unwrap();
        self.s.ram.dead.remove(&number);
        self.s.ram.spaces.retain(|s| s.0 != number);
    }
    fn share(&mut self, caller: DomainId, callee: DomainId, va: usize, pages: usize) -> Result<(), Error> {
        let there = self.s.share(caller.number(), callee.number(), va, pages)?;
        self.asked_for(caller, callee, Kind::Share, (va, there), pages);
        Ok(())
    }
    fn give(&mut self, caller: DomainId, callee: DomainId, va: usize, pages: usize) -> Result<(), Error> {
        let (from, to) = (caller.number(), callee.number());
        let there = self.kept(&[caller, callee], |s, windows| s.give(from, to, va, pages, windows))?;
        self.asked_for(caller, callee, Kind::Give, (va, there), pages);
        Ok(())
    }
    fn get(&mut self, caller: DomainId, callee: DomainId, va: usize, pages: usize) -> Result<(), Error> {
        let there = self.s.get(caller.number(), callee.number(), va, pages)?;
        self.asked_for(caller, callee, Kind::Get, (va, there), pages);
        Ok(())
    }
    fn asked_for(
        &mut self,
        caller: DomainId,
        callee: DomainId,
        kind: Kind,
        (address, there): (usize, usize),
        pages: usize,
    ) {
        let request = Request { there, address, pages, argument: 0, kind };
        self.calls.push(Call { caller, callee, request, there });
    }
    /// The return of `<`.
    fn got(&mut self, call: Call) -> Result<(), Error> {
        let Call { caller, callee, request: Request { address, pages, .. }, there } = call;
        let done = self.kept(&[callee, caller], |s, windows| {
            let (from, to) = (s.named(callee)?, s.named(caller)?);
            s.got(from, there, (to, address), pages, windows)
        });
        if done.is_err() {
            let _ = self.kept(&[callee], |s, windows| s.drop_pages(callee.number(), there, pages, windows));
        }
        done
    }
    fn undo(&mut self, call: Call) -> Result<(), Error> {
        let Call { caller, callee, request, there } = call;
        let done = self.kept(&[caller, callee], |s, windows| {
            let (from, to) = (s.named(caller)?, s.named(callee)?);
            s.undo(from, to, request, there, windows)
        });
        if done.is_err() {
            let _ = self.kept(&[callee], |s, windows| s.drop_pages(callee.number(), there, request.pages, windows));
        }
        done
    }
    fn page(&mut self, by: DomainId, of: DomainId, va: usize, source: usize, rights: Rights) -> Result<(), Error> {
        let (from, to) = (by.number(), of.number());
        match self.s.page(from, (to, va, Part::Ordinary), source, rights, OpenWindows::UNKNOWN) {
            Err(Error::EAGAIN) => {
                self.kept(&[by, of], |s, windows| s.page(from, (to, va, Part::Ordinary), source, rights, windows))
            }
            done => done,
        }
    }
    fn fork(&mut self, from: DomainId, number: usize, known: bool) -> Option<DomainId> {
        let child = self.make(number)?;
        let copied = self.kept(&[from], |s, windows| {
            s.copy(from.number(), number, if known { windows } else { OpenWindows::UNKNOWN })
        });
        if copied.is_err() {
            self.kill(child);
            return None;
        }
        Some(child)
    }
    fn check(&mut self) -> Result<(), String> {
        self.s.ram.check();
        match self.s.ram.broken.take() {
            None => Ok(()),
            Some(broken) => Err(broken),
        }
    }
}

/// What a flush is for: done, and all that was known is then as it is; with flushes that do nothing, it is not.
fn needs_its_flush(scenario: impl Fn(&mut System, DomainId, DomainId)) {
    for deaf in [false, true] {
        let (mut system, one, two) = System::two();
        system.s.ram.load_all();
        system.s.ram.deaf = deaf;
        scenario(&mut system, one, two);
        // Something else gets the frames that are free now.
        for _ in 0..64 {
            let frame = system.s.frames.take_run(1).unwrap();
            system.s.ram.clear(frame);
        }
        assert_eq!(system.check().is_err(), deaf);
    }
}
#[test]
fn an_unmapped_page_is_forgotten() {
    needs_its_flush(|system, one, _| system.page(one, one, BASE, 0, Rights::NONE).unwrap());
}
#[test]
fn a_page_that_is_replaced_by_zeros_is_forgotten() {
    needs_its_flush(|system, one, _| system.page(one, one, BASE, 0, Rights::READ).unwrap());
}
#[test]
fn a_page_that_is_copied_can_not_be_written_any_more() {
    needs_its_flush(|system, one, two| system.page(one, two, BASE, BASE, Rights::READ_WRITE).unwrap());
}
#[test]
fn a_page_that_gets_a_frame_of_its_own_shows_that() {
    needs_its_flush(|system, one, two| {
        let deaf = core::mem::take(&mut system.s.ram.deaf);
        system.page(one, two, BASE, BASE, Rights::READ_WRITE).unwrap();
        system.s.ram.load_all();
        system.s.ram.deaf = deaf;
        assert!(system.s.resolve(1, BASE, Rights::WRITE));
    });
}
#[test]
fn a_copied_page_that_a_window_is_to_show_is_another_then() {
    needs_its_flush(|system, one, two| {
        let deaf = core::mem::take(&mut system.s.ram.deaf);
        system.page(one, two, BASE, BASE, Rights::READ_WRITE).unwrap();
        system.s.ram.load_all();
        system.s.ram.deaf = deaf;
        system.lend(one, BASE, two, 1);
        assert_eq!(system.windows.len(), 1);
    });
}
#[test]
fn a_forked_space_can_not_be_written_any_more() {
    needs_its_flush(|system, one, _| assert!(system.fork(one, 3, true).is_some()));
}
#[test]
fn given_pages_are_forgotten() {
    needs_its_flush(|system, one, two| system.give(one, two, BASE, 1).unwrap());
    needs_its_flush(|system, one, two| system.give(one, two, BASE, 2).unwrap());
}
#[test]
fn pages_that_come_back_are_forgotten_where_they_were() {
    needs_its_flush(|system, one, two| {
        let deaf = core::mem::take(&mut system.s.ram.deaf);
        system.get(one, two, BASE + 8 * PAGE, 2).unwrap();
        let call = system.calls.pop().unwrap();
        system.s.write(2, call.there, b"x").unwrap();
        system.s.ram.deaf = deaf;
        system.got(call).unwrap();
    });
}
#[test]
fn pages_that_are_replaced_at_a_return_are_forgotten() {
    needs_its_flush(|system, one, two| {
        system.get(one, two, BASE, 2).unwrap();
        let call = system.calls.pop().unwrap();
        system.got(call).unwrap();
    });
}
#[test]
fn what_a_failed_call_has_shared_is_forgotten_by_the_callee() {
    needs_its_flush(|system, one, two| {
        system.share(one, two, BASE, 2).unwrap();
        let call = system.calls.pop().unwrap();
        system.undo(call).unwrap();
    });
}
#[test]
fn a_stack_that_is_given_back_is_forgotten() {
    needs_its_flush(|system, _, _| {
        let top = system.s.stack(1, 3 * PAGE).unwrap();
        (1..4).for_each(|n| assert!(system.s.resolve(1, top - n * PAGE, Rights::WRITE)));
        system.s.ram.kept.insert(1);
        system.s.release_stack(1, top, OpenWindows::all(&[])).unwrap();
        system.s.ram.kept.remove(&1);
    });
}
#[test]
fn a_space_that_is_no_more_is_forgotten() {
    needs_its_flush(|system, one, _| system.kill(one));
}
#[test]
fn a_page_of_the_nucleuss_data_that_is_given_back_is_forgotten() {
    needs_its_flush(|system, _, _| {
        let root = system.s.root(1).unwrap();
        let at = tables::entry(&system.s.ram, root, BASE).unwrap();
        system.s.ram.kept.insert(1);
        system.s.unmap_nucleus(1, at, BASE);
        system.s.ram.kept.remove(&1);
    });
}

/// The tables at the top, which spaces share at first, become a space's own: harts that know the way to them forget it, and a fence of an address would not do.
#[test]
fn tables_that_become_a_spaces_own_are_forgotten_as_a_whole() {
    let (mut system, _, two) = System::two();
    let (number, root) = (two.number(), system.s.root(two.number()).unwrap());
    let top = RETURN_PAGE - 16 * PAGE;
    for fenced in [true, false] {
        system.s.ram.load_all();
        let knows = |system: &System| system.s.ram.tlb.iter().any(|(space, ..)| *space == number);
        assert!(knows(&system));
        system.s.make_private(number, root, top).unwrap();
        assert_eq!(knows(&system), !fenced, "the second time they are its own");
    }
}
/// A share of which the last page can not be: nobody saw the others.
#[test]
fn a_share_that_fails_was_never_seen() {
    let (mut system, one, two) = System::two();
    let pa = system.leaf(one, BASE + PAGE).address();
    let Spaces { ram, frames, shares, .. } = &mut *system.s;
    while shares.add(ram, frames, pa) {}
    system.s.ram.load_all();
    let known = system.s.ram.tlb.clone();
    assert_eq!(system.share(one, two, BASE, 2), Err(Error::ENOMEM));
    assert!(system.s.ram.tlb.is_subset(&known));
    let first = system.leaf(one, BASE).address();
    assert_eq!(system.s.shares.count(&system.s.ram, first), 0);
    assert_eq!(system.check(), Ok(()));
}
#[test]
fn a_return_to_who_has_the_number_now_goes_nowhere() {
    let (mut system, one, two) = System::two();
    system.get(one, two, BASE, 2).unwrap();
    let call = system.calls.pop().unwrap();
    system.s.write(2, call.there, b"x").unwrap();
    system.kill(one);
    let other = system.make(1).unwrap();
    system.s.map(1, BASE, 2 * PAGE, Rights::READ_WRITE).unwrap();
    system.s.write(1, BASE, b"y").unwrap();
    let before = system.leaf(other, BASE);
    assert_eq!(system.got(call), Err(Error::EDEAD));
    assert_eq!((system.leaf(other, BASE), system.leaf(two, call.there)), (before, Entry::NONE));
    assert_eq!(system.check(), Ok(()));
}
#[test]
fn an_undo_for_who_is_no_more_leaves_who_has_the_numbers_now_alone() {
    for dies in [1, 2] {
        let (mut system, one, two) = System::two();
        system.give(one, two, BASE, 2).unwrap();
        let call = system.calls.pop().unwrap();
        system.kill([one, two][dies - 1]);
        let other = system.make(dies).unwrap();
        let va = [BASE, call.there][dies - 1];
        system.s.map(dies, va, 2 * PAGE, Rights::READ_WRITE).unwrap();
        system.s.write(dies, va, b"y").unwrap();
        let before = system.leaf(other, va);
        assert_eq!(system.undo(call), Err(Error::EDEAD));
        assert_eq!(system.leaf(other, va), before);
        assert_eq!(system.check(), Ok(()));
    }
}
#[test]
fn an_undo_does_not_replace_what_is_there_by_now() {
    let (mut system, one, two) = System::two();
    system.give(one, two, BASE, 1).unwrap();
    let call = system.calls.pop().unwrap();
    system.s.map(1, BASE, PAGE, Rights::READ_WRITE).unwrap();
    system.s.write(1, BASE, b"new").unwrap();
    let new = system.leaf(one, BASE);
    system.undo(call).unwrap();
    assert_eq!((system.leaf(one, BASE), system.leaf(two, call.there)), (new, Entry::NONE));
}
#[test]
fn pages_are_not_got_in_their_own_place() {
    let (mut system, one, _) = System::two();
    assert_eq!(system.s.get(1, 1, RECEIVE_VA, 2), Ok(RECEIVE_VA));
    let done = system.kept(&[one], |s, windows| s.got(1, RECEIVE_VA, (1, RECEIVE_VA + PAGE), 2, windows));
    assert_eq!(done, Err(Error::EINVAL));
    assert_eq!(system.s.check(MANAGED), Ok(Ok(0)));
}

/// The call whose window is touched returns at any moment until interrupts are off: then nothing is mapped.
#[test]
fn a_window_whose_call_returns_while_it_is_touched_stays_closed() {
    use crate::windows::CALLEE;
    let (mut system, one, two) = System::two();
    let word = system.s.frames.take_run(1).unwrap();
    system.s.ram.clear(word);
    let slot = window_base(3);
    let entry = system.leaf(one, BASE).with(Marks::FOREIGN);
    system.s.ram.write(word, entry.word() | 2 << CALLEE);
    system.s.ram.interruption = Some(Box::new(move |ram| ram.write(word, 0)));
    assert!(!system.s.touch(2, slot, word));
    assert_eq!((system.leaf(two, slot), system.s.ram.read(word)), (Entry::NONE, 0));
    // And is mapped where the call is still being served, by whom it is for.
    system.s.ram.write(word, entry.word() | 2 << CALLEE);
    assert!(!system.s.touch(1, slot, word));
    assert!(system.s.touch(2, slot, word));
    assert_eq!(system.leaf(two, slot), entry);
    assert_eq!(physical(system.s.ram.read(word) as usize) % PAGE, index(slot, 0) * 8);
    assert!(!system.s.touch(2, slot, word), "it is mapped");
}

proptest! {
    #![proptest_config(properties::config(64))]
    #[test]
    fn a_frame_is_free_only_when_nothing_reaches_it(
        asked in any::<bool>(),
        steps in proptest::collection::vec((0u8..18, 1usize..=NUMBERS, 1usize..=NUMBERS, 0..PAGES, 1usize..4, 0usize..40), 1..60),
    ) {
        let mut system = System::new();
        system.asked = asked;
        for (what, a, b, page, pages, extra) in steps {
            let va = BASE + page * PAGE;
            // Now and then memory ends in the middle.
            system.s.frames.left = if extra < 6 { extra } else { usize::MAX };
            let (Some(one), Some(two)) = (system.domains[a], system.domains[b]) else {
                if system.domains[a].is_none() {
                    system.s.frames.left = usize::MAX;
                    system.make(a);
                }
                continue;
            };
            match what {
                0..=2 => { let _ = system.s.map(a, va, pages * PAGE, Rights::READ_WRITE); }
                3 | 4 => { system.s.resolve(a, va + 97 * extra, [Rights::READ, Rights::WRITE][extra % 2]); }
                5 => { let _ = system.page(one, one, va, 0, Rights::NONE); }
                6 => { let _ = system.page(one, two, va, BASE + extra % PAGES * PAGE, [Rights::READ, Rights::READ_WRITE][pages % 2]); }
                7 => if system.domains[b].is_none() || a != b && system.windows.iter().all(|w| w.lender != two) {
                    if system.domains[b].is_some() { system.kill(two); }
                    system.fork(one, b, extra % 3 > 0);
                },
                8 => if a != b { system.lend(one, va, two, 1 + extra % 8); },
                9 => if !system.windows.is_empty() { let n = extra % system.windows.len(); system.close(n); },
                10 => { let _ = system.share(one, two, va, pages); }
                11 => { let _ = system.give(one, two, va, pages); }
                12 => { let _ = system.get(one, two, va, pages); }
                13 | 14 => if !system.calls.is_empty() {
                    // The call is made, or is not: it returns, or is undone.
                    let call = system.calls.swap_remove(extra % system.calls.len());
                    let _ = match (call.request.kind, what) {
                        (Kind::Get, 13) => system.got(call),
                        (_, 14) => system.undo(call),
                        _ => Ok(()),
                    };
                },
                15 => system.kill(one),
                16 => { let _ = system.s.stack(a, pages * PAGE).map(|top| system.stacks.push((one, top))); }
                _ => if let Some((id, top)) = system.stacks.pop() {
                    let _ = system.kept(&[id], |s, windows| s.release_stack(id.number(), top, windows));
                },
            }
            system.s.frames.left = usize::MAX;
            system.s.ram.load_all();
            prop_assert_eq!(system.check(), Ok(()), "step {}", what);
        }
        prop_assert!(matches!(system.s.check(MANAGED), Ok(Ok(_))));
    }
}
