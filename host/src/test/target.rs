//! Programs in `tests/target`: each boots a system, runs, and must do what its directives say. Those in `tests/hostile` do so in
//! several ways.

use super::directives::{self, Directives};
use super::{Verdict, hostile};
use crate::exec::{self, Isolation, On, Options};
use crate::qemu::{self, Console, Outcome};
use crate::strict_machine;
use anyhow::Result;
use image::Image;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Machines that run at one time.
const MACHINES: usize = 2;

struct Test {
    name: String,
    path: PathBuf,
    directives: Result<Directives>,
}

impl Test {
    /// The test whose output its own must be.
    fn same_output(&self) -> Option<String> {
        self.directives.as_ref().ok()?.same_output.as_ref().map(|other| format!("target::{other}"))
    }
}

/// The programs in `folder` of the tests, in the order of their names, and what they say of themselves.
fn programs(root: &Path, folder: &str) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for path in crate::build::files(&root.join("tests").join(folder), &["c", "rs"])? {
        let name = format!("{folder}::{}", path.file_stem().and_then(|s| s.to_str()).unwrap_or(""));
        let directives = directives::parse(&std::fs::read_to_string(&path)?);
        tests.push(Test { name, path, directives });
    }
    Ok(tests)
}
/// A hostile program, once for each way that it is run.
fn each_way(test: Test) -> Vec<Test> {
    let ways = test.directives.and_then(|directives| hostile::ways(&test.name, &directives));
    match ways {
        Ok(ways) => ways
            .into_iter()
            .map(|(way, d)| Test { name: format!("{}@{way}", test.name), path: test.path.clone(), directives: Ok(d) })
            .collect(),
        Err(error) => vec![Test { directives: Err(error), ..test }],
    }
}

/// Programs of `target` that run as software fault domains too: what they say of themselves holds there as well.
const HOSTED: &[&str] = &[
    "arguments",
    "clock_alarm",
    "ebadf_and_enotty_files",
    "eexist_files",
    "einval_files",
    "eisdir_files",
    "enoent_files",
    "enotdir_files",
    "exit_7",
    "files",
    "files_close_among_many",
    "files_directories",
    "files_errors",
    "files_large",
    "files_read_crosses_pages",
    "files_rename",
    "files_status",
    "hello",
    "main_returns_3",
    "malloc_many_free_blocks",
    "sleep_is_not_short",
];
/// A program as a fault domain, if it is one of those.
fn hosted(test: &Test) -> Option<Test> {
    let name = test.name.strip_prefix("target::").filter(|name| HOSTED.contains(name))?;
    let directives = test.directives.as_ref().ok()?;
    let directives = Directives { isolation: Isolation::Sfi, ..directives.clone() };
    Some(Test { name: format!("sfi::{name}"), path: test.path.clone(), directives: Ok(directives) })
}

pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Verdict>> {
    let mut tests = programs(root, "target")?;
    tests.extend(tests.iter().filter_map(hosted).collect::<Vec<_>>());
    tests.extend(programs(root, "hostile")?.into_iter().flat_map(each_way));
    // With a test goes the one whose output it must have.
    let compared: Vec<String> = tests.iter().filter(|t| wanted(&t.name)).filter_map(Test::same_output).collect();
    tests.retain(|t| wanted(&t.name) || compared.contains(&t.name));
    let outputs = Mutex::new(HashMap::new());
    let verdicts = Mutex::new(Vec::new());
    let next = Mutex::new(tests.iter());
    // Building is not parallel: cargo would wait for itself anyway.
    let building = Mutex::new(());
    std::thread::scope(|scope| {
        for _ in 0..MACHINES {
            scope.spawn(|| {
                loop {
                    let Some(test) = next.lock().unwrap().next() else { break };
                    let start = Instant::now();
                    let failure = match &test.directives {
                        Ok(d) => judge(root, test, d, &building, &outputs).err().map(|e| format!("{e:#}")),
                        Err(error) => Some(format!("{error:#}")),
                    };
                    let verdict = Verdict { name: test.name.clone(), failure, seconds: start.elapsed().as_secs_f64() };
                    verdict.print();
                    verdicts.lock().unwrap().push(verdict);
                }
            });
        }
    });
    let mut verdicts = verdicts.into_inner().unwrap();
    let outputs = outputs.into_inner().unwrap();
    for test in &tests {
        let Some(other) = test.same_output() else { continue };
        if outputs.get(&test.name) != outputs.get(&other)
            && let Some(verdict) = verdicts.iter_mut().find(|v| v.name == test.name && v.failure.is_none())
        {
            verdict.failure = Some(format!("its output is not that of {other}"));
            verdict.print();
        }
    }
    Ok(verdicts)
}

fn options(path: &Path, d: &Directives) -> Options {
    Options {
        system: d.system.clone(),
        timeout: Some(d.timeout),
        memory: d.memory,
        icount: d.icount,
        on: d.on,
        isolation: d.isolation,
        host: d.host.clone(),
        loads: d.loads,
        slices: d.slices,
        file_name: path.to_path_buf(),
        arguments: d.arguments.clone(),
        ..Options::default()
    }
}
/// Runs a test; an error says how it failed.
fn judge(
    root: &Path,
    test: &Test,
    d: &Directives,
    building: &Mutex<()>,
    outputs: &Mutex<HashMap<String, Vec<u8>>>,
) -> Result<()> {
    let options = options(&test.path, d);
    let image: Image = {
        let _building = building.lock().unwrap();
        exec::program_image(root, &options, false)?
    };
    let mut machine = exec::machine(&options)?;
    machine.timeout = Some(Duration::from_secs_f64(d.timeout));
    let input = d.stdin.clone().unwrap_or_default().into_bytes();
    let console = Console::Captured(Some(input));
    let outcome = match options.on {
        On::Strict => strict_machine::run(&image, &machine, strict_machine::settings(&options), console)?,
        _ => qemu::run(&image, &machine, console)?,
    };
    outputs.lock().unwrap().insert(test.name.clone(), outcome.heard.output.clone());
    check(d, &outcome)
}
fn check(d: &Directives, outcome: &Outcome) -> Result<()> {
    let status = exec::status(outcome, true);
    let output = String::from_utf8_lossy(&outcome.heard.output);
    let errors = String::from_utf8_lossy(&outcome.heard.errors);
    let log = format!("{errors}{}", outcome.log.as_ref().map_or("", |l| l.text.as_str()));
    let firmware = String::from_utf8_lossy(&outcome.heard.firmware);
    let tail: Vec<&str> = output.lines().rev().take(12).collect();
    let tail: Vec<&str> = tail.into_iter().rev().collect();
    let breach = outcome.breach.as_deref().unwrap_or("");
    let context = format!("output:\n{}\n{firmware}log:\n{log}{breach}", tail.join("\n"));
    if status != d.status {
        anyhow::bail!("status {status}, not {}\n{context}", d.status);
    }
    if let Some(line) = directives::missing(&output, &d.stdout) {
        anyhow::bail!("no line \"{line}\"\n{context}");
    }
    if let Some(part) = d.stderr.iter().find(|p| !log.contains(p.as_str())) {
        anyhow::bail!("standard error lacks \"{part}\"\n{context}");
    }
    if let Some(bytes) = d.output_bytes.filter(|b| *b != outcome.heard.output.len()) {
        anyhow::bail!("{} bytes of output, not {bytes}", outcome.heard.output.len());
    }
    Ok(())
}
