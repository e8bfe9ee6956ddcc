//! Linux as a peer: the operations of `peers/linux` on the machine that `./pebble bench` measures Pebble on. The kernel is
//! Debian 13's as it is shipped, or the same source in a minimal configuration; the program is all that runs on it.

mod archive;
mod boot;
mod debian;
mod initramfs;
pub mod process;
pub mod services;
mod tiny;

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What every cross tool of Debian's for riscv64 Linux starts with.
const CROSS: &str = "riscv64-linux-gnu-";
/// The program's last line.
const DONE: &str = "bench: done";

/// A kernel, and what it is told.
pub struct Kernel {
    image: PathBuf,
    arguments: &'static str,
}
impl Kernel {
    /// Debian's, or the tiny one; fetched or built if it is not there yet.
    pub fn find(root: &Path, tiny: bool) -> Result<Kernel> {
        Ok(match tiny {
            // Without it a kernel of this version does not believe the device tree of QEMU 7.2.
            true => Kernel { image: tiny::kernel(root)?, arguments: "console=ttyS0 quiet riscv_isa_fallback" },
            false => Kernel { image: debian::kernel(root)?, arguments: "console=ttyS0 quiet" },
        })
    }
}

/// Measures Linux; its lines that start with "row ".
pub fn measure(root: &Path, tiny: bool) -> Result<Vec<String>> {
    let name = if tiny { "tiny" } else { "debian" };
    let (program, kernel) = {
        let _lock = lock(root)?;
        (compile(&root.join("peers/linux"), &root.join("build/linux/bench"))?, Kernel::find(root, tiny)?)
    };
    eprintln!("pebble: measuring Linux ({name}) on qemu");
    let console = boot::run(&kernel, &initramfs::Initramfs::with_init(&program).finish())
        .with_context(|| format!("booting Linux ({name}, {})", kernel.image.display()))?;
    rows(&console).with_context(|| format!("measuring Linux ({name}, {})", kernel.image.display()))
}
/// Keeps other processes from fetching and building at the same time, until the file is closed.
fn lock(root: &Path) -> Result<fs::File> {
    let folder = root.join("build/linux");
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let file = fs::File::create(folder.join("lock")).with_context(|| folder.display().to_string())?;
    file.lock().with_context(|| format!("waiting for {}", folder.display()))?;
    Ok(file)
}
/// The rows on a console, if the program came to its end.
fn rows(console: &str) -> Result<Vec<String>> {
    let lines = || console.lines().map(str::trim_end);
    if let Some(said) = lines().find(|l| l.starts_with("bench: ") && *l != DONE) {
        bail!("{said}");
    }
    if !lines().any(|l| l == DONE) {
        let last: Vec<&str> = lines().filter(|l| !l.is_empty()).collect();
        bail!("it did not come to its end; it said last:\n{}", last[last.len().saturating_sub(10)..].join("\n"));
    }
    Ok(lines().filter(|l| l.starts_with("row ")).map(String::from).collect())
}

/// Compiles the C files of a folder; the static program.
fn compile(sources: &Path, program: &Path) -> Result<Vec<u8>> {
    let entries = fs::read_dir(sources).with_context(|| sources.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.sort();
    let compiler = format!("{CROSS}gcc");
    let mut command = Command::new(&compiler);
    command.args(["-O2", "-static", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o"]);
    process::run(command.arg(program).args(&files), "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross")
        .with_context(|| format!("compiling {}", sources.display()))?;
    fs::read(program).with_context(|| program.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn rows_are_taken_from_a_console() {
        let console =
            "OpenSBI\r\nrow table=peers a\r\nrow table=peers b\r\nbench: done\r\n[ 1.0] reboot: Power down\r\n";
        assert_eq!(rows(console).unwrap(), ["row table=peers a", "row table=peers b"]);
    }
    #[test]
    fn a_console_that_ends_early_is_an_error_with_its_last_lines() {
        let error = rows("row table=peers a\r\nKernel panic\r\n").unwrap_err().to_string();
        assert!(error.contains("Kernel panic"), "{error}");
    }
    #[test]
    fn what_the_program_says_went_wrong_is_the_error() {
        let error = rows("row a\r\nbench: fork: Cannot allocate memory\r\n").unwrap_err().to_string();
        assert_eq!(error, "bench: fork: Cannot allocate memory");
    }
}
