//! `./pebble bench`: the measurements of the papers on Pebble itself, beside those of others.

mod compare;
mod explain;
mod figures;
mod footprint;
mod isolation;
mod masked;
mod page;
mod patches;
mod plot;
mod query;
pub mod row;
pub mod sequoia;
mod services;
pub mod suite;
mod table;

use crate::connection::Connection;
use crate::qemu::{self, Console, Machine};
use crate::{exec, linux, rtl};
use anyhow::{Context, Result, bail};
use row::Row;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub struct Options {
    /// Only this program of apps/bench (ipc, switch, pipe, generate, latency, sandbox, peers, maximum, protection), "footprint", "services",
    /// "isolation": one component in each isolation, "sfi": what fault domains cost programs of others, "patches": three ways to switch between domains of protection, on the model, or "sequoia": what a database's untrusted functions cost in each isolation
    what: Option<String>,
    /// Of "sfi": only this program of apps/bench/suite; may be given several times
    #[arg(long, value_name = "NAME")]
    program: Vec<String>,
    /// Where: instructions on QEMU, or cycles on the model of the core CVA6
    #[arg(long, value_enum, default_value_t = exec::On::Qemu)]
    on: exec::On,
    /// Cycles that the model's memory takes; may be given several times. Without it: those that the model's core is measured with
    #[arg(long, value_name = "READ/WRITE", value_parser = rtl::Latencies::parse)]
    latency: Vec<rtl::Latencies>,
    /// The model's core: a file of rtl/machines
    #[arg(long, value_name = "MACHINE", default_value = rtl::Machine::USUAL)]
    core: String,
    /// Measure Linux as well, on the same QEMU: as Debian ships it, or in a minimal configuration that is built first
    #[arg(long, value_parser = ["linux", "linux-tiny"])]
    peer: Vec<String>,
    /// List the instructions of one call, with their cycles on the model: a call with this specification, another operation, or
    /// from the timer's interrupt to the thread that it wakes
    #[arg(long, value_name = "CALL", value_parser = explain::CALLS)]
    explain: Option<String>,
    /// Have windows mapped when the call is made, or at the callee's first access
    #[arg(long, default_value = "call", value_parser = ["call", "touch"])]
    windows: String,
    /// Have portals count their calls
    #[arg(long, conflicts_with = "windows")]
    counters: bool,
    /// Write the rows to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Say what got faster or slower since these rows were written
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Write the tables of the rows given with --from into this page, between its markers, and measure nothing
    #[arg(long, value_name = "FILE", requires = "from")]
    page: Option<PathBuf>,
    /// Rows for --page and --plots, as --json writes them, instead of measuring; may be given several times
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// Draw the rows into this folder, as SVG
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
}

/// The programs of `apps/bench`, in the order of the papers' tables.
const PROGRAMS: &[&str] =
    &["ipc", "switch", "pipe", "generate", "latency", "sandbox", "peers", "maximum", "protection"];
/// How often an operation is repeated in a run on QEMU, and on the model, which is slow and has the same cycles every time.
const REPETITIONS: u32 = 1000;
const REPETITIONS_ON_MODEL: u32 = 30;
/// Cycles after which a run on the model is given up.
const MOST_CYCLES: u64 = 400_000_000;
/// The same in the tests: exact counts do not get better by repeating, so this is enough to be in step.
const SHORT: u32 = 100;
/// Programs whose counts are kept with counters, too.
const COUNTED: &[&str] = &["ipc", "switch"];
/// Where the counts are that no change may raise.
const BASELINE: &str = "apps/bench/baseline.json";

/// Where a program is measured.
#[derive(Clone, Copy)]
enum Place<'a> {
    Qemu,
    Model(&'a rtl::Machine, rtl::Latencies),
}

/// How the system is built: how windows are mapped, and whether calls are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Plain,
    Touch,
    Counted,
    /// A system of its own, with one component in each isolation.
    Isolation,
}
impl Way {
    /// Its manifest, and what its rows call it.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Way::Plain => ("bench", "pebble"),
            Way::Touch => ("bench-touch", "pebble-touch"),
            Way::Counted => ("bench-counted", "pebble-counted"),
            Way::Isolation => ("bench-isolation", "pebble"),
        }
    }
}
impl Options {
    fn way(&self) -> Way {
        match self.windows == "touch" {
            true => Way::Touch,
            false if self.counters => Way::Counted,
            false => Way::Plain,
        }
    }
}

/// Runs one program; its rows.
fn measure(root: &Path, program: &str, place: Place, repetitions: u32, way: Way) -> Result<Vec<Row>> {
    let options = exec::Options {
        on: if matches!(place, Place::Qemu) { exec::On::Qemu } else { exec::On::Rtl },
        system: way.names().0.into(),
        memory: 128,
        icount: Some(0),
        file_name: root.join("apps/bench").join(program).with_extension("c"),
        arguments: vec![repetitions.to_string()],
        ..exec::Options::default()
    };
    let image = {
        static BUILDING: std::sync::Mutex<()> = std::sync::Mutex::new(());
        let _building = BUILDING.lock();
        exec::program_image(root, &options, Connection::Serial)?
    };
    let outcome = match place {
        Place::Qemu => {
            let machine = Machine { timeout: Some(Duration::from_secs(300)), ..exec::machine(&options)? };
            qemu::run(&image, &machine, Console::Captured(None))?
        }
        Place::Model(core, latencies) => {
            let settings = rtl::Settings { latencies, timeout_cycles: MOST_CYCLES, trace: None };
            rtl::run(&rtl::build_model(root, core)?, &image, &settings, Console::Captured(None))?
        }
    };
    let output = String::from_utf8_lossy(&outcome.heard.output);
    let status = exec::status(&outcome, true);
    if status != 0 {
        let log = outcome.log.map_or(String::new(), |l| l.text);
        bail!("{program} ended with status {status}\n{output}{log}");
    }
    let rows = row::parse(&output).with_context(|| format!("output of apps/bench/{program}.c"))?;
    let (unit, platform, memory, core) = match place {
        Place::Qemu => ("instructions", "qemu", None, None),
        Place::Model(core, latencies) => {
            ("cycles", "rtl", Some(latencies.to_string()), Some(core.name.clone()).filter(|_| !core.is_usual()))
        }
    };
    let finish = |row: Row| Row {
        unit: if row.unit.is_empty() { unit.into() } else { row.unit },
        platform: Some(platform.into()),
        memory: memory.clone(),
        core: core.clone(),
        system: way.names().1.into(),
        ..row
    };
    let mut rows: Vec<Row> = rows.into_iter().map(finish).collect();
    if program == "latency" && matches!(place, Place::Qemu) {
        rows.extend(masked::measure(root)?);
    }
    Ok(rows)
}
/// Runs the programs that are asked for, two at a time; their rows in the programs' order.
fn measure_all(root: &Path, options: &Options) -> Result<Vec<Row>> {
    let programs = PROGRAMS.iter().filter(|p| options.what.as_deref().is_none_or(|only| only == **p));
    let core = rtl::Machine::read(root, &options.core)?;
    let latencies = if options.latency.is_empty() { &core.latencies } else { &options.latency };
    let places: Vec<Place> = match options.on {
        exec::On::Qemu => vec![Place::Qemu],
        exec::On::Rtl => {
            rtl::build_model(root, &core)?;
            latencies.iter().map(|&latencies| Place::Model(&core, latencies)).collect()
        }
        exec::On::Strict => bail!("--on strict: its instructions are QEMU's, and it has no cycles"),
    };
    let jobs: Vec<(&str, Place)> = programs.flat_map(|p| places.iter().map(|&place| (*p, place))).collect();
    let results: Vec<_> = jobs.iter().map(|_| std::sync::Mutex::new(None)).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(&(program, place)) = jobs.get(n) else { break };
                    let (name, repetitions) = match place {
                        Place::Qemu => ("qemu".to_string(), REPETITIONS),
                        Place::Model(core, l) => (format!("the model {}, memory {l}", core.name), REPETITIONS_ON_MODEL),
                    };
                    eprintln!("pebble: bench {program} on {name} ({} of {})", n + 1, jobs.len());
                    *results[n].lock().unwrap() = Some(measure(root, program, place, repetitions, options.way()));
                }
            });
        }
    });
    let mut rows = Vec::new();
    for result in results {
        rows.extend(result.into_inner().unwrap().context("a benchmark did not run")??);
    }
    Ok(rows)
}
/// The rows of Linux on the same machine.
fn measure_linux(root: &Path, tiny: bool) -> Result<Vec<Row>> {
    let rows = row::parse(&linux::measure(root, tiny)?.join("\n"))?;
    let system = if tiny { "Linux tiny" } else { "Linux debian" };
    let finish = |row: Row| Row { platform: Some("qemu".into()), system: system.into(), ..row };
    Ok(rows.into_iter().map(finish).collect())
}

/// Runs what `options` ask for.
pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let old = options.compare.as_deref().map(compare::load).transpose()?;
    if !options.from.is_empty() {
        if let Some(page) = &options.page {
            std::fs::write(page, page::make(page, &options.from)?).with_context(|| page.display().to_string())?;
        }
        if let Some(folder) = &options.plots {
            plot::draw(folder, &page::rows(&options.from)?.1)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(call) = &options.explain {
        let core = rtl::Machine::read(root, &options.core)?;
        let latencies = *options.latency.first().unwrap_or(&core.latencies[0]);
        return explain::explain(root, call, &core, latencies);
    }
    if options.what.as_deref() == Some("sfi") {
        return suite::run(root, &options.program);
    }
    if options.what.as_deref() == Some("sequoia") {
        return sequoia::run(root, options.plots.as_deref());
    }
    if options.what.as_deref() == Some("patches") {
        let core = rtl::Machine::read(root, &options.core)?;
        let latencies = *options.latency.first().unwrap_or(&core.latencies[0]);
        return patches::run(root, &core, latencies, options.plots.as_deref());
    }
    let rows = measured(root, options)?;
    // That has one table, of all mechanisms.
    if options.what.as_deref() != Some("isolation") {
        print!("{}", table::tables(&rows));
    }
    if let Some(old) = old {
        print_changes(&compare::changes(&old, &rows));
    }
    if let Some(folder) = &options.plots {
        plot::draw(folder, &rows)?;
    }
    if let Some(file) = &options.json {
        std::fs::write(file, row::json(&rows)?).with_context(|| file.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}
/// Measures what `options` ask for, and what it is compared with.
fn measured(root: &Path, options: &Options) -> Result<Vec<row::Row>> {
    let mut rows = match options.what.as_deref() {
        Some("footprint") => footprint::measure(root)?,
        Some("services") => services::measure(root)?,
        Some("isolation") => {
            let core = rtl::Machine::read(root, &options.core)?;
            let latencies = if options.latency.is_empty() { &core.latencies } else { &options.latency };
            isolation::measure(root, &core, latencies, options.on)?
        }
        Some(program) if !PROGRAMS.contains(&program) => {
            bail!(
                "bench {program}: it is one of {}, footprint, services, sfi, isolation, patches, sequoia",
                PROGRAMS.join(", ")
            )
        }
        _ => measure_all(root, options)?,
    };
    for peer in &options.peer {
        rows.extend(match (options.what.as_deref(), peer.as_str()) {
            (Some("services"), "linux") => services::measure_linux(root)?,
            (Some("services"), _) => {
                bail!("bench services --peer {peer}: its drivers are Debian's; it is --peer linux")
            }
            _ => measure_linux(root, peer == "linux-tiny")?,
        });
    }
    Ok(rows)
}
fn print_changes(changes: &[compare::Change]) {
    println!("\nChanges");
    for change in changes {
        let place = change.row.platform.as_deref().unwrap_or("");
        let now = change.row.value;
        println!("{:>+5} %  {:>8} -> {now:<8} {} ({place})", change.percent(), change.before, change.row.name());
    }
    if changes.is_empty() {
        println!("none");
    }
}

/// The rows of a program that the baseline has: where what portals do is measured, with counters as well.
fn measure_for_baseline(root: &Path, program: &str) -> Result<Vec<Row>> {
    let mut rows = measure(root, program, Place::Qemu, SHORT, Way::Plain)?;
    if COUNTED.contains(&program) {
        rows.extend(measure(root, program, Place::Qemu, SHORT, Way::Counted)?);
    }
    Ok(rows)
}
/// For the tests: runs `program` briefly; an error says which figures rose above the baseline.
pub fn check(root: &Path, program: &str) -> Result<()> {
    let baseline = compare::load(&root.join(BASELINE))?;
    let rows = measure_for_baseline(root, program)?;
    let unknown: Vec<String> =
        rows.iter().filter(|r| !baseline.iter().any(|b| b.same_place(r))).map(Row::name).collect();
    if !unknown.is_empty() {
        bail!("{BASELINE} lacks {}", unknown.join("; "));
    }
    let losses = compare::losses(compare::changes(&baseline, &rows));
    if losses.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> =
        losses.iter().map(|l| format!("{}: {}, not {}", l.row.name(), l.row.value, l.before)).collect();
    bail!("above {BASELINE}:\n{}", lines.join("\n"))
}
/// The programs that the tests run.
pub fn programs() -> &'static [&'static str] {
    PROGRAMS
}
/// Writes the baseline anew.
pub fn write_baseline(root: &Path) -> Result<ExitCode> {
    let mut rows = Vec::new();
    for program in PROGRAMS {
        rows.extend(measure_for_baseline(root, program)?);
    }
    std::fs::write(root.join(BASELINE), row::json(&rows)?)?;
    Ok(ExitCode::SUCCESS)
}
