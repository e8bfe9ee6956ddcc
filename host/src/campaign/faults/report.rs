//! What came of each fault, in a file, and all of them together as tables.

use super::{FIRST, KINDS, RESTARTED, called};
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// How it was found that something is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found {
    /// By nobody.
    #[default]
    Nothing,
    /// The component has executed or accessed what it may not.
    Exception,
    /// It has found so itself, and ended.
    Panic,
    /// A call of it took too long.
    Deadline,
    /// A client got an answer that was not right,
    Wrong,
    /// an error that nobody has reason for,
    Error,
    /// or none.
    Stuck,
}
const FOUND: [Found; 6] = [Found::Exception, Found::Panic, Found::Deadline, Found::Wrong, Found::Error, Found::Stuck];

/// A fault and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Of its boot, and which one there.
    pub seed: u32,
    pub number: usize,
    pub component: String,
    pub kind: String,
    /// What was changed where; none: the component has not come to such a place.
    pub struck: Option<String>,
    pub found: Found,
    /// The component ran again afterwards, and all that clients asked for was right.
    pub recovered: bool,
    /// Something does not hold of the system's tables.
    pub broken: bool,
    /// Clients of it that have ended meanwhile, or did not go on before they were started again.
    pub clients: Vec<String>,
    /// Other components that have.
    pub others: Vec<String>,
    /// The longest time in which a client had no right answer.
    pub milliseconds: f64,
    /// The machine has stopped.
    pub stopped: Option<String>,
    /// What the system log has of it.
    pub said: String,
}
impl Row {
    pub fn new(seed: u32, number: usize, component: &str) -> Row {
        Row { seed, number, component: component.into(), ..Row::default() }
    }
    fn is_manifest(&self) -> bool {
        self.found != Found::Nothing || self.stopped.is_some()
    }
    /// Why it is a failure of the system's: a component that is started again has not recovered, or was not the only one that ended.
    pub fn wrong(&self) -> Option<String> {
        let Row { component, kind, others, .. } = self;
        let restarted = RESTARTED.contains(&component.as_str());
        let why = match &self.stopped {
            Some(stopped) if restarted => format!("the machine has stopped: {stopped}"),
            Some(_) => return None,
            None if self.broken => "the tables are not what they must be".into(),
            None if !others.is_empty() => format!("{} ended too", others.join(", ")),
            None if !self.recovered && restarted => "it has not recovered".into(),
            None => return None,
        };
        let struck = self.struck.as_deref().unwrap_or("not yet");
        Some(format!("fault {} in {component}, {kind}, {struck}: {why}\n{}", self.number, self.said))
    }
}

/// The rows of one system, a line each.
pub struct Rows {
    path: PathBuf,
}
impl Rows {
    pub fn of(root: &Path, build: u64) -> Rows {
        Rows { path: root.join(format!("target/campaigns/faults-{build:016x}.jsonl")) }
    }
    pub fn add(&self, rows: &[Row]) -> Result<()> {
        let context = || self.path.display().to_string();
        std::fs::create_dir_all(self.path.parent().unwrap_or(Path::new("."))).with_context(context)?;
        let mut file = std::fs::File::options().create(true).append(true).open(&self.path).with_context(context)?;
        let lines = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        lines.iter().try_for_each(|line| writeln!(file, "{line}")).with_context(context)
    }
    /// All, each once.
    fn read(&self) -> Result<Vec<Row>> {
        let text = std::fs::read_to_string(&self.path).with_context(|| self.path.display().to_string())?;
        let mut all = BTreeMap::new();
        for line in text.lines() {
            let row: Row = serde_json::from_str(line).with_context(|| self.path.display().to_string())?;
            all.insert((row.seed, row.number), row);
        }
        Ok(all.into_values().collect())
    }
    pub fn report(&self) -> Result<String> {
        Ok(format!("{}\n{}", tables(&self.read()?), self.path.display()))
    }
}

/// Counts of some rows.
#[derive(Default)]
struct Tally {
    injected: usize,
    struck: usize,
    manifest: usize,
    found: [usize; FOUND.len()],
    recovered: usize,
    stopped: usize,
    clients: usize,
    spread: usize,
    times: Vec<f64>,
}
impl Tally {
    fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Tally {
        let mut tally = Tally::default();
        for row in rows {
            tally.injected += 1;
            tally.struck += row.struck.is_some() as usize;
            if row.struck.is_none() || !row.is_manifest() {
                continue;
            }
            tally.manifest += 1;
            for (n, found) in FOUND.iter().enumerate() {
                tally.found[n] += (row.stopped.is_none() && row.found == *found) as usize;
            }
            tally.stopped += row.stopped.is_some() as usize;
            tally.clients += (!row.clients.is_empty()) as usize;
            tally.spread += (!row.others.is_empty() || row.broken) as usize;
            if row.recovered {
                tally.recovered += 1;
                tally.times.push(row.milliseconds);
            }
        }
        tally.times.sort_by(f64::total_cmp);
        tally
    }
    fn line(&self, name: &str) -> String {
        let Tally { injected, struck, manifest, found, recovered, stopped, clients, spread, times } = self;
        let at = |share: f64| times.get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)));
        let time = |share: f64| at(share).map_or("–".into(), |time| format!("{time:.1}"));
        let percent = if *manifest == 0 {
            "–".into()
        } else {
            format!("{:.1} %", 100.0 * *recovered as f64 / *manifest as f64)
        };
        let found: String = found.iter().map(|n| format!(" {n} |")).collect();
        format!(
            "| {name} | {injected} | {struck} | {manifest} |{found} {stopped} | {clients} | {spread} | {percent} | {} | {} |\n",
            time(0.5),
            time(0.99)
        )
    }
}
/// By component, and by kind of those that are started again.
fn tables(rows: &[Row]) -> String {
    let head = |what: &str| {
        let columns = "injected | struck | manifest | exception | panic | deadline | wrong answer | error | no answer | machine stopped | client ended | spread | recovered | median, ms | p99, ms";
        format!("| {what} | {columns} |\n|---|{}\n", "--:|".repeat(columns.split('|').count()))
    };
    let mut text = head("component");
    for name in RESTARTED.iter().chain(&FIRST) {
        text += &Tally::of(rows.iter().filter(|row| row.component == *name)).line(name);
    }
    let restarted = |row: &&Row| RESTARTED.contains(&row.component.as_str());
    let _ = write!(text, "{}\n{}", Tally::of(rows.iter().filter(restarted)).line("all but the first"), head("kind"));
    for kind in KINDS.map(called) {
        text += &Tally::of(rows.iter().filter(restarted).filter(|row| row.kind == kind)).line(&kind);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    fn row(number: usize, component: &str, found: Found) -> Row {
        let struck = Some("at pc 0x1: a bit".into());
        Row { struck, found, recovered: true, milliseconds: number as f64, ..Row::new(1, number, component) }
    }
    #[test]
    fn only_what_must_not_be_is_a_failure() {
        let good = row(0, "files", Found::Exception);
        assert_eq!(good.wrong(), None);
        let says = |row: Row, what: &str| assert!(row.wrong().is_some_and(|why| why.contains(what)), "{what}");
        says(Row { recovered: false, ..good.clone() }, "it has not recovered");
        says(Row { others: vec!["clock".into()], ..good.clone() }, "clock ended too");
        says(Row { broken: true, ..good.clone() }, "the tables are not what they must be");
        says(Row { stopped: Some("status 125".into()), ..good.clone() }, "the machine has stopped: status 125");
        assert_eq!(Row { clients: vec!["pipes".into()], ..good }.wrong(), None, "who stands on it may end with it");
        let first = Row { stopped: Some("status 125".into()), ..row(0, "memory", Found::Nothing) };
        assert_eq!(first.wrong(), None, "it ends with the machine");
        says(Row { stopped: None, others: vec!["clock".into()], ..first }, "clock ended too");
    }
    #[test]
    fn the_tables_count_what_has_struck_and_was_seen() {
        let unseen = row(9, "files", Found::Nothing);
        let not_struck = Row { struck: None, ..row(9, "files", Found::Error) };
        let stopped = Row { stopped: Some("status 1".into()), recovered: false, ..row(9, "files", Found::Nothing) };
        let rows = [row(1, "files", Found::Exception), row(3, "files", Found::Wrong), unseen, not_struck, stopped];
        let line = "| files | 5 | 4 | 3 | 1 | 0 | 0 | 1 | 0 | 0 | 1 | 0 | 0 | 66.7 % | 3.0 | 3.0 |";
        assert!(tables(&rows).lines().any(|found| found == line), "{}", tables(&rows));
    }
    #[test]
    fn rows_are_read_as_they_were_written_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let rows = Rows::of(folder.path(), 7);
        let all = [row(0, "files", Found::Panic), row(1, "clock", Found::Stuck)];
        rows.add(&all[..1]).unwrap();
        rows.add(&all).unwrap();
        assert_eq!(rows.read().unwrap(), all);
        std::fs::write(&rows.path, "{}").unwrap();
        assert!(rows.read().is_err());
    }
}
