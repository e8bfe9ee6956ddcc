//! Init: builds the system that the manifest describes, and looks after it.
//!
//! Components start in the manifest's order. One whose priority is above init's own runs until it waits or its first
//! thread ends before the next is started, so its portals are there by then.
//!
//! What `init` does when it is asked to, or when a component ends, may find no memory: who asked is told, and a component is not started.
//! Only what it reads of the system while it begins is taken for granted.
#![no_std]
#![no_main]

extern crate alloc;

mod entries;
mod handover;
mod healing;
mod loader;
mod replacement;
mod report;
mod signal_portals;
mod succession;
mod supervision;
mod watchdog;

use abi::Error;
use abi::account::{DiskParts, Resource};
use abi::address::DEVICE_VA;
use abi::archive::{LOG_VA, VA};
use abi::identity::DomainId;
use abi::name::Short;
use abi::system::{Ended, SET_PRIORITY, ended};
use abi::window::Whole;
use alloc::boxed::Box;
use alloc::vec::Vec;
use entries::{
    components, disk, file, give_up, halt, images_add, images_apply, images_before, images_begin, images_own,
    images_put, images_state, let_end, lines, load, replace, say, spawn, start_loaded, watch_component,
};
use fallible::TryPush;
use healing::Lost;
use init_logic::archive::Archive;
use init_logic::line::Line;
use init_logic::log::{Lines, Log, Source};
use init_logic::places::Places;
use init_logic::restarts::{Restarts, has_failed};
use init_logic::signals::Signals;
use init_logic::start::Request;
use init_logic::updates::{Choice, Updates};
use loader::{From, Loaded, Program};
use manifest::{Component, Isolation, Restart, System};
use pebble::interfaces::types::{Alleged, DomainNumber, Identity};
use pebble::interfaces::{domains, memory};
use pebble::sync::Mutex;
use pebble::{Result, fallible};
use supervision::Waiting;

pebble::boot_server!(start);

pebble::serve! {
    init {
        spawn, load, start: start_loaded, components, halt, disk, file, say, take_signals: signal_portals::take,
        next_signal: signal_portals::next, signal: signal_portals::send, lines, let_end, replace, watch: watch_component, give_up,
    }
}
pebble::serve! {
    images {
        begin: images_begin, add: images_add, put: images_put, before: images_before, own: images_own, apply: images_apply,
        state: images_state,
    }
}

/// A component that runs.
struct Running {
    component: &'static Component,
    /// Which domain it is.
    domain: DomainId,
    /// What it was loaded from.
    image: Choice,
    /// Its own; `let_end` changes it.
    restart: Restart,
    /// Those that its starter has given it.
    arguments: Vec<Box<str>>,
    /// Lines that it has said in the system log.
    lines: u8,
    signals: Signals,
    /// The domain that had it started, and is told how it ends; `None`: it is init's.
    starter: Option<DomainId>,
    /// Whose place it is to take, as long as that one runs: who has begun that looks after it.
    succeeds: Option<DomainId>,
    /// The component behind which it is started again, where it is ended since it can not do without that one.
    with: Option<&'static Component>,
    /// It is to be ended for that.
    to_end: bool,
}
impl Running {
    /// A copy of the words that its starter has given it. `ENOMEM`.
    fn words(&self) -> Result<Vec<Box<str>>> {
        copied(self.arguments.iter().map(|word| &**word))
    }
}
/// A component that has ended.
struct Gone {
    component: &'static Component,
    starter: Option<DomainId>,
    /// It was ended since it can not do without another.
    with_another: bool,
    /// Another was to take its place.
    succeeded: bool,
    /// What it was, where nobody else looks after its end.
    running: Option<Running>,
}
/// A component that is ready to run, and waits for its starter's word.
struct Prepared {
    loaded: Loaded,
    running: Running,
}
struct Init {
    system: &'static System,
    running: Vec<Running>,
    /// Of each component.
    restarts: Vec<Restarts>,
    prepared: Places<Prepared>,
    waiting: Waiting,
    /// Those that have ended while another was to take their places. There is room for each.
    succeeded: Vec<Running>,
    lost: Lost,
    updates: Updates,
    /// QEMU's test device is mapped.
    power: bool,
}
impl Init {
    fn forget(&mut self, domain: DomainId) -> Option<Running> {
        let place = self.running.iter().position(|running| running.domain == domain)?;
        Some(self.running.swap_remove(place))
    }
    /// What has ended with that domain. Where it was to take another's place, or another is to take its place, who has begun that looks after it, and has what there was of the latter.
    fn ended(&mut self, domain: DomainId, how: &Ended) -> Option<Gone> {
        let running = self.forget(domain)?;
        let (component, starter, with_another) = (running.component, running.starter, running.with.is_some());
        let succeeded = self.is_succeeded(domain);
        if !succeeded {
            self.is_said_of_its_image(&running, how);
        }
        self.is_lost(&running, succeeded);
        let running = if succeeded {
            self.succeeded.push_kept(running);
            None
        } else {
            Some(running).filter(|running| running.succeeds.is_none())
        };
        if let Some(running) = &running {
            self.decide(running, how);
        }
        Some(Gone { component, starter, with_another, succeeded, running })
    }
    /// How it has ended is told of its image, but where it was ended since it can not do without another, or since its starter has had enough of it.
    fn is_said_of_its_image(&mut self, running: &Running, how: &Ended) {
        let was_let_end = running.restart != running.component.restart || running.starter.is_some();
        if running.with.is_none()
            && !(was_let_end && how.kind == ended::KILLED)
            && let Some(place) = self.place(&running.component.name)
        {
            let Component { restart, provides, on_request, .. } = running.component;
            // Of a server any end is one too early, and of what the system starts by itself one that says so.
            let too_early = *restart == Restart::Always || !provides.is_empty() || how.status != 0 && !on_request;
            self.updates.ended(place, &running.image, has_failed(how) || too_early, how.status == 0);
        }
    }
    /// Whether another may be to take the place of what runs in domain `old`. `EDEAD`: it has ended; `EBUSY`: another is, or it is to take another's place itself.
    fn may_be_succeeded(&self, old: DomainId) -> Result<()> {
        let own = self.running.iter().find(|running| running.domain == old).ok_or(Error::EDEAD)?;
        let busy = own.succeeds.is_some() || self.is_succeeded(old);
        if busy { Err(Error::EBUSY) } else { Ok(()) }
    }
    /// Whether one that runs is to take the place of `old`.
    fn is_succeeded(&self, old: DomainId) -> bool {
        self.running.iter().any(|running| running.succeeds == Some(old))
    }
    /// What has ended in that domain while another was to take its place.
    fn take_succeeded(&mut self, domain: DomainId) -> Option<Running> {
        let place = self.succeeded.iter().position(|running| running.domain == domain)?;
        Some(self.succeeded.swap_remove(place))
    }
    /// What runs in the domain that is meant, and not in another that has its number by now.
    fn running(&mut self, domain: Identity) -> Option<&mut Running> {
        let domain = domain.meant().ok()?;
        self.running.iter_mut().find(|running| running.domain == domain)
    }
    /// The place of component `name` in the system.
    fn place(&self, name: &str) -> Option<usize> {
        self.system.components.iter().position(|component| component.name == name)
    }
    /// Whose lines are of `name`: a component's, or children's.
    fn source(&self, name: &str) -> Source {
        self.place(name).map_or(Source::CHILDREN, Source::component)
    }
    /// Whose lines are of a domain for which that account has paid: its component's, be it that or one that it has made.
    fn source_of(&self, account: u32) -> Source {
        let paying = self.system.accounts().find(|(number, _)| *number == account as usize);
        paying.map_or(Source::CHILDREN, |(_, component)| self.source(&component.name))
    }
    /// Which account pays for the domain of `component`, and what that is made in. `EDEAD`: its task does not run.
    #[inline(never)]
    fn account_and_task(&self, component: &Component) -> Result<(usize, loader::Task)> {
        let account = self.system.account(&component.name).map_or(0, |(account, _)| account);
        if component.isolation != Isolation::Dp {
            return Ok((account, None));
        }
        let runs = self.running.iter().find(|running| running.component.name == component.task);
        runs.map(|task| (account, Some(task.domain))).ok_or(Error::EDEAD)
    }
}
static INIT: Mutex<Option<Init>> = Mutex::new(None);

/// The archive that the image builder put beside the first components.
fn archive() -> Option<Archive<'static>> {
    let bytes = pebble::boot::info().archive_bytes as usize;
    // SAFETY: the image builder maps it read-only here.
    Archive::read(unsafe { core::slice::from_raw_parts(VA as *const u8, bytes) }).ok()
}
/// The lines that are in the system log.
static LOG_LINES: Mutex<Lines> = Mutex::new(Lines::NONE);
/// The system log. Only for use under the lock of `INIT`, or before there is a second thread.
fn log(body: impl FnOnce(&mut Log)) {
    let bytes = pebble::boot::info().log_bytes as usize;
    let mut lines = LOG_LINES.lock();
    // SAFETY: the image builder maps it here for init alone; the caller keeps others out.
    body(&mut Log::new(unsafe { core::slice::from_raw_parts_mut(LOG_VA as *mut u8, bytes) }, &mut lines));
}

/// What the component provides that has the files.
const FILES: &str = "files.open";
/// Priority while components are started: servers above it register their portals before the next one is.
const STARTING: usize = 40;
/// Priority of who waits for domains to end, and ends those whose pagers do not answer: above whoever loops.
const WATCHING: usize = 60;

fn start(_: &pebble::Env) {
    pebble::portal::call(SET_PRIORITY, [STARTING]);
    let own = pebble::thread::asid();
    let _ = loader::allow(own, "*", 0);
    let power = {
        let test = Short::of(b"test");
        memory::map_device(DomainNumber(own), 0, Alleged::lend_all(test.bytes()), test.bytes().len()).is_ok()
    };
    let Some(Ok(system)) = archive().and_then(|a| a.system().ok()).map(fallible::boxed) else {
        log(|l| l.line(Source::INIT, "pebble: the archive of components is damaged"));
        return stop(power, 1);
    };
    let system: &'static System = Box::leak(system);
    share_memory(system);
    share_the_rest(system, 0);
    let Ok(init) = begin(system, power) else { return stop(power, 1) };
    *INIT.lock() = Some(init);
    if let Err(error) = report::start() {
        let line = Line::of(format_args!("pebble: init can not write to the console: {}", error.text()));
        log(|l| l.line(Source::INIT, line.text()));
    }
    if let Err(error) = supervision::start() {
        let line = Line::of(format_args!("pebble: init can start nothing again after a pause: {}", error.text()));
        log(|l| l.line(Source::INIT, line.text()));
    }
    if let Err(error) = watchdog::start(system) {
        let line = Line::of(format_args!("pebble: init can not look after deadlines: {}", error.text()));
        log(|l| l.line(Source::INIT, line.text()));
    }
    let first = || system.components.iter().filter(|c| !c.boot && !c.on_request);
    // The main component comes last, and behind it what is in its address space.
    let last = |c: &Component| c.main || first().any(|task| task.main && task.name == c.task);
    for component in first().filter(|c| !last(c)) {
        let _ = start_component(component, Vec::new());
    }
    log(|l| l.header().booted = 1);
    for component in first().filter(|c| last(c)) {
        if start_component(component, Vec::new()).is_err() && component.main {
            // The host reads that the system is not what it was to be.
            log(|l| l.header().booted = 0);
            stop(power, 1);
        }
    }
    // What is said, started and watched from here on needs no memory that is sure to be there.
    pebble::heap::keep_nothing();
    watch()
}

/// Nothing runs yet. `ENOMEM`.
fn begin(system: &'static System, power: bool) -> Result<Init> {
    let prepared = Places::new()?;
    let waiting = Waiting::of(system)?;
    let restarts = fallible::collected(system.components.iter().map(|_| Restarts::default()))?;
    // A quarter of what is free when nothing runs yet.
    let updates = Updates::of(system.components.len(), memory::info(1, 0).unwrap_or(0) / 4 * abi::address::PAGE)?;
    Ok(Init {
        system,
        running: Vec::new(),
        restarts,
        prepared,
        waiting,
        succeeded: Vec::new(),
        lost: Lost::default(),
        updates,
        power,
    })
}
/// Says which part of the memory each component may have. All of them together never have what the system itself needs.
fn share_memory(system: &System) {
    let of = |resource| system.accounts().map(|(_, component)| component.limits.of(resource) as usize).sum();
    let limits = || system.sharers().map(|(account, component)| (account, component.limits));
    let counters = pebble::boot::info().counters != 0;
    let free = memory::info(1, 0).unwrap_or(0);
    let all = init_logic::memory::for_components(free, of(Resource::Threads), of(Resource::Domains), counters);
    let given = limits().filter_map(|(_, l)| l.memory).sum();
    let others = limits().filter(|(_, l)| l.memory.is_none()).count();
    for (account, limits) in limits() {
        let _ = memory::limit(account, init_logic::memory::share(all, limits.memory, given, others));
    }
    for (account, part) in system.accounts().filter(|(_, component)| component.isolation == Isolation::Dp) {
        let task = system.account(&part.task).and_then(|(_, task)| task.limits.memory);
        let _ = memory::limit(account, init_logic::memory::share(all, part.limits.memory.or(task), given, others));
    }
}

/// Says what each component may have of all else; its part of the disk, which has `disk_pages` for them. Storage is where the files are.
fn share_the_rest(system: &System, disk_pages: usize) -> DiskParts {
    let provider = system.accounts().find(|(_, component)| component.provides(FILES));
    let pages = provider.map_or(0, |(account, _)| memory::info(5, account).unwrap_or(0));
    let all = init_logic::memory::for_files(pages);
    let given = system.accounts().filter_map(|(_, component)| component.limits.storage).sum();
    let others = system.accounts().filter(|(_, component)| component.limits.storage.is_none()).count();
    let mut parts = DiskParts::default();
    for (account, component) in system.accounts() {
        let storage = init_logic::memory::share(all, component.limits.storage, given, others);
        let disk = init_logic::disk::part(system, component, disk_pages);
        parts.0[account] = disk;
        let limits = Whole::new(component.limits.all(storage as u32, disk.pages));
        let _ = domains::limits(account, Alleged::lend(&limits.0));
    }
    parts
}
/// Runs `body` on init's state.
fn with<T>(body: impl FnOnce(&mut Init) -> T) -> Option<T> {
    INIT.lock().as_mut().map(body)
}
/// The component called `name` of this system, if others may start it.
fn component(name: &str) -> Result<&'static Component> {
    let system = with(|init| init.system).ok_or(Error::ENOENT)?;
    system.components.iter().find(|c| c.name == name && !c.boot).ok_or(Error::ENOENT)
}
/// Starts a component of the manifest. What goes wrong is logged.
fn start_component(component: &'static Component, more: Vec<Box<str>>) -> Result<DomainId> {
    attempt(component, more).map_err(|error| not_started(component, error))
}
/// The same, and nothing is logged.
fn attempt(component: &'static Component, more: Vec<Box<str>>) -> Result<DomainId> {
    prepare(component, more, &Request::default(), None).and_then(run)
}
/// Loads a component of the manifest with the words in `more` behind the manifest's; of that image, or of the one that it has.
fn prepare(
    component: &'static Component,
    more: Vec<Box<str>>,
    request: &Request,
    choice: Option<&Choice>,
) -> Result<Prepared> {
    let has = || with(|init| init.place(&component.name).map(|place| init.updates.image(place))).flatten();
    let image = choice.cloned().or_else(has).unwrap_or(Choice::Own);
    let loaded = load_image(component, &more, request, &image);
    let restart = component.restart;
    loaded.map(|loaded| {
        let (domain, signals) = (loaded.domain, Signals::default());
        let running = Running {
            component,
            domain,
            image,
            restart,
            arguments: more,
            lines: 0,
            signals,
            starter: None,
            succeeds: None,
            with: None,
            to_end: false,
        };
        Prepared { loaded, running }
    })
}
// By itself, as what it calls: what each takes of the stack is free again when the next is called.
#[inline(never)]
fn load_image(component: &Component, more: &[Box<str>], request: &Request, image: &Choice) -> Result<Loaded> {
    let program = match image {
        Choice::Given(given) => Program { image: given.image(), from: From::Pages(given.contents()) },
        Choice::Own => {
            let name = if component.image.is_empty() { &component.name } else { &component.image };
            let (image, at) = archive().and_then(|archive| archive.image(name)).ok_or(Error::ENOENT)?;
            Program { image, from: From::Archive(at) }
        }
    };
    let words = words(component, more)?;
    let (account, task) = with(|init| init.account_and_task(component)).unwrap_or(Err(Error::EDEAD))?;
    loader::load(component, task, account, &program, &Request { arguments: &words, ..*request })
}
/// All words that a component is started with: its name, the manifest's, and those in `more`.
#[inline(never)]
fn words<'a>(component: &'a Component, more: &'a [Box<str>]) -> Result<Vec<&'a str>> {
    let own = [&component.name].into_iter().chain(&component.arguments).map(|word| word.as_str());
    fallible::collected(own.chain(more.iter().map(|word| &**word)))
}
/// Logs that a component does not run, and why, which is the result.
fn not_started(component: &Component, error: Error) -> Error {
    let Component { name, task, .. } = component;
    match error {
        Error::EDEAD if component.isolation == Isolation::Dp => {
            tell_of(name, format_args!("pebble: component {name} could not be started: its task {task} does not run"));
        }
        _ => tell_of(name, format_args!("pebble: component {name} could not be started: {}", error.text())),
    }
    error
}
/// Copies of `words`. `ENOMEM`.
fn copied<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vec<Box<str>>> {
    let mut copies = Vec::new();
    for word in words {
        copies.try_push(fallible::text(word)?)?;
    }
    Ok(copies)
}
/// Lets it run; its domain.
fn run(Prepared { loaded, running }: Prepared) -> Result<DomainId> {
    let component = running.component;
    match known(running) {
        Ok(()) => run_known(&loaded, component),
        Err(error) => {
            loader::discard(loaded.domain);
            Err(error)
        }
    }
}
/// A component that is about to run: it may end before who starts it goes on. `ENOMEM`; `EDEAD`: whose place it is to take has ended; `EBUSY`: another is to take that place.
fn known(running: Running) -> Result<()> {
    let known = with(|init| {
        if let Some(old) = running.succeeds {
            init.may_be_succeeded(old)?;
        }
        init.running.room_for(1)?;
        init.inherits(&running)?;
        init.running.push_kept(running);
        Ok(())
    });
    known.unwrap_or(Err(Error::ENOMEM))
}
/// Lets what is known run; its domain.
fn run_known(loaded: &Loaded, component: &Component) -> Result<DomainId> {
    let domain = loaded.domain;
    with(|init| init.starts(component));
    match loader::run(loaded, component.priority) {
        Ok(()) => {
            report::retry();
            Ok(domain)
        }
        Err(error) => {
            let failed = with(|init| init.forget(domain).inspect(|running| init.is_lost(running, false))).flatten();
            let ended = failed.is_none();
            loader::discard(loaded.domain);
            // Who watches has heard of its end, and looks after it.
            if ended { Ok(domain) } else { Err(error) }
        }
    }
}
/// Says a line of component `name` in the system log, and on the console where there is no main program to be disturbed.
fn tell_of(name: &str, line: core::fmt::Arguments) {
    say_line(|init| init.source(name), &Line::of(line));
}
fn say_line(source: impl FnOnce(&Init) -> Source, line: &Line) {
    let quiet = with(|init| {
        let source = source(init);
        log(|l| l.line(source, line.text()));
        init.system.components.iter().any(|c| c.main)
    });
    if quiet == Some(false) {
        report::line(line.text());
    }
}

/// Waits for domains to end, for ever.
fn watch() -> ! {
    let mut how = Ended::default();
    pebble::portal::call(SET_PRIORITY, [WATCHING]);
    loop {
        if domains::event(Alleged::lend_to_write(&mut how)).is_err() {
            continue;
        }
        let Some(domain) = DomainId::of(how.identity) else { continue };
        let gone = with(|init| init.ended(domain, &how)).flatten();
        let component = gone.as_ref().map(|gone| gone.component);
        let name = component.map_or("a child", |component| component.name.as_str());
        // Of what somebody asked for, that one is told the status.
        let asked = component.is_none_or(|c| c.on_request || c.main && how.kind == ended::EXIT);
        let hosted = component.is_some_and(|component| component.isolation == Isolation::Sfi);
        // Of one that is started again behind another it is said then.
        let with_another = gone.as_ref().is_some_and(|gone| gone.with_another);
        let ended_for_it = how.kind == ended::KILLED && gone.as_ref().is_some_and(|gone| gone.succeeded);
        let told = how.kind == ended::FAULT || !asked && !with_another && !ended_for_it;
        if let Some(line) = told.then(|| init_logic::end_report::line(name, hosted, &how)).flatten() {
            match &gone {
                // The starter says it at the console, where it has one, and when it is the time.
                Some(Gone { starter: Some(_), .. }) => {
                    with(|init| log(|l| l.line(init.source_of(how.account), line.text())));
                }
                _ => say_line(|init| init.source_of(how.account), &line),
            }
        }
        discard_prepared(domain);
        let Some(running) = gone.and_then(|gone| gone.running) else { continue };
        if running.component.main {
            finish(how);
        }
        if how.kind == ended::KILLED && how.cause != 0 {
            supervision::ended_with_task(running);
        } else {
            supervision::ended(running, &how);
            supervision::start_due();
        }
        supervision::wake();
    }
}
/// Records how the main program ended, and stops the machine once the console has sent its output.
fn finish(how: Ended) -> ! {
    end(how.kind, how.status);
    pebble::thread::exit()
}
/// Stops the machine with `status`.
fn end(kind: u64, status: i64) {
    /// Ticks of `hrtime` that the console has to send what it was given: about two seconds.
    const PATIENCE: u64 = 1_000_000_000;
    let power = with(|init| {
        log(|l| {
            l.header().status = status;
            l.header().ended = kind;
        });
        init.power
    });
    report::drain(PATIENCE);
    stop(power == Some(true), status as u32 & 0xff)
}
/// Turns the machine off, where there is QEMU's test device, mapped, to do it (`hw/misc/sifive_test.c`).
fn stop(power: bool, status: u32) {
    if power {
        let value = if status == 0 { 0x5555 } else { status << 16 | 0x3333 };
        // SAFETY: the device is mapped here; this write stops the machine.
        unsafe { (DEVICE_VA as *mut u32).write_volatile(value) };
    }
}
/// A domain has ended: it starts nothing any more, nor is it started. What it has loaded gives back what it takes.
fn discard_prepared(domain: DomainId) {
    let its = |prepared: &Prepared| prepared.loaded.domain == domain;
    while let Some(prepared) = with(|init| init.prepared.of_the_dead(domain, its)).flatten() {
        loader::discard(prepared.loaded.domain);
    }
}
