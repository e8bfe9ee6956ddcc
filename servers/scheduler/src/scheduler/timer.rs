//! The timer: what its interrupt ends, and what it stands at.

use super::{Decision, GAP, Scheduler};
use crate::machine::Machine;
use crate::threads::{State, Thread};
use crate::time::{NEVER, SLICE};
use abi::Error;

impl<M: Machine> Scheduler<M> {
    /// Timer interrupt → also what the timer is to stand at from now on.
    pub fn tick(&mut self) -> (Decision, u64) {
        // An interrupt that comes early wakes nobody: what has passed is known at least to the timer's own moment, or exactly.
        let mut now = self.hart.clock.passed(&self.machine);
        if now < self.hart.armed {
            now = self.machine.now();
        }
        // Whatever happens below, the timer is set once, at the end.
        self.hart.armed = 0;
        if self.look(now) {
            // What else is due has an interrupt of its own, at once: so interrupts are not off for both.
            let decision = self.settle(0);
            return (decision, self.arm(now, self.sleepers.earliest()));
        }
        if self.hart.slice <= now {
            // A thread that has not waited for a whole slice makes room. One that has begins a new slice: two threads that
            // wait for each other are not pulled out of step.
            let record = &mut self.threads[self.hart.running];
            let next = record.next;
            let shared = next != self.hart.running;
            if record.state == State::Ready {
                record.state = State::Spent;
            } else {
                record.state = State::Ready;
                if shared {
                    self.ready.turn_to(self.hart.running_priority, next);
                }
            }
            let wanted = shared || self.ready.has_below(self.hart.running_priority);
            self.hart.slice = if wanted { now.saturating_add(SLICE) } else { NEVER };
        }
        let thread = self.sleepers.due(now);
        if thread != Thread::NOBODY {
            self.time_out(thread);
        }
        let decision = self.settle(0);
        let next = if thread == Thread::NOBODY { self.sleepers.earliest() } else { self.next_alarm(now) };
        (decision, self.arm(now, next))
    }
    /// What the timer is to stand at after an interrupt at `now`: for the slice, for looks, or for the next alarm.
    fn arm(&mut self, now: u64, alarm: u64) -> u64 {
        let look = self.next_look(now);
        self.hart.bound = self.hart.slice.min(look);
        self.hart.armed = if look == 0 { self.hart.slice.min(alarm) } else { self.hart.bound.min(alarm) };
        self.hart.armed
    }
    /// Timer interrupt that ends the sleep of one thread, and neither ends nor begins a time slice. `ONLY`: no other thread has a
    /// deadline, and the code needs no stack. `None`: nothing was done, [`tick`](Scheduler::tick) can.
    #[inline(always)]
    pub fn tick_quick<const ONLY: bool>(&mut self) -> Option<(Decision, u64)> {
        let now = self.hart.clock.passed(&self.machine);
        if self.hart.bound <= now {
            return None;
        }
        let woken = if ONLY { self.sleepers.only_due(now)? } else { self.sleepers.one_due(now)? };
        let record = &mut self.threads[woken];
        let priority = record.priority;
        if record.state != State::Sleeping || (self.hart.slice == NEVER && self.ready.has(priority)) {
            return None;
        }
        record.state = State::Ready;
        record.value = 0;
        if ONLY {
            self.sleepers.remove_only(&mut self.threads, woken);
        } else {
            self.sleepers.remove(&mut self.threads, woken);
        }
        self.hart.armed = self.hart.bound;
        self.ready.push(&mut self.threads, woken);
        let decision = self.prefer(woken, 0);
        if !ONLY {
            self.hart.armed = self.hart.armed.min(self.next_alarm(now));
        }
        Some((decision, self.hart.armed))
    }
    /// When the timer is to interrupt for a deadline after one whose time had come: for one of a thread whose priority is not above the running one's not until
    /// [`GAP`] from `now`, so that the alarms of lower threads take little of a higher one's time.
    #[inline(always)]
    fn next_alarm(&self, now: u64) -> u64 {
        let earliest = self.sleepers.earliest();
        if earliest < now.saturating_add(GAP) { self.alarm_of_higher(now) } else { earliest }
    }
    #[inline(never)]
    fn alarm_of_higher(&self, now: u64) -> u64 {
        let soon = now.saturating_add(GAP);
        match u8::try_from(self.hart.running_priority) {
            Ok(priority) => self.sleepers.earliest_above(priority).min(soon),
            Err(_) => self.sleepers.earliest(),
        }
    }
    /// Wakes `thread`: its time has come.
    fn time_out(&mut self, thread: Thread) {
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
    pub(super) fn begin_wait(&mut self, ticks: isize) {
        if ticks > 0 || self.threads[self.hart.running].cancelled != 0 {
            let now = self.machine.now();
            self.set_deadline(now, if ticks > 0 { ticks as u64 } else { u64::MAX });
        }
    }
    /// The running thread gets a deadline, `ticks` from `now`, or a slice if it was cancelled and that is sooner.
    #[inline(never)]
    pub(super) fn set_deadline(&mut self, now: u64, ticks: u64) {
        let mut deadline = self.hart.clock.deadline(&self.machine, now, ticks);
        if self.threads[self.hart.running].cancelled != 0 {
            deadline = deadline.min(now.saturating_add(SLICE));
        }
        self.sleepers.insert(&mut self.threads, self.hart.running, deadline);
        self.alarm(deadline);
    }
    /// The timer interrupts at `deadline` at the latest.
    #[inline(always)]
    pub(super) fn alarm(&mut self, deadline: u64) {
        if deadline < self.hart.armed {
            self.hart.armed = deadline;
            self.machine.timer_set(deadline);
        }
    }
    #[cold]
    #[inline(never)]
    pub(super) fn begin_slice(&mut self) {
        self.hart.slice = self.machine.now().saturating_add(SLICE);
        self.hart.bound = self.hart.bound.min(self.hart.slice);
        self.alarm(self.hart.slice);
    }
}
