//! Tests that run on this machine: cargo's.

use super::Verdict;
use crate::{build, progress};
use anyhow::Result;
use std::path::Path;
use std::process::Stdio;

/// The tests of the workspace's default members.
pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Verdict>> {
    let what = "building and running the tests of this machine (the first time takes minutes)";
    let output = progress::during(what, || {
        let mut cargo = build::cargo(root);
        // Each test says how long it has taken, which is unstable.
        cargo.args(["test", "--no-fail-fast", "--tests", "--", "-Zunstable-options", "--report-time"]);
        build::run_cargo(root, cargo.stdout(Stdio::piped()).stderr(Stdio::piped()))
    })?;
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let mut verdicts = parse(&text, &errors);
    // Not built, or a test ended its whole process.
    if !output.status.success() && verdicts.iter().all(|v| v.failure.is_none()) {
        let mut last: Vec<&str> = errors.lines().rev().take(20).collect();
        last.reverse();
        let name = "host tests are built and run to their end".into();
        verdicts.push(Verdict { name, failure: Some(last.join("\n")), seconds: 0.0 });
    }
    verdicts.retain(|v| wanted(&v.name));
    verdicts.iter().filter(|v| v.failure.is_some()).for_each(Verdict::print);
    println!("{} host tests", verdicts.len());
    Ok(verdicts)
}
/// Reads `test NAME ... ok` lines, which cargo prints for each test, and the reports of those that failed.
fn parse(text: &str, errors: &str) -> Vec<Verdict> {
    let crates: Vec<&str> =
        errors.lines().filter_map(|l| l.trim().strip_prefix("Running ")?.rsplit_once("deps/").map(|p| p.1)).collect();
    let mut crates = crates.into_iter().map(|c| c.trim_end_matches(')').rsplit_once('-').map_or(c, |p| p.0));
    let mut current = "";
    let mut verdicts = Vec::new();
    for line in text.lines() {
        if line.starts_with("running ") {
            current = crates.next().unwrap_or("doc");
        }
        let Some((name, result)) = line.strip_prefix("test ").and_then(|l| l.rsplit_once(" ... ")) else { continue };
        let (result, time) = result.split_once(' ').unwrap_or((result, ""));
        let seconds = time.trim_matches(['<', '>', 's']).parse().unwrap_or(0.0);
        let failure = (result == "FAILED").then(|| {
            let report = text.split(&format!("---- {name} stdout ----")).nth(1).unwrap_or("");
            report.lines().filter(|l| !l.trim().is_empty()).take(6).collect::<Vec<_>>().join("\n")
        });
        if result == "ok" || failure.is_some() {
            verdicts.push(Verdict { name: format!("{current}::{name}"), failure, seconds });
        }
    }
    verdicts
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
    fn cargos_lines_are_read() {
        let text = "running 2 tests\ntest a::b ... ok <1.250s>\ntest c ... FAILED\n\n---- c stdout ----\nboom\n";
        let found = parse(text, "     Running unittests src/lib.rs (target/debug/deps/abi-0123)\n");
        assert_eq!(
            found.iter().map(|v| (v.name.as_str(), v.failure.is_some(), v.seconds)).collect::<Vec<_>>(),
            [("abi::a::b", false, 1.25), ("abi::c", true, 0.0)]
        );
    }
}
