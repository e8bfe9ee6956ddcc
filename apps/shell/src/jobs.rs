//! Programs that run: each is waited for by a thread of its own, so that the shell waits for as many as it likes, and is told of Ctrl-C
//! meanwhile.

use crate::programs::{Streams, TOOLS_COMPONENT, start};
use crate::{println, streams};
use abi::system::{Ended, ended};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use pebble::interfaces::types::Identity;
use pebble::interfaces::{console, domains, init};
use pebble::sync::{Mutex, Semaphore};
use pebble::{Error, Result};
use shell_logic::end_status;

/// A program of a job.
struct Process {
    domain: Identity,
    name: String,
    /// The word that it was started by.
    command: String,
    /// How it has ended.
    end: Option<Ended>,
}
impl Process {
    /// A tool says itself why it fails, and grep's status is an answer.
    fn is_tool(&self) -> bool {
        self.name == TOOLS_COMPONENT
    }
}
/// What a line has started: the programs of the pipeline that runs, and whether others follow.
pub struct Job {
    pub number: usize,
    pub text: String,
    processes: Mutex<Vec<Process>>,
    /// Domains of all that it has started, and their names: for what is said of them later.
    started: Mutex<Vec<(usize, String)>>,
    /// Threads of the shell's that work for it beside its programs.
    beside: AtomicUsize,
    /// Something has changed.
    changed: Semaphore,
    pub background: AtomicBool,
    /// Ctrl-C: nothing else is started.
    pub interrupted: AtomicBool,
    /// All is done, with this status, once `done` is set.
    pub status: AtomicUsize,
    pub done: AtomicBool,
}
/// Jobs that have not been said to be done.
static JOBS: Mutex<Vec<Arc<Job>>> = Mutex::new(Vec::new());
/// The one in the foreground.
static FOREGROUND: Mutex<Option<Arc<Job>>> = Mutex::new(None);

impl Job {
    /// A new one, in the foreground or not.
    pub fn new(text: &str, background: bool) -> Result<Arc<Job>> {
        let changed = Semaphore::new(0)?;
        let mut jobs = JOBS.lock();
        let number = (1..).find(|n| jobs.iter().all(|job| job.number != *n)).unwrap_or(0);
        let job = Arc::new(Job {
            number,
            text: text.into(),
            processes: Mutex::new(Vec::new()),
            started: Mutex::new(Vec::new()),
            beside: 0.into(),
            changed,
            background: background.into(),
            interrupted: false.into(),
            status: 0.into(),
            done: false.into(),
        });
        jobs.push(job.clone());
        Ok(job)
    }
    /// Has a thread of the shell's work for it, which is waited for with its programs.
    pub fn beside(self: &Arc<Job>, body: impl FnOnce() + Send + 'static) -> Result<()> {
        self.beside.fetch_add(1, Ordering::Relaxed);
        let job = self.clone();
        let works = pebble::thread::spawn(None, move || {
            body();
            job.left();
        });
        works.map(|_| ()).inspect_err(|_| self.left())
    }
    /// One of those threads is done.
    fn left(&self) {
        self.beside.fetch_sub(1, Ordering::Release);
        let _ = self.changed.post();
    }
    /// Starts a program of it. The streams are given up when it has ended, and `over` is told then.
    pub fn start(
        self: &Arc<Job>,
        words: &[String],
        variables: &[String],
        streams: Streams,
        over: Option<Arc<Semaphore>>,
    ) -> Result<()> {
        let domain = start(words, variables, &streams)?;
        let name = words.first().cloned().unwrap_or_default();
        self.started.lock().push((domain.number().0, name.clone()));
        let command = words.get(usize::from(name == TOOLS_COMPONENT)).cloned().unwrap_or_default();
        self.processes.lock().push(Process { domain, name, command, end: None });
        let job = self.clone();
        let waits = pebble::thread::spawn(None, move || {
            // Who can not be waited for has ended.
            let end = pebble::thread::wait_domain(domain.number().0).unwrap_or_default();
            drop(streams);
            if let Some(process) = job.processes.lock().iter_mut().find(|p| p.domain == domain && p.end.is_none()) {
                process.end = Some(end);
            }
            let _ = over.map(|over| over.post());
            let _ = job.changed.post();
        });
        waits.map(|_| ()).inspect_err(|_| {
            self.processes.lock().retain(|p| p.domain != domain);
            let _ = domains::destroy(domain);
        })
    }
    /// Waits for all programs that were started; the status of the last. In the foreground it returns too when Ctrl-Z was pressed.
    pub fn wait(&self) -> i32 {
        let was_background = self.background.load(Ordering::Relaxed);
        loop {
            if self.has_ended() || (!was_background && self.background.load(Ordering::Relaxed)) {
                break;
            }
            if self.changed.wait().is_err() {
                break;
            }
        }
        self.collect()
    }
    /// Says how its programs have ended; the status of the last one.
    fn collect(&self) -> i32 {
        let mut processes = self.processes.lock();
        let mut status = 0;
        for process in processes.iter() {
            let Some(end) = &process.end else { continue };
            let said = process.is_tool() && end.kind == ended::EXIT;
            if let Some(line) =
                end_status::line(&process.name, end).filter(|_| !said && !self.interrupted.load(Ordering::Relaxed))
            {
                streams::complain(format_args!("{line}"));
            }
            status = end_status::status(end);
        }
        processes.retain(|p| p.end.is_none());
        status
    }
    /// The name of its program in domain `asid`, which may have ended.
    pub fn program(&self, asid: usize) -> Option<String> {
        self.started.lock().iter().rev().find(|(domain, _)| *domain == asid).map(|(_, name)| name.clone())
    }
    /// Tells those of its programs of a signal that take it, and ends the others. Where nothing is left that has taken it, nothing else is
    /// started.
    pub fn signal(&self, signal: usize) {
        // Until it is known: of one that was ended here nothing is said.
        let processes = self.processes.lock();
        let (mut taken, mut ended) = (false, false);
        for process in processes.iter().filter(|p| p.end.is_none()) {
            match send(process.domain, signal) {
                Ok(true) => taken = true,
                _ => ended = true,
            }
        }
        self.interrupted.fetch_or(ended || !taken, Ordering::Relaxed);
    }
    /// Ends its programs.
    pub fn kill(&self) {
        for process in self.processes.lock().iter().filter(|p| p.end.is_none()) {
            let _ = domains::destroy(process.domain);
        }
    }
    /// Whether nothing works for it any more. Who was interrupted may be in a wait that nothing ends.
    fn has_ended(&self) -> bool {
        let interrupted = self.interrupted.load(Ordering::Relaxed);
        let alone = interrupted || self.beside.load(Ordering::Acquire) == 0;
        alone && self.processes.lock().iter().all(|p| p.end.is_some())
    }
    /// Whether all of its line is done. One that Ctrl-Z has left in the background goes on without the rest.
    fn is_over(&self) -> bool {
        self.done.load(Ordering::Acquire) && self.has_ended()
    }
    /// It is over, with this status.
    pub fn finish(&self, status: i32) {
        self.status.store(status as usize, Ordering::Relaxed);
        self.done.store(true, Ordering::Release);
        if !self.background.load(Ordering::Relaxed) {
            JOBS.lock().retain(|job| job.number != self.number);
        }
    }
    /// Makes it the one that Ctrl-C is for while `body` runs.
    pub fn in_foreground<T>(self: &Arc<Job>, body: impl FnOnce() -> T) -> T {
        // Where there is no console there is no Ctrl-C.
        let _ = pebble::console::set_raw(false);
        // A script's line is part of another one.
        let around = FOREGROUND.lock().replace(self.clone());
        let result = body();
        *FOREGROUND.lock() = around;
        result
    }
}
/// Sends a domain a signal, which ends it if it does not take it, as what a program is sent does by default: whether it has taken it. Of a number alone it is
/// whoever has it.
pub fn send(domain: Identity, signal: usize) -> Result<bool> {
    if signal != end_status::SIGKILL && init::signal(domain, signal).is_ok() {
        return Ok(true);
    }
    domains::destroy(domain).map(|()| false)
}
/// The job of the background with this number; the latest, if none is said.
pub fn job(number: Option<usize>) -> Option<Arc<Job>> {
    let jobs = JOBS.lock();
    let wanted = |job: &&Arc<Job>| job.background.load(Ordering::Relaxed) && number.is_none_or(|n| job.number == n);
    jobs.iter().rev().find(wanted).cloned()
}
pub fn list() {
    for job in JOBS.lock().iter().filter(|job| job.background.load(Ordering::Relaxed)) {
        println!("[{}] {} {}", job.number, if job.is_over() { "done   " } else { "running" }, job.text);
    }
}
/// Says which jobs in the background are over, each once.
pub fn report() {
    JOBS.lock().retain(|job| {
        let over = job.background.load(Ordering::Relaxed) && job.is_over();
        if over {
            job.collect();
            pebble::println!("[{}] done    {}", job.number, job.text);
        }
        !over
    });
}
/// Waits until no other job of the background runs: true; or until `own`, which waits, is interrupted.
pub fn wait_all(own: &Job) -> bool {
    /// Ticks of `hrtime` after which to look again.
    const SOON: u64 = 5_000_000;
    let others = |job: &&Arc<Job>| job.background.load(Ordering::Relaxed) && job.number != own.number;
    let jobs: Vec<Arc<Job>> = JOBS.lock().iter().filter(others).cloned().collect();
    for job in jobs {
        while !job.is_over() {
            if own.interrupted.load(Ordering::Relaxed) {
                return false;
            }
            pebble::time::sleep(SOON);
        }
    }
    true
}
/// Domains of the programs that jobs have started by this command, and that run.
pub fn programs_called(command: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for job in JOBS.lock().iter() {
        let called = |p: &&Process| p.end.is_none() && p.command == command;
        found.extend(job.processes.lock().iter().filter(called).map(|p| p.domain.0));
    }
    found
}
/// Starts the thread that waits for Ctrl-C and Ctrl-Z.
pub fn watch() -> Result<()> {
    const CONTROL_C: usize = 0x03;
    const CONTROL_Z: usize = 0x1a;
    /// Ticks of `hrtime` after which to look again where there is no console.
    const LATER: u64 = 50_000_000;
    let watch = || loop {
        let key = match console::attention() {
            Ok(key) => key,
            Err(error) => {
                if matches!(error, Error::EDEAD | Error::EPORTAL) {
                    let _ = console::import::attention().reopen();
                }
                pebble::time::sleep(LATER);
                continue;
            }
        };
        let Some(job) = FOREGROUND.lock().clone() else {
            // Between a command and the prompt: what was typed ahead is gone, which is to be seen.
            if key == CONTROL_C {
                pebble::println!("^C");
            }
            continue;
        };
        if key == CONTROL_Z {
            pebble::println!("^Z\n[{}] goes on in the background: {}", job.number, job.text);
            job.background.store(true, Ordering::Relaxed);
        } else {
            pebble::println!("{}", if key == CONTROL_C { "^C" } else { "^\\" });
            job.signal(if key == CONTROL_C { end_status::SIGINT } else { end_status::SIGKILL });
        }
        let _ = job.changed.post();
    };
    pebble::thread::spawn(None, watch).map(|_| ())
}
