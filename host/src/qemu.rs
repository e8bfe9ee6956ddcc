//! Running an image in QEMU, which never outlives this process.

use crate::guest_log::{self, GuestLog};
use anyhow::{Context, Result, bail};
use image::Image;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const QEMU: &str = "qemu-system-riscv64";
/// The nucleus's first output: what comes before it is the firmware's.
const MARK: u8 = 0x1e;

/// What the guest's console is connected to.
pub enum Console {
    /// This terminal, with QEMU's Ctrl-A keys.
    Terminal,
    /// Our standard input, and our standard output byte for byte.
    Streams,
    /// The same, but the end of our input lasts: each who reads on gets it.
    Script,
    /// A string (none: no input comes, not even its end), and a buffer.
    Captured(Option<Vec<u8>>),
}
/// How a run ended.
pub struct Outcome {
    /// What the console said after the mark, where it was captured.
    pub output: Vec<u8>,
    /// What it said before the mark, if the mark never came.
    pub firmware: Vec<u8>,
    pub timed_out: bool,
    pub log: Option<GuestLog>,
    /// What the strict machine has found that no core may see.
    pub breach: Option<String>,
}

/// The machine's options.
pub struct Machine {
    pub megabytes: usize,
    pub timeout: Option<Duration>,
    /// Further QEMU arguments.
    pub extra: Vec<String>,
}
impl Default for Machine {
    fn default() -> Machine {
        Machine { megabytes: 128, timeout: None, extra: Vec::new() }
    }
}

/// A QEMU process with its files.
pub struct Guest {
    child: Child,
    ram: tempfile::NamedTempFile,
    _image: tempfile::NamedTempFile,
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

/// Makes the kernel end the command's process with this one.
pub fn end_with_us(command: &mut Command) {
    // SAFETY: prctl is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
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
        command.args(&machine.extra).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::inherit());
        end_with_us(&mut command);
        let child = command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => anyhow::anyhow!("{QEMU} is missing: install the package qemu-system-misc"),
            _ => error.into(),
        })?;
        Ok(Guest { child, ram, _image: file, log: image.log })
    }
    pub fn stdout(&mut self) -> Option<std::process::ChildStdout> {
        self.child.stdout.take()
    }
    pub fn stdin(&mut self) -> Option<std::process::ChildStdin> {
        self.child.stdin.take()
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
    /// The system log as it is now.
    pub fn log(&self) -> Option<GuestLog> {
        guest_log::read(self.ram.as_file(), self.log_offset()).ok()
    }
    /// Where the system log is in the file that is the guest's RAM.
    fn log_offset(&self) -> u64 {
        (self.log - abi::address::RAM_BASE) as u64
    }
    /// Waits for QEMU to end, until `deadline`; `None`: it was still running.
    pub fn wait(&mut self, deadline: Option<Instant>) -> Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if deadline.is_some_and(|d| Instant::now() >= d) {
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Passes a console's output on, without what precedes the mark.
pub struct Output<W> {
    to: W,
    marked: bool,
    /// What came before the mark.
    pub firmware: Vec<u8>,
}
impl<W: Write> Output<W> {
    pub fn new(to: W) -> Output<W> {
        Output { to, marked: false, firmware: Vec::new() }
    }
    pub fn pass(&mut self, mut bytes: &[u8]) -> std::io::Result<()> {
        if !self.marked {
            match bytes.iter().position(|&b| b == MARK) {
                Some(at) => {
                    self.marked = true;
                    self.firmware.clear();
                    bytes = &bytes[at + 1..];
                }
                None => {
                    self.firmware.extend_from_slice(bytes);
                    return Ok(());
                }
            }
        }
        self.to.write_all(bytes)?;
        self.to.flush()
    }
    pub fn into_inner(self) -> (W, Vec<u8>) {
        (self.to, self.firmware)
    }
}

/// Our standard output, written to whether it blocks or not: where it is the terminal that QEMU reads, QEMU has made both
/// answer at once, and a terminal that takes its time would lose what it has no room for.
struct StandardOutput;
impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        loop {
            // SAFETY: the bytes are there.
            let count = unsafe { libc::write(libc::STDOUT_FILENO, bytes.as_ptr().cast(), bytes.len()) };
            if count >= 0 {
                return Ok(count as usize);
            }
            let error = std::io::Error::last_os_error();
            if error.kind() != std::io::ErrorKind::WouldBlock {
                return Err(error);
            }
            let mut room = libc::pollfd { fd: libc::STDOUT_FILENO, events: libc::POLLOUT, revents: 0 };
            // SAFETY: one descriptor.
            unsafe { libc::poll(&mut room, 1, -1) };
        }
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Passes a guest's console on to our standard output, or keeps it, until it ends: what came after the mark, where it is
/// captured, and what came before it if the mark never came.
pub fn pass_console(mut from: impl Read, captured: bool) -> (Vec<u8>, Vec<u8>) {
    let sink: Box<dyn Write> = if captured { Box::new(Vec::new()) } else { Box::new(StandardOutput) };
    let mut kept = Vec::new();
    let mut output = Output::new(sink);
    let mut buffer = [0; 65536];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if captured {
            kept.extend_from_slice(&buffer[..count]);
        } else if output.pass(&buffer[..count]).is_err() {
            break;
        }
    }
    let mut all = Output::new(Vec::new());
    let _ = all.pass(&kept);
    if captured { all.into_inner() } else { (Vec::new(), output.into_inner().1) }
}

/// How often whoever reads the console is told again that the input has ended, where that lasts.
const END_AGAIN: Duration = Duration::from_secs(1);

/// Passes input on to the guest's console once its driver is there (before, the firmware would take it), then tells it that there
/// is no more: Ctrl-D, twice if the last line is not finished. If that `lasts`, again and again: a program that ran first may
/// have read one to its end.
fn feed(
    mut input: Box<dyn Read + Send>,
    mut pipe: std::process::ChildStdin,
    ram: &std::fs::File,
    log: u64,
    lasts: bool,
) {
    while !guest_log::read(ram, log).is_ok_and(|log| log.booted) {
        std::thread::sleep(Duration::from_millis(5));
        if ram.metadata().is_err() {
            return;
        }
    }
    let mut buffer = [0; 4096];
    let mut last = b'\n';
    while let Ok(count @ 1..) = input.read(&mut buffer) {
        last = buffer[count - 1];
        if pipe.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
    let _ = pipe.write_all(if last == b'\n' { b"\x04" } else { b"\x04\x04" });
    // Kept open: QEMU takes the end of its input for the end of the console.
    loop {
        std::thread::park_timeout(END_AGAIN);
        if lasts && pipe.write_all(b"\x04").is_err() {
            return;
        }
    }
}

/// Boots an image and waits until the machine stops or the time is over.
pub fn run(image: &Image, machine: &Machine, console: Console) -> Result<Outcome> {
    use std::io::IsTerminal;
    let input: Option<Box<dyn Read + Send>> = match &console {
        Console::Terminal => None,
        Console::Streams if std::io::stdin().is_terminal() => None,
        Console::Streams | Console::Script => Some(Box::new(std::io::stdin())),
        Console::Captured(input) => input.clone().map(|i| Box::new(std::io::Cursor::new(i)) as _),
    };
    let captured = matches!(console, Console::Captured(_));
    let lasts = matches!(console, Console::Script);
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::inherit() };
    let mut guest = Guest::start(image, machine, matches!(console, Console::Terminal), stdin)?;
    let deadline = machine.timeout.map(|t| Instant::now() + t);
    if let (Some(input), Some(pipe)) = (input, guest.stdin()) {
        let (ram, log) = (guest.ram.as_file().try_clone()?, guest.log_offset());
        // It ends with this process, or when QEMU is gone.
        std::thread::spawn(move || feed(input, pipe, &ram, log, lasts));
    }
    let Some(from) = guest.stdout() else { bail!("{QEMU} has no output") };
    let reader = std::thread::spawn(move || pass_console(from, captured));
    let ended = guest.wait(deadline)?;
    let log = guest.log();
    drop(guest);
    let (output, firmware) = reader.join().unwrap_or_default();
    Ok(Outcome { output, firmware, timed_out: ended.is_none(), log, breach: None })
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
    fn what_precedes_the_mark_is_dropped() {
        let mut output = Output::new(Vec::new());
        for piece in [&b"OpenSBI"[..], b" v1\x1eab", b"c\x1ed"] {
            output.pass(piece).unwrap();
        }
        assert_eq!(output.into_inner(), (b"abc\x1ed".to_vec(), vec![]));
    }
    #[test]
    fn without_a_mark_everything_is_kept_aside() {
        let mut output = Output::new(Vec::new());
        output.pass(b"no luck").unwrap();
        assert_eq!(output.into_inner(), (vec![], b"no luck".to_vec()));
    }
}
