//! Extensions in `tests/linked`: each is built, and linked into the component `tests/extended` on the machine, which raises its events and prints what comes of
//! that. What it must print stands at the head of the extension's source, which is a file or, where it has a manifest, a folder.

use super::target::{check, run};
use super::{Job, Wanted, directives};
use crate::connection::Connection;
use crate::exec::{self, Options};
use crate::extension;
use anyhow::{Context, Result};
use std::path::Path;

const FOLDER: &str = "linked";
/// The file of one that is a folder, at whose head it stands.
const SOURCE: &str = "lib.rs";
/// The component that they are linked into, and the system around it.
const HOST: &str = "extended";

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Result<Vec<Job<'a>>> {
    let mut jobs = super::files(root, FOLDER, &["rs"], wanted, judge)?;
    // Those that have a manifest.
    for entry in std::fs::read_dir(root.join("tests").join(FOLDER))? {
        let path = entry?.path();
        let name = format!("{FOLDER}::{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() && wanted(&name) {
            let source = path.join(SOURCE);
            jobs.push(Job::of_file(name, source, move || judge(root, &path)));
        }
    }
    Ok(jobs)
}
fn judge(root: &Path, path: &Path) -> Result<()> {
    let source = if path.is_dir() { path.join(SOURCE) } else { path.into() };
    let d = directives::parse(&std::fs::read_to_string(source)?)?;
    let exports = root.join("tests").join(HOST).join("exports");
    extension::use_folder(&root.join("target/keys"));
    let file = extension::signed(root, path, &[exports])?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let own = format!("{name}.ext");
    let options = super::target::options(path, &d);
    let options =
        Options { system: HOST.into(), arguments: [vec![own.clone()], d.arguments.clone()].concat(), ..options };
    let built = exec::build_program_of(root, &options, HOST.into(), Connection::Serial).context(HOST)?;
    let image = built.with_files(vec![(own, file)]).image(&options.arguments)?;
    check(&d, &run(&image, &options, &d)?)
}
