//! What protects is left out, one place after the other ([`LIST`]), which the tests that the list names for it must notice. Done in a copy of the
//! sources, so that nothing in them knows of it.

use super::copy::Copy;
use super::{Campaign, Failure, Ran, sources};
use crate::child::end_with_us;
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The list, from the root.
const LIST: &str = "tests/left_out.toml";
/// How long a test may take, with all that it builds.
const PATIENCE: Duration = Duration::from_secs(1200);

/// Something that protects, and who notices that it is not there.
#[derive(Clone, Debug, Deserialize, Hash)]
#[serde(deny_unknown_fields)]
struct Place {
    file: PathBuf,
    /// What it is, in words.
    what: String,
    /// Where it is in the file: this is there once.
    text: String,
    /// What is there in its place.
    #[serde(default)]
    instead: String,
    /// Names of tests, or parts of them, the one that is quickest first: one of them fails.
    tests: Vec<String>,
}
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    place: Vec<Place>,
}
impl Place {
    /// The file's content without it.
    fn left_out(&self, content: &str) -> Result<String> {
        let found = content.matches(&self.text).count();
        ensure!(found == 1, "{}: what is to be left out is there {found} times: {:?}", self.file.display(), self.text);
        Ok(content.replacen(&self.text, &self.instead, 1))
    }
}
fn list(root: &Path) -> Result<Vec<Place>> {
    let text = std::fs::read_to_string(root.join(LIST)).context(LIST)?;
    Ok(toml::from_str::<List>(&text).context(LIST)?.place)
}

pub struct LeftOut {
    copy: Copy,
    places: Vec<Place>,
    build: u64,
}
impl LeftOut {
    pub fn new(root: &Path) -> Result<LeftOut> {
        let places = list(root)?;
        let mut hasher = DefaultHasher::new();
        places.hash(&mut hasher);
        sources::hash(root, &mut hasher)?;
        Ok(LeftOut { copy: Copy::of(root, "left-out")?, places, build: hasher.finish() })
    }
    /// Whether a test fails in the copy; an error: nothing was tested.
    fn is_noticed_by(&self, test: &str) -> Result<bool> {
        let copy = self.copy.folder();
        let mut said = tempfile::tempfile()?;
        let mut command = Command::new(copy.join("pebble"));
        command.args(["test", test]).current_dir(copy).env_remove("PEBBLE_ROOT").stdin(Stdio::null());
        command.stdout(said.try_clone()?).stderr(said.try_clone()?);
        end_with_us(&mut command);
        let mut child = command.spawn()?;
        let end = Instant::now() + PATIENCE;
        let status = loop {
            match child.try_wait()? {
                Some(status) => break status,
                None if Instant::now() >= end => {
                    child.kill()?;
                    child.wait()?;
                    bail!("./pebble test {test}: not done in {} minutes", PATIENCE.as_secs() / 60);
                }
                None => std::thread::sleep(Duration::from_millis(100)),
            }
        };
        let mut text = String::new();
        std::io::Seek::rewind(&mut said)?;
        std::io::Read::read_to_string(&mut said, &mut text)?;
        judge(status.success(), &text).with_context(|| format!("./pebble test {test}"))
    }
}
/// Whether what `./pebble test` has said means that a test has failed; an error: it has not come to that.
fn judge(success: bool, said: &str) -> Result<bool> {
    let tail = said.lines().rev().take(12).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n");
    let built = !["could not compile", ": error: ", "could not be built"].iter().any(|sign| said.contains(sign));
    match success {
        true => Ok(false),
        false if built && said.lines().any(|line| line.starts_with("FAIL ")) => Ok(true),
        false => bail!("it does not build, or no test was run:\n{tail}"),
    }
}
impl Campaign for LeftOut {
    fn build(&self) -> u64 {
        self.build
    }
    fn all(&self) -> Option<u64> {
        Some(self.places.len() as u64)
    }
    fn run(&mut self, run: u64, _: u32, _: u64) -> Result<Ran> {
        let place = &self.places[run as usize];
        self.copy.update(&|file, content| match *file == place.file {
            true => Ok(place.left_out(std::str::from_utf8(&content)?)?.into_bytes()),
            false => Ok(content),
        })?;
        let command = format!("{}: {}", place.file.display(), place.what);
        for test in &place.tests {
            match self.is_noticed_by(test) {
                Ok(false) => {}
                Ok(true) => {
                    eprintln!("\r{command}: {test} notices");
                    return Ok(Ran { steps: 1, failure: None });
                }
                Err(error) => {
                    return Ok(Ran { steps: 1, failure: Some(Failure { command, why: format!("{error:#}") }) });
                }
            }
        }
        let why = format!("nobody notices: {}", place.tests.join(", "));
        Ok(Ran { steps: 1, failure: Some(Failure { command, why }) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn each_place_of_the_list_is_there_once() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let places = list(&root).unwrap();
        assert!(!places.is_empty());
        for place in &places {
            let content = std::fs::read_to_string(root.join(&place.file)).unwrap();
            place.left_out(&content).unwrap();
            assert!(!place.tests.is_empty(), "{}", place.what);
        }
    }
    #[test]
    fn what_is_there_twice_or_not_at_all_is_refused() {
        let place = Place {
            file: "a.S".into(),
            what: String::new(),
            text: "fence\n".into(),
            instead: String::new(),
            tests: Vec::new(),
        };
        assert_eq!(place.left_out("nop\nfence\nret\n").unwrap(), "nop\nret\n");
        for content in ["nop\n", "fence\nfence\n"] {
            assert!(place.left_out(content).unwrap_err().to_string().starts_with("a.S: "));
        }
    }
    #[test]
    fn what_does_not_build_is_noticed_by_nobody() {
        assert!(!judge(true, "ok   a\n\n1 passed, 0 failed").unwrap());
        assert!(judge(false, "FAIL a: status 3\n\n0 passed, 1 failed").unwrap());
        for said in [
            "FAIL a: error: could not compile `portals`",
            "FAIL a: x.c:3:1: error: no",
            "",
            "pebble: no test's name contains \"a\"",
        ] {
            assert!(judge(false, said).is_err(), "{said}");
        }
    }
}
