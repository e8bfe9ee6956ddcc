//! Parking: calls into a domain that has ended wait for whoever takes its place.
//!
//! Of a domain whose portals [heal](super::healing), the code of connections by a name is *parked* when it ends: its first words are written over, so that each call finds no stack, and waits
//! (`parked` of `lib/portal`). Nobody can be in the midst of it, since portals run with interrupts off and a call that is raised out of one begins anew; table entries, users and payers stay what they are, so whoever closes
//! his portal, or ends, does so as ever. Which blocks these are is kept with what is left of the dead, whose number is nobody else's meanwhile.
//!
//! Who waits does so for a bounded time. The maker of the dead does not wait at all, since it is who ends the waiting; nor do the first components. What is left of the dead counts as a domain of its account: where
//! that needs it for another, the oldest such calls wait no more.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{BOOT, Manager};
use crate::operations::stacks::NoStack;
use crate::state::code::Kind;
use crate::state::domain::{Domain, Trial};
use crate::state::registrations::NameIs;
use crate::state::remains::Parked;
use abi::Error;
use abi::domain_set::DomainSet;
use abi::identity::DomainId;
use account::Account;
use alloc::vec::Vec;

/// For how long calls of a dead domain wait once one does, in ticks of `hrtime`: two seconds at 500 MHz.
pub const PARKED: u64 = 1_000_000_000;

impl<M: Machine> Manager<M> {
    /// Nobody enters `dead` by any of `blocks` any more: calls that can be are parked, and all others answer `EDEAD`. What is parked.
    #[inline(never)]
    pub(crate) fn park_calls(&mut self, dead: &Domain<M>, mut blocks: Vec<u64>) -> Option<Parked> {
        let (maker, heir) = match &dead.gate {
            Some(gate) => (Some(gate.maker), gate.heir),
            None => (dead.tried.as_ref().map(|trial| trial.maker).or(dead.healer), dead.id),
        };
        if let Some(gate) = &dead.gate
            && let Ok(heir) = self.live(gate.heir).and_then(|heir| self.domain_mut(heir))
        {
            heir.tried = Some(Trial { maker: gate.maker, provides: dead.provides });
            // Of those before it, too, somebody may wait still.
            self.leave_to(|parked| parked.heir == dead.id, (gate.heir, true));
        }
        let maker = maker.filter(|maker| self.live(*maker).is_ok());
        let mut at_once = DomainSet::NONE;
        if let Some(maker) = maker {
            at_once.add(maker.number());
            self.sharers(maker.number()).for_each(|sharer| at_once.add(sharer));
        }
        blocks.retain(|&code| {
            let parked = maker.is_some() && self.park(dead, code, &at_once);
            if !parked {
                self.close_portals_to(&[code]);
                self.code.retire(code);
            }
            parked
        });
        let maker = maker.filter(|_| !blocks.is_empty())?;
        Some(Parked { of: dead.id, heir, maker, handed: dead.gate.is_some(), blocks, until: None })
    }
    /// Parks the calls by the block at `code`, but those of domains that are answered `at_once`. False: there are none.
    #[inline(never)]
    fn park(&mut self, dead: &Domain<M>, code: u64, at_once: &DomainSet) -> bool {
        if self.code.get(code).is_none_or(|block| !self.can_wait(block)) {
            return false;
        }
        self.close_portals_by(code, |user, _| at_once.has(user.id.number()) || user.flags & BOOT != 0);
        if self.code.get(code).is_none_or(|block| !block.is_used()) {
            return false;
        }
        self.code.begin_with(code, &portal::parked(dead.table.address(), &self.machine.info().symbols));
        true
    }
    /// The domain of registration `id` has ended: whether the registration is kept, and with it the name, for calls that are parked.
    #[inline(never)]
    pub(crate) fn keep_name(&mut self, id: usize) -> bool {
        let kind = Kind::Registered { registration: id as u32 };
        let its = |&code: &u64| self.code.get(code).is_some_and(|block| block.kind == kind && block.is_used());
        let used = |parked: &Parked| parked.blocks.iter().filter(|code| its(code)).count() as u32;
        let blocks = self.remains.all_parked().map(used).sum();
        let Some(registration) = self.registrations.get_mut(id).filter(|_| blocks > 0) else { return false };
        (registration.name_is, registration.blocks) = (NameIs::Lost, blocks);
        let (charge, admission) = (registration.charge.take(), registration.admission.take());
        self.accounts.refund(charge);
        admission.into_iter().for_each(|admission| self.release_admission(*admission));
        true
    }
    /// The place of a dead domain whose calls are parked as `which` says.
    pub(crate) fn place_parked(&self, which: impl Fn(&Parked) -> bool) -> Option<usize> {
        self.remains.zombies.iter().position(|zombie| zombie.parked.as_ref().is_some_and(&which))
    }
    /// A block by which calls are parked at `place`, of that kind, which somebody has.
    pub(crate) fn parked_block(&self, place: usize, kind: Kind) -> Option<u64> {
        let its = |code: &u64| self.code.get(*code).is_some_and(|block| block.kind == kind && block.is_used());
        self.remains.parked(place)?.blocks.iter().copied().find(its)
    }
    /// Who says what takes others' places has ended.
    #[inline(never)]
    pub(crate) fn forget_maker(&mut self, maker: DomainId) {
        self.unpark(|parked| parked.maker == maker);
    }
    /// No calls are parked any more as `which` says: they end with `EDEAD`.
    #[optimize(size)]
    #[inline(never)]
    pub(crate) fn unpark(&mut self, which: impl Fn(&Parked) -> bool) {
        while let Some(place) = self.place_parked(&which) {
            let Some(parked) = self.remains.zombies.get_mut(place).and_then(|zombie| zombie.parked.take()) else {
                return;
            };
            parked.blocks.iter().for_each(|&code| self.lose(code));
            self.wake_parked(parked.of);
        }
    }
    /// Calls of who has ended first of those that `account` pays for end with `EDEAD`, so that nothing is left of it. False: something is, or there are none.
    #[cold]
    #[inline(never)]
    pub(crate) fn unpark_oldest(&mut self, account: Account) -> bool {
        let its = |zombie: &&crate::state::remains::Zombie<M>| zombie.charge.account() == account;
        let oldest = self.remains.zombies.iter().filter(its).find_map(|zombie| zombie.parked.as_ref());
        let Some(of) = oldest.map(|parked| parked.of) else { return false };
        let before = self.remains.zombies.len();
        self.unpark(|parked| parked.of == of);
        self.sweep();
        self.remains.zombies.len() < before
    }
    /// Calls by the block at `code`, which were parked, end with `EDEAD`.
    pub(crate) fn lose(&mut self, code: u64) {
        self.lose_those_of(code, |_| true);
    }
    /// The same of those table entries that `which` is true of.
    #[inline(never)]
    pub(crate) fn lose_those_of(&mut self, code: u64, which: impl Fn((u16, u16)) -> bool) {
        let used = self.code.get(code).filter(|block| block.is_used()).map(|block| block.kind);
        self.close_portals_by(code, |_, user| which(user));
        if let Some(kind) = used.filter(|_| self.code.get(code).is_some_and(|block| !block.is_used())) {
            self.code.retire(code);
            self.nothing_leads_to(kind);
        }
    }
    /// Who waits for an heir of that domain calls again.
    pub(crate) fn wake_parked(&self, of: DomainId) {
        while self.machine.stack_dead(of.number()) {}
    }
    /// What becomes at tick `now` of a call by the block at `code` into domain `id`, which has ended: it is made again, at once or when somebody has taken that one's place. `EDEAD`: those
    /// of that domain have been parked for long enough.
    pub(crate) fn waits_for_heir(&mut self, id: DomainId, code: u64, now: u64) -> Result<NoStack> {
        let used = self.code.get(code).is_some_and(|block| block.is_used());
        let mut all = self.remains.zombies.iter_mut().filter_map(|zombie| zombie.parked.as_mut());
        let its = all.find(|parked| used && parked.of == id && parked.blocks.contains(&code));
        // It has healed, or is lost, since the call was made.
        let Some(parked) = its else { return Ok(NoStack::Again) };
        let until = *parked.until.get_or_insert(now.saturating_add(PARKED));
        if now < until { Ok(NoStack::Wait) } else { Err(Error::EDEAD) }
    }
}
