//! `./pebble campaign`: long tests that CI does not run. A campaign is many runs, each of which follows from the campaign's seed
//! and its own number; what was done is kept in `target/campaigns`, so that one that was stopped goes on.

mod browser;
mod copy;
pub mod faults;
pub mod fences;
pub mod fuzz;
mod hostile;
mod left_out;
mod logic;
mod mutants;
mod power_cuts;
mod preemption;
mod progress;
mod properties;
mod reboot;
mod soak;
mod sources;
mod stream;
mod verifier;
mod whole;

use anyhow::{Result, bail};
use progress::{Failure, Progress};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Options {
    /// Which one; without, all are listed
    pub name: Option<String>,
    /// What all of it follows from
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many steps; the campaign says what a step is
    #[arg(long)]
    pub steps: Option<u64>,
    /// Begin anew, whatever was done
    #[arg(long)]
    pub anew: bool,
    /// Of a campaign that begins: leave out so many runs, which were done elsewhere
    #[arg(long, default_value_t = 0)]
    pub first: u64,
    /// Only the run with this seed of its own, as a failure says it; what was done stays as it is
    #[arg(long)]
    pub only: Option<u32>,
}

/// What became of one run.
struct Ran {
    steps: u64,
    failure: Option<Failure>,
}
/// What is done again and again.
trait Campaign {
    /// What it is of: results of another system are not added to its own.
    fn build(&self) -> u64;
    /// Steps that there are; `None`: without end.
    fn all(&self) -> Option<u64> {
        None
    }
    /// Run number `run`, at most `most` steps, with a seed of its own.
    fn run(&mut self, run: u64, seed: u32, most: u64) -> Result<Ran>;
    /// What there is to say of all of them besides.
    fn report(&self) -> Result<Option<String>> {
        Ok(None)
    }
}
/// A campaign: its name, what it does, its steps if none are given, how it is made.
struct Kind {
    name: &'static str,
    about: &'static str,
    steps: u64,
    make: fn(&Path) -> Result<Box<dyn Campaign>>,
}
const KINDS: &[Kind] = &[
    Kind {
        name: "preemption",
        about: "hostile domains do random things, interrupted between any two instructions; a step is one thing, after which \
                all tables are looked through",
        steps: 1_000_000,
        make: |root| Ok(Box::new(preemption::Preemption::new(root)?)),
    },
    Kind {
        name: "hostile",
        about: "the programs of tests/hostile, interrupted between any two instructions; a step is a program",
        steps: 1_000,
        make: |root| Ok(Box::new(hostile::Hostile::new(root)?)),
    },
    Kind {
        name: "fences",
        about: "each fence of the memory manager's and of portal code is left out, which a program must notice; a step is a fence",
        steps: u64::MAX,
        make: |root| Ok(Box::new(fences::Fences::new(root, usize::MAX)?)),
    },
    Kind {
        name: "faults",
        about: "instructions, data, registers, arguments and answers of components are changed while clients use them, which must go on; a step is a fault",
        steps: 100_000,
        make: |root| Ok(Box::new(faults::Faults::new(root)?)),
    },
    Kind {
        name: "left-out",
        about: "each check, fence, limit and flush of tests/left_out.toml is left out of a copy of the sources, which a test must notice; a step \
                is one of them",
        steps: u64::MAX,
        make: |root| Ok(Box::new(left_out::LeftOut::new(root)?)),
    },
    Kind {
        name: "logic",
        about: "functions of the crates that are tested on this machine are changed by cargo-mutants, which a test must notice; a step is a change",
        steps: 1_000,
        make: |root| Ok(Box::new(logic::Logic::new(root)?)),
    },
    Kind {
        name: "properties",
        about: "the property tests of a package that is tested on this machine, with twenty times as many cases as in the tests, and others; a step is a package",
        steps: 110,
        make: |root| Ok(Box::new(properties::Properties::new(root)?)),
    },
    Kind {
        name: "whole",
        about: "programs of tests/target that try a sample of what they are for, each with all of it; a step is a program",
        steps: u64::MAX,
        make: |root| Ok(Box::new(whole::Whole::new(root)?)),
    },
    Kind {
        name: "soak",
        about: "TCP over a cable that loses frames, with peers that are idle, slow, gone and back again, which is to lose no connection and no memory; \
                a step is a minute",
        steps: 60,
        make: |root| Ok(Box::new(soak::Soak::new(root)?)),
    },
    Kind {
        name: "browser",
        about: "clicks and keys on the web console in a headless Chromium, and pictures of it; a step is a boot",
        steps: 1,
        make: |root| Ok(Box::new(browser::Browser::new(root)?)),
    },
    Kind {
        name: "mutants",
        about: "mutants of a real program that the verifier accepts, executed in a fault domain; a step is a mutant",
        steps: 10_000,
        make: |root| Ok(Box::new(mutants::Mutants::new(root)?)),
    },
    Kind {
        name: "verifier",
        about: "random and mutated code through the verifier of fault domains, on this machine; a step is a word",
        steps: 1_000_000_000,
        make: |root| Ok(Box::new(verifier::Verifier::new(root)?)),
    },
    Kind {
        name: "stream",
        about: "random bytes through a program's standard input and output, all of them compared; a step is a MiB",
        steps: 1024,
        make: |root| Ok(Box::new(stream::Stream::new(root)?)),
    },
    Kind {
        name: "fuzz",
        about: "broken frames, answers of DHCP and DNS, requests of HTTP and images of disks, on this machine; a step is one of them",
        steps: 1_000_000,
        make: |root| Ok(Box::new(fuzz::Fuzz::new(root)?)),
    },
    Kind {
        name: "reboot",
        about: "100 MB are written to a disk, synced, and read back after a reboot; a step is that, once",
        steps: 1,
        make: |root| Ok(Box::new(reboot::Reboot::new(root)?)),
    },
    Kind {
        name: "power-cuts",
        about: "the power is cut all over the run of a program that writes to a disk with a cache and syncs: it must mount, with all that was synced; a step is a cut",
        steps: 20_000,
        make: |root| Ok(Box::new(power_cuts::PowerCuts::new(root)?)),
    },
];

/// The seed of run `run`: 31 bits, not 0, which look random (splitmix64).
fn seed_of(seed: u64, run: u64) -> u32 {
    let mix = |value: u64| {
        let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ value >> 31
    };
    let random = mix(mix(seed.wrapping_add(0x9e37_79b9_7f4a_7c15)) ^ run.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (random as u32 & 0x7fff_ffff).max(1)
}

fn find(name: &str) -> Result<&'static Kind> {
    match KINDS.iter().find(|kind| kind.name == name) {
        Some(kind) => Ok(kind),
        None => {
            let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            bail!("there is no campaign \"{name}\"; there are {}", names.join(", "))
        }
    }
}

pub fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let Some(name) = &options.name else {
        for kind in KINDS {
            println!("{:12} {}", kind.name, kind.about);
        }
        return Ok(ExitCode::SUCCESS);
    };
    let kind = find(name)?;
    let mut campaign = (kind.make)(root)?;
    if let Some(seed) = options.only {
        return only(campaign.as_mut(), seed, options.steps.unwrap_or(u64::MAX));
    }
    let all = campaign.all().map_or(u64::MAX, |all| all.saturating_sub(options.first));
    let steps = options.steps.unwrap_or(kind.steps).min(all);
    let path = root.join("target/campaigns").join(format!("{name}-{}.json", options.seed));
    let mut progress = Progress { runs: options.first, ..Progress::new(campaign.build()) };
    if !options.anew && path.exists() {
        let known = Progress::read(&path)?;
        if known.build == progress.build {
            eprintln!("pebble: going on behind step {} ({})", known.steps, path.display());
            progress = known;
        } else {
            eprintln!("pebble: the system has changed since: from the start");
        }
    }
    let start = (Instant::now(), progress.steps);
    while progress.steps < steps {
        let ran = campaign.run(progress.runs, seed_of(options.seed, progress.runs), steps - progress.steps)?;
        progress.add(ran.steps, ran.failure);
        progress.write(&path)?;
        let rate = (progress.steps - start.1) as f64 / start.0.elapsed().as_secs_f64();
        let failures = progress.failures.len();
        eprint!("\rpebble: {name}: {} of {steps} steps, {failures} failures, {rate:.1} steps/s ", progress.steps);
        std::io::stderr().flush()?;
    }
    eprintln!();
    print!("{}", progress.report(name, options.seed));
    if let Some(more) = campaign.report()? {
        println!("\n{more}");
    }
    Ok(ExitCode::from(!progress.failures.is_empty() as u8))
}

/// One run by its own seed, and what failed in it.
fn only(campaign: &mut dyn Campaign, seed: u32, most: u64) -> Result<ExitCode> {
    let ran = campaign.run(0, seed, most)?;
    println!("{} steps", ran.steps);
    if let Some(Failure { why, .. }) = &ran.failure {
        println!("{why}");
    }
    Ok(ExitCode::from(ran.failure.is_some() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn an_unknown_campaign_is_refused() {
        let message = find("sightseeing").err().unwrap().to_string();
        assert!(message.contains("\"sightseeing\"") && message.contains("preemption, "));
    }
    #[test]
    fn each_run_has_a_seed_of_its_own_which_is_always_the_same() {
        let mut seeds: Vec<u32> = (0..10_000).map(|run| seed_of(1, run)).collect();
        assert_eq!(seeds[77], seed_of(1, 77));
        assert_ne!(seeds[77], seed_of(2, 77));
        assert!(!seeds.contains(&0));
        seeds.sort();
        seeds.dedup();
        assert_eq!(seeds.len(), 10_000);
    }
}
