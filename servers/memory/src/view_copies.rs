//! Views of a copied space: each sees of it what its *model*, a view of the space that is copied, sees of that one.
//!
//! What of a region is inherited is what the space inherits: a page that is copied is visible in the copy, one that is shared is
//! visible and shared, and what is not in the copy (a device's registers, a page that a pager has not brought) is no region's, so that nobody
//! sees what comes to its address later. The model's stacks hold nothing that a copy of its domain, which is nowhere in a call, could want.
//!
//! Space and regions are copied in one step, with nothing in between: a region of a later moment could show a page of an earlier one that
//! was the task's alone by then.

use crate::open_windows::OpenWindows;
use crate::ram::Ram;
use crate::space::Spaces;
use crate::stacks;
use crate::tables;
use crate::view::{REGIONS, Region};
use abi::Error;
use abi::address::PAGE;

impl<R: Ram> Spaces<R> {
    /// View `view`, which sees nothing yet, is to see what view `model` sees of another space, once its own is a copy of that one. `EINVAL`: one of
    /// the two is none.
    pub fn set_model(&mut self, view: usize, model: usize) -> Result<(), Error> {
        self.views.get(model).ok_or(Error::EINVAL)?;
        self.views.get_mut(view).ok_or(Error::EINVAL)?.model = model as u16;
        Ok(())
    }
    /// Space `to` has become a copy of space `from`: its views see what their models do. `ENFILE`, `ENOMEM`.
    #[inline(always)]
    pub(crate) fn copy_views(&mut self, from: usize, to: usize) -> Result<(), Error> {
        if self.views.of(to).next().is_some() { self.copy_all_views(from, to) } else { Ok(()) }
    }
    #[cold]
    #[inline(never)]
    #[cfg_attr(target_os = "none", optimize(size))]
    fn copy_all_views(&mut self, from: usize, to: usize) -> Result<(), Error> {
        let mut next = self.views.of(to).next();
        while let Some((number, view)) = next {
            let model = self.views.get(view.model as usize).filter(|model| model.space as usize == from);
            if model.is_some() {
                self.copy_regions(view.model as usize, number, to)?;
            }
            next = self.views.numbered(view.next);
        }
        Ok(())
    }
    #[cfg_attr(target_os = "none", optimize(size))]
    fn copy_regions(&mut self, model: usize, view: usize, space: usize) -> Result<(), Error> {
        // The model's do not change meanwhile.
        let mut n = 0;
        loop {
            let region = self.views.regions_of(model).nth(n);
            let Some(region) = region else { return Ok(()) };
            n += 1;
            let last = region.pages().last().unwrap_or(0);
            if region.own && stacks::slot_of(last).is_some() {
                // Nobody has been in the copy: no window shows a page of it.
                self.give_up(space, region, OpenWindows::all(&[]))?;
            } else {
                self.copy_region(region, view, space)?;
            }
        }
    }
    /// View `view` sees those pages of `region` that its space has.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn copy_region(&mut self, region: Region, view: usize, space: usize) -> Result<(), Error> {
        let root = self.space(space)?.root;
        let mut run: Option<(usize, usize)> = None;
        for va in region.pages() {
            let there = !tables::leaf(&self.ram, root, va).is_none();
            match &mut run {
                Some((_, end)) if there => *end = va + PAGE,
                None if there => run = Some((va, va + PAGE)),
                _ => {
                    if let Some(seen) = run.take() {
                        self.see_copied(region, view, seen)?;
                    }
                }
            }
        }
        run.map_or(Ok(()), |seen| self.see_copied(region, view, seen))
    }
    #[cfg_attr(target_os = "none", optimize(size))]
    fn see_copied(&mut self, region: Region, view: usize, range: (usize, usize)) -> Result<(), Error> {
        // What is not there may have made two regions of one.
        if self.views.regions_of(view).count() >= REGIONS {
            return Err(Error::ENFILE);
        }
        self.see(view, range, region.rights(), region.own)
    }
}
