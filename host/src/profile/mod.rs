//! `--profile`: where a system spends its time, as a flame graph across domains.
//!
//! The machine is stopped by QEMU's gdb stub some hundred times a second, wherever it is: in a component, in the code of a portal, in the
//! scheduler with interrupts off. Its time stands still meanwhile. The system itself has no part in it and is the one that runs without it; a
//! timer's interrupt, which a sampler inside would need, is never taken where interrupts are off.
//!
//! A sample is the stack in the domain that runs, by the call frame information of its program, and below it that of each domain that has called
//! it, by the thread's invocation stack. A program is known by its code, as in `--gdb`.

pub mod memory;
pub mod program;
pub mod remote;

use crate::build::Programs;
use crate::guest_log;
use anyhow::{Context, Result, bail};
use image::Image;
use memory::{Invocation, Memory, Returns};
use program::{Known, Program};
use remote::{Registers, Remote};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long the machine runs between two samples.
const INTERVAL: Duration = Duration::from_millis(2);
/// What a frame is called where no program is known, or no function.
const UNKNOWN: &str = "?";
/// The supervisor's half of an address space: the nucleus and the code of portals.
const SUPERVISOR: u64 = 1 << 63;
/// Places of registers in the order of their numbers.
pub const RA: usize = 1;
pub const SP: usize = 2;
const TP: usize = 4;

/// Stacks, as the names of their frames from the outermost in, joined by `;`; and how many samples had each.
pub type Stacks = BTreeMap<String, usize>;

/// What is needed to take samples of a system.
pub struct Profile {
    file: PathBuf,
    folder: tempfile::TempDir,
    programs: Vec<Program>,
    nucleus: Program,
    returns: Returns,
}
/// What frames return through in this nucleus.
pub fn returns(nucleus: &[u8]) -> Result<Returns> {
    let symbols = image::Program::parse("nucleus", nucleus)?;
    Ok(Returns {
        start: symbols.symbol("nucleus_start")?,
        restore: symbols.symbol("nucleus_restore")?,
        floating_return: symbols.symbol("nucleus_floating_return")?,
    })
}
/// Where the current thread's page may be: in the nucleus and in portals it is in `tp`; else the nucleus has put it aside.
pub fn candidates(registers: &Registers) -> [u64; 2] {
    [registers.sscratch, registers.general[TP]]
}
/// Samples that are being taken.
pub struct Sampling {
    thread: JoinHandle<Result<Stacks>>,
    file: PathBuf,
}

impl Profile {
    /// Of a system of these programs, into `file`. `main`: what its main program is called.
    pub fn of(file: &Path, nucleus: &[u8], programs: &Programs, main: Option<&str>) -> Result<Profile> {
        // Better now than when all is over.
        File::create(file).with_context(|| file.display().to_string())?;
        let returns = returns(nucleus)?;
        let named = |name: &str| match (name, main) {
            ("program", Some(main)) => main.to_string(),
            _ => Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let programs = programs.iter().filter_map(|(name, file)| Program::parse(&named(name), file).ok()).collect();
        let nucleus = Program::parse("nucleus", nucleus)?;
        Ok(Profile { file: file.into(), folder: tempfile::tempdir()?, programs, nucleus, returns })
    }
    fn socket(&self) -> PathBuf {
        self.folder.path().join("gdb")
    }
    /// QEMU's arguments.
    pub fn arguments(&self) -> Vec<String> {
        let socket = format!("socket,path={},server=on,wait=off,id=profile", self.socket().display());
        ["-chardev", &socket, "-gdb", "chardev:profile"].map(String::from).into()
    }
    /// Takes samples from the time on when the system has been booted, until the machine is gone.
    pub fn start(self: Arc<Self>, image: &Image, (ram, log): (&Path, u64), over: Arc<AtomicBool>) -> Result<Sampling> {
        let (threads, file) = (image.thread_table as u64, self.file.clone());
        let ram = File::open(ram)?;
        let thread = std::thread::spawn(move || {
            while !guest_log::read(&ram, log).is_ok_and(|log| log.booted) {
                if over.load(Ordering::Relaxed) {
                    return Ok(Stacks::new());
                }
                std::thread::sleep(INTERVAL);
            }
            let sampler = Sampler { profile: self, memory: Memory(ram), threads };
            let mut remote = Remote::connect(&sampler.profile.socket())?;
            let mut stacks = Stacks::new();
            // The stub has nothing more to say once the machine is gone, which may be at any time.
            while remote.go_on().is_ok() {
                std::thread::sleep(INTERVAL);
                let Ok(registers) = remote.stop().and_then(|()| remote.registers()) else { break };
                *stacks.entry(sampler.stack(&registers).join(";")).or_default() += 1;
            }
            Ok(stacks)
        });
        Ok(Sampling { thread, file })
    }
}
impl Sampling {
    /// The machine is gone: writes what was found.
    pub fn finish(self) -> Result<()> {
        let Ok(stacks) = self.thread.join() else { bail!("--profile: the sampler has failed") };
        write(&self.file, &stacks?)
    }
}
/// Writes a flame graph, or the stacks themselves where the file's name does not end in `.svg`.
fn write(file: &Path, stacks: &Stacks) -> Result<()> {
    let samples: usize = stacks.values().sum();
    if samples == 0 {
        bail!("--profile: the system ended before a sample was taken");
    }
    let lines: Vec<String> = stacks.iter().map(|(stack, count)| format!("{stack} {count}")).collect();
    let place = || file.display().to_string();
    if file.extension().is_some_and(|extension| extension == "svg") {
        let mut options = inferno::flamegraph::Options::default();
        options.title = "Pebble".into();
        options.deterministic = true;
        let to = std::io::BufWriter::new(File::create(file).with_context(place)?);
        inferno::flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), to).with_context(place)?;
    } else {
        std::fs::write(file, lines.join("\n") + "\n").with_context(place)?;
    }
    eprintln!("pebble: {samples} samples in {}", file.display());
    Ok(())
}

/// What looks at a machine that is stopped.
struct Sampler {
    profile: Arc<Profile>,
    memory: Memory,
    /// Where the table of threads is.
    threads: u64,
}
impl Sampler {
    /// The program whose code is in an address space.
    fn program(&self, satp: u64) -> Option<&Program> {
        let has = |program: &&Program| {
            self.memory.bytes(satp, program.start(), program.first.len()).as_deref() == Some(&program.first[..])
        };
        self.profile.programs.iter().find(has)
    }
    /// The frames in one address space from the outermost in: the program, and its functions.
    fn frames(&self, satp: u64, pc: u64, known: Known) -> Vec<String> {
        let Some(program) = self.program(satp) else { return vec![UNKNOWN.into()] };
        let functions = program.stack(pc, known, |address| self.memory.word(satp, address));
        let mut frames = vec![program.name.clone()];
        frames.extend(functions.iter().rev().map(|name| plain(name)));
        if functions.is_empty() {
            frames.push(UNKNOWN.into());
        }
        frames
    }
    /// The calls that the current thread is in.
    fn invocations(&self, registers: &Registers) -> Vec<Invocation> {
        let thread = candidates(registers).into_iter().find(|page| self.memory.is_thread(*page, self.threads));
        thread.map_or(Vec::new(), |thread| self.memory.invocations(thread, &self.profile.returns))
    }
    /// The names of a sample's frames, from the outermost in.
    fn stack(&self, registers: &Registers) -> Vec<String> {
        let Registers { general, pc, satp, sepc, .. } = *registers;
        let known = |pairs: &[(usize, u64)]| {
            let mut known: Known = [None; 32];
            pairs.iter().for_each(|&(n, value)| known[n] = Some(value));
            known
        };
        let invocations = self.invocations(registers);
        let below = |i: &Invocation| self.frames(i.satp, i.pc, known(&[(RA, i.ra), (SP, i.sp)]));
        let mut stack: Vec<String> = invocations.iter().rev().flat_map(below).collect();
        if pc < SUPERVISOR {
            stack.extend(self.frames(satp, pc, general.map(Some)));
            return stack;
        }
        // On its way out of a domain, or back into it: unless that one is among the calls already. Registers that are not its own any more
        // are not taken for addresses of its.
        let entered = invocations.first().is_some_and(|last| last.pc.abs_diff(sepc) <= 4);
        if !entered && sepc < SUPERVISOR && self.program(satp).is_some_and(|program| program.has(sepc)) {
            stack.extend(self.frames(satp, sepc, general.map(|value| Some(value).filter(|&v| v < SUPERVISOR))));
        }
        match self.profile.nucleus.function(pc) {
            Some(name) => stack.extend(["nucleus".into(), plain(name)]),
            None => stack.push("portal code".into()),
        }
        stack
    }
}
/// A name of a frame without what separates frames and counts.
fn plain(name: &str) -> String {
    name.replace(';', ",").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn stacks_are_written_as_text_or_as_a_picture() {
        let folder = tempfile::tempdir().unwrap();
        let stacks = Stacks::from([("a;main;f".to_string(), 3), ("a;main".to_string(), 1)]);
        let text = folder.path().join("stacks");
        write(&text, &stacks).unwrap();
        assert_eq!(std::fs::read_to_string(text).unwrap(), "a;main 1\na;main;f 3\n");
        let picture = folder.path().join("p.svg");
        write(&picture, &stacks).unwrap();
        let picture = std::fs::read_to_string(picture).unwrap();
        assert!(picture.contains("<svg") && picture.contains("main (4 samples"));
    }
    #[test]
    fn nothing_to_be_written_is_an_error() {
        let error = write(Path::new("/nonexistent/p.svg"), &Stacks::new()).unwrap_err();
        assert!(error.to_string().contains("before a sample"));
    }
}
