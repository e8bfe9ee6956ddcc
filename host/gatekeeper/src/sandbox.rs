//! What keeps the compiler in while it reads what a stranger wrote: limits of its process, and Landlock, where the kernel has it, for files. The checks of the
//! source and of the files that the compiler says it read do not rely on it: it is the second wall.

use anyhow::Result;
use std::ffi::c_void;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// What a process may use.
pub struct Bounds {
    /// Bytes of its address space.
    pub memory: u64,
    /// Seconds of processor time.
    pub processor: u64,
    /// Seconds on the clock: others may have the processors.
    pub clock: u64,
    /// Bytes of a file that it writes.
    pub output: u64,
}
/// Where programs and what they load are.
const SYSTEM: [&str; 7] = ["/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/null", "/dev/urandom", "/proc/self"];

/// `struct landlock_ruleset_attr` and `struct landlock_path_beneath_attr` of `linux/landlock.h`, as of its first version.
#[repr(C)]
struct Ruleset {
    handled_access: u64,
}
#[repr(C, packed)]
struct Beneath {
    allowed_access: u64,
    parent: i32,
}
/// All rights of the second version, which adds one to the first's thirteen: files move from folder to folder, as the compiler's products do.
const ALL: u64 = (1 << 14) - 1;
const VERSION: i64 = 2;
/// Asks which version the kernel has.
const ASK: u32 = 1;
const EXECUTE: u64 = 1 << 0;
const READ: u64 = 1 << 2 | 1 << 3;
/// Of a file: what is said of folders is not allowed for it.
const OF_FILES: u64 = 1 << 0 | 1 << 1 | 1 << 2;
const BENEATH: usize = 1;

/// A set of rules: what is in `readable` is read and executed, `writable` is written too. Nothing where the kernel has none of that version.
fn rules(readable: &[&Path], writable: &Path) -> Result<Option<OwnedFd>> {
    let ruleset = Ruleset { handled_access: ALL };
    let nothing = std::ptr::null::<Ruleset>();
    // SAFETY: nothing is read of no structure.
    if unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0, ASK) } < VERSION {
        return Ok(None);
    }
    // SAFETY: the kernel reads the structure, of the length that is given; the result is a new descriptor, or an error.
    let made = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const ruleset, size_of::<Ruleset>(), 0) };
    if made < 0 {
        return Err(std::io::Error::last_os_error().into());
    }
    // SAFETY: the descriptor is new, so it is nobody else's.
    let set = unsafe { OwnedFd::from_raw_fd(i32::try_from(made)?) };
    let system = SYSTEM.iter().map(Path::new);
    let all = system.chain(readable.iter().copied()).map(|path| (path, READ | EXECUTE)).chain([(writable, ALL)]);
    for (path, rights) in all {
        // What is not there needs no right.
        let Ok(file) = File::open(path) else { continue };
        let rights = if file.metadata()?.is_dir() { rights } else { rights & OF_FILES };
        let beneath = Beneath { allowed_access: rights, parent: file.as_raw_fd() };
        let rule = (&raw const beneath).cast::<c_void>();
        // SAFETY: the kernel reads the structure that it knows by its number.
        let added = unsafe { libc::syscall(libc::SYS_landlock_add_rule, set.as_raw_fd(), BENEATH, rule, 0) };
        if added < 0 {
            return Err(std::io::Error::last_os_error().into());
        }
    }
    Ok(Some(set))
}
fn limit(resource: libc::__rlimit_resource_t, value: u64) -> std::io::Result<()> {
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: the kernel reads the structure.
    if unsafe { libc::setrlimit(resource, &limit) } < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}
/// Has the command's process kept within bounds, and out of all files but these.
pub fn confine(command: &mut Command, readable: &[&Path], writable: &Path, bounds: &Bounds) -> Result<()> {
    let rules = rules(readable, writable)?;
    let limits = [
        (libc::RLIMIT_AS, bounds.memory),
        (libc::RLIMIT_CPU, bounds.processor),
        (libc::RLIMIT_FSIZE, bounds.output),
        (libc::RLIMIT_CORE, 0),
    ];
    let enter = move || {
        limits.iter().try_for_each(|&(resource, value)| limit(resource, value))?;
        // SAFETY: these two change nothing but what this process may do.
        let entered = unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            rules.as_ref().map_or(0, |set| libc::syscall(libc::SYS_landlock_restrict_self, set.as_raw_fd(), 0))
        };
        if entered < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: between fork and exec there are system calls only.
    unsafe { command.pre_exec(enter) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(file: &Path, writable: &Path) -> bool {
        let mut command = Command::new("/usr/bin/cat");
        command.arg(file).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let bounds = Bounds { memory: 1 << 30, processor: 10, clock: 10, output: 1 << 20 };
        confine(&mut command, &[], writable, &bounds).unwrap();
        command.status().unwrap().success()
    }
    #[test]
    fn only_its_own_files_are_read() {
        if rules(&[], Path::new("/")).unwrap().is_none() {
            return;
        }
        let [mine, others] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let files = [&mine, &others].map(|folder| folder.path().join("file"));
        files.iter().for_each(|file| std::fs::write(file, "text").unwrap());
        assert_eq!(files.map(|file| reads(&file, mine.path())), [true, false]);
    }
}
