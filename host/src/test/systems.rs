//! The systems of the tree: each is built, and looked through for what `./pebble run` would refuse. Those with a block called
//! "program" wait for a program, and whatever runs one tests them.

use super::{Job, Wanted};
use crate::{build, system};
use anyhow::Result;
use std::path::Path;

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Result<Vec<Job<'a>>> {
    let mut jobs = Vec::new();
    let mut manifests = Vec::new();
    for folder in system::FOLDERS {
        manifests.extend(build::files(&root.join(folder), &["toml"])?);
    }
    for path in manifests {
        let system = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("systems::{system}");
        if wanted(&name) && whole(root, &system)? {
            jobs.push(Job::of_file(name, path.clone(), move || system::check_file(root, &path)));
        }
    }
    Ok(jobs)
}
/// Whether the manifest names the program of each component.
fn whole(root: &Path, system: &str) -> Result<bool> {
    Ok(system::load(root, system)?.components.iter().all(|component| component.image != "program"))
}
