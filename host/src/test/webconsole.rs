//! The web console's interface, asked from this machine.

use super::{Job, Own, Wanted};
use crate::web_console::{Running, has_entropy, refuses_without_entropy};
use anyhow::Result;
use std::path::Path;

fn interface(root: &Path) -> Result<()> {
    Running::start(root)?.ask(root, "interface.py", &[])
}

const TESTS: &[Own] = &[
    ("without_a_source_of_random_bytes_it_does_not_start", refuses_without_entropy),
    ("the_interface_answers_who_has_the_token_and_nobody_else", interface),
];

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Vec<Job<'a>> {
    // What can be asked depends on whether there is a source of random bytes in the system.
    let asked = has_entropy(root).unwrap_or(true);
    super::own("webconsole", &TESTS[..1 + asked as usize], root, wanted)
}
