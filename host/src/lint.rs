//! The warnings of the compilers and of clippy, in what runs on this machine and in what runs on the target. Each is shown, and
//! fails `./pebble check`.

use crate::build;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where the project's programs of one file are, in C and in Rust.
const PROGRAMS: [&str; 6] =
    ["apps/bench", "apps/examples", "apps/pictures", "tests/target", "tests/hostile", "tests/debugger"];
/// Of `clippy`, in every call.
const CLIPPY: [&str; 5] = ["--target-dir", "target", "--", "-Dwarnings", "-Dclippy::too_many_lines"];

/// Warnings of C. An entry point has the parameters of its specification, used or not, and any type. `fork` returns twice, but on
/// stacks of their own. Low addresses are accessed where a fault is wanted.
const C: [&str; 7] = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-Wno-cast-function-type",
    "-Wno-clobbered",
    "--param=min-pagesize=0",
];

/// Cargo's arguments for what is built for this machine: of the workspace's default members all but the components.
pub fn for_this_machine() -> &'static str {
    "--lib --bin pebble-host --bin pebble-signer --tests --examples"
}
/// Leaves out what is for this machine alone.
pub const WITHOUT_HOST: &str = "--exclude host --exclude image --exclude stacks --exclude strict --exclude fuzz --exclude mutants --exclude outage --exclude patched --exclude properties --exclude rewriter --exclude gatekeeper --exclude exports --exclude signer --exclude failing";
/// Cargo's arguments for what is built for the target.
pub fn for_the_target() -> String {
    format!("--workspace {WITHOUT_HOST} {}", built())
}
fn built() -> String {
    format!("--release -Zbuild-std=core,alloc --target {}", build::TARGET)
}
/// Looks for warnings everywhere; false: there are some.
pub fn run(root: &Path) -> Result<bool> {
    let mut ok = clippy(root, "the host tool, and tests on the host", for_this_machine())?;
    let built = built();
    ok &= clippy(root, "components", &for_the_target())?;
    ok &= clippy(root, "Rust programs", &format!("--manifest-path {} {built}", programs(root)?.display()))?;
    let mut sources = build::files(&root.join("lib/c/src"), &["c"])?;
    sources.extend(in_folders(root, "c")?);
    let clean = AtomicBool::new(true);
    build::each("looking through C", &sources, |source| {
        if !c(root, source)? {
            clean.store(false, Ordering::Relaxed);
        }
        Ok(())
    })?;
    let clean = clean.into_inner();
    println!("C warnings: {}", if clean { "ok" } else { "FAIL" });
    Ok(ok && clean)
}
fn clippy(root: &Path, what: &str, arguments: &str) -> Result<bool> {
    let arguments: Vec<&str> = arguments.split_whitespace().chain(CLIPPY).collect();
    // Programs of one file are built with it, as components are: what both depend on is looked through once.
    let profile = build::profile(root)?;
    let profile: Vec<(&str, &str)> = profile.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    Ok(tool_with(root, "clippy", what, &arguments, "clippy-driver", &profile))
}
/// Runs `cargo COMMAND` over `what`, if its tool is there; whether all is well.
pub fn tool(root: &Path, command: &str, what: &str, arguments: &[&str], program: &str) -> bool {
    tool_with(root, command, what, arguments, program, &[])
}
/// The same in an environment.
pub fn tool_with(
    root: &Path,
    command: &str,
    what: &str,
    arguments: &[&str],
    program: &str,
    environment: &[(&str, &str)],
) -> bool {
    let beside = std::env::var("PEBBLE_CARGO").ok().and_then(|c| Some(Path::new(&c).parent()?.join(program)));
    let there = Command::new(beside.unwrap_or_else(|| program.into()))
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if !there {
        println!("{command}, {what}: skipped, the toolchain has no {program}");
        return true;
    }
    let mut cargo = build::cargo(root);
    cargo.envs(environment.iter().copied()).arg(command).args(arguments);
    let ok = build::run_cargo(root, &mut cargo).is_ok_and(|output| output.status.success());
    println!("{command}, {what}: {}", if ok { "ok" } else { "FAIL" });
    ok
}
/// The project's programs of one file whose names end in `ending`.
fn in_folders(root: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in PROGRAMS {
        found.extend(build::files(&root.join(folder), &[ending])?);
    }
    Ok(found)
}
/// The manifest of a package of all programs in Rust.
fn programs(root: &Path) -> Result<PathBuf> {
    let folder = root.join("build/lint");
    fs::create_dir_all(&folder)?;
    let mut text = format!(
        "[package]\nname = \"programs\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\npebble = {{ path = {:?} }}\n\n[workspace]\n",
        root.join("lib/pebble").canonicalize()?
    );
    for source in in_folders(root, "rs")? {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        text += &format!("\n[[bin]]\nname = \"{name}\"\npath = {:?}\n", source.canonicalize()?);
    }
    let manifest = folder.join("Cargo.toml");
    if fs::read_to_string(&manifest).ok().as_deref() != Some(&text) {
        fs::write(&manifest, text)?;
    }
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(manifest.canonicalize()?)
}
/// Whether a C file is compiled without a warning.
fn c(root: &Path, source: &Path) -> Result<bool> {
    let mut command = build::compiler(root)?;
    Ok(command.args(C).arg("-c").arg(source).args(["-o", "/dev/null"]).status()?.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiles(text: &str) -> bool {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let file = tempfile::Builder::new().suffix(".c").tempfile().unwrap();
        fs::write(file.path(), text).unwrap();
        c(root, file.path()).unwrap()
    }
    #[test]
    fn a_warning_in_a_c_program_is_refused() {
        assert!(!compiles("#include <pebble.h>\nint main(void) { int unused; return 0; }\n"));
    }
    #[test]
    fn an_entry_point_may_leave_its_parameters_alone() {
        assert!(compiles(
            "#include <pebble.h>\nstatic word f(word x) { return 0; }\nint main(void) { return f(1); }\n"
        ));
    }
}
