//! Tests that run on this machine: cargo builds them, a program for each crate and each file in a `tests` folder.

use super::Verdict;
use crate::inputs::Inputs;
use crate::{build, progress};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// The wanted tests of the workspace's default members, out of programs of which something has `changed`.
pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool, changed: &dyn Fn(&str) -> bool) -> Result<Vec<Verdict>> {
    let packages = packages(root)?;
    let built =
        progress::during("building the tests of this machine (the first time takes minutes)", || programs(root));
    let programs = match built {
        Ok(programs) => programs,
        Err(error) => return Ok(vec![Verdict::of("host tests are built".into(), || Err(error))]),
    };
    let libraries = libraries()?;
    let of = |program: &&Program| -> Result<Vec<Verdict>> {
        let inputs = inputs(root, &packages, program)?;
        let verdicts = program.run(&libraries)?.into_iter();
        Ok(verdicts.map(|verdict| Verdict { inputs: inputs.clone(), ..verdict }).collect())
    };
    let changed: Vec<&Program> = programs.iter().filter(|program| changed(&program.target.name())).collect();
    let mut verdicts: Vec<Verdict> = beside_each_other(&changed, of)?.into_iter().flatten().collect();
    verdicts.retain(|v| wanted(&v.name));
    verdicts.iter().filter(|v| v.failure.is_some()).for_each(Verdict::print);
    println!("{} host tests", verdicts.len());
    Ok(verdicts)
}

/// Programs that run at one time: each has its tests one beside the other, but many end with one that takes longer than all others.
const PROGRAMS: usize = 2;

/// What comes of each; in no order.
fn beside_each_other<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let left = Mutex::new(all.iter());
    let worker = || {
        let next = || left.lock().unwrap().next();
        std::iter::from_fn(next).map(&work).collect::<Result<Vec<R>>>()
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..PROGRAMS).map(|_| scope.spawn(worker)).collect();
        let done = workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Result<Vec<_>>>();
        Ok(done?.into_iter().flatten().collect())
    })
}

/// A program that cargo says it has made, with tests.
#[derive(Deserialize)]
struct Program {
    executable: PathBuf,
    manifest_path: PathBuf,
    target: Target,
    profile: Profile,
}
#[derive(Deserialize)]
struct Target {
    name: String,
}
#[derive(Deserialize)]
struct Profile {
    test: bool,
}
impl Target {
    /// That of its crate.
    fn name(&self) -> String {
        self.name.replace('-', "_")
    }
}
/// Has the tests built; their programs.
fn programs(root: &Path) -> Result<Vec<Program>> {
    let mut cargo = build::cargo(root);
    cargo.args(["test", "--no-run", "--tests", "--quiet", "--message-format=json-render-diagnostics"]);
    let output = build::run_cargo(root, cargo.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = errors.lines().collect();
        bail!("{}", lines[lines.len().saturating_sub(20)..].join("\n"));
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let programs = messages.lines().filter_map(|line| serde_json::from_str::<Program>(line).ok());
    Ok(programs.filter(|program| program.profile.test).collect())
}
impl Program {
    /// Runs all its tests, in its package's folder, as cargo does.
    fn run(&self, libraries: &str) -> Result<Vec<Verdict>> {
        let mut command = Command::new(&self.executable);
        // Each test says how long it has taken, which is unstable.
        command.args(["-Zunstable-options", "--report-time"]).env("RUSTC_BOOTSTRAP", "1").stdin(Stdio::null());
        command.current_dir(self.manifest_path.parent().context("a manifest is in a folder")?);
        command.env("LD_LIBRARY_PATH", libraries);
        let what = format!("running the tests of {}", self.target.name());
        let output = progress::during(&what, || command.output()).context(what.clone())?;
        let mut verdicts = parse(&self.target.name(), &String::from_utf8_lossy(&output.stdout));
        // One of them ended the whole process.
        if !output.status.success() && verdicts.iter().all(|v| v.failure.is_none()) {
            let failure = format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
            verdicts.push(verdict(&self.target.name(), "all are run to their end", Some(failure), 0.0));
        }
        Ok(verdicts)
    }
}
/// Where the compiler's libraries are, which tests of procedural macros are linked with.
fn libraries() -> Result<String> {
    let rustc = std::env::var_os("PEBBLE_RUSTC").unwrap_or_else(|| "rustc".into());
    let output =
        Command::new(rustc).args(["--print", "target-libdir"]).output().context("rustc could not be started")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().into())
}
fn verdict(krate: &str, name: &str, failure: Option<String>, seconds: f64) -> Verdict {
    Verdict { name: format!("{krate}::{name}"), failure, seconds, inputs: Inputs::new() }
}
/// Reads `test NAME ... ok` lines, one for each test, and the reports of those that failed.
fn parse(krate: &str, text: &str) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for line in text.lines() {
        let Some((name, result)) = line.strip_prefix("test ").and_then(|l| l.rsplit_once(" ... ")) else { continue };
        let (result, time) = result.split_once(' ').unwrap_or((result, ""));
        let seconds = time.trim_matches(['<', '>', 's']).parse().unwrap_or(0.0);
        let failure = (result == "FAILED").then(|| {
            let report = text.split(&format!("---- {name} stdout ----")).nth(1).unwrap_or("");
            let first = report.lines().filter(|l| !l.trim().is_empty()).take(6);
            // The least case of a property that does not hold, in one line.
            let least = report.split_once("minimal failing input: ").map(|(_, least)| {
                let least = least.lines().take_while(|l| !l.trim_start().starts_with("successes: ")).map(str::trim);
                format!("minimal failing input: {}", least.collect::<Vec<_>>().join(" ").trim())
            });
            first.map(String::from).chain(least).collect::<Vec<_>>().join("\n")
        });
        if result == "ok" || failure.is_some() {
            verdicts.push(verdict(krate, name, failure, seconds));
        }
    }
    verdicts
}

/// What cargo knows of a package of the workspace.
#[derive(Deserialize)]
struct Package {
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
}
#[derive(Deserialize)]
struct Dependency {
    /// The folder of one in the workspace.
    path: Option<PathBuf>,
    kind: Option<String>,
    /// For which machines it is one, where not for all.
    target: Option<String>,
}
impl Dependency {
    fn is_for_this_machine(&self) -> bool {
        !self.target.as_ref().is_some_and(|target| target.contains("target_os = \"none\""))
    }
}
impl Package {
    fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }
}
fn packages(root: &Path) -> Result<Vec<Package>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let output = build::cargo(root).args(["metadata", "--no-deps", "--format-version=1"]).output();
    let output = output.context("cargo could not be started")?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok(metadata.packages)
}
/// What the tests of a program are made of: the folders of its package and of those that it depends on. Where one of them looks elsewhere, all of the
/// tree counts.
fn inputs(root: &Path, packages: &[Package], program: &Program) -> Result<Inputs> {
    let folders = folders(packages, program.manifest_path.parent().unwrap_or(root));
    for folder in &folders {
        if looks_elsewhere(folder)? {
            return Ok([root.to_path_buf()].into());
        }
    }
    Ok(folders)
}
/// The folder of a package, and those of all in the workspace that it depends on: of itself, what its tests do, too.
fn folders(packages: &[Package], own: &Path) -> BTreeSet<PathBuf> {
    let (mut found, mut next) = (BTreeSet::new(), vec![own]);
    while let Some(folder) = next.pop() {
        if !found.insert(folder.to_path_buf()) {
            continue;
        }
        let package = packages.iter().filter(|package| package.folder() == folder);
        let needed = package.flat_map(|package| &package.dependencies);
        let needed = needed.filter(|needed| needed.is_for_this_machine());
        let needed = needed.filter(|needed| folder == own || needed.kind.as_deref() != Some("dev"));
        next.extend(needed.filter_map(|dependency| dependency.path.as_deref()));
    }
    found
}
/// Whether a source in a folder asks where it is, or includes what is not of its package. A build script may: it is told which files it looks at.
fn looks_elsewhere(folder: &Path) -> Result<bool> {
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let looks = match path.extension() {
            _ if path.is_dir() => looks_elsewhere(&path)?,
            Some(ending) if ending == "rs" && !path.ends_with("build.rs") => {
                let text = std::fs::read_to_string(&path)?;
                text.contains("CARGO_MANIFEST_DIR") || text.contains("!(\"../../../")
            }
            _ => false,
        };
        if looks {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn every_library_that_can_be_tested_here_is() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let workspace: toml::Table = std::fs::read_to_string(root.join("Cargo.toml")).unwrap().parse().unwrap();
        let members = workspace["workspace"]["default-members"].as_array().unwrap();
        for folder in ["lib", "servers", "drivers", "services", "host"] {
            for package in std::fs::read_dir(root.join(folder)).unwrap() {
                let package = package.unwrap().path();
                let name = package.strip_prefix(root).unwrap().to_str().unwrap();
                let library = package.join("Cargo.toml").exists() && package.join("src/lib.rs").exists();
                // The SDK and its executor are for the machine only.
                let wanted = library && !["lib/pebble", "lib/executor"].contains(&name);
                assert_eq!(members.iter().any(|member| member.as_str() == Some(name)), wanted, "{name}");
            }
        }
    }
    #[test]
    fn programs_run_beside_each_other_and_each_once() {
        let all = std::sync::Barrier::new(PROGRAMS);
        let meet = |n: &usize| {
            all.wait();
            Ok(*n)
        };
        let numbers: Vec<usize> = (0..PROGRAMS).collect();
        let mut met = beside_each_other(&numbers, meet).unwrap();
        met.sort_unstable();
        assert_eq!(met, numbers);
        let one_fails = |n: &u32| if *n == 7 { bail!("seven") } else { Ok(()) };
        assert_eq!(beside_each_other(&[1, 7, 9], one_fails).unwrap_err().to_string(), "seven");
    }
    #[test]
    fn the_lines_of_tests_are_read() {
        let text = "running 2 tests\ntest a::b ... ok <1.250s>\ntest c ... FAILED\n\n---- c stdout ----\nboom\n";
        let found = parse("abi", text);
        assert_eq!(
            found.iter().map(|v| (v.name.as_str(), v.failure.is_some(), v.seconds)).collect::<Vec<_>>(),
            [("abi::a::b", false, 1.25), ("abi::c", true, 0.0)]
        );
    }
    #[test]
    fn the_least_case_of_a_property_that_does_not_hold_is_said_whole() {
        let lines: String = (0..9).map(|n| format!("line {n}\n")).collect();
        let least =
            "minimal failing input: steps = [\n    Yield,\n    Join(\n        9,\n    ),\n]\n\tsuccesses: 3\nmore\n";
        let text = format!("test c ... FAILED\n\n---- c stdout ----\n{lines}{least}");
        let failure = parse("abi", &text).pop().unwrap().failure.unwrap();
        assert!(failure.ends_with("line 5\nminimal failing input: steps = [ Yield, Join( 9, ), ]"), "{failure}");
    }
    #[test]
    fn a_test_is_made_of_all_that_its_package_depends_on_and_what_only_tests_of_others_need_is_not_its() {
        let package = |name: &str, needs: &[(&str, Option<&str>)]| Package {
            manifest_path: Path::new(name).join("Cargo.toml"),
            dependencies: needs
                .iter()
                .map(|(path, kind)| Dependency { path: Some(path.into()), kind: kind.map(String::from), target: None })
                .collect(),
        };
        let all = [
            package("a", &[("b", None), ("c", Some("dev"))]),
            package("b", &[("d", Some("build")), ("e", Some("dev"))]),
            package("c", &[("a", None)]),
        ];
        assert_eq!(folders(&all, Path::new("a")), ["a", "b", "c", "d"].map(PathBuf::from).into());
    }
    #[test]
    fn who_looks_elsewhere_reads_the_whole_tree() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        for (folder, looks) in [("host", true), ("lib/fuzz", true), ("lib/abi", false), ("nucleus", false)] {
            assert_eq!(looks_elsewhere(&root.join(folder)).unwrap(), looks, "{folder}");
        }
    }
}
