//! Dialogues with gdb: a program in `tests/debugger`, and beside it a file of gdb's commands. A comment `# < TEXT` there is part of a
//! line that gdb must print, in this order.

use super::{Job, Wanted};
use crate::connection::Connection;
use crate::exec::{self, Options};
use crate::qemu::{self, Console};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long gdb may take.
const LIMIT: Duration = Duration::from_secs(60);

pub fn jobs<'a>(root: &'a Path, wanted: Wanted) -> Result<Vec<Job<'a>>> {
    super::files(root, "debugger", &["c", "rs"], wanted, dialogue)
}
fn dialogue(root: &Path, program: &Path) -> Result<()> {
    let script = program.with_extension("gdb");
    let text = std::fs::read_to_string(&script).with_context(|| script.display().to_string())?;
    let options =
        Options { file_name: program.to_path_buf(), system: "exec".into(), memory: 128, ..Options::default() };
    let image = exec::program_image(root, &options, Connection::Serial)?;
    let mut machine = exec::machine(&options)?;
    machine.timeout = Some(LIMIT);
    let debug = exec::debug_session(root, &options, Connection::Serial)?;
    let start = debug.start();
    machine.debug = Some(debug);
    let output = std::thread::scope(|scope| {
        let guest = scope.spawn(|| qemu::run(&image, &machine, Console::Captured(None)));
        let output = gdb(&start, &script);
        // gdb has let go of it: it runs to its end.
        let _ = guest.join();
        output
    })?;
    let wanted = text.lines().filter_map(|line| line.strip_prefix("# < "));
    match missing(&output, wanted) {
        Some(line) => bail!("gdb did not print \"{line}\" where it should:\n{output}"),
        None => Ok(()),
    }
}
/// The first of `parts` that is not in a line of `text` behind the line of the one before it, or in the same.
fn missing<'a>(text: &str, parts: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut rest = text;
    for part in parts {
        let Some(at) = rest.find(part) else { return Some(part) };
        rest = &rest[at + part.len()..];
    }
    None
}
/// What gdb prints when it runs `script`.
fn gdb(start: &Path, script: &Path) -> Result<String> {
    let deadline = Instant::now() + LIMIT;
    while !start.exists() {
        if Instant::now() > deadline {
            bail!("the machine did not come up for gdb");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut command = Command::new("timeout");
    command.arg(LIMIT.as_secs().to_string()).args(["gdb-multiarch", "-nx", "-batch"]);
    // Each command by itself: one that fails does not end the dialogue.
    command.arg("-x").arg(start);
    for line in std::fs::read_to_string(script)?.lines().filter(|line| !line.starts_with('#')) {
        command.arg("-ex").arg(line);
    }
    let done = command.stdin(Stdio::null()).output().context("gdb-multiarch could not be started")?;
    Ok(format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn parts_are_found_in_order_only() {
        assert_eq!(missing("one two\nthree", ["one", "two", "three"].into_iter()), None);
        assert_eq!(missing("one two\nthree", ["three", "one"].into_iter()), Some("one"));
    }
}
