//! Stack queues: the stacks that calls into a domain take, and the descriptors that the nucleus has them by.
//!
//! A call takes any stack of the queue, whoever makes it: who calls is not looked at, which would make every call longer. So one client's threads can
//! have all of them. What a client is sure of comes when the queue is empty: of each server, each account has a stack to itself, its *reserve*, which is
//! made when it is needed first, and given to one thread. A thread that finds another stack in the queue by then keeps its reserve, until another thread of
//! its account needs it. Once it has been used it goes into the queue like any other, and the next return takes
//! one out of it again: so a queue never has more for long than what the server has given it and the reserves in use (`domain::RESERVES`). Who has a stack
//! of the server's already, in whatever call of its account, waits.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::machine::nucleus_memory::Masked;
use crate::manager::Manager;
use crate::state::nucleus_data::{Table, ThreadPage};
use abi::Error;
use abi::address::{PAGE, THREAD_STACK, supervisor};
use abi::identity::DomainId;
use abi::nucleus::{domain, flags};
use account::Account;

/// What becomes of a call that found no stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoStack {
    /// It is made again: there is one by now.
    Again,
    /// It waits for one, and is counted already.
    Wait,
}

/// A stack that an account has of a server.
enum Stack<M: Machine> {
    /// A thread is in a call of it.
    InUse,
    /// The thread with that page has it as a reserve that it has not used.
    Reserve(ThreadPage<M>),
}

impl<M: Machine> Manager<M> {
    /// Adds a stack to the queue of `asid`.
    #[optimize(size)]
    pub fn add_stack(&mut self, asid: usize) -> Result<()> {
        let table = self.domain(asid)?.table;
        let descriptor = self.another_stack(asid)?;
        let _masked = Masked::new(self.machine);
        self.machine.write(descriptor, table.field(domain::STACKS));
        table.set_field(domain::STACKS, descriptor);
        Ok(())
    }
    /// The descriptor of a new stack for calls of `asid`.
    #[optimize(size)]
    fn another_stack(&mut self, asid: usize) -> Result<u64> {
        self.domain(asid)?;
        if self.descriptors.count() == 0 {
            let page = supervisor(self.machine.nucleus_pages(1)?) as u64;
            self.descriptors.add(page, PAGE);
        }
        let top = self.machine.stack_for(asid, THREAD_STACK)?;
        let descriptor = self.descriptors.take().ok_or(Error::ENOMEM)?;
        self.domain_mut(asid)?.queue += 1;
        self.machine.write(descriptor + 8, top as u64);
        Ok(descriptor)
    }
    pub fn free_descriptors(&mut self, table: Table<M>) {
        self.free_list(table.field(domain::STACKS));
    }
    fn free_list(&mut self, first: u64) {
        let mut next = first;
        while next != 0 {
            let descriptor = next;
            next = self.machine.read(descriptor);
            self.descriptors.put(descriptor);
        }
    }
    /// A call of thread `index` into domain `id` by the block at `code` found its queue empty, or [is parked](Manager::park_calls), at tick `now` of `hrtime`; `given`: it had been given pages for that, which are the
    /// caller's again if it lives. `ENOSTACK`: it would have grown, and there is
    /// no memory; `EDEAD`: it has been parked for long enough, or its pages have ended with the callee.
    #[optimize(size)]
    pub fn no_stack(&mut self, index: usize, id: DomainId, (code, given): (u64, bool), now: u64) -> Result<NoStack> {
        let Ok(domain) = self.living(id) else {
            // Whoever has taken its place is called then, or who answers for the dead; but without its pages no call is made.
            return if given { Err(Error::EDEAD) } else { self.waits_for_heir(id, code, now) };
        };
        let (table, elastic) = (domain.table, domain.flags & flags::ELASTIC != 0);
        if domain.gate.is_some()
            && let Some(next) = self.waits_at_gate(id, code, now)
        {
            return Ok(next);
        }
        if elastic {
            return self.add_stack(id.number()).map(|()| NoStack::Again).map_err(|_| Error::ENOSTACK);
        }
        if table.field(domain::STACKS) != 0 || self.give_reserve(index, id.number()).is_some() {
            return Ok(NoStack::Again);
        }
        let _masked = Masked::new(self.machine);
        if table.field(domain::STACKS) != 0 {
            return Ok(NoStack::Again);
        }
        // From here on who brings one back tells the scheduler.
        table.set_field(domain::STACK_WAITERS, table.field(domain::STACK_WAITERS) + 1);
        Ok(NoStack::Wait)
    }
    /// A call that was counted among those who wait for a stack of domain `id` has waited long enough, or was cancelled. One that has brought a stack
    /// back meanwhile may have counted down for it: then another waits until it looks again.
    #[optimize(size)]
    pub fn waited(&mut self, id: DomainId) {
        let Ok(table) = self.living(id).map(|d| d.table) else { return };
        let _masked = Masked::new(self.machine);
        let waiters = table.field(domain::STACK_WAITERS);
        // Each reserve that is in use has its return look.
        if waiters > table.field(domain::RESERVES) {
            table.set_field(domain::STACK_WAITERS, waiters - 1);
        }
    }
    /// Gives thread `index` its account's reserve of domain `asid`. `None`: the account has a stack there already, or there is no memory.
    #[optimize(size)]
    fn give_reserve(&mut self, index: usize, asid: usize) -> Option<()> {
        let page = ThreadPage::of(self.machine, index)?;
        let account = self.account_of_thread(index)?;
        let d = self.domain(asid).ok()?;
        let table = d.table;
        if !self.places_stacks(asid) {
            return None;
        }
        match self.stack_of(account, asid, table) {
            None => {}
            Some(Stack::InUse) => return None,
            Some(Stack::Reserve(another)) => {
                self.take_reserve(page);
                // It may have used it since.
                let _masked = Masked::new(self.machine);
                let descriptor = another.reserve();
                if descriptor == 0 || self.machine.read(descriptor) != table.address() {
                    return None;
                }
                another.set_reserve(0);
                page.set_reserve(descriptor);
                return Some(());
            }
        }
        self.take_reserve(page);
        let descriptor = match self.domain(asid).ok()?.reserves {
            0 => self.another_stack(asid).ok()?,
            kept => {
                self.domain_mut(asid).ok()?.reserves = self.machine.read(kept);
                kept
            }
        };
        self.machine.write(descriptor, table.address());
        page.set_reserve(descriptor);
        Some(())
    }
    /// Whose account the calls of thread `index` are on, if its home lives.
    fn account_of_thread(&self, index: usize) -> Option<Account> {
        let home = self.live(self.threads.home(index)?).ok()?;
        self.domain(home).ok().map(|d| d.account)
    }
    /// The first stack that a thread of `account` has of domain `asid`.
    #[inline(never)]
    fn stack_of(&self, account: Account, asid: usize, table: Table<M>) -> Option<Stack<M>> {
        let mut seen = self.seen.borrow_mut();
        let mut own = self.threads.living().filter(|&(index, ..)| self.account_of_thread(index) == Some(account));
        own.find_map(|(_, page, _)| {
            let reserve = page.reserve();
            if reserve != 0 && self.machine.read(reserve) == table.address() {
                return Some(Stack::Reserve(page));
            }
            // It may run whenever this is interrupted.
            let mut calls = seen.settle_calls(page, &self.code);
            let inside = calls.any(|(portal, _)| {
                let block = self.code.containing(portal).map(|(_, block)| block);
                block.is_some_and(|block| block.server as usize == asid && !block.same_domain)
            });
            inside.then_some(Stack::InUse)
        })
    }
    /// Takes from a thread, which runs no portal meanwhile, the reserve that it has not used.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_reserve(&mut self, page: ThreadPage<M>) {
        let descriptor = page.reserve();
        if descriptor == 0 {
            return;
        }
        page.set_reserve(0);
        let table = Table::at(self.machine, self.machine.read(descriptor));
        self.keep_reserve(table, descriptor);
    }
    /// Keeps a stack that is nobody's for the next account that needs a reserve.
    fn keep_reserve(&mut self, table: Table<M>, descriptor: u64) {
        let Some(d) = self.asid_of(table).ok().and_then(|asid| self.domains.get_mut(asid)) else { return };
        self.machine.write(descriptor, core::mem::replace(&mut d.reserves, descriptor));
    }
    /// A stack went back to the queue of domain `id` while that had reserves: one is taken out again, or who waits for one is woken.
    #[optimize(size)]
    pub fn reserve_free(&mut self, id: DomainId) {
        let Ok(table) = self.living(id).map(|d| d.table) else { return };
        let masked = Masked::new(self.machine);
        let (reserves, first) = (table.field(domain::RESERVES), table.field(domain::STACKS));
        let taken = reserves > 0 && first != 0;
        if taken {
            table.set_field(domain::STACKS, self.machine.read(first));
            table.set_field(domain::RESERVES, reserves - 1);
        } else if reserves > 0 {
            // Another call has it: the next return looks again.
            table.set_field(domain::STACK_WAITERS, table.field(domain::STACK_WAITERS) + 1);
        }
        drop(masked);
        if taken {
            self.keep_reserve(table, first);
        } else if reserves == 0 {
            self.machine.stack_dead(id.number());
        }
    }
    /// Domain `asid`, whose portals nobody enters any more, has ended: what is left of its reserves is nobody's. A call that is parked takes none.
    #[optimize(size)]
    #[inline(never)]
    pub(crate) fn forget_reserves(&mut self, table: Table<M>, kept: u64) {
        self.free_list(kept);
        for page in self.threads.pages() {
            let descriptor = page.reserve();
            if descriptor != 0 && self.machine.read(descriptor) == table.address() {
                page.set_reserve(0);
                self.descriptors.put(descriptor);
            }
        }
    }
}
