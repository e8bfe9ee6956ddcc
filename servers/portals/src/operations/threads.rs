//! Threads: their pages, service stacks and numbers. A thread that has ended leaves its page and service stack to the
//! next one of its index.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use crate::state::nucleus_data::ThreadPage;
use abi::Error;
use abi::account::Resource;
use abi::address::{PAGE, STACK_TOP, THREAD_STACK, service_top, supervisor};
use abi::boot::{BootGrown, GROWN_SEMAPHORES};
use abi::nucleus::{MAX_THREADS, PRIORITIES, domain, flags};
use abi::rights::Rights;
use abi::system::TP_IS_THREAD;
use fallible::TryPush;

use crate::state::threads::SPARE;

/// Most stacks of ended threads that are kept for a domain's next ones.
const SPARE_STACKS: usize = 4;

/// Has the scheduler's tables grow so that they have a record of thread `index`, those before it being there.
fn grow_tables(machine: impl Machine, index: usize) -> Result<()> {
    machine.info().grown[..GROWN_SEMAPHORES].iter().try_for_each(|table| grow_table(machine, table, index))
}

/// The same for one table and any of its records.
pub fn grow_table(machine: impl Machine, table: &BootGrown, index: usize) -> Result<()> {
    let page = (table.start as usize + index * table.stride as usize) / PAGE * PAGE;
    if (table.missing as usize..table.end as usize).contains(&page) {
        let made = machine.map(table.asid as usize, page, PAGE, Rights::READ_WRITE);
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
            let Some((page, home, charge)) = self.threads.remove(index) else { continue };
            if page.reserve() != 0 {
                self.take_reserve(page);
            }
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
                self.freeze(home);
                if self.open_windows.count() == 0 {
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
        if let Some(slot) = self.threads.take_free() {
            return Ok(slot);
        }
        self.reap();
        if let Some(slot) = self.threads.take_free() {
            return Ok(slot);
        }
        let index = self.threads.end().max(1);
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
    /// What threads that enter domain `asid` through the portals that are made from now on have in `tp`. `EINVAL`: their number, where it is
    /// trusted and has what its caller has.
    #[optimize(size)]
    pub fn set_thread_pointer(&mut self, asid: usize, tp: usize) -> Result<()> {
        let domain = self.domain_mut(asid)?;
        let named = tp == TP_IS_THREAD;
        if named && domain.flags & (flags::TRUSTED | flags::MASKED) != 0 {
            return Err(Error::EINVAL);
        }
        domain.flags = domain.flags & !flags::NAMED | if named { flags::NAMED } else { 0 };
        domain.table.set_field(domain::FLAGS, domain.flags);
        domain.table.set_field(domain::TP, if named { 0 } else { tp as u64 });
        Ok(())
    }
    /// Starts a thread in domain `home` at `pc`; its id. Priority -1 is the calling thread's, if the domain's
    /// ceiling is not lower. `EINVAL`: above that, or, of who starts components, above the highest.
    pub fn create_thread(
        &mut self,
        home: usize,
        pc: usize,
        sp: usize,
        argument: usize,
        priority: usize,
    ) -> Result<usize> {
        let domain = self.domain(home)?;
        let (table, trusted, id) = (domain.table, domain.flags & flags::TRUSTED != 0, domain.id);
        let account = domain.account;
        // Who starts components says of each of its threads how high it may go: to where it begins, whoever runs on it later.
        let said = domain.privileged && priority < PRIORITIES;
        let ceiling = if said { priority as u8 } else { domain.ceiling };
        if domain.flags & flags::MASKED != 0 || (priority as isize) < -1 || (priority as isize) > isize::from(ceiling) {
            return Err(Error::EINVAL);
        }
        if pc >= STACK_TOP || (!trusted && (sp > STACK_TOP || !sp.is_multiple_of(16))) {
            return Err(Error::EINVAL);
        }
        // Those that have ended may not have been taken back yet.
        let charge = self.charge(home, Resource::Threads, 1).or_else(|_| {
            self.reap();
            self.charge(home, Resource::Threads, 1)
        })?;
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
        self.threads.add(index, page, id, charge);
        let domain = self.domain_mut(home)?;
        domain.threads += 1;
        // The stack it starts on, if it is one of ours, goes back when the thread ends.
        let stack = domain.stacks.iter_mut().filter(|(top, thread)| *thread == 0 && sp <= *top);
        if let Some(stack) = stack.min_by_key(|(top, _)| *top - sp)
            && stack.0 - sp < THREAD_STACK
        {
            stack.1 = index;
        }
        match self.machine.thread_add(index, priority, home, account, ceiling) {
            Ok(id) => Ok(id),
            Err(error) => {
                if let Some((_, _, charge)) = self.threads.remove(index) {
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
