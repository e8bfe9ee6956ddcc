//! A copy of the sources, in which a campaign changes something and builds: nothing in the sources themselves knows of it.

use super::sources::sources;
use crate::kept;
use anyhow::{Context, Result};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// What was copied to the copy, as JSON, from there.
const COPIED: &str = "copied.json";

/// What becomes of a file's content in the copy.
pub type Change<'a> = dyn Fn(&PathBuf, Vec<u8>) -> Result<Vec<u8>> + 'a;

pub struct Copy {
    root: PathBuf,
    folder: PathBuf,
}
impl Copy {
    /// That of the sources at `root` which the campaign `name` has. Not below them: cargo joins what the folders above a package configure, so that a copy
    /// there would be linked by two link scripts.
    pub fn of(root: &Path, name: &str) -> Result<Copy> {
        let caches = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let caches = caches.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache")));
        let caches = caches.context("neither XDG_CACHE_HOME nor HOME says where a copy could be")?;
        let mut hasher = DefaultHasher::new();
        root.canonicalize()?.hash(&mut hasher);
        let folder = caches.join(format!("pebble/{name}-{:016x}", hasher.finish()));
        Ok(Copy { root: root.into(), folder })
    }
    pub fn folder(&self) -> &Path {
        &self.folder
    }
    /// Makes it what the sources are, but for what `changed` makes of a file's content.
    pub fn update(&self, changed: &Change) -> Result<()> {
        let files = sources(&self.root)?;
        for file in &files {
            let (from, to) = (self.root.join(file), self.folder.join(file));
            let content = changed(file, std::fs::read(&from)?)?;
            // What stays the same keeps its time, and is not built again.
            if std::fs::read(&to).is_ok_and(|known| known == content) {
                continue;
            }
            std::fs::create_dir_all(to.parent().context("a file without a folder")?)?;
            std::fs::write(&to, content)?;
            std::fs::set_permissions(&to, std::fs::metadata(&from)?.permissions())?;
        }
        let copied = self.folder.join(COPIED);
        let before: HashSet<PathBuf> = match std::fs::read_to_string(&copied) {
            Ok(text) => serde_json::from_str(&text).context(COPIED)?,
            Err(_) => HashSet::new(),
        };
        for file in before.iter().filter(|file| !files.contains(file)) {
            std::fs::remove_file(self.folder.join(file))?;
        }
        kept::write(&copied, &files)
    }
}
