//! What may come from outside, broken: see the crate `fuzz`. Cases are done in a process of their own, with a limit of memory, so that none
//! ends the campaign.

use super::{Campaign, Failure, Ran};
use crate::child::end_with_us;
use anyhow::{Context, Result, bail};
use fuzz::Target;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Bytes that cases may take, with all that the process has: more than a component ever has.
const MEMORY: u64 = 1 << 30;
/// How long one case may take: most take milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is done in the process of its own: cases of a target from a seed on, each of which is said before it begins.
#[derive(clap::Args)]
pub struct Cases {
    target: String,
    first: u64,
    count: u64,
}
impl Cases {
    pub fn run(&self) -> Result<ExitCode> {
        let target = Target::of(&self.target).with_context(|| format!("there is no target \"{}\"", self.target))?;
        let limit = libc::rlimit { rlim_cur: MEMORY, rlim_max: MEMORY };
        // SAFETY: a limit of this process, which it may lower.
        if unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) } < 0 {
            bail!("the limit of memory can not be set: {}", std::io::Error::last_os_error());
        }
        let mut output = std::io::stdout();
        for seed in self.first..self.first + self.count {
            writeln!(output, "{seed}")?;
            fuzz::case(target, seed);
        }
        Ok(ExitCode::SUCCESS)
    }
}

pub struct Fuzz {
    build: u64,
}
impl Fuzz {
    pub fn new(root: &Path) -> Result<Fuzz> {
        let mut hasher = DefaultHasher::new();
        for folder in
            ["lib/fuzz/src", "lib/volume/src", "services/internet/src", "services/http/src", "services/https/src"]
        {
            for file in crate::build::files(&root.join(folder), &["rs"])? {
                std::fs::read(file)?.hash(&mut hasher);
            }
        }
        std::fs::read(root.join("Cargo.lock"))?.hash(&mut hasher);
        Ok(Fuzz { build: hasher.finish() })
    }
}
/// Cases of a run: those of a disk take longer.
fn cases(target: Target) -> u64 {
    if matches!(target, Target::Disk | Target::Crafted) { 500 } else { 5000 }
}
impl Campaign for Fuzz {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, run: u64, seed: u32, most: u64) -> Result<Ran> {
        let target = Target::ALL[run as usize % Target::ALL.len()];
        let (first, count) = (u64::from(seed) << 32, cases(target).min(most));
        let why = watched(target, first, count)?;
        let failure =
            why.map(|(case, why)| Failure { command: format!("{} fuzz {} {case} 1", own_path(), target.name()), why });
        Ok(Ran { steps: count, failure })
    }
}
fn own_path() -> String {
    std::env::current_exe().map_or("pebble-host".into(), |path| path.display().to_string())
}
/// The case that failed, and how; `None`: none did.
fn watched(target: Target, first: u64, count: u64) -> Result<Option<(u64, String)>> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["fuzz", target.name(), &first.to_string(), &count.to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    end_with_us(&mut command);
    let mut child = command.spawn()?;
    let lines = BufReader::new(child.stdout.take().context("no output")?).lines();
    let mut errors = child.stderr.take().context("no errors")?;
    let said = std::thread::spawn(move || {
        let mut said = String::new();
        errors.read_to_string(&mut said).map(|_| said)
    });
    let (begun, cases) = channel();
    std::thread::spawn(move || lines.map_while(|line| line.ok()).try_for_each(|line| begun.send(line)));
    let mut last = first;
    loop {
        match cases.recv_timeout(PATIENCE) {
            Ok(case) => last = case.parse()?,
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                child.kill()?;
                child.wait()?;
                return Ok(Some((last, format!("it goes on for more than {} s", PATIENCE.as_secs()))));
            }
        }
    }
    let status = child.wait()?;
    let said = said.join().ok().and_then(|said| said.ok()).unwrap_or_default();
    let why = || format!("{status}: {}", said.lines().take(3).collect::<Vec<_>>().join(" "));
    Ok((!status.success()).then(|| (last, why())))
}
