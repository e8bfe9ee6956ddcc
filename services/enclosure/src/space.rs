//! Several components that are fault domains in one address space, by `host = "…"` of their blocks. The first is the one whose domain it is, and ends with
//! it; each other one has a thread of the runtime's that lays it out, and again when a fault has ended it.
//!
//! What each may open and provide is what its own block says, though the domain may what any of them may; the numbers of portals that one has
//! been given are no others'. Between two of them a portal is a software portal into either ([`crate::local`]), by way of the runtime and without a trap.

use crate::calls::{Answer, Portals, refused};
use crate::component::{self, Component, OfSpace, Place};
use crate::domain::{self, Fault};
use crate::image::Image;
use crate::local::{Connections, DEPTH, Offer};
use crate::member::{End, Name, OWNERS};
use crate::serving::{self, Copied, Letters, text};
use crate::{Layout, Why};
use abi::Error;
use abi::enclosure::GUESTS;
use abi::nucleus::NAMELEN;
use abi::system::{self, Description, Ended, Registration, admission, cause_text, ended};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use arch::component::copy_guarded;
use core::sync::atomic::{AtomicUsize, Ordering};
use fallible::TryPush;
use init_logic::line::Line;
use init_logic::restarts::{Restarts, starts_again};
use init_logic::start::{Request, block};
use pebble::sync::Mutex;
use pebble::{Result, faults, portal, thread, time};
use verifier::Uses;

/// Bytes of a main thread's stack.
const STACK: u64 = abi::address::MAIN_STACK as u64;
/// Ticks of `hrtime` after which one for which there was no memory is laid out again.
const LATER: u64 = 50_000_000;
/// What they have registered.
static OFFERS: Mutex<Vec<Offer<&'static Component>>> = Mutex::new(Vec::new());
/// Names that one of them has registered, from before the system knows of it until after: a portal of the system's to its own domain would carry along whatever
/// is in floating-point registers, so none of them gets one to another.
static NAMES: Mutex<Vec<Name>> = Mutex::new(Vec::new());
/// The number of the system log's portal, or 0.
static LOG: AtomicUsize = AtomicUsize::new(0);

/// A call out of a fault domain that shares its space: the stub comes here.
extern "C" fn decide_of_several(place: &mut Place) -> i64 {
    let component = place.of;
    component.member.as_ref().map_or(Error::EPORTAL.code() as i64, |member| decide(component, member, place))
}
/// The same, of one that is known to.
fn decide(component: &'static Component, member: &'static OfSpace, place: &mut Place) -> i64 {
    let [a0, a1, a2, a3, a4, a5, number] = place.block.arguments;
    let first = member.number == 0;
    let answer = match number as usize {
        system::EXIT if first => thread::exit_domain(a0 as i32),
        system::EXIT => {
            member.end_with(End::Exit(a0 as i64));
            refused(Error::EDEAD)
        }
        // One of its own, or a call that the system has made: it is unwound to who called.
        system::THREAD_EXIT if first && place.depth == 0 => component.exit_thread(place),
        system::THREAD_EXIT => Answer::End(Error::EDEAD.code() as i64),
        _ => answer(component, member, place.depth, number, [a0, a1, a2, a3, a4, a5]),
    };
    // Whoever comes back to one that has ended meanwhile goes on where it was called from.
    let (ended, result) = match answer {
        _ if !member.alive.load(Ordering::SeqCst) => (1, Error::EDEAD.code() as i64),
        Answer::Result(result) => (0, result),
        Answer::End(result) => (1, result),
    };
    place.block.ended = ended;
    result
}
fn answer(
    component: &'static Component,
    member: &'static OfSpace,
    depth: u8,
    number: u64,
    arguments: [u64; 6],
) -> Answer {
    if Connections::<&'static Component>::has(number) {
        return call(component, member, depth, number, &arguments);
    }
    let of_result = |result: Result<i64>| Answer::Result(result.unwrap_or_else(|error| error.code() as i64));
    match number as usize {
        system::PORTAL_OPEN => of_result(open(component, member, arguments[0])),
        system::PORTAL_REGISTER => of_result(register(component, member, arguments[0])),
        system::PORTAL_UNREGISTER => of_result(unregister(component, member, arguments[0])),
        system::PORTAL_CLOSE if Connections::<&'static Component>::has(arguments[0]) => {
            member.connections.close(arguments[0])
        }
        system::PORTAL_INFO if Connections::<&'static Component>::has(arguments[0]) => {
            info(component, member, arguments[0], arguments[1])
        }
        // They are one server to the system, which would tell one what another has granted.
        system::GRANT | system::GRANTED | system::PORTAL_GONE | system::PORTAL_ADMIT => refused(Error::ENOTSUP),
        _ => of_the_system(component, number, arguments),
    }
}
// Calls between fault domains nest on one stack: what other calls need of it is in functions of their own.
#[inline(never)]
fn of_the_system(component: &Component, number: u64, arguments: [u64; 6]) -> Answer {
    let most = component.member.as_ref().map(|member| member.block.priority);
    serving::passed_on(&component.system, &component.layout, most, number, arguments)
        .unwrap_or_else(|| component.calls.answer(number, arguments))
}
/// A call through a portal to another one of the space. No trap is on its way.
fn call(component: &'static Component, member: &'static OfSpace, depth: u8, number: u64, words: &[u64; 6]) -> Answer {
    member.connections.through(number, |offer| {
        let Some(called) = &offer.by.member else { return refused(Error::EPORTAL) };
        if depth >= DEPTH {
            return refused(Error::ENOSTACK);
        }
        let mut arguments = match offer.arguments(&component.layout, number, words) {
            Ok(arguments) => arguments,
            Err(error) => return refused(error),
        };
        Answer::Result(called.while_alive(Some(offer.life), || {
            arch::component::keeping_thread(|| offer.by.serve((offer.entry, offer.letters), &mut arguments, depth + 1))
        }))
    })
}
/// A name that `component` has at `address`, as it is now.
fn name(component: &Component, address: u64) -> Result<Name> {
    serving::read(component, &component.layout, address)
}
#[inline(never)]
fn open(component: &'static Component, member: &OfSpace, address: u64) -> Result<i64> {
    let name = name(component, address)?;
    if !member.block.opens(text(&name.0)) {
        return Err(Error::EACCESS);
    }
    if let Some(offer) = OFFERS.lock().iter().find(|offer| text(&offer.name) == text(&name.0)) {
        // What a portal says of the caller, the thread and the time is the system's to say.
        let possible = Offer::<()>::is_possible(text(&offer.specification));
        return if possible { Ok(member.connections.open(*offer)) } else { Err(Error::ENOTSUP) };
    }
    // It may be about to be one of theirs, or to be one no more.
    let others = || !NAMES.lock().iter().any(|own| text(&own.0) == text(&name.0));
    component.calls.open(name.0.as_ptr() as u64, others).ok_or(Error::ENOENT)
}
/// One that has registered it, or would have, has it no more.
fn give_up(name: &[u8; NAMELEN]) {
    let mut names = NAMES.lock();
    let at = names.iter().position(|own| text(&own.0) == text(name));
    at.map(|at| names.swap_remove(at));
}
#[inline(never)]
fn register(component: &'static Component, member: &OfSpace, address: u64) -> Result<i64> {
    let mut request: Copied<{ size_of::<Registration>() }> = serving::read(component, &component.layout, address)?;
    let registration = request.registration();
    if !member.block.provides(text(&registration.name)) {
        return Err(Error::EACCESS);
    }
    if registration.admission != admission::ALL as u64 {
        return Err(Error::ENOTSUP);
    }
    let entry = registration.entry;
    let of = (&component.layout, &component.entries, component.first_entry());
    NAMES.lock().try_push(Copied(registration.name))?;
    let result = component.serving.lock().register(component, of, registration);
    if !result.is_ok_and(|result| result >= 0) {
        give_up(&registration.name);
        return result;
    }
    let (name, specification, constants) = (registration.name, registration.spec, registration.constants);
    // What is not noted here would stay when it ends. Other threads register meanwhile, so room for it was not to be had before.
    member.names.lock().try_push(Copied(name)).inspect_err(|_| _ = take_back(component, &name))?;
    let letters = Letters::of(text(&specification))?;
    let life = member.life.load(Ordering::SeqCst);
    let offer = Offer { name, specification, constants, by: component, life, entry, letters };
    let noted = OFFERS.lock().try_push(offer);
    noted.inspect_err(|_| _ = forget(member, &name).then(|| take_back(component, &name)))?;
    result
}
#[inline(never)]
fn unregister(component: &'static Component, member: &OfSpace, address: u64) -> Result<i64> {
    let name = name(component, address)?;
    match forget(member, &name.0) {
        true => Ok(take_back(component, &name.0)),
        false => Err(Error::ENOENT),
    }
}
/// A name is no more one that it has registered; whether it was. One thread that takes it back finds it, as it may be a neighbour's next.
fn forget(member: &OfSpace, name: &[u8; NAMELEN]) -> bool {
    let mut names = member.names.lock();
    let own = names.iter().position(|own| text(&own.0) == text(name));
    own.map(|own| names.swap_remove(own)).is_some()
}
/// Withdraws a name that it had registered.
fn take_back(component: &'static Component, name: &[u8; NAMELEN]) -> i64 {
    OFFERS.lock().retain(|offer| !(core::ptr::eq(offer.by, component) && text(&offer.name) == text(name)));
    let name = Copied(*name);
    let result = component.system.call(system::PORTAL_UNREGISTER, [name.0.as_ptr() as u64, 0, 0, 0, 0, 0]);
    give_up(&name.0);
    result
}
/// What a portal to another one of the space is.
#[inline(never)]
fn info(component: &Component, member: &OfSpace, number: u64, to: u64) -> Answer {
    if !component.layout.holds(to, size_of::<Description>() as u64) || !to.is_multiple_of(8) {
        return refused(Error::EFAULT);
    }
    if !component.has(to, size_of::<Description>()) {
        return refused(Error::EFAULT);
    }
    member.connections.through(number, |offer| {
        let description = Description { spec: offer.specification, name: offer.name };
        // SAFETY: it is the fault domain's own. Code and constants can not be written.
        match unsafe { copy_guarded(to as usize, &raw const description as usize, size_of::<Description>()) } {
            true => Answer::Result(0),
            false => refused(Error::EFAULT),
        }
    })
}

/// A fault of this domain's: one at an instruction of a fault domain's that has a thread to itself ends that one; one of the runtime's where it copies what
/// a fault domain shows ends that; any other ends the domain.
extern "C" fn faulted(_asid: usize, cause: usize, address: usize, pc: usize) -> isize {
    if let Some(on) = arch::component::after_fault(pc) {
        return on as isize;
    }
    let executes = |other: &&'static Component| other.layout.reaches(pc as u64);
    let Some(component) = (1..=GUESTS).filter_map(component::component).find(executes) else {
        return Error::EFAULT.code();
    };
    let Some(member) = &component.member else { return Error::EFAULT.code() };
    member.end_with(End::Fault(Fault { cause, address, pc }));
    component.unwind.load(Ordering::Acquire) as isize
}

/// A program of the space.
pub struct Program {
    pub file: &'static [u8],
    pub loads: bool,
    pub form: u64,
    pub block: manifest::Component,
}
/// One that is laid out again whenever it has ended, with its verified image.
struct Kept {
    component: &'static Component,
    image: Image,
    uses: Uses,
}
/// Prepares the space for `programs`, the first of which is the one whose domain it is, and starts the others; what is known of the first.
pub fn prepare(programs: Vec<Program>) -> core::result::Result<OfSpace, String> {
    let failed = |error: Error| String::from(error.text());
    let mut kept = Vec::new();
    let mut programs = programs.into_iter();
    let first = programs.next().ok_or_else(|| String::from("there is no program beside its host"))?;
    let name = first.block.name.clone();
    let member = OfSpace::new(0, first.block, decide_of_several as *const () as usize).map_err(failed)?;
    for (n, program) in programs.take(GUESTS).enumerate() {
        let of = |why: &str| format!("{}: {why}", program.block.name);
        let layout =
            Layout::numbered(n + 1, program.form, program.loads).ok_or_else(|| of("it has a host of its own"))?;
        let image = Image::parse(program.file, &layout).map_err(|error| of(error.text()))?;
        let uses = domain::verified(&layout, &image).map_err(|why| of(&String::from(why)))?;
        let member =
            OfSpace::new(n + 1, program.block.clone(), decide_of_several as *const () as usize).map_err(failed)?;
        let component = component::make(n + 1, layout, &image, STACK, Some(member)).map_err(failed)?;
        kept.push(Kept { component, image, uses });
    }
    LOG.store(pebble::start::open("init.own.log").unwrap_or(0), Ordering::Relaxed);
    faults::answer_by(&format!("{name}.faults"), faulted).map_err(failed)?;
    OWNERS.keep(|number| domain::description(number).is_some());
    for kept in kept {
        let priority = kept.component.member.as_ref().map(|member| member.block.priority);
        thread::spawn(priority, move || kept.keep()).map_err(failed)?;
    }
    Ok(member)
}
impl Kept {
    /// Runs it, life after life.
    fn keep(self) {
        let kept: &'static Kept = Box::leak(Box::new(self));
        let Some(member) = &kept.component.member else { return };
        let mut restarts = Restarts::default();
        loop {
            match kept.live(member) {
                Ok(()) => {}
                // That says nothing of it.
                Err(Why { error: Error::ENOMEM, .. }) => {
                    kept.component.clear();
                    time::sleep(LATER);
                    continue;
                }
                Err(why) => return say(format_args!("{}: {why}", member.block.name)),
            }
            let end = *member.end.lock();
            say_end(kept.component, member, end);
            let (kind, status) = match end {
                End::Fault(_) => (ended::FAULT, 0),
                End::Exit(status) => (ended::EXIT, status),
            };
            if !starts_again(member.block.restart, &Ended { kind, status, ..Ended::default() }) {
                return;
            }
            let Some(pause) = restarts.pause(time::time(), &member.block.restarts, time::TIMEBASE / 1000) else {
                return say(format_args!("{} has ended too often, and is not started again", member.block.name));
            };
            // Who waits gives others a turn, be it for no time.
            if pause > 0 {
                time::wait(pause);
            }
            member.life.fetch_add(1, Ordering::SeqCst);
            member.alive.store(true, Ordering::SeqCst);
        }
    }
    /// One life, from an image that is laid out anew to where nothing of it is left.
    fn live(&'static self, member: &'static OfSpace) -> core::result::Result<(), Why> {
        let component = self.component;
        component.lay_out(&self.image, self.uses, STACK)?;
        let main = thread::spawn(None, move || {
            member.while_alive(None, || {
                let status = component.main(self.image.entry, |_, top| arguments(member, top));
                status.unwrap_or(Error::ENOMEM.code() as i64)
            });
        });
        let main = match main {
            Ok(main) => main,
            Err(error) => return Err(Why::at("its thread", error)),
        };
        while member.over.wait().is_err() {}
        self.withdraw(member);
        // Who executes it faults, and is found by its program counter.
        if let Ok(code) = self.image.code() {
            component.system.clear(&code.range());
        }
        // What it waits for ends. It may have ended itself.
        let _ = main.cancel();
        let _ = main.join();
        while member.inside.load(Ordering::SeqCst) != 0 {
            let _ = member.empty.wait();
        }
        member.connections.clear();
        // What a thread has registered that was in the middle of that.
        self.withdraw(member);
        component.clear();
        Ok(())
    }
    /// What it has registered is there no more: who has it open gets `EDEAD`, and the names are free.
    fn withdraw(&self, member: &OfSpace) {
        let own = |offer: &Offer<&'static Component>| core::ptr::eq(offer.by, self.component);
        OFFERS.lock().retain(|offer| !own(offer));
        for name in member.names.lock().drain(..) {
            let at = name.0.as_ptr() as u64;
            self.component.system.call(system::PORTAL_ADMIT, [at, 0, admission::WITHDRAWN as u64, 0, 0, 0]);
            self.component.system.call(system::PORTAL_UNREGISTER, [at, 0, 0, 0, 0, 0]);
            give_up(&name.0);
        }
    }
}
/// Puts the arguments of its block below `top`; where they begin.
fn arguments(member: &OfSpace, top: u64) -> Result<u64> {
    let mut arguments = Vec::new();
    arguments.try_reserve(1 + member.block.arguments.len()).map_err(|_| Error::ENOMEM)?;
    arguments.push(member.block.name.as_str());
    arguments.extend(member.block.arguments.iter().map(String::as_str));
    let request = Request { arguments: &arguments, ..Request::default() };
    let (start, bytes) = block(top as usize, STACK as usize / 2, &request, &[])?;
    // SAFETY: the stack is mapped, and nobody uses it yet.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), start as *mut u8, bytes.len()) };
    Ok(start as u64)
}
/// Says how one has ended, as `init` says it of domains.
fn say_end(component: &Component, member: &OfSpace, end: End) {
    let own = thread::asid();
    let name = &member.block.name;
    match end {
        End::Fault(Fault { cause, address, pc }) => say(format_args!(
            "{name} (in domain {own}) was stopped: {} at address {address:#x}, pc {pc:#x} of its fault domain ({:#x} of its program)",
            cause_text(cause as u64),
            (pc as u64).wrapping_sub(component.layout.base())
        )),
        End::Exit(0) => {}
        End::Exit(status) => say(format_args!("{name} (in domain {own}) ended with status {status}")),
    }
}
/// Writes a line to the system log.
fn say(text: core::fmt::Arguments) {
    let line = Line::of(text);
    let line = line.text();
    let log = LOG.load(Ordering::Relaxed);
    if log != 0 {
        portal::call(log, [line.as_ptr() as usize, line.len()]);
    }
}
