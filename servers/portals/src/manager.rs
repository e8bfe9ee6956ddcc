//! The portal manager's state, and what its parts share.

use crate::Result;
use crate::machine::neighbours::Machine;
#[cfg(test)]
use crate::mechanism::Mechanism;
use crate::state::code::{CodeArea, Kind};
use crate::state::dead::ForTheDead;
use crate::state::delegations::Delegations;
use crate::state::domain::{Domain, Domains};
use crate::state::entry_points::EntryPoints;
use crate::state::events::Events;
use crate::state::kept::Kept;
use crate::state::nucleus_data::{Table, ThreadPage};
use crate::state::open_windows::OpenWindows;
use crate::state::pagers::Watch;
use crate::state::posts::Posts;
use crate::state::registrations::Registration;
use crate::state::remains::Remains;
use crate::state::roles::Roles;
use crate::state::sandbox::Numbers;
use crate::state::semaphores::Semaphores;
use crate::state::slots::Slots;
use crate::state::snapshot::Seen;
use crate::state::stack_descriptors::StackDescriptors;
use crate::state::system_portals::SystemPortals;
use crate::state::templates::Registered;
use crate::state::threads::Threads;
use crate::state::tracer::Tracer;
use crate::state::unwaited_ends::UnwaitedEnds;
use crate::state::upcalls::Upcall;
use abi::Error;
use abi::domain_set::DomainSet;
use abi::identity::DomainId;
use abi::nucleus::{NPORTALS, domain};
use account::Accounts;
use alloc::vec::Vec;
use core::cell::RefCell;
use fallible::TryPush;
use portal::Specification;
use portal::emit::Buffer;

/// All that the portal manager keeps.
pub struct Manager<M: Machine> {
    pub(crate) machine: M,
    pub(crate) domains: Domains<M>,
    pub(crate) remains: Remains<M>,
    pub(crate) accounts: Accounts,
    pub(crate) registrations: Slots<Registration>,
    pub code: CodeArea<M>,
    /// Blocks of the system portals and fixed entries of new domains, for each of [`SystemPortals::KINDS`].
    pub(crate) system_portals: [SystemPortals; SystemPortals::KINDS.len()],
    pub(crate) templates: Registered,
    pub(crate) dead: ForTheDead<M>,
    pub(crate) threads: Threads<M>,
    /// Index of the thread whose call this is.
    pub thread: usize,
    pub(crate) semaphores: Semaphores,
    pub(crate) descriptors: StackDescriptors<M>,
    pub(crate) ended: UnwaitedEnds,
    pub(crate) entry_points: EntryPoints,
    pub(crate) delegations: Delegations,
    pub events: Events,
    /// Portals in the trusted servers' own tables.
    pub(crate) upcalls: Vec<Upcall>,
    /// How many questions about who may open a name there have been: the serial of the last.
    pub(crate) questions: u64,
    pub(crate) watch: Watch,
    /// Semaphores to post when the lock is free again: who waits for one needs it.
    pub posts: Posts,
    pub(crate) roles: Roles,
    /// Where traced calls are written down.
    pub(crate) tracer: Tracer,
    /// Ways to keep domains apart that bring themselves.
    #[cfg(test)]
    pub(crate) mechanisms: &'static [&'static dyn Mechanism<M>],
    /// Where portals are generated before their place is known.
    pub(crate) scratch: Buffer,
    /// What was granted last, and may be granted again.
    pub(crate) kept: Kept,
    /// A handle of a domain of protection, or a connection to one, is in no table any more, and nobody has looked whether that was the last.
    pub(crate) names_lost: bool,
    /// Of those, one that a domain of another task had.
    pub(crate) names_lost_elsewhere: bool,
    /// What was found when the frames of a thread were looked at last: too much for a stack.
    pub(crate) seen: RefCell<Seen>,
    /// What windows show of the domains that were kept from lending last, for the call that this is done for: too much for a stack as well.
    pub(crate) open_windows: OpenWindows,
}

pub use abi::nucleus::flags::BOOT;

/// Where a portal call came from.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    /// The domain that made the call: new portals go into its table.
    pub direct: usize,
    /// The domain on whose behalf it was made: the direct caller, or the interposed domain it acts for.
    pub subject: usize,
}

impl<M: Machine> Manager<M> {
    pub const fn new(machine: M) -> Manager<M> {
        Manager {
            machine,
            domains: Domains::new(),
            remains: Remains::new(),
            accounts: Accounts::new(),
            registrations: Slots::new(),
            code: CodeArea::new(machine),
            system_portals: [const { SystemPortals::EMPTY }; SystemPortals::KINDS.len()],
            templates: Registered::new(),
            dead: ForTheDead { graveyard: Table::at(machine, 0), nothing: 0, portal: 0, grant: 0 },
            threads: Threads::new(),
            thread: 0,
            semaphores: Semaphores::new(),
            descriptors: StackDescriptors::new(machine),
            ended: UnwaitedEnds::new(),
            entry_points: EntryPoints::new(),
            delegations: Delegations::new(),
            events: Events::new(),
            upcalls: Vec::new(),
            questions: 0,
            watch: Watch::NONE,
            posts: Posts::NONE,
            roles: Roles::NONE,
            tracer: Tracer::NONE,
            #[cfg(test)]
            mechanisms: &[],
            scratch: Buffer::EMPTY,
            kept: Kept::NONE,
            names_lost: false,
            names_lost_elsewhere: false,
            seen: RefCell::new(Seen::new()),
            open_windows: OpenWindows::none(),
        }
    }
    pub fn domain(&self, asid: usize) -> Result<&Domain<M>> {
        self.domains.get(asid).ok_or(Error::ESRCH)
    }
    /// The domain that is meant, if it lives: `EDEAD`. Nobody acts for the graveyard.
    pub fn living(&self, id: DomainId) -> Result<&Domain<M>> {
        match self.domains.get(id.number()) {
            Some(d) if d.id == id && d.table != self.dead.graveyard => Ok(d),
            _ => Err(Error::EDEAD),
        }
    }
    pub fn domain_mut(&mut self, asid: usize) -> Result<&mut Domain<M>> {
        self.domains.get_mut(asid).ok_or(Error::ESRCH)
    }
    /// The number of domain `id`. `ESRCH`: it is no more.
    pub fn live(&self, id: DomainId) -> Result<usize> {
        match self.domains.get(id.number()) {
            Some(domain) if domain.id == id => Ok(id.number()),
            _ => Err(Error::ESRCH),
        }
    }
    /// The live domain that `table` is of. `EDEAD`: none; a thread that has been turned towards the graveyard acts for nobody.
    pub fn asid_of(&self, table: Table<M>) -> Result<usize> {
        let asid = table.field(domain::ASID) as usize;
        match self.domains.get(asid) {
            Some(d) if d.table == table && table != self.dead.graveyard => Ok(asid),
            _ => Err(Error::EDEAD),
        }
    }
    /// Who calls: reads the invocation stack of thread `index`, whose top frame is the call into the portal manager.
    /// Below it, frames of stubs say that the caller acts for the domain behind them.
    pub fn caller(&self, index: usize) -> Result<Caller> {
        let thread = ThreadPage::of(self.machine, index).ok_or(Error::ESRCH)?;
        let mut frames = thread.frames(&self.code).filter(|f| !f.floating());
        let direct = self.asid_of(frames.next().ok_or(Error::EDEAD)?.table())?;
        let mut subject = direct;
        for frame in frames {
            match self.code.containing(frame.portal()) {
                Some((_, block)) if block.kind == Kind::Stub => subject = self.asid_of(frame.table())?,
                _ => break,
            }
        }
        Ok(Caller { direct, subject })
    }
    /// Whether `asid` may wait for or end `other`, which may have ended.
    pub fn may_control(&self, asid: usize, other: usize) -> bool {
        let Ok(own) = self.domain(asid) else { return false };
        let child = match self.ended.of(other) {
            Some(end) => end.parent == Some(own.id),
            None => self.domain(other).is_ok_and(|d| d.parent == asid),
        };
        child || own.privileged
    }
    /// A number that nobody has, nor what is left of somebody.
    pub fn free_asid(&mut self) -> Result<usize> {
        let Manager { domains, remains, ended, .. } = self;
        domains.free_number(|asid| remains.zombies.iter().any(|z| z.asid == asid) || ended.of(asid).is_some())
    }
    /// Takes domain `asid` in, with room for what its end needs. `ENOMEM`.
    pub fn insert_domain(&mut self, asid: usize, domain: Domain<M>) -> Result<()> {
        let living = self.domains.living + 1;
        self.domains.room_at(asid)?;
        self.remains.zombies.room_for(living)?;
        self.ended.reserve(living)?;
        self.events.queue.room_for(living)?;
        self.domains.add(asid, domain);
        Ok(())
    }
    /// The first of consecutive free numbers in the table of `asid` for portals of these specifications, which those in its sandbox may call by stubs.
    #[inline(always)]
    pub fn free_numbers_for(&self, asid: usize, specifications: &[Specification]) -> Result<usize> {
        if self.domain(asid)?.sandbox.passed.any() || self.shares(asid) {
            return self.free_numbers_with_stubs(asid, specifications);
        }
        self.free_numbers(asid, specifications.len())
    }
    #[cold]
    #[inline(never)]
    fn free_numbers_with_stubs(&self, asid: usize, specifications: &[Specification]) -> Result<usize> {
        let table = self.domain(asid)?.table;
        let bad = self.machine.info().symbols.bad_portal;
        let suits = |first: usize, free: &dyn Fn(usize) -> bool| {
            let mut all = specifications.iter().enumerate();
            all.all(|(n, specification)| free(first + n) && self.suits_stubs(asid, first + n, specification))
        };
        let numbers = || abi::system::FIRST_FREE..=NPORTALS - specifications.len();
        let own = |number: usize| match self.domain(asid) {
            Ok(d) if !d.enclosure.is_alone() => self.is_free_for_all(asid, number),
            _ => table.entry(number) == bad,
        };
        if let Some(found) = numbers().find(|&first| suits(first, &own)) {
            return Ok(found);
        }
        let left_over = self.left_over(asid)?;
        let dead = |number: usize| own(number) || left_over(number);
        numbers().find(|&first| suits(first, &dead)).ok_or(Error::ENFILE)
    }
    /// `count` consecutive free numbers in the table of `asid`. Those of portals that a dead server had granted are free when there
    /// are no others: who still has one should find out that the server has died, but need not, and may not know of it.
    pub fn free_numbers(&self, asid: usize, count: usize) -> Result<usize> {
        let Domain { table, numbers: (first, _), enclosure, .. } = self.domain(asid)?;
        if !enclosure.is_alone() {
            return self.free_numbers_of_all(asid, count);
        }
        let bad = self.machine.info().symbols.bad_portal;
        free_run(*first, count, |number| table.entry(number) == bad).or_else(|_| self.free_or_left_over(asid, count))
    }
    #[cold]
    #[inline(never)]
    fn free_or_left_over(&self, asid: usize, count: usize) -> Result<usize> {
        let (table, bad) = (self.domain(asid)?.table, self.machine.info().symbols.bad_portal);
        let left_over = self.left_over(asid)?;
        free_run(abi::system::FIRST_FREE, count, |number| table.entry(number) == bad || left_over(number))
    }
    /// Which numbers in the table of `asid` are what dead servers' portals have left, and nobody relies on their being that: who asks what a number stands for
    /// and calls it then would call another portal, had the number become another's in between.
    fn left_over(&self, asid: usize) -> Result<impl Fn(usize) -> bool> {
        let (table, dead, looked_at) = (self.domain(asid)?.table, self.dead.grant, self.looked_at(asid));
        Ok(move |number: usize| table.entry(number) == dead && !looked_at.has(number))
    }
    /// The numbers in the table of `asid`, and of those that share it, of which a thread has asked what they stand for, and about no other since: it may be about
    /// to call. (The thread whose call this is calls us.)
    pub(crate) fn looked_at(&self, asid: usize) -> Numbers {
        let mut numbers = Numbers::default();
        let mut members = DomainSet::NONE;
        core::iter::once(asid).chain(self.sharers(asid)).for_each(|member| members.add(member));
        for (domain, number) in self.threads.others_look_at(self.thread) {
            if self.live(domain).is_ok_and(|asid| members.has(asid)) {
                numbers.set(number, true);
            }
        }
        numbers
    }
}
/// The first of `count` consecutive numbers from `first` on that are `free`.
#[inline(always)]
pub(crate) fn free_run(first: usize, count: usize, free: impl Fn(usize) -> bool) -> Result<usize> {
    let mut run = 0;
    for number in first..NPORTALS {
        run = if free(number) { run + 1 } else { 0 };
        if run == count {
            return Ok(number + 1 - count);
        }
    }
    Err(Error::ENFILE)
}
