//! Running an image in QEMU, which never outlives this process.

use crate::child::end_with_us;
use crate::console::{Heard, Input, MARK, Treatment, listen};
use crate::devices;
use crate::foreign::Foreign;
use crate::guest_log::{self, GuestLog};
use abi::console::{PORT_ROOM, SERIAL_ROOM};
use anyhow::{Context, Result, bail};
use image::Image;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use strict::Masked;

const QEMU: &str = "qemu-system-riscv64";
/// What the guest's console is connected to.
pub enum Console {
    /// This terminal, with QEMU's Ctrl-A keys.
    Terminal,
    /// What is typed at this terminal, and our standard output and error.
    Typed,
    /// Our standard input, output and error, byte for byte.
    Streams,
    /// A string (none: no input comes, not even its end), and buffers.
    Captured(Option<Vec<u8>>),
}
/// How a run ended.
pub struct Outcome {
    /// What the console said.
    pub heard: Heard,
    pub timed_out: bool,
    /// Seconds of processor time that QEMU had used when the time was over.
    pub computed: Option<f64>,
    /// Nobody took our standard output any more, and there was no way to tell the guest.
    pub broken: bool,
    pub log: Option<GuestLog>,
    /// What the strict machine has found that no core may see.
    pub breach: Option<String>,
    /// For how long interrupts were off at most, if the strict machine ran it.
    pub masked: Option<Masked>,
}

/// The machine's options.
pub struct Machine {
    pub megabytes: usize,
    pub timeout: Option<Duration>,
    /// Further QEMU arguments.
    pub extra: Vec<String>,
    /// It waits for gdb.
    pub debug: Option<crate::debug::Session>,
    /// It is watched for components that die.
    pub core: Option<Arc<crate::core_file::Core>>,
    /// Samples of it are taken.
    pub profile: Option<Arc<crate::profile::Profile>>,
    /// It has a port of a virtio console, which [`Console::Streams`] are connected to rather than to the serial port.
    pub port: bool,
}
impl Default for Machine {
    fn default() -> Machine {
        Machine {
            megabytes: 128,
            timeout: None,
            extra: Vec::new(),
            debug: None,
            core: None,
            profile: None,
            port: false,
        }
    }
}

/// A QEMU process with its files.
pub struct Guest {
    child: Child,
    ram: tempfile::NamedTempFile,
    _image: tempfile::NamedTempFile,
    /// Our end of its port.
    port: Option<UnixStream>,
    log: usize,
}
impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
/// A temporary file in RAM, where there is such a folder.
pub fn scratch() -> Result<tempfile::NamedTempFile> {
    let shared = std::path::Path::new("/dev/shm");
    let made = if shared.is_dir() { tempfile::NamedTempFile::new_in(shared) } else { tempfile::NamedTempFile::new() };
    made.context("a temporary file for the guest's memory")
}

/// Has the command inherit a socket; its number there.
fn hand_over(command: &mut Command, socket: &UnixStream) -> RawFd {
    let number = socket.as_raw_fd();
    // SAFETY: fcntl is async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            libc::fcntl(number, libc::F_SETFD, 0);
            Ok(())
        });
    }
    number
}

impl Guest {
    /// Starts QEMU on an image, its console on pipes (or this terminal's input).
    pub fn start(image: &Image, machine: &Machine, terminal: bool, stdin: Stdio) -> Result<Guest> {
        let mut file = scratch()?;
        file.write_all(&image.bytes)?;
        let ram = scratch()?;
        ram.as_file().set_len((machine.megabytes as u64) << 20)?;
        let mut command = Command::new(QEMU);
        command.args(["-M", "virt,memory-backend=ram", "-cpu", "rv64", "-display", "none", "-no-reboot"]);
        command.arg("-m").arg(format!("{}M", machine.megabytes));
        command.arg("-object").arg(format!(
            "memory-backend-file,id=ram,size={}M,share=on,mem-path={}",
            machine.megabytes,
            ram.path().display()
        ));
        command.arg("-kernel").arg(file.path());
        command.args(if terminal { ["-serial", "mon:stdio"] } else { ["-serial", "stdio"] });
        command.args(if terminal { &[][..] } else { &["-monitor", "none"] });
        command.args(machine.profile.iter().flat_map(|profile| profile.arguments()));
        command.args(machine.core.iter().flat_map(|core| core.arguments()));
        command.args(machine.debug.iter().flat_map(|debug| debug.arguments()));
        // QEMU's end is closed here with the other, when this function ends.
        let port = machine.port.then(UnixStream::pair).transpose()?;
        if let Some((_, theirs)) = &port {
            let socket = hand_over(&mut command, theirs);
            command.args(devices::port_arguments(socket));
        }
        command.args(&machine.extra).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::inherit());
        end_with_us(&mut command);
        let child = command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => anyhow::anyhow!("{QEMU} is missing: install the package qemu-system-misc"),
            _ => error.into(),
        })?;
        let guest = Guest { child, ram, _image: file, port: port.map(|(ours, _)| ours), log: image.log };
        if let Some(debug) = &machine.debug {
            debug.announce(image, guest.ram())?;
        }
        Ok(guest)
    }
    /// The file that is the machine's RAM.
    pub fn ram(&self) -> &std::path::Path {
        self.ram.path()
    }
    pub fn stdout(&mut self) -> Option<std::process::ChildStdout> {
        self.child.stdout.take()
    }
    pub fn stdin(&mut self) -> Option<std::process::ChildStdin> {
        self.child.stdin.take()
    }
    /// Waits until the machine has stopped by itself.
    pub fn ended(mut self, most: Duration) -> Result<()> {
        match self.wait(Some(Instant::now() + most), &AtomicBool::new(false))? {
            Some(status) if status.success() => Ok(()),
            Some(status) => bail!("{QEMU}: {status}"),
            None => bail!("the machine runs on after {} s", most.as_secs()),
        }
    }
    /// Seconds of processor time that the machine has used.
    pub fn processor_time(&self) -> Option<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // Fields 14 and 15, counted from behind the name in parentheses (proc(5)).
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
        // SAFETY: asks for a number.
        Some(ticks / unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64)
    }
    /// How long the machine has waited for a processor of the host's: that of its threads which has waited longest.
    fn held_up(&self) -> Duration {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).into_iter().flatten().flatten();
        let waited = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok());
        waited.filter_map(|text| waited_by(&text)).max().unwrap_or_default()
    }
    /// The system log as it is now.
    pub fn log(&self) -> Option<GuestLog> {
        guest_log::read(self.ram.as_file(), self.log_offset()).ok()
    }
    /// Where the system log is in the file that is the guest's RAM.
    pub fn log_offset(&self) -> u64 {
        (self.log - abi::address::RAM_BASE) as u64
    }
    /// Waits for QEMU to end, until `deadline`, or until its output is `broken`; `None`: it was still running. What it waits for a processor
    /// is added to its time.
    fn wait(&mut self, deadline: Option<Instant>, broken: &AtomicBool) -> Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if deadline.is_some_and(|d| Instant::now() >= d && Instant::now() >= d + self.held_up())
                || broken.load(Ordering::Relaxed)
            {
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// How long a thread has waited for a processor, as the kernel says it: nanoseconds, the second number (`Documentation/scheduler/sched-stats`).
fn waited_by(schedstat: &str) -> Option<Duration> {
    schedstat.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// Both ends of a console at this side: what it says, and where its input goes.
type Ends = (Box<dyn Read + Send>, Option<Arc<Input>>);

/// The ends of the guest's console: of its port, where it has one and programs are at both ends, else of its serial port.
fn ends(guest: &mut Guest) -> Result<Ends> {
    if let Some(port) = &guest.port {
        return Ok((Box::new(port.try_clone()?), Some(Input::new(port.try_clone()?, PORT_ROOM))));
    }
    let input = guest.stdin().map(|pipe| Input::new(pipe, SERIAL_ROOM));
    let Some(from) = guest.stdout() else { bail!("{QEMU} has no output") };
    Ok((Box::new(from), input))
}
/// Boots an image and waits until the machine stops or the time is over.
pub fn run(image: &Image, machine: &Machine, console: Console) -> Result<Outcome> {
    let input: Option<Box<dyn Read + Send>> = match &console {
        Console::Terminal | Console::Typed => None,
        Console::Streams => Some(Box::new(std::io::stdin())),
        Console::Captured(input) => input.clone().map(|i| Box::new(std::io::Cursor::new(i)) as _),
    };
    let captured = matches!(console, Console::Captured(_));
    let terminal = matches!(console, Console::Terminal);
    let stdin = match input {
        Some(_) if machine.port => Stdio::null(),
        Some(_) => Stdio::piped(),
        None => Stdio::inherit(),
    };
    let mut guest = Guest::start(image, machine, terminal, stdin)?;
    let deadline = machine.timeout.map(|t| Instant::now() + t);
    let (from, pipe) = ends(&mut guest)?;
    if let (Some(input), Some(pipe)) = (input, pipe.clone()) {
        // It ends with this process, or when the machine is over.
        std::thread::spawn(move || pipe.feed(input));
    }
    let how = Treatment { framed: !terminal, captured, marked: !machine.port };
    // What the firmware and the nucleus say where the console is not theirs.
    let serial = guest.stdout().map(|serial| {
        let how = Treatment { framed: false, captured: true, marked: true };
        std::thread::spawn(move || listen(serial, how, None, &AtomicBool::new(false)))
    });
    let broken = Arc::new(AtomicBool::new(false));
    let told = broken.clone();
    let input = pipe.clone();
    let reader = std::thread::spawn(move || listen(from, how, pipe.as_deref(), &told));
    let over = Arc::new(AtomicBool::new(false));
    let sampling = machine
        .profile
        .clone()
        .map(|profile| profile.start(image, (guest.ram(), guest.log_offset()), over.clone()))
        .transpose()?;
    let watch = machine.core.clone().map(|core| core.start(image, guest.ram())).transpose()?;
    let ended = guest.wait(deadline, &broken)?;
    over.store(true, Ordering::Relaxed);
    let log = guest.log();
    let computed = ended.is_none().then(|| guest.processor_time()).flatten();
    drop(guest);
    if let Some(input) = input {
        input.over();
    }
    if let Some(Err(error)) = sampling.map(|sampling| sampling.finish()) {
        // What the program has done counts all the same.
        eprintln!("pebble: {}", Foreign::lines(&format!("{error:#}")));
    }
    if let Some(Err(error)) = watch.map(|watch| watch.finish()) {
        eprintln!("pebble: {}", Foreign::lines(&format!("{error:#}")));
    }
    let mut heard = reader.join().unwrap_or_default();
    if let Some(serial) = serial.and_then(|serial| serial.join().ok()) {
        heard.firmware = serial.firmware;
        match captured {
            true => heard.errors.extend(serial.output),
            false => eprint!("{}", Foreign::lines(&String::from_utf8_lossy(&serial.output))),
        }
    }
    let broken = broken.load(Ordering::Relaxed);
    Ok(Outcome { heard, timed_out: ended.is_none() && !broken, computed, broken, log, breach: None, masked: None })
}

/// Boots an image and lets it run until its console has said a line with `until`: what it said, and all of RAM at that moment.
pub fn snapshot(image: &Image, machine: &Machine, until: &str) -> Result<(String, Vec<u8>)> {
    let mut guest = Guest::start(image, machine, false, Stdio::null())?;
    let Some(mut from) = guest.stdout() else { bail!("{QEMU} has no output") };
    let (sender, receiver) = std::sync::mpsc::channel();
    // It ends when QEMU is gone.
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let _ = sender.send(buffer[..count].to_vec());
        }
    });
    let deadline = Instant::now() + machine.timeout.unwrap_or(Duration::from_secs(60));
    let mut said = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&said);
        let text = text.rsplit(MARK as char).next().unwrap_or("").to_string();
        if text.find(until).is_some_and(|at| text[at..].contains('\n')) {
            let mut ram = vec![0; machine.megabytes << 20];
            std::os::unix::fs::FileExt::read_exact_at(guest.ram.as_file(), &mut ram, 0)?;
            return Ok((text, ram));
        }
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(bytes) => said.extend(bytes),
            Err(_) => bail!("the console never said \"{until}\":\n{text}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_a_thread_waited_for_a_processor_is_the_second_number() {
        assert_eq!(waited_by("812345 2739408 17\n"), Some(Duration::from_nanos(2_739_408)));
        assert!(waited_by("").is_none() && waited_by("0").is_none());
    }
}
