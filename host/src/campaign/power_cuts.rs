//! The power is cut at random moments of a program that writes to a disk.

use super::{Campaign, Failure, Ran};
use crate::connection::Connection;
use crate::exec::{self, Options};
use crate::power_cuts::{Cut, WRITER};
use anyhow::Result;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

pub struct PowerCuts {
    root: PathBuf,
    build: u64,
}
impl PowerCuts {
    pub fn new(root: &Path) -> Result<PowerCuts> {
        let options = Options { system: "exec-devices".into(), file_name: root.join(WRITER), ..Options::default() };
        let mut hasher = DefaultHasher::new();
        exec::build_program(root, &options, Connection::Serial)?.image(&[])?.bytes.hash(&mut hasher);
        Ok(PowerCuts { root: root.into(), build: hasher.finish() })
    }
}
impl Campaign for PowerCuts {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, run: u64, seed: u32, _: u64) -> Result<Ran> {
        let cut = Cut::of(seed);
        let failure = cut
            .make(&self.root)
            .err()
            .map(|error| Failure { command: format!("run {run}: {cut:?}"), why: format!("{error:#}") });
        Ok(Ran { steps: 1, failure })
    }
}
