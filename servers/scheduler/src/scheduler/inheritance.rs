//! Waiting for a lock, and what is inherited by it: who holds what others wait for runs by at least their priority, and so does who holds what that
//! one waits for.

use super::Decision::Return;
use super::{Decision, HEIRS, Scheduler, refuse};
use crate::locks::{self, Locks, Place};
use crate::machine::Machine;
use crate::threads::Queue;
use crate::threads::{IDLE, State, Thread};
use crate::time::NEVER;
use abi::Error;

impl<M: Machine> Scheduler<M> {
    /// Waits for lock `address` of component `asid`, which thread `holder` held when letting go had been done `turns` times: 0 when it may
    /// be free. Without turns (-1): how often that is now, and nothing else. Until then `holder` has at least the running thread's
    /// priority. `EAGAIN`: others wait for `most` other locks of that holder; `ESRCH`: no such thread; `EINVAL`: it is itself, or waits for
    /// that lock too.
    pub fn lock_wait(&mut self, asid: usize, most: usize, address: usize, holder: usize, turns: isize) -> Decision {
        let now = self.turns as isize;
        if turns < 0 {
            return Return(now);
        }
        if turns != now {
            return Return(0);
        }
        let Some(holder) = self.live(holder).filter(|&holder| self.threads[holder].state != State::Ended) else {
            return refuse(Error::ESRCH);
        };
        if holder == self.hart.running || self.hart.running == IDLE {
            return refuse(Error::EINVAL);
        }
        let key = Locks::key(asid, address);
        let record = &self.threads[holder];
        if record.state == State::Lock && self.locks.is(record.object as Place, key) {
            return refuse(Error::EINVAL);
        }
        let (mut place, count) = self.locks.find(&self.threads, holder, key);
        if place == 0 && count >= most.min(locks::MOST) {
            return refuse(Error::EAGAIN);
        }
        // The running thread may have been woken to take the lock, with others waiting below it, and another was quicker. They look for
        // themselves now: who waits for a lock keeps nobody else waiting for it, so that no thread has the same one below itself twice.
        if self.pass_on(key) != Thread::NOBODY {
            self.inherit(self.hart.running);
        }
        if place == 0 {
            place = self.locks.add(&mut self.threads, holder, key);
        }
        let waiter = self.leave(State::Lock, place as u32);
        self.locks.at(place).queue.insert(&mut self.threads, waiter);
        self.inherit(holder);
        (self.hart.running, self.hart.running_priority) = self.ready.first();
        self.go_on()
    }
    /// The running thread has let go of lock `address` of component `asid`: the first that waits for it wakes, and goes on if its priority
    /// is at least the running thread's without what that had inherited.
    pub fn lock_release(&mut self, asid: usize, address: usize) -> Decision {
        self.turns = self.turns.wrapping_add(1);
        let first = self.pass_on(Locks::key(asid, address));
        if first == Thread::NOBODY {
            return Return(0);
        }
        self.inherit(self.hart.running);
        self.hand(first)
    }
    /// Wakes the first thread that waits below the running one for the lock of that name, and puts the others below it → who was woken,
    /// or nobody.
    fn pass_on(&mut self, key: u64) -> Thread {
        let (place, _) = self.locks.find(&self.threads, self.hart.running, key);
        if place == 0 {
            return Thread::NOBODY;
        }
        self.locks.release(&mut self.threads, place);
        let first = self.locks.at(place).queue.first();
        self.locks.at(place).queue.remove(&mut self.threads, first);
        if self.locks.at(place).queue.is_empty() {
            self.locks.free(place);
        } else {
            self.locks.hold(&mut self.threads, place, first);
        }
        self.wake(first, 0);
        first
    }
    /// Who waits for a lock of `heir`'s has changed: it runs by the highest priority of them from now on, or its own; and so for the
    /// holder of a lock that it waits for itself.
    pub(super) fn inherit(&mut self, mut heir: Thread) {
        for _ in 0..HEIRS {
            if heir == Thread::NOBODY {
                return;
            }
            let record = &self.threads[heir];
            let priority = self.locks.inherited(&self.threads, heir, record.own_priority);
            if priority == record.priority {
                return;
            }
            heir = self.reorder(heir, priority);
        }
    }
    /// `thread` runs or waits by `priority` from now on → who holds what it waits for.
    fn reorder(&mut self, thread: Thread, priority: u8) -> Thread {
        let (state, object) = (self.threads[thread].state, self.threads[thread].object);
        if matches!(state, State::Ready | State::Spent) {
            self.ready.remove(&mut self.threads, thread);
            self.threads[thread].priority = priority;
            if self.hart.slice == NEVER && self.ready.has(priority) {
                self.begin_slice();
            }
            self.ready.push_first(&mut self.threads, thread);
            if thread == self.hart.running {
                self.hart.running_priority = priority as i32;
            }
            return Thread::NOBODY;
        }
        let deadline = self.sleepers.take(&mut self.threads, thread);
        let mut joiners = Queue::EMPTY;
        let joined = if state == State::Joining { Thread::new(object as usize) } else { None };
        let queue = match state {
            State::Semaphore | State::Suspect => Some(self.semaphores.waiters(object)),
            State::Stack => Some(self.stacks.of(object as usize)),
            State::Lock => Some(&mut self.locks.at(object as Place).queue),
            State::Joining => {
                joiners = self.threads[joined.unwrap_or(Thread::NOBODY)].joiners;
                Some(&mut joiners)
            }
            _ => None,
        };
        match queue {
            Some(queue) => {
                queue.remove(&mut self.threads, thread);
                self.threads[thread].priority = priority;
                queue.insert(&mut self.threads, thread);
            }
            None => self.threads[thread].priority = priority,
        }
        if let Some(joined) = joined {
            self.threads[joined].joiners = joiners;
        }
        if let Some(deadline) = deadline {
            self.sleepers.insert(&mut self.threads, thread, deadline);
        }
        if state == State::Lock { self.locks.at(object as Place).holder } else { Thread::NOBODY }
    }
}
