//! Pagers: handlers of a domain's faults, as portals from the memory manager into the domain that registered them.

use crate::Result;
use crate::machine::neighbours::{Machine, Overdue};
use crate::manager::{Caller, Manager};
use crate::state::upcalls::{Upcall, What};
use abi::Error;
use abi::identity::DomainId;
use abi::memory::{Part, Parties, Replacement};
use abi::rights::Rights;

/// Ticks of `hrtime` after which pagers are looked after again: a fifth of a second on a core of 1 GHz.
const LOOK: usize = 100_000_000;

impl<M: Machine> Manager<M> {
    /// Has `entry` of the subject answer the faults of domain `asid`, its own or its child, in a range; 0 ends that.
    #[optimize(size)]
    pub fn set_pager(
        &mut self,
        caller: Caller,
        asid: usize,
        (start, bytes): (usize, usize),
        entry: usize,
    ) -> Result<isize> {
        let (pager, client) = (self.domain(caller.subject)?.id, self.domain(asid)?.id);
        if caller.subject != asid && self.domain(asid)?.parent != caller.subject {
            return Err(Error::EACCESS);
        }
        let from = self.roles.memory;
        if entry == 0 {
            let number = self.machine.pager_remove(client, start)?;
            self.withdraw_upcalls(|u| u.from == from && u.number == number);
            return Ok(0);
        }
        if entry >= abi::address::WINDOW_VA {
            return Err(Error::EINVAL);
        }
        self.make_elastic(caller.subject)?;
        let number = self.add_upcall((from, caller.subject), "npiiii", entry, What::Faults(client))?;
        if let Err(error) = self.machine.pager_for(client, (start, bytes), number, pager) {
            self.withdraw_upcalls(|u| u.from == from && u.number == number);
            return Err(error);
        }
        // Who waits for domains to end watches pagers from now on.
        self.posts.push(self.machine, self.events.semaphore);
        Ok(0)
    }
    /// Ends the domains whose pagers have taken too long; ticks after which to look again.
    pub fn watch_pagers(&mut self) -> usize {
        if self.watch.counts || self.has_pagers() { self.end_late() } else { usize::MAX }
    }
    #[cold]
    #[inline(never)]
    #[optimize(size)]
    fn end_late(&mut self) -> usize {
        let now = self.machine.time();
        if !self.watch.counts {
            self.watch.until = now;
        }
        let mut seconds = (now - self.watch.until) / M::TIMEBASE;
        self.watch.until += seconds * M::TIMEBASE;
        let waited_for = loop {
            let (late, how) = match self.machine.pager_overdue(seconds) {
                Overdue::Client(late, how) => (late, how),
                Overdue::Waited(waited_for) => break waited_for,
            };
            seconds = 0;
            if let Ok(asid) = self.live(late) {
                self.end_domain(asid, how);
            }
        };
        self.watch.counts = waited_for || self.has_pagers();
        if self.watch.counts { LOOK } else { usize::MAX }
    }
    /// Maps a page of domain `asid` for domain `by`, as `memory.page` says.
    #[optimize(size)]
    pub fn replace_page(
        &mut self,
        by: usize,
        asid: usize,
        va: usize,
        source: usize,
        (rights, part): (Rights, Part),
    ) -> Result<isize> {
        let client = self.domain(asid)?;
        // Who starts all others has made those that have no parent.
        let related = by == asid || client.parent == by || by == self.roles.start;
        let ids = (self.domain(by)?.id, client.id);
        let with = Replacement { rights, related, part };
        match self.machine.page_for(ids.0, ids.1, va, source, with) {
            Err(Error::EAGAIN) => self.replace_lent(by, asid, va, source, with),
            result => result,
        }
    }
    /// Has a fault domain of `by`, which must be domain `asid`, have the segment that begins at `base`.
    #[optimize(size)]
    pub fn make_segment(&mut self, by: usize, asid: usize, base: usize) -> Result<isize> {
        if by != asid {
            return Err(Error::EACCESS);
        }
        self.machine.make_segment(asid, base).map(|()| 0)
    }
    /// The same where it matters what windows show.
    #[cold]
    #[inline(never)]
    fn replace_lent(&mut self, by: usize, asid: usize, va: usize, source: usize, with: Replacement) -> Result<isize> {
        self.freeze(asid);
        self.freeze_another(by);
        let result = self
            .open_windows
            .all()
            .and_then(|frames| self.machine.page_among(Parties { by, to: asid }, va, source, with, frames));
        self.thaw(asid);
        self.thaw(by);
        result
    }
    /// Domain `ended` is no more: nobody answers its faults, and it answers nobody's.
    #[optimize(size)]
    pub fn forget_pagers(&mut self, ended: DomainId) {
        let concerns = |u: &Upcall| u.to == ended || u.what == What::Faults(ended);
        if self.upcalls.iter().any(concerns) {
            self.machine.pager_forget(ended);
            self.withdraw_upcalls(concerns);
        }
    }
}
