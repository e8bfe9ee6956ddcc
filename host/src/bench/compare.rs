//! What got faster or slower between two sets of rows.

use super::row::{Results, Row};
use anyhow::{Context, Result};
use std::path::Path;

/// The rows of a file that `--json` wrote.
pub fn load(path: &Path) -> Result<Vec<Row>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let results: Results = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    Ok(results.rows)
}

/// A figure that changed.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    pub row: Row,
    pub before: u64,
}
impl Change {
    /// In percent of what it was, rounded away from 0.
    pub fn percent(&self) -> i64 {
        let change = 100.0 * (self.row.value as f64 - self.before as f64) / (self.before.max(1) as f64);
        (if change < 0.0 { change.floor() } else { change.ceil() }) as i64
    }
}

/// The rows that both sets have, and whose values differ.
pub fn changes(old: &[Row], new: &[Row]) -> Vec<Change> {
    let before = |row: &Row| old.iter().find(|o| o.same_place(row)).map(|o| o.value);
    let changed = new.iter().filter_map(|row| Some(Change { row: row.clone(), before: before(row)? }));
    changed.filter(|c| c.row.value != c.before).collect()
}

/// Operations whose instruction counts depend on nothing but the code of nucleus, portals and scheduler, so that they
/// are exact to the instruction whatever else the system does.
const EXACT: &[&str] = &["short-circuit", "ipc", "yield", "semaphore", "sandbox"];
/// By how much the others may rise, in percent: they include page faults and searches that depend on where things happen
/// to lie.
const TOLERANCE: i64 = 3;
/// The same for moments, which QEMU's timer has to 100 instructions.
const MOMENTS: &[&str] = &["interrupt-latency", "interrupts-off", "timer"];
const MOMENT_TOLERANCE: i64 = 20;
/// Of the latest ones, of which each run meets others: a few of some hundred wake-ups that are at random moments.
const LATEST: &[&str] = &["p99", "max"];
const LATEST_TOLERANCE: i64 = 50;

/// The changes that are losses: any rise of an exact figure, a rise beyond the tolerance of another.
pub fn losses(changes: Vec<Change>) -> Vec<Change> {
    let tolerance = |row: &Row| match row.operation.as_str() {
        o if EXACT.contains(&o) => 0,
        "interrupt-latency" if LATEST.contains(&row.measure.as_str()) => LATEST_TOLERANCE,
        o if MOMENTS.contains(&o) => MOMENT_TOLERANCE,
        _ => TOLERANCE,
    };
    changes.into_iter().filter(|c| c.row.value > c.before && c.percent() > tolerance(&c.row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn row(operation: &str, value: u64) -> Row {
        Row { table: "t".into(), operation: operation.into(), measure: "leg".into(), value, ..Row::default() }
    }
    #[test]
    fn one_instruction_more_in_a_portal_is_a_loss() {
        assert_eq!(losses(changes(&[row("ipc", 40)], &[row("ipc", 41)])).len(), 1);
        assert_eq!(losses(changes(&[row("ipc", 40)], &[row("ipc", 39)])).len(), 0);
    }
    #[test]
    fn other_figures_may_rise_by_the_tolerance() {
        assert_eq!(losses(changes(&[row("domain", 1000)], &[row("domain", 1030)])).len(), 0);
        assert_eq!(losses(changes(&[row("domain", 1000)], &[row("domain", 1031)])).len(), 1);
    }
    #[test]
    fn the_latest_of_a_few_moments_may_be_later_in_another_run() {
        let of = |operation: &str, measure: &str, value| Row { measure: measure.into(), ..row(operation, value) };
        for (operation, measure, most) in
            [("interrupt-latency", "median", 120), ("interrupt-latency", "p99", 150), ("interrupts-off", "max", 120)]
        {
            let lost = |value| losses(changes(&[of(operation, measure, 100)], &[of(operation, measure, value)])).len();
            assert_eq!((lost(most), lost(most + 1)), (0, 1), "{operation} {measure}");
        }
    }
    #[test]
    fn another_platform_is_not_compared() {
        let on = |platform: &str, value| Row { platform: Some(platform.into()), ..row("ipc", value) };
        assert!(changes(&[on("qemu", 40)], &[on("rtl", 60)]).is_empty());
    }
    #[test]
    fn a_file_that_is_not_json_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "rows").unwrap();
        assert!(load(file.path()).unwrap_err().to_string().contains(&file.path().display().to_string()));
    }
}
