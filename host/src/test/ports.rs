//! Software of others, with its own tests: see [`crate::port`].

use super::{Job, Verdict, Wanted};
use crate::port;
use anyhow::Result;
use std::path::Path;

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Result<Vec<Job<'a>>> {
    let names = port::names(root)?.into_iter().filter(|port| wanted(&format!("ports::{port}")));
    Ok(names.map(|port| Job::several(move || cases(root, &port))).collect())
}
/// The tests of a port; or that it could not be built.
fn cases(root: &Path, port: &str) -> Vec<Verdict> {
    match port::cases(root, port) {
        Ok(cases) => cases
            .iter()
            .map(|case| Verdict::of(format!("ports::{port}::{}", case.name), || port::judge(root, case)))
            .collect(),
        Err(error) => vec![Verdict::of(format!("ports::{port}"), || Err(error))],
    }
}
