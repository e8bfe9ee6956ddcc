//! A naive scheduler to compare the real one with: lists that are searched and sorted, one rule after the other.

use crate::scheduler::WAKES;
use crate::threads::PRIORITIES;
use crate::{NEVER, SLICE, State, VALUE_MAX};
use abi::Error;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[derive(Clone, Debug)]
pub struct Thread {
    pub state: State,
    pub priority: usize,
    /// Without what it inherits.
    pub own: usize,
    pub ceiling: usize,
    pub home: usize,
    pub id: usize,
    /// Semaphore id, thread index, domain, or the lock's place among all there have been.
    object: usize,
    deadline: Option<u64>,
    /// When it began to wait: orders waiters of one priority, and equal deadlines.
    since: u64,
    value: isize,
    /// It ends, but not all who wait for that are awake.
    ending: bool,
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
    /// Destroyed semaphores of which some still wait.
    ending: Vec<usize>,
    /// Domains of which a stack came back when nobody waited.
    came_back: BTreeSet<usize>,
    /// Key, and holder if it has one and others wait: the last is the one that was last held.
    locks: Vec<(usize, Option<usize>)>,
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
        let (threads, semaphores, ended, ending, locks, came_back) = Default::default();
        Model {
            now,
            running: IDLE,
            threads,
            ready,
            semaphores,
            ending,
            came_back,
            locks,
            ended,
            slice: NEVER,
            idle_value: 0,
            steps: 0,
        }
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
        let deadline = if thread.cancelled > 0 && state != State::Lock {
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
    pub fn add(&mut self, index: usize, priority: usize, home: usize, ceiling: usize) -> isize {
        if priority > ceiling {
            return Error::EINVAL.code();
        }
        let old = self.threads.get(&index);
        if old.is_some_and(|thread| thread.state != State::Free) {
            return Error::EBUSY.code();
        }
        let id = old.map_or(index, |thread| thread.id + 4096);
        let (state, object, deadline, since, value) = (State::Ready, 0, None, 0, 0);
        let own = priority;
        let (ending, spent, suspect, cancelled) = (false, false, false, 0);
        let thread = Thread {
            state,
            priority,
            own,
            ceiling,
            home,
            id,
            object,
            deadline,
            since,
            value,
            ending,
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
    pub fn exit(&mut self) -> isize {
        let index = self.running;
        for joiner in self.waiters(State::Joining, index).into_iter().take(WAKES) {
            self.wake(joiner, 0);
        }
        if !self.waiters(State::Joining, index).is_empty() {
            let thread = self.threads.get_mut(&index).unwrap();
            if !thread.ending {
                thread.id += 4096;
            }
            thread.ending = true;
            return 1;
        }
        for (_, holder) in self.locks.iter_mut().filter(|(_, holder)| *holder == Some(index)) {
            *holder = None;
        }
        // It runs, but another may be before it by now.
        let thread = self.threads.get_mut(&index).unwrap();
        thread.state = State::Ended;
        self.ready[thread.priority].retain(|&other| other != index);
        self.ended.push_back(index);
        0
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
        if priority > thread.ceiling {
            return Error::EINVAL.code();
        }
        thread.own = priority;
        let (before, after) = (thread.priority, self.inherited(self.running));
        if before != after {
            self.ready[before].pop_front();
            self.threads.get_mut(&self.running).unwrap().priority = after;
            self.wake(self.running, 0);
        }
        0
    }
    pub fn join(&mut self, index: usize) -> isize {
        let Some(thread) = self.threads.get(&index) else { return Error::ESRCH.code() };
        if thread.ending || matches!(thread.state, State::Ended | State::Free) {
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
        if self.semaphores.remove(&id).is_none() && !self.ending.contains(&id) {
            return Error::EINVAL.code();
        }
        self.ending.retain(|&ending| ending != id);
        for waiter in self.waiters(State::Semaphore, id).into_iter().take(WAKES) {
            self.wake(waiter, Error::EDEAD.code());
        }
        if self.waiters(State::Semaphore, id).is_empty() {
            return 0;
        }
        self.ending.push(id);
        1
    }
    /// By what `index` is to run.
    fn inherited(&self, index: usize) -> usize {
        let locks = (0..self.locks.len()).filter(|&lock| self.locks[lock].1 == Some(index));
        let waiters = locks.flat_map(|lock| self.waiters(State::Lock, lock));
        waiters.map(|waiter| self.threads[&waiter].priority).chain([self.threads[&index].own]).max().unwrap()
    }
    /// Until nobody's priority is another than what it inherits.
    fn inherit(&mut self) {
        loop {
            let wrong = |(&index, thread): (&usize, &Thread)| {
                let lives = !matches!(thread.state, State::Free | State::Ended);
                (lives && thread.priority != self.inherited(index)).then_some(index)
            };
            let Some(index) = self.threads.iter().find_map(wrong) else { return };
            let priority = self.inherited(index);
            self.steps += 1;
            let thread = self.threads.get_mut(&index).unwrap();
            let before = core::mem::replace(&mut thread.priority, priority);
            if thread.state == State::Ready {
                self.ready[before].retain(|&other| other != index);
                if self.slice == NEVER && !self.ready[priority].is_empty() {
                    self.slice = self.now + SLICE;
                }
                self.ready[priority].push_front(index);
            } else {
                thread.since = self.steps;
            }
        }
    }
    fn lock(&self, holder: usize, key: usize) -> Option<usize> {
        self.locks.iter().rposition(|lock| *lock == (key, Some(holder)))
    }
    pub fn lock_wait(&mut self, key: usize, most: usize, holder: usize) -> isize {
        match self.threads.get(&holder) {
            Some(thread) if !matches!(thread.state, State::Free | State::Ended) => {}
            _ => return Error::ESRCH.code(),
        }
        if holder == self.running {
            return Error::EINVAL.code();
        }
        let other = &self.threads[&holder];
        if other.state == State::Lock && self.locks[other.object].0 == key {
            return Error::EINVAL.code();
        }
        let known = self.lock(holder, key);
        if known.is_none() && self.locks.iter().filter(|lock| lock.1 == Some(holder)).count() >= most {
            return Error::EAGAIN.code();
        }
        if self.pass_on(key).is_some() {
            self.inherit();
        }
        let lock = known.unwrap_or_else(|| {
            self.locks.push((key, Some(holder)));
            self.locks.len() - 1
        });
        self.block(State::Lock, lock, None);
        self.inherit();
        0
    }
    /// Wakes the first that waits for it below the running thread, and puts the others below that one.
    fn pass_on(&mut self, key: usize) -> Option<usize> {
        let lock = self.lock(self.running, key)?;
        let waiters = self.waiters(State::Lock, lock);
        self.locks[lock].1 = None;
        self.wake(waiters[0], 0);
        if waiters.len() > 1 {
            assert_eq!(self.lock(waiters[0], key), None, "below the same thread twice");
            // It holds that now, and since now.
            self.locks.push((key, Some(waiters[0])));
            for waiter in &waiters[1..] {
                self.threads.get_mut(waiter).unwrap().object = self.locks.len() - 1;
            }
        }
        Some(waiters[0])
    }
    pub fn lock_release(&mut self, key: usize) -> isize {
        let Some(first) = self.pass_on(key) else { return 0 };
        self.inherit();
        let (woken, running) = (self.threads[&first].priority, self.threads.get(&self.running));
        if running.is_some_and(|running| running.priority <= woken) {
            self.ready[woken].retain(|&other| other != first);
            self.ready[woken].push_front(first);
        }
        0
    }
    /// A lock that nobody waits for is nobody's.
    fn unlock(&mut self) {
        for lock in 0..self.locks.len() {
            if self.waiters(State::Lock, lock).is_empty() {
                self.locks[lock].1 = None;
            }
        }
        self.inherit();
    }
    pub fn stack_wait(&mut self, table: usize, deadline: Option<u64>) {
        if !self.came_back.remove(&table) {
            self.block(State::Stack, table, deadline);
        }
    }
    pub fn stack_free(&mut self, table: usize) {
        if let Some(&waiter) = self.waiters(State::Stack, table).first() {
            self.wake(waiter, 0);
        } else {
            self.came_back.insert(table);
        }
    }
    pub fn wake_dead(&mut self, index: usize) -> isize {
        match self.threads.get(&index).map(|thread| thread.state) {
            None | Some(State::Free) => return Error::ESRCH.code(),
            Some(State::Ready | State::Ended) => {}
            Some(_) => {
                self.wake(index, Error::EDEAD.code());
                self.unlock();
            }
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
        if how > 0 && !matches!(thread.state, State::Ready | State::Lock) {
            self.wake(index, Error::ECANCELED.code());
        }
        holds
    }
    pub fn end_stuck(&mut self, index: usize, ends: bool) -> isize {
        match self.threads.get(&index) {
            Some(thread) if thread.state == State::Free => return Error::ESRCH.code(),
            None => return Error::ESRCH.code(),
            Some(thread) if !thread.suspect => return 0,
            _ => {}
        }
        if ends {
            self.wake(index, Error::EDEAD.code());
        }
        1
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
                let state = match thread.state {
                    _ if index == self.running => State::Running,
                    State::Lock => State::Semaphore,
                    state => state,
                };
                (state as isize) << 48 | (thread.priority as isize) << 32 | thread.home as isize
            }
            _ => Error::ESRCH.code(),
        }
    }
    /// Threads with a deadline, and that.
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
        let mut due: Vec<_> = self.sleepers().into_iter().filter(|(deadline, _)| *deadline <= self.now).collect();
        due.sort_by_key(|(_, index)| PRIORITIES - self.threads[index].priority);
        if let Some((_, index)) = due.into_iter().next() {
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
