//! `./pebble new`.
use anyhow::Result;
use std::path::Path;
use std::process::ExitCode;
pub fn create(_root: &Path, _name: &str, _lang: &str) -> Result<ExitCode> { Ok(ExitCode::SUCCESS) }
