//! What an extension is made of: source files in Rust, and a manifest of its own. Anything else in its folder could change what is compiled, or run on the
//! machine that compiles it, and is refused by its presence.

use crate::refusal::{Place, Refusals, Rule};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

/// The manifest's name.
pub const MANIFEST: &str = "extension.toml";
/// Bytes of all files together, files and folders below each other.
const SIZE: usize = 512 << 10;
const FILES: usize = 200;
const DEPTH: usize = 8;

/// Source, by names in the extension's folder; the first is the crate's.
pub struct Source {
    pub root: String,
    pub files: Vec<(String, String)>,
    /// The text of its manifest, where it has one.
    pub manifest: Option<String>,
    /// What it is called where no manifest says so.
    pub called: String,
}
fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') && !name.is_empty()
}
struct Reader<'r> {
    refusals: &'r mut Refusals,
    files: Vec<(String, String)>,
    left: usize,
}
impl Reader<'_> {
    fn refuse(&mut self, name: &str, why: &str) {
        self.refusals.add(Rule::Package, Place::whole(name), why);
    }
    fn file(&mut self, path: &Path, name: String) -> Result<()> {
        let length = usize::try_from(fs::metadata(path)?.len())?;
        let Some(left) = self.left.checked_sub(length) else {
            self.refuse(&name, "an extension's source has at most 512 KiB");
            return Ok(());
        };
        self.left = left;
        match String::from_utf8(fs::read(path).with_context(|| path.display().to_string())?) {
            Ok(text) => self.files.push((name, text)),
            Err(_) => self.refuse(&name, "is not text in UTF-8"),
        }
        Ok(())
    }
    fn folder(&mut self, path: &Path, prefix: &str, depth: usize) -> Result<()> {
        let mut entries = fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(|entry| entry.file_name());
        for entry in entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let whole = format!("{prefix}{name}");
            let kind = entry.file_type()?;
            let stem = name.strip_suffix(".rs");
            if kind.is_dir() && is_word(&name) && depth < DEPTH {
                self.folder(&entry.path(), &format!("{whole}/"), depth + 1)?;
            } else if name == "build.rs" && prefix.is_empty() {
                self.refuse(&whole, "is a build script: nothing of an extension runs where it is compiled");
            } else if kind.is_file() && self.files.len() < FILES && (stem.is_some_and(is_word) || whole == MANIFEST) {
                self.file(&entry.path(), whole)?;
            } else {
                self.refuse(&whole, "an extension is files of source and extension.toml, nothing else");
            }
        }
        Ok(())
    }
}
/// Reads one file of source, or a folder of it with `lib.rs` (or `src/lib.rs`).
pub fn read(path: &Path, refusals: &mut Refusals) -> Result<Option<Source>> {
    // A folder may be named by a path that ends in dots.
    let whole = fs::canonicalize(path).with_context(|| path.display().to_string())?;
    let called = whole.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let kind = fs::metadata(path).with_context(|| path.display().to_string())?;
    let mut reader = Reader { refusals, files: Vec::new(), left: SIZE };
    if kind.is_file() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.strip_suffix(".rs").is_some_and(is_word) {
            bail!("{}: an extension is a file that ends in .rs, or a folder", path.display());
        }
        reader.file(path, name.clone())?;
        let files = reader.files;
        return Ok((!files.is_empty()).then_some(Source { root: name, files, manifest: None, called }));
    }
    reader.folder(path, "", 0)?;
    let (manifests, files): (Vec<_>, Vec<_>) = reader.files.into_iter().partition(|(name, _)| name == MANIFEST);
    let manifest = manifests.into_iter().next().map(|(_, text)| text);
    let root = ["lib.rs", "src/lib.rs"].into_iter().find(|name| files.iter().any(|file| file.0 == *name));
    if root.is_none() {
        refusals.add(Rule::Package, Place::whole("lib.rs"), "is missing: it is where an extension begins");
    }
    Ok(root.map(|root| Source { root: root.into(), files, manifest, called }))
}
