//! Hostile domains that do random things (`tests/target/hostile_sequences.c`) on the strict machine, interrupted between any two
//! instructions, with windows mapped at the call and at the first access in turn, and, every other pair of runs, with a domain of protection that calls
//! by patches.

use super::{Campaign, Failure, Ran};
use crate::connection::Connection;
use crate::exec::{self, Built, On, Options};
use crate::qemu::{Console, Outcome};
use crate::strict_machine;
use crate::test::directives::missing;
use anyhow::Result;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use strict::Settings;

/// Steps of one boot.
const STEPS: u64 = 500;
/// Instructions that a step may take on average before the run has failed: fifty times what it takes.
const INSTRUCTIONS: u64 = 100_000_000;
const PROGRAM: &str = "tests/target/hostile_sequences.c";
const HELD: &str = "all that must hold has held";
const SYSTEMS: [&str; 2] = ["exec", "exec-touch"];
/// The system in which a domain of protection of the program's calls it by patches, and that with windows at the first access.
const PATCHED: &str = "patched";

/// The systems with a program on the strict machine, one for each way of windows.
pub struct Systems {
    program: String,
    names: [String; SYSTEMS.len()],
    built: [Built; SYSTEMS.len()],
}
/// A run on one of them.
pub struct One<'a> {
    pub system: usize,
    pub slices: Option<u32>,
    pub arguments: &'a [String],
    pub instructions: u64,
}
impl Systems {
    /// With the program in this file. `own`: in its own system in place of "exec".
    pub fn new(root: &Path, program: &str, own: &str) -> Result<Systems> {
        let names = SYSTEMS.map(|system| system.replacen("exec", own, 1));
        let build = |system: &str| {
            let options =
                Options { on: On::Strict, system: system.into(), file_name: root.join(program), ..Options::default() };
            exec::build_program(root, &options, Connection::Serial)
        };
        Ok(Systems { program: program.into(), built: [build(&names[0])?, build(&names[1])?], names })
    }
    pub fn system(&self, n: usize) -> &Built {
        &self.built[n]
    }
    /// A number that is another one where the system is another one.
    pub fn build(&self) -> Result<u64> {
        let mut hasher = DefaultHasher::new();
        for built in &self.built {
            built.image(&[])?.bytes.hash(&mut hasher);
        }
        Ok(hasher.finish())
    }
    /// Runs it; what came of it, and the fences that were asked for.
    pub fn run(&self, one: &One, settings: Settings) -> Result<(Outcome, Vec<strict::Fence>)> {
        let image = self.built[one.system].image(one.arguments)?;
        let settings = Settings { slices: one.slices.map(u64::from), limit: Some(one.instructions), ..settings };
        strict_machine::run_and_tell(&image, &Default::default(), settings, Console::Captured(None))
    }
    /// What repeats it.
    pub fn command(&self, one: &One) -> String {
        let slices = one.slices.map_or(String::new(), |seed| format!(" --slices {seed}"));
        let arguments: String = one.arguments.iter().map(|argument| format!(" {argument}")).collect();
        format!("./pebble exec --on strict{slices} --system {} {}{arguments}", self.names[one.system], self.program)
    }
}
/// Why an outcome is a failure: it has another status than 0, or lacks one of the lines `held`.
pub fn wrong(outcome: &Outcome, held: &[String]) -> Option<String> {
    let output = String::from_utf8_lossy(&outcome.heard.output);
    let status = exec::status(outcome, true);
    if status == 0 && missing(&output, held).is_none() {
        return None;
    }
    let printable = |line: &str| line.chars().filter(|c| !c.is_control()).collect::<String>();
    let mut last: Vec<String> = output.lines().rev().map(printable).filter(|line| !line.is_empty()).take(4).collect();
    last.reverse();
    let breach = outcome.breach.as_deref().unwrap_or("");
    Some(format!("status {status}\n{}\n{breach}", last.join("\n")))
}

pub struct Preemption {
    systems: [Systems; 2],
    build: u64,
}
impl Preemption {
    pub fn new(root: &Path) -> Result<Preemption> {
        let systems = [Systems::new(root, PROGRAM, "exec")?, Systems::new(root, PROGRAM, PATCHED)?];
        let build =
            systems.iter().try_fold(0u64, |sum, some| Ok::<_, anyhow::Error>(sum.rotate_left(1) ^ some.build()?))?;
        Ok(Preemption { systems, build })
    }
}
impl Campaign for Preemption {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, run: u64, seed: u32, most: u64) -> Result<Ran> {
        let steps = STEPS.min(most);
        let arguments = [seed.to_string(), "1".into(), steps.to_string()];
        let one = One {
            system: run as usize % SYSTEMS.len(),
            slices: Some(seed),
            arguments: &arguments,
            instructions: STEPS * INSTRUCTIONS,
        };
        let systems = &self.systems[run as usize / SYSTEMS.len() % self.systems.len()];
        let (outcome, _) = systems.run(&one, Settings::default())?;
        let failure = wrong(&outcome, &[HELD.into()]).map(|why| Failure { command: systems.command(&one), why });
        Ok(Ran { steps, failure })
    }
}
