//! What the image builder has laid out is taken up.

use crate::Result;
use crate::machine::neighbours::Machine;

use crate::manager::Manager;
use crate::state::code::{Block, Kind};
use crate::state::domain::Domain;
use crate::state::enclosure::Enclosure;
use crate::state::nucleus_data::Table;
use crate::state::open_windows::OpenWindows;
use crate::state::registrations::{Constants, NameIs, Registration, Text};
use crate::state::templates::Owner;
use abi::Error;
use abi::boot::{BootDomain, BootInfo, BootPortal, PORTALS, role};
use abi::count::TIME;
use abi::identity::DomainId;
use abi::nucleus::{NPORTALS, domain, flags};
use abi::section::text;
use fallible::TryPush;
use portal::frame::FramePlan;
use portal::specification::ARGUMENTS;
use portal::{Connection, Count, Specification, Templates};

/// Room for domains, registrations and blocks, beside those of the first components: what a small system has.
const MORE_DOMAINS: usize = 4;
const MORE_REGISTRATIONS: usize = 8;
const MORE_BLOCKS: usize = 56;

impl<M: Machine> Manager<M> {
    /// Takes up what the image builder laid out.
    #[optimize(size)]
    pub fn start(&mut self, info: &'static BootInfo) -> Result<()> {
        let server = |name: &str| {
            let portals = &info.portals[..info.portal_count as usize];
            portals.iter().find(|portal| text(&portal.name) == name).map_or(0, |portal| portal.asid as usize)
        };
        (self.roles.own, self.roles.memory) = (server("portal.open"), server("memory.fault"));
        self.roles.start = info.with_role(role::START).map_or(0, |boot| boot.asid as usize);
        self.code.start(info);
        self.open_windows = OpenWindows::new()?;
        self.adopt_domains(&info.domains[..info.domain_count as usize])?;
        self.registrations.reserve(info.portal_count as usize + MORE_REGISTRATIONS)?;
        self.code.reserve(info.block_count as usize, MORE_BLOCKS)?;
        for n in 0..info.template_count as usize {
            self.templates.all.try_push(self.machine.info().template(n))?;
            self.templates.owners.try_push(Owner { server: info.template_servers[n] as usize, upcall: 0 })?;
        }
        self.adopt_registrations(&info.portals[..info.portal_count as usize])?;
        for open in &info.opens[..info.open_count as usize] {
            let user = (open.asid as usize, open.number as usize);
            match open.portal as usize {
                PORTALS => self.adopt_counted(open.code, user)?,
                id => self.adopt(open.code, id, user)?,
            }
        }
        for boot in &info.domains[..info.domain_count as usize] {
            self.adopt_system_portals(info, boot)?;
        }
        self.events.semaphore = self.machine.semaphore_create(0).unwrap_or(0);
        self.roles.destroy = self.boot_registration("domain.destroy").unwrap_or(usize::MAX);
        for (entry, name) in ["scheduler.p", "scheduler.v"].into_iter().enumerate() {
            self.roles.semaphore_entries[entry] = self.boot_registration(name).unwrap_or(usize::MAX);
        }
        if self.counts_calls() {
            // The first switch had no other before it. The scheduler's word is something else.
            for (_, domain) in self.domains.iter().filter(|(_, domain)| domain.flags & flags::MASKED == 0) {
                domain.table.set_counter(TIME, 0);
            }
        }
        self.make_first_tables()
    }
    /// Takes up the first components' domains.
    #[optimize(size)]
    fn adopt_domains(&mut self, all: &[BootDomain]) -> Result<()> {
        self.domains.reserve(all.len() + MORE_DOMAINS)?;
        for boot in all {
            let table = Table::at(self.machine, boot.table);
            let Some(id) = DomainId::of(table.field(domain::IDENTITY)) else { continue };
            self.domains.next_number = self.domains.next_number.max(boot.asid as usize + 1);
            let domain = Domain {
                flags: boot.flags,
                privileged: boot.role == role::START,
                lasting: true,
                ceiling: boot.priority as u8,
                threads: (boot.thread != 0) as usize,
                // What has been opened for it is anywhere.
                numbers: (abi::system::FIRST_FREE, NPORTALS),
                ..Domain::new(id, boot.name, table, Enclosure::SPACE)
            };
            self.insert_domain(boot.asid as usize, domain)?;
            self.descriptors.add(boot.table.wrapping_add(domain::SPARE as i64 as u64), domain::SPARE_BYTES);
            self.threads.adopt(self.machine, boot.thread as usize, id)?;
        }
        Ok(())
    }
    /// Takes up what they have registered.
    #[optimize(size)]
    fn adopt_registrations(&mut self, portals: &'static [BootPortal]) -> Result<()> {
        for (id, portal) in portals.iter().enumerate() {
            let Ok(specification) =
                Specification::parse(text(&portal.spec), true, &Templates::new(&self.templates.all))
            else {
                continue;
            };
            let registration = Registration {
                name: Text::Boot(&portal.name),
                specification,
                entry: portal.entry,
                constants: Constants::new([portal.constant; ARGUMENTS], &specification)?,
                server: portal.asid as usize,
                charge: account::Charge::NONE,
                admission: None,
                latest: 0,
                circuits: 0,
                traced: false,
                short_circuit: None,
                name_is: NameIs::Bound,
                blocks: 0,
            };
            self.registrations.room_at(id)?;
            self.registrations.set(id, registration);
        }
        Ok(())
    }
    /// Takes up the system portals of a first component, which are not in the list.
    #[optimize(size)]
    fn adopt_system_portals(&mut self, info: &BootInfo, boot: &BootDomain) -> Result<()> {
        for &(number, name) in abi::system::ALL {
            let code = Table::at(self.machine, boot.table).entry(number);
            // The idle thread has others there.
            let known = self.code.get(code).is_some_and(|b| b.users.contains(&(boot.asid as u16, number as u16)));
            if known
                || code == info.symbols.bad_portal
                || crate::operations::inspect::nucleus_name(&info.symbols, code).is_some()
            {
                continue;
            }
            let user = (boot.asid as usize, number);
            match self.boot_registration(name) {
                Ok(id) => self.adopt(code, id, user)?,
                // The nucleus's own, which are in no list.
                Err(_) if self.counts_calls() => self.adopt_counted(code, user)?,
                Err(_) => {}
            }
        }
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
            let count = Count::Off;
            let (specification, templates) = (&registration.specification, Templates::new(&self.templates.all));
            let connection = Connection {
                specification,
                caller,
                callee,
                entry: 0,
                constants: &[],
                short_circuit: None,
                templates,
                count,
                trace: None,
            };
            let plan = FramePlan::new(&connection, 0);
            (block.same_domain, block.templated) = (plan.same_domain, plan.templated);
        }
        block.add_user(user)?;
        self.code.adopt(code, block)
    }
    /// Takes up the block at `code`, which counts before it goes to the nucleus's own.
    #[optimize(size)]
    fn adopt_counted(&mut self, code: u64, (asid, number): (usize, usize)) -> Result<()> {
        let user = (asid as u16, number as u16);
        if let Some(block) = self.code.get_mut(code) {
            return block.add_user(user);
        }
        let mut block = Block::own(Kind::Nucleus, self.roles.own, false);
        block.entry = portal::counted::target(self.code.header(code));
        block.add_user(user)?;
        self.code.adopt(code, block)
    }
    /// The registration called `name` among the boot components'.
    #[optimize(size)]
    pub fn boot_registration(&self, name: &str) -> Result<usize> {
        let found = self.registrations.iter().find(|(_, r)| text(&r.name[..]) == name);
        found.map(|(id, _)| id).ok_or(Error::ENOENT)
    }
}
