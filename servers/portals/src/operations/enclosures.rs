//! What differs by how a domain is kept apart: what it is made in, its end of a connection, what is released at its end, and what is
//! told of it. Each is one `match` with an arm for each mechanism; no other file asks which one a domain has. A mechanism that brings
//! itself is asked, in tests.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{BOOT, Manager};
#[cfg(test)]
use crate::mechanism::Mechanism;
use crate::state::domain::Domain;
use crate::state::enclosure::Enclosure;
use abi::Error;
use abi::identity::DomainId;
use abi::isolation::Isolation;
use abi::nucleus::flags;
use account::Account;
use portal::End;

impl<M: Machine> Manager<M> {
    /// What a request by domain `by` of a mechanism, and of a domain by its identity's word, or 0, asks for. `EDEAD`: the domain is no more;
    /// `ENOTSUP`: there is no domain of protection in it; `EINVAL`: there is no such mechanism, or it goes without a domain, or with another;
    /// `EACCESS`: `by` may not make such domains.
    pub fn enclosure(&self, by: usize, isolation: u64, within: u64) -> Result<Enclosure> {
        match Isolation::of(isolation) {
            Some(Isolation::Domain) if within == 0 => Ok(Enclosure::SPACE),
            Some(Isolation::Sfi) if within == 0 => Ok(Enclosure::HOST),
            Some(Isolation::Dp) => {
                let task = DomainId::of(within).ok_or(Error::EINVAL)?;
                // Who has the number by now may be another.
                let number = self.live(task).map_err(|_| Error::EDEAD)?;
                self.domain(number).ok().filter(|task| task.lasting).ok_or(Error::EDEAD)?;
                self.may_have_parts(number).map(|()| Enclosure::Protection { task: number as u16, next: 0 })
            }
            Some(Isolation::Supervisor) if within == 0 => self.may_make_supervisor(by).map(|()| Enclosure::Supervisor),
            #[cfg(test)]
            None if within == 0 => {
                let other = self.mechanisms.iter().position(|mechanism| mechanism.number() == isolation);
                other.map(|n| Enclosure::Other(n as u8)).ok_or(Error::EINVAL)
            }
            _ => Err(Error::EINVAL),
        }
    }
    /// That of number `n` of the mechanisms that bring themselves.
    #[cfg(test)]
    fn other(&self, n: u8) -> Result<&'static dyn Mechanism<M>> {
        self.mechanisms.get(n as usize).copied().ok_or(Error::EINVAL)
    }
    /// Whether there may be domains of protection in the space of domain `task`: it has a list of them, with which they end, and all portal tables
    /// there are theirs. `ENOTSUP`: it is trusted, in a sandbox, shares its portal table, is one itself, or executes in supervisor mode.
    pub(crate) fn may_have_parts(&self, task: usize) -> Result<()> {
        let d = self.domain(task)?;
        let alone = d.flags & (flags::TRUSTED | BOOT) == 0 && self.controller(task) == 0 && d.sharer == 0;
        match d.enclosure {
            Enclosure::Domain { .. } if alone => Ok(()),
            _ => Err(Error::ENOTSUP),
        }
    }
    /// Whether domain `by` may make domains that execute in supervisor mode, whom nothing keeps in: only who starts all others. `EACCESS`.
    fn may_make_supervisor(&self, by: usize) -> Result<()> {
        if by == self.roles.start { Ok(()) } else { Err(Error::EACCESS) }
    }
    /// The [`flags`] that a domain of this mechanism has besides.
    pub(crate) fn implied(enclosure: Enclosure) -> u64 {
        match enclosure {
            Enclosure::Supervisor => flags::SUPERVISOR,
            _ => 0,
        }
    }
    /// Makes what the new domain `id` has in place of memory, for which `account` pays; physical address of its root page table.
    #[inline(always)]
    pub(crate) fn make_enclosure(&self, enclosure: Enclosure, id: DomainId, account: Account) -> Result<usize> {
        match enclosure {
            Enclosure::Domain { .. } => self.machine.space_create(id, account),
            Enclosure::Supervisor => {
                let root = self.machine.space_create(id, account)?;
                let made = self.machine.make_supervisor(id.number());
                made.inspect_err(|_| self.machine.space_destroy(id.number())).map(|()| root)
            }
            Enclosure::Protection { task, .. } => self.machine.view_create(id, task as usize, account),
            #[cfg(test)]
            Enclosure::Other(n) => self.other(n)?.make(self, id, account),
        }
    }
    /// The new domain `asid` is there.
    #[inline(always)]
    pub(crate) fn enclosed(&mut self, enclosure: Enclosure, asid: usize) {
        match enclosure {
            #[cfg(test)]
            Enclosure::Other(_) => {}
            Enclosure::Domain { .. } | Enclosure::Supervisor => {}
            Enclosure::Protection { task, .. } => self.join_task(asid, task),
        }
    }
    /// Domain `asid`, which was `dead`, has ended.
    #[inline(always)]
    pub(crate) fn disclosed(&mut self, asid: usize, dead: &Domain<M>) {
        match dead.enclosure {
            #[cfg(test)]
            Enclosure::Other(_) => {}
            Enclosure::Domain { .. } | Enclosure::Supervisor => {}
            Enclosure::Protection { task, next } => {
                self.leave_task(asid, task, next);
                self.entry_points.forget(dead.id);
            }
        }
    }
    /// Releases what it was made in. Nobody is in the domain any more.
    #[inline(always)]
    pub(crate) fn release_enclosure(&mut self, enclosure: Enclosure, asid: usize) {
        match enclosure {
            Enclosure::Domain { .. } | Enclosure::Supervisor => self.machine.space_destroy(asid),
            Enclosure::Protection { task, .. } => {
                // What it has taken in its task's space may be lent by others there; by whom, if the task has ended, nobody knows.
                let task = task as usize;
                self.freeze_against_all(task);
                let (first, count) = self.open_windows.window();
                let frames = (first, if self.domains.contains(task) { count } else { usize::MAX });
                self.machine.view_destroy(asid, frames);
                self.thaw(task);
            }
            #[cfg(test)]
            Enclosure::Other(n) => {
                if let Ok(mechanism) = self.other(n) {
                    mechanism.end(self, asid);
                }
            }
        }
    }
    /// The domain's end of a connection.
    #[inline(always)]
    pub fn end(&self, asid: usize) -> Result<End> {
        let d = self.domain(asid)?;
        match d.enclosure {
            Enclosure::Domain { .. } | Enclosure::Protection { .. } | Enclosure::Supervisor => {
                Ok(End { table: d.table.address(), asid: asid as u64, flags: d.flags })
            }
            #[cfg(test)]
            Enclosure::Other(n) => self.other(n)?.connect(self, asid),
        }
    }
    /// What is told of it: the mechanism, and the number of the domain that it is within, or 0.
    pub(crate) fn describe_enclosure(&self, enclosure: Enclosure) -> (u64, u64) {
        let (isolation, within) = match enclosure {
            Enclosure::Domain { hosted: false, .. } => (Isolation::Domain, 0),
            Enclosure::Domain { hosted: true, .. } => (Isolation::Sfi, 0),
            Enclosure::Protection { task, .. } => (Isolation::Dp, task as u64),
            Enclosure::Supervisor => (Isolation::Supervisor, 0),
            #[cfg(test)]
            Enclosure::Other(n) => {
                return self.other(n).map_or((0, 0), |mechanism| (mechanism.number(), mechanism.within()));
            }
        };
        (isolation as u64, within)
    }
    /// Whether domain `asid` can be copied: a domain of protection is copied with its task only, and what
    /// executes in supervisor mode is made by who starts it only. `ENOTSUP`.
    pub(crate) fn may_fork(&self, asid: usize) -> Result<()> {
        match self.domain(asid)?.enclosure {
            #[cfg(test)]
            Enclosure::Other(_) => Ok(()),
            Enclosure::Domain { .. } => Ok(()),
            Enclosure::Protection { .. } | Enclosure::Supervisor => Err(Error::ENOTSUP),
        }
    }
    /// What a copy of domain `asid`, which may be copied, is made in.
    #[inline(always)]
    pub(crate) fn enclosure_of_copy(&self, asid: usize) -> Result<Enclosure> {
        Ok(match self.domain(asid)?.enclosure {
            #[cfg(test)]
            Enclosure::Other(n) => Enclosure::Other(n),
            _ => Enclosure::SPACE,
        })
    }
    /// Whether stacks for domain `asid` are placed here: others' are their task's, or their loader's, to place.
    #[inline(always)]
    pub(crate) fn places_stacks(&self, asid: usize) -> bool {
        self.domain(asid).is_ok_and(|d| matches!(d.enclosure, Enclosure::Domain { .. }) || d.enclosure.brings_itself())
    }
    /// The domain whose space one that was made in `enclosure` takes pages of, if that is another.
    #[inline(always)]
    pub(crate) fn task_within(enclosure: Enclosure) -> Option<usize> {
        match enclosure {
            Enclosure::Protection { task, .. } => Some(task as usize),
            _ => None,
        }
    }
    /// Whether domain `asid` is of no use without threads: one of protection waits for calls for as long as somebody can name it.
    pub(crate) fn ends_with_its_threads(&self, asid: usize) -> bool {
        self.domain(asid).is_ok_and(|d| match d.enclosure {
            #[cfg(test)]
            Enclosure::Other(_) => true,
            Enclosure::Domain { .. } | Enclosure::Supervisor => true,
            Enclosure::Protection { task, .. } => !self.named_parts(task as usize).has(asid),
        })
    }
    /// The number of the domain whose space `asid` sees: its own, or its task's.
    pub(crate) fn task_of(&self, asid: usize) -> usize {
        match self.domains.get(asid).map(|d| d.enclosure) {
            Some(Enclosure::Protection { task, .. }) => task as usize,
            _ => asid,
        }
    }
    /// Those that live of all domains that see the space that domain `asid` sees: addresses and portals' numbers mean the same in them.
    pub(crate) fn family(&self, asid: usize) -> impl Iterator<Item = usize> + use<'_, M> {
        core::iter::successors(Some(self.task_of(asid)), |&member| self.family_after(member))
    }
    /// Which of them comes after `member`.
    pub(crate) fn family_after(&self, member: usize) -> Option<usize> {
        match self.domains.get(member)?.enclosure {
            Enclosure::Domain { part: next, .. } | Enclosure::Protection { next, .. } if next != 0 => {
                Some(next as usize)
            }
            _ => None,
        }
    }
    /// The first domain of protection in the space of domain `asid`.
    pub(crate) fn first_part(&self, asid: usize) -> Option<usize> {
        match self.domain(asid).ok()?.enclosure {
            Enclosure::Domain { part, .. } if part != 0 => Some(part as usize),
            _ => None,
        }
    }
    /// Whether others than domain `asid` see its space, or have and may still lend of it.
    pub(crate) fn is_shared(&self, asid: usize) -> bool {
        let task = self.task_of(asid);
        let of_task = |enclosure| matches!(enclosure, Enclosure::Protection { task: of, .. } if of as usize == task);
        task != asid || self.first_part(task).is_some() || self.remains.zombies.iter().any(|z| of_task(z.enclosure))
    }
    #[cold]
    fn join_task(&mut self, asid: usize, task: u16) {
        let Some(domain) = self.domains.get_mut(task as usize) else { return };
        let Enclosure::Domain { part, .. } = &mut domain.enclosure else { return };
        let next = core::mem::replace(part, asid as u16);
        // Who keeps the others from lending counts on it.
        let frozen = domain.frozen;
        if let Some(domain) = self.domains.get_mut(asid) {
            domain.enclosure = Enclosure::Protection { task, next };
        }
        (0..frozen).for_each(|_| self.keep_from_lending(asid));
    }
    #[cold]
    fn leave_task(&mut self, asid: usize, task: u16, after: u16) {
        let mut place = task as usize;
        while let Some(domain) = self.domains.get_mut(place) {
            let (Enclosure::Domain { part: next, .. } | Enclosure::Protection { next, .. }) = &mut domain.enclosure
            else {
                return;
            };
            if *next as usize == asid {
                *next = after;
                return;
            }
            if *next == 0 {
                return;
            }
            place = *next as usize;
        }
    }
}
