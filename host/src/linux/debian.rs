//! Debian 13's kernel with those of its modules that its services are measured with: from one package, so that they fit each other.

use super::archive::Archive;
use super::process;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The Debian package that depends on the current kernel's.
const META_PACKAGE: &str = "linux-image-riscv64";
/// What `peers/linux/services/init.c` loads.
pub const MODULES: &[&str] = &[
    "virtio_mmio",
    "failover",
    "net_failover",
    "virtio_net",
    "virtio_blk",
    "crc32c_generic",
    "crc16",
    "mbcache",
    "jbd2",
    "ext4",
];
/// How modules are packed.
const PACKED: &str = ".ko.xz";

/// The kernel, fetched if it is not there yet: an image that QEMU boots.
pub fn kernel(root: &Path) -> Result<PathBuf> {
    let folder = root.join("build/linux/debian");
    match only_kernel(&folder) {
        Ok(image) => Ok(image),
        Err(_) => fetch(root, &folder),
    }
}
/// The folder with its modules, `NAME.ko` each.
pub fn modules(root: &Path) -> Result<PathBuf> {
    let folder = root.join("build/linux/debian");
    let modules = folder.join("modules");
    let there = |name: &&str| modules.join(format!("{name}.ko")).exists();
    if !MODULES.iter().all(there) || only_kernel(&folder).is_err() {
        fetch(root, &folder)?;
    }
    Ok(modules)
}
/// Puts kernel and modules into an empty folder; the kernel.
fn fetch(root: &Path, folder: &Path) -> Result<PathBuf> {
    let archive = Archive::open(root)?;
    let package = archive.dependency(META_PACKAGE, "linux-image-")?;
    let unpacked = archive.fetch(&package)?;
    let image = only_kernel(&unpacked.join("boot")).with_context(|| format!("package {package}"))?;
    super::archive::remove(folder)?;
    let modules = folder.join("modules");
    fs::create_dir_all(&modules).with_context(|| modules.display().to_string())?;
    let mut packed = Vec::new();
    find_modules(&unpacked, &mut packed)?;
    for name in MODULES {
        let file_name = format!("{name}{PACKED}");
        let from = packed.iter().find(|path| path.file_name().is_some_and(|f| *f == *file_name));
        let from = from.with_context(|| format!("package {package}: no module {name}"))?;
        unpack(from, &modules.join(format!("{name}.ko")))?;
    }
    // It comes last: with it, all is there.
    let kept = folder.join(image.file_name().context("a kernel without a name")?);
    fs::rename(&image, &kept).with_context(|| kept.display().to_string())?;
    archive.discard()?;
    Ok(kept)
}
fn unpack(from: &Path, to: &Path) -> Result<()> {
    let file = fs::File::create(to).with_context(|| to.display().to_string())?;
    let mut command = Command::new("xz");
    let mut running = process::start(command.arg("-dc").arg(from).stdout(Stdio::from(file)), "xz-utils")?;
    let status = running.0.wait()?;
    anyhow::ensure!(status.success(), "xz -dc {}: {status}", from.display());
    Ok(())
}
/// All packed modules below a folder.
fn find_modules(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            find_modules(&entry.path(), found)?;
        } else if entry.file_name().to_string_lossy().ends_with(PACKED) {
            found.push(entry.path());
        }
    }
    Ok(())
}
fn only_kernel(folder: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let is_kernel = |path: &PathBuf| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("vmlinux-"));
    entries
        .flatten()
        .map(|e| e.path())
        .find(is_kernel)
        .with_context(|| format!("{}: no kernel (vmlinux-*)", folder.display()))
}
