//! What the tool keeps from one run to the next, as JSON.

use anyhow::{Context, Result};
use serde::Serialize;
use std::path::Path;

/// Replaces a file as a whole, so that it is always one or the other; its folder is made.
pub fn write(path: &Path, contents: &impl Serialize) -> Result<()> {
    let written = || -> Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut file, contents)?;
        file.persist(path)?;
        Ok(())
    };
    written().with_context(|| path.display().to_string())
}
