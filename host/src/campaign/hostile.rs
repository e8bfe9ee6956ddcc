//! The programs of `tests/hostile` on the strict machine, each run with time slices of its own, plain and in sandboxes, with
//! windows mapped at the call and at the first access.

use super::preemption::{One, Systems, wrong};
use super::{Campaign, Failure, Ran};
use anyhow::{Result, bail};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use strict::Settings;

const FOLDER: &str = "tests/hostile";
const HELD: &str = "the walls held";
/// Instructions after which a program has failed.
const INSTRUCTIONS: u64 = 20_000_000_000;
/// Sandboxes around the attacker: none, one, two.
const DEPTHS: u64 = 3;
/// What a program repeats often, it repeats this many times less often.
const FEWER: &str = "8";

pub struct Hostile {
    programs: Vec<Systems>,
    build: u64,
}
impl Hostile {
    pub fn new(root: &Path) -> Result<Hostile> {
        let mut programs = Vec::new();
        let mut hasher = DefaultHasher::new();
        for path in crate::build::files(&root.join(FOLDER), &["c", "rs"])? {
            let systems = Systems::new(root, &path.strip_prefix(root).unwrap_or(&path).to_string_lossy())?;
            systems.build()?.hash(&mut hasher);
            programs.push(systems);
        }
        if programs.is_empty() {
            bail!("{FOLDER} has no programs");
        }
        Ok(Hostile { programs, build: hasher.finish() })
    }
}
impl Campaign for Hostile {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, run: u64, seed: u32, _: u64) -> Result<Ran> {
        let count = self.programs.len() as u64;
        let (program, round) = (&self.programs[(run % count) as usize], run / count);
        let arguments = [(round / 2 % DEPTHS).to_string(), FEWER.into()];
        let one =
            One { system: (round % 2) as usize, slices: Some(seed), arguments: &arguments, instructions: INSTRUCTIONS };
        let (outcome, _) = program.run(&one, Settings::default())?;
        let failure = wrong(&outcome, HELD).map(|why| Failure { command: program.command(&one), why });
        Ok(Ran { steps: 1, failure })
    }
}
