//! A system, or the tool itself, that somebody talks with: what is typed at its console, and what comes back.

use super::heard::{Heard, Text};
use crate::console::{Decoder, Piece};
use crate::qemu::{Guest, Machine};
use anyhow::{Context, Result, anyhow, bail};
use image::Image;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// For how long nothing comes where nothing more is expected.
const QUIET: Duration = Duration::from_millis(500);
/// How long an answer may take before its question is put again.
const AGAIN: Duration = Duration::from_secs(1);
/// How often a slow terminal takes something.
const PAUSE: Duration = Duration::from_millis(40);
/// Processor time in a second that an idle system may use: QEMU's own, when the guest waits in `wfi`.
const BUSY: f64 = 0.2;

/// What the console is one of.
enum Console {
    Machine(Guest),
    Tool(Child),
}
impl Drop for Console {
    fn drop(&mut self) {
        if let Console::Tool(child) = self {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
/// A console, and somebody at it with a person's patience.
pub struct Dialogue {
    console: Console,
    input: Box<dyn Write>,
    output: mpsc::Receiver<Vec<u8>>,
    /// Answers as a terminal does when it is asked where the cursor is.
    pub terminal: bool,
    pub heard: Heard,
}
impl Dialogue {
    /// With a machine that boots this image.
    pub fn with_machine(image: &Image) -> Result<Dialogue> {
        let mut guest = Guest::start(image, &Machine::default(), false, Stdio::piped())?;
        let (input, from) = (guest.stdin().context("no input")?, guest.stdout().context("no output")?);
        Ok(Dialogue::new(Console::Machine(guest), Box::new(input), Box::new(from), false))
    }
    /// With the tool itself and these words, on a terminal, which takes its time if it is `slow`.
    pub fn with_tool(root: &Path, words: &[&str], slow: bool) -> Result<Dialogue> {
        let (child, input, from) = run_tool(root, words)?;
        Ok(Dialogue::new(Console::Tool(child), input, from, slow))
    }
    fn new(console: Console, input: Box<dyn Write>, from: Box<dyn Read + Send>, slow: bool) -> Dialogue {
        let (sender, output) = mpsc::channel();
        // It ends with the console.
        // The tool has taken off what the firmware says.
        let tool = matches!(console, Console::Tool(_));
        std::thread::spawn(move || listen(from, Sender(sender), slow, tool));
        Dialogue { console, input, output, terminal: false, heard: Heard::default() }
    }
    /// Types a line.
    pub fn enter(&mut self, line: &str) -> Result<()> {
        self.settle()?;
        self.heard.typed_line(line);
        self.send(format!("{line}\r").as_bytes())
    }
    /// Presses keys.
    pub fn press(&mut self, keys: &[u8]) -> Result<()> {
        self.settle()?;
        self.heard.typed_keys(keys);
        self.send(keys)
    }
    fn send(&mut self, keys: &[u8]) -> Result<()> {
        self.input.write_all(keys)?;
        Ok(self.input.flush()?)
    }
    /// Hears what comes until `end`; false: nothing came.
    fn hear(&mut self, end: Instant) -> Result<bool> {
        let left = end.saturating_duration_since(Instant::now());
        let Ok(first) = self.output.recv_timeout(left) else { return Ok(false) };
        let asked = self.heard.questions;
        // All that is there: it is looked through once.
        std::iter::once(first).chain(self.output.try_iter()).for_each(|bytes| self.heard.hear(&bytes));
        if self.terminal {
            self.send(&b"\x1b[24;80R".repeat(self.heard.questions - asked))?;
        }
        Ok(true)
    }
    /// Waits until what was heard is `enough`; false: it was not in time.
    pub fn listen(&mut self, enough: impl FnMut(&mut Heard) -> Result<bool, String>) -> Result<bool> {
        self.listen_until(Instant::now() + PATIENCE, enough)
    }
    fn listen_until(
        &mut self,
        end: Instant,
        mut enough: impl FnMut(&mut Heard) -> Result<bool, String>,
    ) -> Result<bool> {
        loop {
            match enough(&mut self.heard) {
                Ok(true) => return Ok(true),
                Ok(false) if self.hear(end)? => {}
                Ok(false) => return Ok(false),
                Err(why) => bail!("{why}:\n{}", self.heard),
            }
        }
    }
    /// Waits for texts, in whatever order they come.
    pub fn wait(&mut self, wanted: &[Text]) -> Result<()> {
        if !self.listen(|heard| heard.reads_all(wanted))? {
            let texts: Vec<String> = wanted.iter().map(|text| format!("\"{}\"", text.text)).collect();
            bail!("waited for {}, heard:\n{}", texts.join(" and "), self.heard);
        }
        Ok(())
    }
    /// Types a line, and again where nothing of it came for a while, until its answer has that text.
    pub fn enter_until(&mut self, line: &str, wanted: &Text) -> Result<()> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            self.enter(line)?;
            if self.listen_until(Instant::now() + AGAIN, |heard| heard.reads_all(std::slice::from_ref(wanted)))? {
                return Ok(());
            }
        }
        bail!("no answer to \"{line}\" had \"{}\":\n{}", wanted.text, self.heard)
    }
    /// Where something must not come and nothing is waited for, it has not come for a while.
    pub fn settle(&mut self) -> Result<()> {
        if self.heard.forbids() {
            while self.hear(Instant::now() + QUIET)? {}
            self.stays_away()?;
        }
        Ok(())
    }
    /// What must not come is not in what came.
    fn stays_away(&mut self) -> Result<()> {
        while self.hear(Instant::now())? {}
        self.heard.is_quiet().map_err(|why| anyhow!("{why}:\n{}", self.heard))
    }
    /// Waits for the tool to end: its exit status, or `None`: a signal has ended it.
    pub fn status(&mut self) -> Result<Option<i32>> {
        let Console::Tool(child) = &mut self.console else { bail!("a machine has no exit status") };
        let end = Instant::now() + PATIENCE;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() >= end => bail!("it runs on, and said:\n{}", self.heard),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        self.settle()?;
        Ok(status.code())
    }
    /// Looks for a second whether the machine uses next to no processor time.
    pub fn expect_idle(&mut self) -> Result<()> {
        let Console::Machine(guest) = &mut self.console else { bail!("a slow terminal can not tell who is idle") };
        let before = guest.processor_time().context("no processor time")?;
        std::thread::sleep(Duration::from_secs(1));
        let used = guest.processor_time().context("no processor time")? - before;
        if used > BUSY {
            bail!("an idle system used {used:.2} s of processor time in a second: it does not wait");
        }
        self.stays_away()
    }
}
/// Where what is heard goes.
struct Sender(mpsc::Sender<Vec<u8>>);
impl Write for Sender {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(|_| std::io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
fn listen(mut from: impl Read, mut sender: Sender, slow: bool, marked: bool) {
    let mut buffer = [0; 4096];
    while slow
        && let Ok(count @ 1..) = from.read(&mut buffer)
        && sender.write_all(&buffer[..count]).is_ok()
    {
        std::thread::sleep(PAUSE);
    }
    let mut decoder = Decoder::new(false, marked);
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        decoder.decode(&buffer[..count], |piece| {
            if let Piece::Bytes(_, bytes) = piece {
                // Nobody listens any more: the machine is about to be stopped.
                let _ = sender.write_all(bytes);
            }
        });
    }
}

/// Both ends of a new terminal: ours, and its.
fn new_terminal() -> Result<(OwnedFd, OwnedFd)> {
    let (mut ours, mut its) = (-1, -1);
    let none = std::ptr::null_mut();
    // SAFETY: two numbers to be filled, and no more.
    let result = unsafe { libc::openpty(&mut ours, &mut its, none, none.cast(), none.cast()) };
    if result < 0 {
        bail!("no terminal: {}", std::io::Error::last_os_error());
    }
    // SAFETY: they are new, and nobody else's.
    unsafe { Ok((OwnedFd::from_raw_fd(ours), OwnedFd::from_raw_fd(its))) }
}
/// A process, what it is told, and what it says.
type Ends = (Child, Box<dyn Write>, Box<dyn Read + Send>);
/// Makes standard input the terminal of a new session of the command's, so that its keys are signals to it.
fn own_terminal(command: &mut Command) {
    // SAFETY: both are async-signal-safe.
    unsafe {
        command.pre_exec(|| match libc::setsid() >= 0 && libc::ioctl(0, libc::TIOCSCTTY, 0) >= 0 {
            true => Ok(()),
            false => Err(std::io::Error::last_os_error()),
        });
    }
}
/// `./pebble` with these words on a terminal.
fn run_tool(root: &Path, words: &[&str]) -> Result<Ends> {
    let (ours, its) = new_terminal()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(words).env("PEBBLE_ROOT", root).current_dir(root);
    // One open terminal, as a shell gives it to a program.
    command.stdin(its.try_clone()?).stdout(its.try_clone()?).stderr(its);
    own_terminal(&mut command);
    crate::child::end_with_us(&mut command);
    let child = command.spawn()?;
    let input = std::fs::File::from(ours.try_clone()?);
    Ok((child, Box::new(input), Box::new(std::fs::File::from(ours))))
}
