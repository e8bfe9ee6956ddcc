//! Address spaces: what is mapped where in a domain's private part, and its window tables. A space has the one domain whose tables are
//! its own, and sees all of it; others may see a part, each through tables of its own ([`crate::views`]).

use crate::accounts::Memories;
use crate::chunks::Chunks;
use crate::doomed::Doomed;
use crate::frames::{For, Frames, Unreachable};
use crate::open_windows::Unshown;
use crate::pagers::Pagers;
use crate::ram::Ram;
use crate::shares::Shares;
use crate::tables;
use crate::view::Views;
use abi::Error;
use abi::address::*;
use abi::identity::DomainId;
use abi::nucleus::MAX_DOMAINS;
use arch::paging::{Entry, index, supervisor_half};

/// One domain's address space. `root` 0: none.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub struct Space {
    /// Physical address of the root table.
    pub root: usize,
    /// The domain that it was made for.
    pub(crate) id: Option<DomainId>,
    /// End of the heap.
    pub(crate) heap: usize,
    /// Pages of its own, those included that are promised or shared.
    pub pages: u32,
    /// Frames that it shares for good and shows; page tables of its own.
    pub(crate) common: u16,
    pub(crate) tables: u16,
    /// Who pays for it all.
    pub(crate) account: u8,
    /// No stack slot below this one is free.
    pub(crate) first_slot: u16,
    /// End of what was ever mapped below `HEAP_END`, and start of what was above `STACK_FLOOR`.
    pub(crate) low_end: usize,
    pub(crate) high_start: usize,
    /// End of what was ever mapped from `RECEIVE_VA` on.
    pub(crate) received_end: usize,
    /// A boot component: its pages are there at once.
    pub boot: bool,
    /// It has device registers.
    pub(crate) devices: bool,
    /// Which segments its fault domains have, a bit for each of those that there can be ([`crate::segments`]).
    pub(crate) segments: u16,
    /// Its component executes in supervisor mode: none of its pages but the return page is user mode's.
    pub(crate) supervisor: bool,
}
/// All zeros, so that the table takes no room in the image; [`Space::new`] is what a space starts with.
const NONE: Space = Space {
    root: 0,
    id: None,
    heap: 0,
    pages: 0,
    common: 0,
    tables: 0,
    account: 0,
    first_slot: 0,
    low_end: 0,
    high_start: 0,
    received_end: 0,
    boot: false,
    devices: false,
    segments: 0,
    supervisor: false,
};
impl Space {
    /// Pages that its account pays for.
    pub(crate) fn cost(&self) -> usize {
        self.pages as usize + self.common as usize + self.tables as usize
    }
    fn new(root: usize, id: DomainId) -> Space {
        Space {
            root,
            id: Some(id),
            heap: PRIVATE_VA,
            low_end: PRIVATE_VA,
            high_start: STACK_TOP,
            received_end: RECEIVE_VA,
            ..NONE
        }
    }
}

/// Physical addresses that every space refers to.
#[derive(Clone, Copy, Default)]
pub struct Shared {
    pub code_l1: usize,
    /// The tables of a space with nothing but the return page, middle and leaves: each space has them until it gets more.
    pub bare: [usize; 2],
    pub service_l1: usize,
    /// Frames from here on are given out; those below are the image's.
    pub first_frame: usize,
}

/// Spaces in a page of them.
const CHUNK: usize = 64;
type Chunk = [Space; CHUNK];
const _: () = assert!(size_of::<Chunk>() <= PAGE && MAX_DOMAINS.is_multiple_of(CHUNK));

/// All spaces, by ASID.
pub struct Spaces<R> {
    pub ram: R,
    pub frames: Frames,
    pub shares: Shares,
    pub pagers: Pagers,
    pub views: Views,
    pub accounts: Memories,
    pub(crate) chunks: Chunks,
    pub shared: Shared,
    /// By ASID, in pages that are made when the first space of theirs is.
    spaces: [Option<&'static mut Chunk>; MAX_DOMAINS / CHUNK],
}

/// What one table of leaves covers.
pub(crate) const TABLE_SPAN: usize = 512 * PAGE;

/// Addresses in each table of leaves between `start` and `end`: the first page there.
pub(crate) fn spans(start: usize, end: usize) -> impl Iterator<Item = usize> {
    let mut next = start;
    core::iter::from_fn(move || {
        let va = next;
        next = (va / TABLE_SPAN + 1) * TABLE_SPAN;
        (va < end).then_some(va)
    })
}
/// Bytes that are looked at in one turn, where who asks says how many there are: a table's.
pub const TURN: usize = TABLE_SPAN;
/// The parts of a range, each of at most [`TURN`]: where it begins, and its bytes.
pub fn turns((start, bytes): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
    (0..bytes).step_by(TURN).map(move |before| (start + before, (bytes - before).min(TURN)))
}
/// Pages from `va` to the end of its table, or to `end`.
pub(crate) fn span_pages(va: usize, end: usize) -> usize {
    (end.min((va / TABLE_SPAN + 1) * TABLE_SPAN) - va) / PAGE
}
/// Checks that `bytes` from `va` are whole pages of the private part.
pub fn private(va: usize, bytes: usize) -> Result<(), Error> {
    let end = va.checked_add(bytes).ok_or(Error::EINVAL)?;
    let inside = |from, to| va >= from && end <= to;
    let known = inside(PRIVATE_VA, HEAP_END)
        || inside(RECEIVE_VA, DEVICE_VA)
        || inside(DEVICE_VA, STACK_FLOOR)
        || inside(STACK_FLOOR, STACK_TOP);
    if !va.is_multiple_of(PAGE) || bytes == 0 || !known { Err(Error::EINVAL) } else { Ok(()) }
}

impl<R: Ram> Spaces<R> {
    pub const fn new(ram: R) -> Spaces<R> {
        let shared = Shared { code_l1: 0, bare: [0; 2], service_l1: 0, first_frame: usize::MAX };
        Spaces {
            ram,
            frames: Frames::new(),
            shares: Shares::new(),
            pagers: Pagers::new(),
            views: Views::new(),
            accounts: Memories::new(),
            chunks: Chunks::new(),
            shared,
            spaces: [const { None }; MAX_DOMAINS / CHUNK],
        }
    }
    pub fn space(&mut self, asid: usize) -> Result<&mut Space, Error> {
        let chunk = self.spaces.get_mut(asid / CHUNK).and_then(|c| c.as_mut()).ok_or(Error::ESRCH)?;
        let space = &mut chunk[asid % CHUNK];
        if space.root != 0 { Ok(space) } else { Err(Error::ESRCH) }
    }
    /// The number of the domain `id`, while the lock is held. `EDEAD`: it has no space any more, whoever has the number.
    pub fn named(&mut self, id: DomainId) -> Result<usize, Error> {
        self.space_of(id.word()).map(|(asid, _)| asid)
    }
    /// Number and physical address of the root table of the domain whose identity `word` is, likewise.
    #[inline(always)]
    pub fn space_of(&mut self, word: u64) -> Result<(usize, usize), Error> {
        let asid = word as u16 as usize;
        match self.space(asid) {
            Ok(space) if space.id.map_or(0, DomainId::word) == word => Ok((asid, space.root)),
            _ => Err(self.not_a_space(asid)),
        }
    }
    /// Sets space `asid`, which is in range.
    fn set(&mut self, asid: usize, space: Space) -> Result<(), Error> {
        let Spaces { ram, frames, spaces, .. } = self;
        let chunk = &mut spaces[asid / CHUNK];
        if chunk.is_none() {
            let page = frames.take(For::System)?;
            ram.clear(page);
            // SAFETY: the frame is this chunk's for ever, nothing else refers to it, it is large enough and aligned, and zeros
            // are a value of `Space`: `NONE`.
            *chunk = Some(unsafe { &mut *ram.pointer(page).cast::<Chunk>() });
        }
        if let Some(chunk) = chunk {
            chunk[asid % CHUNK] = space;
        }
        Ok(())
    }
    /// A space that the image builder made.
    pub fn adopt(&mut self, id: DomainId, root: usize, heap: usize) -> Result<(), Error> {
        self.set(id.number(), Space { heap, low_end: heap, boot: true, ..Space::new(root, id) })
    }
    /// A new space with the supervisor half and the return page, whose tables it shares; physical address of its root.
    pub fn create(&mut self, id: DomainId) -> Result<usize, Error> {
        let asid = id.number();
        if asid >= MAX_DOMAINS {
            return Err(Error::EINVAL);
        }
        if self.space(asid).is_ok() {
            return Err(Error::EEXIST);
        }
        let root = self.bare_root()?;
        if let Err(error) = self.set(asid, Space::new(root, id)) {
            self.frames.release(Unreachable::unused(root));
            return Err(error);
        }
        Ok(root)
    }
    /// A root table with the supervisor half and the tables of the return page.
    #[inline(always)]
    pub(crate) fn bare_root(&mut self) -> Result<usize, Error> {
        let root = self.frames.take(For::System)?;
        self.ram.clear(root);
        for (place, entry) in supervisor_half(self.shared.code_l1) {
            self.ram.set_entry(root + 8 * place, entry);
        }
        self.ram.set_entry(root, Entry::table(self.shared.bare[0]));
        Ok(root)
    }
    /// Where the entry of `va`, of the private part, is in the tables below `root`, which are the space's own from then on.
    pub(crate) fn make_private(&mut self, asid: usize, root: usize, va: usize) -> Result<usize, Error> {
        let Spaces { ram, frames, shared: Shared { bare: [middle, leaves], .. }, .. } = self;
        const AT: usize = index(RETURN_PAGE, 1);
        let mut changed = tables::unshare(ram, frames, root, *middle, AT);
        if changed.is_ok() && index(va, 1) == AT {
            let at = ram.entry(root).address() + 8 * AT;
            changed = tables::unshare(ram, frames, at, *leaves, index(RETURN_PAGE, 0))
                .map(|also| also || changed == Ok(true));
        }
        // A fence of an address is for leaves.
        if changed != Ok(false) {
            ram.flush_space(asid);
        }
        changed?;
        tables::make_entry(ram, frames, root, va)
    }
    /// Gives back all that a space has. Its domain is no more, and nobody is in it. `EBUSY`: it has views.
    pub fn destroy(&mut self, asid: usize) -> Result<(), Error> {
        let space = *self.space(asid)?;
        if self.has_views(asid) {
            return Err(Error::EBUSY);
        }
        let mut doomed = Doomed::of_the_dead(asid, &mut self.ram);
        let devices = if space.devices { STACK_FLOOR } else { DEVICE_VA };
        let parts = [
            (PRIVATE_VA, space.low_end),
            (RECEIVE_VA, space.received_end),
            (DEVICE_VA, devices),
            (space.high_start, STACK_TOP),
        ];
        for (start, end) in parts {
            for va in spans(start, end) {
                let Some(first) = tables::entry(&self.ram, space.root, va) else { continue };
                for at in (first..).step_by(8).take(span_pages(va, end)) {
                    // Registers are no frames, and what devices write to stays theirs.
                    if self.ram.read(at) != 0 && start != DEVICE_VA {
                        self.take_out(at, va, Unshown::of_the_dead(), &mut doomed);
                    }
                }
                self.release_leaves(first, va, &mut doomed);
            }
        }
        if space.has_segments_above() {
            self.release_segments(space.root, &mut doomed);
        }
        self.release_root(space.root, &mut doomed);
        doomed.bury(&mut self.ram, &mut self.frames);
        if space.devices {
            self.keep_chunks(asid);
        }
        self.forget_cost(asid)?;
        *self.space(asid)? = NONE;
        Ok(())
    }
    /// Gives back the table of leaves of the dead that has entry `first`, of address `va`; but for that of the return page, which is
    /// the last.
    #[inline(always)]
    pub(crate) fn release_leaves(&mut self, first: usize, va: usize, doomed: &mut Doomed) {
        if index(va, 1) != index(RETURN_PAGE, 1) {
            doomed.add(first / PAGE * PAGE, &mut self.ram, &mut self.frames);
        }
    }
    /// Gives back root table `root` of the dead, and what it leads to but those tables.
    #[inline(always)]
    pub(crate) fn release_root(&mut self, root: usize, doomed: &mut Doomed) {
        let Spaces { ram, frames, shared: Shared { bare: [middle, leaves], .. }, .. } = self;
        if let Some(at) = tables::entry(&*ram, root, RETURN_PAGE)
            && at / PAGE * PAGE != *leaves
        {
            doomed.add(at / PAGE * PAGE, ram, frames);
        }
        let l1 = ram.entry(root);
        if l1.is_present() && l1 != Entry::table(*middle) {
            doomed.add(l1.address(), ram, frames);
        }
        // The tables of the windows, never what they show.
        let windows = ram.entry(root + 8);
        if windows.is_present() {
            const TABLES: usize = abi::nucleus::MAX_THREADS * WINDOW_STRIDE / TABLE_SPAN;
            tables::release(ram, frames, doomed, windows.address(), TABLES);
        }
        doomed.add(root, ram, frames);
    }
    /// Takes a page of the nucleus's data, whose entry `at` in the portal manager's space `asid` is that of `va`, out of it.
    pub fn unmap_nucleus(&mut self, asid: usize, at: usize, va: usize) {
        let pa = self.ram.entry(at).address();
        self.burying(asid, |s, doomed| {
            s.ram.write(at, 0);
            doomed.stale(va);
            doomed.add(pa, &mut s.ram, &mut s.frames);
        });
    }
    /// What a space has from now on is supervisor mode's. `EBUSY`: it has something already.
    pub fn make_supervisor(&mut self, asid: usize) -> Result<(), Error> {
        let space = self.space(asid)?;
        if space.cost() != 0 || space.boot {
            return Err(Error::EBUSY);
        }
        space.supervisor = true;
        Ok(())
    }
}
