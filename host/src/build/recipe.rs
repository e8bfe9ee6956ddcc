//! What a component is made of, where that is more than one file: sources, options of the compiler, folders of headers, libraries. A
//! manifest block has these keys, a folder has them in its `component.toml`, and `exec` has options for them.

use anyhow::{Context, Result, bail};
use manifest::Component;
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the file in a component's folder.
pub const FILE: &str = "component.toml";
/// Endings of sources that the C compiler takes.
pub const C_SOURCES: [&str; 5] = ["c", "S", "cc", "cpp", "cxx"];

/// The keys. Files and folders are given from the place that the keys stand at: the repository in a manifest, the folder itself in
/// `component.toml`, the current folder on the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Recipe {
    /// Patterns of files, `*` for any part of a name.
    pub sources: Vec<String>,
    /// Files that the patterns of `sources` match and that are left out.
    pub exclude: Vec<String>,
    /// Options of the compiler.
    pub cflags: Vec<String>,
    /// Folders of headers.
    pub include: Vec<PathBuf>,
    /// Names as after `-l`, or paths of `.a` and `.o` files.
    pub libraries: Vec<String>,
    /// A recipe of `ports`, which is added to this one when its sources are there.
    pub port: Option<String>,
    /// The program, where a package of cargo's has several.
    pub binary: Option<String>,
}
impl Recipe {
    /// That of a manifest block.
    pub fn of(component: &Component) -> Recipe {
        let Component { sources, exclude, cflags, include, libraries, port, binary, .. } = component.clone();
        let include = include.into_iter().map(PathBuf::from).collect();
        Recipe { sources, exclude, cflags, include, libraries, port, binary }
    }
    pub fn is_empty(&self) -> bool {
        *self == Recipe::default()
    }
    /// The one in a folder: what its `component.toml` says, else all C files in it.
    pub fn of_folder(folder: &Path) -> Result<Recipe> {
        let file = folder.join(FILE);
        let mut recipe = if file.exists() {
            let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            toml::from_str(&text).with_context(|| file.display().to_string())?
        } else {
            Recipe::default()
        };
        if recipe.sources.is_empty() {
            recipe.sources = C_SOURCES.iter().map(|ending| format!("*.{ending}")).collect();
        }
        Ok(recipe.from(folder))
    }
    /// The same with all paths from `folder`.
    pub fn from(mut self, folder: &Path) -> Recipe {
        let place = |name: &String| folder.join(name).to_string_lossy().into_owned();
        self.sources = self.sources.iter().map(place).collect();
        self.exclude = self.exclude.iter().map(place).collect();
        self.include = self.include.iter().map(|path| folder.join(path)).collect();
        let is_file = |name: &String| name.ends_with(".a") || name.ends_with(".o");
        self.libraries.iter_mut().filter(|l| is_file(l)).for_each(|l| *l = place(l));
        self
    }
    /// Adds what another one has.
    pub fn add(&mut self, other: Recipe) {
        self.sources.extend(other.sources);
        self.exclude.extend(other.exclude);
        self.cflags.extend(other.cflags);
        self.include.extend(other.include);
        self.libraries.extend(other.libraries);
        self.port = other.port.or(self.port.take());
        self.binary = other.binary.or(self.binary.take());
    }
    /// The folders of its patterns, in which another file may come to be one of its sources.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.sources.iter().filter(|pattern| pattern.contains('*')).filter_map(|pattern| Path::new(pattern).parent())
    }
    /// The files that its patterns match, each once, in the order of their names.
    pub fn files(&self) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for pattern in &self.sources {
            let matched = matches(pattern)?;
            // The folder's own patterns need not all match.
            if matched.is_empty() && !pattern.contains('*') {
                bail!("{pattern}: no such source file");
            }
            found.extend(matched);
        }
        for pattern in &self.exclude {
            let out = matches(pattern)?;
            if out.is_empty() {
                bail!("{pattern}: no file of this name is left out");
            }
            found.retain(|file| !out.contains(file));
        }
        found.sort();
        found.dedup();
        if found.is_empty() {
            bail!("no source file matches {}", self.sources.join(", "));
        }
        Ok(found)
    }
}
fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let paths = glob::glob(pattern).with_context(|| format!("\"{pattern}\" is no pattern of file names"))?;
    Ok(paths.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            fs::write(folder.path().join(file), "").unwrap();
        }
        folder
    }
    fn names(recipe: &Recipe) -> Vec<String> {
        let files = recipe.files().unwrap();
        files.iter().map(|f| f.file_name().unwrap().to_string_lossy().into_owned()).collect()
    }
    #[test]
    fn a_folder_is_all_its_c_files() {
        let folder = folder(&["b.c", "a.c", "a.h", "c.cc"]);
        assert_eq!(names(&Recipe::of_folder(folder.path()).unwrap()), ["a.c", "b.c", "c.cc"]);
    }
    #[test]
    fn a_folders_file_says_what_is_left_out() {
        let folder = folder(&["b.c", "a.c"]);
        fs::write(folder.path().join(FILE), "exclude = [\"b.c\"]\ncflags = [\"-DX\"]\nlibraries = [\"m\", \"x.a\"]")
            .unwrap();
        let recipe = Recipe::of_folder(folder.path()).unwrap();
        assert_eq!((names(&recipe), recipe.cflags.join(" ")), (vec!["a.c".to_string()], "-DX".to_string()));
        assert_eq!(recipe.libraries, ["m".to_string(), folder.path().join("x.a").to_string_lossy().into_owned()]);
    }
    #[test]
    fn an_unknown_key_of_a_folders_file_is_refused() {
        let folder = folder(&["a.c"]);
        fs::write(folder.path().join(FILE), "flags = []").unwrap();
        let error = format!("{:#}", Recipe::of_folder(folder.path()).unwrap_err());
        assert!(error.contains("unknown field `flags`") && error.contains(FILE), "{error}");
    }
    #[test]
    fn a_source_that_is_not_there_is_refused() {
        let recipe = Recipe { sources: vec!["/nonexistent/a.c".into()], ..Recipe::default() };
        assert!(recipe.files().unwrap_err().to_string().contains("/nonexistent/a.c"));
    }
    #[test]
    fn a_folder_without_sources_is_refused() {
        let folder = folder(&["a.h"]);
        assert!(Recipe::of_folder(folder.path()).unwrap().files().unwrap_err().to_string().contains("no source file"));
    }
}
