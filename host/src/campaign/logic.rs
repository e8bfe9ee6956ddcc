//! Mutants of what is tested on this machine: `cargo-mutants` changes a function of a crate in a copy of the sources, and a test of the crate must notice.

use super::copy::Copy;
use super::{Campaign, Failure, Ran, sources};
use crate::child::end_with_us;
use crate::{build, fetch, kept};
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The tool, which is built from its sources where it is not there, and its version.
const TOOL: &str = "cargo-mutants";
const VERSION: &str = "=27.1.0";
/// Where it is, from the root.
const TOOLS: &str = "target/tools";
/// The packages whose logic is tested on this machine.
const PACKAGES: [&str; 14] = [
    "portals",
    "memory",
    "scheduler",
    "names",
    "account",
    "portal",
    "verifier",
    "volume",
    "internet",
    "http",
    "manifest",
    "enclosure",
    "stacks",
    "shell",
];
/// Seconds that the tests of a package may take with a mutant: some loop for ever.
const PATIENCE: u32 = 300;

/// One change, as the tool lists it.
#[derive(Clone, Debug, Deserialize, Hash)]
struct Mutant {
    package: String,
    /// File, line, and what is changed.
    name: String,
}
/// What became of those that were tried, for each package.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
struct Tally {
    caught: u64,
    missed: u64,
    /// A test did not end: that is noticed.
    timeout: u64,
    /// Does not compile.
    unviable: u64,
}
#[derive(Deserialize)]
struct Outcome {
    summary: String,
}
#[derive(Deserialize)]
struct Outcomes {
    outcomes: Vec<Outcome>,
}

pub struct Logic {
    root: PathBuf,
    copy: Copy,
    mutants: Vec<Mutant>,
    build: u64,
}
impl Logic {
    pub fn new(root: &Path) -> Result<Logic> {
        install(root)?;
        let mut list = tool(root, root);
        list.args(["--list", "--json"]).args(PACKAGES.iter().flat_map(|package| ["-p", package]));
        let output = list.stdout(Stdio::piped()).output().context(TOOL)?;
        ensure!(output.status.success(), "{TOOL} --list: {}", output.status);
        let mutants: Vec<Mutant> = serde_json::from_slice(&output.stdout).context("what cargo-mutants lists")?;
        ensure!(!mutants.is_empty(), "{TOOL} finds nothing to change");
        let mut hasher = DefaultHasher::new();
        mutants.hash(&mut hasher);
        sources::hash(root, &mut hasher)?;
        Ok(Logic { root: root.into(), copy: Copy::of(root, "logic")?, mutants, build: hasher.finish() })
    }
    /// Counts what became of a mutant of `package`.
    fn count(&self, package: &str, count: impl FnOnce(&mut Tally)) -> Result<()> {
        let path = self.root.join(format!("target/campaigns/logic-packages-{:016x}.json", self.build));
        let mut tallies: BTreeMap<String, Tally> = match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).with_context(|| path.display().to_string())?,
            Err(_) => BTreeMap::new(),
        };
        count(tallies.entry(package.into()).or_default());
        kept::write(&path, &tallies)
    }
    /// What became of `mutant`: the tool's word.
    fn judge(&self, mutant: &Mutant) -> Result<String> {
        let said = tempfile::tempdir()?;
        let mut command = tool(&self.root, self.copy.folder());
        command
            .args(["--in-place", "--baseline=skip", "--timeout", &PATIENCE.to_string(), "--output"])
            .arg(said.path());
        command.args(["-p", &mutant.package, "-F", &pattern(&mutant.name)]);
        // Only the tests of the package, and those that are on this machine.
        command.args(["--", "--lib", "--tests"]).stdout(Stdio::null()).stderr(Stdio::null());
        end_with_us(&mut command);
        command.status().context(TOOL)?;
        let outcomes = said.path().join("mutants.out/outcomes.json");
        let text =
            std::fs::read_to_string(&outcomes).with_context(|| format!("{TOOL} has tried nothing: {}", mutant.name))?;
        let Outcomes { outcomes } = serde_json::from_str(&text).context("what cargo-mutants says")?;
        match &outcomes[..] {
            [one] => Ok(one.summary.clone()),
            _ => bail!("{}: {} mutants are called that", mutant.name, outcomes.len()),
        }
    }
}
/// A regular expression for a mutant's name and no other.
fn pattern(name: &str) -> String {
    let escaped = name.chars().flat_map(|c| "\\.+*?()|[]{}^$#&-~".contains(c).then_some('\\').into_iter().chain([c]));
    format!("^{}$", escaped.collect::<String>())
}
/// The tool, run in `folder`.
fn tool(root: &Path, folder: &Path) -> Command {
    let mut command = Command::new(root.join(TOOLS).join("bin").join(TOOL));
    let cargo = build::cargo(root);
    let environment = cargo.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.arg("mutants").envs(environment).current_dir(folder).stdin(Stdio::null());
    command
}
fn install(root: &Path) -> Result<()> {
    if root.join(TOOLS).join("bin").join(TOOL).exists() {
        return Ok(());
    }
    eprintln!("pebble: building {TOOL} (once; takes minutes)");
    let mut install = build::cargo(root);
    install.args(["install", TOOL, "--version", VERSION, "--locked", "--root"]).arg(root.join(TOOLS));
    let status = fetch::command(root, "crates.io", TOOL, &install).status()?;
    ensure!(status.success(), "{TOOL} could not be built: {status}");
    Ok(())
}
impl Campaign for Logic {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, _: u64, seed: u32, _: u64) -> Result<Ran> {
        let mutant = &self.mutants[seed as usize % self.mutants.len()];
        // What the tool has left changed where it was stopped is as it was.
        self.copy.update(&|_, content| Ok(content))?;
        let became = self.judge(mutant)?;
        eprintln!("\r{became}: {}", mutant.name);
        self.count(&mutant.package, |tally| match became.as_str() {
            "CaughtMutant" => tally.caught += 1,
            "Timeout" => tally.timeout += 1,
            "Unviable" => tally.unviable += 1,
            _ => tally.missed += 1,
        })?;
        let missed = !["CaughtMutant", "Timeout", "Unviable"].contains(&became.as_str());
        let command = format!("{}: {}", mutant.package, mutant.name);
        Ok(Ran { steps: 1, failure: missed.then_some(Failure { command, why: became }) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_pattern_means_one_name() {
        let name = "lib/volume/src/a.rs:3:5: replace <T> as X::f -> Option<u8> with Some(0) || [1]";
        assert_eq!(
            pattern(name),
            "^lib/volume/src/a\\.rs:3:5: replace <T> as X::f \\-> Option<u8> with Some\\(0\\) \\|\\| \\[1\\]$"
        );
    }
    #[test]
    fn the_packages_are_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap();
        assert!(PACKAGES.iter().all(|package| lock.contains(&format!("\nname = \"{package}\"\n"))));
    }
}
