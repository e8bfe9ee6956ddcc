//! Dialogues with a system, in `tests/session`: what is typed at its console, and what it must answer.

use super::Verdict;
use crate::console::{Decoder, Piece};
use crate::qemu::{Guest, Machine};
use crate::{exec, system};
use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Processor time in a second that an idle system may use: QEMU's own, when the guest waits in `wfi`.
const BUSY: f64 = 0.2;

#[derive(Debug, PartialEq)]
enum Step {
    /// `> text`: types a line.
    Type(String),
    /// `keys text`: presses keys, without Enter; `\xNN` is the byte NN.
    Keys(Vec<u8>),
    /// `< text`: waits for it.
    Wait(String),
    /// `pause`: as long as nobody is quicker.
    Pause,
    /// `idle`: for a second the machine uses next to no processor time.
    Idle,
    /// `! text`: it must not have come since something was typed last.
    Never(String),
}
#[derive(Debug, PartialEq)]
struct Session {
    system: String,
    /// Answers as a terminal does when it is asked where the cursor is.
    terminal: bool,
    /// Runs the tool itself, on a terminal that takes its time.
    slow: bool,
    steps: Vec<Step>,
}
fn parse(text: &str) -> Result<Session> {
    let mut session = Session { system: "default".into(), terminal: false, slow: false, steps: Vec::new() };
    for (number, line) in text.lines().enumerate() {
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        match key {
            "" | "#" => {}
            "slow" => session.slow = true,
            "terminal" => session.terminal = true,
            "system" => session.system = rest.to_string(),
            "keys" => session.steps.push(Step::Keys(keys(rest))),
            ">" => session.steps.push(Step::Type(rest.to_string())),
            "<" => session.steps.push(Step::Wait(rest.to_string())),
            "idle" => session.steps.push(Step::Idle),
            "pause" => session.steps.push(Step::Pause),
            "!" => session.steps.push(Step::Never(rest.to_string())),
            _ => bail!("line {}: \"{line}\" is not a step", number + 1),
        }
    }
    Ok(session)
}

/// The bytes of keys as a session writes them.
fn keys(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => bytes.extend_from_slice(part.as_bytes()),
        }
    }
    bytes
}

pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Verdict>> {
    let Ok(entries) = std::fs::read_dir(root.join("tests/session")) else { return Ok(Vec::new()) };
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    let mut verdicts = Vec::new();
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "session")) {
        let name = format!("session::{}", path.file_stem().unwrap_or_default().to_string_lossy());
        if wanted(&name) {
            let start = Instant::now();
            let failure = converse(root, path).err().map(|e| format!("{e:#}"));
            let verdict = Verdict { name, failure, seconds: start.elapsed().as_secs_f64() };
            verdict.print();
            verdicts.push(verdict);
        }
    }
    Ok(verdicts)
}

/// A console with a person's patience.
struct Dialogue {
    input: Box<dyn Write>,
    terminal: bool,
    output: mpsc::Receiver<Vec<u8>>,
    /// What was said since something was typed last.
    heard: String,
}
impl Dialogue {
    fn wait(&mut self, text: &str) -> Result<()> {
        let end = Instant::now() + PATIENCE;
        while !self.heard.contains(text) {
            let left = end.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => {
                    let said = String::from_utf8_lossy(&bytes);
                    if self.terminal {
                        for _ in said.matches("\x1b[6n") {
                            self.input.write_all(b"\x1b[24;80R")?;
                        }
                    }
                    self.heard.push_str(&said);
                }
                Err(_) => bail!("waited for \"{text}\", heard:\n{}", self.heard),
            }
        }
        Ok(())
    }
}
/// What the console of a session is.
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
/// How quick somebody is who presses a key for what he has read.
const REACTION: Duration = Duration::from_millis(150);
/// How often a slow terminal takes something.
const PAUSE: Duration = Duration::from_millis(40);

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
/// `./pebble run` on a terminal.
fn run_tool(root: &Path, system: &str) -> Result<Ends> {
    let (ours, its) = new_terminal()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["run", system]).env("PEBBLE_ROOT", root);
    // One open terminal, as a shell gives it to a program.
    command.stdin(its.try_clone()?).stdout(its.try_clone()?).stderr(its);
    crate::qemu::end_with_us(&mut command);
    let child = command.spawn()?;
    let input = std::fs::File::from(ours.try_clone()?);
    Ok((child, Box::new(input), Box::new(std::fs::File::from(ours))))
}
fn converse(root: &Path, path: &Path) -> Result<()> {
    let session = parse(&std::fs::read_to_string(path)?)?;
    let image = exec::make_image(root, &system::load(root, &session.system)?, Vec::new())?;
    let (mut console, input, mut from): (Console, Box<dyn Write>, Box<dyn Read + Send>) = if session.slow {
        let (child, input, from) = run_tool(root, &session.system)?;
        (Console::Tool(child), input, from)
    } else {
        let mut guest = Guest::start(&image, &Machine::default(), false, Stdio::piped())?;
        let (input, from) = (guest.stdin().context("no input")?, guest.stdout().context("no output")?);
        (Console::Machine(guest), Box::new(input), Box::new(from))
    };
    let (sender, output) = mpsc::channel();
    std::thread::spawn(move || {
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
        let mut sender = Sender(sender);
        let mut buffer = [0; 4096];
        while session.slow
            && let Ok(count @ 1..) = from.read(&mut buffer)
            && sender.write_all(&buffer[..count]).is_ok()
        {
            std::thread::sleep(PAUSE);
        }
        let mut decoder = Decoder::new(false);
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            decoder.decode(&buffer[..count], |piece| {
                if let Piece::Bytes(_, bytes) = piece {
                    // Nobody listens any more: the machine is about to be stopped.
                    let _ = sender.write_all(bytes);
                }
            });
        }
    });
    let mut dialogue = Dialogue { input, terminal: session.terminal, output, heard: String::new() };
    for (number, step) in session.steps.iter().enumerate() {
        match step {
            Step::Type(line) => {
                dialogue.heard.clear();
                write!(dialogue.input, "{line}\r")?;
                dialogue.input.flush()?;
            }
            Step::Keys(bytes) => {
                dialogue.heard.clear();
                dialogue.input.write_all(bytes)?;
                dialogue.input.flush()?;
            }
            Step::Wait(text) => dialogue.wait(text).with_context(|| format!("step {}", number + 1))?,
            Step::Pause => std::thread::sleep(REACTION),
            Step::Idle => {
                let Console::Machine(guest) = &mut console else { bail!("a slow terminal can not tell who is idle") };
                let before = guest.processor_time().context("no processor time")?;
                std::thread::sleep(Duration::from_secs(1));
                let used = guest.processor_time().context("no processor time")? - before;
                if used > BUSY {
                    bail!("an idle system used {used:.2} s of processor time in a second: it does not wait");
                }
            }
            Step::Never(text) if dialogue.heard.contains(text) => bail!("\"{text}\" came:\n{}", dialogue.heard),
            Step::Never(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_session_is_read() {
        let session = parse("system minimal\n# hello\n> help\n< kill\n! oops\n").unwrap();
        let steps = [Step::Type("help".into()), Step::Wait("kill".into()), Step::Never("oops".into())];
        assert_eq!((session.system.as_str(), &session.steps[..]), ("minimal", &steps[..]));
    }
    #[test]
    fn keys_are_bytes() {
        assert_eq!(keys("ab\\x03c"), b"ab\x03c");
    }
    #[test]
    fn what_is_not_a_step_is_refused() {
        assert!(parse("? help").unwrap_err().to_string().contains("line 1"));
    }
}
