//! Memory that is larger than what there is for it, and memory that two machines share: examples of the book, and what they must come to.

use super::running::free_port;
use crate::disk;
use crate::power_cuts::{command_with, run_with_disk};
use anyhow::{Context, Result, ensure};
use std::io::Read;
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};

const LARGER: &str = "apps/examples/larger.c";
const SHARED: &str = "apps/examples/shared-memory.c";
/// How often each machine counts.
const TIMES: &str = "20";

/// What a program has said when it ended well.
fn ended(child: Child, what: &str) -> Result<String> {
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "{what}: {}: {said}{}", output.status, String::from_utf8_lossy(&output.stderr));
    Ok(said)
}
pub fn larger(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let said = ended(run_with_disk(root, &file, &[], LARGER, &["256", "16"])?, LARGER)?;
    ensure!(said == "256 pages, 16 of them in memory: 0 words are wrong\n", "{said}");
    let swap = disk::with(&file, |volume| disk::get(volume, "swap"))?;
    ensure!(swap.len() == 256 * 4096, "{} bytes are on the disk", swap.len());
    // Without a disk it says so, and uses none of that memory.
    let options = ["--system", "exec-devices"].into_iter().map(|option| option.as_ref());
    let output = command_with(root, options, LARGER, &[])?.stderr(Stdio::piped()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(1) && said.contains("no disk, or no memory"), "{}: {said}", output.status);
    Ok(())
}
/// Starts one of two machines, which is to end with this one.
fn machine(root: &Path, net: &str, arguments: &[&str]) -> Result<Child> {
    let options = ["--system", "exec-devices", "--net", net].into_iter().map(|option| option.as_ref());
    let mut command = command_with(root, options, SHARED, arguments)?;
    command.stderr(Stdio::piped());
    Ok(command.spawn()?)
}
pub fn two_machines(root: &Path) -> Result<()> {
    let port = free_port(false)?;
    let mut first = machine(root, &format!("tcp:{port}:7000"), &[TIMES])?;
    // QEMU takes connections before the guest does, and ends those that nobody takes there: the second one is not begun before.
    let _errors = until_it_waits(&mut first)?;
    let second = machine(root, "user", &[TIMES, "10.0.2.2", &port.to_string()])?;
    let second = ended(second, "the second machine");
    if second.is_err() {
        // It waits for who will not come.
        first.kill()?;
    }
    let (first, second) = (ended(first, "the first machine"), second?);
    let counted = format!("counted to {0} and {0}\n", 2 * TIMES.parse::<u32>()?);
    ensure!((first?, second) == (counted.clone(), counted), "they have not counted to the same");
    Ok(())
}
/// Waits until the first machine says that it waits for the other; where it says more, which somebody has to have for it to go on.
fn until_it_waits(first: &mut Child) -> Result<ChildStderr> {
    let mut errors = first.stderr.take().context("no errors")?;
    let (mut said, mut byte) = (Vec::new(), [0]);
    while !said.ends_with(b"waiting for the other machine\n") {
        ensure!(errors.read(&mut byte)? == 1, "it does not wait: {}", String::from_utf8_lossy(&said));
        said.push(byte[0]);
    }
    Ok(errors)
}
