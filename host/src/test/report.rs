//! What a run of the tests came to: how long each took, which is kept for `--slowest`, and a report of the whole.

use super::Verdict;
use crate::kept;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the times are kept, from the root.
const TIMES: &str = "target/tests/times.json";
/// How many of the slowest are in a report.
const SLOWEST: usize = 10;

/// Seconds by the names of tests.
type Times = BTreeMap<String, f64>;

/// A report that is to be written, of the tree as it was when it was begun.
pub struct Report {
    file: PathBuf,
    tree: String,
}
/// What is in its file.
#[derive(Serialize)]
struct Contents<'a> {
    /// Git's hash of the tree that was tested: that of `git rev-parse HEAD^{tree}` where nothing was changed since.
    tree: &'a str,
    passed: usize,
    failed: usize,
    /// Seconds of each part.
    seconds: serde_json::Map<String, serde_json::Value>,
    slowest: Vec<Slow<'a>>,
    /// Those that failed.
    failures: Vec<&'a str>,
}
#[derive(Serialize)]
struct Slow<'a> {
    name: &'a str,
    seconds: f64,
}
impl Report {
    /// One of the tree as it is now, to be written to `file`; what an earlier run has left there goes.
    pub fn begin(root: &Path, file: &Path) -> Result<Report> {
        match std::fs::remove_file(file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| file.display().to_string())
            }
            _ => Ok(Report { file: file.to_path_buf(), tree: tree(root)? }),
        }
    }
    /// Writes it, whole or not at all; `parts` have the seconds of each, in their order.
    pub fn write(&self, parts: &[(String, f64)], verdicts: &[Verdict]) -> Result<()> {
        let times = verdicts.iter().map(|v| (v.name.as_str(), v.seconds)).collect();
        let failures: Vec<&str> = verdicts.iter().filter(|v| v.failure.is_some()).map(|v| v.name.as_str()).collect();
        let contents = Contents {
            tree: &self.tree,
            passed: verdicts.len() - failures.len(),
            failed: failures.len(),
            seconds: parts.iter().map(|(name, seconds)| (name.clone(), tenths(*seconds).into())).collect(),
            slowest: slowest(times, SLOWEST),
            failures,
        };
        kept::write(&self.file, &contents)
    }
}
/// Git's hash of all files as they are, those that it does not track and does not ignore included.
fn tree(root: &Path) -> Result<String> {
    // An index of its own, so that nobody's is changed.
    let folder = tempfile::tempdir()?;
    let git = |words: &[&str]| -> Result<String> {
        let mut command = Command::new("git");
        command.args(words).current_dir(root).env("GIT_INDEX_FILE", folder.path().join("index"));
        let output = command.output().context("git could not be started")?;
        if !output.status.success() {
            bail!("git {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().into())
    };
    git(&["read-tree", "HEAD"])?;
    git(&["add", "--all"])?;
    git(&["write-tree"])
}
/// Seconds as they are told.
fn tenths(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}
/// The `count` that took longest, the longest first.
fn slowest<'a>(mut times: Vec<(&'a str, f64)>, count: usize) -> Vec<Slow<'a>> {
    times.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
    times.into_iter().take(count).map(|(name, seconds)| Slow { name, seconds: tenths(seconds) }).collect()
}
fn times(root: &Path) -> Times {
    // What can not be read is as if nothing had been run.
    let text = std::fs::read_to_string(root.join(TIMES)).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}
/// Keeps how long each took. Where `all` were run, what is not among them is no test any more.
pub fn keep(root: &Path, verdicts: &[Verdict], all: bool) -> Result<()> {
    let mut times = if all { Times::new() } else { times(root) };
    times.extend(verdicts.iter().map(|v| (v.name.clone(), v.seconds)));
    kept::write(&root.join(TIMES), &times)
}
/// Prints the `count` that took longest when each was last run.
pub fn show_slowest(root: &Path, count: usize) -> Result<()> {
    let times = times(root);
    if times.is_empty() {
        bail!("no test has been run in this tree yet");
    }
    for Slow { name, seconds } in
        slowest(times.iter().map(|(name, seconds)| (name.as_str(), *seconds)).collect(), count)
    {
        println!("{seconds:7.1} s  {name}");
    }
    let (sum, most) = (times.values().sum::<f64>(), times.len());
    println!("{most} tests took {sum:.0} s, several at a time");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(all: &[(&str, f64, bool)]) -> Vec<Verdict> {
        let of = |&(name, seconds, passed): &(&str, f64, bool)| Verdict {
            name: name.into(),
            failure: (!passed).then(|| "why".into()),
            seconds,
            inputs: Default::default(),
        };
        all.iter().map(of).collect()
    }
    fn git(root: &Path, words: &[&str]) -> String {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"];
        let output = Command::new("git").args(identity).args(words).current_dir(root).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().into()
    }
    #[test]
    fn a_report_has_the_tree_as_it_is_the_parts_and_the_slowest() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q"]);
        std::fs::write(root.join("a"), "one").unwrap();
        git(root, &["add", "a"]);
        git(root, &["commit", "-qm", "m"]);
        let committed = git(root, &["rev-parse", "HEAD^{tree}"]);
        let elsewhere = tempfile::tempdir().unwrap();
        let file = elsewhere.path().join("ci/passed.json");
        let report = Report::begin(root, &file).unwrap();
        report
            .write(
                &[("check".into(), 12.34)],
                &verdicts(&[("quick", 0.1, true), ("wrong", 3.0, false), ("slow", 7.0, true)]),
            )
            .unwrap();
        let said: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!((&said["tree"], &said["passed"], &said["failed"]), (&committed.into(), &2.into(), &1.into()));
        assert_eq!((&said["seconds"]["check"], &said["failures"][0]), (&12.3.into(), &"wrong".into()));
        assert_eq!((&said["slowest"][0]["name"], &said["slowest"][0]["seconds"]), (&"slow".into(), &7.0.into()));
        // What is changed is another tree, in whichever way; and the last report is gone before the next run.
        for (name, text) in [("a", "two"), ("b", "new")] {
            std::fs::write(root.join(name), text).unwrap();
            let other = Report::begin(root, &file).unwrap().tree;
            assert_ne!(said["tree"], other.as_str());
            git(root, &["add", "--all"]);
            assert_eq!(git(root, &["write-tree"]), other);
            assert!(!file.exists());
        }
    }
    #[test]
    fn times_of_a_part_are_added_and_those_of_all_are_all() {
        let folder = tempfile::tempdir().unwrap();
        keep(folder.path(), &verdicts(&[("a", 1.0, true), ("b", 2.0, true)]), true).unwrap();
        keep(folder.path(), &verdicts(&[("b", 3.0, true)]), false).unwrap();
        assert_eq!(times(folder.path()), Times::from([("a".into(), 1.0), ("b".into(), 3.0)]));
        keep(folder.path(), &verdicts(&[("c", 4.0, true)]), true).unwrap();
        assert_eq!(times(folder.path()), Times::from([("c".into(), 4.0)]));
    }
    #[test]
    fn the_slowest_are_in_order() {
        let names: Vec<&str> =
            slowest(vec![("a", 1.0), ("b", 9.0), ("c", 5.0)], 2).into_iter().map(|slow| slow.name).collect();
        assert_eq!(names, ["b", "c"]);
    }
}
