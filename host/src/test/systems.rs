//! The systems of the tree: each is built, and looked through for what `./pebble run` would refuse; those with a block called
//! "program" without that.

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
        if wanted(&name) {
            jobs.push(Job::of_file(name, path.clone(), move || system::check_file(root, &path)));
        }
    }
    Ok(jobs)
}
