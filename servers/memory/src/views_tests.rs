//! Views over fake RAM: who sees what, and that nothing reaches a frame that is somebody else's by then. [`crate::fake::Fake`] is the
//! adversary, for views as for spaces.

use crate::fake::Fake;
use crate::open_windows::OpenWindows;
use crate::patches_tests::missed;
use crate::space::Spaces;
use crate::space_tests::{NONE, id, spaces};
use crate::tables;
use crate::view::{MOST_REGIONS, REGIONS, Region};
use crate::views::Seen;
use abi::Error;
use abi::address::*;
use abi::memory::Part;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::Entry;
use proptest::prelude::*;

/// The frames below are nobody's: tables that all spaces share.
pub(crate) const MANAGED: usize = RAM_BASE + 5 * PAGE;
pub(crate) const READ: Rights = Rights::READ;
pub(crate) const WRITE: Rights = Rights::READ_WRITE;
pub(crate) const BASE: usize = IMAGE_VA;

/// A space, 1, with four pages that can be written, and two views of it, 2 and 3.
pub(crate) fn three() -> Box<Spaces<Fake>> {
    let mut s = spaces();
    let root = s.create(id(1)).unwrap();
    s.ram.spaces.push((1, root));
    s.map(1, BASE, 4 * PAGE, WRITE).unwrap();
    s.set_heap(1, BASE + 1000 * PAGE).unwrap();
    for view in [2, 3] {
        let root = s.create_view(id(view), 1, 0).unwrap();
        s.ram.spaces.push((view, root));
    }
    s
}
/// What is done while the portal manager keeps all of them, and their copies, from lending.
pub(crate) fn kept<T>(s: &mut Spaces<Fake>, body: impl FnOnce(&mut Spaces<Fake>) -> T) -> T {
    s.ram.kept.extend([1, 2, 3, 5, 6, 7]);
    let result = body(s);
    s.ram.kept.clear();
    result
}
/// Domain 2 ends: nobody is in it any more.
fn die(s: &mut Spaces<Fake>, windows: OpenWindows) {
    s.ram.dead.insert(2);
    kept(s, |s| s.destroy_view(2, windows)).unwrap();
    s.ram.dead.remove(&2);
    s.ram.spaces.retain(|space| space.0 != 2);
}
pub(crate) fn show(s: &mut Spaces<Fake>, view: usize, page: usize, count: usize, rights: Rights) -> Result<(), Error> {
    kept(s, |s| s.make_visible(1, view, (BASE + page * PAGE, count * PAGE), rights, NONE))
}
pub(crate) fn sees(s: &mut Spaces<Fake>, view: usize, page: usize, access: Rights) -> Seen {
    s.resolve_view(view, BASE + page * PAGE, access, false)
}
pub(crate) fn leaf(s: &mut Spaces<Fake>, asid: usize, page: usize) -> Entry {
    let root = s.root(asid).unwrap();
    tables::leaf(&s.ram, root, BASE + page * PAGE)
}
pub(crate) fn holds(s: &mut Spaces<Fake>) {
    assert_eq!(s.check(MANAGED).unwrap().err(), None);
    s.ram.load_all();
    s.ram.check();
    assert_eq!(s.ram.broken, None);
}

#[test]
fn a_new_view_sees_nothing() {
    let mut s = three();
    for access in [Rights::EXECUTE, Rights::READ, Rights::WRITE] {
        assert_eq!(sees(&mut s, 2, 0, access), Seen::Not);
    }
    holds(&mut s);
}
#[test]
fn what_is_visible_is_seen_with_its_rights_and_by_nobody_else() {
    let mut s = three();
    show(&mut s, 2, 1, 1, READ).unwrap();
    assert_eq!((sees(&mut s, 2, 1, Rights::READ), sees(&mut s, 2, 1, Rights::WRITE)), (Seen::Now, Seen::Not));
    assert_eq!(
        (sees(&mut s, 2, 1, Rights::EXECUTE), sees(&mut s, 2, 2, Rights::READ), sees(&mut s, 3, 1, Rights::READ)),
        (Seen::Not, Seen::Not, Seen::Not)
    );
    assert_eq!(leaf(&mut s, 1, 1).address(), leaf(&mut s, 2, 1).address());
    holds(&mut s);
}
#[test]
fn more_rights_than_the_space_has_are_refused() {
    let mut s = three();
    s.map(1, BASE + 4 * PAGE, PAGE, READ).unwrap();
    assert_eq!(show(&mut s, 2, 4, 1, WRITE), Err(Error::EACCESS));
    assert_eq!(show(&mut s, 2, 0, 1, Rights::READ_EXECUTE), Err(Error::EACCESS));
    assert_eq!(show(&mut s, 2, 4, 1, READ), Ok(()));
}
#[test]
fn what_is_not_there_is_not_shown() {
    let mut s = three();
    assert_eq!(show(&mut s, 2, 3, 2, READ), Err(Error::EFAULT));
    assert_eq!(sees(&mut s, 2, 3, Rights::READ), Seen::Not);
    assert_eq!(kept(&mut s, |s| s.make_visible(1, 9, (BASE, PAGE), READ, NONE)), Err(Error::EINVAL), "no view");
    assert_eq!(kept(&mut s, |s| s.make_visible(1, 2, (BASE, 930), READ, NONE)), Err(Error::EINVAL), "a part of a page");
}
#[test]
fn a_view_shows_others_no_more_than_it_sees() {
    let mut s = three();
    show(&mut s, 2, 0, 1, READ).unwrap();
    let on = |s: &mut Spaces<Fake>, page, rights| {
        kept(s, |s| s.make_visible(2, 3, (BASE + page * PAGE, PAGE), rights, NONE))
    };
    assert_eq!((on(&mut s, 0, WRITE), on(&mut s, 1, READ)), (Err(Error::EACCESS), Err(Error::EFAULT)));
    assert_eq!((on(&mut s, 0, READ), sees(&mut s, 3, 0, Rights::READ)), (Ok(()), Seen::Now));
}
#[test]
fn a_later_fault_on_a_page_that_is_there_takes_no_frame() {
    let mut s = three();
    show(&mut s, 2, 0, 1, WRITE).unwrap();
    show(&mut s, 3, 0, 1, WRITE).unwrap();
    assert_eq!(sees(&mut s, 2, 0, Rights::WRITE), Seen::Now);
    let free = s.frames.free();
    assert_eq!((sees(&mut s, 3, 0, Rights::WRITE), s.frames.free()), (Seen::Now, free));
    assert!(leaf(&mut s, 2, 0) == leaf(&mut s, 3, 0) && leaf(&mut s, 1, 0).allows(Rights::WRITE));
    holds(&mut s);
}
#[test]
fn an_unmapped_page_and_what_comes_in_its_place_are_seen_by_no_view() {
    let mut s = three();
    show(&mut s, 2, 0, 4, WRITE).unwrap();
    (0..4).for_each(|page| assert_eq!(sees(&mut s, 2, page, Rights::WRITE), Seen::Now));
    kept(&mut s, |s| s.unmap(1, BASE + PAGE, NONE)).unwrap();
    holds(&mut s);
    s.map(1, BASE + PAGE, PAGE, WRITE).unwrap();
    assert_eq!([0, 1, 2].map(|page| sees(&mut s, 2, page, Rights::READ)), [Seen::Now, Seen::Not, Seen::Now]);
    holds(&mut s);
}
#[test]
fn a_paged_page_comes_and_goes_and_stays_visible() {
    let mut s = three();
    let range = (BASE + 8 * PAGE, BASE + 9 * PAGE);
    let Spaces { ram, frames, pagers, .. } = &mut *s;
    pagers.add((ram, frames), id(1), range, 50, id(1)).unwrap();
    assert_eq!(show(&mut s, 2, 8, 1, READ), Ok(()));
    assert_eq!(sees(&mut s, 2, 8, Rights::READ), Seen::Missing(id(1)));
    s.page(1, (1, range.0, Part::Ordinary), 0, WRITE, NONE).unwrap();
    assert_eq!((sees(&mut s, 2, 8, Rights::READ), sees(&mut s, 2, 8, Rights::WRITE)), (Seen::Now, Seen::Not));
    kept(&mut s, |s| s.page(1, (1, range.0, Part::Ordinary), 0, Rights::NONE, NONE)).unwrap();
    assert_eq!((leaf(&mut s, 2, 8), sees(&mut s, 2, 8, Rights::READ)), (Entry::NONE, Seen::Missing(id(1))));
    holds(&mut s);
}
#[test]
fn a_copied_page_is_made_the_spaces_own_by_a_views_write() {
    let mut s = three();
    s.write(1, BASE, b"here").unwrap();
    show(&mut s, 2, 0, 1, WRITE).unwrap();
    assert_eq!(sees(&mut s, 2, 0, Rights::WRITE), Seen::Now);
    let root = s.create(id(5)).unwrap();
    s.ram.spaces.push((5, root));
    kept(&mut s, |s| s.copy(1, 5, NONE)).unwrap();
    assert!(leaf(&mut s, 2, 0).is_none(), "what it had can not be written any more");
    holds(&mut s);
    assert_eq!(sees(&mut s, 2, 0, Rights::READ), Seen::Now);
    let shared = leaf(&mut s, 2, 0);
    assert!(shared.has(Marks::LAZY) && !shared.allows(Rights::WRITE));
    assert_eq!(sees(&mut s, 2, 0, Rights::WRITE), Seen::Now);
    let [own, view, copy] = [1, 2, 5].map(|asid| leaf(&mut s, asid, 0));
    assert!(own.address() == view.address() && copy.address() != own.address() && view.allows(Rights::WRITE));
    holds(&mut s);
}
#[test]
fn what_a_view_takes_is_its_own_and_ends_with_it() {
    let mut s = three();
    let top = s.stack(2, THREAD_STACK).unwrap();
    let heap = s.grow(2, 3).unwrap();
    for va in [top - PAGE, heap, heap + 2 * PAGE] {
        assert_eq!(s.resolve_view(2, va, Rights::WRITE, false), Seen::Now);
        assert_eq!(s.resolve_view(3, va, Rights::READ, false), Seen::Not);
        assert!(s.resolve(1, va, Rights::WRITE));
    }
    assert_ne!(s.stack(1, THREAD_STACK).unwrap(), top);
    holds(&mut s);
    die(&mut s, NONE);
    assert!(!s.resolve(1, top - PAGE, Rights::WRITE) && !s.resolve(1, heap, Rights::WRITE));
    assert_eq!((s.stack(1, THREAD_STACK), s.grow(1, 1)), (Ok(top), Ok(heap)));
    holds(&mut s);
}
#[test]
fn what_a_view_took_ends_with_it_whatever_it_sees_of_it_since() {
    for (first, pages, rights) in
        [(0, 1, Rights::NONE), (1, 2, Rights::NONE), (0, 5, Rights::NONE), (2, 1, READ), (0, 5, READ)]
    {
        let mut s = three();
        let free = s.frames.free();
        let heap = s.grow(2, 5).unwrap();
        let at = heap + first * PAGE;
        kept(&mut s, |s| s.make_visible(1, 2, (at, pages * PAGE), rights, NONE)).unwrap();
        assert_eq!((s.views.taken(2), s.resolve_view(2, at, Rights::WRITE, false)), (5, Seen::Not));
        let seen = if rights == READ { Seen::Now } else { Seen::Not };
        assert_eq!(s.resolve_view(2, at, Rights::READ, false), seen);
        // Again, and what lies around it too.
        kept(&mut s, |s| s.make_visible(1, 2, (heap, 5 * PAGE), WRITE, NONE)).unwrap();
        assert_eq!((s.views.taken(2), s.resolve_view(2, at, Rights::WRITE, false)), (5, Seen::Now));
        kept(&mut s, |s| s.make_visible(1, 2, (at, pages * PAGE), rights, NONE)).unwrap();
        holds(&mut s);
        die(&mut s, NONE);
        assert!((0..5).all(|page| !s.resolve(1, heap + page * PAGE, READ)));
        assert!(s.frames.free() + 4 > free, "{} of {free}", s.frames.free());
        holds(&mut s);
    }
}
#[test]
fn what_a_view_took_is_one_region_still_where_it_is_hidden_in_turns() {
    let mut s = three();
    let heap = s.grow(2, 40).unwrap();
    for rights in [Rights::NONE, READ] {
        for turn in 0..4 {
            let range = (heap + 10 * turn * PAGE, 10 * PAGE);
            kept(&mut s, |s| s.make_visible(1, 2, range, rights, NONE)).unwrap();
        }
        assert_eq!((s.views.regions_of(2).count(), s.views.taken(2)), (1, 40));
    }
    holds(&mut s);
}
#[test]
fn between_pages_that_a_view_took_it_sees_what_it_is_shown() {
    let mut s = three();
    let first = s.grow(2, 1).unwrap();
    assert_eq!(
        (s.grow(1, 1), s.grow(2, 1), s.grow(1, 1)),
        (Ok(first + PAGE), Ok(first + 2 * PAGE), Ok(first + 3 * PAGE))
    );
    kept(&mut s, |s| s.make_visible(1, 2, (first, 4 * PAGE), READ, NONE)).unwrap();
    for page in 0..4 {
        assert_eq!(s.resolve_view(2, first + page * PAGE, Rights::READ, false), Seen::Now);
        assert_eq!(s.resolve_view(2, first + page * PAGE, Rights::WRITE, false), Seen::Not);
    }
    assert_eq!(s.views.taken(2), 2);
    holds(&mut s);
    die(&mut s, NONE);
    assert_eq!([0, 1, 2, 3].map(|page| s.resolve(1, first + page * PAGE, READ)), [false, true, false, true]);
}
#[test]
fn a_view_of_which_every_other_page_is_hidden_has_no_more_regions_than_others() {
    let mut s = three();
    s.map(1, BASE + 4 * PAGE, 400 * PAGE, READ).unwrap();
    show(&mut s, 2, 4, 400, READ).unwrap();
    let most = (0..200).find(|n| show(&mut s, 2, 4 + 2 * n, 1, Rights::NONE).is_err()).unwrap();
    assert!(most < REGIONS && s.views.regions_of(2).count() <= REGIONS, "{most}");
    assert_eq!(show(&mut s, 2, 4 + 2 * most, 1, Rights::NONE), Err(Error::ENFILE));
    // Nothing was lost by the refusal.
    assert_eq!(sees(&mut s, 2, 4 + 2 * most, Rights::READ), Seen::Now);
    holds(&mut s);
    assert_eq!((show(&mut s, 2, 4, 400, Rights::NONE), s.views.regions_of(2).count()), (Ok(()), 0));
}
#[test]
fn a_view_of_which_every_other_page_is_unmapped_has_no_more_regions_than_others() {
    let mut s = three();
    s.map(1, BASE + 4 * PAGE, 400 * PAGE, READ).unwrap();
    show(&mut s, 2, 4, 400, READ).unwrap();
    for n in 0..200 {
        kept(&mut s, |s| s.unmap(1, BASE + (4 + 2 * n) * PAGE, NONE)).unwrap();
    }
    assert!(s.views.regions_of(2).count() <= REGIONS);
    assert_eq!((sees(&mut s, 2, 5, READ), sees(&mut s, 2, 403, READ)), (Seen::Now, Seen::Not));
    holds(&mut s);
}
#[test]
fn what_a_view_took_is_in_no_more_parts_than_a_view_may_see() {
    let mut s = three();
    let free = s.frames.free();
    let heap = s.grow(2, 400).unwrap();
    let page = |n: usize| heap + n * PAGE;
    let most = (0..150).find(|n| kept(&mut s, |s| s.unmap(1, page(1 + 2 * n), NONE)).is_err()).unwrap();
    assert_eq!((most, s.views.regions_of(2).count()), (REGIONS - 1, REGIONS));
    let refused = kept(&mut s, |s| s.unmap(1, page(1 + 2 * most), NONE));
    assert_eq!((refused, s.views.taken(2)), (Err(Error::ENFILE), 400 - most));
    assert_eq!(s.resolve_view(2, page(399), Rights::WRITE, false), Seen::Now);
    // Neither is moved to somebody else; what makes no part more goes.
    let moved = kept(&mut s, |s| s.got(1, page(300), (1, BASE), 1, NONE));
    assert_eq!((moved, sees(&mut s, 3, 0, READ)), (Err(Error::ENFILE), Seen::Not));
    assert_eq!(kept(&mut s, |s| s.unmap(1, page(399), NONE)), Ok(true));
    holds(&mut s);
    die(&mut s, NONE);
    assert!((0..400).all(|n| !s.resolve(1, page(n), READ)));
    assert!(s.frames.free() + 8 > free, "{} of {free}", s.frames.free());
    holds(&mut s);
}
#[test]
fn what_a_view_took_is_not_lost_where_all_views_have_too_many_regions() {
    let mut s = three();
    let heap = s.grow(2, 3).unwrap();
    let all = |s: &mut Spaces<Fake>| {
        let Spaces { ram, frames, views, .. } = s;
        let region = Region { start: 0, end: 1, rights: 1, own: false };
        views.regions.insert((ram, frames), 4000, region)
    };
    while all(&mut s).is_ok() {}
    assert_eq!(kept(&mut s, |s| s.unmap(1, heap + PAGE, NONE)), Err(Error::ENFILE));
    assert_eq!(s.views.taken(2), 3);
    assert_eq!(kept(&mut s, |s| s.unmap(1, heap, NONE)), Ok(true));
    die(&mut s, NONE);
    assert!((0..3).all(|n| !s.resolve(1, heap + n * PAGE, READ)));
}
#[test]
fn a_view_takes_memory_in_so_many_places_and_no_more() {
    let mut s = three();
    let apart = |s: &mut Spaces<Fake>| s.grow(1, 1).and_then(|_| s.grow(2, 1));
    let most = (0..200).find(|_| apart(&mut s).is_err()).unwrap();
    assert_eq!((most, s.views.regions_of(2).count()), (MOST_REGIONS, MOST_REGIONS));
    let free = s.frames.free();
    assert_eq!((s.stack(2, THREAD_STACK), s.frames.free()), (Err(Error::ENFILE), free));
    assert_eq!((s.views.taken(2), s.grow(3, 1).is_ok()), (most, true));
    holds(&mut s);
}
#[test]
fn what_a_window_shows_is_not_hidden_and_outlives_its_taker() {
    let mut s = three();
    let heap = s.grow(2, 1).unwrap();
    assert_eq!(s.resolve_view(2, heap, Rights::WRITE, true), Seen::Now);
    let root = s.root(2).unwrap();
    let lent = [tables::leaf(&s.ram, root, heap).address()];
    let hidden = kept(&mut s, |s| s.make_visible(1, 2, (heap, PAGE), Rights::NONE, OpenWindows::all(&lent)));
    assert_eq!((hidden, s.resolve_view(2, heap, Rights::WRITE, false)), (Err(Error::EBUSY), Seen::Now));
    s.ram.shown = lent.to_vec();
    die(&mut s, OpenWindows::all(&lent));
    assert!(!s.frames.is_free(lent[0]) && s.resolve(1, heap, Rights::WRITE));
    holds(&mut s);
}
#[test]
fn all_comes_back() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    s.map(1, BASE, 4 * PAGE, WRITE).unwrap();
    let view = |s: &mut Spaces<Fake>| {
        s.create_view(id(2), 1, 0).unwrap();
        s.make_visible(1, 2, (BASE, 4 * PAGE), READ, NONE).unwrap();
        s.stack(2, THREAD_STACK).unwrap();
        assert_eq!(s.resolve_view(2, BASE, Rights::READ, false), Seen::Now);
        s.destroy_view(2, NONE).unwrap();
        s.frames.free()
    };
    let free = view(&mut s);
    assert!((0..100).all(|_| view(&mut s) == free));
}
#[test]
fn a_space_with_views_is_not_destroyed() {
    let mut s = three();
    assert_eq!(s.destroy(1), Err(Error::EBUSY));
    s.destroy_view(3, NONE).unwrap();
    s.destroy_view(2, NONE).unwrap();
    assert_eq!(s.destroy(1), Ok(()));
}
#[test]
fn too_many_regions_are_refused() {
    let mut s = three();
    s.map(1, BASE + 4 * PAGE, 400 * PAGE, READ).unwrap();
    let most = (0..).find(|n| show(&mut s, 2, 4 + 2 * n, 1, READ).is_err()).unwrap();
    assert!((REGIONS - 2..=REGIONS).contains(&most), "{most}");
    assert_eq!(show(&mut s, 2, 4 + 2 * most, 1, READ), Err(Error::ENFILE));
    assert_eq!(show(&mut s, 3, 4 + 2 * most, 1, READ), Ok(()));
}
#[test]
fn who_has_the_number_of_a_dead_view_is_not_it() {
    let mut s = three();
    s.destroy_view(2, NONE).unwrap();
    assert_eq!(s.tables_of(id(2).word()), Err(Error::EDEAD));
    assert_eq!(s.create_view(id(3), 1, 0), Err(Error::EEXIST));
    assert_eq!(s.create_view(id(4), 3, 0), Err(Error::EINVAL), "a view of a view");
}
proptest! {
    #![proptest_config(properties::config(200))]
    #[test]
    fn whatever_is_done_views_show_no_more_than_they_may(
        steps in proptest::collection::vec((0u8..13, 0usize..2, 0usize..6, 1usize..4, 0usize..3), 1..60),
    ) {
        let mut s = three();
        let patches = [2, 3].map(|view| s.patch(view, 0x77000, false, NONE).unwrap());
        let mut copies = 10;
        for (what, view, page, count, n) in steps {
            let (patch, view, va) = (patches[view], view + 2, BASE + page * PAGE);
            let rights = [READ, WRITE, Rights::NONE][n];
            match what {
                0 | 1 => { let _ = show(&mut s, view, page, count, rights); }
                2 | 3 => { sees(&mut s, view, page, [READ, Rights::WRITE, Rights::EXECUTE][n]); }
                4 => { let _ = kept(&mut s, |s| s.unmap(1, va, NONE)); }
                5 => { let _ = s.map(1, va, count * PAGE, WRITE); }
                6 => { s.resolve(1, va + 1361 * n, [READ, Rights::WRITE, Rights::EXECUTE][n]); }
                11 => { let _ = s.grow(view, count); }
                // What it has taken, and what the space took between.
                12 => {
                    let heap = BASE + (1000 + page) * PAGE;
                    let before = s.views.taken(view);
                    if kept(&mut s, |s| s.make_visible(1, view, (heap, count * PAGE), rights, NONE)).is_ok() {
                        prop_assert_eq!(s.views.taken(view), before);
                    }
                }
                9 | 10 => missed(&mut s, patch, page),
                7 => {
                    let asid = copies;
                    copies += 1;
                    if asid < 40 {
                        let root = s.create(id(asid)).unwrap();
                        s.ram.spaces.push((asid, root));
                        kept(&mut s, |s| s.copy(1, asid, NONE)).unwrap();
                    }
                }
                _ => { let _ = kept(&mut s, |s| s.window(view, 1, va + 1361 * count, n == 1, 7)); }
            }
            prop_assert_eq!(s.check(MANAGED).unwrap().err(), None);
            s.ram.load_all();
            s.ram.check();
            prop_assert_eq!(&s.ram.broken, &None);
        }
    }
}
