//! What a view's calls to its task write into the view's table: always what the space has, never what the view sees by itself, and nothing of it is
//! left.

use crate::fake::Fake;
use crate::open_windows::OpenWindows;
use crate::ram::Ram;
use crate::space::Spaces;
use crate::space_tests::{NONE, id};
use crate::views::Seen;
use crate::views_tests::*;
use abi::Error;
use abi::address::*;
use abi::patch::{PAGES, Page, Patch};
use abi::rights::Rights;
use std::mem::offset_of;

const CALLEE: usize = 0x77000;

/// The addresses of the pages that the patch at `at` has.
fn pages(s: &Spaces<Fake>, at: usize) -> Vec<usize> {
    let end = s.ram.read(physical(at) + offset_of!(Patch, end)) as usize;
    let first = at + offset_of!(Patch, pages);
    let addresses = (first..end).step_by(size_of::<Page>());
    addresses.map(|page| s.ram.read(physical(page) + offset_of!(Page, address)) as usize).collect()
}
fn callee(s: &Spaces<Fake>, at: usize) -> usize {
    s.ram.read(physical(at) + offset_of!(Patch, callee)) as usize
}
/// Where an access to page `page` faults: seldom at its first byte.
fn inside(page: usize) -> usize {
    BASE + page * PAGE + 264
}
/// Thread 4 has left the patch at `at` for page `page`, which is there now.
pub fn missed(s: &mut Spaces<Fake>, at: usize, page: usize) {
    s.ram.write(physical(at) + offset_of!(Patch, left), 5);
    s.missed(1, inside(page), 4);
}
/// The patch of view 2, with the first two pages of the space.
fn patched() -> (Box<Spaces<Fake>>, usize) {
    let mut s = three();
    (0..4).for_each(|page| assert!(s.resolve(1, inside(page), Rights::WRITE)));
    let at = s.patch(2, CALLEE, false, NONE).unwrap();
    [0, 1, 0].into_iter().for_each(|page| missed(&mut s, at, page));
    assert_eq!(pages(&s, at), [BASE, BASE + PAGE]);
    holds(&mut s);
    (s, at)
}

#[test]
fn a_page_is_added_for_who_has_left_the_patch_only() {
    let (mut s, at) = patched();
    s.missed(1, inside(2), 4);
    s.ram.write(physical(at) + offset_of!(Patch, left), 5);
    s.missed(1, inside(2), 3);
    assert_eq!(pages(&s, at).len(), 2);
    assert_eq!(leaf(&mut s, 2, 0).word(), 0, "a patch is not open");
}
#[test]
fn what_the_view_sees_by_itself_is_no_patchs() {
    let (mut s, at) = patched();
    show(&mut s, 2, 0, 1, READ).unwrap();
    assert!(!pages(&s, at).contains(&BASE));
    missed(&mut s, at, 0);
    assert!(!pages(&s, at).contains(&BASE));
    holds(&mut s);
}
#[test]
fn a_page_that_is_unmapped_is_no_patchs() {
    let (mut s, at) = patched();
    kept(&mut s, |s| s.unmap(1, BASE, NONE)).unwrap();
    assert_eq!(pages(&s, at), [BASE + PAGE]);
    holds(&mut s);
}
#[test]
fn a_page_that_is_copied_at_a_write_is_no_patchs() {
    let (mut s, at) = patched();
    s.create(id(5)).unwrap();
    kept(&mut s, |s| s.copy(1, 5, OpenWindows::all(&[]))).unwrap();
    assert_eq!(pages(&s, at), []);
    assert!(s.resolve(1, inside(0), Rights::READ));
    missed(&mut s, at, 0);
    assert_eq!(pages(&s, at), [BASE]);
    holds(&mut s);
    // The write makes it another page.
    assert!(s.resolve(1, inside(0), Rights::WRITE));
    assert_eq!(pages(&s, at), []);
    holds(&mut s);
}
#[test]
fn a_call_that_needs_too_many_pages_has_no_patch_any_more() {
    let mut s = three();
    s.map(1, BASE + 4 * PAGE, PAGES * PAGE, WRITE).unwrap();
    (0..=PAGES).for_each(|page| assert!(s.resolve(1, inside(page), Rights::WRITE)));
    let at = s.patch(2, CALLEE, false, NONE).unwrap();
    (0..PAGES).for_each(|page| missed(&mut s, at, page));
    assert_eq!((pages(&s, at).len(), callee(&s, at)), (PAGES, CALLEE));
    holds(&mut s);
    missed(&mut s, at, PAGES);
    assert_eq!((pages(&s, at).len(), callee(&s, at)), (0, 0));
    holds(&mut s);
}
#[test]
fn the_cheapest_way_is_a_patch_only_for_who_touches_much_before_it_calls() {
    for (touched, patched) in [(12, 1), (3, 0)] {
        let mut s = three();
        s.map(1, BASE + 4 * PAGE, 16 * PAGE, WRITE).unwrap();
        (0..20).for_each(|page| assert!(s.resolve(1, inside(page), Rights::WRITE)));
        show(&mut s, 2, 0, 19, WRITE).unwrap();
        (0..19).for_each(|page| assert_eq!(sees(&mut s, 2, page, Rights::WRITE), Seen::Now));
        // What it has touched before does not count.
        let at = kept(&mut s, |s| s.patch(2, CALLEE, true, OpenWindows::all(&[]))).unwrap();
        holds(&mut s);
        (0..touched).for_each(|page| assert_eq!(sees(&mut s, 2, page, Rights::WRITE), Seen::Now));
        missed(&mut s, at, 19);
        assert_eq!((pages(&s, at).len(), callee(&s, at)), (patched, patched * CALLEE));
        holds(&mut s);
    }
}
#[test]
fn a_view_that_ends_takes_its_patch_along() {
    let mut s = three();
    (0..4).for_each(|page| assert!(s.resolve(1, inside(page), Rights::WRITE)));
    let free = s.frames.free();
    let root = s.create_view(id(6), 1, 0).unwrap();
    s.ram.spaces.push((6, root));
    let at = s.patch(6, CALLEE, false, NONE).unwrap();
    missed(&mut s, at, 0);
    assert_eq!(pages(&s, at), [BASE]);
    s.ram.dead.insert(6);
    kept(&mut s, |s| s.destroy_view(6, OpenWindows::all(&[]))).unwrap();
    s.ram.spaces.retain(|space| space.0 != 6);
    assert_eq!(s.frames.free(), free);
    holds(&mut s);
}
#[test]
fn what_is_no_view_has_no_patch() {
    let mut s = three();
    let patch = |s: &mut Spaces<Fake>, view| s.patch(view, CALLEE, false, NONE);
    assert_eq!((patch(&mut s, 1), patch(&mut s, 9)), (Err(Error::EINVAL), Err(Error::EINVAL)));
}
