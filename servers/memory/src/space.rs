//! Address spaces: what is mapped where in a domain's private part, and its window tables. A space has the one domain whose tables are
//! its own, and sees all of it; others may see a part, each through tables of its own ([`crate::views`]).

use crate::accounts::Memories;
use crate::dma::Chunks;
use crate::doomed::{Doomed, Lent, Unlent, Unreachable};
use crate::frames::{For, Frames};
use crate::pagers::Pagers;
use crate::ram::Ram;
use crate::shares::Shares;
use crate::views::Views;
use crate::windows::CALLEE;
use crate::{stacks, tables};
use abi::Error;
use abi::address::*;
use abi::identity::DomainId;
use abi::nucleus::MAX_DOMAINS;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::{Entry, index, is_user_address, supervisor_half};

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
    pub(crate) first_slot: u32,
    /// End of what was ever mapped below `HEAP_END`, and start of what was above `STACK_FLOOR`.
    pub(crate) low_end: usize,
    pub(crate) high_start: usize,
    /// End of what was ever mapped from `RECEIVE_VA` on.
    pub(crate) received_end: usize,
    /// A boot component: its pages are there at once.
    pub boot: bool,
    /// It has device registers.
    devices: bool,
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
const TABLE_SPAN: usize = 512 * PAGE;

/// Addresses in each table of leaves between `start` and `end`: the first page there.
pub(crate) fn spans(start: usize, end: usize) -> impl Iterator<Item = usize> {
    let mut next = start;
    core::iter::from_fn(move || {
        let va = next;
        next = (va / TABLE_SPAN + 1) * TABLE_SPAN;
        (va < end).then_some(va)
    })
}
/// Pages from `va` to the end of its table, or to `end`.
fn span_pages(va: usize, end: usize) -> usize {
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
    /// Maps zeroed pages; none of them if there is not room for all.
    pub fn map(&mut self, asid: usize, va: usize, bytes: usize, rights: Rights) -> Result<(), Error> {
        private(va, bytes)?;
        if !rights.contains(Rights::READ) {
            return Err(Error::EINVAL);
        }
        self.map_range(asid, va, bytes, rights)
    }
    fn map_range(&mut self, asid: usize, va: usize, bytes: usize, rights: Rights) -> Result<(), Error> {
        for at in (va..va + bytes).step_by(PAGE) {
            if let Err(error) = self.map_zeros(asid, at, rights) {
                self.unmap_untold(asid, va, at - va)?;
                return Err(error);
            }
        }
        Ok(())
    }
    /// Maps pages of the archive that starts at physical address `source`: its own, which the first write to one that can be
    /// written copies.
    pub fn map_image(
        &mut self,
        asid: usize,
        va: usize,
        source: usize,
        bytes: usize,
        rights: Rights,
    ) -> Result<(), Error> {
        private(va, bytes.next_multiple_of(PAGE))?;
        if !rights.contains(Rights::READ) || !source.is_multiple_of(PAGE) {
            return Err(Error::EINVAL);
        }
        for at in (0..bytes).step_by(PAGE) {
            if !rights.contains(Rights::WRITE) {
                self.map_at(asid, va + at, source + at, rights, Marks::FOREIGN)?;
            } else {
                self.map_copied(asid, va + at, source + at, rights)?;
            }
        }
        Ok(())
    }
    /// Maps device registers at `va`.
    pub fn map_device(&mut self, asid: usize, va: usize, pa: usize, bytes: usize) -> Result<(), Error> {
        private(va, bytes.next_multiple_of(PAGE))?;
        self.space(asid)?.devices = true;
        for at in (0..bytes).step_by(PAGE) {
            self.map_at(asid, va + at, pa / PAGE * PAGE + at, Rights::READ_WRITE, Marks::FOREIGN)?;
        }
        Ok(())
    }
    /// Copies bytes into the mapped private pages of a space, or into what a view has taken.
    pub fn write(&mut self, asid: usize, va: usize, bytes: &[u8]) -> Result<(), Error> {
        private(va / PAGE * PAGE, (va % PAGE + bytes.len()).next_multiple_of(PAGE).max(PAGE))?;
        let asid = if self.views.get(asid).is_some() { self.taken_in(asid, va, bytes.len())? } else { asid };
        let root = self.space(asid)?.root;
        let mut done = 0;
        while done < bytes.len() {
            let at = va + done;
            self.own(asid, at, true)?;
            let leaf = tables::leaf(&self.ram, root, at);
            if !leaf.is_present() || !leaf.rights().contains(Rights::WRITE) {
                return Err(Error::EFAULT);
            }
            let count = (PAGE - at % PAGE).min(bytes.len() - done);
            self.ram.store(leaf.address() + at % PAGE, &bytes[done..done + count]);
            done += count;
        }
        Ok(())
    }
    /// Replaces the page of `asid` at `va`: by a copy of the page of `by` at `source`, made at the first write of either,
    /// or by zeros where `source` is 0, with `rights`; by nothing where `rights` is 0. A page that windows show is copied at once, and
    /// is not replaced (`EBUSY`). `EAGAIN`: it must be known whether they do.
    pub fn page(
        &mut self,
        by: usize,
        asid: usize,
        va: usize,
        source: usize,
        rights: Rights,
        lent: Lent,
    ) -> Result<(), Error> {
        private(va, PAGE)?;
        let gone = rights == Rights::NONE;
        if !gone && (!rights.contains(Rights::READ) || (by == asid && source == va)) {
            return Err(Error::EINVAL);
        }
        if (DEVICE_VA..STACK_FLOOR).contains(&va) {
            return Err(Error::EINVAL);
        }
        let root = self.space(asid)?.root;
        let old = tables::leaf(&self.ram, root, va);
        // Before anything is done.
        lent.not(old)?;
        if gone {
            return self.unmap(asid, va, lent).and_then(|was| if was { Ok(()) } else { Err(Error::EFAULT) });
        }
        if source == 0 {
            if !old.is_none() {
                self.unmap(asid, va, lent)?;
            }
            return self.map_zeros(asid, va, rights);
        }
        private(source, PAGE)?;
        if (DEVICE_VA..STACK_FLOOR).contains(&source) {
            return Err(Error::EINVAL);
        }
        let root = self.space(by)?.root;
        self.own(by, source, false)?;
        let at = tables::entry(&self.ram, root, source).filter(|&at| self.ram.entry(at).is_present());
        let at = at.ok_or(Error::EFAULT)?;
        let value = self.ram.entry(at);
        if value.marks() == Marks::FOREIGN {
            return Err(Error::EFAULT);
        }
        // Its entry changes, also where it can not be written.
        if !value.has(Marks::LAZY) {
            lent.shows(value.address())?;
        }
        if !old.is_none() {
            self.unmap(asid, va, lent)?;
        }
        let copied = self.copy_page(at, asid, va, rights, lent);
        // What its owner has written may be executed there.
        self.ram.written_with(rights);
        if self.ram.entry(at) != value {
            self.ram.flush_page(by, source);
            self.stale(by, source);
        }
        copied
    }
    /// Physical address of the frame that a space has to itself at `va`.
    pub fn frame_of(&mut self, asid: usize, va: usize) -> Result<usize, Error> {
        private(va / PAGE * PAGE, PAGE)?;
        if (DEVICE_VA..STACK_FLOOR).contains(&va) {
            return Err(Error::EFAULT);
        }
        self.own(asid, va, true)?;
        let root = self.space(asid)?.root;
        let leaf = tables::leaf(&self.ram, root, va);
        let own = leaf.is_present() && leaf.rights().contains(Rights::WRITE) && leaf.marks().is_empty();
        if own { Ok(leaf.address()) } else { Err(Error::EFAULT) }
    }
    pub fn set_heap(&mut self, asid: usize, start: usize) -> Result<(), Error> {
        if !start.is_multiple_of(PAGE) || !(PRIVATE_VA..HEAP_END).contains(&start) {
            return Err(Error::EINVAL);
        }
        self.space(asid)?.heap = start;
        Ok(())
    }
    /// Grows the heap by `pages`; its old end.
    pub fn grow(&mut self, asid: usize, pages: usize) -> Result<usize, Error> {
        if self.views.get(asid).is_some() {
            let grow = |s: &mut Self, space| s.grow(space, pages).map(|old| (old, pages * PAGE));
            return self.taking(asid, Rights::READ_WRITE, grow);
        }
        let old = self.space(asid)?.heap;
        let bytes = pages.checked_mul(PAGE).filter(|b| *b <= HEAP_END - old).ok_or(Error::ENOMEM)?;
        self.map_range(asid, old, bytes, Rights::READ_WRITE)?;
        self.space(asid)?.heap = old + bytes;
        Ok(old)
    }
    /// A new stack; its top.
    pub fn stack(&mut self, asid: usize, bytes: usize) -> Result<usize, Error> {
        if self.views.get(asid).is_some() {
            let stack = |s: &mut Self, space| {
                let top = s.stack(space, bytes)?;
                let size = stacks::size(bytes)?;
                Ok((top - size, size))
            };
            return Ok(self.taking(asid, Rights::READ_WRITE, stack)? + stacks::size(bytes)?);
        }
        let count = stacks::slots(bytes)?;
        let Space { root, first_slot, .. } = *self.space(asid)?;
        let ram = &self.ram;
        let used = |n| !tables::leaf(ram, root, stacks::top(n) - PAGE).is_none();
        let n = stacks::find(first_slot as usize, count, used)?;
        let top = stacks::top(n);
        let size = stacks::size(bytes)?;
        self.map_range(asid, top - size, size, Rights::READ_WRITE)?;
        if n == first_slot as usize {
            self.space(asid)?.first_slot = (n + count) as u32;
        }
        Ok(top)
    }
    /// Gives a stack back: its pages down to its guard, or to one that a window shows (`EBUSY`).
    pub fn release_stack(&mut self, asid: usize, top: usize, lent: Lent) -> Result<(), Error> {
        let asid = self.views.get(asid).map_or(asid, |view| view.space as usize);
        let n = stacks::slot(top).ok_or(Error::EINVAL)?;
        self.burying(asid, |s, doomed| {
            let mut page = top - PAGE;
            while s.take_page(asid, page, lent, doomed)? {
                page -= PAGE;
            }
            Ok(())
        })?;
        let space = self.space(asid)?;
        space.first_slot = space.first_slot.min(n as u32);
        Ok(())
    }
    /// Copies the private part of `from` to `to`, which has nothing but its return page: pages are shared until one of the
    /// two writes. Those that windows show, or all where that is not known, are copied at once. Views of `to` see what their models see.
    pub fn copy(&mut self, from: usize, to: usize, lent: Lent) -> Result<(), Error> {
        let copied = self.copy_parts(from, to, lent).and_then(|()| self.copy_views(from, to));
        // What was the space's own can not be written any more.
        self.ram.flush_space(from);
        self.all_stale(from);
        copied
    }
    fn copy_parts(&mut self, from: usize, to: usize, lent: Lent) -> Result<(), Error> {
        let source = *self.space(from)?;
        let target = *self.space(to)?;
        *self.space(to)? = Space {
            root: target.root,
            id: target.id,
            pages: target.pages,
            common: target.common,
            tables: target.tables,
            account: target.account,
            boot: false,
            devices: false,
            ..source
        };
        // A device belongs to the driver alone.
        let received = (RECEIVE_VA, source.received_end);
        for (start, end) in [(PRIVATE_VA, source.low_end), received, (source.high_start, STACK_TOP)] {
            for va in spans(start, end) {
                if let Some(first) = tables::entry(&self.ram, source.root, va) {
                    self.copy_entries(to, first, va, span_pages(va, end), lent)?;
                }
            }
        }
        Ok(())
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
                        self.take_out(at, va, Unlent::of_the_dead(), &mut doomed);
                    }
                }
                self.release_leaves(first, va, &mut doomed);
            }
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
    /// Makes service stacks visible in a space.
    pub fn trust(&mut self, asid: usize) -> Result<(), Error> {
        let root = self.space(asid)?.root;
        self.ram.set_entry(root + 8 * index(SERVICE_VA, 2), Entry::table(self.shared.service_l1));
        Ok(())
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
    /// Entry of a page of the service stacks, in the tables that all trusted spaces share. They stay.
    fn service_entry(&mut self, va: usize) -> Result<usize, Error> {
        let at = self.shared.service_l1 + 8 * index(va, 1);
        let value = self.ram.entry(at);
        let l0 = if value.is_present() {
            value.address()
        } else {
            let new = self.frames.take(For::System)?;
            self.ram.clear(new);
            self.ram.set_entry(at, Entry::table(new));
            new
        };
        Ok(l0 + 8 * index(va, 0))
    }
    /// Maps the service stack of thread `thread`, if it is not.
    pub fn service_stack(&mut self, thread: usize) -> Result<(), Error> {
        if thread == 0 || thread >= abi::nucleus::MAX_THREADS {
            return Err(Error::EINVAL);
        }
        let top = service_top(thread);
        for va in (top - SERVICE_STACK..top).step_by(PAGE) {
            let at = self.service_entry(va)?;
            if !self.ram.entry(at).is_present() {
                let pa = self.frames.take(For::System)?;
                self.ram.clear(pa);
                self.ram.set_entry(at, Entry::user(pa, Rights::READ_WRITE, Marks::empty()));
            }
        }
        Ok(())
    }
    /// Why a window on `address` of `caller` could not be opened in `callee` for thread `thread`. `Ok`: it can be now; false:
    /// nothing had to be done for that.
    pub fn window(
        &mut self,
        caller: usize,
        callee: usize,
        address: usize,
        write: bool,
        thread: usize,
    ) -> Result<bool, Error> {
        let slots = window_base(thread);
        let callee_root = self.root(callee).ok_or(Error::ESRCH)?;
        if tables::entry(&self.ram, callee_root, slots).is_none() {
            let made = |s: &mut Self| tables::make_entry(&mut s.ram, &mut s.frames, callee_root, slots);
            return self.counting_tables(callee, made).map(|_| true);
        }
        if self.views.get(caller).is_some() {
            return self.window_of_view(caller, address, write);
        }
        // What is shown is the caller's alone: a page that is shared would change hands under the window.
        let changed = self.own(caller, address, true)?;
        let root = self.space(caller)?.root;
        let leaf = tables::leaf(&self.ram, root, address);
        if leaf.allows_at_once(Rights::of_window(write)) { Ok(changed) } else { Err(Error::EFAULT) }
    }
    /// Window slot `va` of a space is touched: maps what a call has left in `word` of its thread, if it is open still; whether.
    pub fn touch(&mut self, asid: usize, va: usize, word: usize) -> bool {
        // One that is mapped has an address there, which is no domain's.
        let open = |kept: u64| kept != 0 && (kept >> CALLEE) as usize == asid;
        let Some(root) = self.root(asid) else { return false };
        if !open(self.ram.read(word)) {
            return false;
        }
        let Ok(at) = tables::make_entry(&mut self.ram, &mut self.frames, root, va) else { return false };
        // The call may have returned since, or return now: portal code does not ask for the lock.
        self.ram.undisturbed(|ram| {
            let kept = ram.read(word);
            if open(kept) {
                ram.write(at, kept & ((1 << CALLEE) - 1));
                ram.write(word, supervisor(at) as u64);
            }
            open(kept)
        })
    }
    /// Closes all windows of `asid`, which nobody will use any more.
    pub fn close_windows(&mut self, asid: usize) -> Result<(), Error> {
        let root = self.root(asid).ok_or(Error::ESRCH)?;
        for first in (WINDOW_VA..window_base(abi::nucleus::MAX_THREADS)).step_by(TABLE_SPAN) {
            let Some(at) = tables::entry(&self.ram, root, first) else { continue };
            (0..512).for_each(|n| self.ram.write(at + 8 * n, 0));
        }
        Ok(())
    }
    /// An access to `va` faulted that wanted one right. Makes it possible where the page is the space's own; false: it is
    /// not allowed.
    pub fn resolve(&mut self, asid: usize, va: usize, access: Rights) -> bool {
        let Ok(root) = self.space(asid).map(|s| s.root) else { return false };
        self.resolve_in((asid, root), va, access)
    }
    /// The same in space `asid`, whose root table is `root`.
    #[inline(always)]
    pub fn resolve_in(&mut self, (asid, root): (usize, usize), va: usize, access: Rights) -> bool {
        // The return page is there for everybody from the start, but not for supervisor mode: no access to it is possible later.
        if !is_user_address(va) || va / PAGE == RETURN_PAGE / PAGE {
            return false;
        }
        let Some(at) = tables::entry(&self.ram, root, va) else { return false };
        if self.own_at(at, access == Rights::WRITE) {
            // A view may show what was there until now.
            self.stale(asid, va);
        }
        let possible = self.ram.entry(at).allows(access);
        if possible {
            // The frame that it may have shown; or that it is known as missing.
            self.ram.flush_page(asid, va);
        }
        possible
    }
}
