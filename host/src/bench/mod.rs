//! `./pebble bench`: the measurements of the papers on Pebble itself, beside those of others.

mod compare;
mod footprint;
mod plot;
pub mod row;
mod table;

use crate::exec;
use crate::qemu::{self, Console, Machine};
use anyhow::{Context, Result, bail};
use row::{Results, Row};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

#[derive(clap::Args)]
pub struct Options {
    /// Only this program of apps/bench (ipc, switch, generate, latency, sandbox, peers), or "footprint"
    what: Option<String>,
    /// Write the rows to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Say what got faster or slower since these rows were written
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Draw the rows into this folder, as SVG
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
}

/// The programs of `apps/bench`, in the order of the papers' tables.
const PROGRAMS: &[&str] = &["ipc", "switch", "generate", "latency", "sandbox", "peers"];
/// How often an operation is repeated in a run.
const REPETITIONS: u32 = 1000;
/// The same in the tests: exact counts do not get better by repeating, so this is enough to be in step.
const SHORT: u32 = 100;
/// Where the counts are that no change may raise.
const BASELINE: &str = "apps/bench/baseline.json";

/// Runs one program on QEMU, counting instructions; its rows.
fn on_qemu(root: &Path, program: &str, repetitions: u32) -> Result<Vec<Row>> {
    let options = exec::Options {
        system: "bench".into(),
        memory: 128,
        icount: true,
        file_name: root.join("apps/bench").join(program).with_extension("c"),
        arguments: vec![repetitions.to_string()],
        ..exec::Options::default()
    };
    let image = exec::program_image(root, &options, false)?;
    let machine = Machine { timeout: Some(Duration::from_secs(300)), ..exec::machine(&options)? };
    let outcome = qemu::run(&image, &machine, Console::Captured(None))?;
    let output = String::from_utf8_lossy(&outcome.output);
    let status = exec::status(&outcome, true);
    if status != 0 {
        let log = outcome.log.map_or(String::new(), |l| l.text);
        bail!("{program} ended with status {status}\n{output}{log}");
    }
    let rows = row::parse(&output).with_context(|| format!("output of apps/bench/{program}.c"))?;
    let finish = |row: Row| Row {
        unit: if row.unit.is_empty() { "instructions".into() } else { row.unit },
        platform: Some("qemu".into()),
        system: "pebble".into(),
        ..row
    };
    Ok(rows.into_iter().map(finish).collect())
}

/// Runs what `options` ask for.
pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let old = options.compare.as_deref().map(compare::load).transpose()?;
    let mut rows = Vec::new();
    match options.what.as_deref() {
        Some("footprint") => {
            rows.extend(footprint::measure(root)?);
        }
        Some(program) if !PROGRAMS.contains(&program) => {
            bail!("bench {program}: it is one of {}, footprint", PROGRAMS.join(", "))
        }
        only => {
            for program in PROGRAMS.iter().filter(|p| only.is_none_or(|o| o == **p)) {
                eprintln!("pebble: bench {program} on qemu");
                rows.extend(on_qemu(root, program, REPETITIONS)?);
            }
        }
    }
    print!("{}", table::tables(&rows));
    if let Some(old) = old {
        print_changes(&compare::changes(&old, &rows));
    }
    if let Some(folder) = &options.plots {
        plot::draw(folder, &rows)?;
    }
    if let Some(file) = &options.json {
        let text = serde_json::to_string_pretty(&Results { rows })?;
        std::fs::write(file, text + "\n").with_context(|| file.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
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

/// For the tests: runs `program` briefly; an error says which figures rose above the baseline.
pub fn check(root: &Path, program: &str) -> Result<()> {
    let baseline = compare::load(&root.join(BASELINE))?;
    let rows = on_qemu(root, program, SHORT)?;
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
        rows.extend(on_qemu(root, program, SHORT)?);
    }
    let lines: Vec<String> = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    std::fs::write(root.join(BASELINE), format!("{{\"rows\": [\n{}\n]}}\n", lines.join(",\n")))?;
    Ok(ExitCode::SUCCESS)
}
