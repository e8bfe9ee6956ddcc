//! Manifests in `tests/manifests` that are wrong, one fault each: what is said of it before anything is booted. Their first lines,
//! `# expect TEXT`, are parts of it.

use super::{Job, Wanted};
use crate::system;
use anyhow::{Result, bail};
use std::path::Path;

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Result<Vec<Job<'a>>> {
    super::files(root, "manifests", &["toml"], wanted, judge)
}
fn judge(root: &Path, path: &Path) -> Result<()> {
    let text = std::fs::read_to_string(path)?;
    let expected: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# expect ")).collect();
    if expected.is_empty() {
        bail!("it does not say what is expected");
    }
    let Err(error) = system::check_file(root, path) else { bail!("nothing was found wrong with it") };
    let said = format!("{error:#}");
    match expected.iter().find(|part| !said.contains(*part)) {
        Some(part) => bail!("no \"{part}\" in:\n{said}"),
        None => Ok(()),
    }
}
