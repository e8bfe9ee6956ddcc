//! `./pebble bench isolation`: one component, moved through all mechanisms by the line of its block (`apps/bench/systems/bench-isolation.toml`): what calls
//! of it cost, its own work, its memory, its start and its end by a fault, and whom it can harm.

use super::row::Row;
use super::{Place, Way};
use crate::exec;
use crate::rtl;
use anyhow::Result;
use comfy_table::{CellAlignment, Table, TableComponent, presets};
use std::path::Path;

/// The program of `apps/bench`.
const PROGRAM: &str = "isolation";

/// The lines of the table: of what its rows have, what the manifest says, and what the component can do to others.
const LINES: [(&str, &str, &str); 6] = [
    ("none", "in the caller", "all of the caller"),
    ("domain", "`\"domain\"`", "nobody; its answers may lie"),
    ("dp", "`\"dp\"`", "its task, where it was shown pages to write"),
    ("sfi", "`\"sfi\"`", "nobody; it reads its host's memory without `loads`"),
    ("supervisor", "`\"supervisor\"`", "all"),
    ("trusted", "`trusted = true`", "who calls it: it sees their service stacks"),
];
/// The columns: what they are called, and their rows' measure and specification.
const COLUMNS: [(&str, &str, &str); 8] = [
    ("a call", "round-trip", "npiii"),
    ("sharing its stack", "round-trip", "smciii"),
    ("64 bytes", "64-bytes", "npr"),
    ("4 KiB", "4096-bytes", "npRi"),
    ("its work", "run", ""),
    ("its fault", "fault", ""),
    ("its start", "start", ""),
    ("pages", "pages", ""),
];

fn value(rows: &[Row], isolation: &str, measure: &str, specification: &str) -> Option<u64> {
    let is = |row: &&Row| {
        let own = row.specification.as_deref().unwrap_or("");
        row.operation == isolation && row.measure == measure && own == specification
    };
    rows.iter().find(is).map(|row| row.value)
}
/// One table, of what was measured in one place.
pub fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY).remove_style(TableComponent::HorizontalLines);
    table.remove_style(TableComponent::MiddleIntersections);
    let head = std::iter::once("isolation").chain(COLUMNS.map(|(name, ..)| name)).chain(["what it can harm"]);
    table.set_header(head);
    for (isolation, name, harms) in LINES {
        let cell = |(_, measure, specification): (&str, &str, &str)| {
            let with_window = value(rows, isolation, measure, specification);
            // What a domain of protection is shown for good is passed by a pointer.
            let pointer = value(rows, isolation, measure, "npii").filter(|_| specification != "npii");
            match (with_window, pointer) {
                (None, _) => "–".to_string(),
                (Some(window), None) => window.to_string(),
                (Some(window), Some(pointer)) => format!("{window}, {pointer} by a pointer"),
            }
        };
        let cells = COLUMNS.map(cell);
        table.add_row(std::iter::once(name.to_string()).chain(cells).chain([harms.to_string()]));
    }
    for column in table.column_iter_mut().skip(1).take(COLUMNS.len()) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}
/// Measures it where the options say; prints a table for each place, and returns the rows.
pub fn measure(root: &Path, core: &rtl::Machine, latencies: &[rtl::Latencies], on: exec::On) -> Result<Vec<Row>> {
    let places: Vec<Place> = match on {
        exec::On::Rtl => latencies.iter().map(|&latencies| Place::Model(core, latencies)).collect(),
        _ => vec![Place::Qemu],
    };
    let mut all = Vec::new();
    for place in places {
        let repetitions = if matches!(place, Place::Qemu) { super::REPETITIONS } else { super::REPETITIONS_ON_MODEL };
        let rows = super::measure(root, PROGRAM, place, repetitions, Way::Isolation)?;
        let what = rows.first().map(super::table::column).unwrap_or_default();
        println!("One component in each isolation ({what})\n{}", table(&rows));
        all.extend(rows);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_in_its_line_and_column_and_what_is_not_measured_is_a_dash() {
        let row = |operation: &str, measure: &str, specification: Option<&str>, value| Row {
            operation: operation.into(),
            measure: measure.into(),
            specification: specification.map(String::from),
            value,
            ..Row::default()
        };
        let rows = [
            row("dp", "4096-bytes", Some("npRi"), 1234),
            row("dp", "4096-bytes", Some("npii"), 987),
            row("sfi", "run", None, 777),
        ];
        let text = table(&rows);
        let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_string();
        assert!(line("\"dp\"").contains("1234, 987 by a pointer"), "{text}");
        assert!(line("\"sfi\"").contains("777") && line("\"sfi\"").contains('–'), "{text}");
        assert!(!line("\"domain\"").contains("777"), "{text}");
    }
}
