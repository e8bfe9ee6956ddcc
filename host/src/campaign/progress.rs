//! What a campaign has done so far, in a file.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A run that failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What repeats it.
    pub command: String,
    pub why: String,
}
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Of the system that it is of.
    pub build: u64,
    pub runs: u64,
    pub steps: u64,
    pub failures: Vec<Failure>,
}

impl Progress {
    pub fn new(build: u64) -> Progress {
        Progress { build, runs: 0, steps: 0, failures: Vec::new() }
    }
    /// One run more.
    pub fn add(&mut self, steps: u64, failure: Option<Failure>) {
        self.runs += 1;
        self.steps += steps;
        self.failures.extend(failure);
    }
    pub fn read(path: &Path) -> Result<Progress> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Progress::parse(&text).with_context(|| format!("{}: remove it, or use --anew", path.display()))
    }
    fn parse(text: &str) -> Result<Progress> {
        Ok(serde_json::from_str(text)?)
    }
    pub fn write(&self, path: &Path) -> Result<()> {
        crate::kept::write(path, self)
    }
    pub fn report(&self, name: &str, seed: u64) -> String {
        let Progress { runs, steps, failures, .. } = self;
        let mut text =
            format!("campaign {name}, seed {seed}: {steps} steps in {runs} runs, {} failed\n", failures.len());
        for failure in failures {
            text += &format!("\n{}\n  {}\n", failure.command, failure.why.trim_end().replace('\n', "\n  "));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn failure() -> Failure {
        Failure { command: "./pebble exec a.c 7".into(), why: "status 3\nlast words\n".into() }
    }
    #[test]
    fn what_was_done_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("campaigns/a-1.json");
        let mut progress = Progress::new(u64::MAX);
        for failure in [None, Some(failure())] {
            progress.add(500, failure);
            progress.write(&path).unwrap();
            assert_eq!(Progress::read(&path).unwrap(), progress);
        }
        assert_eq!((progress.runs, progress.steps), (2, 1000));
    }
    #[test]
    fn a_file_that_is_no_campaigns_is_refused() {
        for text in ["", "{}", "{\"build\":1,\"runs\":1,\"steps\":2,\"failures\":[],\"more\":3}", "{\"build\":\"x\"}"] {
            assert!(Progress::parse(text).is_err(), "{text}");
        }
    }
    #[test]
    fn the_report_says_how_to_repeat_what_failed() {
        let mut progress = Progress::new(1);
        progress.add(500, Some(failure()));
        let text = progress.report("preemption", 9);
        assert!(text.starts_with("campaign preemption, seed 9: 500 steps in 1 runs, 1 failed\n"));
        assert!(text.contains("\n./pebble exec a.c 7\n  status 3\n  last words\n"));
    }
}
