//! A naive scheduler to compare the real one with: lists that are searched and sorted, one rule after the other.

use crate::threads::PRIORITIES;
use crate::{NEVER, SLICE, State, VALUE_MAX};
use abi::Error;
use std::collections::{BTreeMap, VecDeque};

#[derive(Clone, Debug)]
pub struct Thread {
    pub state: State,
    pub priority: usize,
    pub first_priority: usize,
    pub home: usize,
    pub id: usize,
    /// Semaphore id, thread index or table.
    object: usize,
    deadline: Option<u64>,
    /// When it began to wait: orders waiters of one priority, and equal deadlines.
    since: u64,
    value: isize,
    /// It has run through a whole slice.
    spent: bool,
    /// It waits without a time-out, and somebody has asked for that.
    suspect: bool,
    /// Why it waits for a slice at most.
    cancelled: usize,
}

pub struct Model {
    pub now: u64,
    pub running: usize,
    pub threads: BTreeMap<usize, Thread>,
    /// Ready threads, the running one included.
    ready: Vec<VecDeque<usize>>,
    pub semaphores: BTreeMap<usize, usize>,
    ended: VecDeque<usize>,
    pub slice: u64,
    /// What the idle thread's call returns.
    idle_value: isize,
    steps: u64,
}

/// The idle thread's index.
const IDLE: usize = 1;

impl Model {
    pub fn new(now: u64) -> Model {
        let ready = vec![VecDeque::new(); PRIORITIES];
        let (threads, semaphores, ended) = Default::default();
        Model { now, running: IDLE, threads, ready, semaphores, ended, slice: NEVER, idle_value: 0, steps: 0 }
    }
    fn highest(&self) -> usize {
        self.ready.iter().rev().find_map(|ring| ring.front().copied()).unwrap_or(IDLE)
    }
    /// Ends every operation: who runs, and what its call returns.
    pub fn finish(&mut self, value: isize) -> (usize, isize) {
        if let Some(thread) = self.threads.get_mut(&self.running)
            && thread.state == State::Ready
        {
            thread.value = value;
        }
        if self.running == IDLE {
            self.idle_value = value;
        }
        self.running = self.highest();
        (self.running, self.threads.get(&self.running).map_or(self.idle_value, |thread| thread.value))
    }
    fn wake(&mut self, index: usize, value: isize) {
        let thread = self.threads.get_mut(&index).unwrap();
        (thread.state, thread.value, thread.deadline) = (State::Ready, value, None);
        (thread.spent, thread.suspect) = (false, false);
        let ring = &mut self.ready[thread.priority];
        if !ring.is_empty() && self.slice == NEVER {
            self.slice = self.now + SLICE;
        }
        ring.push_back(index);
    }
    fn block(&mut self, state: State, object: usize, deadline: Option<u64>) {
        self.steps += 1;
        let since = self.steps;
        let thread = self.threads.get_mut(&self.running).unwrap();
        let soon = self.now + SLICE;
        let deadline = if thread.cancelled > 0 && state != State::Ended {
            Some(deadline.map_or(soon, |deadline| deadline.min(soon)))
        } else {
            deadline
        };
        assert_eq!(self.ready[thread.priority].pop_front(), Some(self.running));
        (thread.state, thread.object, thread.deadline, thread.since) = (state, object, deadline, since);
    }
    /// Who waits so for `object`: highest priority first, then first come.
    fn waiters(&self, state: State, object: usize) -> Vec<usize> {
        let waits = |thread: &Thread| thread.state == state && thread.object == object;
        let mut found: Vec<_> = self.threads.iter().filter(|(_, thread)| waits(thread)).collect();
        found.sort_by_key(|(_, thread)| (PRIORITIES - thread.priority, thread.since));
        found.into_iter().map(|(index, _)| *index).collect()
    }
    pub fn add(&mut self, index: usize, priority: usize, home: usize) -> isize {
        let old = self.threads.get(&index);
        if old.is_some_and(|thread| thread.state != State::Free) {
            return Error::EBUSY.code();
        }
        let id = old.map_or(index, |thread| thread.id + 4096);
        let (state, object, deadline, since, value) = (State::Ready, 0, None, 0, 0);
        let first_priority = priority;
        let (spent, suspect, cancelled) = (false, false, 0);
        let thread = Thread {
            state,
            priority,
            first_priority,
            home,
            id,
            object,
            deadline,
            since,
            value,
            spent,
            suspect,
            cancelled,
        };
        self.threads.insert(index, thread);
        self.wake(index, 0);
        id as isize
    }
    pub fn r#yield(&mut self) -> isize {
        if let Some(thread) = self.threads.get(&self.running) {
            self.ready[thread.priority].rotate_left(1);
        }
        0
    }
    pub fn exit(&mut self) {
        let index = self.running;
        self.block(State::Ended, 0, None);
        self.ended.push_back(index);
        for joiner in self.waiters(State::Joining, index) {
            self.wake(joiner, 0);
        }
    }
    pub fn reap(&mut self) -> isize {
        let Some(index) = self.ended.pop_front() else { return 0 };
        self.threads.get_mut(&index).unwrap().state = State::Free;
        index as isize
    }
    pub fn sleep(&mut self, deadline: u64) {
        self.block(State::Sleeping, 0, Some(deadline));
    }
    pub fn set_priority(&mut self, priority: usize) -> isize {
        let thread = self.threads.get_mut(&self.running).unwrap();
        if priority > thread.first_priority {
            return Error::EINVAL.code();
        }
        if priority != thread.priority {
            self.ready[thread.priority].pop_front();
            thread.priority = priority;
            self.wake(self.running, 0);
        }
        0
    }
    pub fn join(&mut self, index: usize) -> isize {
        let Some(thread) = self.threads.get(&index) else { return Error::ESRCH.code() };
        if matches!(thread.state, State::Ended | State::Free) {
            return 0;
        }
        if index == self.running {
            return Error::EINVAL.code();
        }
        self.block(State::Joining, index, None);
        0
    }
    pub fn p(&mut self, id: usize, deadline: Option<u64>, tries: bool) -> isize {
        let Some(value) = self.semaphores.get_mut(&id) else { return Error::EINVAL.code() };
        if *value > 0 {
            *value -= 1;
            return 0;
        }
        if tries {
            return Error::EAGAIN.code();
        }
        self.block(State::Semaphore, id, deadline);
        0
    }
    pub fn v(&mut self, id: usize) -> isize {
        let first = self.waiters(State::Semaphore, id).first().copied();
        let result = self.interrupt(id);
        // At an equal priority too, the woken thread goes first.
        if let (0, Some(waiter)) = (result, first) {
            let priority = self.threads[&waiter].priority;
            if self.threads.get(&self.running).is_some_and(|running| running.priority == priority) {
                self.ready[priority].rotate_right(1);
            }
        }
        result
    }
    /// V by an interrupt.
    pub fn interrupt(&mut self, id: usize) -> isize {
        let first = self.waiters(State::Semaphore, id).first().copied();
        match (self.semaphores.get_mut(&id), first) {
            (None, _) => return Error::EINVAL.code(),
            (Some(_), Some(waiter)) => self.wake(waiter, 0),
            (Some(value), None) if *value == VALUE_MAX as usize => return Error::EINVAL.code(),
            (Some(value), None) => *value += 1,
        }
        0
    }
    pub fn destroy(&mut self, id: usize) -> isize {
        if self.semaphores.remove(&id).is_none() {
            return Error::EINVAL.code();
        }
        for waiter in self.waiters(State::Semaphore, id) {
            self.wake(waiter, Error::EDEAD.code());
        }
        0
    }
    pub fn stack_wait(&mut self, table: usize) {
        self.block(State::Stack, table, None);
    }
    pub fn stack_free(&mut self, table: usize) {
        if let Some(&waiter) = self.waiters(State::Stack, table).first() {
            self.wake(waiter, 0);
        }
    }
    pub fn wake_dead(&mut self, index: usize) -> isize {
        match self.threads.get(&index).map(|thread| thread.state) {
            None | Some(State::Free) => return Error::ESRCH.code(),
            Some(State::Ready | State::Ended) => {}
            Some(_) => self.wake(index, Error::EDEAD.code()),
        }
        0
    }
    pub fn cancel(&mut self, index: usize, how: usize) -> isize {
        let Some(thread) = self.threads.get_mut(&index) else { return Error::ESRCH.code() };
        if matches!(thread.state, State::Free | State::Ended) {
            return Error::ESRCH.code();
        }
        thread.cancelled = if how == 0 { thread.cancelled & 2 } else { thread.cancelled | how };
        let holds = thread.cancelled as isize;
        if how > 0 && thread.state != State::Ready {
            self.wake(index, Error::ECANCELED.code());
        }
        holds
    }
    pub fn end_stuck(&mut self, home: usize) -> isize {
        let of_home = |(_, thread): &(&usize, &Thread)| {
            thread.home == home && !matches!(thread.state, State::Free | State::Ended)
        };
        let stuck: Vec<usize> = self.threads.iter().filter(of_home).map(|(&index, _)| index).collect();
        if !stuck.iter().all(|index| self.threads[index].suspect) {
            return 0;
        }
        for &index in &stuck {
            self.wake(index, Error::EDEAD.code());
        }
        stuck.len() as isize
    }
    pub fn waiting(&mut self, index: usize) -> isize {
        match self.threads.get_mut(&index) {
            Some(thread) if thread.state == State::Semaphore && thread.deadline.is_none() => {
                thread.suspect = true;
                thread.object as isize
            }
            Some(thread) if thread.state != State::Free => 0,
            _ => Error::ESRCH.code(),
        }
    }
    pub fn info(&self, index: usize) -> isize {
        match self.threads.get(&index) {
            Some(thread) if thread.state != State::Free => {
                let state = if index == self.running { State::Running } else { thread.state };
                (state as isize) << 48 | (thread.priority as isize) << 32 | thread.home as isize
            }
            _ => Error::ESRCH.code(),
        }
    }
    /// Threads with a deadline, first deadline first.
    fn sleepers(&self) -> Vec<(u64, usize)> {
        let mut found: Vec<_> = self
            .threads
            .iter()
            .filter_map(|(index, t)| t.deadline.map(|deadline| (deadline, t.since, *index)))
            .collect();
        found.sort();
        found.into_iter().map(|(deadline, _, index)| (deadline, index)).collect()
    }
    pub fn next_deadline(&self) -> u64 {
        self.slice.min(self.sleepers().first().map_or(NEVER, |first| first.0))
    }
    pub fn tick(&mut self) {
        if self.slice <= self.now {
            let priority = self.threads.get(&self.running).map(|thread| thread.priority);
            let waits = self.ready.iter().map(VecDeque::len).sum::<usize>() > 1;
            if let Some(priority) = priority {
                let thread = self.threads.get_mut(&self.running).unwrap();
                thread.spent = !thread.spent;
                if !thread.spent {
                    self.ready[priority].rotate_left(1);
                }
            }
            self.slice = if waits { self.now + SLICE } else { NEVER };
        }
        for (deadline, index) in self.sleepers().into_iter().take(crate::scheduler::WAKES_PER_TICK) {
            if deadline <= self.now {
                let thread = &self.threads[&index];
                let value = match thread.state {
                    _ if thread.cancelled > 0 => Error::ECANCELED.code(),
                    State::Sleeping => 0,
                    _ => Error::ETIMEDOUT.code(),
                };
                self.wake(index, value);
            }
        }
    }
}
