//! `exec --calls`: the program runs under the shell's `trace`, which shows the calls of portals whose names match.

use crate::system;
use anyhow::{Context, Result, bail};
use manifest::{Component, Restart, System};
use std::path::Path;

/// What the shell is called in the program's system, and the system whose shell it is.
const NAME: &str = "trace";
const SHELL_OF: &str = "default";

/// Has a shell trace `pattern` while it runs the system's main component, which is called `program` there.
pub fn trace(root: &Path, system: &mut System, pattern: &str, program: &str) -> Result<()> {
    if system.components.iter().any(|c| c.name == NAME) {
        bail!("--calls: the system has a component called \"{NAME}\" already");
    }
    if pattern.len() > MOST {
        bail!("--calls {pattern}: a pattern has at most {MOST} characters");
    }
    for own in system.components.iter_mut().filter(|c| c.name == program) {
        (own.main, own.on_request) = (false, true);
    }
    let shell = system::load(root, SHELL_OF)?.components.into_iter().find(|c| c.image == "shell").context("a shell")?;
    system.components.push(Component { name: NAME.into(), main: true, restart: Restart::Never, ..shell });
    Ok(())
}
/// Most characters of a pattern: no name has more.
const MOST: usize = abi::section::NAME;

/// What the shell is told to do.
pub fn arguments(pattern: &str, program: &str, arguments: &[String]) -> Result<Vec<String>> {
    let mut line = format!("trace {} run {}", quoted(pattern)?, quoted(program)?);
    for argument in arguments {
        line += " ";
        line += &quoted(argument)?;
    }
    Ok(vec!["-c".into(), line])
}
/// A word as the shell reads it.
fn quoted(word: &str) -> Result<String> {
    if word.contains('\n') {
        bail!("--calls: an argument has the end of a line, which the shell can not be told");
    }
    Ok(format!("'{}'", word.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        let told = arguments("files.*", "wc", &["-c".into(), "a b".into(), "it's".into(), String::new()]).unwrap();
        assert_eq!(told, ["-c", "trace 'files.*' run 'wc' '-c' 'a b' 'it'\\''s' ''"]);
        assert!(arguments("x", "wc", &["a\nb".into()]).is_err());
    }
}
