//! `--core-file`: what is left of a component that is stopped for a fault, in a file that gdb opens.
//!
//! The machine runs with QEMU's gdb stub, and stops where the portal manager is told of a fault that nobody has answered: the domain is all there
//! then. Its registers are in the exception's frame on the thread's invocation stack, its memory is what its page table shows; the stack of calls,
//! through portals, is said at once. Then the machine goes on. The system itself has no part in it.

mod elf;

use crate::build::Programs;
use crate::profile::memory::{Memory, Returns};
use crate::profile::program::{Known, Program};
use crate::profile::remote::{Registers, Remote};
use crate::profile::{RA, SP, candidates, returns};
use abi::nucleus::MAX_THREADS;
use anyhow::{Context, Result, bail};
use elf::{Part, Thread};
use image::Image;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Where the portal manager is told of faults.
const FAULT: &str = "portals::entries::domains::fault";
/// The register of its third argument, the fault's cause.
const CAUSE: usize = 12;

/// What is needed to look at a domain that dies.
pub struct Core {
    file: PathBuf,
    folder: tempfile::TempDir,
    /// With their ELF files.
    programs: Vec<(Program, Vec<u8>)>,
    portals: Program,
    fault: u64,
    returns: Returns,
}
/// A machine that is being watched.
pub struct Watch(JoinHandle<Result<()>>);

impl Core {
    /// Of a system of these programs, into `file`. `main`: what its main program is called.
    pub fn of(file: &Path, nucleus: &[u8], programs: &Programs, main: Option<&str>) -> Result<Core> {
        let named = |name: &str| match (name, main) {
            ("program", Some(main)) => main.to_string(),
            _ => Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let parsed = |(name, file): (&String, &Vec<u8>)| Some((Program::parse(&named(name), file).ok()?, file.clone()));
        let portals = programs.get("portals").context("--core-file: the system has no portal manager")?;
        let portals = Program::parse("portals", portals)?;
        let fault =
            portals.address(FAULT).with_context(|| format!("--core-file: the portal manager has no {FAULT}"))?;
        let programs = programs.iter().filter_map(parsed).collect();
        let folder = tempfile::tempdir()?;
        Ok(Core { file: file.into(), folder, programs, portals, fault, returns: returns(nucleus)? })
    }
    fn socket(&self) -> PathBuf {
        self.folder.path().join("gdb")
    }
    /// QEMU's arguments: it waits for who watches it.
    pub fn arguments(&self) -> Vec<String> {
        let socket = format!("socket,path={},server=on,wait=off,id=core", self.socket().display());
        ["-chardev", &socket, "-gdb", "chardev:core", "-S"].map(String::from).into()
    }
    /// Watches the machine until it is gone.
    pub fn start(self: Arc<Self>, image: &Image, ram: &Path) -> Result<Watch> {
        /// QEMU makes its socket at once.
        const PATIENCE: Duration = Duration::from_secs(20);
        let watcher = Watcher { memory: Memory(File::open(ram)?), threads: image.thread_table as u64, core: self };
        Ok(Watch(std::thread::spawn(move || {
            let start = Instant::now();
            let mut remote = loop {
                match Remote::connect(&watcher.core.socket()) {
                    Ok(remote) => break remote,
                    Err(error) if start.elapsed() > PATIENCE => return Err(error),
                    Err(_) => std::thread::sleep(Duration::from_millis(5)),
                }
            };
            remote.stop_at(watcher.core.fault)?;
            while remote.go_on().is_ok() && remote.stopped() {
                let registers = remote.registers()?;
                if registers.pc == watcher.core.fault && watcher.is_portal_manager(registers.satp) {
                    watcher.keep(&registers)?;
                }
                remote.step_over(watcher.core.fault)?;
            }
            Ok(())
        })))
    }
    fn name(&self) -> String {
        self.file.display().to_string()
    }
}
impl Watch {
    /// The machine is gone.
    pub fn finish(self) -> Result<()> {
        let Ok(done) = self.0.join() else { bail!("--core-file: who watched the machine has failed") };
        done
    }
}

struct Watcher {
    core: Arc<Core>,
    memory: Memory,
    threads: u64,
}
impl Watcher {
    fn runs(&self, satp: u64, program: &Program) -> bool {
        self.memory.bytes(satp, program.start(), program.first.len()).as_deref() == Some(&program.first[..])
    }
    fn is_portal_manager(&self, satp: u64) -> bool {
        self.runs(satp, &self.core.portals)
    }
    /// The program in an address space, and its file.
    fn program(&self, satp: u64) -> Option<&(Program, Vec<u8>)> {
        self.core.programs.iter().find(|(program, _)| self.runs(satp, program))
    }
    /// The faulting thread is the current one: writes the file, and says where it was.
    fn keep(&self, at: &Registers) -> Result<()> {
        let threads = candidates(at);
        let Some(thread) = threads.into_iter().find(|page| self.memory.is_thread(*page, self.threads)) else {
            return Ok(());
        };
        // A fault that a portal has raised for its caller has no more registers than the portal left: they are in a frame all the same.
        let Some((satp, registers)) = self.memory.exception(thread, &self.core.returns) else { return Ok(()) };
        let found = self.program(satp);
        let name = found.map_or("?", |(program, _)| &program.name);
        let mut all = vec![Thread { number: self.memory.index(thread).unwrap_or(0) as u32 + 1, registers }];
        all.extend(self.others(thread, satp));
        let parts = self.memory.parts(satp).into_iter();
        let parts: Vec<Part> =
            parts.map(|(start, bytes, writable, executable)| Part { start, bytes, writable, executable }).collect();
        let program = PathBuf::from(format!("{}.elf", self.core.name()));
        let in_file = program.file_name().unwrap_or_default().to_string_lossy();
        let file = elf::core(name, &in_file, signal(at.general[CAUSE]), &all, &parts);
        std::fs::write(&self.core.file, file).with_context(|| self.core.name())?;
        eprint!("pebble: {name} is stopped for a fault, {}", self.backtrace(thread, satp, &registers));
        if let Some((_, bytes)) = found {
            std::fs::write(&program, bytes).with_context(|| program.display().to_string())?;
            eprintln!("pebble: what is left of it: gdb-multiarch {} {}", program.display(), self.core.name());
        }
        Ok(())
    }
    /// What is known of the domain's other threads: where they run or wait, or have called another domain.
    fn others(&self, faulting: u64, satp: u64) -> Vec<Thread> {
        let other = |index: u64| {
            let page = self.memory.thread(index, self.threads).filter(|&page| page != faulting)?;
            let calls = self.memory.invocations(page, &self.core.returns);
            let call = calls.iter().find(|call| call.satp == satp)?;
            let mut registers = [0; 32];
            (registers[0], registers[RA], registers[SP]) = (call.pc, call.ra, call.sp);
            Some(Thread { number: index as u32 + 1, registers })
        };
        (0..MAX_THREADS as u64).filter_map(other).collect()
    }
    /// The functions that the thread was in, and those of its callers through portals, a line for each domain.
    fn backtrace(&self, thread: u64, satp: u64, registers: &[u64; 32]) -> String {
        let mut known: Known = registers.map(Some);
        known[0] = Some(0);
        let mut text = self.functions(satp, registers[0], known);
        let calls = self.memory.invocations(thread, &self.core.returns);
        // Behind the exception's frame, whose the first one here is.
        let behind =
            calls.iter().position(|call| call.satp == satp && call.pc == registers[0]).map_or(calls.len(), |at| at + 1);
        for call in &calls[behind..] {
            let mut known: Known = [None; 32];
            (known[RA], known[SP]) = (Some(call.ra), Some(call.sp));
            let functions = self.functions(call.satp, call.pc, known);
            if functions.starts_with("in ?") && self.program(call.satp).is_none() {
                continue;
            }
            let name = self.program(call.satp).map_or("?", |(program, _)| &program.name);
            text += &format!("pebble:   called by {name}, {functions}");
        }
        text
    }
    fn functions(&self, satp: u64, pc: u64, known: Known) -> String {
        let word = |address| self.memory.word(satp, address);
        let functions = self.program(satp).map_or(Vec::new(), |(program, _)| program.stack(pc, known, word));
        let named = if functions.is_empty() { format!("? ({pc:#x})") } else { functions.join(" < ") };
        format!("in {named}\n")
    }
}
/// The signal that a fault's cause would be elsewhere.
fn signal(cause: u64) -> u16 {
    match cause {
        2 => 4,         // SIGILL
        3 => 5,         // SIGTRAP
        0 | 4 | 6 => 7, // SIGBUS: an address that is not aligned
        _ => 11,        // SIGSEGV
    }
}
