//! The tables of the book's page of figures, in Markdown, from rows that were written with `--json` and from the
//! references: no figure on the page is typed by hand.
//!
//! They stand between two markers in the page; the prose around them is left as it is.

use super::row::{Results, Row};
use super::table;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- figures: written by `./pebble bench --page`, not by hand -->";
const END: &str = "<!-- figures: end -->";

/// Columns in their order: what begins the name of who has the figure, and what the page calls it. References
/// stand in for what was not measured anew.
const COLUMNS: &[(&str, &str)] = &[
    ("pebble (qemu)", "QEMU"),
    ("pebble (rtl", "CVA6"),
    ("pebble", "bytes"),
    ("Pebble 1999", "Pebble 1999"),
    ("Linux debian", "Linux"),
    ("Linux tiny", "Linux tiny"),
    ("seL4", "seL4"),
    ("target", "target"),
];

/// Place of a row's column, and its header; `None`: the page does not show it.
fn column(row: &Row) -> Option<(usize, String)> {
    let who = table::who(row);
    let place = COLUMNS.iter().position(|(start, _)| who.starts_with(start))?;
    let word = |text: &Option<String>| text.as_ref().map(|t| format!(" {t}")).unwrap_or_default();
    let name = COLUMNS[place].1;
    let machine = word(&row.core) + &word(&row.memory);
    let header = if name == row.unit { name.to_string() } else { format!("{name}{machine}, {}", row.unit) };
    Some((place, header))
}
/// With a comma every three digits.
fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
/// One table of the rows of Pebble's own operations, with what others have for them.
fn one(rows: &[&Row]) -> String {
    let mut operations: Vec<&Row> = Vec::new();
    for row in rows.iter().filter(|r| r.system == "pebble") {
        if !operations.iter().any(|o| o.same_operation(row)) {
            operations.push(row);
        }
    }
    let mut columns: Vec<(usize, String)> = Vec::new();
    for row in rows.iter().filter(|r| operations.iter().any(|o| o.same_operation(r))) {
        if let Some(column) = column(row).filter(|c| !columns.contains(c)) {
            columns.push(column);
        }
    }
    // Stable: columns of one place stay in the order of the files.
    columns.sort_by_key(|(place, _)| *place);
    let mut text = String::from("| operation |");
    columns.iter().for_each(|(_, header)| text += &format!(" {header} |"));
    text += "\n| --- |";
    columns.iter().for_each(|_| text += " --: |");
    for operation in operations {
        text += &format!("\n| {} |", operation.name());
        for wanted in &columns {
            let found = rows.iter().find(|r| r.same_operation(operation) && column(r).as_ref() == Some(wanted));
            text += &found.map_or(" – |".to_string(), |r| format!(" {} |", grouped(r.value)));
        }
    }
    text + "\n"
}
/// What was measured with several of the model's cores, in one table: `None` if nothing was.
fn cores(rows: &[Row], references: &[Row]) -> Option<String> {
    let other: Vec<&Row> = rows.iter().filter(|r| r.core.is_some()).collect();
    let with_cycles = |r: &&Row| r.unit == "cycles" && (r.system == "pebble" || r.system == "Pebble 1999");
    let all = rows.iter().chain(references).filter(with_cycles);
    let all: Vec<&Row> = all.filter(|r| other.iter().any(|o| o.same_operation(r))).collect();
    (!other.is_empty()).then(|| one(&all))
}
/// All tables.
fn tables(rows: &[Row], references: &[Row]) -> String {
    let mut text = String::new();
    for name in table::names() {
        let usual = rows.iter().filter(|r| r.core.is_none());
        let all: Vec<&Row> = usual.chain(references).filter(|r| r.table == name).collect();
        if all.iter().any(|r| r.system == "pebble") {
            text += &format!("\n### {}\n\n{}", table::title(name), one(&all));
        }
    }
    if let Some(cores) = cores(rows, references) {
        text += &format!("\n### Three machines (embedded tables 2 and 3)\n\n{cores}");
    }
    text
}
/// `page` with what stands between its markers replaced.
fn replaced(page: &str, figures: &str) -> Result<String> {
    let Some((before, rest)) = page.split_once(BEGIN) else { bail!("it has no line {BEGIN}") };
    let Some((_, after)) = rest.split_once(END) else { bail!("it has no line {END}") };
    Ok(format!("{before}{BEGIN}\n{figures}\n{END}{after}"))
}
/// The rows in the files `from`, and the files with their dates in words; of two files with the same figure, the first counts.
pub fn rows(from: &[PathBuf]) -> Result<(String, Vec<Row>)> {
    let mut rows: Vec<Row> = Vec::new();
    let mut sources = String::new();
    for file in from {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let results: Results = serde_json::from_str(&text).with_context(|| file.display().to_string())?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let date = results.date.map_or(String::new(), |d| format!(" ({d})"));
        sources += &format!("{}`{name}`{date}", if sources.is_empty() { "" } else { ", " });
        for row in results.rows {
            if !rows.iter().any(|r| r.same_place(&row)) {
                rows.push(row);
            }
        }
    }
    Ok((sources, rows))
}
/// The page at `page` with the tables of the rows in `from`.
pub fn make(page: &Path, from: &[PathBuf]) -> Result<String> {
    let (sources, rows) = rows(from)?;
    if rows.is_empty() {
        bail!("--page needs rows: --from FILE, as --json writes it");
    }
    let text = std::fs::read_to_string(page).with_context(|| page.display().to_string())?;
    let figures =
        format!("\nFrom {sources}, and `host/src/bench/references.toml`.\n{}", tables(&rows, &table::references()));
    replaced(&text, &figures).with_context(|| page.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    fn row(system: &str, platform: Option<&str>, unit: &str, value: u64) -> Row {
        Row {
            table: "usenix-5".into(),
            operation: "semaphore".into(),
            domains: Some(2),
            measure: "hop".into(),
            value,
            unit: unit.into(),
            platform: platform.map(Into::into),
            memory: platform.filter(|p| *p == "rtl").map(|_| "20/20".into()),
            system: system.into(),
            ..Row::default()
        }
    }
    #[test]
    fn a_table_has_pebble_first_then_others_then_targets() {
        let rows = [row("pebble", Some("rtl"), "cycles", 484), row("pebble", Some("qemu"), "instructions", 1216)];
        let references = [row("target", None, "cycles", 400), row("seL4 16", Some("qemu"), "instructions", 1351)];
        let text = tables(&rows, &references);
        let table = "### Semaphore ring (USENIX table 5, embedded table 2)\n\n\
            | operation | QEMU, instructions | CVA6 20/20, cycles | seL4, instructions | target, cycles |\n\
            | --- | --: | --: | --: | --: |\n\
            | semaphore 2 domains, hop | 1,216 | 484 | 1,351 | 400 |\n";
        assert_eq!(text.trim_start(), table);
    }
    #[test]
    fn other_cores_have_a_table_of_their_own_with_the_usual_one() {
        let low = Row { core: Some("low".into()), ..row("pebble", Some("rtl"), "cycles", 900) };
        let text = tables(&[row("pebble", Some("rtl"), "cycles", 484), low], &[row("target", None, "cycles", 400)]);
        let (first, cores) = text.split_once("### Three machines").unwrap();
        assert!(first.contains("484") && !first.contains("900"), "{text}");
        assert!(cores.contains("| CVA6 20/20, cycles | CVA6 low 20/20, cycles |\n"), "{text}");
        assert!(cores.contains("| 484 | 900 |"), "{text}");
        assert!(!tables(&[row("pebble", Some("rtl"), "cycles", 484)], &[]).contains("Three machines"));
    }
    #[test]
    fn an_operation_that_pebble_has_not_is_left_out() {
        assert_eq!(tables(&[], &[row("target", None, "cycles", 400)]), "");
    }
    #[test]
    fn only_what_stands_between_the_markers_is_replaced() {
        let page = replaced(&format!("before\n{BEGIN}\nold\n{END}\nafter\n"), "new").unwrap();
        assert_eq!(page, format!("before\n{BEGIN}\nnew\n{END}\nafter\n"));
    }
    #[test]
    fn a_page_without_markers_is_refused() {
        assert!(replaced("text", "new").unwrap_err().to_string().contains(BEGIN));
        assert!(replaced(BEGIN, "new").unwrap_err().to_string().contains(END));
    }
    #[test]
    fn the_page_of_the_book_is_what_the_committed_rows_give() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let from: Vec<PathBuf> =
            ["qemu.json", "rtl.json", "linux.json", "footprint.json"].map(|f| docs.join("figures").join(f)).into();
        let page = docs.join("src/benchmarks.md");
        assert_eq!(make(&page, &from).unwrap(), std::fs::read_to_string(page).unwrap());
    }
}
