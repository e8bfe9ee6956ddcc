//! `trace`: has the portal manager trace portals, and shows their calls while it does.

use crate::Lent;
use crate::jobs::Job;
use crate::views::{all_domains, name, one_portal};
use abi::inspect::Portal;
use abi::section::{NAME, text};
use abi::trace::{AT_ONCE, Event, Traced, operation};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use pebble::file::{File, Write};
use pebble::interfaces::inspect;
use pebble::interfaces::types::Alleged;
use pebble::sync::Mutex;
use pebble::time::{TIMEBASE, time};
use pebble::{Error, Result};
use shell_logic::trace::{Call, Calls, Events, Known, arguments, matches, result};

/// Ticks of `hrtime` between two looks at the events, and looks after which names that are new are traced, too.
const PAUSE: u64 = 5_000_000;
const LOOKS: u32 = 50;

/// Names that are traced for the shell, and by how many of its tracers: the last one's end has the tracing end.
static NAMES: Mutex<BTreeMap<[u8; NAME], usize>> = Mutex::new(BTreeMap::new());

/// Where calls are shown.
pub enum Shown {
    /// A line for each, said by this.
    Lines(fn(&str)),
    /// In a file, as trace events.
    Events(Events, File),
}
impl Shown {
    /// In the file called `name`, which is made or emptied.
    pub fn file(name: &str) -> Result<Shown> {
        Ok(Shown::Events(Events::new(time(), TIMEBASE), File::create(name)?))
    }
}
/// Portals that are traced, for as long as this lives.
pub struct Tracer {
    shown: Shown,
    pattern: String,
    traced: Vec<[u8; NAME]>,
    /// The number of the next event.
    next: u64,
    calls: Calls,
    /// Of registrations and domains that were met.
    portals: BTreeMap<usize, Portal>,
    domains: BTreeMap<u64, String>,
    start: u64,
    looks: u32,
    lost: u64,
    /// The job that is watched: it knows the names of its programs, which may have ended.
    job: Option<Arc<Job>>,
}
impl Tracer {
    /// Begins to trace all portals whose names match. `ENOENT`: none does.
    pub fn start(pattern: &str, shown: Shown) -> Result<Tracer> {
        let mut tracer = Tracer {
            shown,
            pattern: pattern.into(),
            traced: Vec::new(),
            next: 0,
            calls: Calls::default(),
            portals: BTreeMap::new(),
            domains: BTreeMap::new(),
            start: time(),
            looks: 0,
            lost: 0,
            job: None,
        };
        // What was written down before is somebody else's.
        while let Ok(events) = look(tracer.next) {
            tracer.next = events.first + events.count;
            // The looks themselves may be traced: the next one would find the last.
            if (events.count as usize) < AT_ONCE {
                break;
            }
        }
        tracer.trace_more()?;
        if tracer.traced.is_empty() { Err(Error::ENOENT) } else { Ok(tracer) }
    }
    /// Traces portals whose names match: those of servers that have started since, too.
    fn trace_more(&mut self) -> Result<()> {
        all_domains().for_each(|d| _ = self.domains.insert(d.identity, format!("{} ({})", text(&d.name), d.asid)));
        for id in 0.. {
            let portal = match one_portal(0, id) {
                Ok(portal) => portal,
                Err(Error::ENOENT) => continue,
                // Behind the last one.
                Err(_) => break,
            };
            if !matches(&self.pattern, text(&portal.name)) {
                continue;
            }
            let name = Lent(portal.name);
            let mut names = NAMES.lock();
            match inspect::trace(Alleged::lend(&name.0), operation::ON) {
                Ok(_) if !self.traced.contains(&name.0) => {
                    *names.entry(name.0).or_default() += 1;
                    self.traced.push(name.0);
                }
                // It was withdrawn in between.
                Ok(_) | Err(Error::ENOENT) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
    /// Shows which calls have ended since it was asked last.
    pub fn look(&mut self) -> Result<()> {
        self.looks += 1;
        if self.looks.is_multiple_of(LOOKS) {
            self.trace_more()?;
        }
        loop {
            let events = look(self.next)?;
            self.lost += events.first - self.next;
            self.next = events.first + events.count;
            for event in &events.events[..events.count as usize] {
                // What is shown is no part of what is watched.
                if event.thread == pebble::thread::index() as u64 {
                    continue;
                }
                for call in self.calls.take(*event) {
                    self.show(&call)?;
                }
            }
            if (events.count as usize) < AT_ONCE {
                return Ok(());
            }
        }
    }
    /// Shows which calls have not ended, and how many events were lost.
    pub fn finish(mut self) -> Result<()> {
        for call in core::mem::take(&mut self.calls).rest() {
            self.show(&call)?;
        }
        let lost = format!("{} events were lost: there were more than could be shown", self.lost);
        match &mut self.shown {
            Shown::Lines(say) if self.lost > 0 => say(&lost),
            Shown::Lines(_) => {}
            Shown::Events(events, file) => {
                file.write_all(events.end().as_bytes())?;
                if self.lost > 0 {
                    pebble::eprintln!("{lost}");
                }
            }
        }
        Ok(())
    }
    /// The name of a domain that has come since the names were looked through: of the job, which hears of it a moment after its first calls, or as it is there.
    fn name_of(&self, identity: u64) -> Option<String> {
        let asid = identity as usize & 0xffff;
        let program = self.job.as_ref().and_then(|job| job.program(asid));
        let there = || all_domains().find(|domain| domain.identity == identity).map(|domain| text(&domain.name).into());
        program.or_else(there).map(|program: String| format!("{program} ({asid})"))
    }
    fn show(&mut self, call: &Call) -> Result<()> {
        let Event { time, caller, thread, .. } = call.start;
        if !self.domains.contains_key(&caller)
            && let Some(name) = self.name_of(caller)
        {
            self.domains.insert(caller, name);
        }
        let id = call.start.registration();
        let portal = self.portals.entry(id).or_insert_with(|| one_portal(0, id).unwrap_or(Portal::NONE));
        let (name_of_portal, spec, server) = (text(&portal.name), text(&portal.spec), portal.server as usize);
        // All that is traced is written down in one place: this is what another one asked for.
        if !matches(&self.pattern, name_of_portal) {
            return Ok(());
        }
        let unknown = format!("domain {}", caller as usize & 0xffff);
        let domain = self.domains.get(&caller).unwrap_or(&unknown);
        let to = name(server);
        let say = match &mut self.shown {
            Shown::Lines(say) => say,
            Shown::Events(events, file) => {
                let known = Known { portal: name_of_portal, caller: domain, server: &to, spec };
                return file.write_all(events.call(call, &known).as_bytes());
            }
        };
        let since = |from: u64, to: u64| to.saturating_sub(from) * 1_000_000 / TIMEBASE;
        let took = call.end.map_or("not over".into(), |end| format!("{} us", since(time, end.time)));
        let at = since(self.start, time);
        let words = arguments(name_of_portal, spec, &call.start);
        say(&format!(
            "{:4}.{:06} {domain} thread {thread}: {name_of_portal}({words}) = {}, {took}, in {to}",
            at / 1_000_000,
            at % 1_000_000,
            result(call)
        ));
        Ok(())
    }
}
impl Drop for Tracer {
    fn drop(&mut self) {
        let mut names = NAMES.lock();
        for name in &self.traced {
            match names.get_mut(name) {
                Some(others) if *others > 1 => {
                    *others -= 1;
                    continue;
                }
                _ => _ = names.remove(name),
            }
            let name = Lent(*name);
            // A server that has ended provides nothing to be traced.
            let _ = inspect::trace(Alleged::lend(&name.0), operation::OFF);
        }
    }
}

/// Events from number `from` on.
fn look(from: u64) -> Result<Box<Traced>> {
    let mut events = Box::new(Traced::NONE);
    match inspect::traced(from as usize, Alleged::lend_to_write(&mut *events)) {
        Ok(_) => Ok(events),
        // Nothing was ever traced.
        Err(Error::ENOENT) => Ok(events),
        Err(error) => Err(error),
    }
}

/// Traces until `seconds` have passed, or `over` says so.
pub fn trace(pattern: &str, seconds: Option<u64>, shown: Shown, over: &AtomicBool) -> Result<()> {
    let mut tracer = Tracer::start(pattern, shown)?;
    // Who reads this may press Ctrl-C at once.
    pebble::eprintln!("{} names are traced", tracer.traced.len());
    let start = time();
    while !over.load(Ordering::Relaxed) && seconds.is_none_or(|seconds| time() - start < seconds * TIMEBASE) {
        tracer.look()?;
        pebble::time::sleep(PAUSE);
    }
    tracer.look()?;
    tracer.finish()
}

/// Traces from now on, by a thread that shows what it sees, until it is told to stop.
pub struct Beside {
    over: Arc<AtomicBool>,
    thread: pebble::thread::JoinHandle,
}
impl Beside {
    pub fn start(pattern: &str, shown: Shown, job: &Arc<Job>) -> Result<Beside> {
        let mut tracer = Tracer::start(pattern, shown)?;
        tracer.job = Some(job.clone());
        let over = Arc::new(AtomicBool::new(false));
        let told = over.clone();
        let thread = pebble::thread::spawn(None, move || {
            let mut shown = Ok(());
            while !told.load(Ordering::Relaxed) && shown.is_ok() {
                shown = tracer.look();
                pebble::time::sleep(PAUSE);
            }
            if let Err(error) = shown.and_then(|()| tracer.look()).and_then(|()| tracer.finish()) {
                pebble::eprintln!("trace: {}", error.text());
            }
        })?;
        Ok(Beside { over, thread })
    }
    pub fn stop(self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
    }
}
