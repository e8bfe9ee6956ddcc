//! Rows as tables: measured figures beside what the papers, other systems and our targets have for the same operation.

use super::row::Row;
use comfy_table::{CellAlignment, Table, TableComponent, presets};

/// Published figures and targets; each with its source.
const REFERENCES: &str = include_str!("references.toml");

/// The figures of `references.toml`.
pub fn references() -> Vec<Row> {
    #[derive(serde::Deserialize)]
    struct File {
        row: Vec<Row>,
    }
    toml::from_str::<File>(REFERENCES).expect("references.toml is correct: a test reads it").row
}

/// What the tables are called.
const TITLES: &[(&str, &str)] = &[
    ("usenix-1", "IPC, new stack, registers saved (USENIX table 1)"),
    ("usenix-2", "IPC, trusted callee, shared stack (USENIX table 2)"),
    ("usenix-3", "Context switch by yield (USENIX table 3, embedded table 2)"),
    ("usenix-4", "Pipe ring (USENIX table 4)"),
    ("usenix-5", "Semaphore ring (USENIX table 5, embedded table 2)"),
    ("usenix-6", "Portal generation (USENIX table 6)"),
    ("usenix-6.1", "Two P and two V, in a sandbox and without (USENIX section 6.1)"),
    ("embedded-3", "Interrupt latency (embedded table 3)"),
    ("peers", "Operations of other systems"),
    ("protection-1995", "Max() of two integers (Domains of protection, 1995)"),
    ("protection", "Domains of protection: pointers beside windows, first accesses"),
    ("footprint", "Memory of the minimal system"),
    ("services", "What services cost the whole machine, idle left out"),
];
/// What a table can not measure yet.
const NOT_YET: &[(&str, &str)] = &[];

/// Who has the figure.
pub fn who(row: &Row) -> String {
    let core = row.core.as_ref().map(|c| format!(" {c}")).unwrap_or_default();
    let memory = row.memory.as_ref().map(|m| format!(" {m}")).unwrap_or_default();
    let platform = row.platform.as_ref().map(|p| format!(" ({p}{core}{memory})")).unwrap_or_default();
    format!("{}{platform}", row.system)
}
/// Name of a column: who has the figure, and in what.
pub fn column(row: &Row) -> String {
    format!("{}, {}", who(row), row.unit)
}
/// What a table is called.
pub fn title(table: &str) -> String {
    TITLES.iter().find(|(name, _)| *name == table).map_or(table, |(_, title)| title).to_string()
}

/// All tables, in their order.
pub fn names() -> impl Iterator<Item = &'static str> {
    TITLES.iter().map(|(name, _)| *name)
}

/// One table for each of the papers' that has rows.
pub fn tables(rows: &[Row]) -> String {
    let references = references();
    let mut text = String::new();
    let mut names: Vec<String> = names().map(String::from).collect();
    names.extend(rows.iter().map(|r| r.table.clone()));
    let mut seen = std::collections::BTreeSet::new();
    for name in names.into_iter().filter(|n| seen.insert(n.clone())) {
        let measured: Vec<&Row> = rows.iter().filter(|r| r.table == name).collect();
        if measured.is_empty() {
            continue;
        }
        text += &format!("\n{}\n{}\n", title(&name), one(&measured, &references));
        for (_, what) in NOT_YET.iter().filter(|(table, _)| *table == name) {
            text += &format!("not yet: {what}\n");
        }
    }
    text
}
fn one(measured: &[&Row], references: &[Row]) -> Table {
    let mut operations: Vec<&Row> = Vec::new();
    for row in measured {
        if !operations.iter().any(|o| o.same_operation(row)) {
            operations.push(row);
        }
    }
    let others = references.iter().filter(|r| operations.iter().any(|o| o.same_operation(r)));
    let all: Vec<&Row> = measured.iter().copied().chain(others).collect();
    let mut columns: Vec<String> = Vec::new();
    for row in &all {
        if !columns.contains(&column(row)) {
            columns.push(column(row));
        }
    }
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY).remove_style(TableComponent::HorizontalLines);
    table.remove_style(TableComponent::MiddleIntersections);
    // A column is as wide as its figures and the words of its name need.
    let header = |name: &String| name.replace(", ", "\n").replace(" (", "\n(");
    table.set_header(std::iter::once("operation".to_string()).chain(columns.iter().map(header)));
    for operation in operations {
        let value = |column_name: &String| {
            let row = all.iter().find(|r| r.same_operation(operation) && column(r) == *column_name);
            row.map_or("–".to_string(), |r| r.value.to_string())
        };
        table.add_row(std::iter::once(operation.name()).chain(columns.iter().map(value)));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn references_are_read_and_each_has_a_system_and_a_unit() {
        let references = references();
        assert!(references.len() > 40);
        assert!(references.iter().all(|r| !r.system.is_empty() && !r.unit.is_empty()));
    }
    #[test]
    fn a_table_has_the_paper_beside_the_measured_figure() {
        let row = Row {
            table: "usenix-1".into(),
            operation: "short-circuit".into(),
            measure: "round-trip".into(),
            value: 7777,
            unit: "instructions".into(),
            platform: Some("qemu".into()),
            system: "pebble".into(),
            ..Row::default()
        };
        let text = tables(&[row]);
        let line = text.lines().find(|l| l.contains("7777")).unwrap();
        assert!(line.contains("45"), "{line}");
    }
}
