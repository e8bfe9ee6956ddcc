//! A system that serves, seen from this machine: its port, its console, and what it says there.

use crate::devices::{Devices, Forward};
use crate::qemu::{Guest, Machine};
use crate::{exec, system};
use anyhow::{Context, Result, bail};
use manifest::System;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long an answer may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What the guest's time goes by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Time {
    Real,
    /// By the instructions that it executes, and by real time while it waits: what else this machine does takes none of it. So nobody in the guest has
    /// used up time in which he did not run.
    Counted,
}
/// A system that runs, with its port 80 at one of this machine's, and its port 7 for datagrams at another.
pub struct Running {
    pub port: u16,
    pub datagrams: u16,
    keys: ChildStdin,
    said: Arc<Mutex<String>>,
    /// Lines whose end was waited for.
    answered: usize,
    // Last: it ends with this.
    _guest: Guest,
}
impl Running {
    /// System `name` with these files, and changed by `change`; with this disk.
    pub fn start(
        root: &Path,
        name: &str,
        files: Vec<(String, Vec<u8>)>,
        disk: Option<PathBuf>,
        change: impl FnOnce(&mut System),
    ) -> Result<Running> {
        Running::with_time(root, name, files, disk, Time::Real, change)
    }
    /// The same, where the guest has that time.
    pub fn with_time(
        root: &Path,
        name: &str,
        files: Vec<(String, Vec<u8>)>,
        disk: Option<PathBuf>,
        time: Time,
        change: impl FnOnce(&mut System),
    ) -> Result<Running> {
        let mut system = system::load(root, name)?;
        change(&mut system);
        let image = exec::make_image(root, &system, files)?;
        let devices = Devices { net: ["tcp:0:80", "udp:0:7"].map(String::from).to_vec(), disk, disk_log: None };
        let forwards: Vec<Forward> = devices.forwards()?;
        let mut extra = devices.arguments(&system.components, &forwards);
        if time == Time::Counted {
            extra.extend(["-icount", "shift=0,sleep=on"].map(String::from));
        }
        let machine = Machine { extra, ..Machine::default() };
        let mut guest = Guest::start(&image, &machine, false, Stdio::piped())?;
        let keys = guest.stdin().context("the guest has no input")?;
        let mut from = guest.stdout().context("the guest has no output")?;
        let said = Arc::new(Mutex::new(String::new()));
        let heard = said.clone();
        // It ends with the guest.
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                heard.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        });
        Ok(Running { port: forwards[0].host, datagrams: forwards[1].host, keys, said, answered: 0, _guest: guest })
    }
    /// All that came from the console.
    pub fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }
    /// The last lines of it.
    pub fn last_said(&self) -> String {
        let said = self.said().replace('\r', "");
        let lines: Vec<&str> = said.lines().collect();
        lines[lines.len().saturating_sub(12)..].join("\n")
    }
    pub fn connect(&self) -> Result<TcpStream> {
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(stream)
    }
    /// Types a line.
    pub fn enter(&mut self, line: &str) -> Result<()> {
        Ok(self.keys.write_all(format!("{line}\n").as_bytes())?)
    }
    /// Types a line; what was said until all of it was done. So nothing that it says is taken for what another line does.
    pub fn answer(&mut self, line: &str) -> Result<String> {
        self.answered += 1;
        let end = format!("line {} is done", self.answered);
        let before = self.said().len();
        // The echo of what is typed has more in that line.
        self.enter(&format!("{line}; echo {end}"))?;
        self.until_said(before, |line| line.trim_end() == end)?;
        let said = self.said()[before..].replace('\r', "");
        Ok(said.split_inclusive('\n').take_while(|line| line.trim_end() != end).collect())
    }
    /// Has the shell end the domain of a component.
    pub fn kill(&mut self, component: &str) -> Result<()> {
        let domains = self.answer("domains")?;
        let of = |line: &&str| line.split_whitespace().nth(1) == Some(component);
        let line = domains.lines().find(of).with_context(|| format!("{component} is not in:\n{domains}"))?;
        let number = line.split_whitespace().next().unwrap_or_default();
        let before = self.said().len();
        self.enter(&format!("kill {number}"))?;
        self.until_said(before, |line| line.contains(&format!("starting {component} again")))?;
        Ok(())
    }
    pub fn until_said(&self, from: usize, wanted: impl Fn(&str) -> bool) -> Result<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let said = self.said();
            if let Some(line) = said[from..].replace('\r', "").split_inclusive('\n').find(|line| wanted(line)) {
                return Ok(line.to_string());
            }
            if Instant::now() > deadline {
                bail!("that was never said:\n{}", self.last_said());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
/// A port of this machine that nobody has.
pub fn free_port(datagrams: bool) -> Result<u16> {
    Ok(match datagrams {
        true => UdpSocket::bind("127.0.0.1:0")?.local_addr()?.port(),
        false => TcpListener::bind("127.0.0.1:0")?.local_addr()?.port(),
    })
}
