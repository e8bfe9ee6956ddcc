//! Services whose memory ends at each of their allocations by turns (`tests/failing`): none of them ends, who asks sees an error that says so
//! or the right answer, and nothing that was synced is lost.

use crate::power_cuts::command_with_disk;
use crate::{build, disk};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Files that are written to the disk, and as many of each other thing that it is asked: so many that a dozen requests in a row without memory from
/// their n-th allocation on follow each other for each n that they have.
const FILES: usize = 200;

/// A service with such a heap; its ELF file.
fn built(root: &Path, service: &str) -> Result<PathBuf> {
    let _alone = build::alone(root)?;
    build::compile_package(root, &root.join("tests/failing"), Some(service))
}
/// What was said of the failures of `service` last: how many there were, and how often those at all places of requests.
fn failures(said: &str, service: &str) -> Result<(usize, usize)> {
    let prefix = format!("pebble: {service}: ");
    let line = said.lines().rfind(|line| line.contains(&prefix) && line.contains("allocations failed"));
    let line = line.with_context(|| format!("{service} says nothing of its failures:\n{said}"))?;
    let line = &line[line.find(&prefix).unwrap_or(0)..];
    let mut numbers = line.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
    numbers.next().zip(numbers.nth(1)).with_context(|| line.to_string())
}
fn nobody_ended(said: &str) -> Result<()> {
    let ended = said.lines().find(|line| line.contains(" was stopped") || line.contains(" again"));
    ensure!(ended.is_none(), "{}\n{said}", ended.unwrap_or_default());
    Ok(())
}

/// A program has the disk do all that it can do.
pub fn disk(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let system = folder.path().join("failing.toml");
    let text = std::fs::read_to_string(root.join("systems/exec-devices.toml"))?;
    let image = format!("name = \"disk\"\nimage = {:?}\n", built(root, "disk")?);
    let include = format!("include = {:?}", root.join("systems/boot.toml"));
    std::fs::write(&system, text.replace("include = \"boot.toml\"", &include).replace("name = \"disk\"\n", &image))?;
    let options = ["--system", system.to_str().context("a path")?];
    let program = "tests/target/components/disk_without_memory.rs";
    let mut command = command_with_disk(root, &file, &options, program, &[&FILES.to_string()])?;
    let output = command.stderr(Stdio::piped()).output()?;
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {said}", output.status);
    nobody_ended(&said)?;
    let (count, cycles) = failures(&said, "disk")?;
    ensure!(count >= 256 && cycles > 0, "few allocations failed: {said}");
    disk::with(&file, |volume| {
        for n in 0..FILES {
            let bytes = disk::get(volume, &format!("kept/{n}"))?;
            ensure!(bytes == format!("the words of {n}\n").repeat(500).into_bytes(), "{n} is not as it was");
        }
        Ok(())
    })
}
