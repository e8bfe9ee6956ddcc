//! Threads: their pages, service stacks and numbers. A thread that has ended leaves its page and service stack to the
//! next one of its index.

use crate::lent::Lent;
use crate::manager::{MAP, Manager, NUCLEUS_PAGES, SERVICE_STACK, STACK_RELEASE, THREAD_ADD, THREAD_REAP};
use crate::view::ThreadPage;
use abi::Error;
use abi::address::{PAGE, STACK_TOP, pte, service_top, supervisor};
use abi::boot::{BootGrown, GROWN_SEMAPHORES};
use abi::identity::DomainId;
use abi::nucleus::{MAX_THREADS, flags};
use alloc::vec::Vec;
use pebble::{Result, check};

/// Most stacks of ended threads that are kept for a domain's next ones.
const SPARE_STACKS: usize = 4;

/// What is known of the thread at one index.
#[derive(Clone, Copy)]
struct Slot {
    page: ThreadPage,
    /// Its home while it lives, which may have ended before it.
    home: Option<DomainId>,
}

pub struct Threads {
    /// By index; index 0 is nobody's.
    slots: Vec<Option<Slot>>,
    /// Indices whose threads have ended.
    free: Vec<u16>,
}
impl Threads {
    pub const fn new() -> Threads {
        Threads { slots: Vec::new(), free: Vec::new() }
    }
    fn set(&mut self, index: usize, slot: Slot) {
        if self.slots.len() <= index {
            self.slots.resize(index + 1, None);
        }
        self.slots[index] = Some(slot);
    }
    /// A thread that the image builder made.
    pub fn adopt(&mut self, index: usize, home: DomainId) {
        if let (true, Some(page)) = (index != 0, ThreadPage::of(index)) {
            self.set(index, Slot { page, home: Some(home) });
        }
    }
    /// Index, page and home of each living thread.
    pub fn living(&self) -> impl Iterator<Item = (usize, ThreadPage, DomainId)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(index, slot)| slot.and_then(|s| s.home.map(|home| (index, s.page, home))))
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
    pub fn pages(&self) -> impl Iterator<Item = ThreadPage> {
        self.living().map(|(_, page, _)| page)
    }
    /// Thread `index` lives no more.
    fn remove(&mut self, index: usize) -> Option<DomainId> {
        let home = self.slots.get_mut(index)?.as_mut()?.home.take()?;
        self.free.push(index as u16);
        Some(home)
    }
}

/// Has the scheduler's tables grow so that they have a record of thread `index`, those before it being there.
fn grow_tables(index: usize) -> Result<()> {
    pebble::boot::info().grown[..GROWN_SEMAPHORES].iter().try_for_each(|table| grow_table(table, index))
}
/// The same for one table and any of its records.
pub fn grow_table(table: &BootGrown, index: usize) -> Result<()> {
    let page = (table.start as usize + index * table.stride as usize) / PAGE * PAGE;
    if (table.missing as usize..table.end as usize).contains(&page) {
        let made = check(MAP.call([table.asid as usize, page, PAGE, (pte::R | pte::W) as usize]));
        // The record before was in the same page, or what it is for could not be made the last time.
        if !matches!(made, Ok(_) | Err(Error::EEXIST)) {
            return made.map(|_| ());
        }
    }
    Ok(())
}

impl Manager {
    /// Takes back what threads that have ended leave.
    pub fn reap(&mut self) {
        loop {
            let index = THREAD_REAP.call([]);
            if index <= 0 {
                return;
            }
            // Of a home that has ended nothing is counted any more, whoever has its number.
            let Some(Ok(home)) = self.threads.remove(index as usize).map(|home| self.live(home)) else { continue };
            let Ok(domain) = self.domain_mut(home) else { continue };
            domain.threads -= 1;
            if let Some(at) = domain.stacks.iter().position(|&(_, thread)| thread == index as usize) {
                let (top, _) = domain.stacks.swap_remove(at);
                if domain.spare_stacks.len() < SPARE_STACKS {
                    domain.spare_stacks.push(top);
                    continue;
                }
                // Another thread may show a page of it in a window.
                let mut lent = Lent::new();
                self.freeze(home, &mut lent);
                if lent.count() == 0 {
                    STACK_RELEASE.call([home, top]);
                } else if let Ok(domain) = self.domain_mut(home) {
                    domain.spare_stacks.push(top);
                }
                self.thaw(home);
            }
        }
    }
    /// An index with a page and a service stack.
    fn thread_slot(&mut self) -> Result<(usize, ThreadPage)> {
        if let Some(index) = self.threads.free.pop() {
            let slot = self.threads.slots[index as usize].ok_or(Error::ENOMEM)?;
            return Ok((index as usize, slot.page));
        }
        let index = self.threads.slots.len().max(1);
        if index >= MAX_THREADS {
            return Err(Error::ENFILE);
        }
        check(SERVICE_STACK.call([index]))?;
        grow_tables(index)?;
        let pa = check(NUCLEUS_PAGES.call([1]))?;
        let page = ThreadPage(supervisor(pa) as u64);
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
        let (index, page) = self.thread_slot()?;
        // A trusted component runs on the service stack, which all trusted servers see.
        let sp = if trusted { service_top(index) } else { sp };
        page.prepare(index, table, pc as u64, sp as u64, argument as u64);
        self.threads.set(index, Slot { page, home: Some(id) });
        let domain = self.domain_mut(home)?;
        domain.threads += 1;
        // The stack it starts on, if it is one of ours, goes back when the thread ends.
        let stack = domain.stacks.iter_mut().filter(|(top, thread)| *thread == 0 && sp <= *top);
        if let Some(stack) = stack.min_by_key(|(top, _)| *top - sp)
            && stack.0 - sp < abi::address::THREAD_STACK
        {
            stack.1 = index;
        }
        match check(THREAD_ADD.call([index, priority, home, ceiling])) {
            Ok(id) => Ok(id),
            Err(error) => {
                self.threads.remove(index);
                self.domain_mut(home)?.threads -= 1;
                Err(error)
            }
        }
    }
}
