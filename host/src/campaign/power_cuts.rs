//! The power is cut all over runs of a program that writes to a disk.

use super::{Campaign, Failure, Ran};
use crate::connection::Connection;
use crate::exec::{self, Options};
use crate::power_cuts::{Run, WRITER};
use anyhow::Result;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Cuts of one run of the program.
const CUTS: u64 = 1000;

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
    fn run(&mut self, run: u64, seed: u32, most: u64) -> Result<Ran> {
        let steps = CUTS.min(most);
        let failure = Run::of(&self.root)?
            .cut(steps as usize, seed.into())
            .err()
            .map(|error| Failure { command: format!("run {run}, seed {seed}"), why: format!("{error:#}") });
        Ok(Ran { steps, failure })
    }
}
