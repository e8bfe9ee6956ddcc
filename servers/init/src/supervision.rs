//! Supervision: components that have ended are started again, at once or after a pause, and with them those that can not do without them.
//!
//! Who watches for ends (`watch` of `main`) decides, and starts what is started at once. What waits, for a pause to be over, for memory or for the component
//! that it is started behind, is in a list of `Init`; a thread of its own starts that, so that who watches goes on.
//! Whoever starts something takes it from there, so that nothing is started twice, and leaves its place, which others are held back by; what becomes of those
//! thereby is in the list, too: nothing here calls itself.

use crate::{Init, Running, STARTING, WATCHING, attempt, not_started, tell_of, with};
use abi::Error;
use abi::identity::DomainId;
use abi::supervision::State;
use abi::system::{Ended, SET_PRIORITY, ended};
use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};
use fallible::TryPush;
use init_logic::restarts::{Restarts, starts_again};
use manifest::{Component, Isolation, System};
use pebble::account;
use pebble::interfaces::types::{Address, SemaphoreId, Ticks};
use pebble::interfaces::{domains, portals, scheduler};
use pebble::sync::Semaphore;
use pebble::time::{TIMEBASE, hrtime, time};

/// Units of [`time`] in a millisecond.
const MILLISECOND: u64 = TIMEBASE / 1000;
/// After so long it is tried again to start what there was no memory for.
const AGAIN: u64 = 100 * MILLISECOND;
/// Ticks of `hrtime` in a unit of [`time`], about; and bounds of what is waited at a time: 0.5 ms, 0.1 s.
const RATE: u64 = 50;
const SHORTEST: u64 = 250_000;
const LONGEST: u64 = 50_000_000;
/// Threads of an account that may wait for something to happen to a component: each takes two of init's portals.
const WATCHERS: usize = 4;
/// `thread.create`'s word for the caller's own priority.
const SAME_PRIORITY: usize = usize::MAX;

/// What is to be started again, and who waits to hear of it.
#[derive(Default)]
pub struct Waiting {
    all: Vec<Later>,
    /// The component that has ended, and of which it is not decided yet how it is started again.
    undecided: Option<&'static Component>,
    /// Threads that wait until something happens to a component.
    watchers: Vec<Watcher>,
}
struct Watcher {
    /// Whose it is, and what wakes it.
    account: usize,
    semaphore: usize,
    /// Something has happened since it began to wait.
    woken: bool,
}
/// A component that is to be started again.
struct Later {
    component: &'static Component,
    /// When, in units of [`time`].
    at: u64,
    /// The component that is to be started before it.
    behind: Option<&'static Component>,
    /// It was tried, and there was no memory.
    tried: bool,
    /// `None`: it is being started.
    running: Option<Running>,
}
/// The time of a domain of protection of whose task it is not known yet what becomes of it.
const NEVER: u64 = u64::MAX;

impl Later {
    fn of(running: Running, at: u64) -> Later {
        Later { component: running.component, at, behind: running.with, tried: false, running: Some(running) }
    }
    fn is(&self, name: &str) -> bool {
        self.component.name == name
    }
}
impl Waiting {
    /// With room for each component of the system. `ENOMEM`.
    pub fn of(system: &System) -> pebble::Result<Waiting> {
        let mut waiting = Waiting::default();
        waiting.all.room_for(system.components.len())?;
        Ok(waiting)
    }
    /// Whether it is to be started again.
    pub fn has(&self, name: &str) -> bool {
        self.all.iter().any(|later| later.is(name)) || self.is_undecided(name)
    }
    fn is_undecided(&self, name: &str) -> bool {
        self.undecided.is_some_and(|component| component.name == name)
    }
    /// Whether it is to be started again, or being started, and not for another's sake.
    fn has_failed(&self, name: &str) -> bool {
        self.all.iter().any(|later| later.is(name) && later.behind.is_none() && later.at != NEVER)
    }
    /// When the next one is to be started.
    fn next(&self) -> Option<u64> {
        let waits = |later: &&Later| later.running.is_some() && later.at != NEVER && !self.is_held_back(later);
        self.all.iter().filter(waits).map(|later| later.at).min()
    }
    /// Whether one that it is started behind has not been started.
    fn is_held_back(&self, later: &Later) -> bool {
        let before = later.behind.is_some_and(|before| self.has(&before.name));
        before || later.component.restart_with.iter().any(|name| !later.is(name) && self.has_failed(name))
    }
    /// One that is to be started at `now`, and whether it was tried before: the first, in the system's order, of those that no other comes before. Its place
    /// stays until it [is done](Waiting::is_done).
    fn due(&mut self, now: u64, init: (&System, &[Running])) -> Option<(Running, bool)> {
        let (system, running) = init;
        let order = |later: &Later| system.components.iter().position(|c| later.is(&c.name));
        // Of those that are ended with one, all are waited for, and they are started one after the other.
        let ending = |before: &Component| running.iter().any(|r| r.with.is_some_and(|with| with.name == before.name));
        let starting = |before: &Component| {
            let its = |later: &Later| later.behind.is_some_and(|other| other.name == before.name);
            self.all.iter().any(|later| later.running.is_none() && its(later))
        };
        let waits = |before: &Component| ending(before) || starting(before);
        let is_due = |later: &&Later| later.running.is_some() && later.at <= now;
        let ready = |later: &&Later| !self.is_held_back(later) && !later.behind.is_some_and(waits);
        // Two of which each waits for the other, by whatever way they came to that: one begins.
        let still = self.all.iter().all(|later| is_due(&later) || later.at == NEVER)
            && running.iter().all(|r| r.with.is_none());
        let first = self.all.iter().filter(is_due).filter(ready).min_by_key(|later| order(later));
        let chosen = first.or_else(|| self.all.iter().find(is_due).filter(|_| still))?;
        let place = self.all.iter().position(|later| core::ptr::eq(later, chosen))?;
        let later = self.all.get_mut(place)?;
        let running = later.running.take()?;
        Some((Running { with: later.behind, ..running }, later.tried))
    }
    /// One that was due is started, or to be started later.
    fn is_done(&mut self, component: &Component) {
        if let Some(place) = self.all.iter().position(|later| later.running.is_none() && later.is(&component.name)) {
            self.all.swap_remove(place);
        }
    }
    /// Nothing that waits to be started is, of that component; whether there was any.
    fn give_up(&mut self, name: &str) -> bool {
        let before = self.all.len();
        self.all.retain(|later| later.running.is_none() || !later.is(name));
        self.all.len() < before
    }
    /// One of that component that waits, which somebody else starts.
    fn claim(&mut self, name: &str) -> Option<Running> {
        self.all.iter_mut().filter(|later| later.is(name)).find_map(|later| later.running.take())
    }
}
impl Init {
    /// What the starts of component `name` were.
    fn restarts_of(&mut self, name: &str) -> Option<&mut Restarts> {
        let place = self.place(name)?;
        self.restarts.get_mut(place)
    }
    fn runs(&self, name: &str) -> bool {
        self.running.iter().any(|running| running.component.name == name)
    }
    /// What is told of component `name`. `ENOENT`.
    fn state(&self, name: &str) -> Result<State, Error> {
        let place = self.place(name).filter(|place| !self.system.components[*place].boot).ok_or(Error::ENOENT)?;
        let restarts = self.restarts.get(place).ok_or(Error::ENOENT)?;
        Ok(restarts.state(self.runs(name), self.waiting.has(name)))
    }
    /// Something has happened to a component: all that wait to hear of one look again.
    pub fn happened(&mut self) {
        for watcher in self.waiting.watchers.iter_mut().filter(|watcher| !watcher.woken) {
            watcher.woken = true;
            // Under the lock: it is there until who waits has said that it does no more.
            pebble::portal::call(watcher.semaphore + 1, []);
        }
    }
    /// It is known what becomes of task `task`: its parts are started if it runs, given up if it does not, and wait where it is to be started later.
    fn parts_of(&mut self, task: &Component) {
        let (runs, waits) = (self.runs(&task.name), self.waiting.has(&task.name));
        self.waiting.all.retain_mut(|later| {
            let its = later.at == NEVER && later.component.task == task.name;
            if its && runs {
                later.at = 0;
            }
            !its || runs || waits
        });
    }
    /// Of a component that has ended so, it is being decided how it is started again, if it is.
    pub fn decide(&mut self, running: &Running, how: &Ended) {
        let again = running.with.is_some() || starts_again(running.restart, how);
        self.waiting.undecided = again.then_some(running.component);
    }
    /// It is decided.
    fn is_decided(&mut self, component: &Component) {
        self.waiting.undecided = None;
        self.is_settled(component);
    }
    /// It is known whether `component` runs, or is started again: its parts follow it, and who waits to hear of it does.
    fn is_settled(&mut self, component: &Component) {
        self.parts_of(component);
        self.forget_lost();
        self.happened();
    }
    /// Somebody has `component` started: that it has failed before does not count, and nobody else starts it. What of it waits for that; `None`: it is not
    /// decided yet whether it does.
    fn is_begun(&mut self, component: &Component) -> Option<Option<Running>> {
        if self.waiting.is_undecided(&component.name) {
            return None;
        }
        if let Some(restarts) = self.restarts_of(&component.name) {
            restarts.forget();
        }
        Some(self.waiting.claim(&component.name))
    }
    /// That it was started is over, one way or the other.
    fn is_over(&mut self, component: &Component) {
        self.waiting.is_done(component);
        self.is_settled(component);
    }
    /// A component begins to run.
    pub fn starts(&mut self, component: &Component) {
        if let Some(restarts) = self.restarts_of(&component.name) {
            restarts.started();
        }
        self.happened();
    }
    /// Whoever can not do without `component`, or without one that is started behind it, is from now on to be started behind it: those that run are
    /// [to be ended](Init::next_to_end), and those that wait to be started anyway do that.
    fn mark_dependents(&mut self, component: &'static Component) {
        let with = |other: Option<&Component>| other.is_some_and(|other| other.name == component.name);
        loop {
            let (running, waiting) = (&self.running, &self.waiting.all);
            let ends = |name: &String| {
                let ends = running.iter().any(|r| with(r.with) && r.component.name == *name);
                *name == component.name || ends || waiting.iter().any(|later| with(later.behind) && later.is(name))
            };
            let depends = |c: &Component| c.name != component.name && c.restart_with.iter().any(ends);
            let waits = |later: &Later| later.behind.is_none() && later.running.is_some() && depends(later.component);
            let own =
                |r: &Running| r.with.is_none() && r.starter.is_none() && r.succeeds.is_none() && !r.component.main;
            let places = (waiting.iter().position(waits), running.iter().position(|r| own(r) && depends(r.component)));
            let (waits, runs) = places;
            if let Some(later) = waits.and_then(|place| self.waiting.all.get_mut(place)) {
                later.behind = Some(component);
            } else if let Some(running) = runs.and_then(|place| self.running.get_mut(place)) {
                running.with = Some(component);
                running.to_end = true;
            } else {
                return;
            }
        }
    }
    /// One that is to be ended, since another is that it can not do without.
    fn next_to_end(&mut self) -> Option<DomainId> {
        let running = self.running.iter_mut().find(|running| running.to_end)?;
        running.to_end = false;
        Some(running.domain)
    }
}

/// A component has ended so.
pub fn ended(running: Running, how: &Ended) {
    let component = running.component;
    // Who has come to its end by itself has not been ended with another.
    let with_another = running.with.is_some() && how.kind != ended::EXIT;
    if with_another {
        put(Later::of(running, 0));
    } else if starts_again(running.restart, how) {
        restart(Running { with: None, ..running }, 0);
    }
    with(|init| init.is_decided(component));
}
/// A domain of protection has ended with its task, of which it is told next: it is started with that one again.
pub fn ended_with_task(running: Running) {
    let component = running.component;
    // What somebody asked for is that one's to start again.
    if running.starter.is_none() {
        put_with_dependents(Later::of(running, NEVER));
    }
    with(|init| init.is_decided(component));
}
/// What is left of a component that has ended while another was to take its place is started again.
pub fn left(running: Running) {
    let component = running.component;
    if running.with.is_some() {
        put(Later::of(running, 0));
    } else {
        restart(running, 0);
    }
    with(|init| {
        init.is_replaced_no_more(component);
        init.is_settled(component);
    });
    wake();
}
/// What has ended to make way for another, which could not take its place, is started again at once: it has not failed.
pub fn comes_back(running: Running) {
    let component = running.component;
    let name = component.name.as_str();
    tell_of(name, format_args!("pebble: {name} was not replaced, and is started again"));
    put(Later::of(running, time()));
    with(|init| init.is_settled(component));
    wake();
}
/// Has a component that has failed started again, at once or after a pause, of `least` units at least, unless that would be too often.
fn restart(running: Running, least: u64) {
    let component = running.component;
    let name = component.name.as_str();
    let limits = &component.restarts;
    let pause = with(|init| init.restarts_of(name).and_then(|restarts| restarts.pause(time(), limits, MILLISECOND)));
    let Some(pause) = pause.flatten().map(|pause| pause.max(least)) else {
        return tell_of(name, format_args!("pebble: {name} keeps failing and is not started again"));
    };
    match pause / MILLISECOND {
        0 => tell_of(name, format_args!("pebble: starting {name} again")),
        pause => tell_of(name, format_args!("pebble: starting {name} again in {pause} ms")),
    }
    put_with_dependents(Later::of(running, time() + pause));
}
/// Has a component started again, and ends those that can not do without it.
fn put_with_dependents(later: Later) {
    let component = later.component;
    put(later);
    // All are marked before the first has ended: who is started again meanwhile is none of them.
    with(|init| init.mark_dependents(component));
    while let Some(domain) = with(Init::next_to_end).flatten() {
        let _ = domains::destroy(domain.into());
    }
}
/// Has a component started again.
fn put(later: Later) {
    let component = later.component;
    let kept = with(|init| {
        let kept = init.waiting.all.try_push(later);
        init.is_replaced_no_more(component);
        init.happened();
        kept
    });
    if let Some(Err(error)) = kept {
        not_started(component, error);
    }
}
/// Wakes the thread that starts what waits: there may be more of it.
pub fn wake() {
    let more = MORE.load(Ordering::Relaxed);
    if more != 0 {
        let _ = scheduler::v_id(SemaphoreId(more));
    }
}
/// Starts what is to be started by now.
pub fn start_due() {
    let due = |init: &mut Init| init.waiting.due(time(), (init.system, &init.running));
    while let Some((running, tried)) = with(due).flatten() {
        let component = running.component;
        if let Some(before) = running.with.filter(|_| !tried) {
            let (name, before) = (component.name.as_str(), before.name.as_str());
            tell_of(name, format_args!("pebble: starting {name} again behind {before}"));
        }
        begin(running, tried);
        with(|init| init.is_over(component));
    }
}
/// Starts a component again, with the words that it had. Where that fails, it is tried again; whether it was before.
fn begin(running: Running, tried: bool) {
    let component = running.component;
    let words = running.words();
    let Err(error) = words.and_then(|words| starting(|| attempt(component, words))) else { return };
    if !tried || error != Error::ENOMEM {
        not_started(component, error);
    }
    let at = time() + AGAIN;
    let of_task = error == Error::EDEAD && component.isolation == Isolation::Dp;
    let task_comes = |init: &mut Init| init.runs(&component.task) || init.waiting.has(&component.task);
    if error == Error::ENOMEM {
        put_with_dependents(Later { tried: true, ..Later::of(running, at) });
    } else if !of_task {
        // One that is killed while it is being loaded is begun anew: nobody else hears of that end.
        restart(Running { with: None, ..running }, AGAIN);
    } else if with(task_comes) == Some(true) {
        put(Later::of(running, at));
    }
}
/// Runs `start` at the priority at which components are started.
fn starting<T>(start: impl FnOnce() -> T) -> T {
    pebble::portal::call(SET_PRIORITY, [STARTING]);
    let started = start();
    pebble::portal::call(SET_PRIORITY, [WATCHING]);
    started
}

/// Id of the semaphore that says that there may be more to be started.
static MORE: AtomicUsize = AtomicUsize::new(0);

/// Starts the thread that starts what waits. `ENOMEM`, `ENFILE`.
pub fn start() -> pebble::Result<()> {
    let more = scheduler::semaphore_create(0)?.0;
    // A trusted component's thread starts on its service stack, so no stack is given.
    portals::thread_create(Address(serve as *const () as usize), Address(0), more, SAME_PRIORITY)?;
    MORE.store(more, Ordering::Relaxed);
    Ok(())
}
extern "C" fn serve(more: usize) -> ! {
    pebble::portal::call(SET_PRIORITY, [WATCHING]);
    loop {
        let wait = match with(|init| init.waiting.next()).flatten() {
            None => Ticks::FOR_EVER,
            Some(at) => {
                let units = at.saturating_sub(time());
                Ticks(units.saturating_mul(RATE).clamp(SHORTEST, LONGEST) as usize)
            }
        };
        let _ = scheduler::p_id(SemaphoreId(more), wait);
        start_due();
    }
}

/// Waits for domain `whose` until something has happened to component `name` since its state was `seen`, so many ticks of `hrtime` at most. `ENOENT`: there is no such component, or it is one
/// of the first; `EBUSY`: as many threads of its account wait as may; `ETIMEDOUT`; `ECANCELED`; `ENOMEM`; `EDEAD`.
pub fn watch(whose: DomainId, name: &str, seen: usize, ticks: usize) -> pebble::Result<State> {
    let look = |init: &mut Init| init.state(name);
    let state = with(look).unwrap_or(Err(Error::EAGAIN))?;
    if state.word() != seen {
        return Ok(state);
    }
    let account = account::of(whose)?.number();
    // This thread's own: it is there as long as somebody may post it.
    let semaphore = Semaphore::new(0)?;
    let own = semaphore.number();
    with(|init| {
        let watchers = &mut init.waiting.watchers;
        if watchers.iter().filter(|watcher| watcher.account == account).count() >= WATCHERS {
            return Err(Error::EBUSY);
        }
        watchers.try_push(Watcher { account, semaphore: own, woken: false })
    })
    .unwrap_or(Err(Error::EAGAIN))?;
    let until = hrtime().saturating_add(ticks as u64);
    let changed = loop {
        let state = with(|init| {
            let its = init.waiting.watchers.iter_mut().find(|watcher| watcher.semaphore == own);
            its.into_iter().for_each(|watcher| watcher.woken = false);
            init.state(name)
        });
        match state.unwrap_or(Err(Error::EAGAIN)) {
            Ok(state) if state.word() == seen => {}
            other => break other,
        }
        let left = until.saturating_sub(hrtime());
        let waited = if left == 0 { Err(Error::ETIMEDOUT) } else { semaphore.wait_for(left) };
        if let Err(error) = waited {
            break Err(error);
        }
    };
    with(|init| init.waiting.watchers.retain(|watcher| watcher.semaphore != own));
    changed
}
/// Component `name` is not started again, where it waits for that. `ESRCH`: it does not.
pub fn give_up(name: &str) -> pebble::Result<()> {
    let given_up = with(|init| {
        let place = init.place(name).filter(|_| init.waiting.give_up(name));
        let component = place.and_then(|place| init.system.components.get(place));
        component.into_iter().for_each(|component| init.is_settled(component));
        place
    });
    wake();
    given_up.flatten().map(|_| ()).ok_or(Error::ESRCH)
}
/// Runs `start`, by which somebody has `component` started: it is the one that waits to be started, if there is one, and what has failed before does not count. Where it
/// can not be started, that one waits on.
pub fn by_hand<T>(component: &'static Component, start: impl FnOnce() -> pebble::Result<T>) -> pebble::Result<T> {
    let claimed = loop {
        match with(|init| init.is_begun(component)) {
            Some(Some(claimed)) => break claimed,
            Some(None) => pebble::time::sleep(SHORTEST),
            None => return Err(Error::EAGAIN),
        }
    };
    let started = start();
    let claims = claimed.is_some();
    if let Some(running) = claimed.filter(|_| started.is_err()) {
        put(Later::of(running, time() + AGAIN));
    }
    with(|init| {
        if claims {
            init.waiting.is_done(component);
        }
        init.is_settled(component);
    });
    wake();
    started
}
