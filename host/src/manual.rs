//! The tables of the book's manual whose interfaces are written once, in `lib/interfaces`: made from there, and compared.

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
fn page(text: &str) -> Result<String> {
    interfaces::ALL.iter().try_fold(text.to_string(), |text, interface| with_table(&text, interface))
}

/// Says whether the page has the tables that the interfaces make.
pub fn check(root: &Path) -> Result<bool> {
    let text = std::fs::read_to_string(root.join(PAGE))?;
    let made = page(&text)?;
    for (line, (is, must)) in text.lines().zip(made.lines()).enumerate().filter(|(_, (is, must))| is != must) {
        println!("FAIL: {PAGE}:{}: is \"{is}\", and by lib/interfaces \"{must}\": ./pebble manual", line + 1);
    }
    Ok(text == made)
}
/// Writes the tables anew.
pub fn write(root: &Path) -> Result<ExitCode> {
    let path = root.join(PAGE);
    std::fs::write(&path, page(&std::fs::read_to_string(&path)?)?)?;
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
