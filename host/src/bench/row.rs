//! Rows: one measured figure each, as a benchmark program prints it and as `--json` writes it.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// One figure. Keys that do not apply are left out; docs/src/benchmarks.md says what each means.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub table: String,
    pub operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specification: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domains: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    pub measure: String,
    pub value: u64,
    #[serde(default)]
    pub unit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Latency of the model's memory in cycles, "read/write".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The model's core, where it is not the usual one: a file of `rtl/machines`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<String>,
    #[serde(default)]
    pub system: String,
}

impl Row {
    /// Whether both are the same measurement, whatever measured it.
    pub fn same_operation(&self, other: &Row) -> bool {
        let key = |r: &Row| {
            (
                r.table.clone(),
                r.operation.clone(),
                r.specification.clone(),
                r.domains,
                r.window.clone(),
                r.background.clone(),
                r.measure.clone(),
            )
        };
        key(self) == key(other)
    }
    /// Whether both are the same measurement of the same system on the same platform.
    pub fn same_place(&self, other: &Row) -> bool {
        self.same_operation(other)
            && (&self.platform, &self.core, &self.memory, &self.system, &self.unit)
                == (&other.platform, &other.core, &other.memory, &other.system, &other.unit)
    }
    /// What was measured, for a person: everything but table, value and unit.
    pub fn name(&self) -> String {
        let domains = self.domains.map(|d| format!("{d} domain{}", if d == 1 { "" } else { "s" }));
        let window = self.window.as_ref().filter(|w| *w != "none").map(|w| format!("window {w}"));
        let background = self.background.as_ref().map(|b| format!("behind {b}"));
        let parts = [Some(self.operation.clone()), self.specification.clone(), domains, window, background];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("{}, {}", parts.join(" "), self.measure)
    }
}

/// What a file of rows holds.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// When and where they were measured, in words; kept with rows that are not measured anew each time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    pub rows: Vec<Row>,
}

/// What `--json` writes, a row a line.
pub fn json(rows: &[Row]) -> Result<String> {
    let lines: Vec<String> = rows.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(format!("{{\"rows\": [\n{}\n]}}\n", lines.join(",\n")))
}
/// The rows among lines of output: those that start with "row ".
pub fn parse(output: &str) -> Result<Vec<Row>> {
    output.lines().filter_map(|line| line.trim_end().strip_prefix("row ").map(parse_line)).collect()
}
fn parse_line(line: &str) -> Result<Row> {
    let mut row = Row::default();
    let mut value = None;
    for word in line.split_whitespace() {
        let Some((key, text)) = word.split_once('=') else { bail!("\"{word}\" in row \"{line}\" is not KEY=VALUE") };
        let text = text.to_string();
        let number = || text.parse::<u64>().with_context(|| format!("{key}=\"{text}\" in row \"{line}\""));
        match key {
            "table" => row.table = text,
            "operation" => row.operation = text,
            "specification" => row.specification = Some(text),
            "domains" => row.domains = Some(number()?),
            "window" => row.window = Some(text),
            "background" => row.background = Some(text),
            "measure" => row.measure = text,
            "value" => value = Some(number()?),
            "unit" => row.unit = text,
            _ => bail!("unknown key \"{key}\" in row \"{line}\""),
        }
    }
    row.value = value.with_context(|| format!("no value in row \"{line}\""))?;
    if row.table.is_empty() || row.operation.is_empty() || row.measure.is_empty() {
        bail!("row \"{line}\" lacks table, operation or measure");
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_among_other_lines() {
        let rows =
            parse("hello\nrow table=t operation=ipc specification=smciii domains=2 measure=leg value=41\r\nbye\n");
        let rows = rows.unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].value, rows[0].domains, rows[0].specification.as_deref()), (41, Some(2), Some("smciii")));
        assert_eq!(rows[0].name(), "ipc smciii 2 domains, leg");
    }
    #[test]
    fn a_row_without_a_value_is_refused() {
        assert!(parse("row table=t operation=o measure=m").unwrap_err().to_string().contains("no value"));
    }
    #[test]
    fn a_row_with_an_unknown_key_is_refused() {
        assert!(parse("row table=t colour=red value=1").unwrap_err().to_string().contains("colour"));
    }
    #[test]
    fn a_value_that_is_no_number_is_refused() {
        assert!(parse("row table=t operation=o measure=m value=-1").is_err());
    }
    #[test]
    fn json_leaves_out_what_does_not_apply() {
        let rows = parse("row table=t operation=o measure=m value=1").unwrap();
        let text = json(&rows).unwrap();
        assert!(!text.contains("domains"));
        assert_eq!(serde_json::from_str::<Results>(&text).unwrap().rows, rows);
    }
}
