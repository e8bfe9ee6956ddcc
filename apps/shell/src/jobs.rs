//! Programs that run: each is waited for by a thread of its own, so that the shell waits for as many as it likes, and is told of Ctrl-C
//! meanwhile.

use crate::println;
use crate::programs::{Streams, TOOLS_COMPONENT, start};
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
    /// How it has ended.
    end: Option<Ended>,
}
/// What a line has started: the programs of the pipeline that runs, and whether others follow.
pub struct Job {
    pub number: usize,
    pub text: String,
    processes: Mutex<Vec<Process>>,
    /// Domains of all that it has started, and their names: for what is said of them later.
    started: Mutex<Vec<(usize, String)>>,
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
            changed,
            background: background.into(),
            interrupted: false.into(),
            status: 0.into(),
            done: false.into(),
        });
        jobs.push(job.clone());
        Ok(job)
    }
    /// Starts a program of it. The streams are given up when it has ended.
    pub fn start(self: &Arc<Job>, words: &[String], variables: &[String], streams: Streams) -> Result<()> {
        let domain = start(words, variables, &streams)?;
        let name = words.first().cloned().unwrap_or_default();
        self.started.lock().push((domain.number().0, name.clone()));
        self.processes.lock().push(Process { domain, name, end: None });
        let job = self.clone();
        let waits = pebble::thread::spawn(None, move || {
            // Who can not be waited for has ended.
            let end = pebble::thread::wait_domain(domain.number().0).unwrap_or_default();
            drop(streams);
            if let Some(process) = job.processes.lock().iter_mut().find(|p| p.domain == domain && p.end.is_none()) {
                process.end = Some(end);
            }
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
            let ended = self.processes.lock().iter().all(|p| p.end.is_some());
            if ended || (!was_background && self.background.load(Ordering::Relaxed)) {
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
            // A tool has said itself why it fails, and grep's status is an answer.
            let said = process.name == TOOLS_COMPONENT && end.kind == ended::EXIT;
            if let Some(line) =
                end_status::line(&process.name, end).filter(|_| !said && !self.interrupted.load(Ordering::Relaxed))
            {
                pebble::eprintln!("{line}");
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
    fn running(&self) -> bool {
        !self.processes.lock().is_empty()
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
        *FOREGROUND.lock() = Some(self.clone());
        let result = body();
        *FOREGROUND.lock() = None;
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
        println!(
            "[{}] {} {}",
            job.number,
            if job.done.load(Ordering::Acquire) { "done   " } else { "running" },
            job.text
        );
    }
}
/// Says which jobs in the background are over, each once.
pub fn report() {
    JOBS.lock().retain(|job| {
        // One that Ctrl-Z has left there goes on without the rest of its line.
        let (done, left) = (job.done.load(Ordering::Acquire), job.processes.lock().iter().all(|p| p.end.is_some()));
        let over = job.background.load(Ordering::Relaxed) && done && left;
        if over {
            if job.running() {
                job.collect();
            }
            pebble::println!("[{}] done    {}", job.number, job.text);
        }
        !over
    });
}
/// Waits until no job of the background runs, or Ctrl-C is pressed.
pub fn wait_all() {
    let jobs: Vec<Arc<Job>> = JOBS.lock().iter().filter(|j| j.background.load(Ordering::Relaxed)).cloned().collect();
    for job in jobs {
        while !job.done.load(Ordering::Acquire) || job.running() {
            if job.processes.lock().iter().all(|p| p.end.is_some()) && job.done.load(Ordering::Acquire) {
                break;
            }
            pebble::time::sleep(5_000_000);
        }
    }
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
