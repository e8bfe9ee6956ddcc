//! What the portals are made of: threads that become ready or wait, and who runs when an entry ends.

use super::Decision::{self, Return};
use super::Scheduler;
use crate::machine::Machine;
use crate::threads::{CEILING, PRIORITIES, State, Thread};
use crate::time::NEVER;
use abi::Error;
use abi::nucleus::MAX_DOMAINS;

impl<M: Machine> Scheduler<M> {
    /// A thread in use, other than the idle thread, by an index from outside.
    pub(super) fn live(&self, index: usize) -> Option<Thread> {
        let thread = Thread::new(index).filter(|_| index < self.threads_end)?;
        if self.threads[thread].state != State::Free { Some(thread) } else { None }
    }
    /// A new ready thread; does not decide who runs.
    pub(super) fn make(
        &mut self,
        index: usize,
        priority: isize,
        home: usize,
        ceiling: isize,
        account: usize,
    ) -> Result<Thread, Error> {
        let thread = Thread::new(index).ok_or(Error::EINVAL)?;
        let ceilings = 0..PRIORITIES as isize;
        if !ceilings.contains(&ceiling) || !(0..=ceiling).contains(&priority) || home >= MAX_DOMAINS {
            return Err(Error::EINVAL);
        }
        let record = &self.threads[thread];
        if record.state != State::Free {
            return Err(Error::EBUSY);
        }
        if record.id == 0 {
            self.threads_end = self.threads_end.max(index + 1);
        }
        self.processor.assign(index, account);
        let is_demoted = self.should_be_demoted(index, priority as u8);
        let record = &mut self.threads[thread];
        record.id = record.next_id(thread);
        record.home_and_ceiling = (home | (ceiling as usize) << CEILING) as u16;
        record.own_and_demoted = priority as u8;
        record.set_demoted(is_demoted);
        record.priority = record.base_priority();
        record.cancelled = 0;
        self.wake(thread, 0);
        Ok(thread)
    }
    /// `thread`, in no ring, is ready, and its call will return `value`.
    #[inline(always)]
    pub(super) fn wake(&mut self, thread: Thread, value: i32) {
        let record = &mut self.threads[thread];
        record.state = State::Ready;
        record.value = value;
        let priority = record.priority;
        if self.hart.slice == NEVER && self.ready.has(priority) {
            self.begin_slice();
        }
        self.ready.push(&mut self.threads, thread);
    }
    /// The running thread, which is not the idle thread, leaves the ready ones; the first of these is the running one.
    /// → who has left.
    #[inline(always)]
    pub(super) fn leave(&mut self, state: State, object: u32) -> Thread {
        let left = self.hart.running;
        (self.hart.running, self.hart.running_priority) =
            self.ready.remove_first(&mut self.threads, left, self.hart.running_priority);
        let record = &mut self.threads[left];
        record.state = state;
        record.object = object;
        left
    }
    /// The running thread, which another was before, goes on where it left.
    #[inline(always)]
    pub(super) fn go_on(&self) -> Decision {
        Decision::Switch { thread: self.hart.running, value: self.threads[self.hart.running].value as isize }
    }
    /// One thread has been woken: it goes on if its priority is higher than that of the running thread, whose call
    /// returns `value`, now or later.
    #[inline(always)]
    pub(super) fn prefer(&mut self, woken: Thread, value: isize) -> Decision {
        let priority = self.threads[woken].priority as i32;
        if priority <= self.hart.running_priority {
            return Return(value);
        }
        // No ring above the running one had a thread: it is the first of its own.
        self.hart.running_priority = priority;
        self.hand_over(woken, value)
    }
    /// A V has woken one thread: it goes on if its priority is at least that of the running thread. What a V was done for
    /// happens before what comes after it, and the running thread is the next of its priority.
    #[inline(always)]
    pub(super) fn hand(&mut self, woken: Thread) -> Decision {
        let priority = self.threads[woken].priority as i32;
        if priority < self.hart.running_priority {
            return Return(0);
        }
        self.hart.running_priority = priority;
        self.ready.turn_to(priority, woken);
        self.hand_over(woken, 0)
    }
    /// The rings may have changed in any way: the first thread runs.
    #[inline(always)]
    pub(super) fn settle(&mut self, value: isize) -> Decision {
        let (next, priority) = self.ready.first();
        self.hart.running_priority = priority;
        if next == self.hart.running {
            return Return(value);
        }
        self.hand_over(next, value)
    }
    /// `next` goes on; the running thread's call will return `value`.
    #[inline(always)]
    pub(super) fn hand_over(&mut self, next: Thread, value: isize) -> Decision {
        self.threads[self.hart.running].value = value as i32;
        self.hart.running = next;
        self.go_on()
    }
}
