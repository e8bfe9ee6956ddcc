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
//! takes no more time than it would sleep.
//!
//! P, V and the timer's interrupt have a quick form for the usual cases. It calls nothing, so its code needs no stack, and refuses without
//! having changed anything where the case is not usual.

use crate::machine::Machine;
use crate::ready::{IDLE_PRIORITY, Ready};
use crate::ring::Ring;
use crate::semaphores::{SEMAPHORES, Semaphore, Semaphores, VALUE_MAX};
use crate::sleepers::Sleepers;
use crate::stacks::Stacks;
use crate::threads::{IDLE, NEVER_WAITS, PRIORITIES, State, Thread, Threads, index_of_id};
use crate::time::{Clock, NEVER, SLICE};
use abi::Error;
use abi::nucleus::{MAX_THREADS, cancelled};

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

/// Most sleepers that one timer interrupt wakes, which bounds the time with interrupts off. If more are due, the timer
/// interrupts again at once.
pub const WAKES_PER_TICK: usize = 8;

#[repr(C)]
pub struct Scheduler<M> {
    running: Thread,
    /// Of the running thread.
    running_priority: i32,
    /// When the running thread's slice ends, or [`NEVER`]. Never `NEVER` while any ring has a second thread.
    slice: u64,
    /// What the timer stands at.
    armed: u64,
    clock: Clock,
    ready: Ready,
    threads: Threads,
    semaphores: Semaphores,
    /// Ended threads that were not reaped: first and last of a list by `next`.
    ended: Thread,
    ended_last: Thread,
    sleepers: Sleepers,
    stacks: Stacks,
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
        (core::mem::offset_of!(Scheduler<M>, sleepers) + Sleepers::HEAP.0, MAX_THREADS, Sleepers::HEAP.1),
        (Self::SEMAPHORES, SEMAPHORES, size_of::<Semaphore>()),
    ];

    /// All zeros but for `machine`; [`Scheduler::start`] makes it usable.
    pub const fn new(machine: M) -> Scheduler<M> {
        Scheduler {
            running: Thread::NOBODY,
            running_priority: 0,
            slice: 0,
            armed: 0,
            clock: Clock::new(),
            ready: Ready::new(),
            threads: Threads::new(),
            semaphores: Semaphores::new(),
            ended: Thread::NOBODY,
            ended_last: Thread::NOBODY,
            sleepers: Sleepers::new(),
            stacks: Stacks::new(),
            machine,
            threads_end: 0,
        }
    }
    /// The idle thread has called. `boot` are the first threads: `(index, priority, home asid)`; one out of range is
    /// left out. `EINVAL`: it has been called before.
    pub fn start(&mut self, cycles_per_time: u64, boot: impl Iterator<Item = (usize, isize, usize)>) -> Decision {
        if self.running != Thread::NOBODY {
            return refuse(Error::EINVAL);
        }
        self.running = IDLE;
        self.running_priority = IDLE_PRIORITY;
        self.slice = NEVER;
        self.armed = NEVER;
        let idle = &mut self.threads[IDLE];
        idle.state = State::Ready;
        idle.id = IDLE.index() as u32;
        idle.cancelled = NEVER_WAITS;
        // Alone in its ring, which none of `Ready` is.
        idle.next = IDLE;
        idle.prev = IDLE;
        self.semaphores.start();
        self.clock.start(&self.machine, cycles_per_time);
        for (index, priority, home) in boot {
            let _ = self.make(index, priority, home);
        }
        self.settle(0)
    }
    /// Timer interrupt → also what the timer is to stand at from now on.
    pub fn tick(&mut self) -> (Decision, u64) {
        // An interrupt that comes early wakes nobody: what has passed is known at least to the timer's own moment, or exactly.
        let mut now = self.clock.passed(&self.machine);
        if now < self.armed {
            now = self.machine.now();
        }
        // Whatever happens below, the timer is set once, at the end.
        self.armed = 0;
        if self.slice <= now {
            // A thread that has not waited for a whole slice makes room. One that has begins a new slice: two threads that
            // wait for each other are not pulled out of step.
            let record = &mut self.threads[self.running];
            let next = record.next;
            let shared = next != self.running;
            if record.state == State::Ready {
                record.state = State::Spent;
            } else {
                record.state = State::Ready;
                if shared {
                    self.ready.turn_to(self.running_priority, next);
                }
            }
            let wanted = shared || self.ready.has_below(self.running_priority);
            self.slice = if wanted { now.saturating_add(SLICE) } else { NEVER };
        }
        for _ in 0..WAKES_PER_TICK {
            if self.sleepers.earliest() > now {
                break;
            }
            self.time_out();
        }
        let decision = self.settle(0);
        self.armed = self.slice.min(self.sleepers.earliest());
        (decision, self.armed)
    }
    /// Timer interrupt that ends the sleep of one thread, and neither ends nor begins a time slice. `ONLY`: no other thread has a
    /// deadline, and the code needs no stack. `None`: nothing was done, [`tick`](Scheduler::tick) can.
    #[inline(always)]
    pub fn tick_quick<const ONLY: bool>(&mut self) -> Option<(Decision, u64)> {
        let now = self.clock.passed(&self.machine);
        if self.slice <= now {
            return None;
        }
        let woken = if ONLY { self.sleepers.only_due(now)? } else { self.sleepers.first_due(now)? };
        let record = &mut self.threads[woken];
        let priority = record.priority;
        if record.state != State::Sleeping || (self.slice == NEVER && self.ready.has(priority)) {
            return None;
        }
        record.state = State::Ready;
        record.value = 0;
        if ONLY {
            self.sleepers.remove_only(&mut self.threads, woken);
            self.armed = self.slice;
        } else {
            self.sleepers.remove(&mut self.threads, woken);
            self.armed = self.slice.min(self.sleepers.earliest());
        }
        self.ready.push(&mut self.threads, woken);
        Some((self.prefer(woken, 0), self.armed))
    }
    /// The running thread waits until a stack of the domain with this portal table is free.
    pub fn stack_wait(&mut self, table: usize) -> Decision {
        if self.running == IDLE {
            return refuse(Error::EINVAL);
        }
        self.begin_wait(0);
        let waiter = self.leave(State::Stack, table as u32);
        self.stacks.push(&mut self.threads, waiter, table as u32);
        self.go_on()
    }
    /// A stack of the domain with this portal table is free.
    pub fn stack_free(&mut self, table: usize) -> Decision {
        let waiter = self.stacks.first(&self.threads, table as u32);
        // Nobody's record has object 0, which is no table's.
        if waiter == Thread::NOBODY {
            return Return(0);
        }
        self.stacks.remove(&mut self.threads, waiter, table as u32);
        self.sleepers.remove(&mut self.threads, waiter);
        self.wake(waiter, 0);
        self.prefer(waiter, 0)
    }
    /// The domain with this portal table is no more: a thread that waits for a stack of it makes its call again, which ends with
    /// `EDEAD` now. → 1; 0: nobody waits.
    pub fn stack_dead(&mut self, table: usize) -> Decision {
        let waiter = self.stacks.first(&self.threads, table as u32);
        if waiter == Thread::NOBODY {
            return Return(0);
        }
        self.stacks.remove(&mut self.threads, waiter, table as u32);
        self.sleepers.remove(&mut self.threads, waiter);
        self.wake(waiter, 0);
        self.prefer(waiter, 1)
    }
    /// The next thread of the running priority runs.
    #[inline(always)]
    pub fn r#yield(&mut self) -> Decision {
        let next = self.threads[self.running].next;
        if next == self.running {
            return Return(0);
        }
        self.ready.turn_to(self.running_priority, next);
        self.hand_over(next, 0)
    }
    /// The running thread ends. Wakes at most `MAX_THREADS` joiners.
    pub fn exit(&mut self) -> Decision {
        if self.running == IDLE {
            return refuse(Error::EINVAL);
        }
        let ended = self.leave(State::Ended, 0);
        self.threads[ended].next = Thread::NOBODY;
        if self.ended == Thread::NOBODY {
            self.ended = ended;
        } else {
            self.threads[self.ended_last].next = ended;
        }
        self.ended_last = ended;
        let joiners = core::mem::replace(&mut self.threads[ended].joiners, Ring::EMPTY);
        self.wake_all(joiners, 0);
        (self.running, self.running_priority) = self.ready.first();
        self.go_on()
    }
    /// The running thread waits `ticks` of `hrtime`; not at all if that is not positive.
    pub fn sleep(&mut self, ticks: isize) -> Decision {
        if ticks <= 0 || self.running == IDLE {
            return Return(0);
        }
        // First of all: what is done before is slept longer.
        let now = self.machine.now();
        let state = if self.threads[self.running].cancelled == 0 { State::Sleeping } else { State::Pausing };
        self.set_deadline(now, ticks as u64);
        self.leave(state, 0);
        self.go_on()
    }
    /// The running thread's priority, at most its first one: it goes on as the last of that priority. `EINVAL`: out of
    /// range.
    pub fn set_priority(&mut self, priority: usize) -> Decision {
        let running = self.running;
        let record = &self.threads[running];
        if running == IDLE || priority > record.first_priority as usize {
            return refuse(Error::EINVAL);
        }
        if priority != record.priority as usize {
            let _ = self.ready.remove_first(&mut self.threads, running, self.running_priority);
            self.threads[running].priority = priority as u8;
            self.running_priority = priority as i32;
            self.wake(running, 0);
        }
        self.settle(0)
    }
    /// The running thread waits for the end of thread `id`. `ESRCH`: there was none yet; `EINVAL`: itself.
    pub fn join(&mut self, id: usize) -> Decision {
        let known = index_of_id(id).filter(|thread| thread.index() < self.threads_end);
        let Some(thread) = known else { return refuse(Error::ESRCH) };
        let record = &self.threads[thread];
        if record.id == 0 || id > record.id as usize {
            return refuse(Error::ESRCH);
        }
        if id < record.id as usize || record.state == State::Ended || record.state == State::Free {
            return Return(0);
        }
        if thread == self.running || self.running == IDLE {
            return refuse(Error::EINVAL);
        }
        self.begin_wait(0);
        let joiner = self.leave(State::Joining, thread.index() as u32);
        let mut joiners = self.threads[thread].joiners;
        joiners.push_by_priority(&mut self.threads, joiner);
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
        if ticks == 0 || self.running == IDLE {
            return refuse(Error::EAGAIN);
        }
        self.begin_wait(ticks);
        let waiter = self.leave(State::Semaphore, id as u32);
        if let Some(semaphore) = self.semaphores.find(id) {
            semaphore.waiters.push_by_priority(&mut self.threads, waiter);
        }
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
        let running = self.running;
        if ticks >= 0 || !semaphore.waiters.is_empty() || self.threads[running].cancelled != 0 {
            return None;
        }
        let (next, priority) = self.ready.remove_first(&mut self.threads, running, self.running_priority);
        let record = &mut self.threads[running];
        record.state = State::Semaphore;
        record.object = id as u32;
        semaphore.waiters.push(&mut self.threads, running);
        self.running = next;
        self.running_priority = priority;
        Some(self.go_on())
    }
    /// V: wakes the first waiter, or adds one. `EINVAL`: no such semaphore, or its value is [`VALUE_MAX`].
    pub fn v(&mut self, id: usize) -> Decision {
        let Some(semaphore) = self.semaphores.find(id) else { return refuse(Error::EINVAL) };
        let waiter = semaphore.waiters.head();
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
    /// V that adds one, or wakes a waiter without a deadline and begins no time slice. `None`: nothing was done,
    /// [`v`](Scheduler::v) can.
    #[inline(always)]
    pub fn v_quick(&mut self, id: usize) -> Option<Decision> {
        let semaphore = self.semaphores.find(id)?;
        let waiter = semaphore.waiters.head();
        if waiter == Thread::NOBODY {
            semaphore.value = semaphore.value.checked_add(1)?;
            return Some(Return(0));
        }
        let record = &mut self.threads[waiter];
        let priority = record.priority;
        if record.position != 0 || (self.slice == NEVER && self.ready.has(priority)) {
            return None;
        }
        record.state = State::Ready;
        record.value = 0;
        semaphore.waiters.remove(&mut self.threads, waiter);
        self.ready.push(&mut self.threads, waiter);
        Some(self.hand(waiter))
    }
    /// V by an interrupt: the interrupted code goes on with 0, whatever became of the semaphore, unless a thread of a higher
    /// priority was woken.
    pub fn interrupt(&mut self, id: usize) -> Decision {
        let Some(semaphore) = self.semaphores.find(id) else { return Return(0) };
        let waiter = semaphore.waiters.head();
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
    /// Its waiters, at most `MAX_THREADS`, wake with `EDEAD`. `EINVAL`: no such semaphore.
    pub fn semaphore_destroy(&mut self, id: usize) -> Decision {
        let Some(semaphore) = self.semaphores.find(id) else { return refuse(Error::EINVAL) };
        let waiters = core::mem::replace(&mut semaphore.waiters, Ring::EMPTY);
        self.semaphores.free(id);
        self.wake_all(waiters, Error::EDEAD.code() as i32);
        self.settle(0)
    }
    /// A new thread is ready → its id. `priority` -1: the running thread's. `EINVAL`: out of range; `EBUSY`: the index is in
    /// use.
    pub fn add(&mut self, index: usize, priority: isize, home: usize) -> Decision {
        let priority = if priority == -1 { self.threads[self.running].priority as isize } else { priority };
        match self.make(index, priority, home) {
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
    /// If that thread waits, its wait ends with `EDEAD`. `ESRCH`: no such thread.
    pub fn wake_dead(&mut self, index: usize) -> Decision {
        let Some(thread) = self.live(index) else { return refuse(Error::ESRCH) };
        if matches!(self.threads[thread].state, State::Ready | State::Spent | State::Ended) {
            return Return(0);
        }
        self.end_wait(thread, Error::EDEAD.code() as i32);
        self.prefer(thread, 0)
    }
    /// That thread is cancelled: its wait ends with `ECANCELED`, and each later one does after a slice at most, or when its own
    /// time-out has come. `how`: why, one of [`cancelled`]; 0: [`cancelled::FOR_THE_DEAD`] holds no more. `id`: the thread's, or 0
    /// where its index says who is meant. → what holds now. `ESRCH`: no such thread; `EINVAL`: no such reason.
    pub fn cancel(&mut self, index: usize, how: usize, id: usize) -> Decision {
        let Some(thread) = self.live(index) else { return refuse(Error::ESRCH) };
        let record = &mut self.threads[thread];
        if record.state == State::Ended || (id != 0 && record.id as usize != id) {
            return refuse(Error::ESRCH);
        }
        match how {
            0 => record.cancelled &= !(cancelled::FOR_THE_DEAD as u8),
            cancelled::FOR_THE_DEAD | cancelled::FOR_GOOD => record.cancelled |= how as u8,
            _ => return refuse(Error::EINVAL),
        }
        let (state, holds) = (record.state, record.cancelled as isize);
        let waits = matches!(
            state,
            State::Semaphore | State::Suspect | State::Sleeping | State::Pausing | State::Joining | State::Stack
        );
        if how == 0 || !waits {
            return Return(holds);
        }
        self.end_wait(thread, Error::ECANCELED.code() as i32);
        self.prefer(thread, holds)
    }
    /// → why the waits of that thread end early, or 0. `ESRCH`: no such thread.
    pub fn cancelled(&mut self, index: usize) -> Decision {
        match self.live(index) {
            Some(thread) => Return(self.threads[thread].cancelled as isize),
            None => refuse(Error::ESRCH),
        }
    }
    /// → id of the semaphore on which that thread waits without a time-out, or 0. `ESRCH`: no such thread. See
    /// [`Scheduler::end_stuck`].
    pub fn waiting(&mut self, index: usize) -> Decision {
        let Some(thread) = self.live(index) else { return refuse(Error::ESRCH) };
        let record = &mut self.threads[thread];
        if !matches!(record.state, State::Semaphore | State::Suspect) || record.position != 0 {
            return Return(0);
        }
        record.state = State::Suspect;
        Return(record.object as isize)
    }
    /// If no thread of domain `home` has been woken since [`Scheduler::waiting`] gave a semaphore for it, all their waits end with
    /// `EDEAD`. → how many they were.
    pub fn end_stuck(&mut self, home: usize) -> Decision {
        let threads = (1..self.threads_end).filter_map(Thread::new);
        let mut stuck = 0;
        for thread in threads.clone() {
            let record = &self.threads[thread];
            if record.home as usize != home || matches!(record.state, State::Free | State::Ended) {
                continue;
            }
            if record.state != State::Suspect {
                return Return(0);
            }
            stuck += 1;
        }
        for thread in threads {
            if self.threads[thread].home as usize == home && self.threads[thread].state == State::Suspect {
                self.end_wait(thread, Error::EDEAD.code() as i32);
            }
        }
        self.settle(stuck)
    }
    /// → `state << 48 | priority << 32 | home asid`. `ESRCH`: no such thread.
    pub fn info(&mut self, index: usize) -> Decision {
        let known = Thread::new(index).filter(|_| index < self.threads_end);
        let thread = if index == IDLE.index() { IDLE } else { known.unwrap_or(Thread::NOBODY) };
        let record = &self.threads[thread];
        if record.state == State::Free {
            return refuse(Error::ESRCH);
        }
        let state = match record.state {
            _ if thread == self.running => State::Running,
            State::Spent => State::Ready,
            State::Suspect => State::Semaphore,
            State::Pausing => State::Sleeping,
            state => state,
        };
        Return((state as isize) << 48 | (record.priority as isize) << 32 | record.home as isize)
    }
}

/// What the portals are made of.
impl<M: Machine> Scheduler<M> {
    /// A thread in use, other than the idle thread, by an index from outside.
    fn live(&self, index: usize) -> Option<Thread> {
        let thread = Thread::new(index).filter(|_| index < self.threads_end)?;
        if self.threads[thread].state != State::Free { Some(thread) } else { None }
    }
    /// A new ready thread; does not decide who runs.
    fn make(&mut self, index: usize, priority: isize, home: usize) -> Result<Thread, Error> {
        let thread = Thread::new(index).ok_or(Error::EINVAL)?;
        if !(0..PRIORITIES as isize).contains(&priority) || home > u16::MAX as usize {
            return Err(Error::EINVAL);
        }
        let record = &mut self.threads[thread];
        if record.state != State::Free {
            return Err(Error::EBUSY);
        }
        if record.id == 0 {
            self.threads_end = self.threads_end.max(index + 1);
        }
        record.id = record.next_id(thread);
        record.home = home as u16;
        record.priority = priority as u8;
        record.first_priority = priority as u8;
        record.cancelled = 0;
        self.wake(thread, 0);
        Ok(thread)
    }
    /// `thread`, in no ring, is ready, and its call will return `value`.
    #[inline(always)]
    fn wake(&mut self, thread: Thread, value: i32) {
        let record = &mut self.threads[thread];
        record.state = State::Ready;
        record.value = value;
        let priority = record.priority;
        if self.slice == NEVER && self.ready.has(priority) {
            self.begin_slice();
        }
        self.ready.push(&mut self.threads, thread);
    }
    /// Wakes all members of `ring`, which nobody else refers to any more.
    fn wake_all(&mut self, mut ring: Ring, value: i32) {
        while !ring.is_empty() {
            let thread = ring.head();
            ring.remove(&mut self.threads, thread);
            self.sleepers.remove(&mut self.threads, thread);
            self.wake(thread, value);
        }
    }
    /// Ends the wait of `thread`, whatever it waits for.
    fn end_wait(&mut self, thread: Thread, value: i32) {
        let object = self.threads[thread].object;
        match self.threads[thread].state {
            State::Semaphore | State::Suspect => {
                if let Some(semaphore) = self.semaphores.find(object as usize) {
                    semaphore.waiters.remove(&mut self.threads, thread);
                }
            }
            State::Joining => {
                if let Some(joined) = Thread::new(object as usize) {
                    let mut joiners = self.threads[joined].joiners;
                    joiners.remove(&mut self.threads, thread);
                    self.threads[joined].joiners = joiners;
                }
            }
            State::Stack => self.stacks.remove(&mut self.threads, thread, object),
            _ => {}
        }
        self.sleepers.remove(&mut self.threads, thread);
        self.wake(thread, value);
    }
    /// Wakes the first sleeper: its time has come.
    fn time_out(&mut self) {
        let thread = self.sleepers.first();
        let record = &self.threads[thread];
        let value = match record.state {
            _ if record.cancelled != 0 => Error::ECANCELED.code() as i32,
            State::Sleeping | State::Pausing => 0,
            _ => Error::ETIMEDOUT.code() as i32,
        };
        self.end_wait(thread, value);
    }
    /// The running thread is about to wait: for `ticks`, or as long as it takes where that is not positive, but not for long if it was
    /// cancelled.
    fn begin_wait(&mut self, ticks: isize) {
        if ticks > 0 || self.threads[self.running].cancelled != 0 {
            let now = self.machine.now();
            self.set_deadline(now, if ticks > 0 { ticks as u64 } else { u64::MAX });
        }
    }
    /// The running thread gets a deadline, `ticks` from `now`, or a slice if it was cancelled and that is sooner.
    #[inline(never)]
    fn set_deadline(&mut self, now: u64, ticks: u64) {
        let mut deadline = self.clock.deadline(&self.machine, now, ticks);
        if self.threads[self.running].cancelled != 0 {
            deadline = deadline.min(now.saturating_add(SLICE));
        }
        self.sleepers.insert(&mut self.threads, self.running, deadline);
        self.alarm(deadline);
    }
    /// The timer interrupts at `deadline` at the latest.
    #[inline(always)]
    fn alarm(&mut self, deadline: u64) {
        if deadline < self.armed {
            self.armed = deadline;
            self.machine.timer_set(deadline);
        }
    }
    #[cold]
    #[inline(never)]
    fn begin_slice(&mut self) {
        self.slice = self.machine.now().saturating_add(SLICE);
        self.alarm(self.slice);
    }
    /// The running thread, which is not the idle thread, leaves the ready ones; the first of these is the running one.
    /// → who has left.
    #[inline(always)]
    fn leave(&mut self, state: State, object: u32) -> Thread {
        let left = self.running;
        (self.running, self.running_priority) = self.ready.remove_first(&mut self.threads, left, self.running_priority);
        let record = &mut self.threads[left];
        record.state = state;
        record.object = object;
        left
    }
    /// The running thread, which another was before, goes on where it left.
    #[inline(always)]
    fn go_on(&self) -> Decision {
        Decision::Switch { thread: self.running, value: self.threads[self.running].value as isize }
    }
    /// One thread has been woken: it goes on if its priority is higher than that of the running thread, whose call
    /// returns `value`, now or later.
    #[inline(always)]
    fn prefer(&mut self, woken: Thread, value: isize) -> Decision {
        let priority = self.threads[woken].priority as i32;
        if priority <= self.running_priority {
            return Return(value);
        }
        // No ring above the running one had a thread: it is the first of its own.
        self.running_priority = priority;
        self.hand_over(woken, value)
    }
    /// A V has woken one thread: it goes on if its priority is at least that of the running thread. What a V was done for
    /// happens before what comes after it, and the running thread is the next of its priority.
    #[inline(always)]
    fn hand(&mut self, woken: Thread) -> Decision {
        let priority = self.threads[woken].priority as i32;
        if priority < self.running_priority {
            return Return(0);
        }
        self.running_priority = priority;
        self.ready.turn_to(priority, woken);
        self.hand_over(woken, 0)
    }
    /// The rings may have changed in any way: the first thread runs.
    #[inline(always)]
    fn settle(&mut self, value: isize) -> Decision {
        let (next, priority) = self.ready.first();
        if next == self.running {
            return Return(value);
        }
        self.running_priority = priority;
        self.hand_over(next, value)
    }
    /// `next` goes on; the running thread's call will return `value`.
    #[inline(always)]
    fn hand_over(&mut self, next: Thread, value: isize) -> Decision {
        self.threads[self.running].value = value as i32;
        self.running = next;
        self.go_on()
    }
}
