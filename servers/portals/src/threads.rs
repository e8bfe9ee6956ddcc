//! Threads: their pages, service stacks and numbers. A thread that has ended leaves its page and service stack to the
//! next one of its index.

use crate::Result;
use crate::manager::Manager;
use crate::neighbours::Machine;
use crate::nucleus_data::ThreadPage;
use crate::open_windows::Lent;
use abi::Error;
use abi::account::Resource;
use abi::address::{PAGE, STACK_TOP, THREAD_STACK, pte, service_top, supervisor};
use abi::boot::{BootGrown, GROWN_SEMAPHORES};
use abi::identity::DomainId;
use abi::nucleus::{MAX_THREADS, flags};
use account::Charge;
use alloc::vec::Vec;
use fallible::TryPush;

/// Most stacks of ended threads that are kept for a domain's next ones.
const SPARE_STACKS: usize = 4;
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
    fn room_for(&mut self, index: usize) -> Result<()> {
        self.slots.room_for((index + 1).saturating_sub(self.slots.len()))?;
        self.free.room_for((index + 1).saturating_sub(self.free.len()))
    }
    /// Takes in thread `index`, for which there is room.
    fn set(&mut self, index: usize, slot: Slot<M>) {
        while self.slots.len() <= index && self.slots.push_kept(None) {}
        if let Some(place) = self.slots.get_mut(index) {
            *place = Some(slot);
        }
    }
    /// A thread that the image builder made. `ENOMEM`.
    pub fn adopt(&mut self, machine: M, index: usize, home: DomainId) -> Result<()> {
        if let (true, Some(page)) = (index != 0, ThreadPage::of(machine, index)) {
            self.room_for(index)?;
            self.set(index, Slot { page, home: Some(home), charge: Charge::NONE });
        }
        Ok(())
    }
    /// Index, page and home of each living thread.
    pub fn living(&self) -> impl Iterator<Item = (usize, ThreadPage<M>, DomainId)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(index, slot)| slot.as_ref().and_then(|s| s.home.map(|home| (index, s.page, home))))
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
    /// Above the highest index.
    pub fn end(&self) -> usize {
        self.slots.len()
    }
    /// Pages of the living threads.
    pub fn pages(&self) -> impl Iterator<Item = ThreadPage<M>> {
        self.living().map(|(_, page, _)| page)
    }
    /// Thread `index` lives no more.
    fn remove(&mut self, index: usize) -> Option<(DomainId, Charge)> {
        let slot = self.slots.get_mut(index)?.as_mut()?;
        let home = slot.home.take()?;
        let charge = slot.charge.take();
        self.free.push_kept(index as u16);
        Some((home, charge))
    }
}

/// Has the scheduler's tables grow so that they have a record of thread `index`, those before it being there.
fn grow_tables(machine: impl Machine, index: usize) -> Result<()> {
    machine.info().grown[..GROWN_SEMAPHORES].iter().try_for_each(|table| grow_table(machine, table, index))
}
/// The same for one table and any of its records.
pub fn grow_table(machine: impl Machine, table: &BootGrown, index: usize) -> Result<()> {
    let page = (table.start as usize + index * table.stride as usize) / PAGE * PAGE;
    if (table.missing as usize..table.end as usize).contains(&page) {
        let made = machine.map(table.asid as usize, page, PAGE, pte::R | pte::W);
        // The record before was in the same page, or what it is for could not be made the last time.
        if !matches!(made, Ok(_) | Err(Error::EEXIST)) {
            return made;
        }
    }
    Ok(())
}

impl<M: Machine> Manager<M> {
    /// Takes back what threads that have ended leave.
    pub fn reap(&mut self) {
        loop {
            let Some(index) = self.machine.thread_reap() else { return };
            let Some((home, charge)) = self.threads.remove(index) else { continue };
            self.accounts.refund(charge);
            // Of a home that has ended nothing is counted any more, whoever has its number.
            let Ok(home) = self.live(home) else { continue };
            let Ok(domain) = self.domain_mut(home) else { continue };
            domain.threads -= 1;
            if let Some(at) = domain.stacks.iter().position(|&(_, thread)| thread == index) {
                let top = domain.stacks[at].0;
                domain.stacks[at].1 = SPARE;
                domain.spare_stacks += 1;
                if domain.spare_stacks <= SPARE_STACKS {
                    continue;
                }
                // Another thread may show a page of it in a window.
                let mut lent = Lent::new();
                self.freeze(home, &mut lent);
                if lent.count() == 0 {
                    self.machine.stack_release(home, top);
                    if let Ok(domain) = self.domain_mut(home) {
                        domain.stacks.swap_remove(at);
                        domain.spare_stacks -= 1;
                    }
                }
                self.thaw(home);
            }
        }
    }
    /// A stack of at least `bytes` for a thread of domain `asid`; its top.
    pub fn new_stack(&mut self, asid: usize, bytes: usize) -> Result<usize> {
        self.reap();
        let domain = self.domain_mut(asid)?;
        if bytes <= THREAD_STACK && domain.spare_stacks > 0 {
            domain.spare_stacks -= 1;
            let spare = domain.stacks.iter_mut().find(|(_, thread)| *thread == SPARE).ok_or(Error::ENOMEM)?;
            spare.1 = 0;
            return Ok(spare.0);
        }
        domain.stacks.room_for(1)?;
        let top = self.machine.stack_for(asid, bytes)?;
        self.domain_mut(asid)?.stacks.push_kept((top, 0));
        Ok(top)
    }
    /// An index with a page and a service stack.
    fn thread_slot(&mut self) -> Result<(usize, ThreadPage<M>)> {
        if let Some(index) = self.threads.free.pop() {
            let slot = self.threads.slots[index as usize].as_ref().ok_or(Error::ENOMEM)?;
            return Ok((index as usize, slot.page));
        }
        let index = self.threads.slots.len().max(1);
        if index >= MAX_THREADS {
            return Err(Error::ENFILE);
        }
        self.threads.room_for(index)?;
        self.machine.service_stack(index)?;
        grow_tables(self.machine, index)?;
        let pa = self.machine.nucleus_pages(1)?;
        let page = ThreadPage::at(self.machine, supervisor(pa) as u64);
        page.enter(index);
        Ok((index, page))
    }
    /// Starts a thread in domain `home` at `pc`; its id. Priority -1 is the calling thread's, if the domain's
    /// ceiling is not lower. `EINVAL`: above that.
    pub fn create_thread(
        &mut self,
        home: usize,
        pc: usize,
        sp: usize,
        argument: usize,
        priority: usize,
    ) -> Result<usize> {
        self.reap();
        let domain = self.domain(home)?;
        let (table, trusted, id) = (domain.table, domain.flags & flags::TRUSTED != 0, domain.id);
        let ceiling = domain.ceiling as usize;
        if domain.flags & flags::MASKED != 0 || (priority as isize) < -1 || (priority as isize) > ceiling as isize {
            return Err(Error::EINVAL);
        }
        if pc >= STACK_TOP || (!trusted && (sp > STACK_TOP || !sp.is_multiple_of(16))) {
            return Err(Error::EINVAL);
        }
        let charge = self.charge(home, Resource::Threads, 1)?;
        let (index, page) = match self.thread_slot() {
            Ok(slot) => slot,
            Err(error) => {
                self.accounts.refund(charge);
                return Err(error);
            }
        };
        // A trusted component runs on the service stack, which all trusted servers see.
        let sp = if trusted { service_top(index) } else { sp };
        page.prepare(index, table, pc as u64, sp as u64, argument as u64);
        self.threads.set(index, Slot { page, home: Some(id), charge });
        let domain = self.domain_mut(home)?;
        domain.threads += 1;
        // The stack it starts on, if it is one of ours, goes back when the thread ends.
        let stack = domain.stacks.iter_mut().filter(|(top, thread)| *thread == 0 && sp <= *top);
        if let Some(stack) = stack.min_by_key(|(top, _)| *top - sp)
            && stack.0 - sp < THREAD_STACK
        {
            stack.1 = index;
        }
        match self.machine.thread_add(index, priority, home, ceiling) {
            Ok(id) => Ok(id),
            Err(error) => {
                if let Some((_, charge)) = self.threads.remove(index) {
                    self.accounts.refund(charge);
                }
                let domain = self.domain_mut(home)?;
                domain.threads -= 1;
                domain.stacks.iter_mut().filter(|(_, thread)| *thread == index).for_each(|stack| stack.1 = 0);
                Err(error)
            }
        }
    }
}
