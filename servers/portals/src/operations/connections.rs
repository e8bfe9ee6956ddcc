//! Making connections: registering entry points, generating portals, opening and closing them.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{BOOT, Caller, Manager};
use crate::state::code::{Block, Kind, MadeFor, Users};
use crate::state::registrations::Registration;
use abi::Error;
use abi::account::Resource;
use abi::nucleus::flags::PATCHES;
use account::{Account, Charge};
use fallible::TryPush;
use portal::{Connection, Count, End, ShortCircuit, Specification, Templates, generate};

/// Retired blocks after which the frames of all threads are looked through.
const RETIRED: usize = 32;
/// Table entries that lead to one block, where they are opened: closing one looks through them all.
const USERS: usize = 16;

impl Block {
    /// A block that leads to no entry point of a component's; its place and size are filled in when it is added.
    pub fn own(kind: Kind, server: usize, permanent: bool) -> Block {
        Block {
            bytes: 0,
            frame: 0,
            kind,
            server: server as u16,
            specification: Specification::EMPTY,
            templated: 0,
            entry: 0,
            same_domain: true,
            users: Users::new(),
            permanent,
            marked: false,
            retired: false,
            at_gate: None,
            charge: account::Charge::NONE,
            made_for: None,
        }
    }
    /// A block that leads to registration `id`; its place and size are filled in when it is added.
    pub fn registered(id: usize, registration: &Registration, permanent: bool) -> Block {
        Block {
            specification: registration.specification,
            entry: registration.entry,
            same_domain: false,
            ..Block::own(Kind::Registered { registration: id as u32 }, registration.server, permanent)
        }
    }
}

impl<M: Machine> Manager<M> {
    /// Whether calls are counted.
    #[inline(always)]
    pub fn counts_calls(&self) -> bool {
        self.machine.info().counters != 0
    }
    /// Where a portal counts that is number `word` of its callers' tables.
    #[inline(always)]
    pub fn count(&self, word: usize) -> Count {
        Count::word(self.counts_calls(), word)
    }
    /// Generates a portal from `caller` to `entry` in domain `to`. The code's supervisor address.
    pub fn generate(
        &mut self,
        ends: (End, usize),
        specification: &Specification,
        (entry, constants): (u64, &[u64]),
        kind: Kind,
        count: Count,
    ) -> Result<u64> {
        self.generate_with(ends, specification, (entry, constants), None, kind, count).map(|(code, _)| code)
    }
    /// The same with a short circuit before it, and where it loads its constant.
    pub fn generate_with(
        &mut self,
        (caller, to): (End, usize),
        specification: &Specification,
        (entry, constants): (u64, &[u64]),
        short_circuit: Option<ShortCircuit>,
        kind: Kind,
        count: Count,
    ) -> Result<(u64, (u16, u8))> {
        let (callee, at_touch) = self.callee(to)?;
        let templates = Templates::new(&self.templates.all).at_touch(at_touch);
        let connection = Connection {
            specification,
            caller,
            callee,
            entry,
            constants,
            short_circuit,
            templates,
            count,
            trace: None,
        };
        let Ok(ref block) = generate(&connection, &self.machine.info().symbols, &mut self.scratch) else {
            return Err(Error::EINVAL);
        };
        let payer = self.code_payer(caller, to);
        let code = self.add_block(block, specification, (payer, to), entry, kind, false)?;
        Ok((code, block.constant))
    }
    /// The end of a connection to domain `to`, and whether its windows may be mapped at the first access: who answers for faults,
    /// or is lost by one, can not wait for its own. Makes room for the code.
    #[inline(always)]
    fn callee(&mut self, to: usize) -> Result<(End, bool)> {
        let callee = self.end(to)?;
        if !self.code.has_room(4 * portal::emit::WORDS) {
            self.free_retired();
        }
        Ok((callee, !self.is_fatal(callee)))
    }
    /// Who pays for portals from `caller` to domain `to`: who calls; for a call of the system's own, who asked for it.
    #[inline(always)]
    pub(crate) fn code_payer(&self, caller: End, to: usize) -> Account {
        let account = |asid| self.domain(asid).map_or(Account::SYSTEM, |d| d.account);
        match account(caller.asid as usize) {
            Account::SYSTEM => account(to),
            account => account,
        }
    }
    /// Takes `bytes` of code from `account`. `ENFILE`: that is more than it has, also when what it has closed is freed.
    #[cold]
    fn charge_code_slowly(&mut self, account: Account, bytes: usize) -> Result<Charge> {
        self.free_retired();
        self.accounts.charge(account, Resource::Code, bytes)
    }
    /// Puts the code in `scratch` in its place, for portals to `entry` of domain `to` for which `payer` pays.
    #[optimize(speed)]
    fn add_block(
        &mut self,
        made: &portal::Block,
        specification: &Specification,
        (payer, to): (Account, usize),
        entry: u64,
        kind: Kind,
        permanent: bool,
    ) -> Result<u64> {
        let bytes = crate::state::code::bytes(made.words);
        let charged = self.accounts.charge(payer, Resource::Code, bytes);
        let mut charge = match charged {
            Ok(charge) => charge,
            Err(_) => self.charge_code_slowly(payer, bytes)?,
        };
        let record = Block {
            bytes: 0,
            frame: 0,
            kind,
            server: to as u16,
            specification: *specification,
            templated: made.plan.templated,
            entry,
            same_domain: made.plan.same_domain,
            users: Users::new(),
            permanent,
            marked: false,
            retired: false,
            at_gate: None,
            charge: account::Charge::NONE,
            made_for: None,
        };
        let mut server = self.domains.get_mut(to).filter(|d| d.flags & BOOT == 0);
        let room = server.as_mut().map_or(Ok(()), |server| server.blocks.room_for(1));
        let code = match room.and_then(|()| self.code.add(&self.scratch, made.words, record, &mut charge)) {
            Ok(code) => code,
            Err(error) => {
                self.accounts.refund(charge);
                return Err(error);
            }
        };
        if let Some(server) = server {
            server.blocks.push_kept(code);
        }
        self.block_made(kind);
        Ok(code)
    }
    /// Whether a fault in the domain of that end is the end of the system.
    pub fn is_fatal(&self, end: End) -> bool {
        [self.roles.own, self.roles.memory].contains(&(end.asid as usize)) || end.masked()
    }
    /// Generates a portal to registration `id` for callers like `caller`, which counts in word `word`.
    #[inline(always)]
    pub fn generate_registered(&mut self, caller: End, id: usize, permanent: bool, word: usize) -> Result<u64> {
        let server = self.registrations.get(id).ok_or(Error::ENOENT)?.server;
        self.generate_paid(self.code_payer(caller, server), caller, (id, permanent), word)
    }
    /// The same, for which `payer` pays.
    #[optimize(speed)]
    pub(crate) fn generate_paid(
        &mut self,
        payer: Account,
        caller: End,
        (id, permanent): (usize, bool),
        word: usize,
    ) -> Result<u64> {
        let server = self.registrations.get(id).ok_or(Error::ENOENT)?.server;
        let caller = if caller.flags & PATCHES == 0 { caller } else { self.patching(caller, server) };
        let (callee, at_touch) = self.callee(server)?;
        let r = self.registrations.get(id).ok_or(Error::ENOENT)?;
        let trace = if r.traced { self.traced(caller.asid as usize, id) } else { None };
        // Each call is seen to its end: none ends before the callee is entered.
        let circuit = r.short_circuit.as_deref().filter(|_| trace.is_none());
        let connection = Connection {
            specification: &r.specification,
            caller,
            callee,
            entry: r.entry,
            constants: r.constants.used(),
            short_circuit: circuit.map(|c| ShortCircuit { words: &c.words[..c.count], record: c.record }),
            templates: Templates::new(&self.templates.all).at_touch(at_touch),
            count: self.count(word),
            trace,
        };
        let Ok(ref block) = generate(&connection, &self.machine.info().symbols, &mut self.scratch) else {
            return Err(Error::EINVAL);
        };
        let (specification, entry) = (r.specification, r.entry);
        let kind = Kind::Registered { registration: id as u32 };
        self.add_block(block, &specification, (payer, server), entry, kind, permanent)
    }
    /// Makes entry `number` of `asid`'s table lead to `code`, as one of the first two entries that do.
    pub fn install_first(&mut self, asid: usize, number: usize, code: u64) -> Result<()> {
        self.install(asid, number, code).inspect_err(|_| self.retire(code))
    }
    /// Makes entry `number` of `asid`'s table lead to `code`. `ENOMEM`: too many entries do.
    pub fn install(&mut self, asid: usize, number: usize, code: u64) -> Result<()> {
        if self.domain(asid)?.sandbox.passed.any() {
            self.make_stubs(asid, number, code);
        }
        self.lead_to(asid, number, code)
    }
    /// The same where nobody is in the domain's sandbox, or stubs there are its caller's concern.
    #[inline(never)]
    pub(crate) fn install_alone(&mut self, asid: usize, number: usize, code: u64) -> Result<()> {
        self.lead_to(asid, number, code)
    }
    #[inline(always)]
    fn lead_to(&mut self, asid: usize, number: usize, code: u64) -> Result<()> {
        let domain = self.domains.get_mut(asid).ok_or(Error::ESRCH)?;
        if let Some(block) = self.code.get_mut(code).filter(|block| !block.permanent) {
            block.add_user((asid as u16, number as u16))?;
        }
        let old = domain.table.entry(number);
        domain.table.set_entry(number, code);
        if self.machine.info().counters != 0 {
            // Those of what it has led to until now.
            domain.table.set_counter(number, 0);
        }
        if number == domain.numbers.0 {
            domain.numbers.0 += 1;
        }
        domain.numbers.1 = domain.numbers.1.max(number + 1);
        if old != self.machine.info().symbols.bad_portal {
            if old == self.dead.grant {
                // Its number is taken over, and no guest's any more.
                self.forget_number(asid, number);
            }
            self.release(old, asid, number);
        }
        Ok(())
    }
    /// Makes entry `number` of `asid`'s table, where nothing is, lead to `code`. Who has a block that is always kept need not be known.
    #[inline(always)]
    pub fn put(&mut self, code: u64, asid: usize, number: usize) -> Result<()> {
        if let Some(block) = self.code.get_mut(code).filter(|block| !block.permanent) {
            block.add_user((asid as u16, number as u16))?;
        }
        self.domain(asid)?.table.set_entry(number, code);
        Ok(())
    }
    /// Makes entry `number` of `asid`'s table, and of those that share it, lead nowhere, and frees what only they led to.
    pub fn uninstall(&mut self, asid: usize, number: usize) -> Result<()> {
        let domain = self.domains.get_mut(asid).ok_or(Error::ESRCH)?;
        let code = domain.table.entry(number);
        domain.table.set_entry(number, self.machine.info().symbols.bad_portal);
        if number >= abi::system::FIRST_FREE {
            domain.numbers.0 = domain.numbers.0.min(number);
        }
        if domain.linked {
            self.uninstall_linked(asid, number);
        }
        self.release(code, asid, number);
        Ok(())
    }
    /// Table entry `number` of `asid` no longer leads to `code`.
    pub fn release(&mut self, code: u64, asid: usize, number: usize) {
        let Some((kind, unused)) = self.code.leave(code, (asid as u16, number as u16)) else { return };
        if let Kind::Semaphore { id, .. } = kind {
            self.semaphore_released(id as usize);
        }
        if unused {
            self.nothing_leads_to(kind);
            self.keep_latest(code, kind);
            self.look_at_retired();
        }
    }
    /// What a portal from `caller` to registration `id` is made for, at `number` of its table.
    #[inline(always)]
    pub(crate) fn made_for(&self, caller: End, id: usize, number: usize) -> Result<MadeFor> {
        let &Registration { server, circuits: short_circuit, traced, .. } =
            self.registrations.get(id).ok_or(Error::ENOENT)?;
        let flags = [caller.flags as u16, self.domain(server)?.flags as u16];
        let traced = traced && self.traced(caller.asid as usize, id).is_some();
        let (payer, same_domain) = (self.code_payer(caller, server), caller.asid as usize == server);
        Ok(MadeFor { payer, same_domain, flags, short_circuit, count: self.count(number), traced })
    }
    /// The block at `code` is what who opens the same gets.
    #[inline(always)]
    fn keep_latest(&mut self, code: u64, kind: Kind) {
        // Its registration may have gone with it.
        if let Kind::Registered { registration } = kind
            && let Some(registration) = self.registrations.get_mut(registration as usize)
        {
            registration.latest = code;
        }
    }
    /// The latest block to registration `id`, if it was made for the same: its code is what would be generated, and is where
    /// it was, so that no fence is needed. Others may call by it, too.
    #[inline(always)]
    fn reuse(&mut self, id: usize, made_for: MadeFor) -> Option<u64> {
        let registration = self.registrations.get_mut(id)?;
        let code = registration.latest;
        if code == 0 {
            return None;
        }
        let block = self.code.get(code)?;
        if block.made_for != Some(made_for) || block.users.len() >= USERS {
            return None;
        }
        registration.blocks += self.code.revive(code) as u32;
        Some(code)
    }
    /// Nothing leads to a block of this kind any more.
    #[inline(always)]
    pub fn nothing_leads_to(&mut self, kind: Kind) {
        match kind {
            Kind::Granted { constant, server } => self.grant_gone(server as usize, constant),
            // Its code is somebody else's soon.
            Kind::Semaphore { id, v } => self.semaphore_closed(id as usize, v),
            Kind::Registered { registration } => self.block_unused(registration as usize),
            Kind::Handle | Kind::Procedure { .. } => self.names_lost = true,
            Kind::Delegated { .. } => (self.names_lost, self.names_lost_elsewhere) = (true, true),
            Kind::Delegation { delegation } => self.delegations.forget(delegation),
            _ => {}
        }
    }
    /// Nothing leads to the block at `code` any more: it is freed once no thread returns through it.
    pub fn retire(&mut self, code: u64) {
        self.code.retire(code);
        self.look_at_retired();
    }
    #[inline(always)]
    pub(crate) fn look_at_retired(&mut self) {
        if self.code.retired() >= RETIRED {
            self.free_retired();
        }
    }
    /// Looks through the frames of all threads, and frees the retired blocks that none returns through.
    pub fn free_retired(&mut self) {
        let Manager { seen, threads, code, .. } = self;
        for thread in threads.pages() {
            // Nobody enters a retired block any more: who returns through one did so when it was looked at.
            for portal in seen.get_mut().settle(thread, code).map(|frame| frame.portal()) {
                code.mark(portal);
            }
        }
        let Manager { code, domains, remains, accounts, registrations, .. } = self;
        code.free_unmarked(|code, kind, server, charge| {
            accounts.refund(charge);
            if let Kind::Registered { registration } = kind
                && let Some(registration) = registrations.get_mut(registration as usize)
            {
                registration.forget(code);
            }
            if let Some(zombie) = remains.zombies.iter_mut().find(|z| z.asid == server) {
                zombie.blocks -= 1;
                zombie.parked.iter_mut().for_each(|parked| parked.blocks.retain(|&at| at != code));
            } else if let Some(domain) = domains.get_mut(server)
                && let Some(place) = domain.blocks.iter().position(|&at| at == code)
            {
                domain.blocks.swap_remove(place);
            }
        });
    }
    /// Opens the portal whose name is at `name` in the direct caller's table; its number. The window is lent on: the name server
    /// copies and checks the name. `EAGAIN`: a portal is to be asked before ([`Manager::ask`]).
    pub fn open(&mut self, caller: Caller, name: usize) -> Result<usize> {
        let id = self.machine.names_lookup(caller.subject, name)?;
        self.may_open(caller, id)?;
        self.open_registration(caller, id)
    }
    /// Opens a portal to registration `id`, which the subject may open.
    #[inline(always)]
    pub(crate) fn open_registration(&mut self, caller: Caller, id: usize) -> Result<usize> {
        let specification = self.registrations.get(id).ok_or(Error::ENOENT)?.specification;
        let number = self.free_numbers_for(caller.direct, &[specification])?;
        let end = self.end(caller.direct)?;
        let made_for = self.made_for(end, id, number)?;
        if let Some(code) = self.reuse(id, made_for) {
            // The first two need no memory, so what was retired stays none for want of it.
            self.install(caller.direct, number, code)?;
        } else {
            let code = self.generate_registered(end, id, false, number)?;
            if let Some(block) = self.code.get_mut(code) {
                block.made_for = Some(made_for);
            }
            self.install_first(caller.direct, number, code)?;
            self.keep_latest(code, Kind::Registered { registration: id as u32 });
            self.stop_at_gate(code);
        }
        if id == self.roles.destroy {
            self.domain_mut(caller.direct)?.privileged = true;
        }
        Ok(number)
    }
    /// Closes a portal of the direct caller's; one that the subject shares with others in its sandbox, for the subject alone.
    pub fn close(&mut self, caller: Caller, number: usize) -> Result<isize> {
        if !(abi::system::FIRST_FREE..abi::nucleus::NPORTALS).contains(&number) {
            return Err(Error::EPORTAL);
        }
        let table = self.domain(caller.direct)?.table;
        if table.entry(number) == self.machine.info().symbols.bad_portal {
            return Err(Error::EPORTAL);
        }
        if caller.direct == caller.subject || !self.let_go(caller.subject, number) {
            self.uninstall(caller.direct, number)?;
            self.end_unnamed(self.task_of(caller.direct));
        }
        Ok(0)
    }
}
