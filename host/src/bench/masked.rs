//! For how long interrupts are off at most while a domain does its worst to keep them off: counted, not sampled, by the strict
//! machine.

use super::row::Row;
use crate::connection::Connection;
use crate::exec::{self, On, Options};
use crate::qemu::Console;
use crate::strict_machine;
use anyhow::{Context, Result, bail};
use std::path::Path;
use strict::Settings;

const PROGRAM: &str = "apps/bench/masked.c";
/// Draws the lengths of time slices.
const SEED: u64 = 1;
/// The program's status when there is no load of that number.
const NO_MORE: u8 = 2;

/// A row for each of the program's loads.
pub fn measure(root: &Path) -> Result<Vec<Row>> {
    let options =
        Options { on: On::Strict, system: "exec".into(), file_name: root.join(PROGRAM), ..Options::default() };
    let built = exec::build_program(root, &options, Connection::Serial)?;
    let mut rows = Vec::new();
    loop {
        let image = built.image(&[rows.len().to_string()])?;
        let settings = Settings { slices: Some(SEED), ..Settings::default() };
        let outcome = strict_machine::run(&image, &Default::default(), settings, Console::Captured(None))?;
        let output = String::from_utf8_lossy(&outcome.heard.output);
        match exec::status(&outcome, true) {
            0 => rows
                .push(row(output.trim(), outcome.masked.context("the strict machine has not measured")?.instructions)),
            NO_MORE => return Ok(rows),
            status => bail!(
                "{PROGRAM} {} ended with status {status}\n{output}{}",
                rows.len(),
                outcome.breach.unwrap_or_default()
            ),
        }
    }
}
fn row(load: &str, value: u64) -> Row {
    Row {
        table: "embedded-3".into(),
        operation: "interrupts-off".into(),
        background: Some(load.into()),
        measure: "max".into(),
        value,
        unit: "instructions".into(),
        platform: Some("qemu".into()),
        system: "pebble".into(),
        ..Row::default()
    }
}
