//! Booting Linux in QEMU, on the machine that Pebble is measured on, until it powers off.

use super::{Kernel, process};
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const QEMU: &str = "qemu-system-riscv64";
/// One hart. Seed and clock are fixed, so that every run does the same.
const MACHINE: &str = "-M virt -accel tcg -smp 1 -m 512 -seed 1 -rtc base=2026-01-01,clock=vm \
     -display none -monitor none -no-reboot -serial stdio";
/// Its instructions take 1 ns of virtual time each, and idle time none.
const COUNTED: &str = "-icount shift=0,sleep=off";
/// A run takes 15 s where nothing else does.
const TIMEOUT: Duration = Duration::from_secs(300);

/// QEMU for a kernel with an initramfs.
pub fn command(kernel: &Path, arguments: &str, initramfs: &Path) -> Command {
    let mut command = Command::new(QEMU);
    command.args(MACHINE.split_whitespace()).args(["-append", arguments]);
    command.arg("-kernel").arg(kernel).arg("-initrd").arg(initramfs);
    command
}
/// Boots a kernel with an initramfs and waits until the machine is off; what the console said.
pub fn run(kernel: &Kernel, initramfs: &[u8]) -> Result<String> {
    let mut file = tempfile::NamedTempFile::new().context("a temporary file for the initramfs")?;
    file.write_all(initramfs).context("writing the initramfs")?;
    let mut command = command(&kernel.image, kernel.arguments, file.path());
    command.args(COUNTED.split_whitespace());
    over(&mut command, TIMEOUT)
}
/// Starts a machine and waits until it is off; what the console said.
pub fn over(command: &mut Command, most: Duration) -> Result<String> {
    let mut guest = process::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()), "qemu-system-misc")?;
    let (console, complaints) = (process::collect(guest.0.stdout.take()), process::collect(guest.0.stderr.take()));
    let deadline = Instant::now() + most;
    let status = loop {
        match guest.0.try_wait().context("waiting for QEMU")? {
            Some(status) => break Some(status),
            None if Instant::now() >= deadline => break None,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    drop(guest);
    let (console, complaints) = (console.join().unwrap_or_default(), complaints.join().unwrap_or_default());
    match status {
        Some(status) if status.success() => Ok(console),
        Some(status) => bail!("{QEMU}: {status}\n{}", complaints.trim_end()),
        None => bail!("not over after {} s; the console:\n{}", most.as_secs(), console.trim_end()),
    }
}
