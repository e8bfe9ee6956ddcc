//! Replacement: one domain, the *successor*, takes the place of another, its *predecessor*, while that serves.
//!
//! Both live beside each other. A name that the successor registers and that the predecessor has is *awaited*: it stays the predecessor's before
//! the successor takes over. That makes the code of every connection to the predecessor anew, each to the registration of the same name, with
//! nothing changed yet, so whatever is in the way leaves all as it was. Then each table entry that led to the predecessor is changed by one store:
//! a call goes to the one or to the other, under the number that it always had. A call that the predecessor serves comes to its end there, and who
//! waits for a stack of it calls again when it ends, which is then a call of the successor.
//!
//! Only what is called by name has an heir. Portals that were granted, upcalls, stubs, templates, and domains within the predecessor or made by it
//! are bound to its memory: who has such is not replaced.
//!
//! The code is paid for as that was which it takes the place of, whatever its owner has left: nobody keeps a server from being replaced.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{BOOT, Manager};
use crate::operations::inspect::kind_name;
use crate::state::code::{Block, Kind, Users};
use crate::state::domain::{Domain, Succession};
use crate::state::nucleus_data::ThreadPage;
use crate::state::registrations::{NameIs, WITHDRAWN};
use abi::Error;
use abi::identity::DomainId;
use abi::name::Name;
use abi::section::{NAME, padded, text};
use account::Account;
use alloc::vec::Vec;
use fallible::TryPush;

/// Why a domain does not take another's place, and the name of what is in the way; zeros: nothing of its portals.
#[derive(Debug, PartialEq, Eq)]
pub struct Refused(pub Error, pub [u8; NAME]);
impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused(error, [0; NAME])
    }
}

/// Registrations by their numbers: one of the predecessor's, and the successor's of the same name.
pub(super) type Heir = (usize, usize);
/// Connections of one kind of callers: the code that they go by, that which they are to go by, and the table entries that they are at.
pub(super) struct Anew {
    old: u64,
    new: u64,
    users: Users,
    callers: Callers,
}
/// What the code of a connection depends on: whether it stays in its domain, and the caller's flags.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Callers {
    itself: bool,
    flags: u64,
}

impl<M: Machine> Manager<M> {
    /// Domain `successor`, which has registered nothing, is to take the place of `predecessor`. `ESRCH`; `EINVAL`: it has registered something, or is that
    /// one; `EACCESS`: `by` may not end both, or the system could not go on without one; `EBUSY`: one of both has to do with another replacement.
    #[optimize(size)]
    pub fn succeed(&mut self, by: usize, successor: DomainId, predecessor: DomainId) -> Result<isize> {
        self.may_take_place(by, successor, predecessor)?;
        self.domains.successions.try_push(Succession { by: successor, of: predecessor, over: false })?;
        Ok(0)
    }
    /// The number of `old`, whose place `new`, which has registered nothing, may take. `ESRCH`; `EINVAL`: it has registered something, or is that
    /// one; `EACCESS`: `by` may not end both, or the system could not go on without one; `EBUSY`: one of both has to do with another replacement.
    pub(super) fn may_take_place(&self, by: usize, new: DomainId, old: DomainId) -> Result<usize> {
        let ids = [new, old];
        let (new, old) = (self.live(new)?, self.live(old)?);
        for asid in [new, old] {
            if !self.may_control(by, asid) || self.is_vital(asid) || self.domain(asid)?.flags & BOOT != 0 {
                return Err(Error::EACCESS);
            }
        }
        if new == old || self.domain(new)?.provides > 0 {
            return Err(Error::EINVAL);
        }
        // Who was succeeded is finishing calls, and nobody's predecessor again.
        let busy = |s: &Succession| {
            s.by == ids[0] || s.of == ids[1] || !s.over && (ids.contains(&s.by) || ids.contains(&s.of))
        };
        if self.domains.successions.iter().any(busy) || ids.iter().any(|&id| self.has_gate(id)) {
            return Err(Error::EBUSY);
        }
        Ok(old)
    }
    /// Whether `name` is that of a predecessor of domain `asid`'s, which it awaits and has not registered yet.
    #[cold]
    #[optimize(size)]
    pub(crate) fn awaits(&mut self, asid: usize, name: &str) -> bool {
        let succession = self.domain(asid).ok().and_then(|d| self.domains.succession(d.id)).filter(|s| !s.over);
        let Some(Ok(old)) = succession.map(|s| self.live(s.of)) else { return false };
        self.registration_of(asid, name).is_none() && self.registration_of(old, name).is_some()
    }
    /// Domain `successor` takes the place of its predecessor, where it has heirs of all that this has registered, or, if not `all`, of what is in use.
    /// `EINVAL`: it is to take nobody's, or a portal in use is of another specification; `EDEAD`: the predecessor has ended; `ENOENT`: one
    /// has no heir; `EEXIST`: somebody else has its name by now; `EBUSY`: one is bound to the predecessor; `ENOMEM`.
    #[optimize(size)]
    pub fn take_over(&mut self, by: usize, successor: DomainId, all: bool) -> core::result::Result<isize, Refused> {
        let new = self.live(successor)?;
        if !self.may_control(by, new) {
            return Err(Error::EACCESS.into());
        }
        let predecessor = self.domains.succession(successor).filter(|s| !s.over).ok_or(Error::EINVAL)?.of;
        let old = self.live(predecessor).map_err(|_| Error::EDEAD)?;
        let heirs = self.heirs(new, old)?;
        self.may_be_succeeded(old, &heirs, all)?;
        let anew = self.make_anew(old, &heirs)?;
        self.change_over(anew);
        heirs.iter().for_each(|&(from, to)| self.inherit_name(from, to));
        let ours = self.domains.successions.iter_mut().filter(|s| s.by == successor);
        ours.for_each(|succession| succession.over = true);
        self.inherit_parked(new, successor, predecessor);
        self.look_at_retired();
        Ok(0)
    }
    /// The registrations of domain `old` that domain `new` has heirs of. A name that has been withdrawn since is its heir's at once.
    #[optimize(size)]
    fn heirs(&mut self, new: usize, old: usize) -> core::result::Result<Vec<Heir>, Refused> {
        let mut heirs = Vec::new();
        for id in 0..self.registrations.end() {
            let Some(heir) = self.registrations.get(id) else { continue };
            if heir.server != new || heir.name_is != NameIs::Awaited {
                continue;
            }
            let name = *heir.name;
            if let Some((from, _)) = self.registration_of(old, text(&name)) {
                heirs.try_push((from, id))?;
                continue;
            }
            let bound = Name::of(text(&name)).and_then(|own| self.machine.names_bind(new, &own, id));
            bound.map_err(|error| Refused(error, name))?;
            self.registrations.get_mut(id).into_iter().for_each(|r| r.name_is = NameIs::Bound);
        }
        Ok(heirs)
    }
    /// Whether nothing but portals by a name binds others to domain `old`.
    pub(super) fn nothing_is_bound(&self, old: usize) -> core::result::Result<(), Refused> {
        let d = self.domain(old)?;
        if !d.children.is_empty() || !d.sandbox.inside.is_empty() || self.first_part(old).is_some() {
            return Err(Refused(Error::EBUSY, padded("(domains)")));
        }
        if self.delegations.is_holder(d.id) {
            return Err(Refused(Error::EBUSY, kind_name(Kind::Delegation { delegation: 0 })));
        }
        if self.templates.owners.iter().any(|owner| owner.server == old) {
            return Err(Refused(Error::EBUSY, padded("(template)")));
        }
        for block in self.used_blocks(d) {
            let Kind::Registered { registration } = block.kind else {
                return Err(Refused(Error::EBUSY, kind_name(block.kind)));
            };
            if self.registrations.get(registration as usize).is_none_or(|r| *r.name == WITHDRAWN) {
                return Err(Refused(Error::EBUSY, WITHDRAWN));
            }
        }
        Ok(())
    }
    /// The blocks that lead to a domain and that somebody has.
    pub(super) fn used_blocks(&self, d: &Domain<M>) -> impl Iterator<Item = &Block> {
        d.blocks.iter().filter_map(|&code| self.code.get(code)).filter(|block| block.is_used())
    }
    /// Whether each portal that is in use and leads to domain `old` has an heir, and each that could be (`all`), and nothing else binds others to it.
    fn may_be_succeeded(&self, old: usize, heirs: &[Heir], all: bool) -> core::result::Result<(), Refused> {
        self.nothing_is_bound(old)?;
        for block in self.used_blocks(self.domain(old)?) {
            let Kind::Registered { registration } = block.kind else { continue };
            let name = self.registrations.get(registration as usize).map_or(WITHDRAWN, |r| *r.name);
            let heir = heirs.iter().find(|(from, _)| *from == registration as usize);
            let &(_, to) = heir.ok_or(Refused(Error::ENOENT, name))?;
            if self.registrations.get(to).is_none_or(|r| r.specification != block.specification) {
                return Err(Refused(Error::EINVAL, name));
            }
        }
        let named = self.registrations.iter().filter(|(_, r)| all && r.server == old && r.name_is == NameIs::Bound);
        match named.map(|(id, r)| (id, *r.name)).find(|(id, _)| heirs.iter().all(|(from, _)| from != id)) {
            Some((_, name)) => Err(Refused(Error::ENOENT, name)),
            None => Ok(()),
        }
    }
    /// Makes the code of all connections to the registrations of domain `old` that have heirs, to those. `ENOMEM`: nothing is made.
    #[optimize(size)]
    fn make_anew(&mut self, old: usize, heirs: &[Heir]) -> Result<Vec<Anew>> {
        let mut anew = self.connections_to(&self.domain(old)?.blocks, heirs)?;
        self.generate_to_heirs(&mut anew, heirs)?;
        Ok(anew)
    }
    /// The connections by `blocks` to registrations that have heirs, for which no code is made yet. `ENOMEM`.
    #[optimize(size)]
    pub(super) fn connections_to(&self, blocks: &[u64], heirs: &[Heir]) -> Result<Vec<Anew>> {
        let mut anew = Vec::new();
        for &(from, to) in heirs {
            let kind = Kind::Registered { registration: from as u32 };
            let heir = self.registrations.get(to).map_or(0, |r| r.server);
            for &code in blocks {
                let Some(block) = self.code.get(code).filter(|block| block.kind == kind) else { continue };
                let first = anew.len();
                for &user in &block.users {
                    let caller = user.0 as usize;
                    let callers = Callers { itself: caller == heir, flags: self.domain(caller)?.flags };
                    let place = match anew[first..].iter().position(|made: &Anew| made.callers == callers) {
                        Some(place) => first + place,
                        None => {
                            anew.try_push(Anew { old: code, new: 0, users: Users::new(), callers })?;
                            anew.len() - 1
                        }
                    };
                    let users = &mut anew[place].users;
                    users.try_reserve(1).map_err(|_| Error::ENOMEM)?;
                    users.push(user);
                }
            }
        }
        Ok(anew)
    }
    /// Makes the code of these connections. `ENOMEM`: nothing is made.
    #[optimize(size)]
    pub(super) fn generate_to_heirs(&mut self, anew: &mut [Anew], heirs: &[Heir]) -> Result<()> {
        for &(from, to) in heirs {
            // Who traces the one goes on to trace the other.
            let traced = self.registrations.get(from).is_some_and(|r| r.traced);
            self.registrations.get_mut(to).into_iter().for_each(|r| r.traced = traced);
        }
        for n in 0..anew.len() {
            match self.connection_to_heir(&anew[n], heirs) {
                Ok(code) => anew[n].new = code,
                Err(error) => {
                    anew[..n].iter().for_each(|made| self.unmake(made.new));
                    return Err(error);
                }
            }
        }
        Ok(())
    }
    #[optimize(size)]
    fn connection_to_heir(&mut self, anew: &Anew, heirs: &[Heir]) -> Result<u64> {
        let kind = self.code.get(anew.old).map(|block| block.kind);
        let heir = heirs.iter().find(|(from, _)| kind == Some(Kind::Registered { registration: *from as u32 }));
        let (&(_, to), &(asid, number)) = (heir.ok_or(Error::ENOENT)?, anew.users.first().ok_or(Error::ENOENT)?);
        let (end, number) = (self.end(asid as usize)?, number as usize);
        let made_for = self.made_for(end, to, number)?;
        let code = self.generate_paid(Account::SYSTEM, end, (to, false), number)?;
        let Some(block) = self.code.get_mut(code) else { return Err(Error::ENOMEM) };
        block.made_for = Some(made_for);
        if block.users.try_reserve(anew.users.len()).is_err() {
            self.unmake(code);
            return Err(Error::ENOMEM);
        }
        Ok(code)
    }
    /// Frees a block that nothing leads to yet.
    fn unmake(&mut self, code: u64) {
        let kind = self.code.get(code).map(|block| block.kind);
        kind.into_iter().for_each(|kind| self.nothing_leads_to(kind));
        self.code.retire(code);
    }
    /// These connections are made by their new code from here on, which nothing keeps from being done.
    #[optimize(size)]
    pub(super) fn change_over(&mut self, anew: Vec<Anew>) {
        for Anew { old, new, users, .. } in anew {
            // First: the old one may be freed with the last entry.
            self.change_payers(old, new);
            for &(asid, number) in &users {
                if let Ok(domain) = self.domain(asid as usize) {
                    // From this store on, calls come by the new code.
                    domain.table.set_entry(number as usize, new);
                }
                if let Some(block) = self.code.get_mut(new) {
                    block.users.push((asid, number));
                }
                // What is retired is looked at when all of it is.
                if let Some((kind, true)) = self.code.leave(old, (asid, number)) {
                    self.nothing_leads_to(kind);
                }
            }
        }
    }
    /// Who has paid for the block at `old` pays for that at `new`, in its place.
    fn change_payers(&mut self, old: u64, new: u64) {
        let Some(mut charge) = self.code.get_mut(old).map(|block| block.charge.take()) else { return };
        if let Some(block) = self.code.get_mut(new) {
            core::mem::swap(&mut block.charge, &mut charge);
            // Where the old one has paid for another already, or another account would pay for who calls now, nobody gets it again.
            if block.made_for.is_some_and(|made_for| made_for.payer != block.charge.account()) {
                block.made_for = None;
            }
        }
        if let Some(block) = self.code.get_mut(old) {
            block.charge = charge;
        }
    }
    /// Registration `to` has the name of `from` from now on.
    #[optimize(size)]
    fn inherit_name(&mut self, from: usize, to: usize) {
        if let Some(heir) = self.registrations.get_mut(to)
            && let Ok(name) = Name::of(text(&heir.name[..]))
        {
            heir.name_is = NameIs::Bound;
            self.machine.names_rebind(heir.server, &name, to);
        }
        if let Some(registration) = self.registrations.get_mut(from) {
            registration.withdraw();
            self.forget_unused(from);
        }
    }
    /// How many threads are in calls from elsewhere that domain `id` serves, or is to: it has pages of them already. `ESRCH`.
    #[optimize(size)]
    pub fn served_in(&self, id: DomainId) -> Result<usize> {
        let asid = self.live(id)?;
        let own = self.domain(asid)?.table;
        let mut seen = self.seen.borrow_mut();
        let serves = |page: ThreadPage<M>| {
            let mut calls = seen.settle_calls(page, &self.code);
            let server = |portal| self.code.containing(portal).map(|(_, block)| block.server as usize);
            calls.any(|(portal, table)| server(portal) == Some(asid) && table != own) || page.transfers_to(id.word())
        };
        Ok(self.threads.pages().map(serves).filter(|serves| *serves).count())
    }
}
