//! Waiting for a lock, and what is inherited by it: who holds what others wait for runs by at least their priority, and so does who holds what that
//! one waits for.

use super::Decision::Return;
use super::{Decision, HEIRS, Scheduler, WAKES, refuse};
use crate::locks::{self, Locks, Place};
use crate::machine::Machine;
use crate::threads::Queue;
use crate::threads::{ENDING, IDLE, Record, State, Thread};
use crate::time::NEVER;
use abi::Error;
use abi::identity::NUMBER_BITS;
use abi::lock::{Holder, NAME};
use abi::nucleus::MAX_DOMAINS;

/// Records that are looked at in one call for those of a dead domain's locks.
const LOOKS: usize = 64;

impl<M: Machine> Scheduler<M> {
    /// Waits for the lock with key `lock`, for a thread of domain `identity`: `holder` held it, an index or a [`Holder`], when letting go had
    /// been done `turns` times; 0 when it may be free. Until then the holder has at least the running thread's priority. With holder 0, for
    /// one without a name: until [`lock_release`](Self::lock_release) names the running thread. [`TURNS`](abi::lock::TURNS): how often letting go has been done,
    /// and nothing else; [`NAME`]: the running thread's [`Holder`]. `EOWNERDEAD`: the holder has ended, or the domain in which it took the
    /// lock; `EAGAIN`: others wait for `most` other locks of that holder, or for some more of the running thread's, or those of
    /// many domains for this one; `ESRCH`: no such thread; `EINVAL`: it is itself, or waits for that
    /// lock too.
    pub fn lock_wait(&mut self, identity: usize, most: usize, lock: usize, holder: usize, turns: isize) -> Decision {
        if turns == NAME {
            return Return(self.name(identity) as isize);
        }
        let (now, said) = (self.turns as isize, Holder(holder));
        if said.is_whole() && self.is_dead(said) {
            return refuse(Error::EOWNERDEAD);
        }
        if turns < 0 {
            return Return(now);
        }
        if turns != now {
            return Return(0);
        }
        if self.hart.running == IDLE {
            return refuse(Error::EINVAL);
        }
        let domain = identity % (1 << NUMBER_BITS);
        let key = Locks::key(domain, lock, most >= locks::MOST);
        if holder == 0 {
            let place = self.locks.add_alone(key);
            return self.wait_at(place);
        }
        let ends = |thread: &Record| thread.state == State::Ended || thread.cancelled & ENDING != 0;
        let Some(holder) = self.live(said.index()).filter(|&holder| !ends(&self.threads[holder])) else {
            return refuse(Error::ESRCH);
        };
        let record = &self.threads[holder];
        if holder == self.hart.running || (record.state == State::Lock && self.locks.is(record.object as Place, key)) {
            return refuse(Error::EINVAL);
        }
        let (mut place, count) = self.locks.find(&self.threads, holder, key, said.domain());
        // Who waits itself is given one more where others wait with it.
        let waits = usize::from(record.state == State::Lock);
        let is_full = || {
            let too_many_alike = || self.locks.alike(&self.threads, holder, key) + waits >= locks::ALIKE;
            count >= most.min(locks::MOST - waits) || (most < locks::MOST && too_many_alike())
        };
        let own = self.locks.count(&self.threads, self.hart.running);
        if (place == 0 && is_full()) || !Locks::may_be_given(own, most) {
            return refuse(Error::EAGAIN);
        }
        // The running thread may have been woken to take the lock, with others waiting below it, and another was quicker. They look for
        // themselves now: who waits for a lock keeps nobody else waiting for it, so that no thread has the same one below itself twice. It looks
        // again itself, and waits in an entry of its own.
        if self.pass_on_all(self.hart.running, lock, domain, true) != Thread::NOBODY {
            self.inherit(self.hart.running);
            return self.settle(0);
        }
        if place == 0 {
            place = self.locks.add(&mut self.threads, holder, key, said.domain());
        }
        self.wait_at(place)
    }
    /// The running thread waits in the record at `place`.
    fn wait_at(&mut self, place: Place) -> Decision {
        let waiter = self.leave(State::Lock, place as u32);
        self.locks.at(place).queue.insert(&mut self.threads, waiter);
        let holder = self.locks.at(place).holder;
        self.inherit(holder);
        (self.hart.running, self.hart.running_priority) = self.ready.first();
        self.go_on()
    }
    /// The running thread, in domain `asid`, has let go of the lock with key `lock`: of those that wait for thread `whom`, the first of each domain
    /// wakes, and the highest of them goes on if its priority is at least the running thread's without what that had inherited. `whom` is that
    /// thread itself, or who has waited first for a holder without a name. With 0, for a lock that its domain has to itself, the first wakes
    /// of those in that domain that wait for the running thread. Of trusted domains other than that one, nobody wakes.
    pub fn lock_release(&mut self, asid: usize, lock: usize, whom: usize) -> Decision {
        self.turns = self.turns.wrapping_add(1);
        let running = self.hart.running;
        let first = match self.live(whom) {
            _ if whom == 0 => self.pass_on_all(running, lock, asid, false),
            Some(whom) if whom == running => self.pass_on_all(running, lock, asid, true),
            Some(whom) => self.wake_named(whom, asid, lock),
            None => Thread::NOBODY,
        };
        if first == Thread::NOBODY {
            return Return(0);
        }
        self.inherit(running);
        // It may have lost what it had inherited itself, from who waited for the one that it was waiting for.
        let (_, highest) = self.ready.first();
        if highest > self.threads[first].priority as i32 { self.settle(0) } else { self.hand(first) }
    }
    /// Wakes `whom`, where it waits for the lock with that key and a holder without a name; and where it does not, or is another domain's, which may
    /// wait for a lock of its own with that key, those that wait for it → the highest of them, or nobody.
    fn wake_named(&mut self, whom: Thread, asid: usize, lock: usize) -> Thread {
        let record = &self.threads[whom];
        let place = record.object as Place;
        let waits = record.state == State::Lock && self.locks.at(place).holder == Thread::NOBODY;
        if !waits || !self.locks.is_meant(place, lock, asid, true) {
            let first = self.pass_on_all(whom, lock, asid, true);
            self.inherit(whom);
            return first;
        }
        let below = if self.locks.waiters_of(place) == asid {
            Thread::NOBODY
        } else {
            self.pass_on_all(whom, lock, asid, false)
        };
        self.inherit(whom);
        self.end_wait(whom, 0);
        self.higher(whom, below)
    }
    /// Those that wait for what was taken in domain `asid`, which is no more, look for themselves: a few records at a time, from `from` on, which
    /// is 1 at first → from where on there are more; 0: there are none.
    pub fn domain_dead(&mut self, asid: usize, from: usize) -> Decision {
        self.lives[asid % MAX_DOMAINS] = 0;
        let (mut place, mut woken) = (from.max(1), 0);
        let end = place + LOOKS;
        while place <= self.locks.used() as usize && place < end && woken < WAKES {
            if self.locks.was_taken_in(place as Place, asid) {
                let first = self.locks.at(place as Place).queue.first();
                self.end_wait(first, 0);
                woken += 1;
            } else {
                place += 1;
            }
        }
        self.settle(if place > self.locks.used() as usize { 0 } else { place as isize })
    }
    /// What names the running thread, as the holder of what it takes in domain `identity`.
    fn name(&mut self, identity: usize) -> usize {
        let name = Holder::new(self.threads[self.hart.running].id as usize, identity);
        // It lives: it has called.
        self.lives[name.domain() % MAX_DOMAINS] = name.life() as u32 + 1;
        name.0
    }
    /// Whether that thread has ended, or the domain in which it took what it holds.
    fn is_dead(&self, said: Holder) -> bool {
        let lives = self.live(said.index()).is_some_and(|thread| {
            let record = &self.threads[thread];
            record.id as usize == said.thread() && record.state != State::Ended
        });
        !lives || self.lives[said.domain() % MAX_DOMAINS] as usize != said.life() + 1
    }
    /// Of `domain`, and of each other one that is not trusted where `others` are meant too, wakes the first thread that waits below `holder` for the
    /// lock with that key, and puts its others below it → the highest that was woken, or nobody.
    fn pass_on_all(&mut self, holder: Thread, lock: usize, domain: usize, others: bool) -> Thread {
        let (mut place, mut first) = (self.threads[holder].held, Thread::NOBODY);
        for _ in 0..locks::MOST {
            if place == 0 {
                break;
            }
            let next = self.locks.after(place);
            if self.locks.is_meant(place, lock, domain, others) {
                let woken = self.pass_on(place);
                first = self.higher(first, woken);
            }
            place = next;
        }
        first
    }
    fn higher(&self, one: Thread, other: Thread) -> Thread {
        let is_lower = one == Thread::NOBODY || self.threads[one].priority < self.threads[other].priority;
        if other != Thread::NOBODY && is_lower { other } else { one }
    }
    /// The same of one domain's.
    fn pass_on(&mut self, place: Place) -> Thread {
        let first = self.locks.at(place).queue.first();
        if first == Thread::NOBODY {
            return first;
        }
        self.locks.release(&mut self.threads, place);
        self.locks.at(place).queue.remove(&mut self.threads, first);
        if self.locks.at(place).queue.is_empty() {
            self.locks.free(place);
        } else {
            self.locks.hold_next(&mut self.threads, place, first);
        }
        self.wake(first, 0);
        first
    }
    /// Who waits for a lock of `heir`'s has changed: it runs by the highest priority of them from now on, or its own; and so for the
    /// holder of a lock that it waits for itself → who is to inherit after so many as inherit in one entry, or nobody.
    pub(super) fn inherit(&mut self, mut heir: Thread) -> Thread {
        for _ in 0..HEIRS {
            if heir == Thread::NOBODY {
                return heir;
            }
            let record = &self.threads[heir];
            let priority = self.locks.inherited(&self.threads, heir, record.base_priority());
            if priority == record.priority {
                return Thread::NOBODY;
            }
            heir = self.reorder(heir, priority);
        }
        heir
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
