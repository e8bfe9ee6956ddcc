//! The sources, as they are.

use anyhow::{Context, Result, ensure};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files that git knows below `folder`, or would, from there.
pub fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut command = Command::new("git");
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "."]).current_dir(folder);
    let output = command.output().context("git could not be started")?;
    ensure!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim());
    let names = output.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    let files = names.map(|name| Ok(PathBuf::from(std::str::from_utf8(name)?))).collect::<Result<Vec<_>>>()?;
    Ok(files.into_iter().filter(|file| folder.join(file).is_file()).collect())
}
/// Their contents, in the order of their names.
pub fn hash(root: &Path, hasher: &mut impl Hasher) -> Result<()> {
    for file in sources(root)? {
        std::fs::read(root.join(&file)).with_context(|| file.display().to_string())?.hash(hasher);
    }
    Ok(())
}
