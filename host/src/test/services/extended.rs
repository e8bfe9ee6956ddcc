//! TCP/IP with extensions: the system "filtered", what they do with its frames, and what becomes of it when they do it wrong.

use super::http::{self, ask, until_answered};
use super::running::{PATIENCE, Running, Time};
use crate::datagrams;
use crate::extension;
use crate::uninterrupted::uninterrupted;
use anyhow::{Context, Result, ensure};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

const ECHO: &str = "apps/extensions/udp_echo.rs";
const FOLDER: &str = "tests/services/extensions";
/// How long something is waited for that must not come.
const MOMENT: Duration = Duration::from_millis(700);

fn begin(root: &Path) -> Result<Running> {
    extension::use_folder(&root.join("target/keys"));
    let mut files = http::files();
    let own = ["closed.rs", "bad.rs", "sends.rs", "slow"].map(|path| (path, format!("{FOLDER}/{path}")));
    for (name, path) in own.into_iter().chain([("echo", ECHO.into())]) {
        let name = name.trim_end_matches(".rs");
        files.push((format!("{name}.ext"), extension::signed(root, &root.join(path), &[])?));
    }
    // An extension has ten milliseconds for a frame, and is ended where this machine gives it none of them.
    let system = Running::with_time(root, "filtered", files, None, Time::Counted, |_| {})?;
    until_answered(&system, "/")?;
    Ok(system)
}
/// Has an extension linked in: its number.
fn link(system: &mut Running, name: &str) -> Result<String> {
    let said = system.answer(&format!("extension link {name}.ext internet"))?;
    let number = said.lines().map(str::trim).find(|line| line.parse::<u64>().is_ok());
    Ok(number.with_context(|| format!("no number of {name}: {said}"))?.into())
}
fn unlink(system: &mut Running, number: &str) -> Result<()> {
    system.answer(&format!("extension unlink {number}")).map(drop)
}
/// What is said of an extension in the list, until that has `wanted`.
fn listed(system: &mut Running, number: &str, wanted: &str) -> Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        let said = system.answer("extensions")?;
        let of = |line: &&str| line.trim_start().starts_with(&format!("{number} "));
        let line = said.lines().find(of).with_context(|| format!("{number} is not in: {said}"))?;
        if line.contains(wanted) {
            return Ok(());
        }
        ensure!(Instant::now() < end, "\"{wanted}\" is not what is listed: {line}");
    }
}
/// How many times a datagram comes back.
fn comes_back(system: &Running, bytes: &[u8], most: usize) -> Result<usize> {
    let socket = datagrams::to(system.datagrams, PATIENCE)?;
    socket.send(bytes)?;
    for count in 0..most {
        socket.set_read_timeout(Some(if count == 0 && most > 1 { PATIENCE } else { MOMENT }))?;
        let mut back = [0; 2048];
        match uninterrupted(|| socket.recv(&mut back)) {
            Ok(length) => ensure!(&back[..length] == bytes, "another datagram comes back"),
            Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => return Ok(count),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(most)
}
/// Whether HTTP answers.
fn is_served(system: &Running) -> bool {
    let asked = system.connect().and_then(|stream| {
        stream.set_read_timeout(Some(MOMENT))?;
        ask(&stream, "/", "")
    });
    asked.is_ok_and(|answer| answer.status == 200)
}

/// Frames are kept, sent back, sent and let pass as extensions say, of several as the first says that does not let it pass.
pub fn frames(root: &Path) -> Result<()> {
    let mut system = begin(root)?;
    ensure!(comes_back(&system, b"nobody", 1)? == 0, "nobody is at port 7");
    let echo = link(&mut system, "echo")?;
    for length in [1, 64, 1024, 1472] {
        ensure!(comes_back(&system, &vec![b'e'; length], 2)? == 1, "{length} bytes");
    }
    until_answered(&system, "/").context("what is no echo passes")?;
    // Behind the other one, which is asked first.
    let closed = link(&mut system, "closed")?;
    ensure!(!is_served(&system), "its frames are dropped");
    ensure!(comes_back(&system, b"still", 2)? == 1, "the other one has said that it goes back");
    unlink(&mut system, &closed)?;
    until_answered(&system, "/").context("nobody drops its frames any more")?;
    unlink(&mut system, &echo)?;
    let sends = link(&mut system, "sends")?;
    for length in [1, 1000] {
        ensure!(comes_back(&system, &vec![b's'; length], 3)? == 2, "one that was sent, and one that went back");
    }
    unlink(&mut system, &sends)?;
    ensure!(comes_back(&system, b"nobody", 1)? == 0, "nobody is there any more");
    system.enter("extension link slow.ext internet")?;
    system.until_said(0, |line| line.contains("may take longer than 10000 microseconds")).map(drop)
}
/// Who panics is taken out, and TCP/IP goes on; where TCP/IP ends, its extensions are gone, and are linked in anew.
pub fn ends(root: &Path) -> Result<()> {
    let mut system = begin(root)?;
    let echo = link(&mut system, "echo")?;
    let bad = link(&mut system, "bad")?;
    until_answered(&system, "/").context("it passes where who was asked has ended")?;
    listed(&mut system, &bad, "bad.rs:6")?;
    ensure!(comes_back(&system, b"on", 2)? == 1, "the other one stays");
    listed(&mut system, &echo, "linked in")?;
    system.kill("internet")?;
    until_answered(&system, "/").context("it was started again")?;
    ensure!(comes_back(&system, b"gone", 1)? == 0, "it has none then");
    let echo = link(&mut system, "echo")?;
    ensure!(comes_back(&system, b"again", 2)? == 1, "{echo} is there again");
    Ok(())
}
