//! Counting the instructions of a whole machine while it serves: a plugin of QEMU's (`count.c`) keeps the counts in a file.

use crate::qemu::scratch;
use anyhow::{Context, Result, bail, ensure};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::NamedTempFile;

const SOURCE: &str = "host/src/bench/services/count.c";
/// Numbers in the file; behind them is how many there were at the last mark.
const COUNTERS: usize = 3;
/// How often it is looked whether the guest is idle, and how many times it must be, in a row.
const LOOK: Duration = Duration::from_millis(1);
const LOOKS: usize = 5;

/// The plugin, and its files.
pub struct Counter {
    plugin: NamedTempFile,
    shared: NamedTempFile,
    marks: NamedTempFile,
}
impl Counter {
    pub fn new(root: &Path) -> Result<Counter> {
        let plugin = NamedTempFile::with_suffix(".so")?;
        let mut command = Command::new("cc");
        command.args(["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"]).arg(plugin.path());
        let said = command.arg(root.join(SOURCE)).output().context("cc")?;
        ensure!(said.status.success(), "{SOURCE}: {}", String::from_utf8_lossy(&said.stderr));
        Ok(Counter { plugin, shared: scratch()?, marks: NamedTempFile::new()? })
    }
    /// QEMU's arguments for a machine that is counted. Its time stands still while it executes nothing but waits for this machine, as
    /// little as an instruction's otherwise.
    pub fn arguments(&self) -> Vec<String> {
        let [plugin, shared, marks] = [&self.plugin, &self.shared, &self.marks].map(|file| file.path().display());
        let plugin = format!("{plugin},shared={shared},log={marks}");
        ["-icount", "shift=0,sleep=on", "-plugin", &plugin].map(String::from).to_vec()
    }
    fn words(&self) -> Result<[u64; COUNTERS + 1]> {
        let mut bytes = [0; (COUNTERS + 1) * size_of::<u64>()];
        self.shared.as_file().read_exact_at(&mut bytes, 0).context("the plugin counts nothing")?;
        let (words, _) = bytes.as_chunks();
        Ok(core::array::from_fn(|n| u64::from_ne_bytes(words[n])))
    }
    /// Instructions so far.
    pub fn count(&self) -> Result<u64> {
        Ok(self.words()?[..COUNTERS].iter().sum())
    }
    /// Instructions until the last mark.
    pub fn marked(&self) -> Result<u64> {
        Ok(self.words()?[COUNTERS])
    }
    /// Instructions so far, when the guest has been idle for a moment.
    pub fn idle(&self) -> Result<u64> {
        let (mut last, mut looks) = (self.count()?, 0);
        while looks < LOOKS {
            std::thread::sleep(LOOK);
            let now = self.count()?;
            looks = if now == last { looks + 1 } else { 0 };
            last = now;
        }
        Ok(last)
    }
    /// What the guest's marks say, after its end: of each pair of marks with one number, that number and the instructions between.
    pub fn marks(&self) -> Result<Vec<(usize, u64)>> {
        pairs(&std::fs::read_to_string(self.marks.path())?)
    }
}
fn pairs(log: &str) -> Result<Vec<(usize, u64)>> {
    let mut pairs = Vec::new();
    let mut first = None;
    for line in log.lines() {
        let mark = || -> Option<(usize, u64)> {
            let (number, count) = line.split_once(' ')?;
            Some((number.parse().ok()?, count.parse().ok()?))
        };
        let (number, count) = mark().with_context(|| format!("\"{line}\" is no mark"))?;
        match first.take() {
            None => first = Some((number, count)),
            Some((begun, before)) if begun == number => pairs.push((number, count - before)),
            Some((begun, _)) => bail!("mark {number} where {begun} was to end"),
        }
    }
    Ok(pairs)
}
/// The middle one.
pub fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn marks_are_read_in_pairs() {
        assert_eq!(pairs("1 100\n1 150\n2 200\n2 207\n1 300\n").unwrap(), [(1, 50), (2, 7)]);
        assert!(pairs("1 100\n2 150\n").is_err() && pairs("x\n").is_err());
    }
    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!((median(vec![9, 1, 5]), median(vec![])), (Some(5), None));
    }
}
