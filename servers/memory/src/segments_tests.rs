//! Segments of fault domains: who maps there, and that all of it comes back.

use super::*;
use crate::space_tests::{NONE, id, spaces};
use abi::address::*;
use abi::enclosure::*;
use abi::rights::Rights;
use std::vec::Vec;

/// Frames from here on are not the image's.
const MANAGED: usize = RAM_BASE + 5 * PAGE;
const ZONE: usize = GUARD as usize;
const WIDE: usize = WIDE_SEGMENTS as usize;
const LAST: usize = TOP_SEGMENT as usize;
/// The first page of the first wide segment's stubs, and pages in others: in its first table, in the last of what is used of it, and in the last segment.
const PLACES_TRIED: [usize; 4] =
    [WIDE - 2 * ZONE, WIDE + ZONE, WIDE + USED as usize - ZONE - PAGE, SEGMENTS_END - ZONE - PAGE];
/// The host's segment.
const OWN: usize = SEGMENT as usize;
const OWN_END: usize = OWN + (1 << SEGMENT_BITS);
const DATA: Rights = Rights::READ_WRITE;

type Tried = Spaces<crate::fake::Fake>;
/// Space `asid` with the two wide segments of [`PLACES_TRIED`].
fn with_wide(s: &mut Tried, asid: usize) -> usize {
    let root = s.create(id(asid)).unwrap();
    [WIDE, LAST].iter().for_each(|base| s.make_segment(asid, *base).unwrap());
    root
}
/// The first word of a page of space 1.
fn word(s: &mut Tried, va: usize) -> u64 {
    let root = s.space(1).unwrap().root;
    s.ram.read(tables::leaf(&s.ram, root, va).address())
}
fn write(s: &mut Tried, va: usize, value: u64) {
    let root = s.space(1).unwrap().root;
    let at = tables::leaf(&s.ram, root, va).address();
    s.ram.write(at, value);
}
/// Space 1 with the host's segment, and space 2.
fn with_own() -> std::boxed::Box<Tried> {
    let mut s = spaces();
    [1, 2].iter().for_each(|asid| assert!(s.create(id(*asid)).is_ok()));
    s.make_segment(1, OWN).unwrap();
    s
}
#[test]
fn pages_of_segments_are_mapped_and_all_comes_back() {
    let mut s = spaces();
    s.create(id(9)).unwrap();
    let before = s.frames.free();
    with_wide(&mut s, 1);
    for va in PLACES_TRIED {
        s.page(1, (1, va, Part::Segment), 0, Rights::READ_WRITE, NONE).unwrap();
        assert!(s.resolve(1, va, Rights::WRITE));
    }
    s.check(MANAGED).unwrap().unwrap();
    // Nothing of it is known elsewhere.
    s.page(1, (1, PLACES_TRIED[1], Part::Segment), 0, Rights::NONE, NONE).unwrap();
    s.ram.check();
    s.check(MANAGED).unwrap().unwrap();
    s.destroy(1).unwrap();
    s.ram.check();
    assert_eq!(s.frames.free(), before);
    s.check(MANAGED).unwrap().unwrap();
}
#[test]
fn a_copy_has_its_segments_and_neither_sees_what_the_other_writes() {
    let mut s = spaces();
    s.create(id(9)).unwrap();
    s.ram.kept.insert(1);
    let mut free = Vec::new();
    // The counts of sharers keep a frame from the first time on.
    for _ in 0..2 {
        let roots = [with_wide(&mut s, 1), s.create(id(2)).unwrap()];
        for va in PLACES_TRIED {
            s.page(1, (1, va, Part::Segment), 0, Rights::READ_WRITE, NONE).unwrap();
            s.resolve(1, va, Rights::WRITE);
        }
        s.copy(1, 2, NONE).unwrap();
        let frames = |s: &Spaces<_>, n: usize| PLACES_TRIED.map(|va| tables::leaf(&s.ram, roots[n], va).address());
        assert_eq!(frames(&s, 0), frames(&s, 1));
        s.check(MANAGED).unwrap().unwrap();
        for va in PLACES_TRIED {
            assert!(s.resolve(2, va, Rights::WRITE));
        }
        assert!(frames(&s, 0).iter().zip(frames(&s, 1)).all(|(one, other)| *one != other));
        s.check(MANAGED).unwrap().unwrap();
        for asid in [1, 2] {
            s.destroy(asid).unwrap();
        }
        s.ram.check();
        free.push(s.frames.free());
    }
    assert_eq!(free[0], free[1]);
}
#[test]
fn no_page_is_mapped_beside_the_segments() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    with_wide(&mut s, 2);
    let others = [
        0,
        PRIVATE_VA - PAGE,
        SEGMENTS_VA - PAGE,
        SEGMENTS_END,
        COMMON_VA,
        SERVICE_VA,
        NUCLEUS_VIEW,
        MEMORY_VIEW,
        0x8000_0000,
    ];
    for va in others {
        assert_eq!(s.page(1, (1, va, Part::Ordinary), 0, Rights::READ_WRITE, NONE), Err(Error::EINVAL), "{va:#x}");
    }
    for va in others {
        assert_eq!(s.page(2, (2, va, Part::Segment), 0, Rights::READ_WRITE, NONE), Err(Error::EINVAL), "{va:#x}");
    }
    assert_eq!(s.page(2, (2, WIDE + ZONE + 8, Part::Segment), 0, Rights::READ_WRITE, NONE), Err(Error::EINVAL));
    // Nor in those that the space does not have.
    for va in PLACES_TRIED {
        assert_eq!(s.page(1, (1, va, Part::Ordinary), 0, DATA, NONE), Err(Error::EINVAL), "{va:#x}");
        assert_eq!(s.page(1, (1, va, Part::Segment), 0, DATA, NONE), Err(Error::EINVAL), "{va:#x}");
    }
}
#[test]
fn what_is_for_the_private_part_takes_no_segment() {
    let mut s = spaces();
    with_wide(&mut s, 1);
    let va = WIDE + ZONE;
    s.page(1, (1, va, Part::Segment), 0, Rights::READ_WRITE, NONE).unwrap();
    assert_eq!(s.map(1, va + PAGE, PAGE, Rights::READ_WRITE), Err(Error::EINVAL));
    assert_eq!(s.write(1, va, &[1]), Err(Error::EINVAL));
    assert_eq!(s.frame_of(1, va), Err(Error::EINVAL));
    // Nor is a page of a segment copied elsewhere.
    assert_eq!(s.page(1, (1, IMAGE_VA, Part::Ordinary), va, Rights::READ_WRITE, NONE), Err(Error::EINVAL));
}
#[test]
fn nobody_else_maps_in_a_segment_nor_takes_away_what_is_there() {
    let mut s = with_own();
    s.map(2, IMAGE_VA, PAGE, DATA).unwrap();
    s.map(1, IMAGE_VA, PAGE, DATA).unwrap();
    let there = OWN + 2 * ZONE;
    s.page(1, (1, there, Part::Segment), 0, DATA, NONE).unwrap();
    assert!(s.resolve(1, there, Rights::WRITE));
    write(&mut s, there, 77);
    for va in [OWN - 2 * ZONE, OWN + ZONE, there, OWN_END - ZONE - PAGE] {
        assert_eq!(s.map(1, va, PAGE, DATA), Err(Error::EACCESS), "{va:#x}");
        assert_eq!(s.map(1, va - PAGE, 3 * PAGE, DATA), Err(Error::EACCESS), "{va:#x}, and beside it");
        assert_eq!(s.map_image(1, va, RAM_BASE, PAGE, Rights::READ), Err(Error::EACCESS), "{va:#x}");
        assert_eq!(s.map_image(1, va, RAM_BASE, PAGE, DATA), Err(Error::EACCESS), "{va:#x}");
        assert_eq!(s.map_device(1, va, 0x1000_0000, PAGE), Err(Error::EACCESS), "{va:#x}");
        for (by, source, rights) in
            [(1, 0, DATA), (1, IMAGE_VA, DATA), (2, 0, DATA), (2, IMAGE_VA, Rights::READ), (1, 0, Rights::NONE)]
        {
            assert_eq!(
                s.page(by, (1, va, Part::Ordinary), source, rights, NONE),
                Err(Error::EACCESS),
                "{va:#x} by {by} from {source:#x}"
            );
        }
        assert_eq!(s.page(2, (1, va, Part::Segment), 0, DATA, NONE), Err(Error::EACCESS), "{va:#x}, by another");
    }
    assert_eq!(word(&mut s, there), 77, "it is as it was");
    // Of another space it is any part.
    s.page(2, (2, there, Part::Ordinary), 0, DATA, NONE).unwrap();
    s.check(MANAGED).unwrap().unwrap();
}
#[test]
fn guard_zones_are_never_mapped() {
    let mut s = with_own();
    with_wide(&mut s, 3);
    let used = WIDE + USED as usize;
    let zones = [
        (1, OWN - ZONE, OWN + ZONE),
        (1, OWN_END - ZONE, OWN_END + ZONE),
        (3, WIDE - ZONE, WIDE + ZONE),
        (3, used - ZONE, WIDE + (1 << WIDE_BITS) + ZONE),
        (3, LAST - ZONE, LAST + ZONE),
        (3, SEGMENTS_END - ZONE, SEGMENTS_END),
    ];
    for (asid, start, end) in zones {
        for va in [start, (start + end) / 2 / PAGE * PAGE, end - PAGE] {
            assert_eq!(s.page(asid, (asid, va, Part::Segment), 0, DATA, NONE), Err(Error::EACCESS), "{va:#x}");
            assert_eq!(s.page(asid, (asid, va, Part::Ordinary), 0, DATA, NONE), Err(Error::EACCESS), "{va:#x}");
            assert!(!s.resolve(asid, va, Rights::READ));
        }
        let within = s.page(asid, (asid, start - PAGE, Part::Segment), 0, DATA, NONE);
        assert_eq!(within, Ok(()), "{start:#x}, right below");
    }
}
#[test]
fn a_segment_that_something_is_mapped_in_is_refused() {
    for va in [OWN - 2 * ZONE, OWN - PAGE, OWN, OWN + 0x20_0000, OWN_END - PAGE, OWN_END + ZONE - PAGE] {
        let mut s = spaces();
        s.create(id(1)).unwrap();
        s.map(1, va, PAGE, DATA).unwrap();
        assert_eq!(s.make_segment(1, OWN), Err(Error::EEXIST), "{va:#x}");
        // It is as it was.
        s.page(1, (1, OWN + ZONE, Part::Ordinary), 0, DATA, NONE).unwrap();
        [va, OWN + ZONE].iter().for_each(|va| s.page(1, (1, *va, Part::Ordinary), 0, Rights::NONE, NONE).unwrap());
        [OWN - 2 * ZONE - PAGE, OWN_END + ZONE].iter().for_each(|va| s.map(1, *va, PAGE, DATA).unwrap());
        s.make_segment(1, OWN).unwrap();
        s.make_segment(1, OWN).unwrap();
    }
}
#[test]
fn a_segment_begins_where_there_can_be_one() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    for base in [0, IMAGE_VA, OWN + PAGE, OWN - 1, OWN_END, WIDE - 1, WIDE + (1 << WIDE_BITS), SEGMENTS_END, usize::MAX]
    {
        assert_eq!(s.make_segment(1, base), Err(Error::EINVAL), "{base:#x}");
    }
    assert_eq!(s.make_segment(2, OWN), Err(Error::ESRCH));
    (0..SEGMENTS).for_each(|n| s.make_segment(1, segment(n).0 as usize).unwrap());
}
#[test]
fn the_heap_ends_before_a_segment() {
    let mut s = with_own();
    let start = OWN - 2 * ZONE - 4 * PAGE;
    s.set_heap(1, start).unwrap();
    assert_eq!(s.grow(1, 5), Err(Error::ENOMEM));
    assert_eq!(s.grow(1, 4), Ok(start));
    assert_eq!(s.grow(1, 1), Err(Error::ENOMEM));
    // One that lies behind it goes on to its own end.
    s.set_heap(1, OWN_END + ZONE).unwrap();
    assert_eq!(s.grow(1, 1), Ok(OWN_END + ZONE));
}
#[test]
fn a_copy_has_the_same_segments() {
    let mut s = with_own();
    s.page(1, (1, OWN + ZONE, Part::Segment), 0, DATA, NONE).unwrap();
    s.copy(1, 2, NONE).unwrap();
    assert_eq!(s.page(2, (2, OWN + ZONE, Part::Ordinary), 0, DATA, NONE), Err(Error::EACCESS));
    assert_eq!(s.page(2, (2, OWN, Part::Segment), 0, DATA, NONE), Err(Error::EACCESS));
    s.page(2, (2, OWN + ZONE + PAGE, Part::Segment), 0, DATA, NONE).unwrap();
    // Who has its number next has none.
    s.destroy(2).unwrap();
    s.create(id(2)).unwrap();
    s.page(2, (2, OWN + ZONE, Part::Ordinary), 0, DATA, NONE).unwrap();
}
#[test]
fn nothing_in_a_segment_is_both_written_and_executed() {
    let mut s = with_own();
    let all = Rights::all();
    assert_eq!(s.page(1, (1, OWN + ZONE, Part::Segment), 0, all, NONE), Err(Error::EINVAL));
    s.page(1, (1, OWN + ZONE, Part::Segment), 0, Rights::READ_EXECUTE, NONE).unwrap();
}
#[test]
fn pages_of_calls_neither_leave_a_segment_nor_come_into_one() {
    let mut s = with_own();
    let there = OWN + 2 * ZONE;
    s.page(1, (1, there, Part::Segment), 0, DATA, NONE).unwrap();
    assert!(s.resolve(1, there, Rights::WRITE));
    write(&mut s, there, 77);
    for (va, pages) in [(there, 1), (OWN - 2 * ZONE - PAGE, 2), (OWN_END + ZONE - PAGE, 1)] {
        assert_eq!(s.share(1, 2, va, pages), Err(Error::EFAULT), "{va:#x}");
        assert_eq!(s.give(1, 2, va, pages, NONE), Err(Error::EFAULT), "{va:#x}");
        assert_eq!(s.get(1, 2, va, pages), Err(Error::EFAULT), "{va:#x}");
    }
    // A call that has begun before the segment was made brings nothing, and takes nothing away.
    let from = s.get(1, 2, IMAGE_VA, 1).unwrap();
    assert_eq!(s.got(2, from, (1, there), 1, NONE), Err(Error::EACCESS));
    assert_eq!(word(&mut s, there), 77);
    s.got(2, from, (1, IMAGE_VA), 1, NONE).unwrap();
    s.check(MANAGED).unwrap().unwrap();
}
#[test]
fn a_segment_that_a_domain_of_protection_has_seen_is_refused() {
    for taken in [false, true] {
        let mut s = spaces();
        s.create(id(1)).unwrap();
        // Pages that somebody answers for may come back, and are seen then.
        let Spaces { ram, frames, pagers, .. } = &mut *s;
        pagers.add((ram, frames), id(1), (OWN, OWN_END), 7, id(1)).unwrap();
        s.create_view(id(2), 1, 0).unwrap();
        let start = if taken {
            s.set_heap(1, OWN + ZONE).unwrap();
            s.grow(2, 1).unwrap()
        } else {
            OWN + ZONE
        };
        if !taken {
            s.map(1, start, PAGE, DATA).unwrap();
            s.make_visible(1, 2, (start, PAGE), DATA, NONE).unwrap();
        }
        s.page(1, (1, start, Part::Ordinary), 0, Rights::NONE, NONE).unwrap();
        assert_eq!(s.make_segment(1, OWN), Err(Error::EEXIST), "{taken}");
        s.destroy_view(2, NONE).unwrap();
        s.make_segment(1, OWN).unwrap();
    }
}
