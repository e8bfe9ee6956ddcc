//! The scheduler: what each portal does, and who runs after it.
//!
//! The running thread is the head of the highest ring of [`Ready`] that is not empty, or the idle thread. An entry
//! that changes the rings ends in one of three ways: [`go_on`](Scheduler::go_on) (the running thread has left them),
//! [`prefer`](Scheduler::prefer) (one thread has been woken) or [`settle`](Scheduler::settle) (anything may have
//! changed).
//!
//! The timer stands at the earliest deadline or earlier: a deadline that falls away leaves it alone, and the
//! interrupt that then comes for nothing sets it right. The time slice has a deadline from when a second thread of some
//! priority becomes ready, and as long as any thread waits for the hart; it is not moved by switches, so that no thread
//! runs longer than a slice while another of its priority is ready, but one may run shorter.
//!
//! A thread can be cancelled: nobody waits for what it does any more. Its wait ends, and each later one ends after a slice at most,
//! all with `ECANCELED`, so that whoever it serves hears of it and gives back what it holds; and one that asks again and again
//! takes no more time than it would sleep. A wait for a lock is none of these: it is short, and who holds the lock goes on for it.
//!
//! P, V and the timer's interrupt have a quick form for the usual cases. It calls nothing, so its code needs no stack, and refuses without
//! having changed anything where the case is not usual.

#[cfg(test)]
mod consistency;
mod decisions;
mod ending;
mod inheritance;
mod shares;
mod timer;

use crate::locks::{Locks, Place};
use crate::machine::Machine;
use crate::processor::Processor;
use crate::ready::{IDLE_PRIORITY, Ready};
use crate::semaphores::{SEMAPHORES, Semaphore, Semaphores, VALUE_MAX};
use crate::sleepers::Sleepers;
use crate::stacks::Stacks;
use crate::threads::{ENDING, IDLE, NEVER_WAITS, Queue, Record, State, Thread, Threads, index_of_id};
use crate::time::{Clock, NEVER};
use abi::Error;
use abi::activity::{Doing, What};
use abi::nucleus::{MAX_DOMAINS, MAX_THREADS};
use arch::PerHart;
use shares::Looks;

/// How an entry ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Decision {
    /// The running thread goes on; its call returns this.
    Return(isize),
    /// `thread` goes on; its own pending call returns `value`.
    Switch { thread: Thread, value: isize },
}
use Decision::Return;

#[inline(always)]
fn refuse(error: Error) -> Decision {
    Return(error.code())
}

/// Most threads that one entry wakes, which bounds the time with interrupts off: who wakes more enters again.
pub const WAKES: usize = 4;
/// From one interrupt of the timer to the next for the deadline of a thread whose priority is not above the running one's
/// (10 µs at 10 MHz): the alarms of lower threads take little of a higher one's time.
pub const GAP: u64 = 100;
/// The account of the first threads, which has no limits.
const SYSTEM: usize = 0;
/// Most threads that inherit a priority from one that waits for a lock: the locks of trusted components nest less deeply.
pub(crate) const HEIRS: usize = 6;

/// Who runs on a hart, and what its timer and its clock say.
#[repr(C)]
struct Running {
    running: Thread,
    /// Of the running thread.
    running_priority: i32,
    /// When the running thread's slice ends, or [`NEVER`]. Never `NEVER` while any ring has a second thread.
    slice: u64,
    /// Until when the timer's interrupt has a quick form: the earlier of the slice's end and of the next look at whose account
    /// runs; 0: it has none, and nor has another interrupt.
    bound: u64,
    /// What the timer stands at.
    armed: u64,
    clock: Clock,
}

#[repr(C)]
pub struct Scheduler<M> {
    hart: PerHart<Running>,
    ready: Ready,
    threads: Threads,
    semaphores: Semaphores,
    /// Ended threads that were not reaped: first and last of a list by `next`.
    ended: Thread,
    ended_last: Thread,
    sleepers: Sleepers,
    stacks: Stacks,
    locks: Locks,
    /// How often a lock has been let go that others waited for.
    turns: u32,
    /// By each number, which domain with that number has asked for a thread's name last (its [life](abi::lock) and 1), or 0 when that has ended.
    lives: [u32; MAX_DOMAINS],
    processor: Processor,
    looks: Looks,
    pub machine: M,
    /// One more than the highest index that any thread has had: the records from there on need not be there.
    threads_end: usize,
}

/// For the binary: one entry of a portal each.
impl<M: Machine> Scheduler<M> {
    /// Where the records of semaphores are in it.
    pub const SEMAPHORES: usize = core::mem::offset_of!(Scheduler<M>, semaphores) + Semaphores::SLOTS;

    /// Where the tables are in it that have a record for each thread, and the one of the semaphores; records, and bytes of
    /// one.
    pub const GROWN: [(usize, usize, usize); abi::boot::GROWN] = [
        (core::mem::offset_of!(Scheduler<M>, threads), MAX_THREADS, size_of::<crate::threads::Record>()),
        (core::mem::offset_of!(Scheduler<M>, sleepers) + Sleepers::ENTRIES.0, MAX_THREADS, Sleepers::ENTRIES.1),
        (core::mem::offset_of!(Scheduler<M>, locks) + Locks::RECORDS.0, MAX_THREADS, Locks::RECORDS.1),
        (Self::SEMAPHORES, SEMAPHORES, size_of::<Semaphore>()),
    ];

    /// All zeros but for `machine`; [`Scheduler::start`] makes it usable.
    pub const fn new(machine: M) -> Scheduler<M> {
        Scheduler {
            hart: PerHart::new(Running {
                running: Thread::NOBODY,
                running_priority: 0,
                slice: 0,
                bound: 0,
                armed: 0,
                clock: Clock::new(),
            }),
            ready: Ready::new(),
            threads: Threads::new(),
            semaphores: Semaphores::new(),
            ended: Thread::NOBODY,
            ended_last: Thread::NOBODY,
            sleepers: Sleepers::new(),
            stacks: Stacks::new(),
            locks: Locks::new(),
            turns: 0,
            lives: [0; MAX_DOMAINS],
            processor: Processor::new(),
            looks: Looks::new(),
            machine,
            threads_end: 0,
        }
    }
    /// The idle thread has called. `boot` are the first threads: `(index, priority, home asid)`; one out of range is
    /// left out. `EINVAL`: it has been called before.
    pub fn start(&mut self, cycles_per_time: u64, boot: impl Iterator<Item = (usize, isize, usize)>) -> Decision {
        if self.hart.running != Thread::NOBODY {
            return refuse(Error::EINVAL);
        }
        self.hart.running = IDLE;
        self.hart.running_priority = IDLE_PRIORITY;
        self.hart.slice = NEVER;
        self.hart.bound = NEVER;
        self.looks.begin_never();
        self.hart.armed = NEVER;
        let idle = &mut self.threads[IDLE];
        idle.state = State::Ready;
        idle.id = IDLE.index() as u32;
        idle.cancelled = NEVER_WAITS;
        // Alone in its ring, which none of `Ready` is.
        idle.next = IDLE;
        idle.prev = IDLE;
        self.semaphores.start();
        self.hart.clock.start(&self.machine, cycles_per_time);
        for (index, priority, home) in boot {
            let _ = self.make(index, priority, home, priority, SYSTEM);
        }
        self.settle(0)
    }
    /// The running thread waits until a stack of domain `asid` is free, unless one has become free that nobody waited for. `ticks` positive: `ETIMEDOUT` after so many, else for ever.
    pub fn stack_wait(&mut self, asid: usize, ticks: isize) -> Decision {
        if self.hart.running == IDLE {
            return refuse(Error::EINVAL);
        }
        if self.stacks.take(asid) {
            return Return(0);
        }
        self.begin_wait(ticks);
        let waiter = self.leave(State::Stack, asid as u32);
        self.stacks.of(asid).insert(&mut self.threads, waiter);
        self.go_on()
    }
    /// A stack of domain `asid` is free: the first that waits for one makes its call again, before the running thread makes its next one, if its priority
    /// is not lower: who has just called would have the stack again, and the others would wait for ever.
    pub fn stack_free(&mut self, asid: usize) -> Decision {
        let waiter = self.stacks.of(asid).first();
        if waiter == Thread::NOBODY {
            self.stacks.remember(asid);
            return Return(0);
        }
        self.end_wait(waiter, 0);
        self.hand(waiter)
    }
    /// Domain `asid` is no more: a thread that waits for a stack of it makes its call again, which ends with `EDEAD` now. → 1; 0:
    /// nobody waits.
    pub fn stack_dead(&mut self, asid: usize) -> Decision {
        let waiter = self.stacks.of(asid).first();
        if waiter == Thread::NOBODY {
            return Return(0);
        }
        self.end_wait(waiter, 0);
        self.prefer(waiter, 1)
    }
    /// The next thread of the running priority runs.
    #[inline(always)]
    pub fn r#yield(&mut self) -> Decision {
        let next = self.threads[self.hart.running].next;
        if next == self.hart.running {
            return Return(0);
        }
        self.ready.turn_to(self.hart.running_priority, next);
        self.hand_over(next, 0)
    }
    /// The running thread ends. → 1: it is to call again, since more wait for its end than are woken at a time.
    pub fn exit(&mut self) -> Decision {
        if self.hart.running == IDLE {
            return refuse(Error::EINVAL);
        }
        let running = self.hart.running;
        for _ in 0..WAKES {
            let mut waiter = self.threads[running].joiners.first();
            // Who waits for what it holds finds that out.
            let held = self.threads[running].held;
            if waiter == Thread::NOBODY && held != 0 {
                waiter = self.locks.at(held).queue.first();
            }
            if waiter == Thread::NOBODY {
                break;
            }
            self.end_wait(waiter, 0);
        }
        let record = &mut self.threads[running];
        if !record.joiners.is_empty() || record.held != 0 {
            if record.cancelled & ENDING == 0 {
                // Nobody else waits for it: that thread has ended.
                record.cancelled |= ENDING;
                record.id = record.next_id(running);
            }
            return self.settle(1);
        }
        self.ready.remove(&mut self.threads, running);
        let ended = &mut self.threads[running];
        (ended.state, ended.object, ended.next) = (State::Ended, 0, Thread::NOBODY);
        if self.ended == Thread::NOBODY {
            self.ended = running;
        } else {
            self.threads[self.ended_last].next = running;
        }
        self.ended_last = running;
        (self.hart.running, self.hart.running_priority) = self.ready.first();
        self.go_on()
    }
    /// The running thread waits `ticks` of `hrtime`; not at all if that is not positive.
    pub fn sleep(&mut self, ticks: isize) -> Decision {
        if ticks <= 0 || self.hart.running == IDLE {
            return Return(0);
        }
        // First of all: what is done before is slept longer.
        let now = self.machine.now();
        let state = if self.threads[self.hart.running].cancelled == 0 { State::Sleeping } else { State::Pausing };
        self.set_deadline(now, ticks as u64);
        self.leave(state, 0);
        self.go_on()
    }
    /// The running thread's own priority, at most its ceiling: if that changes the one by which it runs, it goes on as the last of that
    /// priority. `EINVAL`: out of range.
    pub fn set_priority(&mut self, priority: usize) -> Decision {
        let running = self.hart.running;
        let record = &mut self.threads[running];
        if running == IDLE || priority > record.ceiling() {
            return refuse(Error::EINVAL);
        }
        record.set_own_priority(priority as u8);
        self.demote_by_own(running);
        let base = self.threads[running].base_priority();
        let priority = self.locks.inherited(&self.threads, running, base);
        if priority != self.threads[running].priority {
            self.ready.remove(&mut self.threads, running);
            self.threads[running].priority = priority;
            self.wake(running, 0);
        }
        self.settle(0)
    }
    /// The running thread waits for the end of thread `id`. `ESRCH`: there was none yet; `EINVAL`: itself.
    pub fn join(&mut self, id: usize) -> Decision {
        let known = index_of_id(id).filter(|thread| thread.index() < self.threads_end);
        let Some(thread) = known else { return refuse(Error::ESRCH) };
        let record = &self.threads[thread];
        // While it ends, its id is that of the next thread at its place already, and there is none yet.
        let is_next = id == record.id as usize && record.cancelled & ENDING != 0;
        if record.id == 0 || id > record.id as usize || is_next {
            return refuse(Error::ESRCH);
        }
        if id < record.id as usize || record.state == State::Ended || record.state == State::Free {
            return Return(0);
        }
        if thread == self.hart.running || self.hart.running == IDLE {
            return refuse(Error::EINVAL);
        }
        self.begin_wait(0);
        let joiner = self.leave(State::Joining, thread.index() as u32);
        let mut joiners = self.threads[thread].joiners;
        joiners.insert(&mut self.threads, joiner);
        self.threads[thread].joiners = joiners;
        self.go_on()
    }
    /// P: takes one, or waits. `ticks` 0: `EAGAIN` instead of waiting; negative: waits for ever; else `ETIMEDOUT` after so
    /// many ticks. `EINVAL`: no such semaphore; `EDEAD`: it was destroyed.
    pub fn p(&mut self, id: usize, ticks: isize) -> Decision {
        let Some(semaphore) = self.semaphores.find(id) else { return refuse(Error::EINVAL) };
        if semaphore.value > 0 {
            semaphore.value -= 1;
            return Return(0);
        }
        if ticks == 0 || self.hart.running == IDLE {
            return refuse(Error::EAGAIN);
        }
        self.begin_wait(ticks);
        let waiter = self.leave(State::Semaphore, id as u32);
        self.semaphores.waiters(id as u32).insert(&mut self.threads, waiter);
        self.go_on()
    }
    /// P that goes through, or waits for ever as the only one. `None`: nothing was done, [`p`](Scheduler::p) can.
    #[inline(always)]
    pub fn p_quick(&mut self, id: usize, ticks: isize) -> Option<Decision> {
        let semaphore = self.semaphores.find(id)?;
        if semaphore.value > 0 {
            semaphore.value -= 1;
            return Some(Return(0));
        }
        let running = self.hart.running;
        if ticks >= 0 || !semaphore.waiters.is_empty() || self.threads[running].cancelled != 0 {
            return None;
        }
        let (next, priority) = self.ready.remove_first(&mut self.threads, running, self.hart.running_priority);
        let record = &mut self.threads[running];
        record.state = State::Semaphore;
        record.object = id as u32;
        semaphore.waiters.begin(&mut self.threads, running);
        self.hart.running = next;
        self.hart.running_priority = priority;
        Some(self.go_on())
    }
    /// V: wakes the first waiter, or adds one. `EINVAL`: no such semaphore, or its value is [`VALUE_MAX`].
    pub fn v(&mut self, id: usize) -> Decision {
        let Some(semaphore) = self.semaphores.find(id) else { return refuse(Error::EINVAL) };
        let waiter = semaphore.waiters.first();
        if waiter == Thread::NOBODY {
            if semaphore.value == VALUE_MAX {
                return refuse(Error::EINVAL);
            }
            semaphore.value += 1;
            return Return(0);
        }
        self.end_wait(waiter, 0);
        self.hand(waiter)
    }
    /// V that adds one, or wakes the only waiter, which has no deadline, and begins no time slice. `None`: nothing was done,
    /// [`v`](Scheduler::v) can.
    #[inline(always)]
    pub fn v_quick(&mut self, id: usize) -> Option<Decision> {
        let semaphore = self.semaphores.find(id)?;
        let waiter = semaphore.waiters.first();
        if waiter == Thread::NOBODY {
            semaphore.value = semaphore.value.checked_add(1)?;
            return Some(Return(0));
        }
        let record = &mut self.threads[waiter];
        let priority = record.priority;
        if record.position != 0 || record.next != waiter || (self.hart.slice == NEVER && self.ready.has(priority)) {
            return None;
        }
        record.state = State::Ready;
        record.value = 0;
        semaphore.waiters = Queue::EMPTY;
        self.ready.push(&mut self.threads, waiter);
        Some(self.hand(waiter))
    }
    /// [`v_quick`](Scheduler::v_quick) by an interrupt. `None`: nothing was done, [`interrupt`](Scheduler::interrupt) can.
    #[inline(always)]
    pub fn interrupt_quick(&mut self, id: usize) -> Option<Decision> {
        if self.hart.bound == 0 { None } else { self.v_quick(id) }
    }
    /// V by an interrupt: the interrupted code goes on with 0, whatever became of the semaphore, unless a thread of a higher
    /// priority was woken.
    pub fn interrupt(&mut self, id: usize) -> Decision {
        if self.hart.bound == 0 {
            self.begin_looks();
        }
        let Some(semaphore) = self.semaphores.find(id) else { return Return(0) };
        let waiter = semaphore.waiters.first();
        if waiter == Thread::NOBODY {
            semaphore.value = semaphore.value.saturating_add(1);
            return Return(0);
        }
        self.end_wait(waiter, 0);
        self.prefer(waiter, 0)
    }
    /// → id. `EINVAL`: value above [`VALUE_MAX`]; `ENFILE`: none is left.
    pub fn semaphore_create(&mut self, value: usize) -> Decision {
        match self.semaphores.create(value) {
            Ok(id) => Return(id as isize),
            Err(error) => refuse(error),
        }
    }
    /// Nobody finds it any more, and its waiters wake with `EDEAD`. → 1: it is to be called again, since more wait than are woken at a
    /// time. `EINVAL`: no such semaphore.
    pub fn semaphore_destroy(&mut self, id: usize) -> Decision {
        if !self.semaphores.end(id) && self.semaphores.ending(id).is_none() {
            return refuse(Error::EINVAL);
        }
        for _ in 0..WAKES {
            let waiter = self.semaphores.waiters(id as u32).first();
            if waiter == Thread::NOBODY {
                break;
            }
            self.end_wait(waiter, Error::EDEAD.code() as i32);
        }
        let left = !self.semaphores.waiters(id as u32).is_empty();
        if !left {
            self.semaphores.free(id);
        }
        self.settle(left as isize)
    }
    /// A new thread is ready → its id. `priority` -1: the running thread's own, at most `ceiling`. `EINVAL`: out of range; `EBUSY`: the
    /// index is in use.
    pub fn add(&mut self, index: usize, priority: isize, home: usize, ceiling: isize, account: usize) -> Decision {
        let own = self.threads[self.hart.running].own_priority() as isize;
        let priority = if priority == -1 { own.min(ceiling) } else { priority };
        match self.make(index, priority, home, ceiling, account) {
            Ok(thread) => self.prefer(thread, self.threads[thread].id as isize),
            Err(error) => refuse(error),
        }
    }
    /// → index of a thread that has ended, which is then free; 0: there is none.
    pub fn reap(&mut self) -> Decision {
        let thread = self.ended;
        if thread != Thread::NOBODY {
            self.ended = self.threads[thread].next;
            self.threads[thread].state = State::Free;
        }
        Return(thread.index() as isize)
    }
    /// → `state << 48 | priority << 32 | home asid`. `ESRCH`: no such thread.
    pub fn info(&mut self, index: usize) -> Decision {
        let Some(thread) = self.known(index) else { return refuse(Error::ESRCH) };
        let state = match self.what(thread) {
            What::Runs => State::Running,
            What::Ready => State::Ready,
            What::Semaphore(_) | What::Lock(_) => State::Semaphore,
            What::Sleeps => State::Sleeping,
            What::Joins(_) => State::Joining,
            What::Stack(_) => State::Stack,
            What::Ended => State::Ended,
        };
        let record = &self.threads[thread];
        Return((state as isize) << 48 | (record.priority as isize) << 32 | record.home() as isize)
    }
    /// The thread with that index, if there is one.
    fn known(&self, index: usize) -> Option<Thread> {
        let thread = Thread::new(index).filter(|_| index < self.threads_end);
        let thread = if index == IDLE.index() { Some(IDLE) } else { thread };
        thread.filter(|&thread| self.threads[thread].state != State::Free)
    }
    fn what(&mut self, thread: Thread) -> What {
        let Record { state, object, .. } = self.threads[thread];
        let object = object as usize;
        match state {
            _ if thread == self.hart.running => What::Runs,
            State::Running | State::Ready | State::Spent => What::Ready,
            State::Semaphore | State::Suspect => What::Semaphore(object),
            State::Sleeping | State::Pausing => What::Sleeps,
            State::Joining => What::Joins(object),
            State::Stack => What::Stack(object),
            State::Lock => What::Lock(self.locks.at(object as Place).holder.index()),
            State::Ended | State::Free => What::Ended,
        }
    }
    /// → a [`Doing`] of a thread; `measures`: looks are made from now on. `ESRCH`: no such thread.
    pub fn doing(&mut self, index: usize, measures: bool) -> Decision {
        if measures && self.looks.is_never() {
            self.begin_looks();
        }
        let Some(thread) = self.known(index) else { return refuse(Error::ESRCH) };
        Return(Doing::new(self.what(thread), self.processor.had(index)).word() as isize)
    }
}
