//! Domains made anew, and copied.

use crate::Result;
use crate::machine::neighbours::Machine;

use crate::manager::{Caller, Manager};
use crate::operations::protection_copies::Copies;
use crate::state::code::Kind;
use crate::state::domain::Domain;
use crate::state::enclosure::Enclosure;
use crate::state::nucleus_data::Table;
use crate::state::open_windows::Lent;
use crate::state::system_portals::Initial;
use abi::Error;
use abi::address::supervisor;
use abi::identity::DomainId;
use abi::nucleus::{domain, flags::TRUSTED};
use abi::section::NAME;
use abi::system::{Ended, ended, fork};
use account::{Account, Charge};
use alloc::vec::Vec;
use arch::paging::AddressSpace;
use fallible::TryPush;

/// A domain that is to be made.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub name: &'a str,
    /// `abi::nucleus::flags`.
    pub flags: u64,
    pub enclosure: Enclosure,
    /// Whose child it is, or 0.
    pub parent: usize,
    pub account: Account,
}

impl<M: Machine> Manager<M> {
    /// Makes a domain with the system portals, no memory of its own and no thread; its ASID.
    /// `account` pays for it and for all that is made for it.
    pub fn create_domain(&mut self, wanted: &Wanted) -> Result<usize> {
        self.reap();
        self.sweep();
        let mut charge = self.charge_domain(wanted.account)?;
        let made = self.make_domain(wanted, &mut charge);
        // What was made has taken it.
        self.accounts.refund(charge);
        made
    }
    fn make_domain(&mut self, wanted: &Wanted, charge: &mut Charge) -> Result<usize> {
        let &Wanted { name, flags, enclosure, parent, account } = wanted;
        let with = flags | Self::implied(enclosure);
        let asid = self.free_asid()?;
        if let Some(parent) = self.domains.get_mut(parent) {
            parent.children.room_for(1)?;
        }
        let serial = self.domains.serials.next().ok_or(Error::ENFILE)?;
        let id = DomainId::new(asid, serial).ok_or(Error::ENFILE)?;
        let root = self.make_enclosure(enclosure, id, account)?;
        let block = match self.take_block() {
            Ok(block) => block,
            Err(error) => {
                self.release_enclosure(enclosure, asid);
                return Err(error);
            }
        };
        let table = self.table_of(block);
        let kind = Initial::kind(with);
        self.make_system_portals(kind);
        self.system_portals[kind].fill(table);
        table.set_field(domain::SPACE, AddressSpace::new(root, asid).word());
        table.set_field(domain::ASID, asid as u64);
        table.set_field(domain::ROOT, supervisor(root) as u64);
        table.set_field(domain::FLAGS, with);
        table.set_field(domain::IDENTITY, id.word());
        if self.counts_calls() {
            table.start_counters();
        }
        if with & TRUSTED != 0
            && let Err(error) = self.machine.trust(asid)
        {
            self.abandon(enclosure, asid, block);
            return Err(error);
        }
        let mut bytes = [0; NAME];
        let length = name.len().min(NAME - 1);
        bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
        let entry = Domain {
            name: bytes,
            table,
            flags: with,
            enclosure,
            parent,
            children: Vec::new(),
            sandbox: Default::default(),
            sharer: 0,
            heard: false,
            linked: false,
            privileged: false,
            notify: 0,
            lasting: parent == 0,
            ceiling: self.domains.get(parent).map_or(0, |d| d.ceiling),
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
            account,
            charge: Charge::NONE,
            services: Vec::new(),
            id,
        };
        if let Err(error) = self.insert_domain(asid, entry) {
            self.abandon(enclosure, asid, block);
            return Err(error);
        }
        if let Some(domain) = self.domains.get_mut(asid) {
            domain.charge = charge.take();
        }
        if let Some(parent) = self.domains.get_mut(parent) {
            parent.children.push_kept(asid);
        }
        self.enclosed(enclosure, asid);
        Ok(asid)
    }
    /// Gives back the space and the block of a domain that could not be made.
    #[cold]
    fn abandon(&mut self, enclosure: Enclosure, asid: usize, block: usize) {
        self.release_enclosure(enclosure, asid);
        self.free_block(block);
    }
    /// A copy of the subject, and of the domains of protection that were made in it, with one thread at `pc` on `sp`; the child's ASID. `intercept`: one of [`fork`], or where all its portals
    /// lead. `ENOTSUP`: it is a domain of protection, or one whose portal table can not be shared.
    pub fn fork_domain(&mut self, caller: Caller, intercept: usize, pc: usize, sp: usize) -> Result<usize> {
        let parent = caller.subject;
        self.may_fork(parent)?;
        if intercept == fork::SHARED {
            self.may_share(parent)?;
        }
        let (name, table, account) = {
            let d = self.domain(parent)?;
            (d.name, d.table, d.account)
        };
        let name = abi::section::text(&name);
        let child = self.create_domain(&Wanted { name, flags: 0, enclosure: Enclosure::SPACE, parent, account })?;
        let made = self.fill_fork(parent, child, table, intercept).and_then(|()| {
            self.machine.names_inherit(child, parent)?;
            self.create_thread(child, pc, sp, 0, usize::MAX)
        });
        match made {
            Ok(_) => Ok(child),
            Err(error) => {
                self.end_domain(child, Ended { asid: child as u32, kind: ended::KILLED, ..Ended::default() });
                self.forget_end(child);
                Err(error)
            }
        }
    }
    fn fill_fork(&mut self, parent: usize, child: usize, table: Table<M>, intercept: usize) -> Result<()> {
        let free = [fork::COPIED, fork::SHARED].contains(&intercept) && self.controller(parent) == 0;
        // A sandbox has none.
        let parts = if free { self.copy_protections(parent, child)? } else { Copies::NONE };
        let mut lent = Lent::new();
        self.freeze(parent, &mut lent);
        let copied = self.machine.space_copy(parent, child, lent.window());
        self.thaw(parent);
        copied?;
        let child_table = self.domain(child)?.table;
        child_table.set_field(domain::TP, table.field(domain::TP));
        if ![fork::COPIED, fork::SHARED].contains(&intercept) {
            return self.interpose(parent, child, intercept as u64);
        }
        if self.controller(parent) != 0 {
            self.enclose_fork(parent, child)?;
        } else {
            self.copy_table(parent, child, &parts)?;
            self.fill_protections(child, &parts)?;
        }
        if intercept == fork::SHARED {
            self.share_table(parent, child);
        }
        Ok(())
    }
    /// Domain `to` has what `from` has in its table; what leads to one of `parts` leads to the copy of that.
    pub(crate) fn copy_table(&mut self, from: usize, to: usize, parts: &Copies) -> Result<()> {
        let table = self.domain(from)?.table;
        for number in abi::system::FIRST_FREE..self.domain(from)?.numbers.1 {
            let code = table.entry(number);
            let Some(block) = self.code.get(code) else { continue };
            let (kind, own) = (block.kind, block.same_domain && block.server as usize == from);
            match kind {
                Kind::Handle | Kind::Procedure { .. } => self.copy_name(code, to, number, parts)?,
                Kind::Registered { .. } => self.copy_portal(own, to, number, (code, kind))?,
                _ if own => {}
                _ => self.copy_portal(false, to, number, (code, kind))?,
            }
        }
        Ok(())
    }
}
