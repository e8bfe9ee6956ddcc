//! Mutants of a real program, executed on the machine in a fault domain: `tests/hosts` changes a few words of its code, and calls what the verifier
//! accepts still.

use super::{Campaign, Failure, Ran};
use crate::connection::Connection;
use crate::exec::{self, Isolation};
use crate::qemu::{self, Console, Machine};
use anyhow::Result;
use manifest::Form;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::Duration;

/// The program whose mutants they are.
const PROGRAM: &str = "tests/target/sfi_100_mutants_stay_inside.c";
const UNCHANGED: &str = "nothing outside has changed";
const NAMES: [&str; 3] = ["masks", "zba", "top"];
/// Mutants of one run.
const MUTANTS: u64 = 500;

/// The program in each form.
pub struct Mutants {
    forms: [(exec::Options, exec::Built); 3],
    build: u64,
}
impl Mutants {
    pub fn new(root: &Path) -> Result<Mutants> {
        let options = |form| exec::Options {
            isolation: Isolation::Sfi,
            form,
            host: Some("hosts".into()),
            system: "exec".into(),
            memory: 128,
            icount: Some(0),
            file_name: root.join(PROGRAM),
            ..exec::Options::default()
        };
        let mut hasher = DefaultHasher::new();
        let mut built = |form| {
            let options = options(form);
            let built = exec::build_program(root, &options, Connection::Serial)?;
            built.image(&[])?.bytes.hash(&mut hasher);
            anyhow::Ok((options, built))
        };
        let forms = [built(Form::Masks)?, built(Form::Zba)?, built(Form::Top)?];
        Ok(Mutants { forms, build: hasher.finish() })
    }
}
impl Campaign for Mutants {
    fn build(&self) -> u64 {
        self.build
    }
    fn run(&mut self, _: u64, seed: u32, most: u64) -> Result<Ran> {
        let steps = MUTANTS.min(most);
        // One form after the other.
        let n = seed as usize % NAMES.len();
        let (options, built) = &self.forms[n];
        let mut arguments = vec!["mutants".to_string(), steps.to_string(), seed.to_string()];
        arguments.push(NAMES[n].to_string());
        let machine = Machine { timeout: Some(Duration::from_secs(600)), ..exec::machine(options)? };
        let outcome = qemu::run(&built.image(&arguments)?, &machine, Console::Captured(None))?;
        let output = String::from_utf8_lossy(&outcome.heard.output);
        let held = exec::status(&outcome, true) == 0 && output.lines().any(|line| line == UNCHANGED);
        let failure = (!held).then(|| Failure {
            command: format!(
                "./pebble exec --icount --isolation sfi --form {} --host hosts {PROGRAM} {}",
                NAMES[n],
                arguments.join(" ")
            ),
            why: output.lines().rev().take(3).collect::<Vec<_>>().join("; "),
        });
        Ok(Ran { steps, failure })
    }
}
