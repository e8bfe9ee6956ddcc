//! A naive scheduler to compare the real one with: lists that are searched and sorted, one rule after the other.

use crate::locks::ALIKE;
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
    /// Its account has had its share of the processor.
    demoted: bool,
}

/// Domain of those that wait, and the lock's own key.
type Key = (usize, usize);

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
    locks: Vec<(Key, Option<usize>)>,
    ended: VecDeque<usize>,
    pub slice: u64,
    /// What the idle thread's call returns.
    idle_value: isize,
    steps: u64,
}

/// Locks that one holder is named for and that it is given: in components that are not trusted, and in all.
pub const MOST: [usize; 2] = [2, 16];
/// How many more of them such a component's thread may be given.
const SPARE: usize = 2;
/// The domain that is trusted, of those whose threads wait for locks.
pub const TRUSTED: usize = 2;

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
        let (ending, spent, suspect, cancelled, demoted) = (false, false, false, 0, false);
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
            demoted,
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
        let joiners = self.waiters(State::Joining, index);
        let held = (0..self.locks.len()).rev().filter(|&lock| self.locks[lock].1 == Some(index));
        let waiters = held.flat_map(|lock| self.waiters(State::Lock, lock));
        let all: Vec<_> = joiners.into_iter().chain(waiters).collect();
        for &waiter in all.iter().take(WAKES) {
            self.wake(waiter, 0);
            self.unlock();
        }
        if all.len() > WAKES {
            let thread = self.threads.get_mut(&index).unwrap();
            if !thread.ending {
                thread.id += 4096;
            }
            thread.ending = true;
            return 1;
        }
        // It runs, but another may be before it by now.
        let thread = self.threads.get_mut(&index).unwrap();
        thread.state = State::Ended;
        self.ready[thread.priority].retain(|&other| other != index);
        self.ended.push_back(index);
        0
    }
    /// Whether the running thread has begun to end.
    pub fn is_ending(&self) -> bool {
        self.threads.get(&self.running).is_some_and(|thread| thread.ending)
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
    pub fn join(&mut self, index: usize, id: usize) -> isize {
        let Some(thread) = self.threads.get(&index) else { return Error::ESRCH.code() };
        // Who has begun to end has the id of the next one.
        let latest = if thread.ending { thread.id - 4096 } else { thread.id };
        if id > latest {
            return Error::ESRCH.code();
        }
        if id < latest || thread.ending || matches!(thread.state, State::Ended | State::Free) {
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
        if let (0, Some(waiter)) = (result, first) {
            self.goes_first(waiter);
        }
        result
    }
    /// At an equal priority too, the thread that was woken last goes first.
    fn goes_first(&mut self, woken: usize) {
        let priority = self.threads[&woken].priority;
        if self.threads.get(&self.running).is_some_and(|running| running.priority == priority) {
            self.ready[priority].rotate_right(1);
        }
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
        let thread = &self.threads[&index];
        let base = if thread.demoted { thread.own / 16 } else { thread.own };
        waiters.map(|waiter| self.threads[&waiter].priority).chain([base]).max().unwrap()
    }
    /// A thread in use, or none.
    pub fn demote(&mut self, index: usize, demoted: bool) -> isize {
        if let Some(thread) = self.threads.get_mut(&index).filter(|t| !matches!(t.state, State::Free | State::Ended)) {
            thread.demoted = demoted;
            self.inherit_from(index);
        }
        0
    }
    /// Until nobody's priority is another than what it inherits.
    fn inherit(&mut self) {
        let wrong = |model: &Model| model.threads.keys().copied().find(|&index| model.is_wrong(index));
        while let Some(index) = wrong(self) {
            self.set_right(index);
        }
    }
    /// The same of one, and of those along the chain from it.
    fn inherit_from(&mut self, mut index: usize) {
        while self.is_wrong(index) {
            self.set_right(index);
            let thread = &self.threads[&index];
            let holder = self.locks.get(thread.object).filter(|_| thread.state == State::Lock).and_then(|lock| lock.1);
            index = holder.unwrap_or(index);
        }
    }
    fn is_wrong(&self, index: usize) -> bool {
        let thread = &self.threads[&index];
        !matches!(thread.state, State::Free | State::Ended) && thread.priority != self.inherited(index)
    }
    fn set_right(&mut self, index: usize) {
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
    fn lock(&self, holder: usize, key: Key) -> Option<usize> {
        self.locks.iter().rposition(|lock| *lock == (key, Some(holder)))
    }
    /// `key`: of the waiter's domain and the lock. `holder` 0: it is not known who that is.
    pub fn lock_wait(&mut self, key: Key, holder: usize) -> isize {
        if holder == 0 {
            self.locks.push((key, None));
            self.block(State::Lock, self.locks.len() - 1, None);
            return 0;
        }
        match self.threads.get(&holder) {
            Some(thread) if !thread.ending && !matches!(thread.state, State::Free | State::Ended) => {}
            _ => return Error::ESRCH.code(),
        }
        if holder == self.running {
            return Error::EINVAL.code();
        }
        let other = &self.threads[&holder];
        if other.state == State::Lock && self.locks[other.object].0 == key && self.locks[other.object].1.is_some() {
            return Error::EINVAL.code();
        }
        let is_trusted = key.0 == TRUSTED;
        let most = MOST[usize::from(is_trusted)];
        let waits = usize::from(other.state == State::Lock);
        let known = self.lock(holder, key);
        let held_by = |thread: usize| self.locks.iter().filter(|lock| lock.1 == Some(thread)).count();
        let alike = |lock: &&(Key, _)| lock.1 == Some(holder) && lock.0.1 == key.1 && lock.0.0 != TRUSTED;
        let many = self.locks.iter().filter(alike).count() + waits >= ALIKE && !is_trusted;
        let is_full = known.is_none() && (many || held_by(holder) >= most.min(MOST[1] - waits));
        if is_full || held_by(self.running) >= (most + SPARE).min(MOST[1]) {
            return Error::EAGAIN.code();
        }
        if self.pass_on(self.running, key.1, |waiters| waiters == key.0 || waiters != TRUSTED).is_some() {
            self.inherit();
            return 0;
        }
        let lock = known.unwrap_or_else(|| {
            self.locks.push((key, Some(holder)));
            self.locks.len() - 1
        });
        self.block(State::Lock, lock, None);
        self.inherit();
        0
    }
    /// How many threads would wait for each other in a row if the running one waited for `holder`.
    pub fn row(&self, holder: usize) -> usize {
        let next = |&index: &usize| {
            let thread = self.threads.get(&index).filter(|thread| thread.state == State::Lock)?;
            self.locks[thread.object].1
        };
        let rows = self.threads.keys().map(|&index| core::iter::successors(Some(index), next).take(self.threads.len()));
        let to_running = rows.filter_map(|mut row| row.position(|index| index == self.running));
        to_running.max().unwrap_or(0) + 1 + core::iter::successors(Some(holder), next).take(self.threads.len()).count()
    }
    /// Of each domain, wakes the first that waits for it below `holder`, and puts the others below that one → the highest.
    fn pass_on(&mut self, holder: usize, lock: usize, is_meant: impl Fn(usize) -> bool) -> Option<usize> {
        let is_one =
            |&((domain, key), of): &(Key, Option<usize>)| of == Some(holder) && key == lock && is_meant(domain);
        let held: Vec<_> = (0..self.locks.len()).rev().filter(|&place| is_one(&self.locks[place])).collect();
        let mut woken = Vec::new();
        for place in held {
            let waiters = self.waiters(State::Lock, place);
            self.locks[place].1 = None;
            self.wake(waiters[0], 0);
            woken.push(waiters[0]);
            if waiters.len() > 1 {
                let key = self.locks[place].0;
                assert_eq!(self.lock(waiters[0], key), None, "below the same thread twice");
                // It holds that now, and since now.
                self.locks.push((key, Some(waiters[0])));
                for waiter in &waiters[1..] {
                    self.threads.get_mut(waiter).unwrap().object = self.locks.len() - 1;
                }
            }
        }
        self.highest_of(woken)
    }
    /// The first of those that have the highest priority.
    fn highest_of(&self, threads: impl IntoIterator<Item = usize>) -> Option<usize> {
        threads.into_iter().min_by_key(|index| PRIORITIES - self.threads[index].priority)
    }
    pub fn lock_release(&mut self, domain: usize, lock: usize, whom: usize) -> isize {
        let mut first = match whom {
            0 => self.pass_on(self.running, lock, |waiters| waiters == domain),
            _ if whom == self.running => self.pass_on(whom, lock, |waiters| waiters == domain || waiters != TRUSTED),
            _ => None,
        };
        if whom != self.running && self.threads.get(&whom).is_some_and(|thread| thread.state != State::Free) {
            let thread = &self.threads[&whom];
            let record = self.locks.get(thread.object).filter(|_| thread.state == State::Lock);
            let is_meant = |waiters: usize| waiters == domain || waiters != TRUSTED;
            let is_alone =
                |record: &(Key, Option<usize>)| record.1.is_none() && record.0.1 == lock && is_meant(record.0.0);
            let alone = record.copied().filter(is_alone).map(|record| record.0.0);
            let below = match alone {
                None => self.pass_on(whom, lock, is_meant),
                Some(waiters) if waiters == domain => None,
                Some(_) => self.pass_on(whom, lock, |waiters| waiters == domain),
            };
            self.inherit_from(whom);
            if alone.is_some() {
                self.wake(whom, 0);
            }
            first = self.highest_of(alone.map(|_| whom).into_iter().chain(below));
        }
        let Some(first) = first else { return 0 };
        self.inherit();
        let (woken, running) = (self.threads[&first].priority, self.threads.get(&self.running));
        let is_highest = self.ready[woken + 1..].iter().all(VecDeque::is_empty);
        if is_highest && running.is_none_or(|running| running.priority <= woken) {
            let place = self.ready[woken].iter().position(|&other| other == first).unwrap();
            self.ready[woken].rotate_left(place);
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
            self.goes_first(waiter);
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
