//! What the tool keeps from one run to the next, as JSON, and other files that are replaced as a whole.

use anyhow::{Context, Result};
use serde::Serialize;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::NamedTempFile;

/// Replaces a file as a whole, so that it is always one or the other; its folder is made.
pub fn write(path: &Path, contents: &impl Serialize) -> Result<()> {
    replaced(path, |file| Ok(serde_json::to_writer_pretty(file, contents)?))
}
/// The same with bytes, for a file that others may read.
pub fn replace(path: &Path, contents: &[u8]) -> Result<()> {
    replaced(path, |file| {
        file.write_all(contents)?;
        Ok(file.as_file().set_permissions(Permissions::from_mode(0o644))?)
    })
}
fn replaced(path: &Path, write: impl FnOnce(&mut NamedTempFile) -> Result<()>) -> Result<()> {
    let written = || -> Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        write(&mut file)?;
        file.persist(path)?;
        Ok(())
    };
    written().with_context(|| path.display().to_string())
}
