//! Power cuts: QEMU is killed at some moment of a program that writes to a disk and syncs; the disk must mount, and have each byte that
//! was synced.

use crate::child::end_with_us;
use crate::disk;
use anyhow::{Context, Result, ensure};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A program that writes numbered files to a disk, each synced before the next one.
pub const WRITER: &str = "tests/target/components/disk_writer.rs";
/// Files that it is to write: more than it comes to.
const FILES: &str = "400";

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

/// The moment of a cut: so long after so many files were synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    files: usize,
    after: Duration,
}
impl Cut {
    /// That of a seed.
    pub fn of(seed: u32) -> Cut {
        let files = seed % 97 % 31;
        Cut { files: files as usize, after: Duration::from_micros((seed / 97 % 40_009) as u64) }
    }
    /// Makes it, and looks at the disk.
    pub fn make(self, root: &Path) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("disk");
        disk::create(&file, 32)?;
        let mut child = with_disk(root, &file, WRITER, &["write", FILES])?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let mut synced = 0;
        while synced <= self.files {
            let line = lines.next().context("it ended before its time")??;
            synced = line.strip_prefix("synced ").with_context(|| line.clone())?.parse::<usize>()? + 1;
        }
        std::thread::sleep(self.after);
        child.kill()?;
        child.wait()?;
        // What it said before it ended was synced, too. QEMU ends with the tool, and its output with it.
        synced += lines.map_while(|line| line.ok()).filter(|line| line.starts_with("synced ")).count();
        disk::with(&file, |volume| {
            (0..synced).try_for_each(|n| {
                let bytes = disk::get(volume, &format!("numbers/{n}"))?;
                ensure!(bytes == numbered(n), "file {n} of {synced}, {self:?}: {} bytes", bytes.len());
                Ok(())
            })
        })
        .with_context(|| format!("{self:?}"))
    }
}
