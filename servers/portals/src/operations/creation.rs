//! Domains made anew, and copied.

use crate::Result;
use crate::machine::neighbours::Machine;

use crate::manager::{Caller, Manager};
use crate::operations::protection_copies::Copies;
use crate::state::code::Kind;
use crate::state::domain::{Domain, Making};
use crate::state::nucleus_data::Table;
use crate::state::system_portals::SystemPortals;
use crate::state::wanted::Wanted;
use abi::Error;
use abi::address::supervisor;
use abi::identity::DomainId;
use abi::nucleus::{domain, flags::TRUSTED};
use abi::section::cut;
use abi::system::{Ended, ended, fork};
use account::Charge;
use arch::paging::AddressSpace;
use fallible::TryPush;

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
    /// The same for a component, whose number `maker` may use before it runs: see [`Making`].
    #[optimize(size)]
    pub fn create_component(&mut self, maker: usize, wanted: &Wanted) -> Result<usize> {
        let maker = self.domain(maker)?.id;
        self.domains.making.room_for(1)?;
        let asid = self.create_domain(wanted)?;
        let id = self.domain(asid)?.id;
        self.domains.making.push_kept(Making { id, maker });
        Ok(asid)
    }
    /// Starts component `asid`, with a thread of this priority, which is the ceiling of all its threads; that one's id.
    #[optimize(size)]
    pub fn start_component(
        &mut self,
        asid: usize,
        entry: usize,
        sp: usize,
        argument: usize,
        priority: usize,
    ) -> Result<usize> {
        let domain = self.domain_mut(asid)?;
        domain.ceiling = domain.ceiling.max(priority.min(63) as u8);
        let id = domain.id;
        let thread = self.create_thread(asid, entry, sp, argument, priority)?;
        self.domains.making.retain(|making| making.id != id);
        Ok(thread)
    }
    fn make_domain(&mut self, wanted: &Wanted, charge: &mut Charge) -> Result<usize> {
        let &Wanted { name, enclosure, parent, account, .. } = wanted;
        let with = wanted.flags | Self::implied(enclosure);
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
        self.fill_table(table, with, id, root);
        let domain = Domain {
            flags: with,
            parent,
            lasting: parent == 0,
            ceiling: self.domains.get(parent).map_or(0, |d| d.ceiling),
            account,
            ..Domain::new(id, cut(name), table, enclosure)
        };
        let trusted = if with & TRUSTED != 0 { self.machine.trust(asid) } else { Ok(()) };
        if let Err(error) = trusted.and_then(|()| self.insert_domain(asid, domain)) {
            self.release_enclosure(enclosure, asid);
            self.free_block(block);
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
    /// Writes what a new domain's table has: the system portals, and the record beside them.
    fn fill_table(&mut self, table: Table<M>, flags: u64, id: DomainId, root: usize) {
        let kind = SystemPortals::kind(flags);
        self.make_system_portals(kind);
        self.system_portals[kind].fill(table);
        table.set_field(domain::SPACE, AddressSpace::new(root, id.number()).word());
        table.set_field(domain::ASID, id.number() as u64);
        table.set_field(domain::ROOT, supervisor(root) as u64);
        table.set_field(domain::FLAGS, flags);
        table.set_field(domain::IDENTITY, id.word());
        if self.counts_calls() {
            table.start_counters();
        }
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
        let enclosure = self.enclosure_of_copy(parent)?;
        let child = self.create_domain(&Wanted { name, flags: 0, enclosure, parent, account })?;
        let made = self.fill_fork(parent, child, table, intercept).and_then(|()| {
            self.machine.names_inherit(child, parent)?;
            self.create_thread(child, pc, sp, 0, usize::MAX)
        });
        match made {
            Ok(_) => Ok(child),
            Err(error) => {
                self.end_domain(child, Ended { kind: ended::KILLED, ..Ended::default() });
                self.forget_end(child);
                Err(error)
            }
        }
    }
    fn fill_fork(&mut self, parent: usize, child: usize, table: Table<M>, intercept: usize) -> Result<()> {
        let free = [fork::COPIED, fork::SHARED].contains(&intercept) && self.controller(parent) == 0;
        // A sandbox has none.
        let parts = if free { self.copy_protections(parent, child)? } else { Copies::NONE };
        self.freeze(parent);
        let copied = self.machine.space_copy(parent, child, self.open_windows.window());
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
                // They are that very domain's.
                Kind::Delegation { .. } | Kind::Delegated { .. } => {}
                Kind::Registered { .. } => self.copy_portal(own, to, number, (code, kind))?,
                _ if own => {}
                _ => self.copy_portal(false, to, number, (code, kind))?,
            }
        }
        Ok(())
    }
}
