//! The web console's interface, asked from this machine.

use super::Verdict;
use crate::web_console::{Running, has_entropy, refuses_without_entropy};
use anyhow::Result;
use std::path::Path;
use std::time::Instant;

fn interface(root: &Path) -> Result<()> {
    Running::start(root)?.ask(root, "interface.py", &[])
}

/// A test's name, and what it does.
type Test = (&'static str, fn(&Path) -> Result<()>);
const TESTS: [Test; 2] = [
    ("the_interface_answers_who_has_the_token_and_nobody_else", interface),
    ("without_a_source_of_random_bytes_it_does_not_start", refuses_without_entropy),
];

pub fn run(root: &Path, wanted: &dyn Fn(&str) -> bool) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    // What can be asked depends on whether there is a source of random bytes in the system.
    let asked = has_entropy(root).unwrap_or(true);
    for (name, test) in TESTS.into_iter().skip(!asked as usize) {
        let name = format!("webconsole::{name}");
        if wanted(&name) {
            let start = Instant::now();
            let failure = test(root).err().map(|e| format!("{e:#}"));
            let verdict = Verdict { name, failure, seconds: start.elapsed().as_secs_f64() };
            verdict.print();
            verdicts.push(verdict);
        }
    }
    verdicts
}
