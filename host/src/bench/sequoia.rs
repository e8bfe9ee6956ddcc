//! `./pebble bench sequoia`: a database with functions of its users', which nobody trusts, the 1993 paper's Table 3. SQLite on Pebble's files answers
//! queries of Sequoia 2000; its polygons (`apps/bench/sequoia`) are called as they are, in a fault domain, in a domain of protection, and in
//! an address space of their own. All answer the same.

use super::query::{Query, parse};
use super::{figures, suite};
use crate::build::Source;
use crate::connection::Connection;
use crate::exec::{self, Isolation};
use crate::qemu::{self, Console, Machine};
use crate::{fault_domain, port, progress};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

const FOLDER: &str = "apps/bench/sequoia";
/// Of the database, beside SQLite; the functions are among them for the ways in which they run in its own space.
const SOURCES: [&str; 4] = ["database.c", "data.c", "crossings.c", "polygons.c"];
const UNTRUSTED: [&str; 2] = ["untrusted.c", "polygons.c"];
/// How many polygons and points there are; fewer in the tests.
const SCALE: [&str; 2] = ["8000", "4000"];
const SMALL: [&str; 2] = ["1500", "800"];

/// The ways in which the functions are called: what the program is told, and what the table calls it.
const WAYS: [(&str, &str); 5] =
    [("unprotected", ""), ("sfi", "`sfi`"), ("sfi-loads", "`sfi`, loads too"), ("dp", "`dp`"), ("domain", "`domain`")];
/// The same as the first, with the time in the functions added up.
const PROFILE: &str = "profile";

/// The system with the database and both forms of the fault domain.
fn build(root: &Path) -> Result<exec::Built> {
    let place = root.join(FOLDER).canonicalize()?;
    let (port, folder) = port::read(root, "sequoia", &place)?;
    let own = |names: &[&str]| names.iter().map(|name| place.join(name).to_string_lossy().into_owned()).collect();
    let mut recipe = port.program.from(&folder);
    let of_database: Vec<String> = own(&SOURCES);
    recipe.sources.extend(of_database);
    recipe.include.push(place.clone());
    // What others wrote has its own habits.
    recipe.cflags.push("-w".into());
    let options = exec::Options {
        system: "sequoia".into(),
        memory: 128,
        icount: Some(0),
        file_name: place.join("database.c"),
        ..exec::Options::default()
    };
    let untrusted = crate::build::Recipe { sources: own(&UNTRUSTED), ..Default::default() };
    let untrusted = Source { recipe: untrusted, ..Source::default() };
    let files = [("untrusted", false), ("untrusted-loads", true)].map(|(name, loads)| {
        Ok((name.to_string(), fault_domain::build(root, &untrusted, &Isolation::sandbox(loads))?))
    });
    let files = files.into_iter().collect::<Result<Vec<_>>>()?;
    let source = Source { recipe, ..Source::default() };
    Ok(exec::build_program_of(root, &options, source, Connection::Serial)?.with_files(files))
}
/// Runs all queries in one way.
fn measure(built: &exec::Built, way: &str, scale: [&str; 2]) -> Result<Vec<Query>> {
    let arguments = [way, scale[0], scale[1]].map(String::from);
    let options = exec::Options { memory: 128, icount: Some(0), ..exec::Options::default() };
    let machine = Machine { timeout: Some(Duration::from_secs(600)), ..exec::machine(&options)? };
    let image = built.image(&arguments)?;
    let what = format!("running the queries, {way}");
    let outcome = progress::during(&what, || qemu::run(&image, &machine, Console::Captured(None)))?;
    let output = String::from_utf8_lossy(&outcome.heard.output).into_owned();
    let status = exec::status(&outcome, true);
    let queries: Vec<Query> = output.lines().filter_map(|line| parse(line.trim_end())).collect();
    if status != 0 || queries.is_empty() {
        let log = outcome.log.map_or(String::new(), |log| log.text);
        bail!("the database ended with status {status}, {way}\n{output}{log}");
    }
    Ok(queries)
}
/// An error where one way's answers are not the first's.
fn agree(first: &[Query], way: &str, other: &[Query]) -> Result<()> {
    let answer = |q: &Query| (q.name.clone(), q.calls, q.rows, q.results.clone());
    for (one, other) in first.iter().zip(other) {
        ensure!(answer(one) == answer(other), "query {}, {way}: {other:?}, not as {one:?}", one.name);
    }
    ensure!(first.len() == other.len(), "{way}: {} queries, not {}", other.len(), first.len());
    Ok(())
}
/// The table, as the page about fault domains has it.
fn table(all: &[Vec<Query>], profile: &[Query]) -> String {
    let names: String = WAYS[1..].iter().map(|(_, name)| format!(" {name} |")).collect();
    let mut text = format!("| query | rows | instructions | of these in the functions | calls |{names}\n");
    text += &format!("| --- | --: | --: | --: | --: |{}\n", " --: |".repeat(WAYS.len() - 1));
    for (n, query) in all[0].iter().enumerate() {
        let base = query.instructions;
        let cells: String =
            all[1..].iter().map(|way| format!(" {:.1} |", suite::more(way[n].instructions, base))).collect();
        let inside = 100.0 * profile[n].inside as f64 / base as f64;
        text += &format!("| {} | {} | {base} | {inside:.1} % | {} |{cells}\n", query.name, query.rows, query.calls);
    }
    text
}
/// Measures all ways and prints the table; draws the paper's figures into `plots`.
pub fn run(root: &Path, plots: Option<&Path>) -> Result<ExitCode> {
    let built = build(root)?;
    let mut all: Vec<Vec<Query>> = Vec::new();
    for (way, _) in WAYS {
        let queries = measure(&built, way, SCALE)?;
        agree(all.first().map_or(&queries[..], Vec::as_slice), way, &queries)?;
        all.push(queries);
    }
    let profile = measure(&built, PROFILE, SCALE)?;
    agree(&all[0], PROFILE, &profile)?;
    print!("{}", table(&all, &profile));
    if let Some(folder) = plots {
        figures::draw(root, folder, &all).context("the figures")?;
    }
    Ok(ExitCode::SUCCESS)
}
/// For the tests: a few polygons; an error where one way has other answers.
pub fn check(root: &Path) -> Result<()> {
    let built = build(root)?;
    let first = measure(&built, WAYS[0].0, SMALL)?;
    ensure!(
        first.iter().all(|query| query.calls > 0) && first.iter().any(|query| query.rows > 0),
        "a query that asks nothing: {first:?}"
    );
    WAYS[1..].iter().try_for_each(|(way, _)| agree(&first, way, &measure(&built, way, SMALL)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_database_is_a_query() {
        let query = parse("query 6 100 5 0 2 00ff").unwrap();
        assert_eq!((query.name.as_str(), query.instructions, query.calls, query.rows), ("6", 100, 5, 2));
        assert_eq!(parse("query 6 100 5"), None);
        assert_eq!(parse("a line of SQLite's"), None);
    }
    #[test]
    fn answers_that_differ_are_an_error() {
        let one = [parse("query 6 100 5 0 2 00ff").unwrap()];
        let other = [parse("query 6 200 5 0 2 00fe").unwrap()];
        assert!(agree(&one, "dp", &other).unwrap_err().to_string().contains("query 6, dp"));
        assert!(agree(&one, "dp", &[]).is_err());
    }
}
