//! The gate of a domain: calls into it wait, while it lives, until another has taken its place.
//!
//! A gate is closed for an *heir*, which does not run yet. The code of connections by a name then begins as that of calls which are [parked](super::parking) does, so each call waits as if no stack was free; what it began with
//! is kept with the block. Who is in a call finishes it. When the domain ends, its calls are parked for the heir already; when the gate is opened instead, its code begins as before, and who waits calls again.
//!
//! Nobody waits at a gate for longer than for one that has ended: it opens by itself then. So does one of which whoever has closed it, or the heir, has ended. The first components do not wait, nor does who has closed it: what
//! they call is entered until its end.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::machine::nucleus_memory::Masked;
use crate::manager::{BOOT, Manager};
use crate::operations::inspect::kind_name;
use crate::operations::parking::PARKED;
use crate::operations::replacement::Refused;
use crate::operations::stacks::NoStack;
use crate::state::code::{Block, Kind};
use crate::state::domain::{Domain, Gate};
use crate::state::registrations::{NameIs, Registration};
use abi::Error;
use abi::identity::DomainId;
use abi::nucleus::domain;
use abi::section::NAME;
use abi::system::{Ended, ended};

impl<M: Machine> Manager<M> {
    /// Calls into domain `of` wait from here on. `ESRCH`; `EINVAL`: the heir has registered something, or is that one; `EACCESS`: `by` may not end both, or the system could not go on without one; `EBUSY`: one of both has to do
    /// with a replacement, or something but a name leads to `of`.
    #[optimize(size)]
    pub fn close_gate(&mut self, by: usize, of: DomainId, heir: DomainId) -> core::result::Result<isize, Refused> {
        let maker = self.domain(by)?.id;
        let old = self.may_take_place(by, heir, of)?;
        self.only_names_lead_to(old)?;
        self.domain_mut(old)?.gate = Some(Gate { maker, heir, until: None });
        for n in 0..self.domain(old)?.blocks.len() {
            let code = self.domain(old)?.blocks.get(n).copied();
            code.into_iter().for_each(|code| self.stop_at_gate(code));
        }
        Ok(0)
    }
    /// Calls into domain `of`, whose gate `by` has closed, are made as before. `ESRCH`: it has ended, or its gate is open.
    pub fn open_gate(&mut self, by: usize, of: DomainId) -> Result<isize> {
        let asid = self.closed_by(by, of)?;
        self.opens(asid);
        Ok(0)
    }
    /// Ends domain `of`, whose gate `by` has closed: who waits at it waits for the heir. `ESRCH`: it has ended, or its gate is open; `EBUSY`: something but a name leads to it by now.
    pub fn end_behind_gate(&mut self, by: usize, of: DomainId) -> core::result::Result<isize, Refused> {
        let asid = self.closed_by(by, of)?;
        self.only_names_lead_to(asid)?;
        self.end_domain(asid, Ended { kind: ended::KILLED, ..Ended::default() });
        Ok(0)
    }
    /// How many connections wait for `heir`, which is tried, to register their names, and one more if it has not as many names as who it takes the place of; the name of a connection is written to `name`. `ESRCH`: it has ended, or takes nobody's place;
    /// `EINVAL`: it has registered that name otherwise; `ENOMEM`: it has, and there was no memory.
    #[optimize(size)]
    pub fn awaits_of(&mut self, by: usize, heir: DomainId, name: &mut [u8; NAME]) -> Result<isize> {
        let (asid, maker) = (self.live(heir)?, self.domain(by)?.id);
        let own = self.domain(asid)?;
        let trial = own.tried.as_ref().filter(|trial| trial.maker == maker).ok_or(Error::ESRCH)?;
        let mut count = (own.provides < trial.provides) as isize;
        let its = self.remains.all_parked().filter(|parked| parked.heir == heir).flat_map(|parked| &parked.blocks);
        for block in its.filter_map(|&code| self.code.get(code)).filter(|block| block.is_used()) {
            let Kind::Registered { registration } = block.kind else { continue };
            let Some(lost) = self.registrations.get(registration as usize) else { continue };
            *name = *lost.name;
            count += 1;
            let its = |r: &Registration| r.server == asid && r.has_name() && r.name[..] == name[..];
            if let Some((_, own)) = self.registrations.iter().find(|(_, r)| its(r)) {
                let same = own.specification == lost.specification;
                return Err(if same { Error::ENOMEM } else { Error::EINVAL });
            }
        }
        Ok(count)
    }
    /// Domain `heir`, which was tried, has taken the place: what becomes of its own calls is as its maker has said. `ESRCH`: it has ended, or takes nobody's place.
    pub fn has_taken_place(&mut self, by: usize, heir: DomainId) -> Result<isize> {
        let (asid, maker) = (self.live(heir)?, self.domain(by)?.id);
        let tried = &mut self.domain_mut(asid)?.tried;
        tried.take_if(|trial| trial.maker == maker).map(|_| 0).ok_or(Error::ESRCH)
    }
    /// Whether a gate is closed at that domain, or for it, or it is being tried.
    pub(crate) fn has_gate(&self, id: DomainId) -> bool {
        let its = |d: &Domain<M>| match &d.gate {
            Some(gate) => d.id == id || gate.heir == id,
            None => d.id == id && d.tried.is_some(),
        };
        self.domains.iter().any(|(_, d)| its(d))
    }
    fn closed_by(&self, by: usize, of: DomainId) -> Result<usize> {
        let asid = self.live(of)?;
        let maker = self.domain(by)?.id;
        let closed = self.domain(asid)?.gate.as_ref().is_some_and(|gate| gate.maker == maker);
        if closed { Ok(asid) } else { Err(Error::ESRCH) }
    }
    /// Whether calls by that block can wait: by a name, as a call.
    pub(crate) fn can_wait(&self, block: &Block) -> bool {
        let Kind::Registered { registration } = block.kind else { return false };
        let named = self.registrations.get(registration as usize).is_some_and(|r| r.name_is == NameIs::Bound);
        named && block.specification.enters()
    }
    /// Whether all calls into domain `asid` can wait. `EBUSY`, with what it is: something else is bound to it.
    fn only_names_lead_to(&self, asid: usize) -> core::result::Result<(), Refused> {
        self.nothing_is_bound(asid)?;
        let other = |block: &&Block| !block.same_domain && !self.can_wait(block);
        match self.used_blocks(self.domain(asid)?).find(other) {
            Some(block) => Err(Refused(Error::EBUSY, kind_name(block.kind))),
            None => Ok(()),
        }
    }
    /// Calls by the block at `code` wait, if its server's gate is closed and they can.
    #[inline(never)]
    pub(crate) fn stop_at_gate(&mut self, code: u64) {
        let Some(block) = self.code.get(code) else { return };
        let Some((gate, table)) =
            self.domains.get(block.server as usize).and_then(|d| Some((d.gate.as_ref()?, d.table)))
        else {
            return;
        };
        let at_once = |&(user, _): &(u16, u16)| {
            self.domains.get(user as usize).is_some_and(|d| d.id == gate.maker || d.flags & BOOT != 0)
        };
        // Its own calls are of those that it finishes.
        if block.at_gate.is_some() || block.same_domain || !self.can_wait(block) || block.users.iter().any(at_once) {
            return;
        }
        let mut before = [0; 3];
        before.iter_mut().zip(self.code.words(code).1).for_each(|(to, word)| *to = word);
        if let Some(block) = self.code.get_mut(code) {
            block.at_gate = Some(before);
        }
        self.code.begin_with(code, &portal::parked(table.address(), &self.machine.info().symbols));
    }
    /// What a call by the block at `code` into domain `id`, which lives, does at tick `now` where it has come to a gate; `None`: it has not.
    #[inline(never)]
    pub(crate) fn waits_at_gate(&mut self, id: DomainId, code: u64, now: u64) -> Option<NoStack> {
        let stopped = self.code.get(code).is_some_and(|block| block.at_gate.is_some());
        let d = self.domains.get_mut(id.number())?;
        let table = d.table;
        let gate = d.gate.as_mut().filter(|_| stopped)?;
        if now >= *gate.until.get_or_insert(now.saturating_add(PARKED)) {
            self.opens(id.number());
            return Some(NoStack::Again);
        }
        let _masked = Masked::new(self.machine);
        // As for those who wait for a stack: whoever has waited counts down.
        table.set_field(domain::STACK_WAITERS, table.field(domain::STACK_WAITERS) + 1);
        Some(NoStack::Wait)
    }
    /// Opens the gate of domain `asid`.
    #[inline(never)]
    fn opens(&mut self, asid: usize) {
        let Some(own) = self.domains.get_mut(asid) else { return };
        own.gate = None;
        let table = own.table;
        for &code in &own.blocks {
            if let Some(before) = self.code.get_mut(code).and_then(|block| block.at_gate.take()) {
                self.code.begin_with(code, &before);
            }
        }
        // All who wait call again, and are counted anew; returns look as long as there are reserves in use.
        {
            let _masked = Masked::new(self.machine);
            table.set_field(domain::STACK_WAITERS, table.field(domain::RESERVES));
        }
        while self.machine.stack_dead(asid) {}
    }
    /// Domain `dead` has ended, which may have closed gates, or be an heir.
    #[inline(never)]
    pub(crate) fn open_gates_of(&mut self, dead: DomainId) {
        let its = |gate: &Gate| gate.maker == dead || gate.heir == dead;
        let next = |manager: &Manager<M>| {
            manager.domains.iter().find(|(_, d)| d.gate.as_ref().is_some_and(its)).map(|(asid, _)| asid)
        };
        while let Some(asid) = next(self) {
            self.opens(asid);
        }
    }
}
