//! `./pebble bench sfi`: what fault domains cost real programs, the 1993 paper's Table 1. Each program of `apps/bench/suite` does the same work
//! as it is, without the dedicated registers, and as a fault domain; its instructions are counted, and its results must be the same.

use crate::build::{Sandbox, Source};
use crate::connection::Connection;
use crate::exec::{self, Isolation};
use crate::qemu::{self, Console, Machine};
use crate::{fault_domain, port};
use anyhow::{Context, Result, bail};
use manifest::Form;
use object::{Object, ObjectSection, SectionKind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const FOLDER: &str = "apps/bench/suite";

/// The ways in which each program is built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// As any component.
    Native,
    /// The same without the dedicated registers and without compressed instructions.
    Reserved,
    /// A fault domain with stores and jumps kept in, or loads too; or matched, with stores and jumps.
    Sandboxed(Sandbox),
}
/// Stores and jumps are kept in by masks.
const MASKED: Sandbox = Sandbox { loads: false, matching: false, form: Form::Masks };
const WAYS: [Way; 10] = [
    Way::Native,
    Way::Reserved,
    Way::Sandboxed(MASKED),
    Way::Sandboxed(Sandbox { loads: true, ..MASKED }),
    Way::Sandboxed(Sandbox { matching: true, ..MASKED }),
    Way::Sandboxed(Sandbox { form: Form::Top, ..MASKED }),
    Way::Sandboxed(Sandbox { form: Form::Top, loads: true, ..MASKED }),
    Way::Sandboxed(Sandbox { form: Form::Top, matching: true, ..MASKED }),
    Way::Sandboxed(Sandbox { form: Form::Zba, ..MASKED }),
    Way::Sandboxed(Sandbox { form: Form::Zba, loads: true, ..MASKED }),
];

/// What a program has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Count {
    instructions: u64,
    /// What its results sum up to.
    results: String,
    /// Bytes of its code.
    code: u64,
}
/// A program of the suite.
struct Program {
    name: String,
    floating: bool,
    source: Source,
}

/// The names of all programs.
fn names(root: &Path) -> Result<Vec<String>> {
    let folders = std::fs::read_dir(root.join(FOLDER))?.filter_map(|entry| Some(entry.ok()?.path()));
    let folders = folders.filter(|folder| folder.join("port.toml").exists());
    let mut names: Vec<String> =
        folders.filter_map(|folder| Some(folder.file_name()?.to_string_lossy().into_owned())).collect();
    names.sort();
    Ok(names)
}
/// Fetches a program's sources, and adds its work to them.
fn open(root: &Path, name: &str) -> Result<Program> {
    let suite = root.join(FOLDER).canonicalize()?;
    let place = suite.join(name);
    let (port, folder) = port::read(root, name, &place)?;
    let mut recipe = port.program.from(&folder);
    let own = [suite.join("main.c"), place.join("work.c")];
    recipe.sources.extend(own.iter().map(|source| source.to_string_lossy().into_owned()));
    recipe.include.extend([suite, place]);
    // What others wrote has its own habits.
    recipe.cflags.push("-w".into());
    Ok(Program { name: name.into(), floating: port.floating, source: Source { recipe, ..Source::default() } })
}
/// Bytes of code in a program.
fn code_bytes(program: &[u8]) -> Result<u64> {
    let file = image::ElfFile::parse(program).context("the program is no object file")?;
    Ok(file.sections().filter(|s| s.kind() == SectionKind::Text).map(|s| s.size()).sum())
}
/// Runs a program in one way.
fn measure(root: &Path, program: &Program, way: Way) -> Result<Count> {
    let mut recipe = program.source.recipe.clone();
    if way == Way::Reserved {
        recipe.cflags.extend(fault_domain::flags(&Isolation::sandbox(false)));
    }
    let (isolation, sandbox) = match way {
        Way::Sandboxed(sandbox) => (Isolation::Sfi, sandbox),
        _ => (Isolation::Domain, Sandbox::default()),
    };
    let options = exec::Options {
        isolation,
        loads: sandbox.loads,
        matching: sandbox.matching,
        form: sandbox.form,
        system: "exec".into(),
        memory: 128,
        icount: Some(0),
        file_name: root.join(FOLDER).join("main.c"),
        ..exec::Options::default()
    };
    let built = {
        static BUILDING: Mutex<()> = Mutex::new(());
        let _building = BUILDING.lock();
        exec::build_program_of(root, &options, Source { recipe, ..program.source.clone() }, Connection::Serial)?
    };
    let machine = Machine { timeout: Some(Duration::from_secs(300)), ..exec::machine(&options)? };
    let outcome = qemu::run(&built.image(&[])?, &machine, Console::Captured(None))?;
    let output = String::from_utf8_lossy(&outcome.heard.output).into_owned();
    let status = exec::status(&outcome, true);
    let words: Vec<&str> = output.lines().last().unwrap_or("").split(' ').collect();
    let (["suite", instructions, results], 0) = (&words[..], status) else {
        let log = outcome.log.map_or(String::new(), |log| log.text);
        bail!("{} ended with status {status}\n{output}{log}", program.name);
    };
    Ok(Count {
        instructions: instructions.parse()?,
        results: results.to_string(),
        code: code_bytes(built.main_program().context("no program")?)?,
    })
}
/// Every way of one program; an error if they do not agree.
fn measure_ways(root: &Path, program: &Program) -> Result<Vec<Count>> {
    let counts: Vec<Count> = WAYS.iter().map(|way| measure(root, program, *way)).collect::<Result<_>>()?;
    match counts.iter().find(|count| count.results != counts[0].results) {
        Some(other) => bail!("{}: results {} and {}", program.name, counts[0].results, other.results),
        None => Ok(counts),
    }
}

/// What is more in `count` than in `base`, in per cent.
pub fn more(count: u64, base: u64) -> f64 {
    (count as f64 / base as f64 - 1.0) * 100.0
}
/// The same of several, by their geometric mean.
fn mean_more(counts: &[(u64, u64)]) -> f64 {
    let logs: f64 = counts.iter().map(|(count, base)| (*count as f64 / *base as f64).ln()).sum();
    ((logs / counts.len().max(1) as f64).exp() - 1.0) * 100.0
}
fn line(name: &str, native: &str, cells: &[f64], code: &[f64]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| format!(" {cell:.1} |")).collect();
    let code: Vec<String> = code.iter().map(|cell| format!(" {cell:.0} |")).collect();
    format!("| {name} | {native} |{}{}\n", cells.concat(), code.concat())
}
/// The ways of each table, as the page about fault domains has them: the form with masks, and that of the last GiB, and with `add.uw`.
const TABLES: [(&str, &[usize], &str); 3] = [
    ("", &[1, 2, 3, 4], "registers | stores | loads too | matched"),
    ("In the last GiB:", &[5, 6, 7], "stores | loads too | matched"),
    ("With Zba:", &[8, 9], "stores | loads too"),
];
fn table(rows: &[(String, bool, Vec<Count>)], (ways, names): (&[usize], &str)) -> String {
    let columns = " --: |".repeat(1 + 2 * ways.len());
    let mut text = format!("| program | instructions | {names} | code: {names} |\n| --- |{columns}\n");
    for (floating, mean) in [(false, "mean"), (true, "mean, floating point")] {
        let rows: Vec<_> = rows.iter().filter(|row| row.1 == floating).collect();
        for (name, _, counts) in &rows {
            let base = &counts[0];
            let of = |of: fn(&Count) -> u64| ways.iter().map(|&n| more(of(&counts[n]), of(base))).collect::<Vec<_>>();
            text += &line(name, &base.instructions.to_string(), &of(|c| c.instructions), &of(|c| c.code));
        }
        let column = |n: usize, of: fn(&Count) -> u64| {
            mean_more(&rows.iter().map(|(_, _, counts)| (of(&counts[n]), of(&counts[0]))).collect::<Vec<_>>())
        };
        if !rows.is_empty() {
            let of = |of: fn(&Count) -> u64| ways.iter().map(|&n| column(n, of)).collect::<Vec<_>>();
            text += &line(&format!("*{mean}*"), "", &of(|c| c.instructions), &of(|c| c.code));
        }
    }
    text
}
/// Runs one program in all ways; an error if it has other results in one.
pub fn compare(root: &Path, name: &str) -> Result<()> {
    measure_ways(root, &open(root, name)?).map(|_| ())
}
/// Measures all programs, or those in `only`, two at a time, and prints the table.
pub fn run(root: &Path, only: &[String]) -> Result<ExitCode> {
    let names = names(root)?;
    if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
        bail!("--program {unknown}: {FOLDER} has {}", names.join(", "));
    }
    let wanted: Vec<&String> = names.iter().filter(|name| only.is_empty() || only.contains(name)).collect();
    let programs: Vec<Program> = wanted.iter().map(|name| open(root, name)).collect::<Result<_>>()?;
    let results: Vec<_> = programs.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(program) = programs.get(n) else { break };
                    eprintln!("pebble: bench sfi {} ({} of {})", program.name, n + 1, programs.len());
                    *results[n].lock().unwrap() = Some(measure_ways(root, program));
                }
            });
        }
    });
    let mut rows = Vec::new();
    let mut failed = false;
    for (program, result) in programs.iter().zip(results) {
        match result.into_inner().unwrap().context("a program did not run")? {
            Ok(counts) => rows.push((program.name.clone(), program.floating, counts)),
            Err(error) => {
                failed = true;
                eprintln!("pebble: {error:#}");
            }
        }
    }
    for (title, ways, names) in TABLES {
        if !title.is_empty() {
            println!("{title}\n");
        }
        println!("{}", table(&rows, (ways, names)));
    }
    Ok(ExitCode::from(u8::from(failed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_the_geometric_one() {
        assert!((mean_more(&[(200, 100), (50, 100)])).abs() < 1e-9);
        assert!((more(107, 100) - 7.0).abs() < 1e-9);
    }
}
