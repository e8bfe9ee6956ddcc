//! Programs in `tests/target`: each boots a system, runs, and must do what its directives say. Those in `tests/hostile` do so in
//! several ways.

use super::directives::{self, Directives};
use super::{Job, Wanted, hostile};
use crate::connection::Connection;
use crate::exec::{self, Isolation, On, Options};
use crate::qemu::{self, Console, Outcome};
use crate::strict_machine;
use anyhow::{Context, Result, bail};
use image::Image;
use manifest::Form;
use std::path::{Path, PathBuf};
use std::time::Duration;

struct Test {
    name: String,
    path: PathBuf,
    directives: Result<Directives>,
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
    "bytes_rust",
    "capabilities_rust",
    "clock_alarm",
    "directories_rust",
    "directories_rust_errors",
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
    "files_rust",
    "files_rust_cross_pages",
    "files_rust_errors",
    "files_rust_standard_input",
    "files_status",
    "hello",
    "main_returns_3",
    "malloc_many_free_blocks",
    "sleep_is_not_short",
    "standard_streams_closed",
    "standard_streams_reopened",
    "streams_of_the_other_direction",
    "threads_and_channels",
];
/// Those that also run in the other two forms, with loads kept in: files, the heap, the start block and Rust.
const OTHER_FORMS: &[&str] = &["arguments", "directories_rust", "files_large", "hello", "malloc_many_free_blocks"];
/// Those that also run where the files that they use are a fault domain's.
const WITH_CONFINED_FILES: &[&str] = &[
    "ebusy_files",
    "files",
    "files_directories",
    "files_dup",
    "files_errors",
    "files_large",
    "files_pipe_readers",
    "files_rename",
    "mapped_files",
    "posix_files",
];
/// A program as a fault domain, or beside one, if it is one of those.
fn hosted(test: &Test) -> Vec<Test> {
    let named = |names: &[&str]| test.name.strip_prefix("target::").filter(|name| names.contains(name));
    let Ok(directives) = &test.directives else { return Vec::new() };
    let as_it = |name: String, directives| Test { name, path: test.path.clone(), directives: Ok(directives) };
    let sfi = Directives { isolation: Isolation::Sfi, ..directives.clone() };
    let form = |form| Directives { form, loads: true, ..sfi.clone() };
    let forms = [("sfi_zba", form(Form::Zba)), ("sfi_top", form(Form::Top))];
    let others = named(OTHER_FORMS).map(|name| forms.map(|(form, d)| as_it(format!("{form}::{name}"), d)));
    let masked = named(HOSTED).map(|name| as_it(format!("sfi::{name}"), sfi));
    let confined = named(WITH_CONFINED_FILES).map(|name| {
        let directives = Directives { system: "exec-confined".into(), ..directives.clone() };
        as_it(format!("sfi_files::{name}"), directives)
    });
    masked.into_iter().chain(confined).chain(others.into_iter().flatten()).collect()
}

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Result<Vec<Job<'a>>> {
    let mut tests = programs(root, "target")?;
    tests.extend(tests.iter().flat_map(hosted).collect::<Vec<_>>());
    tests.extend(programs(root, "hostile")?.into_iter().flat_map(each_way));
    tests.retain(|test| wanted(&test.name));
    let job = |test: Test| Job::of_file(test.name.clone(), test.path.clone(), move || judge(root, test));
    Ok(tests.into_iter().map(job).collect())
}

/// What `exec` is told of the program in this file.
pub fn options(path: &Path, d: &Directives) -> Options {
    Options {
        system: d.system.clone(),
        timeout: Some(d.timeout),
        memory: d.memory,
        icount: d.icount,
        on: d.on,
        isolation: d.isolation,
        host: d.host.clone(),
        loads: d.loads,
        matching: d.matching,
        form: d.form,
        slices: d.slices,
        file_name: path.to_path_buf(),
        arguments: d.arguments.clone(),
        ..Options::default()
    }
}
/// Those of `tests/target` that try a sample of what they are for, each with all of it: what it is called, and its run. For a campaign.
pub fn whole(root: &Path) -> Result<Vec<Whole<'_>>> {
    let all = programs(root, "target")?.into_iter();
    let sampled = all.filter(|test| test.directives.as_ref().is_ok_and(|d| d.sample.is_some()));
    let run = |path: &Path| {
        let d = directives::parse(&std::fs::read_to_string(path)?)?.sampled(1);
        let d = Directives { timeout: d.timeout * WHOLE, ..d };
        check(&d, &outcome(root, path, &d)?)
    };
    Ok(sampled.map(|test| (test.path.display().to_string(), Box::new(move || run(&test.path)) as _)).collect())
}
/// One of [`whole`].
pub type Whole<'a> = (String, Box<dyn Fn() -> Result<()> + 'a>);
/// How much longer one of them may take that tries all.
const WHOLE: f64 = 10.0;

/// Runs a test; an error says how it failed.
fn judge(root: &Path, test: Test) -> Result<()> {
    let d = test.directives?;
    let d = match d.sample {
        Some(share) => d.sampled(share),
        None => d,
    };
    let outcome = outcome(root, &test.path, &d)?;
    check(&d, &outcome)?;
    let Some(other) = &d.same_output else { return Ok(()) };
    let path = root.join("tests/target").join(other).with_extension("c");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    if outcome.heard.output != self::outcome(root, &path, &directives::parse(&text)?)?.heard.output {
        bail!("its output is not that of {other}");
    }
    Ok(())
}
/// By how much a machine may be slower than those on which the programs' limits were found. It costs time only where a program hangs.
const SLOWER: f64 = 4.0;
/// What comes of the program in this file.
fn outcome(root: &Path, path: &Path, d: &Directives) -> Result<Outcome> {
    let options = options(path, d);
    run(&exec::program_image(root, &options, Connection::Serial)?, &options, d)
}
/// What comes of an image on the machine that the options name.
pub fn run(image: &Image, options: &Options, d: &Directives) -> Result<Outcome> {
    let mut machine = exec::machine(options)?;
    let most = if d.status == exec::TIMED_OUT { d.timeout } else { d.timeout * SLOWER };
    machine.timeout = Some(Duration::from_secs_f64(most));
    let console = Console::Captured(Some(d.stdin.clone().unwrap_or_default().into_bytes()));
    match options.on {
        On::Strict => strict_machine::run(image, &machine, strict_machine::settings(options.slices), console),
        _ => qemu::run(image, &machine, console),
    }
}
/// Whether the outcome is what the directives say.
pub fn check(d: &Directives, outcome: &Outcome) -> Result<()> {
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
        // One that waits for what does not come computes nothing; one that needs longer does.
        let computed = outcome.computed.map(|s| format!(" (it computed for {s:.0} s)")).unwrap_or_default();
        bail!("status {status}{computed}, not {}\n{context}", d.status);
    }
    if let Some(line) = directives::missing(&output, &d.stdout) {
        bail!("no line \"{line}\"\n{context}");
    }
    if let Some(part) = d.stderr.iter().find(|p| !log.contains(p.as_str())) {
        bail!("standard error lacks \"{part}\"\n{context}");
    }
    if let Some(bytes) = d.output_bytes.filter(|b| *b != outcome.heard.output.len()) {
        bail!("{} bytes of output, not {bytes}", outcome.heard.output.len());
    }
    Ok(())
}
