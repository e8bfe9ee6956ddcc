//! Segments of 4 GiB: where hosts of software fault domains have them in the form with `add.uw`. They lie above the beginning of the common part,
//! where nothing else of a component's own is, in tables below entries of the root that are nobody else's. A host maps single
//! pages there ([`Spaces::page`]); windows on them are opened as on all that is in the common part, and no other call takes an address there.

use crate::doomed::Doomed;
use crate::open_windows::{OpenWindows, Unshown};
use crate::ram::Ram;
use crate::space::Spaces;
use crate::tables;
use abi::Error;
use abi::address::{PAGE, SEGMENTS_END, SEGMENTS_VA};
use arch::paging::{ENTRIES, index};

/// Their entries of a root table.
pub(crate) const PLACES: core::ops::Range<usize> = index(SEGMENTS_VA, 2)..index(SEGMENTS_END, 2);

/// Checks that a page lies in a segment.
pub fn in_segment(va: usize) -> Result<(), Error> {
    let inside = (SEGMENTS_VA..SEGMENTS_END).contains(&va) && va.is_multiple_of(PAGE);
    if inside { Ok(()) } else { Err(Error::EINVAL) }
}

impl<R: Ram> Spaces<R> {
    /// Where the entry of `va`, of the private part or of a segment, is in the tables below `root`, which are the space's own from then on.
    pub(crate) fn make_own(&mut self, asid: usize, root: usize, va: usize) -> Result<usize, Error> {
        if va < SEGMENTS_VA {
            return self.make_private(asid, root, va);
        }
        tables::make_entry(&mut self.ram, &mut self.frames, root, va)
    }
    /// The first table of leaves for `from` or what lies behind it, in a segment below `root`: its own address, and that of the first page that it has.
    fn segment_leaves(&self, root: usize, from: usize) -> Option<(usize, usize)> {
        (index(from, 2)..PLACES.end).find_map(|place| {
            let middle = self.ram.entry(root + 8 * place);
            if !middle.is_table() {
                return None;
            }
            let address = |n: usize| (place << 30) + (n << 21);
            (0..ENTRIES).filter(|&n| address(n) >= from).find_map(|n| {
                let leaves = self.ram.entry(middle.address() + 8 * n);
                leaves.is_table().then_some((leaves.address(), address(n)))
            })
        })
    }
    /// Copies what segments have below the root table `source` to space `to`, as [`Spaces::copy`] does.
    #[cold]
    pub(crate) fn copy_segments(&mut self, source: usize, to: usize, windows: OpenWindows) -> Result<(), Error> {
        let mut from = SEGMENTS_VA;
        while let Some((leaves, va)) = self.segment_leaves(source, from) {
            self.copy_entries(to, leaves, va, ENTRIES, windows)?;
            from = va + ENTRIES * PAGE;
        }
        Ok(())
    }
    /// Gives back all that segments have below the root table `root` of the dead.
    #[cold]
    pub(crate) fn release_segments(&mut self, root: usize, doomed: &mut Doomed) {
        let mut from = SEGMENTS_VA;
        while let Some((leaves, va)) = self.segment_leaves(root, from) {
            for page in 0..ENTRIES {
                let at = leaves + 8 * page;
                if self.ram.read(at) != 0 {
                    self.take_out(at, va + page * PAGE, Unshown::of_the_dead(), doomed);
                }
            }
            from = va + ENTRIES * PAGE;
        }
        for place in PLACES {
            let middle = self.ram.entry(root + 8 * place);
            if middle.is_table() {
                tables::release(&mut self.ram, &mut self.frames, doomed, middle.address(), ENTRIES);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space_tests::{NONE, id, spaces};
    use abi::address::*;
    use abi::rights::Rights;
    use std::vec::Vec;

    /// Frames from here on are not the image's.
    const MANAGED: usize = RAM_BASE + 5 * PAGE;
    /// The first page of the first segment's stubs, and pages in others: in the first table of a segment, in its last, and in the last segment.
    const PLACES_TRIED: [usize; 4] =
        [SEGMENTS_VA + 0x3FFE_0000, SEGMENTS_VA + 0x4001_0000, SEGMENTS_VA + 0x8000_0000 - PAGE, SEGMENTS_END - PAGE];

    #[test]
    fn pages_of_segments_are_mapped_and_all_comes_back() {
        let mut s = spaces();
        s.create(id(9)).unwrap();
        let before = s.frames.free();
        s.create(id(1)).unwrap();
        for va in PLACES_TRIED {
            s.page(1, 1, va, 0, Rights::READ_WRITE, NONE).unwrap();
            assert!(s.resolve(1, va, Rights::WRITE));
        }
        s.check(MANAGED).unwrap().unwrap();
        // Nothing of it is known elsewhere.
        s.page(1, 1, PLACES_TRIED[1], 0, Rights::NONE, NONE).unwrap();
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
            let roots = [1, 2].map(|asid| s.create(id(asid)).unwrap());
            for va in PLACES_TRIED {
                s.page(1, 1, va, 0, Rights::READ_WRITE, NONE).unwrap();
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
        let others = [SEGMENTS_VA - PAGE, SEGMENTS_END, COMMON_VA, SERVICE_VA, NUCLEUS_VIEW, MEMORY_VIEW, 0x8000_0000];
        for va in others {
            assert_eq!(s.page(1, 1, va, 0, Rights::READ_WRITE, NONE), Err(Error::EINVAL), "{va:#x}");
        }
        assert_eq!(s.page(1, 1, SEGMENTS_VA + 8, 0, Rights::READ_WRITE, NONE), Err(Error::EINVAL));
    }
    #[test]
    fn what_is_for_the_private_part_takes_no_segment() {
        let mut s = spaces();
        s.create(id(1)).unwrap();
        let va = SEGMENTS_VA + 0x4001_0000;
        s.page(1, 1, va, 0, Rights::READ_WRITE, NONE).unwrap();
        assert_eq!(s.map(1, va + PAGE, PAGE, Rights::READ_WRITE), Err(Error::EINVAL));
        assert_eq!(s.write(1, va, &[1]), Err(Error::EINVAL));
        assert_eq!(s.frame_of(1, va), Err(Error::EINVAL));
        // Nor is a page of a segment copied elsewhere.
        assert_eq!(s.page(1, 1, IMAGE_VA, va, Rights::READ_WRITE, NONE), Err(Error::EINVAL));
    }
}
