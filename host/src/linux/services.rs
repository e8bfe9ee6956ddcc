//! Linux as a machine that serves: Debian's kernel, drivers as modules, lighttpd and nginx from its packages, and `peers/linux/services` as the
//! first process. What it costs is counted from outside (`bench/services`).

use super::archive::Archive;
use super::initramfs::Initramfs;
use super::{CROSS, boot, compile, debian, lock, process};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::NamedTempFile;

const SOURCES: &str = "peers/linux/services";
const PACKAGES: &[&str] = &["lighttpd", "nginx"];
/// Their programs.
const PROGRAMS: &[&str] = &["usr/sbin/lighttpd", "usr/sbin/nginx"];
const LIBRARIES: &str = "usr/lib/riscv64-linux-gnu";
/// What a program of Debian's names as its interpreter lies in `/lib`.
const LOADER: &str = "usr/lib/ld-linux-riscv64-lp64d.so.1";
const LOADED: &str = "ld-linux-riscv64-lp64d.so.1";
const FOLDERS: &[&str] = &["tmp", "disk", "run", "www", "var/log/nginx", "var/lib/nginx", "var/lib/lighttpd"];
const USERS: (&str, &str) =
    ("root:x:0:0:root:/:/bin/sh\nwww-data:x:33:33::/:/bin/false\n", "root:x:0:\nwww-data:x:33:\n");
/// The disk is always the same: what its file system draws by lot is given.
const DISK_NAME: &str = "12345678-1234-1234-1234-123456789abc";
const MKFS: &[&str] = &["-F", "-q", "-b", "4096", "-U", DISK_NAME, "-E"];

/// What a machine boots from.
pub struct Services {
    kernel: PathBuf,
    initramfs: NamedTempFile,
}

impl Services {
    /// Fetches and builds what is missing. `files` are what HTTP serves.
    pub fn new(root: &Path, files: &[(String, Vec<u8>)]) -> Result<Services> {
        let _lock = lock(root)?;
        let program = compile(&root.join(SOURCES), &root.join("build/linux/services-init"))?;
        let modules = debian::modules(root)?;
        let kernel = debian::kernel(root)?;
        let mut archive = Initramfs::with_init(&program);
        for folder in FOLDERS {
            archive.folder(folder);
        }
        for name in debian::MODULES {
            let file = format!("{name}.ko");
            archive.file(&format!("modules/{file}"), &read(&modules.join(&file))?);
        }
        for name in ["lighttpd.conf", "nginx.conf"] {
            archive.file(&format!("etc/{name}"), &read(&root.join(SOURCES).join(name))?);
        }
        archive.file("etc/passwd", USERS.0.as_bytes());
        archive.file("etc/group", USERS.1.as_bytes());
        add_programs(&mut archive, &packages(root)?)?;
        for (name, content) in files {
            archive.file(name, content);
        }
        let initramfs = NamedTempFile::new().context("a temporary file for the initramfs")?;
        fs::write(initramfs.path(), archive.finish()).context("writing the initramfs")?;
        Ok(Services { kernel, initramfs })
    }
    fn command(&self, task: &str, extra: &[String]) -> Command {
        let arguments = format!("console=ttyS0 quiet bench={task}");
        let mut command = boot::command(&self.kernel, &arguments, self.initramfs.path());
        command.args(extra);
        command
    }
    /// Starts a machine that serves until it is ended, its console on a pipe. `extra` are further arguments of QEMU's.
    pub fn serve(&self, extra: &[String]) -> Result<process::Running> {
        process::start(self.command("network", extra).stdout(Stdio::piped()), "qemu-system-misc")
    }
    /// Has a machine do the operations on files, on its disk and in memory.
    pub fn use_files(&self, extra: &[String], most: Duration) -> Result<()> {
        super::rows(&boot::over(&mut self.command("files", extra), most)?)?;
        Ok(())
    }
}
/// Makes a disk of so many MiB with ext4 on it, as Debian's tools make one.
pub fn make_disk(file: &Path, mib: u64) -> Result<()> {
    fs::File::create(file)?.set_len(mib << 20).with_context(|| file.display().to_string())?;
    let mut command = Command::new("mkfs.ext4");
    // Debian has it where only root looks.
    command.env("PATH", format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default()));
    command.args(MKFS).arg(format!("hash_seed={DISK_NAME},lazy_itable_init=0,lazy_journal_init=0")).arg(file);
    process::run(&mut command, "e2fsprogs")?;
    Ok(())
}
fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| file.display().to_string())
}

/// The folder with the packages' files, fetched if they are not there yet.
fn packages(root: &Path) -> Result<PathBuf> {
    let folder = root.join("build/linux/services");
    if folder.exists() {
        return Ok(folder);
    }
    let archive = Archive::open(root)?;
    let unpacked = archive.fetch_with_dependencies(PACKAGES)?;
    fs::rename(&unpacked, &folder).with_context(|| folder.display().to_string())?;
    archive.discard()?;
    Ok(folder)
}
/// The programs with the libraries that they, and these, need.
fn add_programs(archive: &mut Initramfs, packages: &Path) -> Result<()> {
    let mut needed = BTreeSet::new();
    for name in PROGRAMS {
        let file = packages.join(name);
        archive.file(name, &read(&file)?);
        add_needed(&packages.join(LIBRARIES), &file, &mut needed)?;
    }
    for library in needed.iter().filter(|library| *library != LOADED) {
        archive.file(&format!("{LIBRARIES}/{library}"), &read(&packages.join(LIBRARIES).join(library))?);
    }
    archive.link("lib", "usr/lib");
    archive.file(LOADER, &read(&packages.join(LIBRARIES).join(LOADED))?);
    Ok(())
}
fn add_needed(libraries: &Path, file: &Path, needed: &mut BTreeSet<String>) -> Result<()> {
    let output =
        process::run(Command::new(format!("{CROSS}readelf")).arg("-d").arg(file), "binutils-riscv64-linux-gnu")?;
    for library in needed_by(&output) {
        if !needed.insert(library.into()) {
            continue;
        }
        let file = libraries.join(library);
        if !file.exists() {
            bail!("{}: {library} is in none of the packages {}", file.display(), PACKAGES.join(", "));
        }
        add_needed(libraries, &file, needed)?;
    }
    Ok(())
}
/// The libraries in what readelf says of a file.
fn needed_by(output: &str) -> impl Iterator<Item = &str> {
    let lines = output.lines().filter(|line| line.contains("(NEEDED)"));
    lines.filter_map(|line| line.split_once('[')?.1.split_once(']')).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn libraries_are_read_from_what_readelf_says() {
        let output = " 0x0000000000000001 (NEEDED)   Shared library: [libc.so.6]\n\
                      0x000000000000000e (SONAME)   Library soname: [libx.so.1]\n\
                      0x0000000000000001 (NEEDED)   Shared library: [libz.so.1]\n";
        assert_eq!(needed_by(output).collect::<Vec<_>>(), ["libc.so.6", "libz.so.1"]);
    }
    #[test]
    fn init_loads_the_modules_that_are_fetched_in_this_order() {
        let source = include_str!("../../../peers/linux/services/init.c");
        let list = source.split_once("modules[] = {").unwrap().1.split_once('}').unwrap().0;
        let names: Vec<&str> = list.split(',').map(|name| name.trim().trim_matches('"')).collect();
        assert_eq!(names, debian::MODULES);
    }
}
