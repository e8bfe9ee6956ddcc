//! Tests that run on this machine: cargo's.

use super::Verdict;
use crate::build;
use anyhow::{Context, Result};
use std::path::Path;

/// One package's tests: its name, and further arguments for cargo.
fn packages(root: &Path) -> Result<Vec<(String, bool)>> {
    let mut found = Vec::new();
    for folder in ["lib", "servers", "drivers", "services", "apps"] {
        let Ok(entries) = std::fs::read_dir(root.join(folder)) else { continue };
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_string();
            // The SDK and its executor are for the machine only.
            if !["pebble", "executor"].contains(&name.as_str())
                && path.join("Cargo.toml").exists()
                && path.join("src/lib.rs").exists()
            {
                found.push((name, folder != "lib"));
            }
        }
    }
    found.extend(["host", "rewriter", "strict"].map(|name| (name.into(), false)));
    found.sort();
    Ok(found)
}

pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    let (logic, whole): (Vec<_>, Vec<_>) = packages(root)?.into_iter().partition(|p| p.1);
    for (packages, library_only) in [(whole, false), (logic, true)] {
        let mut command = build::cargo(root);
        command.args(["test", "--no-fail-fast"]);
        packages.iter().for_each(|(name, _)| {
            command.args(["-p", name]);
        });
        if library_only {
            command.arg("--lib");
        }
        let output = command.output().context("cargo could not be started")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        let found = parse(&text, &errors);
        // Not built, or a test ended its whole process.
        if !output.status.success() && found.iter().all(|v| v.failure.is_none()) {
            let failure = Some(
                errors.lines().rev().take(20).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n"),
            );
            verdicts.push(Verdict { name: "host tests are built and run to their end".into(), failure, seconds: 0.0 });
        }
        verdicts.extend(found.into_iter().filter(|v| wanted(&v.name)));
    }
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
        let failure = (result == "FAILED").then(|| {
            let report = text.split(&format!("---- {name} stdout ----")).nth(1).unwrap_or("");
            report.lines().filter(|l| !l.trim().is_empty()).take(6).collect::<Vec<_>>().join("\n")
        });
        if result == "ok" || failure.is_some() {
            verdicts.push(Verdict { name: format!("{current}::{name}"), failure, seconds: 0.0 });
        }
    }
    verdicts
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn cargos_lines_are_read() {
        let text = "running 2 tests\ntest a::b ... ok\ntest c ... FAILED\n\n---- c stdout ----\nboom\n";
        let found = parse(text, "     Running unittests src/lib.rs (target/debug/deps/abi-0123)\n");
        assert_eq!(
            found.iter().map(|v| (v.name.as_str(), v.failure.is_some())).collect::<Vec<_>>(),
            [("abi::a::b", false), ("abi::c", true)]
        );
    }
}
