//! Another scheduler than `servers/scheduler`, with another policy: of the ready threads of the highest priority the one runs that has run least.
//! So who waits often and computes little in between, as a device's or a player's thread, is not behind who only computes.
//!
//! It is as simple as it can be: one table that is searched from end to end, and no short circuits. A thread that begins or has waited long is not owed
//! all the time that others have run: it has run at least as long as who ran last by its priority, less a slice.
#![no_std]
#![no_main]

use core::cmp::Reverse;
use pebble::Error;
use pebble::abi::activity::{self, What};
use pebble::abi::nucleus::{MAX_DOMAINS, MAX_SEMAPHORES, MAX_THREADS, THREAD_IDS, cancelled};
use pebble::abi::lock::{Holder, NAME};
use pebble::arch::Masked;
use pebble::arch::component::leave;
use pebble::interfaces::types::{CeilingAndAccount, DomainNumber, Identity, SemaphoreId, ThreadId, ThreadIndex, Ticks};

pebble::import! {
    SWITCH = "nucleus.switch";
    TIMER_SET = "nucleus.timer_set";
}
pebble::masked_server!();
pebble::serve! {
    scheduler {
        start, tick, stack_wait, stack_free, stack_dead, domain_dead, r#yield, exit, sleep, set_priority, join, p, v, p_id: p, v_id: v,
        interrupt, semaphore_create, semaphore_destroy, add, reap, wake_dead, cancel, cancelled: why_cancelled, waiting, end_stuck,
        lock_wait, lock_wait_trusted: lock_wait, lock_release, share, info, doing,
    }
    "scheduler.lock_wait" = LOCKS / 2;
    "scheduler.lock_wait_trusted" = LOCKS;
}

const LOCKS: u64 = 16;
const PRIORITIES: usize = 64;
/// The idle thread's index, by the image builder.
const IDLE: usize = 1;
const NEVER: u64 = u64::MAX;
/// Units of `time` for which a thread runs at most while another of its priority is ready: 5 ms at 10 MHz.
const SLICE: u64 = 50_000;
/// Who runs is not taken away from for less than this.
const GRAIN: u64 = SLICE / 4;

/// What a thread does.
#[derive(Clone, Copy, PartialEq)]
enum Doing {
    Free,
    Ready,
    Semaphore(usize),
    Sleeping,
    Joining(usize),
    Stack(usize),
    /// Waits for a lock that another thread holds; 0: it is not known which.
    Lock {
        domain: usize,
        key: usize,
        holder: usize,
        taken_in: usize,
    },
    Ended,
}
#[derive(Clone, Copy)]
struct Thread {
    doing: Doing,
    id: usize,
    home: usize,
    own_priority: u8,
    ceiling: u8,
    /// With what it inherits.
    priority: u8,
    /// When its wait is over, whatever it is for.
    deadline: u64,
    /// Orders waiters of one priority.
    since: u64,
    /// What its pending call returns.
    value: isize,
    /// Units of `time`.
    ran: u64,
    cancelled: usize,
    /// It waits for good, and somebody has asked.
    suspect: bool,
}
#[derive(Clone, Copy)]
struct Semaphore {
    /// 0: there is none.
    id: usize,
    generation: usize,
    value: usize,
}
struct Scheduler {
    threads: [Thread; MAX_THREADS],
    /// One more than the highest index there has been.
    end: usize,
    running: usize,
    /// When the running thread began to.
    since: u64,
    /// What who ran last by each priority had run.
    floor: [u64; PRIORITIES],
    semaphores: [Semaphore; MAX_SEMAPHORES],
    /// Domains of which a stack came back when nobody waited.
    came_back: [bool; MAX_DOMAINS],
    turns: usize,
    /// By each number, the life of the domain that has asked for a thread's name last.
    lives: [Option<usize>; MAX_DOMAINS],
    steps: u64,
    slice: u64,
    armed: u64,
    /// Of the start: `time` and cycles.
    began: (u64, u64),
    /// Cycles in a unit of `time`; 0: it is to be measured.
    ratio: u64,
}
impl Thread {
    /// Whether it waits for that lock of `holder`'s.
    fn waits_for(&self, holder: usize, key: usize) -> bool {
        matches!(self.doing, Doing::Lock { key: k, holder: h, .. } if (k, h) == (key, holder))
    }
}
const NOBODY: Thread = Thread {
    doing: Doing::Free,
    id: 0,
    home: 0,
    own_priority: 0,
    ceiling: 0,
    priority: 0,
    deadline: NEVER,
    since: 0,
    value: 0,
    ran: 0,
    cancelled: 0,
    suspect: false,
};
static SCHEDULER: Masked<Scheduler> = Masked::new(Scheduler {
    threads: [NOBODY; MAX_THREADS],
    end: IDLE + 1,
    running: 0,
    since: 0,
    floor: [0; PRIORITIES],
    semaphores: [Semaphore { id: 0, generation: 0, value: 0 }; MAX_SEMAPHORES],
    came_back: [false; MAX_DOMAINS],
    turns: 0,
    lives: [None; MAX_DOMAINS],
    steps: 0,
    slice: NEVER,
    armed: NEVER,
    began: (0, 0),
    ratio: 0,
});

/// How an entry ends: the running thread goes on with a value, or another thread does with its own.
enum Decision {
    Return(isize),
    Switch(usize, isize),
}
use Decision::Return;

fn enter(entry: impl FnOnce(&mut Scheduler) -> Decision) -> isize {
    // SAFETY: the domain is masked: an entry runs to its end before the next one begins, and none calls another.
    match unsafe { SCHEDULER.enter(entry) } {
        Return(value) => value,
        // SAFETY: goes on with another thread and does not come back; no reference is live.
        Decision::Switch(thread, value) => unsafe { leave(SWITCH.number(), [thread, value as usize]) },
    }
}
fn refuse(error: Error) -> Decision {
    Return(error.code())
}
fn now() -> u64 {
    pebble::time::time()
}

impl Scheduler {
    fn indices(&self) -> core::ops::Range<usize> {
        IDLE + 1..self.end
    }
    /// A thread by an index from outside.
    fn live(&mut self, index: usize) -> Option<&mut Thread> {
        if !self.indices().contains(&index) {
            return None;
        }
        Some(&mut self.threads[index]).filter(|thread| thread.doing != Doing::Free)
    }
    /// The first that waits so: highest priority, then first come.
    fn first(&self, waits: impl Fn(&Thread) -> bool) -> Option<usize> {
        let waiters = self.indices().filter(|&index| waits(&self.threads[index]));
        waiters.min_by_key(|&index| (Reverse(self.threads[index].priority), self.threads[index].since))
    }
    /// The ready thread that has run least, of those of the highest priority.
    fn best(&self, counts: impl Fn(usize) -> bool) -> Option<usize> {
        let ready = self.indices().filter(|&index| self.threads[index].doing == Doing::Ready && counts(index));
        let ran = |index: usize| match index == self.running {
            true => self.threads[index].ran.saturating_sub(GRAIN),
            false => self.threads[index].ran,
        };
        ready.min_by_key(|&index| (Reverse(self.threads[index].priority), ran(index), self.threads[index].since))
    }
    /// Counts what the running thread has run.
    fn account(&mut self) {
        let now = now();
        self.threads[self.running].ran += now - self.since;
        self.since = now;
    }
    /// Who runs now; the call of the one that ran returns `value`, unless it has begun to wait.
    fn settle(&mut self, value: isize) -> Decision {
        self.account();
        let next = self.best(|_| true).unwrap_or(IDLE);
        self.go_on_with(next, value)
    }
    fn go_on_with(&mut self, next: usize, value: isize) -> Decision {
        let before = self.running;
        let goes_on = before == next;
        if self.threads[before].doing == Doing::Ready {
            self.threads[before].value = value;
        }
        self.running = next;
        let Thread { priority, ran, .. } = self.threads[next];
        if next != IDLE {
            self.floor[priority as usize] = ran;
        }
        self.set_timer(!goes_on);
        if goes_on { Return(value) } else { Decision::Switch(next, self.threads[next].value) }
    }
    fn set_timer(&mut self, begins: bool) {
        let priority = self.threads[self.running].priority;
        let rivals = self.running != IDLE
            && self.indices().any(|index| {
                let other = &self.threads[index];
                index != self.running && other.doing == Doing::Ready && other.priority == priority
            });
        if !rivals {
            self.slice = NEVER;
        } else if begins || self.slice == NEVER {
            self.slice = self.since + SLICE;
        }
        let earliest = self.indices().map(|index| self.threads[index].deadline).min().unwrap_or(NEVER);
        let moment = earliest.min(self.slice);
        if moment != self.armed {
            self.armed = moment;
            TIMER_SET.call([moment as usize, 0, 0]);
        }
    }
    fn wake(&mut self, index: usize, value: isize) {
        self.steps += 1;
        let least = self.floor[self.threads[index].priority as usize].saturating_sub(SLICE);
        let thread = &mut self.threads[index];
        let waited_for_a_lock = matches!(thread.doing, Doing::Lock { .. });
        (thread.doing, thread.value, thread.deadline, thread.suspect) = (Doing::Ready, value, NEVER, false);
        (thread.since, thread.ran) = (self.steps, thread.ran.max(least));
        if waited_for_a_lock {
            self.inherit();
        }
    }
    /// The running thread waits, for `ticks` at most where that is positive; a cancelled one for a slice at most.
    fn wait(&mut self, doing: Doing, ticks: isize) {
        self.steps += 1;
        let (now, mut deadline) = (now(), NEVER);
        if ticks > 0 {
            let cycles = pebble::time::cycles().wrapping_sub(self.began.1);
            let ratio = if self.ratio > 0 { self.ratio } else { (cycles / (now - self.began.0).max(1)).max(1) };
            deadline =
                now.saturating_add((ticks as u64).saturating_mul(2).div_ceil(ratio)).saturating_add(1).min(NEVER - 1);
        }
        let steps = self.steps;
        let thread = &mut self.threads[self.running];
        if thread.cancelled != 0 && !matches!(doing, Doing::Lock { .. }) {
            deadline = deadline.min(now + SLICE);
        }
        (thread.doing, thread.deadline, thread.since) = (doing, deadline, steps);
    }
    /// Who holds what others wait for runs by the highest priority of them, and so on.
    fn inherit(&mut self) {
        for index in self.indices() {
            self.threads[index].priority = self.threads[index].own_priority;
        }
        let mut changed = true;
        while changed {
            changed = false;
            for index in self.indices() {
                if let Thread { doing: Doing::Lock { holder, .. }, priority, .. } = self.threads[index]
                    && holder != 0
                    && self.threads[holder].priority < priority
                {
                    self.threads[holder].priority = priority;
                    changed = true;
                }
            }
        }
    }
    /// Of each domain, the first that waits for that lock of `holder`'s wakes, and its others wait for that one.
    fn pass_on(&mut self, holder: usize, key: usize) {
        while let Some(some) = self.indices().find(|&index| self.threads[index].waits_for(holder, key)) {
            let Doing::Lock { domain, .. } = self.threads[some].doing else { return };
            let is_one = |thread: &Thread| {
                thread.waits_for(holder, key) && matches!(thread.doing, Doing::Lock { domain: of, .. } if of == domain)
            };
            let Some(first) = self.first(is_one) else { return };
            for index in self.indices().filter(|&index| index != first) {
                if is_one(&self.threads[index]) {
                    self.threads[index].doing = Doing::Lock { domain, key, holder: first, taken_in: 0 };
                }
            }
            self.wake(first, 0);
        }
    }
    /// Whether the thread that is said so has ended, or the domain in which it took what it holds.
    fn is_dead(&mut self, said: Holder) -> bool {
        let lives = self.live(said.index()).is_some_and(|thread| thread.id == said.thread() && thread.doing != Doing::Ended);
        !lives || self.lives[said.domain() % MAX_DOMAINS] != Some(said.life())
    }
    fn make(&mut self, index: usize, priority: isize, home: usize, ceiling: isize) -> Result<usize, Error> {
        let ceilings = 0..PRIORITIES as isize;
        let known = index > IDLE && index < MAX_THREADS && home < MAX_DOMAINS;
        if !known || !ceilings.contains(&ceiling) || !(0..=ceiling).contains(&priority) {
            return Err(Error::EINVAL);
        }
        let thread = &mut self.threads[index];
        if thread.doing != Doing::Free {
            return Err(Error::EBUSY);
        }
        let id = if thread.id == 0 { index } else { (thread.id + THREAD_IDS) & 0x7FFF_FFFF };
        let (own_priority, ceiling) = (priority as u8, ceiling as u8);
        *thread = Thread { id, home, own_priority, ceiling, priority: own_priority, ..NOBODY };
        self.end = self.end.max(index + 1);
        self.wake(index, 0);
        Ok(id)
    }
    fn semaphore(&mut self, id: usize) -> Option<&mut Semaphore> {
        Some(&mut self.semaphores[id % MAX_SEMAPHORES]).filter(|semaphore| semaphore.id == id && id != 0)
    }
    fn post(&mut self, id: usize) -> Result<(), Error> {
        let waiter = self.first(|thread| thread.doing == Doing::Semaphore(id));
        let semaphore = self.semaphore(id).ok_or(Error::EINVAL)?;
        match waiter {
            Some(waiter) => self.wake(waiter, 0),
            None if semaphore.value == i32::MAX as usize => return Err(Error::EINVAL),
            None => semaphore.value += 1,
        }
        Ok(())
    }
}

extern "C" fn start() -> isize {
    let info = pebble::boot::info();
    enter(|scheduler| {
        if scheduler.running != 0 {
            return refuse(Error::EINVAL);
        }
        (scheduler.running, scheduler.since) = (IDLE, now());
        (scheduler.began, scheduler.ratio) = ((now(), pebble::time::cycles()), info.cycles_per_time);
        // Always ready, and among no others.
        scheduler.threads[IDLE] = Thread { doing: Doing::Ready, id: IDLE, ..NOBODY };
        for domain in
            info.domains.iter().take(info.domain_count as usize).filter(|domain| domain.thread as usize > IDLE)
        {
            let priority = domain.priority as isize;
            let _ = scheduler.make(domain.thread as usize, priority, domain.asid as usize, priority);
        }
        scheduler.settle(0)
    })
}
extern "C" fn tick() -> isize {
    enter(|scheduler| {
        let now = now();
        // It has come, and is to be set whatever it is set to.
        scheduler.armed = 0;
        if scheduler.slice <= now {
            scheduler.slice = NEVER;
        }
        for index in scheduler.indices() {
            let thread = scheduler.threads[index];
            if thread.deadline <= now {
                let value = match thread.doing {
                    _ if thread.cancelled != 0 => Error::ECANCELED.code(),
                    Doing::Sleeping => 0,
                    _ => Error::ETIMEDOUT.code(),
                };
                scheduler.wake(index, value);
            }
        }
        scheduler.settle(0)
    })
}
extern "C" fn stack_wait(domain: DomainNumber, ticks: Ticks) -> isize {
    enter(|scheduler| {
        if scheduler.running == IDLE {
            return refuse(Error::EINVAL);
        }
        if core::mem::take(&mut scheduler.came_back[domain.0 % MAX_DOMAINS]) {
            return Return(0);
        }
        scheduler.wait(Doing::Stack(domain.0), ticks.0 as isize);
        scheduler.settle(0)
    })
}
extern "C" fn stack_free(_cause: usize, _value: usize, domain: DomainNumber) -> isize {
    enter(|scheduler| {
        match scheduler.first(|thread| thread.doing == Doing::Stack(domain.0)) {
            Some(waiter) => scheduler.wake(waiter, 0),
            None => scheduler.came_back[domain.0 % MAX_DOMAINS] = true,
        }
        scheduler.settle(0)
    })
}
extern "C" fn stack_dead(domain: DomainNumber) -> isize {
    enter(|scheduler| match scheduler.first(|thread| thread.doing == Doing::Stack(domain.0)) {
        Some(waiter) => {
            scheduler.wake(waiter, 0);
            scheduler.settle(1)
        }
        None => Return(0),
    })
}
extern "C" fn domain_dead(domain: DomainNumber, _from: usize) -> isize {
    enter(|scheduler| {
        scheduler.lives[domain.0 % MAX_DOMAINS] = None;
        let waits = |thread: &Thread| matches!(thread.doing, Doing::Lock { taken_in, .. } if taken_in == domain.0);
        while let Some(waiter) = scheduler.first(waits) {
            scheduler.wake(waiter, 0);
        }
        scheduler.settle(0)
    })
}
extern "C" fn r#yield() -> isize {
    enter(|scheduler| {
        scheduler.account();
        let Thread { priority, .. } = scheduler.threads[scheduler.running];
        let running = scheduler.running;
        let other = scheduler.best(|index| index != running && scheduler.threads[index].priority >= priority);
        scheduler.go_on_with(other.unwrap_or(running), 0)
    })
}
extern "C" fn exit() -> isize {
    enter(|scheduler| {
        let running = scheduler.running;
        if running == IDLE {
            return refuse(Error::EINVAL);
        }
        while let Some(joiner) = scheduler.first(|thread| thread.doing == Doing::Joining(running)) {
            scheduler.wake(joiner, 0);
        }
        scheduler.threads[running].doing = Doing::Ended;
        let waits = |thread: &Thread| matches!(thread.doing, Doing::Lock { holder, .. } if holder == running);
        while let Some(waiter) = scheduler.first(waits) {
            scheduler.wake(waiter, 0);
        }
        scheduler.settle(0)
    })
}
extern "C" fn sleep(ticks: Ticks) -> isize {
    enter(|scheduler| {
        if ticks.0 as isize <= 0 || scheduler.running == IDLE {
            return Return(0);
        }
        scheduler.wait(Doing::Sleeping, ticks.0 as isize);
        scheduler.settle(0)
    })
}
extern "C" fn set_priority(priority: usize) -> isize {
    enter(|scheduler| {
        let running = scheduler.running;
        let thread = &mut scheduler.threads[running];
        if running == IDLE || priority > thread.ceiling as usize {
            return refuse(Error::EINVAL);
        }
        thread.own_priority = priority as u8;
        scheduler.inherit();
        scheduler.settle(0)
    })
}
extern "C" fn join(ThreadId(id): ThreadId) -> isize {
    enter(|scheduler| {
        let (index, running) = (id % THREAD_IDS, scheduler.running);
        let known = scheduler.indices().contains(&index) && scheduler.threads[index].id >= id.max(1);
        if !known {
            return refuse(Error::ESRCH);
        }
        let thread = &scheduler.threads[index];
        if id < thread.id || matches!(thread.doing, Doing::Ended | Doing::Free) {
            return Return(0);
        }
        if index == running || running == IDLE {
            return refuse(Error::EINVAL);
        }
        scheduler.wait(Doing::Joining(index), 0);
        scheduler.settle(0)
    })
}
extern "C" fn p(SemaphoreId(id): SemaphoreId, ticks: Ticks) -> isize {
    enter(|scheduler| {
        let idle = scheduler.running == IDLE;
        let Some(semaphore) = scheduler.semaphore(id) else { return refuse(Error::EINVAL) };
        if semaphore.value > 0 {
            semaphore.value -= 1;
            return Return(0);
        }
        if ticks.0 == 0 || idle {
            return refuse(Error::EAGAIN);
        }
        scheduler.wait(Doing::Semaphore(id), ticks.0 as isize);
        scheduler.settle(0)
    })
}
extern "C" fn v(semaphore: SemaphoreId) -> isize {
    enter(|scheduler| match scheduler.post(semaphore.0) {
        Ok(()) => scheduler.settle(0),
        Err(error) => refuse(error),
    })
}
extern "C" fn interrupt(semaphore: SemaphoreId) -> isize {
    enter(|scheduler| {
        // Whose semaphore is gone waits for no interrupt.
        let _ = scheduler.post(semaphore.0);
        scheduler.settle(0)
    })
}
extern "C" fn semaphore_create(value: usize) -> isize {
    enter(|scheduler| {
        if value > i32::MAX as usize {
            return refuse(Error::EINVAL);
        }
        let Some(index) = (1..MAX_SEMAPHORES).find(|&index| scheduler.semaphores[index].id == 0) else {
            return refuse(Error::ENFILE);
        };
        let semaphore = &mut scheduler.semaphores[index];
        semaphore.id = semaphore.generation * MAX_SEMAPHORES + index;
        // Ids are below 2³¹.
        semaphore.generation = (semaphore.generation + 1) % (1 << 19);
        semaphore.value = value;
        Return(semaphore.id as isize)
    })
}
extern "C" fn semaphore_destroy(SemaphoreId(id): SemaphoreId) -> isize {
    enter(|scheduler| {
        let Some(semaphore) = scheduler.semaphore(id) else { return refuse(Error::EINVAL) };
        semaphore.id = 0;
        while let Some(waiter) = scheduler.first(|thread| thread.doing == Doing::Semaphore(id)) {
            scheduler.wake(waiter, Error::EDEAD.code());
        }
        scheduler.settle(0)
    })
}
extern "C" fn add(thread: ThreadIndex, priority: usize, home: DomainNumber, ceiling_account: CeilingAndAccount) -> isize {
    enter(|scheduler| {
        let own = scheduler.threads[scheduler.running].own_priority as isize;
        let (priority, ceiling) = (priority as isize, isize::from(ceiling_account.ceiling()));
        let priority = if priority == -1 { own.min(ceiling) } else { priority };
        match scheduler.make(thread.0, priority, home.0, ceiling) {
            Ok(id) => scheduler.settle(id as isize),
            Err(error) => refuse(error),
        }
    })
}
extern "C" fn reap() -> isize {
    enter(|scheduler| {
        let ended = scheduler.indices().find(|&index| scheduler.threads[index].doing == Doing::Ended);
        if let Some(index) = ended {
            scheduler.threads[index].doing = Doing::Free;
        }
        Return(ended.unwrap_or(0) as isize)
    })
}
extern "C" fn wake_dead(thread: ThreadIndex) -> isize {
    enter(|scheduler| {
        let Some(found) = scheduler.live(thread.0) else { return refuse(Error::ESRCH) };
        if !matches!(found.doing, Doing::Ready | Doing::Ended) {
            scheduler.wake(thread.0, Error::EDEAD.code());
        }
        scheduler.settle(0)
    })
}
extern "C" fn cancel(thread: ThreadIndex, why: usize, id: ThreadId) -> isize {
    enter(|scheduler| {
        let Some(found) = scheduler.live(thread.0) else { return refuse(Error::ESRCH) };
        if found.doing == Doing::Ended || (id.0 != 0 && found.id != id.0) {
            return refuse(Error::ESRCH);
        }
        match why {
            0 => found.cancelled &= !cancelled::FOR_THE_DEAD,
            cancelled::FOR_THE_DEAD | cancelled::FOR_GOOD => found.cancelled |= why,
            _ => return refuse(Error::EINVAL),
        }
        let (doing, holds) = (found.doing, found.cancelled as isize);
        if why != 0 && !matches!(doing, Doing::Ready | Doing::Lock { .. }) {
            scheduler.wake(thread.0, Error::ECANCELED.code());
        }
        scheduler.settle(holds)
    })
}
extern "C" fn why_cancelled(thread: ThreadIndex) -> isize {
    enter(|scheduler| scheduler.live(thread.0).map_or(refuse(Error::ESRCH), |thread| Return(thread.cancelled as isize)))
}
extern "C" fn waiting(thread: ThreadIndex) -> isize {
    enter(|scheduler| match scheduler.live(thread.0) {
        None => refuse(Error::ESRCH),
        Some(thread) => match thread.doing {
            Doing::Semaphore(id) if thread.deadline == NEVER => {
                thread.suspect = true;
                Return(id as isize)
            }
            _ => Return(0),
        },
    })
}
extern "C" fn end_stuck(thread: ThreadIndex, end: usize) -> isize {
    enter(|scheduler| {
        let Some(found) = scheduler.live(thread.0) else { return refuse(Error::ESRCH) };
        if !found.suspect {
            return Return(0);
        }
        if end != 0 {
            scheduler.wake(thread.0, Error::EDEAD.code());
        }
        scheduler.settle(1)
    })
}
extern "C" fn lock_wait(domain: Identity, most: usize, key: usize, holder: usize, turns: usize) -> isize {
    enter(|scheduler| {
        let (now, said, domain, running) = (scheduler.turns as isize, Holder(holder), domain, scheduler.running);
        if turns as isize == NAME {
            let name = Holder::new(scheduler.threads[running].id, domain.0);
            scheduler.lives[name.domain() % MAX_DOMAINS] = Some(name.life());
            return Return(name.0 as isize);
        }
        if said.is_whole() && scheduler.is_dead(said) {
            return refuse(Error::EOWNERDEAD);
        }
        match turns as isize {
            turns if turns < 0 => return Return(now),
            turns if turns != now => return Return(0),
            _ if running == IDLE => return refuse(Error::EINVAL),
            _ => {}
        }
        let (domain, holder, taken_in) = (domain.number().0, said.index(), said.domain());
        let mine = Doing::Lock { domain, key, holder, taken_in };
        if said.0 != 0 {
            let Some(Thread { doing, .. }) = scheduler.live(holder).filter(|holder| holder.doing != Doing::Ended) else {
                return refuse(Error::ESRCH);
            };
            let same = matches!(doing, Doing::Lock { domain: d, key: k, holder: 1.., .. } if (*d, *k) == (domain, key));
            if holder == running || same {
                return refuse(Error::EINVAL);
            }
            // How many others of the holder's are waited for: each is counted at the first that waits for it.
            let of_holder = |thread: &Thread| match thread.doing {
                Doing::Lock { holder: of, .. } if of == holder => Some(thread.doing),
                _ => None,
            };
            let (mut known, mut others) = (false, 0);
            for index in scheduler.indices() {
                let Some(lock) = of_holder(&scheduler.threads[index]) else { continue };
                known |= lock == mine;
                let mut before = IDLE + 1..index;
                others += usize::from(!before.any(|n| of_holder(&scheduler.threads[n]) == Some(lock)));
            }
            if !known && others >= most {
                return refuse(Error::EAGAIN);
            }
            // Who waits for a lock keeps nobody else waiting for it.
            scheduler.pass_on(running, key);
        }
        scheduler.wait(mine, 0);
        scheduler.inherit();
        scheduler.settle(0)
    })
}
extern "C" fn lock_release(domain: DomainNumber, key: usize, whom: ThreadIndex) -> isize {
    enter(|scheduler| {
        let (running, whom) = (scheduler.running, whom.0);
        scheduler.turns = scheduler.turns.wrapping_add(1) & i32::MAX as usize;
        scheduler.pass_on(running, key);
        if whom != running && scheduler.live(whom).is_some() {
            let doing = scheduler.threads[whom].doing;
            let of = match doing {
                Doing::Lock { domain, .. } if scheduler.threads[whom].waits_for(0, key) => Some(domain),
                _ => None,
            };
            if of.is_some() {
                scheduler.wake(whom, 0);
            }
            // Another domain's may wait for a lock of its own with that key.
            if of != Some(domain.0) {
                scheduler.pass_on(whom, key);
            }
        }
        scheduler.settle(0)
    })
}
/// This one knows no shares: each account may have all, and nobody is told what it has had.
extern "C" fn share(_account: usize, _percent: usize) -> isize {
    0
}
extern "C" fn info(thread: ThreadIndex) -> isize {
    enter(|scheduler| {
        let found = if thread.0 == IDLE { Some(scheduler.threads[IDLE]) } else { scheduler.live(thread.0).copied() };
        let Some(Thread { doing, priority, home, .. }) = found else { return refuse(Error::ESRCH) };
        let state = match doing {
            _ if thread.0 == scheduler.running => 1,
            Doing::Free | Doing::Ready => 2,
            Doing::Semaphore(_) | Doing::Lock { .. } => 3,
            Doing::Sleeping => 4,
            Doing::Joining(_) => 5,
            Doing::Stack(_) => 6,
            Doing::Ended => 7,
        };
        Return(state << 48 | (priority as isize) << 32 | home as isize)
    })
}
extern "C" fn doing(thread: ThreadIndex, _measures: usize) -> isize {
    enter(|scheduler| {
        let found = if thread.0 == IDLE { Some(scheduler.threads[IDLE]) } else { scheduler.live(thread.0).copied() };
        let Some(Thread { doing, ran, .. }) = found else { return refuse(Error::ESRCH) };
        let what = match doing {
            _ if thread.0 == scheduler.running => What::Runs,
            Doing::Free | Doing::Ready => What::Ready,
            Doing::Semaphore(id) => What::Semaphore(id),
            Doing::Lock { holder, .. } => What::Lock(holder),
            Doing::Sleeping => What::Sleeps,
            Doing::Joining(other) => What::Joins(other),
            Doing::Stack(domain) => What::Stack(domain),
            Doing::Ended => What::Ended,
        };
        Return(activity::Doing::new(what, ran as u32).word() as isize)
    })
}
