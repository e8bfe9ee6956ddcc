//! What is on a disk is there after a reboot and after a power cut.

use super::http::ask;
use super::running::{PATIENCE, Running, free_port};
use crate::disk;
use crate::power_cuts::{Run, WRITER, numbered, run_with_disk, with_disk};
use anyhow::{Context, Result, anyhow, ensure};
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
/// Links on a disk lead programs on, and programs make some.
pub fn links(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    disk::with(&file, |volume| {
        disk::put(volume, b"there", "file")?;
        disk::put(volume, b"near", "d/near")?;
        disk::put(volume, b"", "two words")?;
        let links =
            [("link", "file"), ("d/up", "../file"), ("root", "/d/near"), ("loop", "loop"), ("dangling", "made")];
        let [outer, inner] = ["a", "b"].map(|letter| letter.repeat(40));
        let far = format!("{outer}/{inner}");
        disk::put(volume, b"far", &format!("{far}/file"))?;
        let more = [("d/out", "../../../file"), ("folder", "d"), ("far", &*far)];
        links.iter().chain(&more).try_for_each(|(path, target)| {
            volume.make_link(path, target, volume::Owner::NOBODY).map_err(|error| anyhow!("{path}: {}", error.text()))
        })
    })?;
    let said = with_disk(root, &file, "tests/target/components/disk_links.c", &[])?.wait_with_output()?;
    let text = String::from_utf8_lossy(&said.stdout);
    ensure!(said.status.success() && text.contains("links lead where they say"), "it said: {text}");
    disk::with(&file, |volume| {
        ensure!(disk::get(volume, "made")? == b"new" && disk::get(volume, "link")? == b"there", "files have changed");
        Ok(())
    })
}
/// What the shell's tools do with links: they show them, copy them as links, and take away no more than them.
pub fn links_in_the_shell(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    disk::with(&file, |volume| {
        disk::put(volume, b"near", "d/near")?;
        disk::put(volume, b"", "two words")
    })?;
    let mut system = Running::start(root, "network", Vec::new(), Some(file.clone()), |_| {})?;
    system.until_said(0, |line| line.contains("lists the commands"))?;
    for (line, said) in [
        ("ln -s d disk/link", ""),
        ("ln -s near disk/d/own", ""),
        ("ln -s nowhere disk/gone", ""),
        ("ls -l disk/link disk/gone disk/d/own", "         4 disk/d/own -> near"),
        ("ls -l disk/gone", "         7 disk/gone -> nowhere"),
        ("ls disk/gone", "disk/gone@"),
        ("ls disk/link", "own@"),
        ("ls disk", "disk: 1 more, whose names are too long or have blanks or other letters"),
        ("cat disk/link/own; echo .", "near."),
        ("rm -r disk/link/", "rm: disk/link/: not a directory"),
        ("mv disk/link/ files", "mv: disk/link/: not a directory"),
        ("cp -r disk/d disk/link/in", "cp: disk/link/in is in disk/d"),
        ("cp -r disk/d disk/copy", ""),
        ("cp -r disk/d disk/copy/d", ""),
        ("ls -l disk/copy", "         4 own -> near"),
        ("cp -r disk/d files", "cp: disk/d: not all of it was copied"),
        ("cat files/near; echo .", "near."),
        ("rm -r disk/copy disk/link", ""),
        ("ls disk/d", "near"),
    ] {
        let answer = system.answer(line)?;
        let has = answer.lines().skip(1).any(|line| line.trim_end() == said);
        let is_silent = answer.lines().count() == 1;
        ensure!(if said.is_empty() { is_silent } else { has }, "{line}:\n{answer}");
    }
    Ok(())
}
/// What a disk has that is not mounted is said in words, and the system runs without it.
pub fn unfit(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    let mut bytes = vec![0; 1 << 20];
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes[512..520].copy_from_slice(b"EFI PART");
    std::fs::write(&file, &bytes)?;
    let said = with_disk(root, &file, "tests/target/components/no_disk.c", &[])?.wait_with_output()?;
    let text = String::from_utf8_lossy(&said.stdout);
    ensure!(said.status.success() && text.contains("no disk: 2"), "it said: {text}");
    ensure!(text.contains("pebble: disk: it has partitions (GPT)"), "it said: {text}");
    ensure!(std::fs::read(&file)? == bytes, "it was written");
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
