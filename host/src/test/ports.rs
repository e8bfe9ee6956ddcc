//! Software of others, with its own tests: see [`crate::port`].

use super::{Job, Own, Verdict, Wanted};
use crate::power_cuts::with_disk;
use crate::{disk, port};
use anyhow::{Result, ensure};
use std::path::Path;

/// Tests that take more than one run of a port.
const OWN: &[Own] = &[("sqlite_keeps_a_database_on_a_disk", database)];

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Result<Vec<Job<'a>>> {
    let names = port::names(root)?.into_iter().filter(|port| wanted(&format!("ports::{port}")));
    let mut jobs: Vec<Job> = names.map(|port| Job::several(move || cases(root, &port))).collect();
    jobs.extend(super::own("ports", OWN, root, wanted));
    Ok(jobs)
}
/// The tests of a port; or that it could not be built.
fn cases(root: &Path, port: &str) -> Vec<Verdict> {
    match port::cases(root, port, port::Which::WithoutByHand) {
        Ok(cases) => cases
            .iter()
            .map(|case| Verdict::of(format!("ports::{port}::{}", case.name), || port::judge(root, case)))
            .collect(),
        Err(error) => vec![Verdict::of(format!("ports::{port}"), || Err(error))],
    }
}
/// What one run writes to a database on a disk, another one reads.
fn database(root: &Path) -> Result<()> {
    const ROWS: &str = "with recursive c(x) as (select 1 union all select x + 1 from c where x < 2000)";
    let program = port::program(root, "sqlite")?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    let run = |sql: &str| -> Result<String> {
        let arguments = ["disk/data.db", sql];
        let child = with_disk(root, &file, &program.display().to_string(), &arguments)?;
        Ok(String::from_utf8_lossy(&child.wait_with_output()?.stdout).into_owned())
    };
    let written = run(&format!(
        "create table t (a, b); {ROWS} insert into t select x, 'row ' || x from c; select count(*) from t;"
    ))?;
    ensure!(written == "2000\n", "written: {written}");
    let read = run("pragma integrity_check; select sum(a), max(b) from t;")?;
    ensure!(read == "ok\n2001000|row 999\n", "read: {read}");
    Ok(())
}
