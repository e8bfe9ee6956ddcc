//! Random operations on the scheduler and on the reference model: after each, the same thread runs, with the same
//! result, and all threads are in the same states.

use super::System;
use crate::model::{MOST, Model, TRUSTED};
use crate::scheduler::HEIRS;
use crate::{NEVER, Scheduler, State};
use abi::lock::TURNS;
use proptest::prelude::*;

const THREADS: usize = 28;
/// Domains whose stacks are waited for; those of the first two wait for locks.
const DOMAINS: [usize; 3] = [1, TRUSTED, 511];

#[derive(Clone, Debug)]
enum Operation {
    Yield,
    P(usize, isize),
    V(usize),
    Interrupt(usize),
    Sleep(isize),
    Add(usize, usize, usize),
    Exit,
    Reap,
    SetPriority(usize),
    /// The thread that has that index, or the one so many after it.
    Join(usize, isize),
    Create(usize),
    Destroy(usize),
    StackWait(usize, isize),
    StackFree(usize),
    WakeDead(usize),
    Cancel(usize, usize),
    EndStuck(usize, bool),
    /// In a domain, for a lock, that a thread holds, or that of 0 nobody knows; what is known of it may be old.
    LockWait(usize, usize, usize, bool),
    LockRelease(usize, usize, usize),
    /// In a domain, so often: one after the other waits for the same lock of a thread, and whoever runs then lets go of it.
    Gather(usize, usize, usize),
    /// Its account has had its share of the processor, or not any more.
    Demote(usize, bool),
    /// Time passes; timer interrupts come when they are due.
    Pass(u64),
}
use Operation::*;

fn operation() -> impl Strategy<Value = Operation> {
    let thread = 2..THREADS;
    let ticks = prop_oneof![Just(-1isize), Just(0), 1..300_000isize];
    prop_oneof![
        4 => Just(Yield),
        8 => (0..6usize, ticks.clone()).prop_map(|(semaphore, ticks)| P(semaphore, ticks)),
        8 => (0..6usize).prop_map(V),
        2 => (0..6usize).prop_map(Interrupt),
        4 => (1..300_000isize).prop_map(Sleep),
        8 => (thread.clone(), prop_oneof![0..8usize, 16..36usize], 0..8usize).prop_map(|(index, priority, more)| Add(index, priority, priority + more)),
        1 => Just(Exit),
        2 => Just(Reap),
        3 => prop_oneof![0..8usize, 16..36usize].prop_map(SetPriority),
        2 => (thread.clone(), -1..2isize).prop_map(|(index, after)| Join(index, after)),
        2 => (0..3usize).prop_map(Create),
        1 => (0..6usize).prop_map(Destroy),
        2 => (0..3usize, ticks.clone()).prop_map(|(n, ticks)| StackWait(n, ticks)),
        4 => (0..3usize).prop_map(StackFree),
        2 => thread.clone().prop_map(WakeDead),
        3 => (thread.clone(), prop_oneof![Just(0), Just(1), Just(2)]).prop_map(|(index, how)| Cancel(index, how)),
        2 => (thread.clone(), any::<bool>()).prop_map(|(index, ends)| EndStuck(index, ends)),
        8 => (0..2usize, 0..3usize, 1..7usize, 0..8).prop_map(|(n, key, of, old)| LockWait(DOMAINS[n], key, if of == 1 { 0 } else { of }, old == 0)),
        6 => (0..2usize, 0..3usize, 0..9usize).prop_map(|(n, key, whom)| LockRelease(DOMAINS[n], key, whom)),
        1 => (0..2usize, 1..20usize, 2..THREADS).prop_map(|(n, often, holder)| Gather(DOMAINS[n], often, holder)),
        3 => (thread.clone(), any::<bool>()).prop_map(|(index, demoted)| Demote(index, demoted)),
        6 => (1..200_000u64).prop_map(Pass),
    ]
}

struct Pair {
    system: System,
    model: Model,
    /// Every id ever made, the destroyed ones included.
    semaphores: Vec<usize>,
}

impl Pair {
    fn new() -> Pair {
        // For some indices there is no thread yet.
        let boot: Vec<_> = (2..THREADS - 4).map(|index| (index, 5 - (index as isize % 4))).collect();
        let system = System::new(&boot);
        let mut model = Model::new(0);
        for (index, priority) in boot.into_iter().map(|(index, priority)| (index, priority as usize)) {
            model.add(index, priority, 7, priority);
        }
        model.finish(0);
        Pair { system, model, semaphores: vec![0] }
    }
    fn both(
        &mut self,
        entry: impl FnOnce(&mut Scheduler<super::Bench>) -> crate::Decision,
        reference: impl FnOnce(&mut Model) -> isize,
    ) {
        let real = self.system.enter(entry);
        let value = reference(&mut self.model);
        assert_eq!(real, self.model.finish(value), "who goes on, with what result");
    }
    fn deadline(&self, ticks: isize) -> Option<u64> {
        (ticks > 0).then(|| self.model.now + ticks as u64 + 1)
    }
    /// The last six semaphores made.
    fn semaphore(&self, n: usize) -> usize {
        self.semaphores[self.semaphores.len().saturating_sub(1 + n)]
    }
    #[expect(clippy::too_many_lines, reason = "an arm for each operation")]
    fn step(&mut self, operation: Operation) {
        // Who has begun to end does nothing else.
        let operation = if self.model.is_ending() && !matches!(operation, Pass(_)) { Exit } else { operation };
        // The idle thread only waits.
        let blocks =
            matches!(operation, Exit | Sleep(_) | SetPriority(_) | Join(..) | StackWait(..) | P(..) | LockWait(..));
        if self.model.running == 1 && blocks {
            return;
        }
        match operation {
            Yield => self.both(|s| s.r#yield(), |m| m.r#yield()),
            P(n, ticks) => {
                let (id, deadline) = (self.semaphore(n), self.deadline(ticks));
                let quick_or_not = |s: &mut Scheduler<_>| s.p_quick(id, ticks).unwrap_or_else(|| s.p(id, ticks));
                self.both(quick_or_not, |m| m.p(id, deadline, ticks == 0));
            }
            V(n) => {
                let id = self.semaphore(n);
                self.both(|s| s.v_quick(id).unwrap_or_else(|| s.v(id)), |m| m.v(id));
            }
            Interrupt(n) => {
                let id = self.semaphore(n);
                self.both(
                    |s| s.interrupt(id),
                    |m| {
                        m.interrupt(id);
                        0
                    },
                );
            }
            Sleep(ticks) => {
                let deadline = self.deadline(ticks).unwrap();
                self.both(|s| s.sleep(ticks), |m| (m.sleep(deadline), 0).1);
            }
            Add(index, priority, ceiling) => {
                let (p, c) = (priority as isize, ceiling as isize);
                self.both(|s| s.add(index, p, 7, c, 0), |m| m.add(index, priority, 7, ceiling));
            }
            // Who waits further behind lends nothing.
            LockWait(_, _, holder, _) if self.model.row(holder) > HEIRS => {}
            LockWait(domain, key, holder, old) => {
                let most = MOST[usize::from(domain == TRUSTED)];
                let turns = self.system.enter(|s| s.lock_wait(domain, most, 8 * key, holder, TURNS)).1;
                let turns = if old { turns + 1 } else { turns };
                let wait = |m: &mut Model| if old { 0 } else { m.lock_wait((domain, key), holder) };
                self.both(|s| s.lock_wait(domain, most, 8 * key, holder, turns), wait);
            }
            LockRelease(domain, key, whom) => {
                // Often itself.
                let whom = if whom > 6 { self.model.running } else { whom };
                self.both(|s| s.lock_release(domain, 8 * key, whom), |m| m.lock_release(domain, key, whom));
            }
            Gather(domain, often, holder) => {
                for key in 4..4 + often {
                    for _ in 0..2 {
                        self.step(LockWait(domain, key, holder, false));
                        self.check();
                    }
                    self.step(LockRelease(domain, key, holder));
                    self.check();
                }
            }
            Exit => self.both(|s| s.exit(), |m| m.exit()),
            Reap => self.both(|s| s.reap(), |m| m.reap()),
            SetPriority(priority) => self.both(|s| s.set_priority(priority), |m| m.set_priority(priority)),
            Join(index, after) => {
                let id = self.model.threads.get(&index).map_or(index, |thread| thread.id);
                let id = id.wrapping_add_signed(4096 * after);
                self.both(|s| s.join(id), |m| m.join(index, id));
            }
            Create(value) => {
                let id = self.system.semaphore(value);
                assert!(id > 0 && !self.semaphores.contains(&id));
                self.semaphores.push(id);
                self.model.semaphores.insert(id, value);
            }
            Destroy(n) => {
                let id = self.semaphore(n);
                self.both(|s| s.semaphore_destroy(id), |m| m.destroy(id));
            }
            StackWait(n, ticks) => {
                let deadline = self.deadline(ticks);
                self.both(|s| s.stack_wait(DOMAINS[n], ticks), |m| (m.stack_wait(DOMAINS[n], deadline), 0).1);
            }
            StackFree(n) => self.both(|s| s.stack_free(DOMAINS[n]), |m| (m.stack_free(DOMAINS[n]), 0).1),
            Cancel(index, how) => self.both(|s| s.cancel(index, how, 0), |m| m.cancel(index, how)),
            WakeDead(index) => self.both(|s| s.wake_dead(index), |m| m.wake_dead(index)),
            EndStuck(index, ends) => self.both(|s| s.end_stuck(index, ends), |m| m.end_stuck(index, ends)),
            Demote(index, demoted) => self.both(|s| s.demote_now(index, demoted), |m| m.demote(index, demoted)),
            Pass(time) => self.pass(time),
        }
    }
    fn pass(&mut self, time: u64) {
        let end = self.model.now + time;
        while self.system.scheduler.machine.timer <= end {
            // A timer set earlier than needed comes for nothing, so the model is told of each that comes.
            let now = self.model.now.max(self.system.scheduler.machine.timer);
            self.model.now = now;
            self.system.scheduler.machine.now = now;
            self.both(super::tick, |m| (m.tick(), 0).1);
        }
        self.model.now = end;
        self.system.scheduler.machine.now = end;
    }
    fn check(&mut self) {
        for index in 2..THREADS {
            let (state, waiting) = (self.model.info(index), self.model.waiting(index));
            assert_eq!(self.system.enter(|s| s.info(index)).1, state, "state of thread {index}");
            assert_eq!(self.system.enter(|s| s.waiting(index)).1, waiting, "what thread {index} waits for");
        }
        let timer = self.system.scheduler.machine.timer;
        let latest = self.model.next_deadline().max(self.model.now + crate::scheduler::GAP);
        assert!(timer <= latest, "nobody sleeps too long");
        let running = (2..THREADS).filter(|&index| self.model.info(index) >> 48 == State::Running as isize).count();
        assert_eq!(running, usize::from(self.model.running != 1), "exactly one runs");
        self.system.scheduler.check_locks();
    }
    /// All that is left to wake is woken: no thread was lost.
    fn drain(&mut self) {
        for index in 2..THREADS {
            self.step(WakeDead(index));
            self.check();
        }
        while self.model.running != 1 {
            self.step(Exit);
            self.check();
        }
        self.pass(1_000_000);
        assert_eq!(self.system.scheduler.machine.timer, NEVER, "nothing is left to wait for");
        let left = self.semaphores.clone().into_iter().filter(|id| self.model.semaphores.contains_key(id));
        for id in left.collect::<Vec<_>>() {
            for _ in 0..self.model.semaphores[&id] {
                assert_eq!(self.system.p(id, 0).1, 0, "semaphore counts are kept");
            }
            assert_eq!(self.system.p(id, 0).1, abi::Error::EAGAIN.code());
        }
    }
}

proptest! {
    #![proptest_config(properties::config(400))]
    #[test]
    fn does_what_the_model_does(operations in prop::collection::vec(operation(), 1..400)) {
        let mut pair = Pair::new();
        for operation in operations {
            pair.step(operation);
            pair.check();
        }
        pair.drain();
    }
}
