//! What cargo builds: the packages of the workspace, components of one Rust file, and packages of others in folders of their own.

use super::stamp::Stamp;
use super::{TARGET, number, place};
use crate::{fetch, inputs, progress};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The cargo that has the sources of `core`; `./pebble` finds it.
pub fn cargo(root: &Path) -> Command {
    let program = std::env::var("PEBBLE_CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(&program);
    command.current_dir(root).env("RUSTC_BOOTSTRAP", "1");
    // Cargo's own subcommands must be of the same toolchain, whatever comes first on the path.
    if let (Some(folder), Some(path)) = (Path::new(&program).parent(), std::env::var_os("PATH")) {
        let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).unwrap_or(path));
    }
    if let Ok(rustc) = std::env::var("PEBBLE_RUSTC") {
        command.env("RUSTC", rustc);
    }
    command
}
/// Runs cargo, at whose words nobody types. Where that fails and it lacks packages, these are fetched ([`fetch::command`]) and it is run again.
pub fn run(root: &Path, command: &mut Command) -> Result<Output> {
    let output = once(command)?;
    let done = output.status.success() || !fetched(root, &fetching(root, command))?;
    if done { Ok(output) } else { once(command) }
}
fn once(command: &mut Command) -> Result<Output> {
    let child = command.stdin(Stdio::null()).spawn();
    child.and_then(|child| child.wait_with_output()).context("cargo could not be started")
}
/// The command that fetches the packages which a command of cargo's needs; with one argument more, `--offline`, it only says whether they are there.
fn fetching(root: &Path, command: &Command) -> impl Fn() -> Command {
    let words: Vec<OsString> = command.get_args().take_while(|word| *word != "--").map(OsString::from).collect();
    move || {
        let same = words.windows(2).filter(|pair| pair[0] == "--manifest-path" || pair[0] == "--target");
        let mut fetch = cargo(root);
        fetch.args(["fetch", "-Zbuild-std=core,alloc", "--target", "host-tuple"]).args(same.flatten());
        fetch
    }
}
/// Whether packages were not there that `fetching` fetches, and are now.
fn fetched(root: &Path, fetching: &impl Fn() -> Command) -> Result<bool> {
    let quietly = |command: &mut Command| once(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    if quietly(fetching().arg("--offline"))?.status.success() {
        return Ok(false);
    }
    let output = quietly(&mut fetch::command(root, "crates.io", "one of its packages", &fetching()))?;
    // What else is wrong cargo has said already.
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().filter(|line| line.starts_with("pebble: ")).for_each(|line| eprintln!("{line}"));
    Ok(output.status.success())
}
/// Builds packages of the workspace. A component says why it panics; in those that are small on purpose a panic is an illegal
/// instruction where it happens, which is reported.
pub fn build_packages(root: &Path, packages: &[String]) -> Result<()> {
    let (small, others): (Vec<_>, Vec<_>) = packages.iter().cloned().partition(|package| is_small(root, package));
    for (kind, packages, options) in [("small", small, &IMMEDIATE_ABORT[..]), ("others", others, &[])] {
        let products: Vec<PathBuf> = packages.iter().map(|package| released(root, package)).collect();
        let stamp = Stamp::new(root, kind, &packages);
        if !packages.is_empty() && !stamp.holds(root, &products) {
            run_cargo(root, &packages, options)?;
            stamp.put()?;
        }
    }
    Ok(())
}
/// Where a program of the workspace is, once it is built.
fn released(root: &Path, program: &str) -> PathBuf {
    root.join("target").join(TARGET).join("release").join(program)
}
/// Whether a package's `Cargo.toml` says that it shall be small, as those of the smallest system do. The nucleus and the servers that are
/// laid out with it have nobody to tell.
fn is_small(root: &Path, package: &str) -> bool {
    let says = |folder: &str| {
        let file = root.join(folder).join(package).join("Cargo.toml");
        fs::read_to_string(file).is_ok_and(|text| text.contains("\npanic = \"silent\""))
    };
    package == "nucleus" || root.join("servers").join(package).exists() || ["drivers", "services"].into_iter().any(says)
}
/// A panic is an illegal instruction where it happens.
pub const IMMEDIATE_ABORT: [&str; 3] =
    ["-Zpanic-immediate-abort", "--config", "profile.release.panic=\"immediate-abort\""];

/// `cargo build` for the machine.
fn build(root: &Path) -> Command {
    let mut command = cargo(root);
    command.args(["build", "--release", "-Zbuild-std=core,alloc", "--target", TARGET]);
    if std::env::var_os("PEBBLE_VERBOSE").is_none() {
        command.arg("--quiet");
    }
    command
}
/// Runs cargo with `options`; its messages go to the terminal only where it has something to say.
pub fn run_cargo(root: &Path, packages: &[String], options: &[&str]) -> Result<()> {
    let mut command = build(root);
    command.args(options);
    for package in packages {
        command.args(["-p", package]);
    }
    let what = match packages {
        [one] => one.clone(),
        many => format!("{} components", many.len()),
    };
    let output = progress::during(&format!("building {what}"), || run(root, &mut command))?;
    if !output.status.success() {
        bail!("building {} failed", packages.join(", "));
    }
    Ok(())
}
/// Whether there is a package of this name among the components of the workspace. Applications are members only where the workspace
/// names them; others are packages of their own.
pub fn package_exists(root: &Path, name: &str) -> bool {
    let has = |folder: &str| !name.contains('/') && root.join(folder).join(name).join("Cargo.toml").exists();
    let named =
        || fs::read_to_string(root.join("Cargo.toml")).is_ok_and(|text| text.contains(&format!("\"apps/{name}\"")));
    ["servers", "drivers", "services", "tests"].into_iter().any(has) || has("apps") && named()
}
/// The folder of the package that a Rust file belongs to: of one whose `Cargo.toml` is beside it, or beside the `src` that it is in.
pub fn package_of(source: &Path) -> Option<&Path> {
    let beside = source.parent()?;
    let above = beside.file_name().filter(|name| *name == "src").and(beside.parent());
    [Some(beside), above].into_iter().flatten().find(|folder| folder.join("Cargo.toml").exists())
}

/// Compiles a Rust program of one file; the path of its ELF file. Its package is made beside the other build products and
/// shares their target folder, so it is called as no other is.
pub fn compile_file(root: &Path, source: &Path) -> Result<PathBuf> {
    let (mut command, name) = of_file(root, source)?;
    let target = root.join("target/programs");
    command.env("CARGO_TARGET_DIR", &target);
    let output = progress::during(&format!("building {}", source.display()), || run(root, &mut command))?;
    if !output.status.success() {
        bail!("{} could not be compiled", source.display());
    }
    let program = target.join(TARGET).join("release").join(name);
    inputs::note(program.with_extension(inputs::RULE));
    Ok(program)
}
/// What is built in Rust.
pub enum Program<'a> {
    /// A package of the workspace.
    Package(&'a str),
    /// A file that is a program.
    File(&'a Path),
    /// A package in a folder of its own, and which of its programs, where it has several.
    Folder(&'a Path, Option<&'a str>),
}
/// Compiles a program to one relocatable object with all that it uses, without compressed instructions, linked by `linker`; its path.
pub fn compile_object(root: &Path, program: &Program, linker: &str) -> Result<PathBuf> {
    let (mut command, what) = match *program {
        Program::Package(name) => {
            let mut command = build(root);
            command.args(["-p", name, "--bin", name]);
            if is_small(root, name) {
                command.args(IMMEDIATE_ABORT);
            }
            (command, name.to_string())
        }
        Program::File(source) => (of_file(root, source)?.0, source.display().to_string()),
        Program::Folder(folder, binary) => (of_folder(root, folder, binary)?, folder.display().to_string()),
    };
    // All else has the flags of .cargo/config.toml. `relax`: with a relocation for everything that refers to code. The compiler leaves the dedicated
    // registers alone, and one more, which the rewriter has then for what LLVM keeps in `ra`, in whichever function. The SDK reads no
    // thread register there (`fault_domain`). `globalopt` has functions that are called from within one crate take their ninth to thirteenth argument in
    // these registers, and LLVM refuses what it has done itself.
    let flags = format!(
        "-Clinker={linker} -Clinker-flavor=ld -Clink-args=-r -Clink-args=-e_start -Clink-args=-u_start \
         --cfg fault_domain -Cllvm-args=-opt-disable=globalopt -Crelocation-model=pic -Ctarget-feature=-c,+relax,+reserve-x7,+reserve-x28,+reserve-x29,+reserve-x30,+reserve-x31"
    );
    command.env("CARGO_TARGET_DIR", root.join("target/sandboxed")).env("RUSTFLAGS", flags);
    command.env("CARGO_PROFILE_RELEASE_LTO", "true");
    // rustc finds fault with the name of that feature, at each crate.
    command.arg("--message-format=json-render-diagnostics").stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = progress::during(&format!("building {what}"), || run(root, &mut command))?;
    if !output.status.success() {
        bail!("{what} could not be compiled:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let object = one(executables(&String::from_utf8_lossy(&output.stdout)), &what)?;
    match *program {
        Program::Folder(folder, binary) => note(root, folder, binary, &object)?,
        _ => inputs::note(object.with_extension(inputs::RULE)),
    }
    Ok(object)
}
/// How a Rust program of one file is built, as a package of its own, and that package's name.
fn of_file(root: &Path, source: &Path) -> Result<(Command, String)> {
    let source = source.canonicalize().with_context(|| source.display().to_string())?;
    let folder = place(root, "programs", &source)?.with_extension("package");
    fs::create_dir_all(&folder)?;
    let name = unique_name(&source);
    let cargo_toml = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[[bin]]\nname = \"{name}\"\npath = {source:?}\n\n\
         [dependencies]\npebble = {{ path = {:?} }}\n\n[workspace]\n",
        root.join("lib/pebble").canonicalize()?
    );
    let manifest = folder.join("Cargo.toml");
    if fs::read_to_string(&manifest).ok().as_deref() != Some(&cargo_toml) {
        fs::write(&manifest, cargo_toml)?;
    }
    // The same versions as everywhere else; cargo leaves out what is not needed.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    let mut command = build(root);
    command.arg("--manifest-path").arg(&manifest).envs(profile(root)?);
    Ok((command, name))
}
/// A name for the package of a file that no file elsewhere has.
fn unique_name(source: &Path) -> String {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("p_{stem}_{:016x}", number(&source))
}

/// The environment that gives packages elsewhere the profile of the workspace's components, but for what it says of some by name: so what all
/// depend on, `core` first, is built once for all of them.
pub fn profile(root: &Path) -> Result<Vec<(String, String)>> {
    let file = root.join("Cargo.toml");
    let manifest: toml::Table = fs::read_to_string(&file)?.parse().with_context(|| file.display().to_string())?;
    let release = released_as(&manifest).with_context(|| format!("{}: no profile \"release\"", file.display()))?;
    let variable = |name: &str| format!("CARGO_PROFILE_RELEASE_{}", name.to_uppercase().replace('-', "_"));
    let said = release.iter().filter(|(_, value)| !value.is_table());
    Ok(said.map(|(name, value)| (variable(name), value.to_string().trim_matches('"').to_string())).collect())
}
/// The profile `release` of a manifest, if it has one.
fn released_as(manifest: &toml::Table) -> Option<&toml::Table> {
    manifest.get("profile")?.get("release")?.as_table()
}
/// How a package that has a `Cargo.toml` of its own is built, wherever it is, and with whatever it depends on.
fn of_folder(root: &Path, folder: &Path, binary: Option<&str>) -> Result<Command> {
    let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
    let mut command = build(root);
    command.arg("--manifest-path").arg(folder.join("Cargo.toml"));
    match binary {
        Some(name) => command.args(["--bin", name]),
        None => command.arg("--bins"),
    };
    let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
    // Cargo says what is wrong with a manifest that can not be read.
    if let Ok(own) = manifest.parse::<toml::Table>()
        && own.contains_key("workspace")
        && released_as(&own).is_none()
    {
        command.envs(profile(root)?);
    }
    // Nothing unwinds on the machine, whatever the package says.
    command.env("CARGO_PROFILE_RELEASE_PANIC", "abort");
    Ok(command)
}
/// Builds a package that has a `Cargo.toml` of its own; the path of its ELF file. `binary`: which of its programs, where it has several.
pub fn compile_package(root: &Path, folder: &Path, binary: Option<&str>) -> Result<PathBuf> {
    let mut command = of_folder(root, folder, binary)?;
    command.arg("--message-format=json-render-diagnostics");
    // What packages depend on is built once for all of them.
    command.env("CARGO_TARGET_DIR", root.join("target/programs"));
    command.stdout(Stdio::piped());
    let output = progress::during(&format!("building {}", folder.display()), || run(root, &mut command))?;
    if !output.status.success() {
        bail!("{} could not be built", folder.display());
    }
    let program = one(executables(&String::from_utf8_lossy(&output.stdout)), &folder.display().to_string())?;
    note(root, folder, binary, &program)?;
    // One of the same name in another folder would write over it, and so would another program of this one.
    let own = product(root, folder, binary)?.with_extension("elf");
    // Whole at once, whoever reads the one before.
    let new = own.with_extension("new");
    fs::copy(program, &new).and_then(|_| fs::rename(&new, &own)).with_context(|| own.display().to_string())?;
    Ok(own)
}
/// Builds one of the programs of a package of the workspace, with all that components have in common with it; the path of its ELF file. It is called as no other
/// package's is.
pub fn compile_member(root: &Path, package: &str, binary: &str) -> Result<PathBuf> {
    run_cargo(root, &[package.to_string()], &["--bin", binary])?;
    let program = released(root, binary);
    inputs::note(program.with_extension(inputs::RULE));
    Ok(program)
}
/// Where a program of the package in a folder is kept, but for the ending.
fn product(root: &Path, folder: &Path, binary: Option<&str>) -> Result<PathBuf> {
    let folder = folder.canonicalize()?;
    place(root, "packages", &binary.map_or(folder.clone(), |name| folder.join(name)))
}
/// Notes what `program` of the package in a folder is made of.
fn note(root: &Path, folder: &Path, binary: Option<&str>, program: &Path) -> Result<()> {
    let own = product(root, folder, binary)?.with_extension(inputs::RULE);
    fs::copy(program.with_extension(inputs::RULE), &own).with_context(|| own.display().to_string())?;
    inputs::note(own);
    inputs::note(folder);
    Ok(())
}
/// The one of `programs`, which are those of `package`.
fn one(mut programs: Vec<PathBuf>, package: &str) -> Result<PathBuf> {
    match programs.len() {
        0 => bail!("{package}: the package has no program"),
        1 => Ok(programs.remove(0)),
        _ => {
            let names = programs.iter().filter_map(|p| Some(p.file_name()?.to_string_lossy().into_owned()));
            let names: Vec<String> = names.collect();
            bail!("{package}: the package has several programs: say which, of {}", names.join(", "))
        }
    }
}
/// The programs that cargo's messages say it has made.
fn executables(messages: &str) -> Vec<PathBuf> {
    let of = |line: &str| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        message.get("executable")?.as_str().map(PathBuf::from)
    };
    messages.lines().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};
    #[test]
    fn what_is_wrong_though_all_packages_are_there_is_run_once() {
        let folder = tempfile::tempdir().unwrap();
        let (calls, root) = (folder.path().join("calls"), Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap());
        let mut wrong = Command::new("sh");
        wrong.args(["-c", &format!("echo >>{}; exit 3", calls.display())]);
        assert_eq!(run(root, &mut wrong).unwrap().status.code(), Some(3));
        assert_eq!(fs::read_to_string(calls).unwrap(), "\n");
    }
    #[test]
    fn packages_that_are_not_there_are_fetched_and_those_that_are_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let (there, root) = (folder.path().join("there"), Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap());
        let fetching = || {
            let mut command = Command::new("sh");
            // With `--offline` it looks, without it fetches.
            command.args([
                "-c",
                &format!("if [ -n \"$1\" ]; then test -e {0}; else echo >{0}; fi", there.display()),
                "sh",
            ]);
            command
        };
        assert!(fetched(root, &fetching).unwrap() && there.exists());
        assert!(!fetched(root, &fetching).unwrap());
    }
    #[test]
    fn packages_are_fetched_of_the_same_manifest_and_machine() {
        let mut command = Command::new("cargo");
        command.args(["test", "--manifest-path", "a/Cargo.toml", "--target", "b", "--", "--target", "c"]);
        let words: Vec<_> = fetching(Path::new("."), &command)().get_args().map(OsString::from).collect();
        assert_eq!(words[2..], ["--target", "host-tuple", "--manifest-path", "a/Cargo.toml", "--target", "b"]);
    }
    /// The features of each crate that packages are built from, by its package, the kind of what is built, and whether it is for this machine.
    fn features(root: &Path, packages: &[&str]) -> BTreeMap<(String, String, bool), BTreeSet<String>> {
        let mut command = build(root);
        command.args(["--unit-graph", "-Zunstable-options"]);
        for package in packages {
            command.args(["-p", package]);
        }
        let output = run(root, command.stdout(Stdio::piped())).unwrap();
        let graph: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let of = |unit: &serde_json::Value| {
            let name = unit["pkg_id"].as_str().unwrap().to_string();
            ((name, unit["target"]["kind"].to_string(), unit["platform"].is_null()), unit["features"].to_string())
        };
        let mut all: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for (unit, features) in graph["units"].as_array().unwrap().iter().map(of) {
            all.entry(unit).or_default().insert(features);
        }
        all
    }
    /// Where one is built with other features alone, it is built again, with all that depends on it, whenever a system has other components.
    #[test]
    fn components_have_the_same_features_whatever_is_built_with_them() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let in_folder = |folder: &str| {
            let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap());
            let packages = entries.filter(|entry| entry.path().join("src/main.rs").exists());
            packages.map(|entry| entry.file_name().into_string().unwrap()).collect::<Vec<_>>()
        };
        let named = ["shell", "tools", "extended", "executor"].map(String::from);
        let all: Vec<String> = ["services", "drivers"].into_iter().flat_map(in_folder).chain(named).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        assert!(all.len() > 15, "{all:?}");
        let together = features(root, &all);
        for package in all {
            for (unit, alone) in features(root, &[package]) {
                assert_eq!(Some(&alone), together.get(&unit), "{package}: {unit:?}");
            }
        }
    }
    #[test]
    fn packages_elsewhere_have_the_profile_of_components() {
        let folder = tempfile::tempdir().unwrap();
        let text = "[profile.release]\nopt-level = \"s\"\nlto = true\ncodegen-units = 1\n[profile.release.package.a]\ndebug = 2\n";
        fs::write(folder.path().join("Cargo.toml"), text).unwrap();
        let mut said = profile(folder.path()).unwrap();
        said.sort();
        let wanted = [("CODEGEN_UNITS", "1"), ("LTO", "true"), ("OPT_LEVEL", "s")];
        assert_eq!(said, wanted.map(|(name, value)| (format!("CARGO_PROFILE_RELEASE_{name}"), value.to_string())));
        fs::write(folder.path().join("Cargo.toml"), "[profile.dev]\n").unwrap();
        assert!(profile(folder.path()).unwrap_err().to_string().contains("no profile \"release\""));
    }
    #[test]
    fn a_package_that_says_how_it_is_built_is_built_so() {
        let folder = tempfile::tempdir().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let levels = |text: &str| {
            fs::write(folder.path().join("Cargo.toml"), text).unwrap();
            let command = of_folder(root, folder.path(), None).unwrap();
            let level = command.get_envs().find(|(name, _)| *name == "CARGO_PROFILE_RELEASE_OPT_LEVEL");
            level.and_then(|(_, value)| Some(value?.to_string_lossy().into_owned()))
        };
        let own = profile(root).unwrap();
        let own = own.into_iter().find(|(name, _)| name == "CARGO_PROFILE_RELEASE_OPT_LEVEL").unwrap().1;
        assert_eq!(levels("[package]\n[workspace]\n"), Some(own));
        assert_eq!(levels("[package]\n[workspace]\n[profile.release]\nlto = true\n"), None);
        // Its workspace, elsewhere, may say it.
        assert_eq!(levels("[package]\n"), None);
    }
    #[test]
    fn files_of_one_name_in_two_folders_make_two_packages() {
        assert_ne!(unique_name(Path::new("/a/main.rs")), unique_name(Path::new("/b/main.rs")));
        assert!(unique_name(Path::new("/a/my-server.rs")).starts_with("p_my_server_"));
    }
    #[test]
    fn a_file_belongs_to_the_package_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("src/main.rs");
        assert_eq!(package_of(&source), None);
        fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(package_of(&source), Some(folder.path()));
        assert_eq!(package_of(&folder.path().join("main.rs")), Some(folder.path()));
        assert_eq!(package_of(&folder.path().join("other/main.rs")), None);
    }
    #[test]
    fn cargo_says_what_it_made() {
        let messages = "{\"reason\":\"compiler-artifact\",\"executable\":null}\n\
                        {\"reason\":\"compiler-artifact\",\"executable\":\"/t/server\"}\n{\"reason\":\"build-finished\"}\n";
        assert_eq!(executables(messages), [PathBuf::from("/t/server")]);
    }
}
