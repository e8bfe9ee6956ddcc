//! The programs of `tests/target` that try a sample of what they are for, each with all of it.

use super::{Campaign, Failure, Ran, sources};
use crate::test::target;
use anyhow::{Result, ensure};
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

pub struct Whole {
    root: PathBuf,
    programs: usize,
    build: u64,
}
impl Whole {
    pub fn new(root: &Path) -> Result<Whole> {
        let programs = target::whole(root)?;
        ensure!(!programs.is_empty(), "no program tries a sample");
        let mut hasher = DefaultHasher::new();
        sources::hash(root, &mut hasher)?;
        Ok(Whole { root: root.into(), programs: programs.len(), build: hasher.finish() })
    }
}
impl Campaign for Whole {
    fn build(&self) -> u64 {
        self.build
    }
    fn all(&self) -> Option<u64> {
        Some(self.programs as u64)
    }
    fn run(&mut self, run: u64, _: u32, _: u64) -> Result<Ran> {
        let (name, program) = target::whole(&self.root)?.swap_remove(run as usize);
        let failure =
            program().err().map(|why| Failure { command: format!("./pebble exec {name} 1"), why: format!("{why:#}") });
        Ok(Ran { steps: 1, failure })
    }
}
