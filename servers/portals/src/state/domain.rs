//! A domain: what the portal manager keeps of each, and of all that live.

use crate::Result;
use crate::state::enclosure::Enclosure;
use crate::state::nucleus_data::Table;
use crate::state::slots::Slots;
use abi::Error;
use abi::identity::{DomainId, Serials};
use abi::nucleus::MAX_DOMAINS;
use abi::section::NAME;
use alloc::vec::Vec;
use fallible::TryPush;

/// A domain.
pub struct Domain<M> {
    pub name: [u8; NAME],
    pub table: Table<M>,
    pub flags: u64,
    /// How it is kept apart.
    pub enclosure: Enclosure,
    /// Who may wait for it and interpose on it; 0: nobody. The parent's end makes it 0, so it is never another's number.
    pub parent: usize,
    /// Domains whose parent it is: each is taken out at its end.
    pub children: Vec<usize>,
    pub sandbox: crate::state::sandbox::Sandbox,
    /// The next in the ring of those that share its portal table; 0: it has that to itself.
    pub sharer: usize,
    /// Whether somebody is to be told of new portals in its table, or shares them.
    pub heard: bool,
    /// Whether others have to do with the numbers of its table: who is in its sandbox, or shares it.
    pub linked: bool,
    /// It starts the others, or has opened `domain.destroy`: it may wait for, and end, any domain.
    pub privileged: bool,
    /// Portal of the portal manager's own table that calls its notification routine, or 0.
    pub notify: usize,
    /// Its portals heal: who says what takes its place when it has ended.
    pub healer: Option<DomainId>,
    /// Calls into it wait.
    pub gate: Option<Gate>,
    /// It takes the place of another that has ended for that, and is not said to have taken it yet.
    pub tried: Option<Trial>,
    /// It was made for a component, which ends by itself: nobody need have a name for it.
    pub lasting: bool,
    /// Threads whose home it is and which have not ended.
    pub threads: usize,
    /// Highest priority of its threads: what its manifest says, or its parent's.
    pub ceiling: u8,
    /// Semaphores to post when it ends, of who waits for that, and what those were charged.
    pub waiters: Vec<(usize, account::Charge)>,
    /// Stacks of its threads: the top, and the index of the thread; 0: none yet, [`crate::state::threads::SPARE`]: none any more.
    pub stacks: Vec<(usize, usize)>,
    /// Those for the next threads.
    pub spare_stacks: usize,
    /// Stacks for calls, the reserves included.
    pub queue: usize,
    /// Descriptors of reserves that no thread has, in a list through their first words, or 0.
    pub reserves: u64,
    /// Registrations of its own.
    pub provides: usize,
    /// What it has granted.
    pub grants: crate::state::grants::Grants,
    /// Blocks that lead to it; not kept for boot components, which do not end.
    pub blocks: Vec<u64>,
    /// No number below this one is free, and and from the second one on all are as they were at the beginning, of those that are given out.
    pub numbers: (usize, usize),
    /// How many operations keep it from lending pages.
    pub frozen: u32,
    /// Who pays for what is made for it; and what it has cost itself.
    pub account: account::Account,
    pub charge: account::Charge,
    /// What it has charged to others as a service.
    pub services: Vec<account::Sum>,
    /// Which domain it is: what names it after a wait, or after its end.
    pub id: DomainId,
}

impl<M> Domain<M> {
    /// One with a table and nothing else: no parent, no thread, nothing that it provides or has opened.
    pub fn new(id: DomainId, name: [u8; NAME], table: Table<M>, enclosure: Enclosure) -> Domain<M> {
        Domain {
            name,
            table,
            flags: 0,
            enclosure,
            parent: 0,
            children: Vec::new(),
            sandbox: Default::default(),
            sharer: 0,
            heard: false,
            linked: false,
            privileged: false,
            notify: 0,
            healer: None,
            gate: None,
            tried: None,
            lasting: false,
            ceiling: 0,
            threads: 0,
            waiters: Vec::new(),
            stacks: Vec::new(),
            spare_stacks: 0,
            queue: 0,
            reserves: 0,
            provides: 0,
            grants: Default::default(),
            blocks: Vec::new(),
            numbers: (abi::system::FIRST_FREE, abi::system::FIRST_FREE),
            frozen: 0,
            account: account::Account::SYSTEM,
            charge: account::Charge::NONE,
            services: Vec::new(),
            id,
        }
    }
}

/// A closed gate: calls into its domain wait, until another takes the place of that.
pub struct Gate {
    /// Who has closed it.
    pub maker: DomainId,
    /// Who is to take the place.
    pub heir: DomainId,
    /// The tick of `hrtime` at which it opens by itself; `None`: nobody has waited yet.
    pub until: Option<u64>,
}
/// Who takes the place of one that has ended behind its gate may be given up still.
pub struct Trial {
    /// Who says so, and what takes its place then.
    pub maker: DomainId,
    /// How many registrations the one before had.
    pub provides: usize,
}
/// A domain takes the place of another, its predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Succession {
    pub by: DomainId,
    pub of: DomainId,
    /// It has: what the predecessor still does is finish calls.
    pub over: bool,
}

/// The living domains, by number.
pub struct Domains<M> {
    slots: Slots<Domain<M>>,
    /// How many they are: for the end of each there is room wherever it is told.
    pub living: usize,
    /// Those of which a child or the parent has ended, from which they may have semaphores: each is taken out at its own end.
    pub orphaned: Vec<usize>,
    /// The number from which on a free one is looked for: numbers are used again as late as possible.
    pub next_number: usize,
    pub serials: Serials,
    /// Components that somebody still makes, dead ones too.
    pub making: Vec<Making>,
    /// Of each that is to take another's place, or has taken it, and lives.
    pub successions: Vec<Succession>,
}
/// Its maker names a component that does not run yet by its number, in many calls to several servers: the number is nobody else's before the maker has started it,
/// or given it up, or ended; whoever ends the component meanwhile.
pub struct Making {
    pub id: DomainId,
    pub maker: DomainId,
}
impl<M> Domains<M> {
    pub const fn new() -> Domains<M> {
        Domains {
            slots: Slots::new(),
            living: 0,
            orphaned: Vec::new(),
            next_number: 1,
            serials: Serials::after(abi::boot::DOMAINS as u64),
            making: Vec::new(),
            successions: Vec::new(),
        }
    }
    /// Whose place domain `by` is to take, or has taken.
    pub fn succession(&self, by: DomainId) -> Option<&Succession> {
        self.successions.iter().find(|succession| succession.by == by)
    }
    #[inline(always)]
    pub fn get(&self, asid: usize) -> Option<&Domain<M>> {
        self.slots.get(asid)
    }
    #[inline(always)]
    pub fn get_mut(&mut self, asid: usize) -> Option<&mut Domain<M>> {
        self.slots.get_mut(asid)
    }
    pub fn contains(&self, asid: usize) -> bool {
        self.slots.contains(asid)
    }
    /// Behind the highest number that was ever a domain's.
    pub fn end(&self) -> usize {
        self.slots.end()
    }
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Domain<M>)> {
        self.slots.iter()
    }
    /// Makes room for the first `count`. `ENOMEM`.
    pub fn reserve(&mut self, count: usize) -> Result<()> {
        self.slots.reserve(1 + count)
    }
    /// Makes room for one more, with number `asid`, and for its end. `ENOMEM`.
    pub fn room_at(&mut self, asid: usize) -> Result<()> {
        self.slots.room_at(asid)?;
        self.orphaned.room_for((self.living + 1).saturating_sub(self.orphaned.len()))
    }
    /// A child or the parent of domain `asid`, which lives, has ended.
    pub fn left_behind(&mut self, asid: usize) {
        if !self.orphaned.contains(&asid) {
            self.orphaned.push_kept(asid);
        }
    }
    /// Takes in a domain, for which there is room.
    pub fn add(&mut self, asid: usize, domain: Domain<M>) {
        self.living += 1;
        self.slots.set(asid, domain);
    }
    pub fn remove(&mut self, asid: usize) -> Option<Domain<M>> {
        let domain = self.slots.remove(asid)?;
        self.living -= 1;
        Some(domain)
    }
    /// A number that nobody has, and that is not `taken` otherwise.
    pub fn free_number(&mut self, taken: impl Fn(usize) -> bool) -> Result<usize> {
        for _ in 0..MAX_DOMAINS {
            let asid = self.next_number;
            self.next_number = if asid + 1 < MAX_DOMAINS { asid + 1 } else { 1 };
            if !self.contains(asid) && !self.making.iter().any(|making| making.id.number() == asid) && !taken(asid) {
                return Ok(asid);
            }
        }
        Err(Error::ENFILE)
    }
}
