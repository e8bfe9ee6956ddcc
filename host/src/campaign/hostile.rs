//! The programs of `tests/hostile` on the strict machine, each in the ways in which the tests run it, with time slices of its own.

use super::preemption::{One, Systems, wrong};
use super::{Campaign, Failure, Ran};
use crate::test::{directives, hostile};
use anyhow::{Context, Result, bail};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use strict::Settings;

const FOLDER: &str = "tests/hostile";
/// Instructions after which a program has failed.
const INSTRUCTIONS: u64 = 20_000_000_000;
/// What a program repeats often, it repeats this many times less often.
const FEWER: &str = "8";

struct Program {
    systems: Systems,
    /// Its system and its arguments in each way, and lines of its output.
    ways: Vec<(usize, Vec<String>, Vec<String>)>,
}
impl Program {
    fn new(root: &Path, file: &Path) -> Result<Program> {
        let file = file.strip_prefix(root).unwrap_or(file).to_string_lossy();
        let source = std::fs::read_to_string(root.join(&*file)).with_context(|| file.to_string())?;
        let directives = directives::parse(&source).with_context(|| file.to_string())?;
        if directives.status != 0 {
            bail!("{file}: a hostile program that has failed has another status than 0");
        }
        let ways = hostile::ways(&file, &directives)?.into_iter().map(|(_, way)| {
            let mut arguments = way.arguments;
            arguments[1] = FEWER.into();
            let held = [&directives.stdout[..], &[hostile::held(&arguments[0], FEWER)]].concat();
            (usize::from(way.system.ends_with("-touch")), arguments, held)
        });
        let mut ways: Vec<_> = ways.collect();
        ways.sort();
        ways.dedup();
        Ok(Program { systems: Systems::new(root, &file, &directives.system)?, ways })
    }
}

pub struct Hostile {
    programs: Vec<Program>,
    build: u64,
}
impl Hostile {
    pub fn new(root: &Path) -> Result<Hostile> {
        let mut programs = Vec::new();
        let mut hasher = DefaultHasher::new();
        for path in crate::build::files(&root.join(FOLDER), &["c", "rs"])? {
            let program = Program::new(root, &path)?;
            program.systems.build()?.hash(&mut hasher);
            programs.push(program);
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
        let (program, round) = (&self.programs[(run % count) as usize], (run / count) as usize);
        let (system, arguments, held) = &program.ways[round % program.ways.len()];
        let one = One { system: *system, slices: Some(seed), arguments, instructions: INSTRUCTIONS };
        let (outcome, _) = program.systems.run(&one, Settings::default())?;
        let failure = wrong(&outcome, held).map(|why| Failure { command: program.systems.command(&one), why });
        Ok(Ran { steps: 1, failure })
    }
}
