//! Segments of software fault domains. What the verifier proves of a fault domain's code holds only where the segment is that one's alone and its guard
//! zones are not mapped, and this is where both are kept up: a host says where it has one ([`Spaces::make_segment`]), and from then on nothing is mapped
//! there but by the host itself, which says that it means the segment ([`Part::Segment`]). [`Spaces::vacant`] asks for whatever is mapped.
//!
//! Those of 4 GiB, and the last one, lie above the beginning of the common part, where nothing else of a component's own is, in tables below entries of
//! the root that are nobody else's. Windows on them are opened as on all that is in the common part, and no other call takes an address there.

use crate::doomed::Doomed;
use crate::open_windows::{OpenWindows, Unshown};
use crate::ram::Ram;
use crate::space::{Space, Spaces, span_pages, spans};
use crate::tables;
use abi::Error;
use abi::address::{HEAP_END, PAGE, SEGMENTS_END, SEGMENTS_VA};
use abi::enclosure::{self, FIRST_ABOVE, SEGMENTS, Zone};
use abi::memory::Part;
use arch::paging::{ENTRIES, index};

/// Their entries of a root table.
pub(crate) const PLACES: core::ops::Range<usize> = index(SEGMENTS_VA, 2)..index(SEGMENTS_END, 2);

/// Checks that a page lies where only segments do.
pub fn above(va: usize) -> Result<(), Error> {
    let inside = (SEGMENTS_VA..SEGMENTS_END).contains(&va) && va.is_multiple_of(PAGE);
    if inside { Ok(()) } else { Err(Error::EINVAL) }
}

impl Space {
    /// The numbers of the segments that it has.
    fn numbers(&self) -> impl Iterator<Item = usize> + use<> {
        let segments = self.segments;
        (0..SEGMENTS).filter(move |n| segments >> n & 1 != 0)
    }
    pub(crate) fn has_segments_above(&self) -> bool {
        self.segments >> FIRST_ABOVE != 0
    }
    /// What an address is to the segments.
    fn zone(&self, va: usize) -> Zone {
        let zones = self.numbers().map(|n| enclosure::zone(n, va as u64));
        zones.filter(|zone| *zone != Zone::Outside).last().unwrap_or(Zone::Outside)
    }
    /// Whether it is in a guard zone of one.
    pub(crate) fn guards(&self, va: usize) -> bool {
        self.zone(va) == Zone::Guard
    }
    /// Checks that `va` is in `part`. `EACCESS`: it is not; where only segments are, or with [`Part::Segment`], where none is: `EINVAL`.
    #[inline(always)]
    pub(crate) fn in_part(&self, va: usize, part: Part) -> Result<(), Error> {
        // Most spaces have none.
        let any = self.segments != 0 || part == Part::Segment;
        if any || va >= SEGMENTS_VA { self.zone_is(va, part) } else { Ok(()) }
    }
    /// The same of all pages of `bytes` from `va` on.
    #[inline(always)]
    pub(crate) fn range_in_part(&self, va: usize, bytes: usize, part: Part) -> Result<(), Error> {
        if self.segments == 0 {
            return self.in_part(va, part);
        }
        (va..va + bytes).step_by(PAGE).try_for_each(|at| self.in_part(at, part))
    }
    /// Whether it is where a fault domain of one is.
    pub(crate) fn has_segment_at(&self, va: usize) -> bool {
        self.segments != 0 && self.zone(va) == Zone::Inside
    }
    #[cold]
    fn zone_is(&self, va: usize, part: Part) -> Result<(), Error> {
        match (self.zone(va), part) {
            (Zone::Inside, Part::Segment) => Ok(()),
            (Zone::Inside | Zone::Guard, _) => Err(Error::EACCESS),
            (Zone::Outside, Part::Ordinary) if va < SEGMENTS_VA => Ok(()),
            (Zone::Outside, _) => Err(Error::EINVAL),
        }
    }
}
// A bit for each.
const _: () = assert!(SEGMENTS <= u16::BITS as usize);

impl<R: Ram> Spaces<R> {
    /// A fault domain of the domain of `asid` has the segment that begins at `base`, until the space ends. `EINVAL`: none begins there; `EEXIST`:
    /// something is mapped in it, or beside it, or a domain of protection was shown what was, or has taken it.
    pub fn make_segment(&mut self, asid: usize, base: usize) -> Result<(), Error> {
        let begins = |n: &usize| enclosure::segment(*n).0 == base as u64;
        let n = (0..SEGMENTS).find(begins).ok_or(Error::EINVAL)?;
        let space = *self.space(asid)?;
        if space.segments >> n & 1 != 0 {
            return Ok(());
        }
        // Above, nothing can be mapped before.
        if n < FIRST_ABOVE {
            let (start, end) = enclosure::concern(n);
            let (start, end) = (start as usize, end as usize);
            self.nothing_in(space.root, start, end.min(space.low_end))?;
            if self.views.of(asid).any(|(view, _)| self.views.regions_of(view).any(|region| region.meets(start, end))) {
                return Err(Error::EEXIST);
            }
        }
        self.space(asid)?.segments |= 1 << n;
        Ok(())
    }
    /// `EEXIST`: something is mapped between the two, in the private part below `root`.
    fn nothing_in(&self, root: usize, start: usize, end: usize) -> Result<(), Error> {
        let mapped = |va: usize| {
            let leaves = tables::entry(&self.ram, root, va);
            leaves.is_some_and(|first| (0..span_pages(va, end)).any(|n| self.ram.read(first + 8 * n) != 0))
        };
        if spans(start, end).any(mapped) { Err(Error::EEXIST) } else { Ok(()) }
    }
    /// Where the heap must end at the latest.
    pub(crate) fn heap_end(&mut self, asid: usize) -> Result<usize, Error> {
        let space = *self.space(asid)?;
        let starts = space.numbers().map(|n| enclosure::concern(n).0 as usize);
        Ok(starts.filter(|start| *start >= space.heap).fold(HEAP_END, usize::min))
    }
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
#[path = "segments_tests.rs"]
mod tests;
