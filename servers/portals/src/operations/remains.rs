//! What is left of domains that have ended, until no call returns through it and no window shows it.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use crate::state::nucleus_data::{FrameView, Table, ThreadPage};
use crate::state::remains::Zombie;
use abi::address::supervisor;
use abi::domain_set::DomainSet;
use abi::nucleus::domain;
use alloc::vec::Vec;
use fallible::TryPush;

/// Most blocks of dead domains that are kept for new ones.
const SPARE_BLOCKS: usize = 8;

impl<M: Machine> Manager<M> {
    /// Frees what dead domains have left and no frame needs any more.
    pub fn sweep(&mut self) {
        if self.remains.zombies.is_empty() {
            return;
        }
        if self.remains.zombies.iter().any(|zombie| zombie.blocks > 0) {
            self.free_retired();
        }
        let mut zombies = core::mem::take(&mut self.remains.zombies);
        // A record of a template's is used for as long as code of the template is.
        let unused = self.templates_unused();
        let unknown = (self.remains.unclaimed || zombies.iter().any(|zombie| zombie.lent_unknown)) && self.dead_lend();
        self.remains.unclaimed &= unknown;
        // Spaces that a view which is still there is of: such a zombie comes before that of its task.
        let mut viewed = DomainSet::NONE;
        zombies.retain_mut(|zombie| {
            zombie.lent_unknown &= unknown;
            // The next call of the thread may have its frame there.
            zombie.lent.retain(|&(page, frame)| {
                page.invocation() <= frame
                    && self
                        .seen
                        .borrow_mut()
                        .settle(page, &self.code)
                        .any(|f| f.address() == frame && f.table() == self.dead.graveyard)
            });
            if zombie.lent.is_empty()
                && !zombie.lent_unknown
                && (unused || !zombie.trusted)
                && !zombie.space_destroyed
                && !viewed.has(zombie.asid)
            {
                self.release_enclosure(zombie.enclosure, zombie.asid);
                zombie.space_destroyed = true;
            }
            if let (false, Some(task)) = (zombie.space_destroyed, Self::task_within(zombie.enclosure)) {
                viewed.add(task);
            }
            let kept = !zombie.space_destroyed || zombie.blocks > 0;
            if !kept {
                self.free_descriptors(zombie.table);
                self.free_block(abi::address::physical(zombie.table.address() as usize) - domain::TABLE);
                self.settle(zombie.asid, zombie.charge.take());
            }
            kept
        });
        // With the room that it has for more.
        self.remains.zombies = zombies;
    }
    /// Calls that have windows on the memory of dead domain `asid` open, and whether there may be others. Whatever had its frame
    /// in such a place before has returned.
    pub(crate) fn keep_lent(&mut self, asid: usize, lent: Vec<(ThreadPage<M>, u64)>, unknown: bool) {
        for zombie in &mut self.remains.zombies {
            zombie.lent.retain(|call| !lent.contains(call));
        }
        let unknown = unknown || self.remains.unclaimed;
        if let Some(zombie) = self.remains.zombies.iter_mut().find(|zombie| zombie.asid == asid) {
            (zombie.lent, zombie.lent_unknown) = (lent, unknown);
        }
    }
    /// The dead domain, of which something is left, whose memory the call of `frame` has lent.
    pub(crate) fn dead_lender(&self, page: ThreadPage<M>, frame: FrameView<M>) -> Option<&Zombie<M>> {
        let diverted = frame.table() == self.dead.graveyard;
        self.remains.zombies.iter().find(|zombie| diverted && zombie.lent.contains(&(page, frame.address())))
    }
    /// Whether calls of some dead domain have windows on its memory open.
    #[optimize(size)]
    fn dead_lend(&self) -> bool {
        let mut seen = self.seen.borrow_mut();
        self.threads.living().any(|(_, page, _)| {
            let mut diverted =
                seen.settle(page, &self.code).filter(|f| !f.floating() && f.table() == self.dead.graveyard);
            diverted.any(|f| self.is_templated(f) && self.lent_entries(f).next().is_some())
        })
    }
    /// A domain block in which no entry leads anywhere, from the first free one on.
    pub(crate) fn take_block(&mut self) -> Result<usize> {
        // The end of the domain that had it has closed them.
        if let Some(spare) = self.remains.spare_blocks.pop() {
            return Ok(spare);
        }
        let block = self.machine.nucleus_pages(domain::pages(self.counts_calls()))?;
        let bad = self.machine.info().symbols.bad_portal;
        self.table_of(block).fill(bad);
        Ok(block)
    }
    /// The table in the block at physical address `block`.
    pub(crate) fn table_of(&self, block: usize) -> Table<M> {
        Table::at(self.machine, supervisor(block + domain::TABLE) as u64)
    }
    /// A domain block that nobody uses any more: kept for the next domain, if there is room.
    pub fn free_block(&mut self, block: usize) {
        if self.remains.spare_blocks.len() >= SPARE_BLOCKS || self.remains.spare_blocks.try_push(block).is_err() {
            self.machine.nucleus_free(block, domain::pages(self.counts_calls()));
        }
    }
}
