//! Each fence is left out, one after the other, which some program must notice: so none is there for nothing, and each has a test
//! that fails without it.

use super::preemption::{One, Systems, wrong};
use super::{Campaign, Failure, Ran};
use anyhow::{Context, Result, bail, ensure};
use image::Program;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use strict::{Fence, Settings};

/// A program that asks for fences: its arguments, what it says when all is well, instructions after which it has failed (a few
/// times what it takes), whether windows at the first access are another way.
struct Asks {
    program: &'static str,
    /// Its system with windows at the call.
    system: &'static str,
    arguments: &'static str,
    held: &'static str,
    instructions: u64,
    systems: usize,
}
/// The one that notices most first.
const PROGRAMS: &[Asks] = &[
    Asks {
        program: "tests/target/fences.c",
        system: "exec",
        arguments: "",
        held: "every page is what it must be",
        instructions: 400_000_000,
        systems: 2,
    },
    Asks {
        program: "tests/target/hostile_sequences.c",
        system: "exec",
        arguments: "1 1 150",
        held: "all that must hold has held",
        instructions: 2_000_000_000,
        systems: 1,
    },
    Asks {
        program: "tests/target/protection_sequences.c",
        system: "exec",
        arguments: "1 1 400",
        held: "all that must hold has held",
        instructions: 2_000_000_000,
        systems: 1,
    },
    Asks {
        program: "tests/hostile/patches_meet_everything.c",
        system: "patched",
        arguments: "0 8",
        held: "the walls held in 0 sandboxes, 1 round of 8",
        instructions: 2_000_000_000,
        systems: 1,
    },
    Asks {
        program: "tests/hostile/protection_task_dies.c",
        system: "exec",
        arguments: "0 8",
        held: "the walls held in 0 sandboxes, 1 round of 8",
        instructions: 2_000_000_000,
        systems: 1,
    },
];

pub struct Fences {
    programs: Vec<Systems>,
    /// Each fence, and in which programs and systems it is asked for.
    fences: Vec<(Fence, Vec<(usize, usize)>)>,
    memory: Program,
    build: u64,
}
impl Fences {
    /// Those that the first `count` programs ask for.
    pub fn new(root: &Path, count: usize) -> Result<Fences> {
        let programs: Vec<Systems> =
            PROGRAMS.iter().take(count).map(|p| Systems::new(root, p.program, p.system)).collect::<Result<_>>()?;
        let mut hasher = DefaultHasher::new();
        let mut fences: Vec<(Fence, Vec<_>)> = Vec::new();
        for (n, program) in programs.iter().enumerate() {
            program.build()?.hash(&mut hasher);
            for system in 0..PROGRAMS[n].systems {
                let arguments = arguments(n);
                let (outcome, asked) = program.run(&one(n, system, &arguments), Settings::default())?;
                if let Some(why) = wrong(&outcome, &[PROGRAMS[n].held.into()]) {
                    bail!("{} fails with all fences: {why}", program.command(&one(n, system, &arguments)));
                }
                for fence in asked {
                    match fences.iter_mut().find(|(known, _)| *known == fence) {
                        Some((_, places)) => places.push((n, system)),
                        None => fences.push((fence, vec![(n, system)])),
                    }
                }
            }
        }
        let file = programs[0].system(0).program("memory").context("the memory manager")?;
        Ok(Fences { memory: Program::parse("memory", file)?, programs, fences, build: hasher.finish() })
    }
    /// Which program notices that a fence is left out, and how; `None`: none does.
    fn noticed(&self, n: usize) -> Result<Option<String>> {
        let (fence, places) = &self.fences[n];
        for &(program, system) in places {
            let settings = Settings { without: [*fence].into(), ..Settings::default() };
            let (outcome, _) = self.programs[program].run(&one(program, system, &arguments(program)), settings)?;
            if wrong(&outcome, &[PROGRAMS[program].held.into()]).is_some() {
                let how = outcome.breach.unwrap_or_else(|| "it fails, or comes to no end".into());
                return Ok(Some(format!("{} notices: {how}", PROGRAMS[program].program)));
            }
        }
        Ok(None)
    }
    /// Where a fence is asked for.
    fn name(&self, fence: Fence) -> String {
        if fence == 0 {
            return "portal code, at a return that closes windows".into();
        }
        let below = self.memory.symbols.iter().filter(|&(name, &at)| at <= fence && name.starts_with('_'));
        let nearest = below.max_by_key(|&(_, &at)| at);
        let name = nearest.map_or(String::new(), |(name, at)| format!(", {} + {:#x}", readable(name), fence - at));
        format!("the memory manager at {fence:#x}{name}")
    }
}
/// Functions with a fence for frames of a space that nobody is in any more, whose number has another fence when it is given out again: no program can
/// notice, but the model of a TLB does (`a_space_that_is_no_more_is_forgotten` in `servers/memory`).
const ON_THE_HOST: [&str; 2] = ["space_destroy", "view_destroy"];

/// Leaves out each that the first program asks for, as a test.
pub fn each_is_noticed(root: &Path) -> Result<()> {
    let fences = Fences::new(root, 1)?;
    ensure!(fences.fences.len() > 12, "only {} fences were asked for", fences.fences.len());
    for n in 0..fences.fences.len() {
        let name = fences.name(fences.fences[n].0);
        if !ON_THE_HOST.iter().any(|function| name.contains(function)) {
            fences.noticed(n)?.with_context(|| format!("{name}: nobody notices that it is left out"))?;
        }
    }
    Ok(())
}
fn arguments(program: usize) -> Vec<String> {
    PROGRAMS[program].arguments.split_whitespace().map(String::from).collect()
}
fn one(program: usize, system: usize, arguments: &[String]) -> One<'_> {
    One { system, slices: Some(program as u32 + 1), arguments, instructions: PROGRAMS[program].instructions }
}
/// The last identifier of a mangled name: each has its length before it (Rust RFC 2603).
fn readable(name: &str) -> &str {
    let mut last = name;
    let mut rest = name;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = rest[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - at);
        let begin = at + digits;
        let length = rest[at..begin].parse::<usize>().unwrap_or(0);
        match rest.get(begin..begin + length) {
            // What is between a crate's name and its disambiguator is no identifier of more than one letter and no capital.
            Some(part) if length > 1 && part.bytes().all(|b| b.is_ascii_lowercase() || b"_0123456789".contains(&b)) => {
                last = part;
                rest = &rest[begin + length..];
            }
            _ => rest = &rest[begin..],
        }
    }
    last
}
impl Campaign for Fences {
    fn build(&self) -> u64 {
        self.build
    }
    fn all(&self) -> Option<u64> {
        Some(self.fences.len() as u64)
    }
    fn run(&mut self, run: u64, _: u32, _: u64) -> Result<Ran> {
        let command = self.name(self.fences[run as usize].0);
        let noticed = self.noticed(run as usize)?;
        if let Some(how) = &noticed {
            eprintln!("\r{command}: {how}");
        }
        let why = "no program notices that this fence is left out".into();
        Ok(Ran { steps: 1, failure: noticed.is_none().then_some(Failure { command, why }) })
    }
}

#[cfg(test)]
mod tests {
    use super::readable;
    #[test]
    fn mangled_names_are_made_readable() {
        assert_eq!(readable("_RNvCs6hGmM2TZgPY_6memory12handle_fault"), "handle_fault");
        assert_eq!(readable("main"), "main");
    }
}
