//! The portal manager's state, and what its parts share.

use crate::Result;
use crate::code::{Block, CodeArea};
use crate::neighbours::Machine;
use crate::nucleus_data::{Table, ThreadPage};
use crate::pagers::Watch;
use crate::slots::Slots;
use crate::templates::Owner;
use abi::Error;
use abi::boot::BootInfo;
use abi::identity::{DomainId, Serials};
use abi::nucleus::{MAX_DOMAINS, NPORTALS, domain};
use abi::section::{NAME, text};
use abi::system::Ended;
use abi::template::Template;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use fallible::TryPush;
use portal::frame::FramePlan;
use portal::{Connection, End, Specification, Templates};

/// A registration's name: a boot component's is where the image builder has put it.
#[derive(Clone, Debug)]
pub enum Text {
    Boot(&'static [u8; NAME]),
    Own(alloc::boxed::Box<[u8; NAME]>),
}
impl core::ops::Deref for Text {
    type Target = [u8; NAME];
    fn deref(&self) -> &[u8; NAME] {
        match self {
            Text::Boot(name) => name,
            Text::Own(name) => name,
        }
    }
}

/// An entry point that a server registered.
#[derive(Debug)]
pub struct Registration {
    pub name: Text,
    pub specification: Specification,
    pub entry: u64,
    pub constants: [u64; 6],
    /// Whose it is: a domain's end takes all its registrations away.
    pub server: usize,
    pub charge: account::Charge,
    /// The name server knows it; and how many blocks lead to it, those that the image builder made left out.
    pub named: bool,
    pub blocks: u32,
    /// What may end calls before they enter it.
    pub short_circuit: Option<alloc::boxed::Box<Circuit>>,
}
/// A short circuit that a server has registered.
#[derive(Clone, Copy, Debug)]
pub struct Circuit {
    pub words: [u32; abi::section::SHORT_CIRCUIT],
    pub count: usize,
    /// Supervisor address of the record.
    pub record: u64,
}

/// A domain.
pub struct Domain<M> {
    pub name: [u8; NAME],
    pub table: Table<M>,
    pub flags: u64,
    /// Who may wait for it and interpose on it; 0: nobody. The parent's end makes it 0, so it is never another's number.
    pub parent: usize,
    /// Domains whose parent it is: each is taken out at its end.
    pub children: Vec<usize>,
    pub sandbox: crate::sandbox::Sandbox,
    /// It has opened `domain.destroy`: it may wait for, and end, any domain.
    pub privileged: bool,
    /// Portal of the portal manager's own table that calls its notification routine, or 0.
    pub notify: usize,
    /// Threads whose home it is and which have not ended.
    pub threads: usize,
    /// Highest priority of its threads: what its manifest says, or its parent's.
    pub ceiling: u8,
    /// Semaphores to post when it ends, of who waits for that, and what those were charged.
    pub waiters: Vec<(usize, account::Charge)>,
    /// Stacks of its threads: the top, and the index of the thread; 0: none yet, [`crate::threads::SPARE`]: none any more.
    pub stacks: Vec<(usize, usize)>,
    /// Those for the next threads.
    pub spare_stacks: usize,
    /// Stacks in its queue.
    pub queue: usize,
    /// Registrations of its own.
    pub provides: usize,
    /// What it has granted.
    pub grants: crate::grants::Grants,
    /// Blocks that lead to it; not kept for boot components, which do not end.
    pub blocks: Vec<u64>,
    /// No number below this one is free, and none from the second on was ever used, of those that are given out.
    pub numbers: (usize, usize),
    /// How many operations keep it from lending pages.
    pub frozen: u32,
    /// Who pays for what is made for it; and what it has cost itself.
    pub account: account::Account,
    pub charge: account::Charge,
    /// Which domain it is: what names it after a wait, or after its end.
    pub id: DomainId,
}

/// What of a dead domain can not be freed yet.
pub struct Zombie<M> {
    /// Its number, which is not given away before this is gone. Blocks that led to it have the number, too: they are counted here.
    pub asid: usize,
    pub charge: account::Charge,
    pub table: Table<M>,
    /// How many blocks there are that led to it.
    pub blocks: usize,
    /// Frames of calls that have windows on its memory open: (thread, frame address).
    pub lent: Vec<(ThreadPage<M>, u64)>,
    /// There was no memory to say which: calls of any dead domain may have.
    pub lent_unknown: bool,
    /// It may have had templates.
    pub trusted: bool,
    pub space_destroyed: bool,
}

pub struct Manager<M: Machine> {
    pub machine: M,
    pub domains: Slots<Domain<M>>,
    /// How many they are: for the end of each there is room in `orphaned`, `zombies`, `ended` and `events`.
    pub living: usize,
    pub accounts: account::Accounts,
    /// Those of which a child has ended: each is taken out at its own end.
    pub orphaned: Vec<usize>,
    pub zombies: Vec<Zombie<M>>,
    pub registrations: Slots<Registration>,
    pub code: CodeArea<M>,
    /// Blocks of the system portals and fixed entries of new domains: [untrusted, trusted].
    pub initials: [crate::system_portals::Initial; 2],
    /// The code of the letters that servers have templates for, and whose it is.
    pub templates: Vec<&'static Template>,
    /// One without letters, once a template was registered.
    pub no_template: Option<&'static Template>,
    pub template_owners: Vec<Owner>,
    /// Where threads go on whose domain died.
    pub graveyard: Table<M>,
    /// Code of the portal that answers `EDEAD`, and of another where a server has granted what it leads to.
    pub dead_portal: u64,
    pub dead_grant: u64,
    pub threads: crate::threads::Threads<M>,
    /// How domains ended that nobody has waited for, and who their parents were.
    pub ended: crate::unwaited::Ends,
    pub events: VecDeque<Ended>,
    /// Semaphore that counts `events`.
    pub event_semaphore: usize,
    /// Portals in the trusted servers' own tables.
    pub upcalls: Vec<crate::upcalls::Upcall>,
    pub watch: Watch,
    /// Semaphores to post when the lock is free again: who waits for one needs it.
    pub posts: crate::posts::Posts,
    pub next_asid: usize,
    pub serials: Serials,
    pub semaphores: crate::semaphores::Semaphores,
    /// Free stack descriptors: the supervisor address of the first, which says where the next is, or 0; and how many.
    pub descriptors: (u64, usize),
    /// The portal manager's own domain, and the memory manager's.
    pub own: usize,
    pub memory: usize,
    /// The registration of `domain.destroy`.
    pub destroy: usize,
    /// The scheduler's registrations of P and V.
    pub semaphore_entries: [usize; 2],
    /// Physical addresses of domain blocks that dead domains left.
    pub spare_blocks: Vec<usize>,
    /// Where portals are generated before their place is known.
    pub scratch: portal::emit::Buffer,
}

/// Room for registrations and blocks, beside those of the first components: what a small system has.
const MORE_REGISTRATIONS: usize = 8;
const MORE_BLOCKS: usize = 56;

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
            domains: Slots::new(),
            living: 0,
            accounts: account::Accounts::new(),
            orphaned: Vec::new(),
            zombies: Vec::new(),
            registrations: Slots::new(),
            code: CodeArea::new(machine),
            initials: [crate::system_portals::Initial::EMPTY; 2],
            templates: Vec::new(),
            no_template: None,
            template_owners: Vec::new(),
            graveyard: Table::at(machine, 0),
            dead_portal: 0,
            dead_grant: 0,
            threads: crate::threads::Threads::new(),
            ended: crate::unwaited::Ends::new(),
            events: VecDeque::new(),
            event_semaphore: 0,
            upcalls: Vec::new(),
            watch: Watch::NONE,
            posts: crate::posts::Posts::NONE,
            next_asid: 1,
            serials: Serials::after(abi::boot::DOMAINS as u64),
            semaphores: crate::semaphores::Semaphores::new(),
            descriptors: (0, 0),
            own: 0,
            memory: 0,
            destroy: 0,
            semaphore_entries: [0; 2],
            spare_blocks: Vec::new(),
            scratch: portal::emit::Buffer::EMPTY,
        }
    }

    pub fn domain(&self, asid: usize) -> Result<&Domain<M>> {
        self.domains.get(asid).ok_or(Error::ESRCH)
    }
    /// The domain that is meant, if it lives: `EDEAD`. Nobody acts for the graveyard.
    pub fn living(&self, id: DomainId) -> Result<&Domain<M>> {
        match self.domains.get(id.number()) {
            Some(d) if d.id == id && d.table != self.graveyard => Ok(d),
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
    /// The domain's end of a connection.
    pub fn end(&self, asid: usize) -> Result<End> {
        let d = self.domain(asid)?;
        Ok(End { table: d.table.address(), asid: asid as u64, flags: d.flags })
    }
    /// The live domain that `table` is of. `EDEAD`: none; a thread that has been turned towards the graveyard acts for nobody.
    pub fn asid_of(&self, table: Table<M>) -> Result<usize> {
        let asid = table.field(domain::ASID) as usize;
        match self.domains.get(asid) {
            Some(d) if d.table == table && table != self.graveyard => Ok(asid),
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
                Some((_, block)) if block.kind == crate::code::Kind::Stub => subject = self.asid_of(frame.table())?,
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
    /// A number that nobody has.
    pub fn free_asid(&mut self) -> Result<usize> {
        for _ in 0..MAX_DOMAINS {
            let asid = self.next_asid;
            self.next_asid = if asid + 1 < MAX_DOMAINS { asid + 1 } else { 1 };
            let taken = self.domains.contains(asid)
                || self.zombies.iter().any(|z| z.asid == asid)
                || self.ended.of(asid).is_some();
            if !taken {
                return Ok(asid);
            }
        }
        Err(Error::ENFILE)
    }
    /// Takes up what the image builder laid out.
    #[optimize(size)]
    pub fn start(&mut self, info: &'static BootInfo) -> Result<()> {
        let server = |name: &str| {
            let portals = &info.portals[..info.portal_count as usize];
            portals.iter().find(|portal| text(&portal.name) == name).map_or(0, |portal| portal.asid as usize)
        };
        (self.own, self.memory) = (server("portal.open"), server("memory.fault"));
        self.code.start(info.code_next as usize);
        for boot in &info.domains[..info.domain_count as usize] {
            let Some(id) = DomainId::of(Table::at(self.machine, boot.table).field(domain::IDENTITY)) else { continue };
            self.next_asid = self.next_asid.max(boot.asid as usize + 1);
            let entry = Domain {
                name: boot.name,
                table: Table::at(self.machine, boot.table),
                flags: boot.flags,
                parent: 0,
                children: Vec::new(),
                sandbox: Default::default(),
                privileged: text(&boot.name) == "init",
                notify: 0,
                ceiling: boot.priority as u8,
                threads: (boot.thread != 0) as usize,
                waiters: Vec::new(),
                stacks: Vec::new(),
                spare_stacks: 0,
                queue: 0,
                provides: 0,
                grants: Default::default(),
                blocks: Vec::new(),
                numbers: (abi::system::FIRST_FREE, NPORTALS),
                frozen: 0,
                account: account::Account::SYSTEM,
                charge: account::Charge::NONE,
                id,
            };
            self.insert_domain(boot.asid as usize, entry)?;
            if boot.asid as usize == self.own {
                self.add_descriptors(boot.table - domain::TABLE as u64, domain::BELOW);
            }
            self.threads.adopt(self.machine, boot.thread as usize, id)?;
        }
        self.registrations.reserve(info.portal_count as usize + MORE_REGISTRATIONS)?;
        self.code.reserve(info.block_count as usize + MORE_BLOCKS)?;
        for n in 0..info.template_count as usize {
            self.templates.try_push(self.machine.info().template(n))?;
            self.template_owners.try_push(Owner { server: info.template_servers[n] as usize, upcall: 0 })?;
        }
        for (id, portal) in info.portals[..info.portal_count as usize].iter().enumerate() {
            let Ok(specification) = Specification::parse(text(&portal.spec), true, &Templates::new(&self.templates))
            else {
                continue;
            };
            let registration = Registration {
                name: Text::Boot(&portal.name),
                specification,
                entry: portal.entry,
                constants: [portal.constant; 6],
                server: portal.asid as usize,
                charge: account::Charge::NONE,
                short_circuit: None,
                named: true,
                blocks: 0,
            };
            self.registrations.room_at(id)?;
            self.registrations.set(id, registration);
        }
        for open in &info.opens[..info.open_count as usize] {
            self.adopt(open.code, open.portal as usize, (open.asid as usize, open.number as usize))?;
        }
        // The system portals of boot components are not in the list.
        for boot in &info.domains[..info.domain_count as usize] {
            for &(number, name) in abi::system::ALL {
                let code = Table::at(self.machine, boot.table).entry(number);
                // The idle thread has others there.
                let known = self.code.get(code).is_some_and(|b| b.users.contains(&(boot.asid as u16, number as u16)));
                if known
                    || code == info.symbols.bad_portal
                    || crate::inspect::nucleus_name(&info.symbols, code).is_some()
                {
                    continue;
                }
                if let Ok(id) = self.boot_registration(name) {
                    self.adopt(code, id, (boot.asid as usize, number))?;
                }
            }
        }
        self.event_semaphore = self.machine.semaphore_create(0).unwrap_or(0);
        self.destroy = self.boot_registration("domain.destroy").unwrap_or(usize::MAX);
        for (entry, name) in ["scheduler.p", "scheduler.v"].into_iter().enumerate() {
            self.semaphore_entries[entry] = self.boot_registration(name).unwrap_or(usize::MAX);
        }
        self.make_initials()
    }
    /// Takes domain `asid` in, with room for what its end needs. `ENOMEM`.
    pub fn insert_domain(&mut self, asid: usize, domain: Domain<M>) -> Result<()> {
        self.domains.room_at(asid)?;
        let living = self.living + 1;
        self.orphaned.room_for(living.saturating_sub(self.orphaned.len()))?;
        self.zombies.room_for(living)?;
        self.ended.reserve(living)?;
        self.events.room_for(living)?;
        self.living = living;
        self.domains.set(asid, domain);
        Ok(())
    }
    /// Takes up the block at `code`, which entry `number` of boot component `asid` leads to, and which leads to registration
    /// `id`.
    #[optimize(size)]
    fn adopt(&mut self, code: u64, id: usize, (asid, number): (usize, usize)) -> Result<()> {
        let Some(registration) = self.registrations.get(id) else { return Ok(()) };
        let user = (asid as u16, number as u16);
        if let Some(block) = self.code.get_mut(code) {
            return block.add_user(user);
        }
        let mut block = Block::registered(id, registration, false);
        if let (Ok(caller), Ok(callee)) = (self.end(asid), self.end(registration.server)) {
            let (specification, templates) = (&registration.specification, Templates::new(&self.templates));
            let connection =
                Connection { specification, caller, callee, entry: 0, constants: &[], short_circuit: None, templates };
            let plan = FramePlan::new(&connection, 0);
            (block.same_domain, block.templated) = (plan.same_domain, plan.templated);
        }
        block.add_user(user)?;
        self.code.adopt(code, block)
    }
    /// The registration called `name` among the boot components'.
    #[optimize(size)]
    pub fn boot_registration(&self, name: &str) -> Result<usize> {
        let found = self.registrations.iter().find(|(_, r)| text(&r.name[..]) == name);
        found.map(|(id, _)| id).ok_or(Error::ENOENT)
    }
    /// `count` consecutive free numbers in the table of `asid`. Those of portals that a dead server had granted are free when there
    /// are no others: who still has one should find out that the server has died, but need not, and may not know of it.
    pub fn free_numbers(&self, asid: usize, count: usize) -> Result<usize> {
        let Domain { table, numbers: (first, _), .. } = self.domain(asid)?;
        let bad = self.machine.info().symbols.bad_portal;
        free_run(*first, count, |number| table.entry(number) == bad).or_else(|_| {
            let free = |number| [bad, self.dead_grant].contains(&table.entry(number));
            free_run(abi::system::FIRST_FREE, count, free)
        })
    }
}
/// The first of `count` consecutive numbers from `first` on that are `free`.
#[inline(always)]
fn free_run(first: usize, count: usize, free: impl Fn(usize) -> bool) -> Result<usize> {
    let mut run = 0;
    for number in first..NPORTALS {
        run = if free(number) { run + 1 } else { 0 };
        if run == count {
            return Ok(number + 1 - count);
        }
    }
    Err(Error::ENFILE)
}
