//! Pagers: handlers of a domain's faults, as portals from the memory manager into the domain that registered them.

use crate::code::Kind;
use crate::lent::Lent;
use crate::manager::{Caller, Manager, PAGE_AMONG, PAGE_FOR, PAGER_FOR, PAGER_FORGET, PAGER_OVERDUE, PAGER_REMOVE};
use abi::Error;
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
    /// The memory manager's domain, in whose table the portals are.
    #[optimize(size)]
    fn memory_manager(&self) -> Result<usize> {
        pebble::boot::domain("memory").map(|d| d.asid as usize).ok_or(Error::ESRCH)
    }
    /// Has `entry` of the subject answer the faults of domain `asid`, its own or its child, in a range; 0 ends that.
    #[optimize(size)]
    pub fn set_pager(
        &mut self,
        caller: Caller,
        asid: usize,
        (start, bytes): (usize, usize),
        entry: usize,
    ) -> Result<isize> {
        if caller.subject != asid && self.domain(asid)?.parent != caller.subject {
            return Err(Error::EACCESS);
        }
        let memory = self.memory_manager()?;
        if entry == 0 {
            let number = check(PAGER_REMOVE.call([asid, start]))?;
            self.paged.retain(|&paged| paged != (asid, number));
            self.uninstall(memory, number)?;
            return Ok(0);
        }
        if entry >= abi::address::WINDOW_VA {
            return Err(Error::EINVAL);
        }
        self.make_elastic(caller.subject)?;
        let specification = self.parse("npiiii").map_err(|_| Error::EINVAL)?;
        let number = self.free_numbers(memory, 1)?;
        let ends = (self.end(memory)?, caller.subject);
        let code = self.generate(ends, &specification, (entry as u64, &[]), Kind::Upcall, false)?;
        self.install(memory, number, code)?;
        if let Err(error) = check(PAGER_FOR.call([asid, start, bytes, number, caller.subject])) {
            self.uninstall(memory, number)?;
            return Err(error);
        }
        self.paged.push((asid, number));
        // Who waits for domains to end watches pagers from now on.
        self.posts.push(self.event_semaphore);
        Ok(0)
    }
    /// Ends the domains whose pagers have taken too long; ticks after which to look again.
    pub fn watch_pagers(&mut self) -> usize {
        if self.watch.counts || !self.paged.is_empty() { self.end_late() } else { usize::MAX }
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
            if found != 1 {
                break found > 0;
            }
            seconds = 0;
            self.end_domain(how.asid as usize, how);
        };
        self.watch.counts = waited_for || !self.paged.is_empty();
        if self.watch.counts { LOOK } else { usize::MAX }
    }
    /// Maps a page of domain `asid` for domain `by`, as `memory.page` says.
    #[optimize(size)]
    pub fn replace_page(&mut self, by: usize, asid: usize, va: usize, source: usize, rights: usize) -> Result<isize> {
        let client = self.domain(asid)?;
        let related = by == asid || client.parent == by;
        let rights = rights | (related as usize) << 8;
        let result = PAGE_FOR.call([by, asid, va, source, rights]);
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
    /// Domain `asid` is no more: nobody needs to answer its faults.
    #[optimize(size)]
    pub fn forget_pagers(&mut self, asid: usize) {
        if !self.paged.iter().any(|&(client, _)| client == asid) {
            return;
        }
        PAGER_FORGET.call([asid]);
        let Ok(memory) = self.memory_manager() else { return };
        while let Some(place) = self.paged.iter().position(|&(client, _)| client == asid) {
            let (_, number) = self.paged.swap_remove(place);
            let _ = self.uninstall(memory, number);
        }
    }
}
