//! What the portal manager tells about domains and portals.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::state::code::Kind;
use crate::state::domain::Domain;
use crate::state::registrations::{NameIs, WITHDRAWN};
use abi::Error;
use abi::boot::Symbols;
use abi::count;
use abi::inspect;
use abi::nucleus::NPORTALS;
use abi::nucleus::flags::MASKED;
use abi::section::{NAME, cut, padded};

/// Names of the nucleus's portals, by their code.
#[optimize(size)]
pub fn nucleus_name(symbols: &Symbols, code: u64) -> Option<&'static str> {
    if code == symbols.return_portal { Some("return") } else { symbols.portal_name(code) }
}

/// What a portal is called that leads to no registration.
#[optimize(size)]
pub(crate) fn kind_name(kind: Kind) -> [u8; NAME] {
    padded(match kind {
        Kind::Registered { .. } => "(registered)",
        Kind::Semaphore { v: false, .. } => "semaphore.p",
        Kind::Semaphore { v: true, .. } => "semaphore.v",
        Kind::Granted { .. } => "(granted)",
        Kind::Stub => "(interposed)",
        Kind::Upcall => "(upcall)",
        Kind::Handle | Kind::Delegated { .. } => "(protection domain)",
        Kind::Delegation { .. } => "(delegation)",
        Kind::Recorder => "(recorder)",
        Kind::Procedure { .. } => "(protected procedure)",
        Kind::Nucleus => "(nucleus)",
    })
}

impl<M: Machine> Manager<M> {
    #[optimize(size)]
    pub fn inspect_domain(&self, asid: usize) -> Result<inspect::Domain> {
        let d = self.domain(asid)?;
        let (isolation, within) = self.describe_enclosure(d.enclosure);
        let bad = self.machine.info().symbols.bad_portal;
        Ok(inspect::Domain {
            name: d.name,
            asid: asid as u64,
            flags: d.flags & !crate::manager::BOOT,
            parent: d.parent as u64,
            threads: d.threads as u64,
            portals: (1..NPORTALS).filter(|&n| d.table.entry(n) != bad).count() as u64,
            stacks: d.queue as u64,
            account: d.account.number() as u64,
            identity: d.id.word(),
            isolation,
            within,
        })
    }
    /// The words of a domain's counters. `ENOENT`: the system counts nothing.
    #[optimize(size)]
    pub fn inspect_calls(&self, asid: usize) -> Result<impl Iterator<Item = u64>> {
        let Domain { table, flags, .. } = self.domain(asid)?;
        if !self.counts_calls() {
            return Err(Error::ENOENT);
        }
        // A component that runs with interrupts off has no threads; one of them keeps something else there.
        let first = if flags & MASKED != 0 { 0 } else { table.counter(count::TIME) };
        let table = *table;
        Ok(core::iter::once(first).chain((1..count::WORDS).map(move |n| table.counter(n))))
    }
    /// What registration `id` is. `ENOENT`: there is none of that number; `EPORTAL`: nor one of a higher one.
    fn inspect_registration(&self, id: usize) -> Result<inspect::Portal> {
        if id >= self.registrations.end() {
            return Err(Error::EPORTAL);
        }
        let r = self.registrations.get(id).filter(|r| r.name_is != NameIs::Lost).ok_or(Error::ENOENT)?;
        let (server, entry, registration) = (r.server as u64, r.entry, id as u64);
        let mut portal = inspect::Portal { name: *r.name, server, entry, registration, ..inspect::Portal::NONE };
        r.specification.write(&mut portal.spec);
        Ok(portal)
    }
    /// What a portal of its own is that thread `thread` of the caller may call next: until it asks about another, the number leads there or nowhere.
    #[optimize(size)]
    pub fn look_at_portal(&mut self, caller: Caller, thread: usize, number: usize) -> Result<inspect::Portal> {
        let portal = self.inspect_portal(caller.direct, number)?;
        let domain = self.domain(caller.direct)?.id;
        self.threads.look(thread, domain, number);
        Ok(portal)
    }
    #[optimize(size)]
    pub fn inspect_portal(&self, asid: usize, number: usize) -> Result<inspect::Portal> {
        if asid == 0 {
            return self.inspect_registration(number);
        }
        let table = self.domain(asid)?.table;
        if number >= NPORTALS {
            return Err(Error::EPORTAL);
        }
        let code = table.entry(number);
        let mut portal = inspect::Portal { code, ..inspect::Portal::NONE };
        if let Some(name) = nucleus_name(&self.machine.info().symbols, code) {
            portal.name = cut(name);
            return Ok(portal);
        }
        let block = self.code.get(code).ok_or(Error::EPORTAL)?;
        portal.name = match block.kind {
            Kind::Registered { registration } => {
                portal.registration = registration as u64;
                self.registrations.get(registration as usize).map_or(WITHDRAWN, |r| *r.name)
            }
            Kind::Nucleus => {
                let name = nucleus_name(&self.machine.info().symbols, block.entry);
                portal.words = self.code.words(code).0 as u64;
                return Ok(inspect::Portal { name: cut(name.unwrap_or("")), ..portal });
            }
            kind => kind_name(kind),
        };
        block.specification.write(&mut portal.spec);
        portal.server = block.server as u64;
        portal.words = self.code.words(code).0 as u64;
        portal.entry = block.entry;
        Ok(portal)
    }
}
