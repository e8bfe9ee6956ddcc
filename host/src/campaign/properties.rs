//! Property tests with cases that the tests of each run do not draw: see the crate `properties`.

use super::{Campaign, Failure, Ran, sources};
use crate::build;
use crate::child::end_with_us;
use anyhow::{Context, Result, ensure};
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// How many times as many cases as usual.
const TIMES: u32 = 20;

pub struct Properties {
    root: PathBuf,
    /// Packages with such tests.
    packages: Vec<String>,
    build: u64,
}
impl Properties {
    pub fn new(root: &Path) -> Result<Properties> {
        let mut hasher = DefaultHasher::new();
        sources::hash(root, &mut hasher)?;
        let packages = packages(root)?;
        ensure!(!packages.is_empty(), "no package has property tests");
        Ok(Properties { root: root.into(), packages, build: hasher.finish() })
    }
}
/// Those that say in their `Cargo.toml` that their tests draw cases as `lib/properties` says.
fn packages(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for file in sources::sources(root)?.into_iter().filter(|file| file.ends_with("Cargo.toml")) {
        let text = std::fs::read_to_string(root.join(&file))?;
        let name = text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        if text.lines().any(|line| line == "properties.workspace = true") {
            found.push(name.with_context(|| format!("{}: no name", file.display()))?.to_string());
        }
    }
    Ok(found)
}
/// What of cargo's output says why: the panic and the least case that fails.
fn why(output: &str) -> String {
    let of_interest = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("stack backtrace");
    let from = output.find("Test failed: ").unwrap_or(0);
    output[from..].lines().filter(of_interest).map(str::trim).take(400).collect::<Vec<_>>().join(" ")
}
impl Campaign for Properties {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, run: u64, seed: u32, _: u64) -> Result<Ran> {
        let package = &self.packages[run as usize % self.packages.len()];
        let mut cargo = build::cargo(&self.root);
        cargo.args(["test", "--quiet", "--tests", "-p", package]).stdin(Stdio::null());
        cargo.env("PEBBLE_PROPERTIES_SEED", seed.to_string()).env("PEBBLE_PROPERTIES_TIMES", TIMES.to_string());
        cargo.env("RUST_BACKTRACE", "0");
        end_with_us(&mut cargo);
        let output = cargo.output().context("cargo could not be started")?;
        let failure = (!output.status.success()).then(|| Failure {
            command: format!(
                "PEBBLE_PROPERTIES_SEED={seed} PEBBLE_PROPERTIES_TIMES={TIMES} cargo test --tests -p {package}"
            ),
            why: why(&[output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat()),
        });
        Ok(Ran { steps: 1, failure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn packages_with_property_tests_are_found() {
        let found = packages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        assert!(["scheduler", "portals", "memory", "portal"].iter().all(|name| found.iter().any(|f| f == name)));
        assert!(!found.iter().any(|name| name == "host"));
    }
    #[test]
    fn the_least_case_that_fails_is_said() {
        let output = "running 1 test\nthread 'a' panicked\nTest failed: left == right.\nminimal failing input: x = [\n    Yield,\n]\n";
        assert_eq!(why(output), "Test failed: left == right. minimal failing input: x = [ Yield, ]");
    }
}
