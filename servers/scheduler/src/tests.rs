//! Tests: one behaviour each by name, then random operations beside the reference model.

mod behaviours;
mod random;
mod shares;

use crate::machine::Machine;
use crate::{Decision, NEVER, Scheduler};

/// A hart of which the test turns the hands.
pub struct Bench {
    pub now: u64,
    /// Cycles in a unit of `time`.
    pub ratio: u64,
    pub timer: u64,
    /// How often the timer was set.
    pub timer_writes: usize,
}
impl Machine for Bench {
    fn now(&self) -> u64 {
        self.now
    }
    fn cycles(&self) -> u64 {
        self.now * self.ratio
    }
    fn timer_set(&mut self, deadline: u64) {
        self.timer = deadline;
        self.timer_writes += 1;
    }
}

/// What the timer's portal does.
pub fn tick(scheduler: &mut Scheduler<Bench>) -> Decision {
    let quick = scheduler.tick_quick::<true>().or_else(|| scheduler.tick_quick::<false>());
    let (decision, deadline) = quick.unwrap_or_else(|| scheduler.tick());
    scheduler.machine.timer_set(deadline);
    decision
}

/// A scheduler and who runs on it.
pub struct System {
    pub scheduler: Box<Scheduler<Bench>>,
    pub running: usize,
}
impl System {
    /// With these boot threads, `(index, priority)`; time 0, a tick of `hrtime` is one unit of `time`.
    pub fn new(boot: &[(usize, isize)]) -> System {
        let machine = Bench { now: 0, ratio: 2, timer: NEVER, timer_writes: 0 };
        let mut system = System { scheduler: Box::new(Scheduler::new(machine)), running: 1 };
        let threads: Vec<_> = boot.iter().map(|&(index, priority)| (index, priority, 7)).collect();
        system.enter(|scheduler| scheduler.start(2, threads.into_iter()));
        system
    }
    /// Enters the scheduler → who goes on, and what its call returns.
    pub fn enter(&mut self, entry: impl FnOnce(&mut Scheduler<Bench>) -> Decision) -> (usize, isize) {
        match entry(&mut self.scheduler) {
            Decision::Return(value) => (self.running, value),
            Decision::Switch { thread, value } => {
                assert_ne!(thread.index(), self.running, "a switch goes to another thread");
                self.running = thread.index();
                (self.running, value)
            }
        }
    }
    pub fn p(&mut self, id: usize, ticks: isize) -> (usize, isize) {
        self.enter(|scheduler| scheduler.p_quick(id, ticks).unwrap_or_else(|| scheduler.p(id, ticks)))
    }
    pub fn v(&mut self, id: usize) -> (usize, isize) {
        self.enter(|scheduler| scheduler.v_quick(id).unwrap_or_else(|| scheduler.v(id)))
    }
    pub fn semaphore(&mut self, value: usize) -> usize {
        self.enter(|scheduler| scheduler.semaphore_create(value)).1 as usize
    }
    pub fn state(&mut self, index: usize) -> isize {
        self.enter(|scheduler| scheduler.info(index)).1 >> 48
    }
    /// Lets time pass to the timer's interrupt.
    pub fn interrupt(&mut self) -> (usize, isize) {
        assert_ne!(self.scheduler.machine.timer, NEVER, "no timer is set");
        self.scheduler.machine.now = self.scheduler.machine.now.max(self.scheduler.machine.timer);
        self.tick()
    }
    /// The timer's interrupt, now.
    pub fn tick(&mut self) -> (usize, isize) {
        self.enter(tick)
    }
}
