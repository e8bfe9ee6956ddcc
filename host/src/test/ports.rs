//! Software of others, with its own tests: see [`crate::port`].

use super::Verdict;
use crate::port;
use anyhow::Result;
use std::path::Path;
use std::time::Instant;

pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::new();
    let verdict = |name: String, start: Instant, failure: Option<anyhow::Error>| {
        let failure = failure.map(|e| format!("{e:#}"));
        let verdict = Verdict { name, failure, seconds: start.elapsed().as_secs_f64() };
        verdict.print();
        verdict
    };
    for port in port::names(root)? {
        if !wanted(&format!("ports::{port}")) {
            continue;
        }
        let start = Instant::now();
        match port::cases(root, &port) {
            Ok(cases) => verdicts.extend(cases.iter().map(|case| {
                let start = Instant::now();
                verdict(format!("ports::{port}::{}", case.name), start, port::judge(root, case).err())
            })),
            Err(error) => verdicts.push(verdict(format!("ports::{port}"), start, Some(error))),
        }
    }
    Ok(verdicts)
}
