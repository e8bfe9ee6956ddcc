//! `./pebble test`: host tests, programs on the machine, dialogues with systems.

mod book;
mod debugger;
mod dialogue;
pub mod directives;
mod host;
pub mod hostile;
mod isolation;
mod manifests;
mod piped;
mod pool;
mod ports;
mod programs;
mod services;
mod session;
mod systems;
mod target;
mod webconsole;

use anyhow::{Result, bail};
use pool::Job;
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

/// Whether a test is to be run, by its name.
type Wanted<'a> = &'a dyn Fn(&str) -> bool;
/// A test that has a function of its own, and its name in its group.
type Own = (&'static str, fn(&Path) -> Result<()>);
/// Those of a group that are wanted.
fn own<'a>(group: &str, tests: &'a [Own], root: &'a Path, wanted: Wanted) -> Vec<Job<'a>> {
    let named = tests.iter().map(|(name, test)| (format!("{group}::{name}"), test));
    named.filter(|(name, _)| wanted(name)).map(|(name, test)| Job::of(name, || test(root))).collect()
}

/// The wanted tests of a folder of `tests`: one for each file with one of these endings, which `test` is given.
fn files<'a>(
    root: &'a Path,
    folder: &str,
    endings: &[&str],
    wanted: Wanted,
    test: fn(&Path, &Path) -> Result<()>,
) -> Result<Vec<Job<'a>>> {
    let paths = crate::build::files(&root.join("tests").join(folder), endings)?;
    let named = paths
        .into_iter()
        .map(|path| (format!("{folder}::{}", path.file_stem().unwrap_or_default().to_string_lossy()), path));
    Ok(named.filter(|(name, _)| wanted(name)).map(|(name, path)| Job::of(name, move || test(root, &path))).collect())
}

/// The benchmark programs, held against the committed counts.
fn benchmarks<'a>(root: &'a Path, wanted: Wanted) -> Vec<Job<'a>> {
    let named = crate::bench::programs().iter().map(|program| (format!("bench::{program}"), program));
    named
        .filter(|(name, _)| wanted(name))
        .map(|(name, program)| Job::of(name, || crate::bench::check(root, program)))
        .collect()
}

/// A database whose untrusted functions are kept apart in each way: all answer the same.
const SEQUOIA: &[Own] = &[("sequoia_answers_the_same_in_each_isolation", crate::bench::sequoia::check)];

/// Programs of others, as components and as fault domains: they must have the same results. Those that have a port, whose sources are there.
fn suite<'a>(root: &'a Path, wanted: Wanted) -> Vec<Job<'a>> {
    let named = ["cjson", "lua"].map(|program| (format!("sfi::suite_{program}_has_the_same_results"), program));
    named
        .into_iter()
        .filter(|(name, _)| wanted(name))
        .map(|(name, program)| Job::of(name, || crate::bench::suite::compare(root, program)))
        .collect()
}

/// That the picture in the README shows the system.
const PICTURE: &[Own] = &[("the_committed_picture_is_the_default_system", crate::graph::compare)];

/// Groups of tests that run on the machine.
const ON_THE_MACHINE: &[&str] = &[
    "target",
    "sfi",
    "sfi_files",
    "sfi_zba",
    "sfi_top",
    "session",
    "piped",
    "programs",
    "ports",
    "manifests",
    "services",
    "webconsole",
    "book",
    "bench",
    "isolation",
    "hostile",
    "debugger",
];

/// Whether `filter` can only mean tests on the machine, so that those of this one need not be built.
fn on_the_machine_only(filter: &str) -> bool {
    filter.split_once("::").is_some_and(|(group, _)| ON_THE_MACHINE.contains(&group))
}

/// Runs all tests whose names contain `filter`.
pub fn run(root: &Path, filter: Option<&str>) -> Result<ExitCode> {
    let wanted = |name: &str| filter.is_none_or(|f| name.contains(f));
    let mut verdicts = if filter.is_some_and(on_the_machine_only) { Vec::new() } else { host::run(root, &wanted)? };
    // The longest first, so that none runs alone at the end.
    let mut building = services::jobs(root, &wanted);
    building.extend(webconsole::jobs(root, &wanted));
    building.extend(suite(root, &wanted));
    building.extend(isolation::job(root, &wanted)?);
    let mut jobs = target::jobs(root, &wanted)?;
    jobs.extend(debugger::jobs(root, &wanted)?);
    jobs.extend(session::jobs(root, &wanted)?);
    jobs.extend(piped::jobs(root, &wanted));
    jobs.extend(ports::jobs(root, &wanted)?);
    jobs.extend(programs::jobs(root, &wanted));
    jobs.extend(benchmarks(root, &wanted));
    jobs.extend(own("sfi", SEQUOIA, root, &wanted));
    jobs.extend(own("graph", PICTURE, root, &wanted));
    jobs.extend(book::jobs(root, &wanted)?);
    jobs.extend(manifests::jobs(root, &wanted)?);
    jobs.extend(systems::jobs(root, &wanted)?);
    verdicts.extend(pool::run(building, jobs));
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
