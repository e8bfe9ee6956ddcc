//! Views of a copied space over fake RAM: they see what their models do, of the copy, and nothing else.

use crate::fake::Fake;
use crate::open_windows::OpenWindows;
use crate::space::Spaces;
use crate::space_tests::{NONE, id};
use crate::view::REGIONS;
use crate::views::Seen;
use crate::views_tests::{BASE, MANAGED, READ, WRITE, holds, kept, leaf, sees, show, three};
use abi::Error;
use abi::address::*;
use abi::memory::Part;
use abi::rights::Rights;
use proptest::prelude::*;

/// Space 5 becomes a copy of space 1, and 6 and 7 its views, as 2 and 3 are of that.
fn copied(s: &mut Spaces<Fake>, windows: OpenWindows) -> Result<(), Error> {
    for number in [5, 6, 7] {
        let root = if number == 5 { s.create(id(5)) } else { s.create_view(id(number), 5, 0) }.unwrap();
        s.ram.spaces.push((number, root));
    }
    s.set_model(6, 2).unwrap();
    s.set_model(7, 3).unwrap();
    kept(s, |s| s.copy(1, 5, windows))
}

#[test]
fn a_copy_sees_what_its_model_sees_with_the_same_rights_and_in_its_own_space() {
    let mut s = three();
    show(&mut s, 2, 0, 1, WRITE).unwrap();
    show(&mut s, 2, 2, 1, READ).unwrap();
    s.write(1, BASE, b"task").unwrap();
    copied(&mut s, NONE).unwrap();
    assert_eq!(
        [0, 1, 2, 3].map(|page| sees(&mut s, 6, page, Rights::READ)),
        [Seen::Now, Seen::Not, Seen::Now, Seen::Not]
    );
    assert_eq!((sees(&mut s, 6, 2, Rights::WRITE), sees(&mut s, 7, 0, Rights::READ)), (Seen::Not, Seen::Not));
    assert_eq!(sees(&mut s, 6, 0, Rights::WRITE), Seen::Now);
    assert_eq!(leaf(&mut s, 6, 0).address(), leaf(&mut s, 5, 0).address());
    assert_ne!(leaf(&mut s, 6, 0).address(), leaf(&mut s, 1, 0).address(), "what is written is not the other task's");
    holds(&mut s);
}
#[test]
fn what_is_not_copied_is_seen_by_no_copy_nor_is_what_comes_in_its_place() {
    let mut s = three();
    let range = (BASE + 8 * PAGE, BASE + 10 * PAGE);
    let Spaces { ram, frames, pagers, .. } = &mut *s;
    pagers.add((ram, frames), id(1), range, 50, id(1)).unwrap();
    show(&mut s, 2, 8, 2, READ).unwrap();
    s.page(1, (1, range.0, Part::Ordinary), 0, WRITE, NONE).unwrap();
    copied(&mut s, NONE).unwrap();
    // Its pager has brought the first.
    assert_eq!((sees(&mut s, 6, 8, Rights::READ), sees(&mut s, 6, 9, Rights::READ)), (Seen::Now, Seen::Not));
    s.map(5, range.0 + PAGE, PAGE, WRITE).unwrap();
    assert_eq!(sees(&mut s, 6, 9, Rights::READ), Seen::Not);
    holds(&mut s);
}
#[test]
fn what_a_model_has_taken_is_its_copys_own_but_for_stacks() {
    let mut s = three();
    let (top, heap) = (s.stack(2, THREAD_STACK).unwrap(), s.grow(2, 3).unwrap());
    for va in [top - PAGE, heap] {
        assert_eq!(s.resolve_view(2, va, Rights::WRITE, false), Seen::Now);
    }
    let before = s.views.taken(2);
    copied(&mut s, NONE).unwrap();
    assert_eq!((s.views.taken(2), s.views.taken(6)), (before, 3));
    assert_eq!(s.resolve_view(6, heap, Rights::WRITE, false), Seen::Now);
    assert_eq!(s.resolve_view(6, top - PAGE, Rights::READ, false), Seen::Not);
    assert_eq!(s.stack(6, THREAD_STACK), Ok(top), "its place is free in the copy");
    holds(&mut s);
    kept(&mut s, |s| s.destroy_view(6, NONE)).unwrap();
    assert!(!s.resolve(5, heap, Rights::WRITE) && s.resolve(1, heap, Rights::WRITE));
    s.ram.spaces.retain(|space| space.0 != 6);
    holds(&mut s);
}
#[test]
fn a_page_that_a_window_shows_is_copied_at_once_and_seen() {
    let mut s = three();
    show(&mut s, 2, 0, 1, WRITE).unwrap();
    assert_eq!(sees(&mut s, 2, 0, Rights::WRITE), Seen::Now);
    let lent = [leaf(&mut s, 2, 0).address()];
    s.ram.shown = lent.to_vec();
    copied(&mut s, OpenWindows::all(&lent)).unwrap();
    assert_eq!(sees(&mut s, 6, 0, Rights::WRITE), Seen::Now);
    assert_ne!(leaf(&mut s, 6, 0).address(), lent[0]);
    holds(&mut s);
}
#[test]
fn regions_with_holes_are_no_more_than_there_may_be() {
    let mut s = three();
    let (first, count) = (8, 2 * REGIONS + 2);
    let range = (BASE + first * PAGE, BASE + (first + count) * PAGE);
    let Spaces { ram, frames, pagers, .. } = &mut *s;
    pagers.add((ram, frames), id(1), range, 50, id(1)).unwrap();
    show(&mut s, 2, first, count, READ).unwrap();
    for page in (0..count).step_by(2) {
        s.page(1, (1, range.0 + page * PAGE, Part::Ordinary), 0, WRITE, NONE).unwrap();
    }
    assert_eq!(copied(&mut s, NONE), Err(Error::ENFILE));
    holds(&mut s);
}
#[test]
fn models_that_are_none_are_refused() {
    let mut s = three();
    assert_eq!(
        (s.set_model(2, 9), s.set_model(9, 2), s.set_model(1, 2)),
        (Err(Error::EINVAL), Err(Error::EINVAL), Err(Error::EINVAL))
    );
    // One of the space itself, or of a third one, is no model when it is copied.
    let mut s = three();
    show(&mut s, 3, 0, 1, READ).unwrap();
    s.set_model(2, 3).unwrap();
    copied(&mut s, NONE).unwrap();
    assert_eq!((sees(&mut s, 2, 0, Rights::READ), sees(&mut s, 7, 0, Rights::READ)), (Seen::Not, Seen::Now));
    holds(&mut s);
}
proptest! {
    #![proptest_config(properties::config(150))]
    #[test]
    fn whatever_was_done_before_and_is_done_after_the_copies_show_what_they_may(
        steps in proptest::collection::vec((0u8..8, 0usize..2, 0usize..6, 1usize..4, 0usize..3), 1..50),
        when in 0usize..50,
    ) {
        let mut s = three();
        let mut is_copied = false;
        for (n, (what, view, page, count, kind)) in steps.into_iter().enumerate() {
            if n == when {
                copied(&mut s, NONE).unwrap();
                is_copied = true;
            }
            let (space, view) = if is_copied && count % 2 == 0 { (5, view + 6) } else { (1, view + 2) };
            let (va, rights) = (BASE + page * PAGE, [READ, WRITE, Rights::NONE][kind]);
            match what {
                0 | 1 => { let _ = kept(&mut s, |s| s.make_visible(space, view, (va, count * PAGE), rights, NONE)); }
                2 | 3 => { sees(&mut s, view, page, [READ, Rights::WRITE, Rights::EXECUTE][kind]); }
                4 => { let _ = kept(&mut s, |s| s.unmap(space, va, NONE)); }
                5 => { let _ = s.map(space, va, count * PAGE, WRITE); }
                6 => { s.resolve(space, va + 1361 * kind, [READ, Rights::WRITE, Rights::EXECUTE][kind]); }
                _ => { let _ = s.grow(view, count); }
            }
            prop_assert_eq!(s.check(MANAGED).unwrap().err(), None);
            s.ram.load_all();
            s.ram.check();
            prop_assert_eq!(&s.ram.broken, &None);
        }
    }
}
