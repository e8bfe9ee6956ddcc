//! What must hold of threads: of the frames on their invocation stacks, and of the windows of the calls that these return from.

use super::{Checked, expect, violation, zeros};
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use crate::state::nucleus_data::{FrameView, ThreadPage};
use abi::address::{PAGE, window_base};
use abi::nucleus::{FIRST_FRAME, MAX_DOMAINS};
use abi::template::choice;
use abi::{Error, nucleus};
use alloc::vec::Vec;
use arch::paging::Entry;

/// Bit of a slot's word from which on the callee's ASID is: `memory_logic::windows::CALLEE`.
const CALLEE: u32 = 54;

impl<M: Machine> Manager<M> {
    #[optimize(size)]
    pub(super) fn check_threads(&self, counts: &mut Vec<usize>) -> Checked {
        // Windows of calls into each domain.
        let windows = zeros(counts, MAX_DOMAINS);
        for (index, page, home) in self.threads.living() {
            if self.counts_calls() {
                // The thread switch writes to the counters of what it finds there.
                let table = self.living(home).map_or(self.dead.graveyard, |d| d.table).address();
                expect("where a thread's time goes", index, 0, page.home(), table)?;
            }
            self.check_thread(index, page, windows)?;
        }
        for (asid, _) in self.domains.iter() {
            let open = self.machine.memory_windows(asid);
            expect("windows that no call has opened", asid, windows[asid], open as u64, windows[asid] as u64)?;
        }
        Ok(())
    }
    #[optimize(size)]
    fn check_thread(&self, index: usize, page: ThreadPage<M>, windows: &mut [usize]) -> Checked {
        let field = |offset: usize| self.machine.read(page.address() + offset as u64);
        expect("a thread's index", index, 0, field(core::mem::offset_of!(nucleus::Thread, index)), index as u64)?;
        let bottom = page.address() + 4096 - FIRST_FRAME as u64;
        let mut slot = field(core::mem::offset_of!(nucleus::Thread, window)) as usize;
        let mut next = page.invocation();
        while let Some((frame, after)) = page.frame(next, &self.code) {
            next = after;
            if frame.floating() {
                continue;
            }
            if self.asid_of(frame.table()).is_err() && frame.table() != self.dead.graveyard {
                return violation(
                    "a frame that returns nowhere",
                    index,
                    frame.address() as usize,
                    frame.table().address(),
                );
            }
            let Some((code, block)) = self.code.containing(frame.portal()) else { continue };
            if code == frame.portal() {
                return violation("a frame that returns to a call", index, frame.address() as usize, code);
            }
            slot = slot.wrapping_sub(self.lent_entries(frame).count() * PAGE);
            self.check_windows((index, page), frame, slot, block.server as usize, windows)?;
        }
        expect("the end of an invocation stack", index, 0, next, bottom)?;
        let symbols = &self.machine.info().symbols;
        expect("a thread's bottom frame", index, 0, FrameView::at(self.machine, bottom).portal(), symbols.first_frame)?;
        expect("a thread's first window slot", index, 0, slot as u64, window_base(index) as u64)
    }
    /// The windows of the call to `server` that `frame` returns from, the first of which is at `slot`.
    #[optimize(size)]
    fn check_windows(
        &self,
        (index, page): (usize, ThreadPage<M>),
        frame: FrameView<M>,
        slot: usize,
        server: usize,
        windows: &mut [usize],
    ) -> Checked {
        let uses = self.templated(frame);
        let lends =
            |u: &&portal::uses::Use| self.templates.all[u.template as usize].letters[u.letter as usize].lent > 0;
        let Some(used) = uses.all().iter().find(lends) else { return Ok(()) };
        // Who lent may have died since.
        let dead = self.dead_lender(page, frame);
        // Of whichever it is: the memory manager looks whether the frame is in use.
        let unclaimed = dead.is_none() && self.remains.unclaimed && frame.table() == self.dead.graveyard;
        let lender = match dead {
            Some(zombie) if zombie.space_destroyed => {
                return violation("a window on memory of the dead", zombie.asid, index, frame.address());
            }
            Some(zombie) => zombie.asid,
            None => self.asid_of(frame.table()).unwrap_or(0),
        };
        if !self.domains.contains(server) {
            return Ok(());
        }
        expect(
            "a call's first window slot",
            index,
            frame.address() as usize,
            frame.word(used.common as usize + 8),
            slot as u64,
        )?;
        let touch = self.templates.all.iter().any(|t| t.choice == choice::AT_TOUCH);
        let at_touch = touch && !self.end(server).is_ok_and(|end| self.is_fatal(end));
        for (n, shown) in self.lent_entries(frame).enumerate() {
            let address = slot + n * PAGE;
            let kept = page.slot(address);
            let mut mapped = shown;
            if !at_touch {
                expect("a slot's word of a window that is open", index, address, kept, 0)?;
            } else if kept as i64 >= 0 {
                // Not touched yet.
                expect("a slot's word", index, address, kept, shown.word() | (server as u64) << CALLEE)?;
                mapped = Entry::NONE;
            }
            let result = self.machine.memory_window(server, address, mapped, shown, lender);
            // What the dead were lent is no longer in their space: it is their lender's.
            let whose = dead.is_some() && self.is_lent_to(page, frame, shown);
            let lent_on = result == Err(Error::EACCESS) && (unclaimed || whose);
            if result.is_err() && !lent_on {
                let what = if result == Err(Error::EFAULT) {
                    "a window that is not its call's"
                } else {
                    "a window on what its lender has not"
                };
                return violation(what, lender, address, shown.word());
            }
            windows[server] += !mapped.is_none() as usize;
        }
        Ok(())
    }
    /// Whether a call that the one of `frame` was made in lends the page of entry `shown`, with its rights.
    #[optimize(size)]
    fn is_lent_to(&self, page: ThreadPage<M>, frame: FrameView<M>, shown: Entry) -> bool {
        let same = |entry: Entry| entry.address() == shown.address() && entry.rights().contains(shown.rights());
        let outer = page.frames(&self.code).filter(|f| !f.floating() && f.address() > frame.address());
        outer.filter(|&f| self.is_templated(f)).any(|f| self.lent_entries(f).any(same))
    }
}
