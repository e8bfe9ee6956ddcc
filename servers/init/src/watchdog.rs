//! The watchdog: a component that does not answer is ended, as for a fault.
//!
//! A thread of init's, of the highest priority there is, looks at intervals what all threads do (`inspect.thread`), and ends a component a call of which has been in it for longer than the manifest lets it ([`waits::Deadlines`]). Further threads call the portals by which components say
//! whether they are well, each at its component's own priority and none above it: whoever hangs there is late as in any other call.
//!
//! What a look needs of memory may be missing: then what was measured begins anew. A look that takes long, since there are many threads, makes the next one come later.

use crate::{Running, tell_of, with};
use abi::Error;
use abi::activity::{Activity, GRANTED};
use abi::identity::DomainId;
use abi::inspect::{NO_REGISTRATION, Portal};
use abi::name::Short;
use abi::nucleus::PRIORITIES;
use abi::section::text;
use abi::system::SET_PRIORITY;
use core::sync::atomic::{AtomicU64, Ordering};
use init_logic::line::Line;
use manifest::{Component, Health, System};
use pebble::Result;
use pebble::interfaces::types::{Address, Alleged, DomainNumber, PortalNumber, ThreadIndex};
use pebble::interfaces::{domains, inspect, portals};
use pebble::time::{TIMEBASE, hrtime, sleep, time};
use waits::{Deadlines, Inside, Late, Limits, Picture};

/// Priority of who looks: the highest there is.
const HIGHEST: usize = PRIORITIES - 1;
/// Units of [`time`] in a millisecond.
const MILLISECOND: u64 = TIMEBASE / 1000;
/// Ticks of `hrtime` in that, about.
const TICKS: u64 = 500_000;
/// Looks in the shortest deadline.
const LOOKS: u64 = 4;
/// Milliseconds between two looks, at most.
const LONGEST: u64 = 100;
/// From one look to the next it is at least so many times as long as a look takes.
const REST: u64 = 10;

/// Starts the threads, where a component has deadlines. `ENOMEM`, `ENFILE`.
pub fn start(system: &'static System) -> Result<()> {
    let Some(shortest) = system.components.iter().filter_map(Component::shortest_deadline).min() else { return Ok(()) };
    let apart = (u64::from(shortest) / LOOKS).clamp(1, LONGEST);
    begin(look_always, apart as usize, HIGHEST)?;
    for (place, component) in system.components.iter().enumerate().filter(|(_, component)| component.health.is_some()) {
        begin(ask_always, place, usize::from(component.priority))?;
    }
    Ok(())
}
/// Starts a thread of that priority, above which nobody on it goes.
fn begin(entry: extern "C" fn(usize) -> !, argument: usize, priority: usize) -> Result<()> {
    // A trusted component's thread starts on its service stack, so no stack is given.
    portals::thread_create(Address(entry as *const () as usize), Address(0), argument, priority).map(|_| ())
}
extern "C" fn look_always(apart: usize) -> ! {
    let (mut picture, mut deadlines, mut limits) = (Picture::new(), Deadlines::new(), Known::NOTHING);
    let apart = apart as u64 * MILLISECOND;
    let (mut before, mut took, mut blind) = (time(), 0, false);
    loop {
        // Not evenly: who would have nobody late, or somebody else, does not know when it is.
        let rest = apart.max(REST * took);
        let rest = rest - rest / 4 + mixed() % (rest / 2);
        sleep(rest * TICKS / MILLISECOND);
        let now = time();
        // Not what others' threads were kept from by this one, nor what it was kept from itself.
        let passed = now.saturating_sub(before).min(2 * rest);
        limits.begin();
        match look(&mut picture).and_then(|()| deadlines.look(&picture, passed, &mut limits)) {
            Ok(late) => {
                blind = false;
                late.iter().for_each(|late| end_late(late, &picture, &mut limits.failed));
            }
            Err(error) => {
                // What was marked by this look may be others' calls.
                deadlines.forget();
                if !core::mem::replace(&mut blind, true) {
                    tell_of("init", format_args!("pebble: deadlines are not looked after at times: {}", error.text()));
                }
            }
        }
        before = time();
        took = before.saturating_sub(now);
    }
}
/// A number that nobody knows before.
fn mixed() -> u64 {
    static MIXED: AtomicU64 = AtomicU64::new(0);
    let mixed = (MIXED.load(Ordering::Relaxed) ^ hrtime()).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    MIXED.store(mixed, Ordering::Relaxed);
    mixed >> 16
}
/// Looks at all threads. `ENOMEM`: not all are in the picture.
#[inline(never)]
fn look(picture: &mut Picture) -> Result<()> {
    picture.clear();
    let mut activity = Activity::NONE;
    let mut next = 1;
    loop {
        match inspect::thread(ThreadIndex(next), 1, Alleged::lend_to_write(&mut activity)) {
            Ok(index) => next = index.0 + 1,
            Err(Error::ESRCH) => return picture.finish(),
            Err(error) => return Err(error),
        }
        picture.add(&activity)?;
    }
}
/// The component that runs in domain `server`.
fn component(server: u64) -> Option<&'static Component> {
    let domain = DomainId::of(server)?;
    with(|init| {
        let runs = init.running.iter().find(|running| running.domain == domain);
        runs.map(|running| running.component)
    })
    .flatten()
}
/// How long calls may take, as it was found out in this look.
struct Known {
    /// Server, registration, limit; `0`, …: a place that is free.
    limits: [(u64, u64, Option<u64>); Known::KEPT],
    next: usize,
    failed: Failed,
}
/// The words of the identities of the last domains that could not be ended.
struct Failed([u64; Known::KEPT]);
impl Failed {
    fn add(&mut self, domain: u64) {
        self.0.rotate_right(1);
        self.0[0] = domain;
    }
}
impl Known {
    const KEPT: usize = 16;
    const NOTHING: Known = Known { limits: [(0, 0, None); Known::KEPT], next: 0, failed: Failed([0; Known::KEPT]) };

    /// A look begins.
    fn begin(&mut self) {
        self.limits = Known::NOTHING.limits;
    }
}
impl Limits for Known {
    fn of(&mut self, call: &Inside) -> Option<u64> {
        if self.failed.0.contains(&call.server) {
            return None;
        }
        let known = self.limits.iter().find(|(server, by, _)| (*server, *by) == (call.server, call.registration));
        if let Some((_, _, limit)) = known {
            return *limit;
        }
        let found = limit(call);
        self.limits[self.next % Known::KEPT] = (call.server, call.registration, found);
        self.next = self.next.wrapping_add(1);
        found
    }
    fn are_there(&mut self, domain: u64) -> bool {
        component(domain).is_some_and(|component| component.shortest_deadline().is_some())
    }
}

/// How long a call may be in the component that serves it.
#[inline(never)]
fn limit(call: &Inside) -> Option<u64> {
    let component = component(call.server)?;
    component.shortest_deadline()?;
    let milliseconds = match call.registration {
        NO_REGISTRATION => None,
        GRANTED => component.deadline_of_granted(),
        // One whose name is not known any more, or not yet, is looked at again.
        _ => component.deadline_of(name(call)?.text()),
    };
    Some(u64::from(milliseconds?) * MILLISECOND)
}
/// What a call was made by.
#[inline(never)]
fn name(call: &Inside) -> Option<Line> {
    let mut portal = Portal::NONE;
    let number = PortalNumber(usize::try_from(call.registration).ok().filter(|_| call.registration < GRANTED)?);
    inspect::portal(DomainNumber(0), number, Alleged::lend_to_write(&mut portal)).ok()?;
    Some(Line::of(format_args!("{}", text(&portal.name))))
}
/// Ends the component that a call is late in; `failed`: those that could not be.
#[inline(never)]
fn end_late(late: &Late, picture: &Picture, failed: &mut Failed) {
    let Some(component) = component(late.call.server) else { return };
    let called = name(&late.call);
    let called = called.as_ref().map_or("a call", Line::text);
    let caller = match self::component(late.caller) {
        Some(caller) => caller.name.as_str(),
        None if late.caller as u16 as usize == pebble::thread::asid() => "init",
        None => "another",
    };
    let (own, had) = (component.name.as_str(), late.had / MILLISECOND);
    let circle = if late.circle.is_some() { ", in a circle of waits" } else { "" };
    tell_of(
        own,
        format_args!("pebble: {own} does not answer: {called} of {caller} has been in it for {had} ms{circle}"),
    );
    if let Some(circle) = late.circle {
        tell_circle(component, circle, picture);
    }
    end(component, late.call.server, failed);
}
fn end(component: &Component, server: u64, failed: &mut Failed) {
    let ended = DomainId::of(server).map_or(Err(Error::ESRCH), |domain| domains::destroy(domain.into()));
    if let Err(error) = ended {
        failed.add(server);
        let name = component.name.as_str();
        tell_of(name, format_args!("pebble: {name} was not ended: {}", error.text()));
    }
}
/// Says who waits for whom in a circle.
#[inline(never)]
fn tell_circle(component: &Component, circle: u32, picture: &Picture) {
    tell_of(&component.name, format_args!("pebble: these wait for each other:{}", Members { circle, picture }));
}
/// The threads of a circle, and where they are.
struct Members<'a> {
    circle: u32,
    picture: &'a Picture,
}
impl core::fmt::Display for Members<'_> {
    fn fmt(&self, to: &mut core::fmt::Formatter) -> core::fmt::Result {
        /// So many are named at most.
        const NAMED: usize = 6;
        for (n, thread) in self.picture.circle_of(self.circle).take(NAMED).enumerate() {
            let inside = component(self.picture.inside(thread)).map_or("another", |component| component.name.as_str());
            to.write_str(if n == 0 { " thread " } else { ", thread " })?;
            core::fmt::Display::fmt(&thread.index, to)?;
            to.write_str(" in ")?;
            to.write_str(inside)?;
        }
        Ok(())
    }
}

/// Asks the component whose number in the system that is whether it is well, for ever. It is let in, whoever else is: init's account has a stack of its own there.
extern "C" fn ask_always(place: usize) -> ! {
    let component = with(|init| init.system.components.get(place)).flatten();
    let asked = component.and_then(|component| Some((component, component.health.as_ref()?)));
    let mut failed = Known::NOTHING.failed;
    while let Some((component, health)) = asked {
        // Whoever was called may have changed it.
        pebble::portal::call(SET_PRIORITY, [usize::from(component.priority)]);
        sleep(u64::from(health.period) * TICKS);
        let runs = |running: &&Running| running.component.name == component.name && running.succeeds.is_none();
        let domain = || with(|init| init.running.iter().find(runs).map(|running| running.domain.word())).flatten();
        let Some(before) = domain() else { continue };
        let says = ask(health);
        // Whatever it said, one that has ended since is another's to look after, and one that has begun has not been asked.
        if let Some(error) = says.err().filter(|_| domain() == Some(before) && !failed.0.contains(&before)) {
            let (name, portal) = (component.name.as_str(), health.portal.as_str());
            tell_of(name, format_args!("pebble: {name} says by {portal} that it is not well: {}", error.text()));
            end(component, before, &mut failed);
        }
    }
    pebble::thread::exit()
}
/// What the component says.
#[inline(never)]
fn ask(health: &Health) -> Result<()> {
    let name = Short::of(health.portal.as_bytes());
    // It may not have registered it yet.
    let Ok(portal) = portals::open(Alleged::lend_unseen(&name)) else { return Ok(()) };
    let said = if takes_words(portal) { pebble::portal::call(portal.0, [0; 6]) } else { Error::EINVAL.code() };
    let _ = portals::close(portal);
    match Error::from_code(said) {
        // It has ended, or is about to.
        None | Some(Error::EDEAD) => Ok(()),
        Some(error) => Err(error),
    }
}
/// Whether a portal of init's takes nothing but words.
#[inline(never)]
fn takes_words(portal: PortalNumber) -> bool {
    let mut own = Portal::NONE;
    let asid = pebble::thread::asid();
    let told = inspect::portal(DomainNumber(asid), portal, Alleged::lend_to_write(&mut own));
    told.is_ok() && text(&own.spec).chars().skip(2).all(|letter| "ic=tadh".contains(letter))
}
