//! What calls of a view's domain to its task write into the view's table for as long as the task's code executes there ([`abi::patch`]).
//!
//! The pages are those at which such a call has left the patch by a fault: of the space, and not of the view. Their entries are copies of the space's,
//! as the view's own are, and go where those go ([`Spaces::stale`]); and a page that the view sees from now on is no patch's any more.
//! Nobody finds a patch open here: whoever comes here has left it.

use crate::open_windows::OpenWindows;
use crate::ram::Ram;
use crate::space::Spaces;
use crate::tables;
use crate::view::View;
use abi::Error;
use abi::address::{PAGE, RETURN_PAGE, supervisor};
use abi::patch::{PAGES, Page, Patch};
use arch::Marks;
use arch::paging::Entry;
use core::mem::offset_of;

/// What two ways of switching cost, in tenths of cycles of the core that the system is measured on (CVA6; the book, "Which switch is cheapest?").
mod cost {
    /// Entries of a translation buffer.
    pub const ENTRIES: usize = 16;
    /// A translation that is not there.
    pub const MISS: usize = 120;
    /// Two writes of the address space.
    pub const SPACE: usize = 60;
    /// A patch without pages, opened and closed.
    pub const PATCH: usize = 360;
    /// One page of it: written, missed, cleared, and its translation fenced.
    pub const PAGE: usize = 580;
}
/// The most pages of a patch with which a call costs less than with two address spaces, where the callee touches what its caller has touched, `touched`
/// pages. The formula is Bryce and Muller's for a round trip, D * (2y + tlb_miss + tlb_sel) < tlb_glob + F * tlb_miss; but that with numbers for address
/// spaces nothing is flushed, and there are misses only where the entries of both do not fit.
fn most_pages(touched: usize) -> usize {
    let misses = if 2 * touched > cost::ENTRIES { 2 * touched.min(cost::ENTRIES) * cost::MISS } else { 0 };
    ((cost::SPACE + misses).saturating_sub(cost::PATCH) / cost::PAGE).min(PAGES)
}

/// Pages of a view that are looked at to find those that its domain touches: what it sees may be a gigabyte, and others wait meanwhile.
const LOOKED_AT: usize = 1024;
const FIRST: usize = offset_of!(Patch, pages);
const NEXT: usize = size_of::<Page>();

impl<R: Ram> Spaces<R> {
    /// Pages that the table of view `view` has, of those that it may see.
    fn touched(&self, view: usize) -> usize {
        let Some(root) = self.views.get(view).map(|view| view.root) else { return 0 };
        let pages = self.views.regions_of(view).flat_map(|region| region.pages()).take(LOOKED_AT);
        pages.filter(|&va| tables::leaf(&self.ram, root, va).is_present()).count()
    }
    /// The table of view `view` has nothing but what windows may show: what it has after that, its domain has touched since.
    fn forget_touched(&mut self, view: usize, windows: OpenWindows) {
        let Some(root) = self.views.get(view).map(|view| view.root) else { return };
        let (mut n, mut left) = (0, LOOKED_AT);
        loop {
            let region = self.views.regions_of(view).nth(n);
            let Some(region) = region else { return };
            for va in region.pages().take(left) {
                if windows.not(tables::leaf(&self.ram, root, va)).is_ok() {
                    self.forget_entry(view, root, va);
                }
                left -= 1;
            }
            n += 1;
        }
    }
    /// Has calls of view `view`'s domain to its task, whose portal table is `callee`, patch up to [`PAGES`] pages, or (`cheapest`) as many as cost less than
    /// the task's address space with what its domain touches from now on until it calls. Supervisor address of the patch, which is as long there as the
    /// view is. The portal manager keeps the domain from lending.
    pub fn patch(&mut self, view: usize, callee: usize, cheapest: bool, windows: OpenWindows) -> Result<usize, Error> {
        let View { mut patch, .. } = *self.views.get(view).ok_or(Error::EINVAL)?;
        if patch == 0 {
            let account = self.views.get(view).map_or(0, |view| view.account);
            self.account_room(account as usize, 1)?;
            patch = self.counting_tables(view, |s| s.frames.take(crate::frames::For::System))? as u32;
            self.ram.clear(patch as usize);
            if let Some(view) = self.views.get_mut(view) {
                view.patch = patch;
            }
        }
        let at = patch as usize;
        self.ram.write(at + offset_of!(Patch, callee), callee as u64);
        self.ram.write(at + offset_of!(Patch, asid), view as u64);
        self.ram.write(at + offset_of!(Patch, cheapest), cheapest as u64);
        self.empty_patch(at);
        if cheapest {
            self.forget_touched(view, windows);
        }
        Ok(supervisor(at))
    }
    fn empty_patch(&mut self, at: usize) {
        self.ram.write(at + offset_of!(Patch, end), supervisor(at + FIRST) as u64);
    }
    /// Where the pages of the patch at `at` are.
    fn patched(&self, at: usize) -> impl Iterator<Item = usize> + use<R> {
        let bytes = (self.ram.read(at + offset_of!(Patch, end)) as usize).wrapping_sub(supervisor(at + FIRST));
        (0..(bytes / NEXT).min(PAGES)).map(move |n| at + FIRST + n * NEXT)
    }
    /// Where the page is that has address `va`, which is anywhere in it.
    fn patched_page(&self, at: usize, va: usize) -> Option<usize> {
        let start = (va / PAGE * PAGE) as u64;
        self.patched(at).find(|page| self.ram.read(page + offset_of!(Page, address)) == start)
    }
    /// The patch at `at`, if it is one, has the page at `va` no more.
    #[inline(always)]
    pub(super) fn forget_patched(&mut self, at: u32, va: usize) {
        if at != 0 {
            self.take_patched(at as usize, va);
        }
    }
    #[cold]
    fn take_patched(&mut self, at: usize, va: usize) {
        let Some(page) = self.patched_page(at, va) else { return };
        let Some(last) = self.patched(at).last() else { return };
        for word in (0..NEXT).step_by(8) {
            self.ram.write(page + word, self.ram.read(last + word));
        }
        self.ram.write(at + offset_of!(Patch, end), supervisor(last) as u64);
    }
    /// View `view`'s patch has no pages any more.
    pub(super) fn forget_all_patched(&mut self, view: usize) {
        if let Some(at) = self.views.get(view).map(|view| view.patch as usize).filter(|&at| at != 0) {
            self.empty_patch(at);
        }
    }
    /// An access to `va` by domain `space`, which thread `thread` executed in, has faulted and is possible now. If it was in a patch, that has the page
    /// from now on.
    #[inline(always)]
    pub fn missed(&mut self, space: usize, va: usize, thread: usize) {
        if self.views.any() {
            self.missed_in_views(space, va, thread);
        }
    }
    #[cold]
    #[inline(never)]
    #[cfg_attr(target_os = "none", optimize(size))]
    fn missed_in_views(&mut self, space: usize, va: usize, thread: usize) {
        let left = |s: &Self, at: usize| s.ram.read(at + offset_of!(Patch, left)) == thread as u64 + 1;
        let mut next = self.views.of(space).next();
        while let Some((number, view)) = next {
            let at = view.patch as usize;
            if at != 0 && left(self, at) {
                self.ram.write(at + offset_of!(Patch, left), 0);
                self.add_patched(number, (at, view.root), va / PAGE * PAGE);
            }
            next = self.views.numbered(view.next);
        }
    }
    /// Adds the page to the patch at `at`. A patch that would need more pages than it may have is none any more.
    fn add_patched(&mut self, view: usize, (at, root): (usize, usize), va: usize) {
        let Some(space) = self.views.get(view).map(|view| view.space as usize) else { return };
        let Ok(space_root) = self.space(space).map(|space| space.root) else { return };
        let value = tables::leaf(&self.ram, space_root, va);
        if va == RETURN_PAGE || !value.is_present() || !value.is_user() || self.views.region(view, va).is_some() {
            return;
        }
        let known = self.patched_page(at, va);
        let count = self.patched(at).count();
        let cheapest = self.ram.read(at + offset_of!(Patch, cheapest)) != 0;
        if known.is_none() && count >= if cheapest { most_pages(self.touched(view)) } else { PAGES } {
            self.ram.write(at + offset_of!(Patch, callee), 0);
            return self.empty_patch(at);
        }
        if crate::space::private(va, PAGE).is_err() || self.view_tables(view, (va, va + PAGE)).is_err() {
            return;
        }
        let Some(place) = tables::entry(&self.ram, root, va).filter(|&place| self.ram.read(place) == 0) else { return };
        let entry =
            Entry::user(value.address(), value.rights(), value.marks().intersection(Marks::LAZY).union(Marks::FOREIGN));
        let page = known.unwrap_or(at + FIRST + count * NEXT);
        self.ram.write(page + offset_of!(Page, place), supervisor(place) as u64);
        self.ram.write(page + offset_of!(Page, entry), entry.word());
        self.ram.write(page + offset_of!(Page, address), va as u64);
        if known.is_none() {
            self.ram.write(at + offset_of!(Patch, end), supervisor(page + NEXT) as u64);
        }
    }
    /// Whether what the view's patch would write is what the space has, where the view sees nothing.
    pub(crate) fn patch_holds(&mut self, view: usize) -> bool {
        let Some(&View { space, root, patch, .. }) = self.views.get(view) else { return true };
        let Ok(space_root) = self.space(space as usize).map(|space| space.root) else { return false };
        let at = patch as usize;
        at == 0
            || self.patched(at).all(|page| {
                let va = self.ram.read(page + offset_of!(Page, address)) as usize;
                let entry = Entry::of(self.ram.read(page + offset_of!(Page, entry)));
                let value = tables::leaf(&self.ram, space_root, va);
                let place = tables::entry(&self.ram, root, va).map(|at| supervisor(at) as u64);
                let same = value.is_present() && value.address() == entry.address() && value.rights() == entry.rights();
                same && self.views.region(view, va).is_none()
                    && place == Some(self.ram.read(page + offset_of!(Page, place)))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patching_is_cheaper_only_where_two_sets_of_translations_do_not_fit() {
        assert_eq!((0..=8).map(most_pages).max(), Some(0));
        assert!((3..8).contains(&most_pages(12)));
        assert!((9..16).all(|touched| most_pages(touched) <= most_pages(touched + 1)));
        assert!(most_pages(1000) == most_pages(16) && most_pages(16) <= PAGES);
    }
}
