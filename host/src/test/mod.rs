//! `./pebble test`: host tests, programs on the machine, dialogues with systems.

mod debugger;
mod directives;
mod host;
mod hostile;
mod isolation;
mod manifests;
mod piped;
mod ports;
mod programs;
mod services;
mod session;
mod target;
mod webconsole;

use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// What became of one test.
pub struct Verdict {
    pub name: String,
    /// Why it failed.
    pub failure: Option<String>,
    pub seconds: f64,
}
impl Verdict {
    /// Runs a test, and says what became of it.
    fn of(name: String, test: impl FnOnce() -> Result<()>) -> Verdict {
        let start = Instant::now();
        let failure = test().err().map(|error| format!("{error:#}"));
        let verdict = Verdict { name, failure, seconds: start.elapsed().as_secs_f64() };
        verdict.print();
        verdict
    }
    /// Says it, as soon as it is known.
    fn print(&self) {
        match &self.failure {
            None => println!("ok   {} ({:.1} s)", self.name, self.seconds),
            Some(why) => println!("FAIL {}: {}", self.name, why.trim_end().replace('\n', "\n     ")),
        }
    }
}

/// A test that has a function of its own, and its name in its group.
type Own = (&'static str, fn(&Path) -> Result<()>);
/// Runs those of a group that are wanted.
fn own(group: &str, tests: &[Own], root: &Path, wanted: &dyn Fn(&str) -> bool) -> Vec<Verdict> {
    let named = tests.iter().map(|(name, test)| (format!("{group}::{name}"), test));
    named.filter(|(name, _)| wanted(name)).map(|(name, test)| Verdict::of(name, || test(root))).collect()
}

/// The benchmark programs, held against the committed counts.
fn benchmarks(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Vec<Verdict> {
    let named = crate::bench::programs().iter().map(|program| (format!("bench::{program}"), program));
    named
        .filter(|(name, _)| wanted(name))
        .map(|(name, program)| Verdict::of(name, || crate::bench::check(root, program)))
        .collect()
}

/// Programs of others, as components and as fault domains: they must have the same results. Those that have a port, whose sources are there.
fn suite(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for program in ["cjson", "lua"] {
        let name = format!("sfi::suite_{program}_has_the_same_results");
        if wanted(&name) {
            let start = std::time::Instant::now();
            let failure = crate::bench::suite::compare(root, program).err().map(|e| format!("{e:#}"));
            let verdict = Verdict { name, failure, seconds: start.elapsed().as_secs_f64() };
            verdict.print();
            verdicts.push(verdict);
        }
    }
    verdicts
}

/// That the picture in the README shows the system.
fn picture(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Option<Verdict> {
    let name = "graph::the_committed_picture_is_the_default_system".to_string();
    wanted(&name).then(|| Verdict::of(name, || crate::graph::compare(root)))
}

/// Groups of tests that run on the machine.
const ON_THE_MACHINE: &[&str] = &[
    "target",
    "sfi",
    "session",
    "piped",
    "programs",
    "ports",
    "manifests",
    "services",
    "webconsole",
    "bench",
    "isolation",
    "hostile",
];

/// Whether `filter` can only mean tests on the machine, so that those of this one need not be built.
fn on_the_machine_only(filter: &str) -> bool {
    filter.split_once("::").is_some_and(|(group, _)| ON_THE_MACHINE.contains(&group))
}

/// Runs all tests whose names contain `filter`.
pub fn run(root: &Path, filter: Option<&str>) -> Result<ExitCode> {
    let wanted = |name: &str| filter.is_none_or(|f| name.contains(f));
    let mut verdicts = if filter.is_some_and(on_the_machine_only) { Vec::new() } else { host::run(root, &wanted)? };
    verdicts.extend(isolation::run(root, &wanted)?);
    verdicts.extend(picture(root, &wanted));
    verdicts.extend(target::run(root, &wanted)?);
    verdicts.extend(suite(root, &wanted));
    verdicts.extend(session::run(root, &wanted)?);
    verdicts.extend(piped::run(root, &wanted));
    verdicts.extend(manifests::run(root, &wanted)?);
    verdicts.extend(ports::run(root, &wanted)?);
    verdicts.extend(programs::run(root, &wanted));
    verdicts.extend(services::run(root, &wanted));
    verdicts.extend(webconsole::run(root, &wanted));
    verdicts.extend(debugger::run(root, &wanted)?);
    verdicts.extend(benchmarks(root, &wanted));
    if verdicts.is_empty() {
        bail!("no test's name contains \"{}\"", filter.unwrap_or(""));
    }
    let failed: Vec<&Verdict> = verdicts.iter().filter(|v| v.failure.is_some()).collect();
    if !failed.is_empty() {
        println!("\nfailed:");
        failed.iter().for_each(|v| println!("  {}", v.name));
    }
    println!("\n{} passed, {} failed", verdicts.len() - failed.len(), failed.len());
    Ok(ExitCode::from(!failed.is_empty() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn host_tests_are_built_where_the_filter_may_mean_one() {
        assert!(on_the_machine_only("target::edead") && on_the_machine_only("session::"));
        assert!(
            !on_the_machine_only("edead")
                && !on_the_machine_only("console_logic::line")
                && !on_the_machine_only("target")
        );
    }
}
