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
    /// It is the last of its pipeline, whose status is that of all.
    is_last: bool,
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
    /// Something that was done for it beside its programs has failed, which has been said.
    pub failed: AtomicBool,
    /// Ctrl-Z has left it to the background: what runs goes on, nothing follows.
    left: AtomicBool,
    /// Whose line has this one in it, as a script's.
    outer: Option<Arc<Job>>,
    /// All is done, with this status, once `done` is set.
    pub status: AtomicUsize,
    pub done: AtomicBool,
}
/// Ticks of `hrtime` after which to look again whether something is over.
const SOON: u64 = 5_000_000;
/// Jobs that have not been said to be done.
static JOBS: Mutex<Vec<Arc<Job>>> = Mutex::new(Vec::new());
/// What the shell's threads work for, by their indices, the innermost last.
static OF_THREADS: Mutex<Vec<(usize, Arc<Job>)>> = Mutex::new(Vec::new());
/// The job that the calling thread works for.
pub fn current() -> Option<Arc<Job>> {
    let thread = pebble::thread::index();
    OF_THREADS.lock().iter().rev().find(|(other, _)| *other == thread).map(|(_, job)| job.clone())
}
/// The one in the foreground: no part of another.
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
            failed: false.into(),
            left: false.into(),
            outer: current(),
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
            job.work(body);
            job.left();
        });
        works.map(|_| ()).inspect_err(|_| self.left())
    }
    /// Has the calling thread work for it meanwhile.
    pub fn work<T>(self: &Arc<Job>, body: impl FnOnce() -> T) -> T {
        let thread = pebble::thread::index();
        OF_THREADS.lock().push((thread, self.clone()));
        let result = body();
        let mut all = OF_THREADS.lock();
        let own = all.iter().rposition(|(other, _)| *other == thread).map(|place| all.remove(place));
        drop(all);
        drop(own);
        result
    }
    /// Whether it is `other`, or a part of it.
    fn is_within(&self, other: &Job) -> bool {
        core::iter::successors(Some(self), |job| job.outer.as_deref()).any(|job| core::ptr::eq(job, other))
    }
    pub fn is_part(&self) -> bool {
        self.outer.is_some()
    }
    pub fn is_interrupted(&self) -> bool {
        let mut around = core::iter::successors(Some(self), |job| job.outer.as_deref());
        around.any(|job| job.interrupted.load(Ordering::Relaxed))
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
        (is_last, over): (bool, Option<Arc<Semaphore>>),
    ) -> Result<()> {
        let domain = start(words, variables, &streams)?;
        let name = words.first().cloned().unwrap_or_default();
        self.started.lock().push((domain.number().0, name.clone()));
        let command = words.get(usize::from(name == TOOLS_COMPONENT)).cloned().unwrap_or_default();
        {
            let mut processes = self.processes.lock();
            // Under the lock of who interrupts: it finds the program, or this finds that it has been.
            if self.is_interrupted() {
                drop(processes);
                let _ = domains::destroy(domain);
                return Err(Error::ECANCELED);
            }
            processes.push(Process { domain, name, command, end: None, is_last });
        }
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
    /// Waits for all that was started; the status of the last program. In the foreground it returns too when Ctrl-Z was pressed.
    pub fn wait(&self) -> i32 {
        self.wait_until(Job::has_ended);
        self.collect()
    }
    /// Waits for the end of all of its line, which another thread executes; its status.
    pub fn wait_whole(&self) -> i32 {
        // That thread waits for the same news, and would miss what is taken from it.
        while !self.is_over() && !self.background.load(Ordering::Relaxed) {
            pebble::time::sleep(SOON);
        }
        let status = self.collect();
        if status == 0 { self.status.load(Ordering::Relaxed) as i32 } else { status }
    }
    fn wait_until(&self, over: fn(&Job) -> bool) {
        let was_background = self.background.load(Ordering::Relaxed);
        while !over(self) && (was_background || !self.background.load(Ordering::Relaxed)) {
            if self.changed.wait().is_err() {
                break;
            }
        }
        // Others may wait for the same.
        let _ = self.changed.post();
    }
    /// Says how its programs have ended; the status of the last one.
    fn collect(&self) -> i32 {
        let (mut status, mut said) = (0, Vec::new());
        self.processes.lock().retain(|process| {
            let Some(end) = &process.end else { return true };
            let told = process.is_tool() && end.kind == ended::EXIT || self.is_interrupted();
            said.extend(end_status::line(&process.name, end).filter(|_| !told));
            if process.is_last {
                status = end_status::status(end);
            }
            false
        });
        // To write may have to be waited for: not with the lock that Ctrl-C needs.
        said.iter().for_each(|line| streams::complain(format_args!("{line}")));
        status
    }
    /// The name of its program in domain `asid`, which may have ended.
    pub fn program(&self, asid: usize) -> Option<String> {
        self.started.lock().iter().rev().find(|(domain, _)| *domain == asid).map(|(_, name)| name.clone())
    }
    /// Tells those of its programs of a signal that take it, those of its parts too, and ends the others. Where nothing is left that has taken it, nothing
    /// else is started.
    pub fn signal(&self, signal: usize) {
        self.parts().iter().for_each(|job| job.signal_own(signal));
    }
    /// It and what is a part of it.
    fn parts(&self) -> Vec<Arc<Job>> {
        JOBS.lock().iter().filter(|job| job.is_within(self)).cloned().collect()
    }
    fn signal_own(&self, signal: usize) {
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
        drop(processes);
        let _ = self.changed.post();
    }
    /// It is in the foreground again, with its parts.
    pub fn take_back(&self) {
        self.parts().iter().for_each(|job| job.background.store(false, Ordering::Relaxed));
    }
    /// Whether Ctrl-Z has left it.
    pub fn was_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }
    /// Leaves it, and its parts, to the background.
    fn leave(&self) {
        for job in self.parts() {
            job.background.store(true, Ordering::Relaxed);
            job.left.store(true, Ordering::Relaxed);
            let _ = job.changed.post();
        }
    }
    /// Whether nothing works for it any more. Who was interrupted may be in a wait that nothing ends.
    fn has_ended(&self) -> bool {
        let alone = self.is_interrupted() || self.beside.load(Ordering::Acquire) == 0;
        alone && self.processes.lock().iter().all(|p| p.end.is_some())
    }
    /// Whether it is one of those in the background, and no part of another.
    fn is_listed(&self) -> bool {
        self.background.load(Ordering::Relaxed) && !self.is_part()
    }
    /// Whether all of its line is done. One that Ctrl-Z has left in the background goes on without the rest.
    fn is_over(&self) -> bool {
        self.done.load(Ordering::Acquire) && self.has_ended()
    }
    /// It is over, with this status.
    pub fn finish(&self, status: i32) {
        self.status.store(status as usize, Ordering::Relaxed);
        self.done.store(true, Ordering::Release);
        let _ = self.changed.post();
        if !self.background.load(Ordering::Relaxed) {
            JOBS.lock().retain(|job| job.number != self.number);
        }
    }
    /// Makes it the one that Ctrl-C is for while `body` runs.
    pub fn in_foreground<T>(self: &Arc<Job>, body: impl FnOnce() -> T) -> T {
        // Where there is no console there is no Ctrl-C.
        let _ = pebble::console::set_raw(false);
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
    let wanted = |job: &&Arc<Job>| job.is_listed() && number.is_none_or(|n| job.number == n);
    jobs.iter().rev().find(wanted).cloned()
}
pub fn list() {
    let jobs: Vec<Arc<Job>> = JOBS.lock().iter().filter(|job| job.is_listed()).cloned().collect();
    for job in jobs {
        println!("[{}] {} {}", job.number, if job.is_over() { "done   " } else { "running" }, job.text);
    }
}
/// It is forgotten.
pub fn forget(job: &Job) {
    JOBS.lock().retain(|other| !core::ptr::eq(&**other, job));
}
/// Says which jobs in the background are over, each once.
pub fn report() {
    let over: Vec<Arc<Job>> =
        JOBS.lock().extract_if(.., |job| job.background.load(Ordering::Relaxed) && job.is_over()).collect();
    for job in over {
        job.collect();
        if !job.is_part() {
            pebble::println!("[{}] done    {}", job.number, job.text);
        }
    }
}
/// Waits until no other job of the background runs: true; or until `own`, which waits, is interrupted.
pub fn wait_all(own: &Job) -> bool {
    let others = |job: &&Arc<Job>| job.background.load(Ordering::Relaxed) && !own.is_within(job);
    let jobs: Vec<Arc<Job>> = JOBS.lock().iter().filter(others).cloned().collect();
    for job in jobs {
        while !job.is_over() {
            if own.is_interrupted() {
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
            job.leave();
        } else {
            pebble::println!("{}", if key == CONTROL_C { "^C" } else { "^\\" });
            job.signal(if key == CONTROL_C { end_status::SIGINT } else { end_status::SIGKILL });
        }
    };
    pebble::thread::spawn(None, watch).map(|_| ())
}
