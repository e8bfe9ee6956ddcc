//! What the memory manager answers to faults without asking anybody: of windows that portals could not open, or that are touched for
//! the first time; of pages that are promised, or shared until they are written.

use crate::ram::Ram;
use crate::space::{Spaces, TABLE_SPAN};
use crate::tables;
use crate::windows::CALLEE;
use abi::Error;
use abi::address::*;
use abi::rights::Rights;
use arch::paging::is_user_address;

impl<R: Ram> Spaces<R> {
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
