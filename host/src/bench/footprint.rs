//! What the system takes: sizes in the nucleus's ELF file, the image of the minimal system, and the memory that it uses
//! once it runs.

use super::row::{self, Row};
use crate::qemu::{self, Console, Machine};
use crate::{build, system};
use abi::address::PAGE;
use anyhow::{Context, Result, bail};
use image::Parts;
use std::path::Path;
use std::time::Duration;

const PROGRAM: &str = "apps/bench/footprint.c";

fn bytes(operation: &str, measure: &str, value: usize) -> Row {
    Row {
        table: "footprint".into(),
        operation: operation.into(),
        measure: measure.into(),
        value: value as u64,
        unit: "bytes".into(),
        system: "pebble".into(),
        ..Row::default()
    }
}

/// Boots the minimal system with a program in place of its application, which asks the memory manager.
pub fn measure(root: &Path) -> Result<Vec<Row>> {
    let mut system = system::load(root, "minimal")?;
    let program = system.components.last_mut().context("systems/minimal.toml has no component")?;
    program.image = PROGRAM.into();
    program.main = true;
    program.opens.push("memory.info".into());
    let images: Vec<String> = system.components.iter().map(|c| c.image.clone()).collect();
    let (nucleus, programs) = build::build(root, &images)?;
    let application = programs.get(PROGRAM).map_or(0, Vec::len);
    let parts = Parts {
        system: &system,
        nucleus: &nucleus,
        programs,
        files: Vec::new(),
        sstc: true,
        cycles_per_time: 0,
        ram_bytes: 0,
    };
    let image = image::build(&parts)?;
    let machine = Machine { timeout: Some(Duration::from_secs(60)), ..Machine::default() };
    let outcome = qemu::run(&image, &machine, Console::Captured(None))?;
    let output = String::from_utf8_lossy(&outcome.output).into_owned();
    let said = row::parse(&output)?;
    let [pages, promised] = said.iter().map(|r| r.value as usize).collect::<Vec<_>>()[..] else {
        bail!("{PROGRAM} said nothing:\n{output}{}", outcome.log.map_or(String::new(), |l| l.text));
    };
    let nucleus = image::Program::parse("nucleus", &nucleus)?;
    let size = |code: bool| {
        let of_kind = nucleus.segments.iter().filter(|s| (s.rights & abi::address::pte::X != 0) == code);
        of_kind.map(|s| if code { s.bytes.len() } else { s.memory_bytes as usize }).sum::<usize>()
    };
    let used = image.used - application;
    Ok(vec![
        bytes("nucleus", "text", size(true)),
        bytes("nucleus", "data", size(false)),
        bytes("minimal-system", "image", used),
        bytes("minimal-system", "pages", pages * PAGE),
        bytes("minimal-system", "total", used + pages * PAGE),
        bytes("minimal-system", "promised", promised * PAGE),
    ])
}
