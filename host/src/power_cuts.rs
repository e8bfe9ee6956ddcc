//! Power cuts: a program writes to a disk and syncs, and QEMU logs what the disk is asked; wherever in the log the power is cut, and whatever the disk
//! has written then of what was not flushed, it must mount, and have each byte that was synced.

use crate::child::end_with_us;
use crate::{disk, write_log};
use anyhow::{Context, Result, ensure};
use outage::{Contents, Cut, Device, Request};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A program that writes numbered files to a disk, each synced before the next one.
pub const WRITER: &str = "tests/target/components/disk_writer.rs";
/// Files that it is to write.
const FILES: &str = "30";

/// What it writes to file `n`.
pub fn numbered(n: usize) -> Vec<u8> {
    (0..20_000 + n).map(|at| (at * 7 + n) as u8).collect()
}
/// Runs a program with a disk.
pub fn with_disk(root: &Path, disk: &Path, program: &str, arguments: &[&str]) -> Result<Child> {
    run_with_disk(root, disk, &[], program, arguments)
}
/// The same with further options.
pub fn run_with_disk(root: &Path, disk: &Path, options: &[&str], program: &str, arguments: &[&str]) -> Result<Child> {
    Ok(command_with_disk(root, disk, options, program, arguments)?.spawn()?)
}
/// What does that, and leaves out what the system says of its parts.
pub fn command_with_disk(
    root: &Path,
    disk: &Path,
    options: &[&str],
    program: &str,
    arguments: &[&str],
) -> Result<Command> {
    let disk = ["--disk".as_ref(), disk.as_os_str()];
    let options = disk.into_iter().chain(options.iter().map(|option| option.as_ref()));
    command_with(root, options, program, arguments)
}
/// The same without a disk, unless the options say so.
pub fn command_with<'a>(
    root: &Path,
    options: impl Iterator<Item = &'a OsStr>,
    program: &str,
    arguments: &[&str],
) -> Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["exec", "--timeout", "600"]).args(options).arg(program).args(arguments);
    command.env("PEBBLE_ROOT", root).current_dir(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    end_with_us(&mut command);
    Ok(command)
}

/// A run of the program that writes.
pub struct Run {
    /// What was on the disk before, and what it was asked.
    first: Contents,
    log: Vec<Request>,
    /// How much that was when each file had been synced.
    synced: Vec<usize>,
    /// Has the disk, and QEMU's log of it.
    folder: TempDir,
}
impl Run {
    pub fn of(root: &Path) -> Result<Run> {
        let folder = tempfile::tempdir()?;
        let [file, log] = ["disk", "log"].map(|name| folder.path().join(name));
        disk::create(&file, 32)?;
        let first = Contents::of(std::fs::read(&file)?);
        File::create(&log)?;
        let name = log.to_string_lossy();
        let options = ["--disk-log", &name];
        let mut command = command_with_disk(root, &file, &options, WRITER, &["write", FILES])?;
        let mut child = command.stdin(Stdio::piped()).spawn()?;
        let mut to = child.stdin.take().context("no input")?;
        let mut ends = Vec::new();
        for line in BufReader::new(child.stdout.take().context("no output")?).lines() {
            ensure!(line? == format!("synced {}", ends.len()), "it did not sync file {}", ends.len());
            // It waits, so the log has what it was told of, and no more.
            ends.push(std::fs::metadata(&log)?.len());
            to.write_all(b"\n")?;
        }
        ensure!(child.wait()?.success() && ends.len().to_string() == FILES, "it ended after {} files", ends.len());
        let log = write_log::requests(&std::fs::read(&log)?)?;
        let synced = ends.iter().map(|end| log.partition_point(|(_, behind)| *behind as u64 <= *end)).collect();
        Ok(Run { first, log: log.into_iter().map(|(request, _)| request).collect(), synced, folder })
    }
    /// Cuts the power so many times, all over the run: the disk must mount, and have each file that was synced.
    pub fn cut(&mut self, count: usize, seed: u64) -> Result<()> {
        let result = outage::cuts(&self.first, &self.log, (count, seed), |cut, contents| {
            self.look(cut, contents).with_context(|| format!("{cut:?} of {}", self.log.len()))
        });
        result.inspect_err(|_| self.folder.disable_cleanup(true)).with_context(|| {
            format!("the disk and the log of what it was asked are in {}", self.folder.path().display())
        })
    }
    fn look(&self, cut: Cut, contents: Contents) -> Result<()> {
        let mut volume = disk::mount(Device::of(contents))?;
        let synced = self.synced.partition_point(|requests| *requests <= cut.requests);
        for n in 0..synced {
            let bytes = disk::get(&mut volume, &format!("numbers/{n}"))?;
            ensure!(bytes == numbered(n), "file {n} of {synced}: {} bytes", bytes.len());
        }
        disk::leave(volume)
    }
}
