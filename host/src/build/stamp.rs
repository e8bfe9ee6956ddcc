//! What cargo has built and would build again to the same: asking it costs more than to look at the times of all that it reads.
//!
//! A stamp is a file with the time at which a build began and what was asked for. It holds while nothing is newer; another build of the same
//! kind overwrites it, since cargo may then have linked the same packages with other features.

use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Where the sources of components are, and what says how they are built; of applications, the folders of those that are built.
const INPUTS: [&str; 10] = [
    "Cargo.toml",
    "Cargo.lock",
    ".cargo",
    "nucleus",
    "lib",
    "servers",
    "drivers",
    "services",
    "tests/extended",
    "tests/hosts",
];

/// The clock by which the system dates files may be so far behind [`SystemTime::now`]: a tick of its timer, and some.
const FILE_CLOCK: Duration = Duration::from_millis(50);

/// A stamp, and what it is to stand for.
pub struct Stamp {
    file: PathBuf,
    packages: Vec<String>,
    asked: String,
    began: SystemTime,
}
impl Stamp {
    /// That of a build of `packages`, of one `kind`.
    pub fn new(root: &Path, kind: &str, packages: &[String]) -> Stamp {
        let environment = std::env::vars().filter(|(name, _)| {
            ["CARGO", "RUST", "PEBBLE_CARGO", "PEBBLE_RUSTC"].iter().any(|start| name.starts_with(start))
        });
        let environment: Vec<String> = environment.map(|(name, value)| format!("{name}={value}")).collect();
        let asked = format!("{}\n{}", packages.join(" "), environment.join("\n"));
        Stamp {
            file: root.join("build/stamps").join(kind),
            packages: packages.to_vec(),
            asked,
            began: SystemTime::now(),
        }
    }
    /// Whether the build would make nothing new: `products` are there, and nothing that it reads has changed since it was made.
    pub fn holds(&self, root: &Path, products: &[PathBuf]) -> bool {
        let Ok(since) = fs::metadata(&self.file).and_then(|m| m.modified()) else { return false };
        let compilers = ["PEBBLE_CARGO", "PEBBLE_RUSTC"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
        let apps = self.packages.iter().map(|package| root.join("apps").join(package)).filter(|folder| folder.exists());
        let inputs = INPUTS.iter().map(|input| root.join(input)).chain(apps).chain(compilers);
        fs::read_to_string(&self.file).is_ok_and(|text| text == self.asked)
            && products.iter().all(|product| product.exists())
            && inputs.into_iter().all(|input| !newer(&input, since))
    }
    /// The build was made.
    pub fn put(&self) -> Result<()> {
        if let Some(folder) = self.file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&self.file, &self.asked).with_context(|| self.file.display().to_string())?;
        fs::File::options().append(true).open(&self.file)?.set_modified(self.began - FILE_CLOCK)?;
        Ok(())
    }
}
/// Whether a file, or something below a folder, has changed since then. A folder changes when a file in it comes or goes. What can not be
/// looked at counts as changed.
fn newer(path: &Path, since: SystemTime) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return true };
    if !metadata.modified().is_ok_and(|at| at < since) {
        return true;
    }
    if !metadata.is_dir() {
        return false;
    }
    let Ok(entries) = fs::read_dir(path) else { return true };
    entries.into_iter().any(|entry| entry.map_or(true, |entry| newer(&entry.path(), since)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree with all inputs, as old as an hour, and a stamp in it.
    fn tree() -> (tempfile::TempDir, Stamp) {
        let root = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - Duration::from_secs(3600);
        let age = |path: &Path| fs::File::open(path).unwrap().set_modified(old).unwrap();
        for input in INPUTS {
            let path = root.path().join(input);
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("a.rs"), "").unwrap();
            age(&path.join("a.rs"));
            age(&path);
        }
        let stamp = Stamp::new(root.path(), "small", &["nucleus".into()]);
        stamp.put().unwrap();
        (root, stamp)
    }
    #[test]
    fn a_stamp_holds_until_a_source_changes() {
        let (root, stamp) = tree();
        assert!(stamp.holds(root.path(), &[]));
        fs::write(root.path().join("lib/a.rs"), "new").unwrap();
        assert!(!stamp.holds(root.path(), &[]));
    }
    #[test]
    fn a_file_that_goes_ends_it() {
        let (root, stamp) = tree();
        fs::remove_file(root.path().join("drivers/a.rs")).unwrap();
        assert!(!stamp.holds(root.path(), &[]));
    }
    #[test]
    fn it_stands_for_one_build_and_its_products() {
        let (root, stamp) = tree();
        let other = Stamp::new(root.path(), "small", &["console".into()]);
        assert!(!other.holds(root.path(), &[]) && !stamp.holds(root.path(), &[root.path().join("product")]));
        other.put().unwrap();
        assert!(!stamp.holds(root.path(), &[]));
    }
}
