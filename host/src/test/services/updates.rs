//! Updates of components: given to a system that runs, by its shell and over the network; tried out, kept on the disk, taken back.

use super::running::{PATIENCE, Running};
use crate::extension;
use crate::extension::keys;
use crate::{disk, system, update};
use anyhow::{Context, Result, ensure};
use manifest::System;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SYSTEM: &str = "updates";
/// `updates_logic::STARTS`.
const STARTS: u32 = 2;

/// A version of the server, signed by who builds the system.
fn release(root: &Path, version: u64, flags: &[&str]) -> Result<Vec<u8>> {
    let mut system = system::load(root, SYSTEM)?;
    let own = system.components.iter_mut().find(|component| component.name == "says").context("a server")?;
    own.cflags = vec![format!("-DVERSION={version}")];
    own.cflags.extend(flags.iter().map(|flag| flag.to_string()));
    keys::sign(root, &update::unsigned(root, &system, "says", version)?)
}
/// The system with that disk and these files, once it takes updates.
fn boot(root: &Path, disk: &Path, files: &[(&str, &[u8])], change: impl FnOnce(&mut System)) -> Result<Running> {
    let files = files.iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
    let mut running = Running::start(root, SYSTEM, files, Some(disk.to_path_buf()), change)?;
    let end = Instant::now() + PATIENCE;
    while !running.answer("updates")?.contains("component  ") {
        ensure!(Instant::now() < end, "nobody takes updates");
    }
    Ok(running)
}
/// A disk for one test, in a folder that lasts as long.
fn new_disk() -> Result<(tempfile::TempDir, PathBuf)> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    Ok((folder, file))
}
fn version(running: &mut Running) -> Result<String> {
    Ok(running.answer("ask")?.lines().find(|line| line.starts_with("version")).unwrap_or("nothing").into())
}
/// Trials that are not over as long as a test takes.
fn long(system: &mut System) {
    let updates = system.components.iter_mut().find(|component| component.name == "updates");
    updates.into_iter().for_each(|updates| {
        updates.arguments = vec!["folder=disk/updates".into(), "trial=1000".into(), "port=80".into()]
    });
}
/// Until the list of updates has that line.
fn until_listed(running: &mut Running, wanted: &str) -> Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        let said = running.answer("updates")?;
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        if said.lines().any(|line| words(line) == wanted) {
            return Ok(());
        }
        ensure!(Instant::now() < end, "\"{wanted}\" is not in: {said}");
    }
}
/// Has an update taken, which on a busy machine may be refused at first: the component has just begun, or takes too long to be ready.
fn until_taken(running: &mut Running, line: &str) -> Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        // Who has taken it says nothing.
        let said = running.answer(line)?;
        if said.lines().count() == 1 {
            return Ok(());
        }
        ensure!(Instant::now() < end, "it is refused: {said}");
    }
}
/// A trial that was over, and not yet on the disk, begins anew where the machine starts.
fn until_no_trial(running: &mut Running) -> Result<()> {
    let end = Instant::now() + PATIENCE;
    while running.answer("updates")?.contains("on trial") {
        ensure!(Instant::now() < end, "a trial is not over");
    }
    Ok(())
}
fn over_the_network(running: &Running, file: &[u8]) -> Result<String> {
    update::given(&format!("127.0.0.1:{}", running.port), file)
}
/// From the shell and from the network, to a server that is called all the time; it is there after a reboot, and can be taken back.
pub fn taken(root: &Path) -> Result<()> {
    extension::use_folder(&root.join("target/keys"));
    let (_folder, disk) = new_disk()?;
    let (second, third) = (release(root, 2, &[])?, release(root, 3, &[])?);
    let mut running = boot(root, &disk, &[("2.upd", &second)], |_| {})?;
    ensure!(version(&mut running)? == "version 1");
    let before = running.said().len();
    running.enter("ask again &")?;
    running.until_said(before, |line| line.trim_end().ends_with("from version 1"))?;
    let said = running.answer("update says 2.upd")?;
    let line = running.until_said(before, |line| line.trim_end().ends_with("calls")).context(said)?;
    let calls =
        line.trim_end().trim_end_matches(" calls").rsplit_once("version 2 after ").map(|(_, calls)| calls.parse());
    ensure!(matches!(calls, Some(Ok(100..))), "{line}");
    until_listed(&mut running, "says 2 0 kept")?;
    let said = over_the_network(&running, &third)?;
    ensure!(said == "taken" && version(&mut running)? == "version 3", "{said}");
    until_listed(&mut running, "says 3 2 kept")?;
    drop(running);
    let mut running = boot(root, &disk, &[], |_| {})?;
    until_listed(&mut running, "says 3 2 kept")?;
    let end = Instant::now() + PATIENCE;
    while version(&mut running)? != "version 3" {
        ensure!(Instant::now() < end, "it is not there after a reboot");
    }
    for (wanted, listed) in [("version 2", Some("says 2 0 kept")), ("version 1", None)] {
        let said = running.answer("update --back says")?;
        ensure!(version(&mut running)? == wanted, "{said}");
        listed.map_or(Ok(()), |listed| until_listed(&mut running, listed))?;
    }
    ensure!(running.answer("update --back says")?.contains("no such name"), "there is nothing before that");
    Ok(())
}
/// One that fails on trial is taken back by itself; one that the system never runs for long enough after some starts.
pub fn failed(root: &Path) -> Result<()> {
    extension::use_folder(&root.join("target/keys"));
    let (_folder, disk) = new_disk()?;
    let (second, third) = (release(root, 2, &["-DFAULTS=100000000"])?, release(root, 3, &[])?);
    let mut running = boot(root, &disk, &[("2.upd", &second), ("3.upd", &third)], |_| {})?;
    let before = running.said().len();
    running.enter("update says 2.upd")?;
    running.until_said(before, |line| line.contains("version 2 has failed, and is taken back"))?;
    let end = Instant::now() + PATIENCE;
    while version(&mut running)? != "version 1" {
        ensure!(Instant::now() < end, "what was before is not there");
    }
    until_listed(&mut running, "says 0 0 taken back")?;
    drop(running);
    let mut running = boot(root, &disk, &[("3.upd", &third)], long)?;
    until_taken(&mut running, "update says 3.upd")?;
    for start in 0..STARTS {
        until_listed(&mut running, "says 3 0 on trial").with_context(|| format!("start {start}"))?;
        drop(running);
        running = boot(root, &disk, &[], long)?;
        let end = Instant::now() + PATIENCE;
        while version(&mut running)? != "version 3" {
            ensure!(Instant::now() < end, "it is not tried out again");
        }
    }
    drop(running);
    running = boot(root, &disk, &[], long)?;
    running.until_said(0, |line| line.contains("version 3 was not there for long enough, and is taken back"))?;
    ensure!(version(&mut running)? == "version 1");
    Ok(())
}
/// The machine stops at some moment of an update: what there is then is the old version or the new one, as the list says, and goes on from there.
pub fn power_cuts(root: &Path) -> Result<()> {
    extension::use_folder(&root.join("target/keys"));
    let (_folder, disk) = new_disk()?;
    let mut old = 1;
    for (new, pause) in (2..).zip([20, 60, 120, 400].map(Duration::from_millis)) {
        let file = release(root, new, &[])?;
        let mut running = boot(root, &disk, &[("new.upd", &file)], |_| {})?;
        until_no_trial(&mut running)?;
        running.enter("update says new.upd")?;
        std::thread::sleep(pause);
        drop(running);
        running = boot(root, &disk, &[("new.upd", &file)], |_| {})?;
        let has = version(&mut running)?;
        let list = running.answer("updates")?;
        if has == format!("version {new}") {
            until_listed(&mut running, &format!("says {new} {} kept", if old == 1 { 0 } else { old }))?;
        } else {
            let listed = list.lines().any(|line| line.starts_with("says") && line.contains(&format!(" {new} ")));
            ensure!(has == format!("version {old}") && !listed, "{has}, and not {old} or {new}: {list}");
            until_no_trial(&mut running)?;
            until_taken(&mut running, "update says new.upd")?;
            ensure!(version(&mut running)? == format!("version {new}"));
            until_listed(&mut running, &format!("says {new} {} kept", if old == 1 { 0 } else { old }))?;
        }
        old = new;
    }
    Ok(())
}
/// Each refusal, in words that say why; the component goes on as it was.
pub fn refused(root: &Path) -> Result<()> {
    extension::use_folder(&root.join("target/keys"));
    let (_folder, disk) = new_disk()?;
    let (second, third) = (release(root, 2, &[])?, release(root, 3, &[])?);
    let mut changed = third.clone();
    *changed.iter_mut().rev().nth(update::SIGNATURE + update::KEY).context("a byte")? ^= 1;
    let files = [("2.upd", &second[..]), ("3.upd", &changed), ("none.upd", b"no update")];
    let mut running = boot(root, &disk, &files, long)?;
    for (command, why) in [
        ("update says 3.upd", "its signature does not hold"),
        ("update ask 2.upd", "it is of component \"says\""),
        ("update says none.upd", "it is no update of a component"),
        ("update says nothing.upd", "no such name"),
        ("update --back says", "no such name"),
    ] {
        let said = running.answer(command)?;
        ensure!(said.contains(why), "{command}: {said}");
    }
    ensure!(version(&mut running)? == "version 1");
    running.answer("update says 2.upd")?;
    let said = running.answer("update says 2.upd")?;
    ensure!(said.contains("the component has had version 2 already"), "{said}");
    let said = over_the_network(&running, &third)?;
    ensure!(said == "refused: the component's version before it is on trial", "{said}");
    ensure!(version(&mut running)? == "version 2");
    let said = over_the_network(&running, &changed)?;
    ensure!(said.starts_with("refused: its signature does not hold"), "{said}");
    let said = over_the_network(&running, b"GET / HTTP/1.1\r\n\r\n")?;
    ensure!(said.starts_with("refused: "), "{said}");
    Ok(())
}
