//! How views end.

use crate::doomed::Doomed;
use crate::open_windows::OpenWindows;
use crate::ram::Ram;
use crate::space::{Spaces, spans};
use crate::view::{Region, View};
use crate::{stacks, tables};
use abi::Error;
use abi::address::*;

impl<R: Ram> Spaces<R> {
    /// Gives back what a view has, and what its own domain has taken in the space, but for pages that windows show, which stay the
    /// space's. Nobody is in the domain any more.
    pub fn destroy_view(&mut self, view: usize, windows: OpenWindows) -> Result<(), Error> {
        let View { root, space, next, tables, account, patch, .. } = *self.views.get(view).ok_or(Error::ESRCH)?;
        let space_number = space as usize;
        while let Some(region) = self.views.regions.remove(view as u16, |_| true) {
            self.forget_entries(view, root, region.range());
            if region.own {
                self.give_up(space_number, region, windows)?;
            }
        }
        // Out of the list of its space.
        let mut before = space_number;
        while let Some(record) = self.views.records.get_mut(before) {
            if record.next as usize == view {
                record.next = next;
                break;
            }
            before = record.next as usize;
        }
        let mut doomed = Doomed::of_the_dead(view, &mut self.ram);
        for va in spans(PRIVATE_VA, STACK_TOP) {
            if let Some(first) = tables::entry(&self.ram, root, va) {
                self.release_leaves(first, va, &mut doomed);
            }
        }
        if patch != 0 {
            doomed.add(patch as usize, &mut self.ram, &mut self.frames);
        }
        self.release_root(root, &mut doomed);
        doomed.bury(&mut self.ram, &mut self.frames);
        self.accounts.change(account as usize, -(tables as i32));
        if let Some(record) = self.views.records.get_mut(view) {
            *record = View { root: 0, id: None, space: 0, next: 0, tables: 0, model: 0, account: 0, patch: 0 };
        }
        self.views.count -= 1;
        Ok(())
    }
    /// Unmaps pages that a view's domain has taken.
    pub(crate) fn give_up(&mut self, space: usize, region: Region, windows: OpenWindows) -> Result<(), Error> {
        self.burying(space, |s, doomed| {
            region.pages().try_for_each(|va| match s.take_page(space, va, windows, doomed) {
                // A window shows it, or may.
                Err(Error::EBUSY | Error::EAGAIN) => Ok(()),
                other => other.map(|_| ()),
            })
        })?;
        let (start, end) = region.range();
        let own = self.space(space)?;
        if let Some(slot) = stacks::slot_of(end - PAGE) {
            own.first_slot = own.first_slot.min(slot as u16);
        }
        if own.heap == end {
            own.heap = start;
        }
        Ok(())
    }
}
