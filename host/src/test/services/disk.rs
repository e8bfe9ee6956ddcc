//! What is on a disk is there after a reboot and after a power cut.

use super::http::ask;
use super::running::{PATIENCE, free_port};
use crate::disk;
use crate::power_cuts::{Run, WRITER, numbered, run_with_disk, with_disk};
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;

/// Bytes of the long file, less than the disk has.
const LONG: &str = "8000000";

/// Runs the program that writes or reads; it must succeed.
fn writer(root: &Path, file: &Path, arguments: &[&str]) -> Result<()> {
    let said = with_disk(root, file, WRITER, arguments)?.wait_with_output()?;
    ensure!(said.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&said.stdout));
    Ok(())
}
/// What a program has written is there after a reboot, for the next program and for this machine.
pub fn reboot(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    writer(root, &file, &["write", "5", LONG])?;
    writer(root, &file, &["read", "5", LONG])?;
    disk::with(&file, |volume| {
        for n in 0..5 {
            ensure!(disk::get(volume, &format!("numbers/{n}"))? == numbered(n), "file {n}");
        }
        ensure!(disk::get(volume, "long")?.len().to_string() == LONG, "the long file");
        Ok(())
    })
}
/// Locks on files of a disk are those on files in memory.
pub fn locks(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let said = with_disk(root, &file, "tests/target/file_locks.c", &["disk/locked"])?.wait_with_output()?;
    ensure!(said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
    Ok(())
}
/// Who waits for the disk component has it next: a reader and eight that write and sync come to their turns alike.
pub fn shared(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let said = with_disk(root, &file, "tests/target/components/disk_shared.c", &[])?.wait_with_output()?;
    let text = String::from_utf8_lossy(&said.stdout);
    ensure!(said.status.success() && text.contains("everybody came to his turn"), "it said: {text}");
    Ok(())
}
/// A program and its children fill the part of the disk that their component may have, and no more; it lasts over a reboot.
pub fn exhausted(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let free = || disk::with(&file, |volume| Ok(volume.space().free));
    let before = free()?;
    for step in ["fill", "full", "free"] {
        let program = "tests/target/components/exhaust_disk.c";
        let said = run_with_disk(root, &file, &["--system", "exec-limited"], program, &[step])?.wait_with_output()?;
        ensure!(said.status.success(), "{step}: {}", String::from_utf8_lossy(&said.stdout));
        let taken = before.saturating_sub(free()?);
        let (least, most) = if step == "free" { (0, before / 100) } else { (before / 6, before / 5 + before / 100) };
        ensure!((least..=most).contains(&taken), "{step}: {taken} bytes of {before} are taken");
    }
    Ok(())
}
/// What the page about an appliance has its reader do, on this machine's ports.
pub fn appliance(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    for (program, visits) in [("apps/examples/visits.c", 1..=2), ("apps/examples/visits.rs", 3..=3)] {
        let port = free_port(false)?;
        let net = format!("tcp:{port}:8080");
        let mut child = run_with_disk(root, &file, &["--net", &net], program, &[])?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let said = lines.next().context("it ended early")??;
        ensure!(said == format!("serving, {} visits so far", visits.start() - 1), "{program}: {said}");
        for visit in visits {
            let stream = TcpStream::connect(("127.0.0.1", port))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            let page = ask(&stream, "/", "").with_context(|| program.to_string())?.body;
            ensure!(page == format!("visit {visit}\n").into_bytes(), "{program}: {}", String::from_utf8_lossy(&page));
        }
        // As hard as a power cut.
        child.kill()?;
        child.wait()?;
    }
    ensure!(disk::with(&file, |volume| disk::get(volume, "visits"))? == b"3\n", "the count on the disk");
    Ok(())
}
/// The machine's power is cut all over the run of a program that writes: the disk mounts each time, and has what was synced.
pub fn power_cuts(root: &Path) -> Result<()> {
    Run::of(root)?.cut(200, 1)
}
