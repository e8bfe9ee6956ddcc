//! Views: domains that see a part of another one's address space, each with a root table of its own. What lies where is the space's,
//! and is in the space's own tables ([`crate::space`]); a view has *regions*, each with rights, and shows of them what its
//! space has there, never with more rights than the space's own domain.
//!
//! **A view's table is what a TLB would be that software fills.** It is filled by the view's own faults, a page at a time, with
//! copies of the space's entries; and whoever changes an entry of the space in a way that a TLB has to be told of, tells
//! the views in the same place ([`Spaces::stale`]): their entries go before the frame does. So the rule of [`crate::doomed`] holds for
//! them too. An entry that a portal may have lent is taken away from a view only while the portal manager keeps the view's domain from
//! lending, as that of a space is.
//!
//! A region that is new in a space is seen by the space's domain alone. What a view's own domain takes (stacks, heap) is seen by
//! that one too, and ends with it. A page that is unmapped is no region's any more, unless a pager answers for its address.

mod destruction;
mod patches;

use crate::open_windows::OpenWindows;
use crate::ram::Ram;
use crate::space::{Spaces, private, span_pages, spans};
use crate::tables;
use crate::view::{MOST_REGIONS, REGIONS, Region, View};
use abi::Error;
use abi::address::*;
use abi::identity::DomainId;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::{Entry, is_user_address};

/// What becomes of a view's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The access is possible now.
    Now,
    /// It would be, but the space has nothing there: who answers for the space's faults is asked.
    Missing(DomainId),
    /// The view does not see that.
    Not,
}

impl<R: Ram> Spaces<R> {
    /// Physical address of the root table of domain `asid`, whether it has a space of its own or a view of another's.
    pub fn root(&mut self, asid: usize) -> Option<usize> {
        let own = self.space(asid).map(|space| space.root).ok();
        own.or_else(|| self.views.get(asid).map(|view| view.root))
    }
    /// Number and root table of the domain whose identity `word` is, likewise. `EDEAD`: it is no more.
    pub fn tables_of(&mut self, word: u64) -> Result<(usize, usize), Error> {
        let asid = word as u16 as usize;
        match self.views.get(asid) {
            Some(view) if view.id.map_or(0, DomainId::word) == word => Ok((asid, view.root)),
            _ => self.space_of(word),
        }
    }
    /// Why domain `asid` has no space: it has a view (`ENOTSUP`), or is no more (`EDEAD`).
    #[cold]
    pub(crate) fn not_a_space(&self, asid: usize) -> Error {
        if self.views.get(asid).is_some() { Error::ENOTSUP } else { Error::EDEAD }
    }
    /// Whose pages domain `id` sees: its own, or those of the domain whose space it has a view of.
    pub fn whose_pages(&mut self, id: DomainId) -> DomainId {
        let Some(space) = self.views.get(id.number()).map(|view| view.space as usize) else { return id };
        self.space(space).ok().and_then(|space| space.id).unwrap_or(id)
    }
    /// The space that domain `asid` takes memory in, and the domain, if it has only a view of it.
    fn taker(&self, asid: usize) -> (usize, Option<usize>) {
        self.views.get(asid).map_or((asid, None), |view| (view.space as usize, Some(asid)))
    }
    /// Runs `take` for the space that domain `asid` takes memory in. What it has taken there, `bytes` from the address that it
    /// returns and `below`, a view sees with these rights.
    pub(crate) fn taking(
        &mut self,
        asid: usize,
        rights: Rights,
        take: impl FnOnce(&mut Self, usize) -> Result<(usize, usize), Error>,
    ) -> Result<usize, Error> {
        let (space, viewer) = self.taker(asid);
        let (va, bytes) = take(self, space)?;
        if let Some(view) = viewer.filter(|_| bytes > 0) {
            let room = self.part_room(space, view, bytes / PAGE);
            let shown = room.and_then(|()| self.see(view, (va, va + bytes), rights, true));
            if let Err(error) = shown {
                self.unmap_untold(space, va, bytes)?;
                return Err(error);
            }
        }
        Ok(va)
    }
    /// Whether view `view` may take `pages` more: its task pays for them, and its own account says how many all of that account may take
    /// there. `ENOMEM`: it has taken them.
    fn part_room(&mut self, space: usize, view: usize, pages: usize) -> Result<(), Error> {
        let payer = self.space(space)?.account;
        let Some(&View { account, .. }) = self.views.get(view).filter(|view| view.account != payer) else {
            return Ok(());
        };
        let others = self.views.of(space).filter(|(_, other)| other.account == account);
        let taken: usize = others.map(|(number, _)| self.views.taken(number)).sum();
        self.account_room(account as usize, taken + pages)
    }
    /// A view of space `space` for domain `id`, which sees nothing; physical address of its root table. `EINVAL`: there is no such
    /// space.
    #[cfg_attr(target_os = "none", optimize(size))]
    pub fn create_view(&mut self, id: DomainId, space: usize, account: usize) -> Result<usize, Error> {
        let asid = id.number();
        self.space(space).map_err(|_| Error::EINVAL)?;
        self.accounts.of(account)?;
        if self.root(asid).is_some() {
            return Err(Error::EEXIST);
        }
        let Self { ram, frames, views, .. } = self;
        for number in [space, asid] {
            // SAFETY: zeros are a view that is none.
            unsafe { views.records.make(number, ram, frames)? };
        }
        let root = self.bare_root()?;
        let first = self.views.records.get_mut(space).map_or(0, |head| core::mem::replace(&mut head.next, asid as u16));
        if let Some(view) = self.views.records.get_mut(asid) {
            let space = space as u16;
            *view =
                View { root, id: Some(id), space, next: first, tables: 0, model: 0, account: account as u8, patch: 0 };
        }
        self.views.count += 1;
        Ok(root)
    }
    /// Makes pages from `start` on visible to view `view` with `rights`, in place of what it has there; with none, invisible. Who asks
    /// is `by`: the space's own domain, or a view of it, which can pass on no more than it has. `EACCESS`: more rights than they
    /// have; `EFAULT`: nothing is there; `EBUSY`: a window on one of them is open; `EAGAIN`: that must be known; `ENFILE`, `ENOMEM`.
    #[cfg_attr(target_os = "none", optimize(size))]
    pub fn make_visible(
        &mut self,
        by: usize,
        view: usize,
        (start, bytes): (usize, usize),
        rights: Rights,
        windows: OpenWindows,
    ) -> Result<(), Error> {
        // Nothing has changed before all is known to be possible.
        self.can_be_visible(by, view, (start, bytes), rights, windows)?;
        let range = (start, start + bytes);
        self.cut_but_what_was_taken(view, range, rights)?;
        self.blind(view, range);
        if rights == Rights::NONE { Ok(()) } else { self.see_between_what_was_taken(view, range, rights) }
    }
    /// Whether there is room for what becomes of a view's regions while it is made to see a range otherwise in turns. `ENFILE`.
    pub fn room_for_turns(&mut self, view: usize, (start, bytes): (usize, usize)) -> Result<(), Error> {
        // Between two turns a region may be in three parts.
        self.region_room(view, (start, start + bytes), 2)
    }
    /// Whether [`make_visible`](Self::make_visible) can do that: its errors. The view has the tables for it then.
    #[cfg_attr(target_os = "none", optimize(size))]
    pub fn can_be_visible(
        &mut self,
        by: usize,
        view: usize,
        (start, bytes): (usize, usize),
        rights: Rights,
        windows: OpenWindows,
    ) -> Result<(), Error> {
        private(start, bytes)?;
        let none = rights == Rights::NONE;
        if !bytes.is_multiple_of(PAGE) || !none && !rights.contains(Rights::READ) {
            return Err(Error::EINVAL);
        }
        let View { space, root, .. } = *self.views.get(view).ok_or(Error::EINVAL)?;
        let space = space as usize;
        let range = (start, start + bytes);
        if !none {
            self.may_show(by, space, range, rights)?;
        }
        for (va, first) in self.tables_there(root, range) {
            for n in 0..span_pages(va, range.1) {
                windows.not(self.ram.entry(first + 8 * n))?;
            }
        }
        if !none {
            self.view_tables(view, range)?;
        }
        self.region_room(view, range, 0)
    }
    /// Whether there is room for what becomes of a view's regions where it sees a range otherwise: two that are left of those at its ends, and one
    /// beside each in which it has taken pages; and for `others`. `ENFILE`: it has too many then, or all views together.
    fn region_room(&mut self, view: usize, (start, end): (usize, usize), others: usize) -> Result<(), Error> {
        let (mut after, mut more) = (1 + others, 3 + others);
        for region in self.views.regions_of(view) {
            let (first, behind) = region.range();
            let taken = region.own as usize;
            let meets = region.meets(start, end);
            after += if meets { (first < start) as usize + (behind > end) as usize + 2 * taken } else { 1 };
            more += if meets { taken } else { 0 };
        }
        if after > REGIONS {
            return Err(Error::ENFILE);
        }
        let Self { ram, frames, views, .. } = self;
        views.regions.room_for((ram, frames), more)
    }
    /// Takes a range out of the regions of a view, but for pages that its domain has taken: whatever it sees of them, they are its own until it ends.
    fn cut_but_what_was_taken(&mut self, view: usize, range: (usize, usize), rights: Rights) -> Result<(), Error> {
        let (start, end) = ((range.0 / PAGE) as u32, (range.1 / PAGE) as u32);
        let kept = |r: &Region| r.own && r.rights() == rights;
        let other = |r: &Region| r.start < end && start < r.end && !kept(r);
        while let Some(region) = self.views.regions.remove(view as u16, other) {
            let (from, to) = (region.start.max(start), region.end.min(end));
            self.keep_regions(view, [Region { end: from, ..region }, Region { start: to, ..region }])?;
            if region.own {
                self.keep_with_before(view, Region { start: from, end: to, rights: rights.bits() as u8, own: true })?;
            }
        }
        Ok(())
    }
    fn see_between_what_was_taken(
        &mut self,
        view: usize,
        (mut start, end): (usize, usize),
        rights: Rights,
    ) -> Result<(), Error> {
        while start < end {
            let own = self.views.regions_of(view).filter(|r| r.own && r.meets(start, end));
            let next = own.min_by_key(|r| r.start).map_or((end, end), |r| r.range());
            if start < next.0 {
                self.see(view, (start, next.0), rights, false)?;
            }
            start = next.1;
        }
        Ok(())
    }
    #[inline(never)]
    fn keep_regions(&mut self, view: usize, parts: impl IntoIterator<Item = Region>) -> Result<(), Error> {
        let Self { ram, frames, views, .. } = self;
        let mut parts = parts.into_iter().filter(|part| part.start < part.end);
        parts.try_for_each(|part| views.regions.insert((ram, frames), view as u16, part))
    }
    /// The entries of a range, by the tables that there are: the first page in each, and where its entry is. Where there is no table, nothing is looked at.
    fn tables_there(&self, root: usize, (start, end): (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
        spans(start, end).filter_map(move |va| tables::entry(&self.ram, root, va).map(|first| (va, first)))
    }
    /// Whether domain `by` can show a range of `space` with these rights.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn may_show(&mut self, by: usize, space: usize, (start, end): (usize, usize), rights: Rights) -> Result<(), Error> {
        let own = self.space(space)?;
        let (root, id) = (own.root, own.id);
        for va in (start..end).step_by(PAGE) {
            if by != space {
                let has = self.views.region(by, va).map_or(Rights::NONE, |region| region.rights());
                if !has.contains(rights) {
                    return Err(if has == Rights::NONE { Error::EFAULT } else { Error::EACCESS });
                }
            }
            let entry = tables::leaf(&self.ram, root, va);
            let copied = entry.is_present() && entry.has(Marks::LAZY);
            let has = entry.rights().union(if copied { Rights::WRITE } else { Rights::NONE });
            if entry.is_none() {
                // Its pages come and go.
                let paged = id.is_some_and(|id| self.pagers.pager(id, va).is_some());
                if !paged {
                    return Err(Error::EFAULT);
                }
            } else if !has.contains(rights) {
                return Err(Error::EACCESS);
            }
        }
        Ok(())
    }
    /// Makes the tables that a view needs to show a range, so that no fault needs any.
    fn view_tables(&mut self, view: usize, (start, end): (usize, usize)) -> Result<(), Error> {
        for va in spans(start, end) {
            let Some(&View { root, account, .. }) = self.views.get(view) else { return Err(Error::EINVAL) };
            self.account_room(account as usize, 3)?;
            self.counting_tables(view, |s| s.make_private(view, root, va))?;
        }
        Ok(())
    }
    /// View `view` has so many more page tables of its own.
    pub(crate) fn count_view_tables(&mut self, view: usize, made: usize) {
        let Self { views, accounts, .. } = self;
        if let Some(view) = views.records.get_mut(view).filter(|view| view.root != 0) {
            view.tables += made as u16;
            accounts.change(view.account as usize, made as i32);
        }
    }
    /// View `view` sees a range from now on, of which it has seen nothing. `ENFILE`: its own domain has taken memory in too many places.
    pub(crate) fn see(&mut self, view: usize, range: (usize, usize), rights: Rights, own: bool) -> Result<(), Error> {
        if own && self.views.regions_of(view).count() >= MOST_REGIONS {
            return Err(Error::ENFILE);
        }
        self.view_tables(view, range)?;
        self.forget_all_patched(view);
        let (start, end) = ((range.0 / PAGE) as u32, (range.1 / PAGE) as u32);
        self.keep_with_before(view, Region { start, end, rights: rights.bits() as u8, own })
    }
    /// A region more; together with what lies before it, if that is alike: what a heap takes piece by piece is one, and what is shown in turns.
    fn keep_with_before(&mut self, view: usize, mut region: Region) -> Result<(), Error> {
        let Self { ram, frames, views, .. } = self;
        let before = |r: &Region| (r.end, r.rights, r.own) == (region.start, region.rights, region.own);
        if let Some(before) = views.regions.remove(view as u16, before) {
            region.start = before.start;
        }
        views.regions.insert((ram, frames), view as u16, region)
    }
    /// Takes a range out of the regions of a view; what remains of one may need a record more.
    #[cfg_attr(target_os = "none", optimize(size))]
    pub(crate) fn cut(&mut self, view: usize, (start, end): (usize, usize)) -> Result<(), Error> {
        let (start, end) = ((start / PAGE) as u32, (end / PAGE) as u32);
        let overlaps = |r: &Region| r.start < end && start < r.end;
        while let Some(region) = self.views.regions.remove(view as u16, overlaps) {
            self.keep_regions(view, [Region { end: start, ..region }, Region { start: end, ..region }])?;
        }
        Ok(())
    }
    /// Forgets what a view's table has of a range.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn blind(&mut self, view: usize, (start, end): (usize, usize)) {
        let Some(&View { root, .. }) = self.views.get(view) else { return };
        self.forget_all_patched(view);
        self.forget_entries(view, root, (start, end));
    }
    fn forget_entries(&mut self, view: usize, root: usize, (start, end): (usize, usize)) {
        for va in spans(start, end) {
            let Some(first) = tables::entry(&self.ram, root, va) else { continue };
            for n in 0..span_pages(va, end) {
                self.forget_at(view, first + 8 * n, va + n * PAGE);
            }
        }
    }
    fn forget_entry(&mut self, view: usize, root: usize, va: usize) {
        if let Some(at) = tables::entry(&self.ram, root, va) {
            self.forget_at(view, at, va);
        }
    }
    #[inline(always)]
    fn forget_at(&mut self, view: usize, at: usize, va: usize) {
        if self.ram.read(at) != 0 {
            self.ram.write(at, 0);
            self.ram.flush_page(view, va);
        }
    }
    /// The entry of `va` in space `space` has changed, or is about to, so that what TLBs know of it is wrong; so is what views have.
    #[inline(always)]
    pub(crate) fn stale(&mut self, space: usize, va: usize) {
        if self.views.count != 0 {
            self.stale_in_views(space, va);
        }
    }
    #[cold]
    #[inline(never)]
    fn stale_in_views(&mut self, space: usize, va: usize) {
        let mut next = self.views.of(space).next();
        while let Some((number, view)) = next {
            self.forget_patched(view.patch, va);
            self.forget_entry(number, view.root, va);
            next = self.views.numbered(view.next);
        }
    }
    /// The same of all that space `space` has.
    #[inline(always)]
    pub(crate) fn all_stale(&mut self, space: usize) {
        if self.views.count != 0 {
            self.all_stale_in_views(space);
        }
    }
    #[cold]
    #[inline(never)]
    fn all_stale_in_views(&mut self, space: usize) {
        let mut next = self.views.of(space).next();
        while let Some((number, view)) = next {
            self.forget_all_patched(number);
            // Regions do not change meanwhile.
            let mut n = 0;
            loop {
                let Some(region) = self.views.regions.of(number as u16).nth(n) else { break };
                self.forget_entries(number, view.root, region.range());
                n += 1;
            }
            next = self.views.numbered(view.next);
        }
    }
    /// Whether the page at `va` of space `space` can be unmapped: around it may lie pages that a view's own domain has taken, which are a region more
    /// then, and not to be lost as what it was shown may be, for they end with the view. `ENFILE`, `ENOMEM`.
    #[inline(always)]
    pub(crate) fn can_be_unseen(&mut self, space: usize, va: usize) -> Result<(), Error> {
        if self.views.count == 0 { Ok(()) } else { self.room_around(space, va) }
    }
    #[cold]
    #[inline(never)]
    fn room_around(&mut self, space: usize, va: usize) -> Result<(), Error> {
        let (mut more, mut taken, mut full) = (0, false, false);
        let mut next = self.views.of(space).next();
        while let Some((number, view)) = next {
            if let Some(region) = self.views.region(number, va).filter(|region| region.splits_at(va)) {
                more += 1;
                taken |= region.own;
                full |= region.own && self.views.regions_of(number).count() >= REGIONS;
            }
            next = self.views.numbered(view.next);
        }
        let id = if taken { self.space(space)?.id } else { return Ok(()) };
        if id.is_some_and(|id| self.pagers.pager(id, va).is_some()) {
            return Ok(());
        }
        if full {
            return Err(Error::ENFILE);
        }
        let Self { ram, frames, views, .. } = self;
        views.regions.room_for((ram, frames), more)
    }
    /// The page at `va` of space `space` is unmapped: no view sees what comes there later, unless a pager answers for it.
    #[inline(always)]
    pub(crate) fn unseen(&mut self, space: usize, va: usize) {
        if self.views.count != 0 {
            self.unseen_by_views(space, va);
        }
    }
    #[cold]
    #[inline(never)]
    fn unseen_by_views(&mut self, space: usize, va: usize) {
        self.stale_in_views(space, va);
        let id = self.space(space).ok().and_then(|space| space.id);
        if id.is_some_and(|id| self.pagers.pager(id, va).is_some()) {
            return;
        }
        let mut next = self.views.of(space).next();
        while let Some((number, view)) = next {
            self.unseen_by(number, va);
            next = self.views.numbered(view.next);
        }
    }
    /// Without a record for it, what lies behind the page is unseen too: where there is none left, or it would be one too many. For what the view's own
    /// domain has taken there is one ([`Self::can_be_unseen`]).
    #[inline(never)]
    fn unseen_by(&mut self, view: usize, va: usize) {
        let Some(region) = self.views.region(view, va) else { return };
        let splits = region.splits_at(va) && !region.own;
        let full = splits && self.views.regions_of(view).count() >= REGIONS;
        let _ = self.cut(view, (va, if full { region.range().1 } else { va + PAGE }));
    }
    /// An access of view `view` to `va` faulted that wanted one right; or (`alone`) a portal is to lend the page, which then must be
    /// the space's own.
    pub fn resolve_view(&mut self, view: usize, va: usize, access: Rights, alone: bool) -> Seen {
        let Some(&View { space, root, .. }) = self.views.get(view) else { return Seen::Not };
        if !is_user_address(va) {
            return Seen::Not;
        }
        let va = va / PAGE * PAGE;
        let Some(region) = self.views.region(view, va).filter(|region| region.rights().contains(access)) else {
            return Seen::Not;
        };
        let space = space as usize;
        let Ok((space_root, id)) = self.space(space).map(|s| (s.root, s.id)) else { return Seen::Not };
        let missing = id.map_or(Seen::Not, Seen::Missing);
        if tables::leaf(&self.ram, space_root, va).is_none() {
            return missing;
        }
        if self.own(space, va, access == Rights::WRITE || alone).is_err() {
            return Seen::Not;
        }
        let value = tables::leaf(&self.ram, space_root, va);
        let Some(at) = tables::entry(&self.ram, root, va).filter(|_| value.allows(access)) else {
            return Seen::Not;
        };
        let rights = value.rights().intersection(region.rights());
        let marks = value.marks().intersection(Marks::LAZY).union(Marks::FOREIGN);
        let entry = Entry::user(value.address(), rights, marks);
        if self.ram.entry(at) != entry {
            self.ram.set_entry(at, entry);
        }
        // It may be known as missing.
        self.ram.flush_page(view, va);
        Seen::Now
    }
    /// Whether view `view` sees a page that is the frame at `pa`, with these rights.
    pub(crate) fn view_shows(&mut self, view: usize, pa: usize, rights: Rights) -> bool {
        let Some(&View { space, .. }) = self.views.get(view) else { return false };
        let Some(root) = self.root(space as usize) else { return false };
        let regions = self.views.regions.of(view as u16).filter(|r| r.rights().contains(rights));
        regions.into_iter().flat_map(|region| region.pages()).any(|va| {
            let leaf = tables::leaf(&self.ram, root, va);
            leaf.is_present() && leaf.address() == pa && leaf.rights().contains(rights)
        })
    }
    /// Whether somebody has a view of space `space`.
    pub(crate) fn has_views(&self, space: usize) -> bool {
        self.views.of(space).next().is_some()
    }
    /// [`Spaces::window`] for a page of a view's.
    #[cold]
    pub(crate) fn window_of_view(&mut self, view: usize, address: usize, write: bool) -> Result<bool, Error> {
        let root = self.root(view).ok_or(Error::ESRCH)?;
        let wanted = Rights::of_window(write);
        let ready = |s: &Self| tables::leaf(&s.ram, root, address).allows_at_once(wanted);
        if ready(self) {
            return Ok(false);
        }
        let seen = self.resolve_view(view, address, if write { Rights::WRITE } else { Rights::READ }, true);
        if seen == Seen::Now && ready(self) { Ok(true) } else { Err(Error::EFAULT) }
    }
    /// Whether each entry of a view's tables shows what its space has there, with no more rights than its region says.
    pub(crate) fn view_entry_holds(&mut self, view: usize, va: usize, leaf: Entry) -> bool {
        let Some(&View { space, .. }) = self.views.get(view) else { return false };
        let Some(root) = self.root(space as usize) else { return false };
        let (value, rights) = (tables::leaf(&self.ram, root, va), leaf.rights());
        let seen = self.views.region(view, va).is_some_and(|region| region.rights().contains(rights));
        let same = value.is_present() && value.address() == leaf.address() && value.rights().contains(rights);
        let shown = leaf.is_present() && leaf.is_user() && !leaf.is_global() && leaf.has(Marks::FOREIGN);
        shown && same && seen && leaf.has(Marks::LAZY) == value.has(Marks::LAZY)
    }
}
