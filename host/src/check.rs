//! `./pebble check`.
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
pub fn run(_root: &Path) -> Result<ExitCode> { Ok(ExitCode::SUCCESS) }
