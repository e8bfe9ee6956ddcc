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
use pebble::time::{TIMEBASE, time};
use pebble::{Error, Result, check};
use shell_logic::trace::{Call, Calls, arguments, matches, result};

pebble::import! {
    TRACE = "inspect.trace";
    TRACED = "inspect.traced";
}

/// Ticks of `hrtime` between two looks at the events, and looks after which names that are new are traced, too.
const PAUSE: u64 = 5_000_000;
const LOOKS: u32 = 50;

/// Portals that are traced, for as long as this lives.
pub struct Tracer {
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
    pub fn start(pattern: &str) -> Result<Tracer> {
        let mut tracer = Tracer {
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
            match check(TRACE.call([&raw const name as usize, operation::ON])) {
                Ok(_) if !self.traced.contains(&name.0) => self.traced.push(name.0),
                // It was withdrawn in between.
                Ok(_) | Err(Error::ENOENT) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
    /// Says, a line each, which calls have ended since it was asked last.
    pub fn look(&mut self, mut say: impl FnMut(&str)) -> Result<()> {
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
                    let line = self.line(&call);
                    say(&line);
                }
            }
            if (events.count as usize) < AT_ONCE {
                return Ok(());
            }
        }
    }
    /// Says which calls have not ended, and how many events were lost.
    pub fn finish(mut self, mut say: impl FnMut(&str)) {
        for call in core::mem::take(&mut self.calls).rest() {
            let line = self.line(&call);
            say(&line);
        }
        if self.lost > 0 {
            say(&format!("{} events were lost: there were more than could be shown", self.lost));
        }
    }
    fn line(&mut self, call: &Call) -> String {
        let Event { time, caller, thread, .. } = call.start;
        let id = call.start.registration();
        let portal = self.portals.entry(id).or_insert_with(|| one_portal(0, id).unwrap_or(Portal::NONE));
        let (name_of_portal, spec, server) = (text(&portal.name), text(&portal.spec), portal.server as usize);
        let domain = self.domains.entry(caller).or_insert_with(|| {
            let asid = caller as usize & 0xffff;
            let program = self.job.as_ref().and_then(|job| job.program(asid));
            program.map_or_else(|| format!("domain {asid}"), |program| format!("{program} ({asid})"))
        });
        let since = |from: u64, to: u64| to.saturating_sub(from) * 1_000_000 / TIMEBASE;
        let took = call.end.map_or("not over".into(), |end| format!("{} us", since(time, end.time)));
        let at = since(self.start, time);
        let words = arguments(spec, &call.start);
        let to = name(server);
        format!(
            "{:4}.{:06} {domain} thread {thread}: {name_of_portal}({words}) = {}, {took}, in {to}",
            at / 1_000_000,
            at % 1_000_000,
            result(call)
        )
    }
}
impl Drop for Tracer {
    fn drop(&mut self) {
        for name in &self.traced {
            let name = Lent(*name);
            // A server that has ended provides nothing to be traced.
            TRACE.call([&raw const name as usize, operation::OFF]);
        }
    }
}

/// Events from number `from` on.
fn look(from: u64) -> Result<Box<Traced>> {
    let mut events = Box::new(Traced::NONE);
    match check(TRACED.call([from as usize, &raw mut *events as usize])) {
        Ok(_) => Ok(events),
        // Nothing was ever traced.
        Err(Error::ENOENT) => Ok(events),
        Err(error) => Err(error),
    }
}

/// Traces until `seconds` have passed, or `over` says so.
pub fn trace(pattern: &str, seconds: Option<u64>, over: &AtomicBool) -> Result<()> {
    let mut tracer = Tracer::start(pattern)?;
    // Who reads this may press Ctrl-C at once.
    pebble::eprintln!("{} names are traced", tracer.traced.len());
    let start = time();
    while !over.load(Ordering::Relaxed) && seconds.is_none_or(|seconds| time() - start < seconds * TIMEBASE) {
        tracer.look(|line| crate::println!("{line}"))?;
        pebble::time::sleep(PAUSE);
    }
    tracer.look(|line| crate::println!("{line}"))?;
    tracer.finish(|line| crate::println!("{line}"));
    Ok(())
}

/// Traces from now on, by a thread that says on standard error what it sees, until it is told to stop.
pub struct Beside {
    over: Arc<AtomicBool>,
    thread: pebble::thread::JoinHandle,
}
impl Beside {
    pub fn start(pattern: &str, job: &Arc<Job>) -> Result<Beside> {
        let mut tracer = Tracer::start(pattern)?;
        tracer.job = Some(job.clone());
        let over = Arc::new(AtomicBool::new(false));
        let told = over.clone();
        let thread = pebble::thread::spawn(None, move || {
            while !told.load(Ordering::Relaxed) && tracer.look(|line| pebble::eprintln!("{line}")).is_ok() {
                pebble::time::sleep(PAUSE);
            }
            let _ = tracer.look(|line| pebble::eprintln!("{line}"));
            tracer.finish(|line| pebble::eprintln!("{line}"));
        })?;
        Ok(Beside { over, thread })
    }
    pub fn stop(self) {
        self.over.store(true, Ordering::Relaxed);
        let _ = self.thread.join();
    }
}
