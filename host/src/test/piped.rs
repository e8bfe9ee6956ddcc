//! `./pebble run` with its input from a pipe: the tool itself is run.

use super::Verdict;
use crate::qemu::end_with_us;
use crate::{exec, system};
use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SYSTEM: &str = "piped";

/// How long a system may take to boot, answer and halt.
const PATIENCE: Duration = Duration::from_secs(60);

/// Name, what is in the pipe, and parts of what must come out, in this order. The machine must halt by itself.
const TESTS: &[(&str, &str, &[&str])] = &[
    ("the_first_byte_arrives", "help\n", &["pebble> help\n", "this list", "stops the machine"]),
    ("the_end_of_input_halts_the_machine", "", &["lists the commands"]),
    ("a_last_line_without_an_end_is_executed", "echo one\necho two", &["\none\n", "\ntwo\n"]),
    ("the_end_lasts_for_the_shell_after_a_program_that_read_one", "run lines\nx\n", &["read: x\n", "end of input\n"]),
];

pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (name, input, parts) in TESTS {
        let name = format!("piped::{name}");
        if wanted(&name) {
            let start = Instant::now();
            let failure = pipe(root, input, parts).err().map(|e| format!("{e:#}"));
            let verdict = Verdict { name, failure, seconds: start.elapsed().as_secs_f64() };
            verdict.print();
            verdicts.push(verdict);
        }
    }
    verdicts
}
fn pipe(root: &Path, input: &str, parts: &[&str]) -> Result<()> {
    // Built here, so that the time that this takes does not count.
    exec::make_image(root, &system::load(root, SYSTEM)?, Vec::new())?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["run", SYSTEM])
        .env("PEBBLE_ROOT", root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    end_with_us(&mut command);
    let mut child = command.spawn()?;
    let mut from = child.stdout.take().context("no output")?;
    child.stdin.take().context("no input")?.write_all(input.as_bytes())?;
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        from.read_to_end(&mut said).map(|_| String::from_utf8_lossy(&said).replace('\r', ""))
    });
    let end = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait()? {
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
            status => break status,
        }
    };
    if status.is_none() {
        child.kill()?;
        child.wait()?;
    }
    let said = reader.join().unwrap_or_else(|_| Ok(String::new()))?;
    let mut rest = said.as_str();
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { bail!("no \"{}\" in:\n{said}", part.escape_default()) };
        rest = after;
    }
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => bail!("{status}:\n{said}"),
        None => bail!("the machine ran on:\n{said}"),
    }
}
