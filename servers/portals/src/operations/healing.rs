//! Healing: portals to a domain that has ended lead to the one that takes its place, under the numbers that they have.
//!
//! Who makes a domain asks for that, and says later whose instance the next one is. Calls are [parked](super::parking) meanwhile. As soon as the *heir* registers a name, the connections to the name are made anew, as those
//! of a domain that is [replaced](super::replacement), and who waits calls again, from its table entry.
//!
//! A name of another specification does not heal, nor one that there is no memory for; nor do the portals of a domain that the heir does not admit, or of which the dead has been given pages for a call that it has not made. Who
//! has these open gets `EDEAD`, as he would have without all this.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{BOOT, Manager};
use crate::operations::replacement::Heir;
use crate::state::code::Kind;
use crate::state::registrations::{NameIs, Registration};
use crate::state::remains::Parked;
use abi::Error;
use abi::domain_set::DomainSet;
use abi::identity::DomainId;

impl<M: Machine> Manager<M> {
    /// The portals of domain `asid`, which provides nothing yet, heal: `by` says what takes its place.
    pub fn heals(&mut self, by: usize, asid: usize) -> Result<()> {
        let maker = self.domain(by)?.id;
        self.domain_mut(asid)?.healer = Some(maker);
        Ok(())
    }
    /// Calls that are parked for an heir of domain `of` go to `heir` as soon as that registers their names; `None`: nobody takes its place, and they end with `EDEAD`. `ESRCH`: there are none, or no such heir;
    /// `EINVAL`: the heir has registered something; `EACCESS`: `by` has not made the dead, or may not end the heir.
    #[optimize(size)]
    pub fn inherit(&mut self, by: usize, heir: Option<DomainId>, of: DomainId) -> Result<isize> {
        let maker = self.domain(by)?.id;
        if self.live(of).is_ok() || self.place_parked(|parked| parked.heir == of).is_none() {
            return Err(Error::ESRCH);
        }
        let its = |parked: &Parked| parked.heir == of && parked.maker == maker;
        self.place_parked(its).ok_or(Error::EACCESS)?;
        let Some(heir) = heir else {
            self.unpark(its);
            return Ok(0);
        };
        let new = self.live(heir)?;
        if !self.may_control(by, new) || self.is_vital(new) || self.domain(new)?.flags & BOOT != 0 {
            return Err(Error::EACCESS);
        }
        if self.domain(new)?.provides > 0 {
            return Err(Error::EINVAL);
        }
        self.leave_to(its, (heir, false));
        Ok(0)
    }
    /// Calls that are parked as `which` says are for that heir; `handed`: which may be given up.
    pub(crate) fn leave_to(&mut self, which: impl Fn(&Parked) -> bool, (heir, handed): (DomainId, bool)) {
        let all = self.remains.zombies.iter_mut().filter_map(|zombie| zombie.parked.as_mut());
        all.filter(|parked| which(parked)).for_each(|parked| (parked.heir, parked.handed) = (heir, handed));
    }
    /// Domain `asid`, whose identity is `successor`, has taken the place of one that calls were parked for: they go to it, by the names that it has registered too.
    #[optimize(size)]
    pub(crate) fn inherit_parked(&mut self, asid: usize, successor: DomainId, predecessor: DomainId) {
        if self.place_parked(|parked| parked.heir == predecessor).is_none() {
            return;
        }
        self.leave_to(|parked| parked.heir == predecessor, (successor, false));
        for id in 0..self.registrations.end() {
            if self.registrations.get(id).is_some_and(|r| r.server == asid) {
                self.heal(asid, id);
            }
        }
    }
    /// Domain `asid` has registered `id`: calls by that name, if it has that by now, that are parked for it go there.
    #[optimize(size)]
    #[inline(never)]
    pub(crate) fn heal(&mut self, asid: usize, id: usize) {
        let (Ok(own), Some(NameIs::Bound)) =
            (self.domain(asid).map(|d| d.id), self.registrations.get(id).map(|r| r.name_is))
        else {
            return;
        };
        for place in 0..self.remains.zombies.len() {
            let Some((of, from)) = self.lost_name(place, own, id) else { continue };
            let _ = self.heal_from(place, of, (from, id));
            // What has not healed is lost, where no other heir comes for it.
            let handed = self.remains.parked(place).is_some_and(|parked| parked.handed);
            while let Some(code) = self.parked_block(place, Kind::Registered { registration: from as u32 })
                && !handed
            {
                self.lose(code);
            }
            self.wake_parked(of);
        }
        self.look_at_retired();
    }
    /// Who has ended of whose calls those at `place` are, and the registration that they go by, if that has the name of `id` and `heir` takes its place.
    fn lost_name(&self, place: usize, heir: DomainId, id: usize) -> Option<(DomainId, usize)> {
        let parked = self.remains.parked(place).filter(|parked| parked.heir == heir)?;
        let name = &self.registrations.get(id)?.name[..];
        let its = |r: &Registration| r.name_is == NameIs::Lost && r.server == parked.of.number() && r.name[..] == *name;
        let (from, _) = self.registrations.iter().find(|(_, r)| its(r))?;
        Some((parked.of, from))
    }
    /// Connections that are parked at `place` and go by a lost registration of domain `of` are made anew to its heir. `EINVAL`: that is of another specification; `ENOMEM`: nothing is made.
    #[inline(never)]
    fn heal_from(&mut self, place: usize, of: DomainId, (from, to): Heir) -> Result<()> {
        let specification = |id| self.registrations.get(id).map(|r| r.specification);
        if specification(from) != specification(to) {
            return Err(Error::EINVAL);
        }
        let kind = Kind::Registered { registration: from as u32 };
        let givers = self.givers(of);
        for n in 0..self.remains.parked(place).map_or(0, |parked| parked.blocks.len()) {
            let code = self.remains.parked(place).and_then(|parked| parked.blocks.get(n)).copied();
            let Some(code) = code.filter(|&code| self.code.get(code).is_some_and(|block| block.kind == kind)) else {
                continue;
            };
            while let Some(user) = self.not_healed(code, to, &givers) {
                self.lose_those_of(code, |other| other == user);
            }
        }
        // With the last of them the registration may have gone.
        if self.registrations.get(from).is_none_or(|r| r.name_is != NameIs::Lost) {
            return Ok(());
        }
        let parked = self.remains.parked(place).ok_or(Error::ENOENT)?;
        let mut anew = self.connections_to(&parked.blocks, &[(from, to)])?;
        self.generate_to_heirs(&mut anew, &[(from, to)])?;
        self.change_over(anew);
        Ok(())
    }
    /// Domains that have given `of` pages for a call of theirs.
    #[inline(never)]
    fn givers(&self, of: DomainId) -> DomainSet {
        let mut givers = DomainSet::NONE;
        let given = self.threads.pages().filter_map(|page| page.transfers_from(of.word()));
        given.filter_map(DomainId::of).for_each(|giver| givers.add(giver.number()));
        givers
    }
    /// A table entry that leads to the block at `code`, and is not to lead to registration `to`: that does not admit whose it is, or one of `givers` has it.
    #[inline(never)]
    fn not_healed(&self, code: u64, to: usize, givers: &DomainSet) -> Option<(u16, u16)> {
        let all = self.registrations.get(to).is_some_and(|r| r.admission.is_none());
        let refuses = |asid: usize, number: usize| {
            let guests = self.domain(asid).is_ok_and(|d| d.sandbox.guests.has(number));
            // Of what somebody in a sandbox has opened, only the controlling domain is known here.
            givers.has(asid) || !all && (guests || !self.admits(to, asid))
        };
        let refused = |&(asid, number): &(u16, u16)| {
            let (asid, number) = (asid as usize, number as usize);
            core::iter::once(asid).chain(self.sharers(asid)).any(|asid| refuses(asid, number))
        };
        self.code.get(code)?.users.iter().copied().find(refused)
    }
}
