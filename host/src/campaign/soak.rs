//! TCP for an hour, over a cable that loses frames, with peers that are idle, slow, gone and back again: this kernel's own, which says what each connection
//! is to live through. No connection may be lost, no byte changed, and no memory be gone in the end.

mod cable;
mod peers;

use super::{Campaign, Failure, Ran};
use crate::devices::Devices;
use crate::qemu::{Guest, Machine};
use crate::{exec, system};
use anyhow::{Context, Result, bail, ensure};
use cable::{Cable, Gone};
use image::Image;
use manifest::System;
use peers::{Counts, Habit, Peers};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const PROGRAM: &str = "tests/target/components/soak.c";
const SYSTEM: &str = "exec-devices";
const GUEST: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 2, 15));
/// Of this machine, on the guest's network.
const ADDRESS: &str = "10.0.2.2/24";
/// Where the program sends everything back, and where it tells of itself.
const ECHO: u16 = 7000;
const CONTROL: u16 = 7001;
/// Minutes of one boot.
const HOUR: u64 = 60;
/// Before anything is counted, more talk at a time than later, all with full buffers: memory that servers keep for good is taken then.
const WARM: Duration = Duration::from_secs(180);
/// Pages by which heaps may grow though nothing is lost, since what is free in them lies in pieces.
const PIECES: u64 = 32;
/// From so many minutes on there must be something of each kind.
const LONG: u64 = 10;
/// What is not acknowledged is given up after 924 seconds (`docs/src/network.md`), and is gone some seconds later.
const ALL_GONE: Duration = Duration::from_secs(1000);
/// Those who talk: all at once, each kind more than once.
const HABITS: [Habit; 17] = {
    use Habit::*;
    [
        Steady, Steady, Steady, Idle, Idle, Idle, Idle, Slow, Slow, Slow, Slow, CutOff, CutOff, CutOff, CutOff,
        Vanishing, Vanishing,
    ]
};
/// Connections that are open when as many of them as there may be are abandoned.
const MOST: usize = 24;

pub struct Soak {
    system: System,
    image: Image,
    counts: Counts,
}
impl Soak {
    pub fn new(root: &Path) -> Result<Soak> {
        let mut system = system::load(root, SYSTEM)?;
        for component in &mut system.components {
            if component.main {
                (component.image, component.path) = ("soak".into(), PROGRAM.into());
            } else if component.name == "internet" {
                component.arguments = vec![format!("address={GUEST}/24")];
            }
        }
        let image = exec::make_image(root, &system, Vec::new())?;
        Ok(Soak { system, image, counts: Counts::default() })
    }
    /// What became of the peers, if the machine could be started at all.
    fn soak(&self, minutes: u64, seed: u64) -> Result<Result<()>> {
        let (gone, folder) = (Gone::default(), tempfile::tempdir()?);
        let _cable = Cable::new(folder.path(), ADDRESS, &gone, seed)?;
        let net = vec![format!("cable:{}", folder.path().display())];
        let devices = Devices { net, ..Devices::default() };
        let extra = devices.arguments(&self.system.components, &[]);
        let mut guest = Guest::start(&self.image, &Machine { extra, ..Machine::default() }, false, Stdio::null())?;
        let mut console = guest.stdout().context("the guest has no output")?;
        // It ends with the guest.
        let said = std::thread::spawn(move || {
            let mut said = String::new();
            let _ = console.read_to_string(&mut said);
            said
        });
        let result = self.talks(minutes, seed, &gone);
        let log = guest.log().map(|log| log.text).unwrap_or_default();
        drop(guest);
        let said = said.join().unwrap_or_default() + &log;
        let words = || format!("the machine's last words:\n{}", last_lines(&said));
        Ok(result.and_then(|()| nobody_ended(&said)).with_context(words))
    }
    fn talks(&self, minutes: u64, seed: u64, gone: &Gone) -> Result<()> {
        until(Duration::from_secs(60), || told().map(|_| true)).context("the program does not answer")?;
        let server = SocketAddr::new(GUEST, ECHO);
        let slow = [Habit::Slow; MOST];
        let warm = Counts::default();
        Peers::new(server, gone, &warm)
            .talk(&slow, Instant::now() + WARM, seed)
            .context("before anything is counted")?;
        let before = quiet().context("before anything is counted")?;
        let peers = Peers::new(server, gone, &self.counts);
        peers.talk(&HABITS, Instant::now() + Duration::from_secs(minutes * 60), seed ^ 1)?;
        let after = quiet()?;
        ensure!(after + PIECES >= before, "{before} pages were free before, and {after} afterwards");
        ensure!(minutes < LONG || self.counts.complete(), "it was not all tried: {}", self.counts);
        Ok(())
    }
}
/// Drivers and servers are started again so that nobody notices: here they are not to end at all.
fn nobody_ended(said: &str) -> Result<()> {
    let line = said.lines().find(|line| line.contains("again") || line.contains("soak:"));
    line.map_or(Ok(()), |line| bail!("{line}"))
}
/// Waits until it is so.
fn until(most: Duration, mut so: impl FnMut() -> Result<bool>) -> Result<()> {
    let end = Instant::now() + most;
    loop {
        match so() {
            Ok(true) => return Ok(()),
            Err(error) if Instant::now() > end => return Err(error),
            Ok(false) if Instant::now() > end => bail!("that is not so after {} s", most.as_secs()),
            _ => std::thread::sleep(Duration::from_secs(1)),
        }
    }
}
/// Waits until no connection is open; how many pages are free then.
fn quiet() -> Result<u64> {
    let mut seen = (0, 0);
    until(ALL_GONE, || {
        seen = told()?;
        Ok(seen.0 == 0)
    })
    .with_context(|| format!("{} connections are open", seen.0))?;
    // What the stack keeps of them for a while longer goes, too.
    std::thread::sleep(Duration::from_secs(30));
    until(Duration::from_secs(60), || {
        seen = told()?;
        Ok(true)
    })?;
    Ok(seen.1)
}
/// How many connections are open, and how many pages free.
fn told() -> Result<(u64, u64)> {
    const PATIENCE: Duration = Duration::from_secs(60);
    let mut stream = TcpStream::connect_timeout(&SocketAddr::new(GUEST, CONTROL), PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    numbers(&text).with_context(|| format!("it tells {text:?}"))
}
fn numbers(text: &str) -> Option<(u64, u64)> {
    let (open, rest) = text.split_once(" open, ")?;
    Some((open.parse().ok()?, rest.strip_suffix(" pages free\n")?.parse().ok()?))
}
fn last_lines(said: &str) -> String {
    let lines: Vec<&str> = said.lines().collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}
impl Campaign for Soak {
    fn build(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.image.bytes.hash(&mut hasher);
        hasher.finish()
    }
    fn run(&mut self, run: u64, seed: u32, most: u64) -> Result<Ran> {
        let minutes = most.min(HOUR);
        let failure = self.soak(minutes, seed.into())?.err().map(|error| Failure {
            command: format!("run {run}, seed {seed}: {minutes} minutes"),
            why: format!("{error:#}"),
        });
        Ok(Ran { steps: minutes, failure })
    }
    fn report(&self) -> Result<Option<String>> {
        Ok(Some(format!("{}\n", self.counts)))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_component_that_was_started_again_is_noticed() {
        assert!(super::nobody_ended("pebble: starting network again\n").is_err());
        assert!(super::nobody_ended("soak: accept: too many open files\n").is_err());
        assert!(super::nobody_ended("ready\n").is_ok());
    }
    #[test]
    fn what_the_program_tells_is_read() {
        assert_eq!(super::numbers("3 open, 1200 pages free\n"), Some((3, 1200)));
        for text in ["", "3 open", "3 open, -1 pages free\n", "3 open, 1200 pages free"] {
            assert_eq!(super::numbers(text), None);
        }
    }
}
