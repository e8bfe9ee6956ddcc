//! What is known of threads, by index.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::state::nucleus_data::ThreadPage;
use abi::Error;
use abi::identity::DomainId;
use account::{Account, Charge};
use alloc::vec::Vec;
use fallible::TryPush;

/// In the place of a thread's index: the stack is kept for the next thread.
pub const SPARE: usize = usize::MAX;

/// What becomes of a thread that wants to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It returns from its call, and does not come back to its domain.
    Returns,
    /// It ends here.
    Ends,
    Refused(Error),
}

/// What is known of the thread at one index.
struct Slot<M> {
    page: ThreadPage<M>,
    /// Its home while it lives, which may have ended before it.
    home: Option<DomainId>,
    charge: Charge,
    /// The number of a portal, and in whose table, that it has asked about last.
    looked_at: Option<(DomainId, u16)>,
}

pub struct Threads<M> {
    /// By index; index 0 is nobody's.
    slots: Vec<Option<Slot<M>>>,
    /// Indices whose threads have ended.
    free: Vec<u16>,
}

impl<M: Machine> Threads<M> {
    pub const fn new() -> Threads<M> {
        Threads { slots: Vec::new(), free: Vec::new() }
    }
    /// Makes room for thread `index`, and for its index when it has ended. `ENOMEM`.
    #[inline(always)]
    pub fn room_for(&mut self, index: usize) -> Result<()> {
        self.slots.room_for((index + 1).saturating_sub(self.slots.len()))?;
        self.free.room_for((index + 1).saturating_sub(self.free.len()))
    }
    /// Takes in thread `index`, for which there is room.
    #[inline(always)]
    pub fn add(&mut self, index: usize, page: ThreadPage<M>, home: DomainId, charge: Charge) {
        self.set(index, Slot { page, home: Some(home), charge, looked_at: None });
    }
    #[inline(always)]
    fn set(&mut self, index: usize, slot: Slot<M>) {
        while self.slots.len() <= index && self.slots.push_kept(None) {}
        if let Some(place) = self.slots.get_mut(index) {
            *place = Some(slot);
        }
    }
    /// An index whose thread has ended, and its page.
    #[inline(always)]
    pub fn take_free(&mut self) -> Option<(usize, ThreadPage<M>)> {
        let index = self.free.pop()? as usize;
        self.slots.get(index)?.as_ref().map(|slot| (index, slot.page))
    }
    /// A thread that the image builder made. `ENOMEM`.
    pub fn adopt(&mut self, machine: M, index: usize, home: DomainId) -> Result<()> {
        if let (true, Some(page)) = (index != 0, ThreadPage::of(machine, index)) {
            self.room_for(index)?;
            self.set(index, Slot { page, home: Some(home), charge: Charge::NONE, looked_at: None });
        }
        Ok(())
    }
    /// Index, page and home of each living thread.
    pub fn living(&self) -> impl Iterator<Item = (usize, ThreadPage<M>, DomainId)> {
        self.living_from(0)
    }
    /// The same of those whose index is `from` or higher.
    pub fn living_from(&self, from: usize) -> impl Iterator<Item = (usize, ThreadPage<M>, DomainId)> {
        let slots = self.slots.iter().enumerate().skip(from);
        slots.filter_map(|(index, slot)| slot.as_ref().and_then(|s| s.home.map(|home| (index, s.page, home))))
    }
    /// Who pays for the thread at `index`.
    pub fn account(&self, index: usize) -> Account {
        self.slots.get(index).and_then(|slot| slot.as_ref()).map_or(Account::SYSTEM, |slot| slot.charge.account())
    }
    /// What those that there are were charged.
    pub fn charges(&self) -> impl Iterator<Item = &Charge> {
        self.slots.iter().flatten().map(|slot| &slot.charge)
    }
    /// How many threads live, and how many indices are free.
    pub fn counts(&self) -> (usize, usize) {
        (self.living().count(), self.free.len())
    }
    /// The home of thread `index`, if the thread lives; the home may have ended.
    pub fn home(&self, index: usize) -> Option<DomainId> {
        self.slots.get(index)?.as_ref()?.home
    }
    /// Thread `index` asks what `number` of the table of `domain` stands for.
    pub fn look(&mut self, index: usize, domain: DomainId, number: usize) {
        if let Some(Some(slot)) = self.slots.get_mut(index) {
            slot.looked_at = Some((domain, number as u16));
        }
    }
    /// What living threads but `index` have asked about last: a number, and in whose table.
    pub fn others_look_at(&self, index: usize) -> impl Iterator<Item = (DomainId, usize)> {
        let others = self.slots.iter().enumerate().filter(move |(at, _)| *at != index);
        let alive = others.filter_map(|(_, slot)| slot.as_ref().filter(|slot| slot.home.is_some())?.looked_at);
        alive.map(|(domain, number)| (domain, number as usize))
    }
    /// Above the highest index.
    pub fn end(&self) -> usize {
        self.slots.len()
    }
    /// Pages of the living threads.
    pub fn pages(&self) -> impl Iterator<Item = ThreadPage<M>> {
        self.living().map(|(_, page, _)| page)
    }
    /// Thread `index` lives no more.
    #[inline(always)]
    pub fn remove(&mut self, index: usize) -> Option<(ThreadPage<M>, DomainId, Charge)> {
        let slot = self.slots.get_mut(index)?.as_mut()?;
        let home = slot.home.take()?;
        let (page, charge) = (slot.page, slot.charge.take());
        self.free.push_kept(index as u16);
        Some((page, home, charge))
    }
}
