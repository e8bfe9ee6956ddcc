//! Manifests in `tests/manifests` that are wrong, one fault each: what is said of it before anything is booted. Their first lines,
//! `# expect TEXT`, are parts of it.

use super::Verdict;
use crate::{build, system};
use anyhow::{Result, bail};
use std::path::Path;
use std::time::Instant;

pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    for path in build::files(&root.join("tests/manifests"), &["toml"])? {
        let name = format!("manifests::{}", path.file_stem().unwrap_or_default().to_string_lossy());
        if wanted(&name) {
            let start = Instant::now();
            let failure = judge(root, &path).err().map(|e| format!("{e:#}"));
            let verdict = Verdict { name, failure, seconds: start.elapsed().as_secs_f64() };
            verdict.print();
            verdicts.push(verdict);
        }
    }
    Ok(verdicts)
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
