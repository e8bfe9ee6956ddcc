//! The tables of the book's manual whose interfaces are written once, in `lib/interfaces`: made from there, and compared.

use crate::c_headers;
use anyhow::{Context, Result, bail};
use interfaces::Interface;
use std::path::Path;
use std::process::ExitCode;

/// The page, in the repository.
const PAGE: &str = "docs/src/interfaces.md";

/// The page `text` with the table of `interface` as it must be: the first one below the heading that is its title.
fn with_table(text: &str, interface: &Interface) -> Result<String> {
    let heading = format!("## {}\n", interface.title);
    let section = text.find(&heading).with_context(|| format!("{PAGE} has no \"{}\"", heading.trim_end()))?;
    let table = section + text[section..].find("\n|").context("no table")? + 1;
    let next = text[section + 1..].find("\n## ").map_or(text.len(), |at| section + 1 + at);
    if table > next {
        bail!("{PAGE}: \"{}\" has no table", interface.title);
    }
    let end = table + text[table..].find("\n\n").map_or(text[table..].len(), |at| at + 1);
    let rows: String = interface.portals.iter().map(|portal| format!("{}\n", portal.row())).collect();
    let head = "| portal | specification | (arguments): what it does |\n| --- | --- | --- |\n";
    Ok([&text[..table], head, &rows, &text[end..]].concat())
}
/// What the sources of servers, drivers and services provide by `pebble::provide!`: name and specification.
fn provided(root: &Path) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for path in crate::seam::sources(root)? {
        if ["servers", "drivers", "services"].iter().any(|folder| path.starts_with(root.join(folder))) {
            let text = std::fs::read_to_string(&path)?;
            found.extend(text.lines().filter_map(declaration));
        }
    }
    Ok(found)
}
/// Of a line of `provide!`: `"name", "specification", function;`.
fn declaration(line: &str) -> Option<(String, String)> {
    let mut parts = line.strip_prefix("    \"")?.strip_suffix(';')?.split('"');
    let (name, between, specification, function) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    (between == ", " && function.starts_with(", ") && name.contains('.')).then(|| (name.into(), specification.into()))
}
/// Whether a table of the page has portal `name` with this specification: where a row has several names, it has one for all, or as many.
fn has_row(text: &str, name: &str, specification: &str) -> bool {
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(String::from).collect::<Vec<_>>();
    text.lines().filter(|line| line.starts_with("| `")).any(|line| {
        let mut cells = line.trim_start_matches("| ").split(" | ");
        let names = cells.next().map(quoted).unwrap_or_default();
        let specifications = cells.next().map(|cell| quoted(cell.trim_end_matches(" |"))).unwrap_or_default();
        let place = names.iter().position(|n| n == name);
        place.and_then(|n| specifications.get(n).or(specifications.last())).is_some_and(|s| s == specification)
    })
}
fn page(text: &str) -> Result<String> {
    interfaces::ALL.iter().try_fold(text.to_string(), |text, interface| with_table(&text, interface))
}

/// Says whether the page has the tables that the interfaces make, and C the headers.
pub fn check(root: &Path) -> Result<bool> {
    let text = std::fs::read_to_string(root.join(PAGE))?;
    let made = page(&text)?;
    for (line, (is, must)) in text.lines().zip(made.lines()).enumerate().filter(|(_, (is, must))| is != must) {
        println!("FAIL: {PAGE}:{}: is \"{is}\", and by lib/interfaces \"{must}\": ./pebble manual", line + 1);
    }
    let missing: Vec<_> = provided(root)?.into_iter().filter(|(name, with)| !has_row(&text, name, with)).collect();
    for (name, specification) in &missing {
        println!("FAIL: {PAGE} has no row `{name}` | `{specification}`, which is provided");
    }
    Ok(c_headers::check(root)? && text == made && missing.is_empty())
}
/// Writes the tables anew, and the headers for C.
pub fn write(root: &Path) -> Result<ExitCode> {
    let path = root.join(PAGE);
    std::fs::write(&path, page(&std::fs::read_to_string(&path)?)?)?;
    c_headers::write(root)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_says_what_the_interfaces_say() {
        assert!(check(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()).unwrap());
    }
    #[test]
    fn a_portal_is_looked_for_with_its_specification() {
        assert_eq!(declaration("    \"a.b\", \"smi\", c;"), Some(("a.b".into(), "smi".into())));
        assert_eq!(declaration("    println!(\"a.b\", \"smi\", c);"), None);
        let text = "| `a.b`, `a.c` | `smi` | x |\n| `a.d`, `a.e` | `sm`, `smw` |\n";
        let has = |name, specification| has_row(text, name, specification);
        assert!(has("a.b", "smi") && has("a.c", "smi") && has("a.d", "sm") && has("a.e", "smw"));
        assert!(!has("a.b", "sm") && !has("a.e", "sm") && !has("a.f", "smi"));
    }
    #[test]
    fn a_row_that_is_out_of_date_is_written_anew_and_the_rest_stays() {
        let section =
            |row: &str| format!("# Page\n\n## Clock driver (`drivers/clock`)\n\nText.\n\n{row}\n## Next\n\n| a |\n");
        let made = with_table(&section("| `clock.time` | `nmi` | what |\n"), &interfaces::clock::INTERFACE).unwrap();
        let rows: String = interfaces::clock::INTERFACE.portals.iter().map(|p| format!("{}\n", p.row())).collect();
        assert!(made.contains(&rows) && made.ends_with("\n\n## Next\n\n| a |\n"), "{made}");
        assert!(made.starts_with(&section("").split_once("\n\n## Next").unwrap().0[..40]));
        assert_eq!(with_table(&made, &interfaces::clock::INTERFACE).unwrap(), made);
    }
    #[test]
    fn a_page_without_the_heading_or_the_table_is_refused() {
        let clock = &interfaces::clock::INTERFACE;
        assert!(with_table("# Page\n", clock).unwrap_err().to_string().contains("has no"));
        let other = "## Clock driver (`drivers/clock`)\n\nText.\n\n## Next\n\n| a |\n";
        assert!(with_table(other, clock).unwrap_err().to_string().contains("no table"));
    }
}
