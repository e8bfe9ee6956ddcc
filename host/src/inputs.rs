//! What something is made of: the files and folders that are read while it is, by this process and by the commands that it starts. Whoever reads a source notes
//! it; who wants to know asks around the work ([`of`]). A test that has passed is kept with them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::NamedTempFile;

/// Files and folders. A file that ends in [`RULE`] stands for those that it lists.
pub type Inputs = BTreeSet<PathBuf>;
/// The ending of a compiler's list of what a product is made of, which make reads as a rule.
pub const RULE: &str = "d";

/// What is noted by a thread, and the file in which commands note it.
struct Notes(Inputs, NamedTempFile);
thread_local! {
    static NOTES: RefCell<Option<Notes>> = const { RefCell::new(None) };
}
/// The variable that names that file to commands.
const FOR_COMMANDS: &str = "PEBBLE_NOTES_ITS_INPUTS";

/// Notes an input.
pub fn note(path: impl Into<PathBuf>) {
    let path = path.into();
    if let Some(file) = std::env::var_os(FOR_COMMANDS) {
        // A line is short enough to be written as a whole.
        let file = fs::File::options().append(true).open(file);
        let written = file.and_then(|mut file| file.write_all(format!("{}\n", path.display()).as_bytes()));
        written.expect("its starter waits for what is noted");
    }
    NOTES.with_borrow_mut(|notes| {
        if let Some(Notes(inputs, _)) = notes {
            inputs.insert(path);
        }
    });
}
/// A command that may note some for us.
pub fn within(command: &mut Command) {
    NOTES.with_borrow(|notes| {
        if let Some(Notes(_, file)) = notes {
            command.env(FOR_COMMANDS, file.path());
        }
    });
}
/// Does some work; what comes of it, and its inputs: none, where commands could not have noted theirs.
pub fn of<T>(work: impl FnOnce() -> T) -> (T, Inputs) {
    NOTES.set(NamedTempFile::new().ok().map(|file| Notes(Inputs::new(), file)));
    let done = work();
    let inputs = NOTES.take().and_then(|Notes(mut inputs, file)| {
        inputs.extend(fs::read_to_string(file.path()).ok()?.lines().map(PathBuf::from));
        Some(inputs)
    });
    (done, inputs.unwrap_or_default())
}

/// The files that a rule as a compiler writes it depends on: all that a source includes. A name with a space in it falls
/// apart into names of nothing, and what depends on it is made each time.
pub fn of_rule(rule: &str) -> impl Iterator<Item = &Path> {
    rule.split_whitespace().filter(|name| !name.ends_with(':') && *name != "\\").map(Path::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_depends_on_what_it_includes() {
        let rule = "build/programs/test: tests/test.c \\\n tests/include/one.h \\\n  tests/include/two.h\n";
        let files: Vec<&Path> = of_rule(rule).collect();
        assert_eq!(files, ["tests/test.c", "tests/include/one.h", "tests/include/two.h"].map(Path::new));
    }
    #[test]
    fn what_is_noted_meanwhile_here_and_by_commands_is_known() {
        note("before");
        let work = || {
            note("here");
            let mut command = Command::new("sh");
            command.args(["-c", &format!("echo there >>${FOR_COMMANDS}")]);
            within(&mut command);
            command.status().unwrap();
            7
        };
        let (done, inputs) = of(work);
        note("after");
        assert_eq!((done, inputs), (7, ["here", "there"].map(PathBuf::from).into()));
        assert_eq!(of(|| ()).1, Inputs::new());
    }
}
