//! `./pebble test`: host tests, programs on the machine, dialogues with systems.

mod book;
mod debugger;
mod dialogue;
pub mod directives;
mod heard;
mod host;
pub mod hostile;
mod isolation;
mod linked;
mod manifests;
mod passed;
mod piped;
mod pool;
mod ports;
mod programs;
mod report;
mod services;
mod session;
mod systems;
pub mod target;
mod webconsole;

use crate::inputs::Inputs;
use anyhow::{Context, Result, bail};
use passed::Passed;
use pool::Job;
use report::Report;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Instant, SystemTime};

/// What became of one test.
pub struct Verdict {
    pub name: String,
    /// Why it failed.
    pub failure: Option<String>,
    pub seconds: f64,
    /// What it was made of, as far as that was noted.
    pub inputs: Inputs,
}
impl Verdict {
    /// Runs a test, and says what became of it.
    fn of(name: String, test: impl FnOnce() -> Result<()>) -> Verdict {
        let start = Instant::now();
        let failure = test().err().map(|error| format!("{error:#}"));
        let verdict = Verdict { name, failure, seconds: start.elapsed().as_secs_f64(), inputs: Inputs::new() };
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
    let job = |(name, path): (String, PathBuf)| Job::of_file(name, path.clone(), move || test(root, &path));
    Ok(named.filter(|(name, _)| wanted(name)).map(job).collect())
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

/// What the strict machine is held against.
const STRICT: &[Own] = &[
    ("each_fence_that_is_left_out_is_noticed", crate::campaign::fences::each_is_noticed),
    ("faults_that_are_injected_are_survived", crate::campaign::faults::are_survived),
];

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
    "linked",
    "hostile",
    "debugger",
    "strict",
];

/// Whether `filter` can only mean tests on the machine, so that those of this one need not be built.
fn on_the_machine_only(filter: &str) -> bool {
    filter.split_once("::").is_some_and(|(group, _)| ON_THE_MACHINE.contains(&group))
}

/// What is to be run, and told of it.
#[derive(clap::Args)]
pub struct Options {
    /// Only those whose names contain this
    filter: Option<String>,
    /// Leave out those that have passed and of which nothing has changed since: not they themselves, not a component of their system, not the tool
    #[arg(long, conflicts_with_all = ["slowest", "report"])]
    changed: bool,
    /// Run none, and show the N that took longest when each was last run
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "20", conflicts_with = "filter")]
    slowest: Option<usize>,
    /// Write what was passed and failed, of which tree, and the seconds of each part, as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["filter", "slowest"])]
    report: Option<PathBuf>,
    /// What was run before, for the report
    #[arg(long, value_name = "NAME=SECONDS", requires = "report", value_parser = part)]
    part: Vec<(String, f64)>,
}
/// The name and the seconds of a part.
fn part(text: &str) -> Result<(String, f64)> {
    let (name, seconds) = text.split_once('=').context("it is not NAME=SECONDS")?;
    Ok((name.into(), seconds.parse().with_context(|| format!("\"{seconds}\" is no number of seconds"))?))
}

/// Runs all tests that are wanted.
pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    if let Some(count) = options.slowest {
        return report::show_slowest(root, count).map(|()| ExitCode::SUCCESS);
    }
    let report = options.report.as_ref().map(|file| Report::begin(root, file)).transpose()?;
    let mut parts = options.part.clone();
    let filter = options.filter.as_deref();
    let named = |name: &str| filter.is_none_or(|f| name.contains(f));
    let (passed, left_out) = (options.changed.then(|| Passed::read(root)), Cell::new(0));
    let changed = |name: &str| {
        let unchanged = passed.as_ref().map_or(0, |passed| passed.unchanged(name));
        left_out.update(|count| count + unchanged);
        unchanged == 0
    };
    let wanted = |name: &str| named(name) && changed(name);
    let (began, start) = (SystemTime::now(), Instant::now());
    let mut verdicts =
        if filter.is_some_and(on_the_machine_only) { Vec::new() } else { host::run(root, &named, &changed)? };
    parts.push(("tests of this machine".into(), start.elapsed().as_secs_f64()));
    let start = Instant::now();
    let (building, jobs) = on_the_machine(root, &wanted)?;
    verdicts.extend(pool::run(building, jobs));
    parts.push(("tests on the machine".into(), start.elapsed().as_secs_f64()));
    if verdicts.is_empty() && left_out.get() == 0 {
        bail!("no test's name contains \"{}\"", filter.unwrap_or(""));
    }
    let all = filter.is_none() && !options.changed;
    report::keep(root, &verdicts, all)?;
    passed::keep(root, began, &verdicts, all)?;
    if let Some(report) = report {
        report.write(&parts, &verdicts)?;
    }
    let failed: Vec<&Verdict> = verdicts.iter().filter(|v| v.failure.is_some()).collect();
    if !failed.is_empty() {
        println!("\nfailed:");
        failed.iter().for_each(|v| println!("  {}", v.name));
    }
    println!("\n{} passed, {} failed", verdicts.len() - failed.len(), failed.len());
    if options.changed {
        println!("{} left out: they have passed, and nothing that they are made of has changed since", left_out.get());
    }
    Ok(ExitCode::from(!failed.is_empty() as u8))
}
/// The tests on the machine that are wanted: those that first build for long, so that none of them runs alone at the end, and the rest.
fn on_the_machine<'a>(root: &'a Path, wanted: Wanted) -> Result<(Vec<Job<'a>>, Vec<Job<'a>>)> {
    let mut building = services::jobs(root, wanted);
    building.extend(webconsole::jobs(root, wanted));
    building.extend(suite(root, wanted));
    building.extend(isolation::job(root, wanted)?);
    let mut jobs = target::jobs(root, wanted)?;
    jobs.extend(debugger::jobs(root, wanted)?);
    jobs.extend(session::jobs(root, wanted)?);
    jobs.extend(piped::jobs(root, wanted));
    jobs.extend(ports::jobs(root, wanted)?);
    jobs.extend(programs::jobs(root, wanted));
    jobs.extend(linked::jobs(root, wanted)?);
    jobs.extend(benchmarks(root, wanted));
    jobs.extend(own("sfi", SEQUOIA, root, wanted));
    jobs.extend(own("strict", STRICT, root, wanted));
    jobs.extend(own("graph", PICTURE, root, wanted));
    jobs.extend(book::jobs(root, wanted)?);
    jobs.extend(manifests::jobs(root, wanted)?);
    jobs.extend(systems::jobs(root, wanted)?);
    Ok((building, jobs))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_part_is_a_name_and_seconds() {
        assert_eq!(part("check=12.5").unwrap(), ("check".into(), 12.5));
        assert!(part("check").is_err() && part("check=soon").unwrap_err().to_string().contains("soon"));
    }
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
