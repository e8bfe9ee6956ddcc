//! Pagers: handlers of a domain's faults, as portals from the memory manager into the domain that registered them.

use crate::lent::Lent;
use crate::manager::{Caller, Manager, PAGE_AMONG, PAGE_FOR, PAGER_FOR, PAGER_FORGET, PAGER_OVERDUE, PAGER_REMOVE};
use crate::upcalls::{Upcall, What};
use abi::Error;
use abi::identity::DomainId;
use abi::system::Ended;
use pebble::time::{TIMEBASE, time};
use pebble::{Result, check};

/// Ticks of `hrtime` after which pagers are looked after again: a fifth of a second on a core of 1 GHz.
const LOOK: usize = 100_000_000;

/// How pagers are watched.
pub struct Watch {
    /// Whether seconds are counted.
    counts: bool,
    /// The `time` up to which they have been.
    until: u64,
}
impl Watch {
    pub const NONE: Watch = Watch { counts: false, until: 0 };
}

impl Manager {
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
        let from = self.memory;
        if entry == 0 {
            let number = check(PAGER_REMOVE.call([client.word() as usize, start]))?;
            self.withdraw_upcalls(|u| u.from == from && u.number == number);
            return Ok(0);
        }
        if entry >= abi::address::WINDOW_VA {
            return Err(Error::EINVAL);
        }
        self.make_elastic(caller.subject)?;
        let number = self.add_upcall((from, caller.subject), "npiiii", entry, What::Faults(client))?;
        let range = [client.word() as usize, start, bytes, number, pager.word() as usize];
        if let Err(error) = check(PAGER_FOR.call(range)) {
            self.withdraw_upcalls(|u| u.from == from && u.number == number);
            return Err(error);
        }
        // Who waits for domains to end watches pagers from now on.
        self.posts.push(self.event_semaphore);
        Ok(0)
    }
    /// Ends the domains whose pagers have taken too long; ticks after which to look again.
    pub fn watch_pagers(&mut self) -> usize {
        if self.watch.counts || self.has_pagers() { self.end_late() } else { usize::MAX }
    }
    #[cold]
    #[inline(never)]
    fn end_late(&mut self) -> usize {
        let now = time();
        if !self.watch.counts {
            self.watch.until = now;
        }
        let mut seconds = (now - self.watch.until) / TIMEBASE;
        self.watch.until += seconds * TIMEBASE;
        let mut how = Ended::default();
        let waited_for = loop {
            let found = PAGER_OVERDUE.call([seconds as usize, &raw mut how as usize]);
            let Some(late) = DomainId::of(found as u64) else { break found > 0 };
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
    pub fn replace_page(&mut self, by: usize, asid: usize, va: usize, source: usize, rights: usize) -> Result<isize> {
        let client = self.domain(asid)?;
        let related = by == asid || client.parent == by;
        let rights = rights | (related as usize) << 8;
        let ids = (self.domain(by)?.id.word() as usize, client.id.word() as usize);
        let result = PAGE_FOR.call([ids.0, ids.1, va, source, rights]);
        if result == Error::EAGAIN.code() { self.replace_lent(by, asid, va, source, rights) } else { Ok(result) }
    }
    /// The same where it matters what windows show.
    #[cold]
    #[inline(never)]
    fn replace_lent(&mut self, by: usize, asid: usize, va: usize, source: usize, rights: usize) -> Result<isize> {
        let mut lent = Lent::new();
        self.freeze(asid, &mut lent);
        self.freeze(by, &mut lent);
        let all = lent.all().map(|_| lent.window());
        let result = all.map(|(at, count)| PAGE_AMONG.call([by | asid << 16, va, source, rights, at, count]));
        self.thaw(asid);
        self.thaw(by);
        result
    }
    /// Domain `gone` is no more: nobody answers its faults, and it answers nobody's.
    #[optimize(size)]
    pub fn forget_pagers(&mut self, gone: DomainId) {
        let concerns = |u: &Upcall| u.to == gone || u.what == What::Faults(gone);
        if self.upcalls.iter().any(concerns) {
            PAGER_FORGET.call([gone.word() as usize]);
            self.withdraw_upcalls(concerns);
        }
    }
}
