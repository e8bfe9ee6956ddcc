//! Making connections: registering entry points, generating portals, opening and closing them.

use crate::code::{Block, Kind};
use crate::manager::{Caller, Manager, NAMES_BIND, NAMES_LOOKUP, NAMES_UNBIND, Registration};
use crate::words::Name;
use abi::Error;
use abi::section::NAME;
use alloc::vec::Vec;
use pebble::{Result, check};
use portal::{Connection, End, Specification, generate};

/// Words of the longest portal.
const LONGEST: usize = 512;

impl Block {
    /// A block that leads to registration `id`; its place and size are filled in when it is added.
    pub fn registered(id: usize, registration: &Registration, permanent: bool) -> Block {
        Block {
            bytes: 0,
            frame: 0,
            kind: Kind::Registered { registration: id },
            server: registration.server,
            specification: registration.specification,
            windows: 0,
            window_count: 0,
            entry: registration.entry,
            same_domain: false,
            users: Vec::new(),
            permanent,
        }
    }
}

impl Manager {
    /// Generates a portal from `caller` to `entry` in domain `to`. The code's supervisor address.
    pub fn generate(
        &mut self,
        (caller, to): (End, usize),
        specification: &Specification,
        (entry, constants): (u64, &[u64]),
        kind: Kind,
        permanent: bool,
    ) -> Result<u64> {
        let connection = Connection { specification, caller, callee: self.end(to)?, entry, constants };
        let mut words = [0; LONGEST];
        let block = generate(&connection, &pebble::boot::info().symbols, &mut words).map_err(|_| Error::EINVAL)?;
        let plan = portal::frame::FramePlan::new(&connection);
        let block_record = Block {
            bytes: 0,
            frame: 0,
            kind,
            server: to,
            specification: *specification,
            windows: plan.windows,
            window_count: plan.window_count,
            entry,
            same_domain: plan.same_domain,
            users: Vec::new(),
            permanent,
        };
        self.sweep_if_full(block.words * 4);
        self.code.add(&words[..block.words], block_record).ok_or(Error::ENOMEM)
    }
    /// Generates a portal to registration `id` for callers like `caller`.
    pub fn generate_registered(&mut self, caller: End, id: usize, permanent: bool) -> Result<u64> {
        let r = self.registrations.get(&id).ok_or(Error::ENOENT)?.clone();
        let kind = Kind::Registered { registration: id };
        self.generate((caller, r.server), &r.specification, (r.entry, &r.constants), kind, permanent)
    }
    /// Makes entry `number` of `asid`'s table lead to `code`.
    pub fn install(&mut self, asid: usize, number: usize, code: u64) -> Result<()> {
        self.uninstall(asid, number)?;
        if let Some(block) = self.code.get_mut(code) {
            block.users.push((asid as u16, number as u16));
        }
        self.domain(asid)?.table.set_entry(number, code);
        Ok(())
    }
    /// Makes entry `number` of `asid`'s table lead nowhere, and frees what only it led to.
    pub fn uninstall(&mut self, asid: usize, number: usize) -> Result<()> {
        let table = self.domain(asid)?.table;
        let code = table.entry(number);
        table.set_entry(number, pebble::boot::info().symbols.bad_portal);
        self.release(code, asid, number);
        Ok(())
    }
    /// Table entry `number` of `asid` no longer leads to `code`.
    pub fn release(&mut self, code: u64, asid: usize, number: usize) {
        let Some(block) = self.code.get_mut(code) else { return };
        block.users.retain(|&user| user != (asid as u16, number as u16));
        let (unused, kind) = (block.users.is_empty() && !block.permanent, block.kind);
        if let Kind::Semaphore { id, .. } = kind {
            self.semaphore_released(id);
        }
        if unused && !self.returns_through(code) {
            self.code.remove(code);
        }
    }
    /// Whether some thread will return through the block at `code`.
    pub fn returns_through(&self, code: u64) -> bool {
        self.threads.pages().any(|thread| {
            thread.frames(&self.code).any(|f| self.code.containing(f.portal()).is_some_and(|(at, _)| at == code))
        })
    }
    /// Frees blocks that nobody uses any more, if the area has no room for `bytes`.
    fn sweep_if_full(&mut self, bytes: usize) {
        if self.code.has_room(bytes) {
            return;
        }
        let unused: Vec<u64> =
            self.code.iter().filter(|(_, b)| b.users.is_empty() && !b.permanent).map(|(code, _)| code).collect();
        for code in unused {
            if !self.returns_through(code) {
                self.code.remove(code);
            }
        }
    }

    /// Registers an entry point of the subject's under a name.
    pub fn register(&mut self, caller: Caller, request: &abi::system::Registration) -> Result<isize> {
        let name = Name::new(&request.name)?;
        if name.text().len() >= NAME {
            return Err(Error::EINVAL);
        }
        let specification = match Specification::parse(crate::words::specification(&request.spec)?, false) {
            Ok(specification) => specification,
            Err(rejected) => return Ok(rejected.code()),
        };
        if request.entry >= abi::address::WINDOW_VA as u64 || request.stacks > 64 {
            return Err(Error::EINVAL);
        }
        let id = self.next_registration;
        check(NAMES_BIND.call([caller.subject, name.address(), id]))?;
        self.next_registration += 1;
        for _ in 0..request.stacks {
            if let Err(error) = self.add_stack(caller.subject) {
                NAMES_UNBIND.call([caller.subject, name.address()]);
                return Err(error);
            }
        }
        let mut short = [0; NAME];
        short.copy_from_slice(&name.bytes()[..NAME]);
        let registration = Registration {
            name: short,
            specification,
            entry: request.entry,
            constants: request.constants,
            server: caller.subject,
        };
        self.registrations.insert(id, registration);
        Ok(0)
    }
    /// Withdraws a name. Portals that are open stay open.
    pub fn unregister(&mut self, caller: Caller, name: &Name) -> Result<isize> {
        check(NAMES_UNBIND.call([caller.subject, name.address()]))?;
        Ok(0)
    }
    /// Opens the portal called `name` in the direct caller's table; its number.
    pub fn open(&mut self, caller: Caller, name: &Name) -> Result<usize> {
        let id = check(NAMES_LOOKUP.call([caller.subject, name.address()]))?;
        let number = self.free_numbers(caller.direct, 1)?;
        let code = self.generate_registered(self.end(caller.direct)?, id, false)?;
        self.install(caller.direct, number, code)?;
        if name.text() == "domain.destroy" {
            self.domain_mut(caller.direct)?.privileged = true;
        }
        Ok(number)
    }
    /// Closes a portal of the direct caller's.
    pub fn close(&mut self, caller: Caller, number: usize) -> Result<isize> {
        if number < abi::system::FIRST_FREE || number >= abi::nucleus::NPORTALS {
            return Err(Error::EPORTAL);
        }
        let table = self.domain(caller.direct)?.table;
        if table.entry(number) == pebble::boot::info().symbols.bad_portal {
            return Err(Error::EPORTAL);
        }
        self.uninstall(caller.direct, number)?;
        Ok(0)
    }
}
