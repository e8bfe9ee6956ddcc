//! Which tests have passed, and what they were made of: `--changed` leaves out those of which nothing has changed since. What is not known is run.
//!
//! What a test is made of is noted while it is run ([`crate::inputs`]): the manifest of its system, and for each component and program the list of its compiler of
//! all that it has read. Beside that stand what belongs to every test (the tool, what says how things are built, the compilers and the machine), and, for
//! tests that are more than a file, the [`SURROUNDINGS`].

use super::Verdict;
use crate::inputs::{self, Inputs};
use crate::kept;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Where they are kept, from the root.
const PASSED: &str = "target/tests/passed.json";
/// Folders that tests which are functions of the tool read from, whatever they note.
pub const SURROUNDINGS: [&str; 15] = [
    "apps/bench",
    "apps/examples",
    "apps/extensions",
    "apps/pictures",
    "docs/src/images",
    "peers",
    "ports",
    "systems",
    "tests/debugger",
    "tests/failing",
    "tests/hosts",
    "tests/programs",
    "tests/services",
    "tests/systems",
    "tests/webconsole",
];
/// What cargo has made the tool of, from the root.
const TOOL: &str = "target/debug/pebble-host.d";
/// What of that is no part of it when it tests: parts of components, which the tool breaks on this machine, and what it breaks them with.
const TESTED: [&str; 6] = ["apps", "drivers", "services", "servers", "lib/fuzz", "lib/mutants"];
/// Folders of the root: what is made of the rest, and what is nobody's input.
const DERIVED: [&str; 3] = ["target", "build", ".git"];
/// What every test is run by: what these programs are is seen by their time and length.
const PROGRAMS: [&str; 3] = ["qemu-system-riscv64", "riscv64-unknown-elf-gcc", "ld.lld-19"];

/// What a test that passed was made of, and a number for what was in it.
#[derive(Serialize, Deserialize)]
struct Record {
    inputs: Inputs,
    contents: u64,
}
/// The tests that were run in this tree.
pub struct Passed {
    /// By name; nothing of those that failed, or of which not enough is known.
    tests: BTreeMap<String, Option<Record>>,
    contents: RefCell<Contents>,
}
impl Passed {
    pub fn read(root: &Path) -> Passed {
        // What can not be read is as if nothing had been run.
        let text = fs::read_to_string(root.join(PASSED)).unwrap_or_default();
        Passed { tests: serde_json::from_str(&text).unwrap_or_default(), contents: Contents::of(root).into() }
    }
    /// How many tests are called so, or so and more behind `::`, if all of them passed with what there is now; else none.
    pub fn unchanged(&self, name: &str) -> usize {
        let behind =
            |known: &str| known.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        let called = self.tests.range(name.to_string()..).take_while(|(known, _)| known.starts_with(name));
        let mut contents = self.contents.borrow_mut();
        let mut count = 0;
        for (_, record) in called.filter(|(known, _)| behind(known)) {
            let same = |record: &Record| contents.number(&record.inputs).is_some_and(|now| now.0 == record.contents);
            if !record.as_ref().is_some_and(same) {
                return 0;
            }
            count += 1;
        }
        count
    }
}
/// Keeps what became of tests whose run `began` then: what has changed since was not what they ran with. Where `all` were run, what is not among them is no
/// test any more.
pub fn keep(root: &Path, began: SystemTime, verdicts: &[Verdict], all: bool) -> Result<()> {
    let mut tests = if all { BTreeMap::new() } else { Passed::read(root).tests };
    let mut contents = Contents::of(root);
    for verdict in verdicts {
        let of_its_run = verdict.failure.is_none() && is_known(&verdict.inputs);
        let number = of_its_run.then(|| contents.number(&verdict.inputs)).flatten();
        let record = number.filter(|(_, newest)| *newest < began);
        let record = record.map(|(contents, _)| Record { inputs: verdict.inputs.clone(), contents });
        tests.insert(verdict.name.clone(), record);
    }
    kept::write(&root.join(PASSED), &tests)
}
/// Whether enough is known of a test: one that may read anything around has built something, and noted it.
fn is_known(inputs: &Inputs) -> bool {
    let rule = |path: &PathBuf| path.extension().is_some_and(|ending| ending == inputs::RULE);
    !inputs.is_empty() && (!inputs.contains(Path::new(SURROUNDINGS[0])) || inputs.iter().any(rule))
}

/// A number for what is in something, and when that changed last; nothing of what is not there.
type Number = Option<(u64, SystemTime)>;
/// What is in files and folders, each looked at once.
struct Contents {
    root: PathBuf,
    known: HashMap<PathBuf, Number>,
    /// Of what belongs to every test.
    everybodys: Number,
}
impl Contents {
    fn of(root: &Path) -> Contents {
        let mut contents = Contents { root: root.to_path_buf(), known: HashMap::new(), everybodys: None };
        contents.everybodys = contents.everybodys();
        contents
    }
    fn everybodys(&mut self) -> Number {
        let mut files = self.below(&self.root)?;
        let built_by = |path: &PathBuf| {
            path.starts_with(self.root.join(".cargo"))
                || path.ends_with("Cargo.toml")
                || path.ends_with("Cargo.lock")
                || path.extension().is_some_and(|ending| ending == "ld")
        };
        files.retain(built_by);
        let tool = self.listed(&self.root.join(TOOL))?;
        files.extend(tool.into_iter().filter(|path| !TESTED.iter().any(|part| path.starts_with(self.root.join(part)))));
        let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
        let rustc = std::env::var_os("PEBBLE_RUSTC").map(PathBuf::from);
        let programs =
            PROGRAMS.iter().filter_map(|name| folders.iter().map(|f| f.join(name)).find(|path| path.exists()));
        let mut hasher = DefaultHasher::new();
        for program in programs.chain(rustc) {
            let metadata = fs::metadata(program).ok()?;
            let since = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
            hasher.write_u128(since.as_nanos());
            hasher.write_u64(metadata.len());
        }
        let (number, newest) = self.all(files.iter())?;
        hasher.write_u64(number);
        Some((hasher.finish(), newest))
    }
    /// That of a test that is made of these.
    fn number(&mut self, inputs: &Inputs) -> Number {
        let (everybodys, newest) = self.everybodys?;
        let (own, at) = self.all(inputs.iter())?;
        Some((everybodys ^ own.rotate_left(1), newest.max(at)))
    }
    /// That of several together, with their names. What is outside of the tree is known by `Cargo.lock` or a checksum, or came out of what is in it.
    fn all<'a>(&mut self, paths: impl Iterator<Item = &'a PathBuf>) -> Number {
        let mut hasher = DefaultHasher::new();
        let mut newest = SystemTime::UNIX_EPOCH;
        for path in paths {
            let path = self.root.join(path);
            if path.starts_with(&self.root) {
                let (number, at) = self.one(&path)?;
                hasher.write(path.as_os_str().as_encoded_bytes());
                hasher.write_u64(number);
                newest = newest.max(at);
            }
        }
        Some((hasher.finish(), newest))
    }
    fn one(&mut self, path: &Path) -> Number {
        if let Some(known) = self.known.get(path) {
            return *known;
        }
        let number = match path.extension() {
            _ if path.is_dir() => self.below(path).and_then(|files| self.all(files.iter())),
            Some(ending) if ending == inputs::RULE => self.listed(path).and_then(|files| self.all(files.iter())),
            _ => of_file(path),
        };
        self.known.insert(path.to_path_buf(), number);
        number
    }
    /// The files that a rule lists, but for those that are made of others.
    fn listed(&self, rule: &Path) -> Option<Vec<PathBuf>> {
        let text = fs::read_to_string(rule).ok()?;
        let files = inputs::of_rule(&text).map(|path| self.root.join(path));
        Some(files.filter(|path| !self.is_derived(path)).collect())
    }
    fn is_derived(&self, path: &Path) -> bool {
        DERIVED.iter().any(|folder| path.starts_with(self.root.join(folder)))
    }
    /// The files below a folder, in order.
    fn below(&self, folder: &Path) -> Option<Vec<PathBuf>> {
        let entries = fs::read_dir(folder).ok()?.map(|entry| Some(entry.ok()?.path()));
        let mut entries: Vec<PathBuf> = entries.collect::<Option<_>>()?;
        entries.retain(|path| !self.is_derived(path));
        entries.sort();
        let mut found = Vec::new();
        for path in entries {
            if path.is_dir() { found.extend(self.below(&path)?) } else { found.push(path) }
        }
        Some(found)
    }
}
fn of_file(path: &Path) -> Number {
    let mut hasher = DefaultHasher::new();
    hasher.write(&fs::read(path).ok()?);
    Some((hasher.finish(), fs::metadata(path).ok()?.modified().ok()?))
}
#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// A tree with a component, a header that its rule lists, a program in a folder, and a manifest, as old as an hour.
    struct Tree(tempfile::TempDir);
    impl Tree {
        fn new() -> Tree {
            let tree = Tree(tempfile::tempdir().unwrap());
            for file in [
                "services/a.rs",
                "lib/b.rs",
                "programs/one/main.c",
                "systems/exec.toml",
                "Cargo.toml",
                "host/src/main.rs",
            ] {
                tree.write(file, file, 3600);
            }
            let rule = format!("target/a: {0}/services/a.rs lib/b.rs {0}/target/out/c.rs\n", tree.0.path().display());
            tree.write("target/a.d", &rule, 0);
            tree.write(TOOL, "target/debug/pebble-host: host/src/main.rs services/other.rs\n", 0);
            tree
        }
        fn write(&self, file: &str, text: &str, age: u64) {
            let path = self.0.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let file = fs::File::options().append(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        /// A test of this name passes, made of the component, the manifest and this.
        fn passes(&self, name: &str, own: &str) {
            self.ran(name, None, &["target/a.d", "systems/exec.toml", own], false);
        }
        fn ran(&self, name: &str, failure: Option<&str>, inputs: &[&str], all: bool) {
            let inputs = inputs.iter().map(PathBuf::from).collect();
            let verdict = Verdict { name: name.into(), failure: failure.map(String::from), seconds: 1.0, inputs };
            keep(self.0.path(), SystemTime::now() - Duration::from_secs(60), &[verdict], all).unwrap();
        }
        fn unchanged(&self, name: &str) -> usize {
            Passed::read(self.0.path()).unchanged(name)
        }
    }
    #[test]
    fn what_passed_is_left_out_until_something_of_it_changes() {
        for changed in [
            "services/a.rs",
            "lib/b.rs",
            "programs/one/main.c",
            "programs/one/new.c",
            "systems/exec.toml",
            "Cargo.toml",
            "host/src/main.rs",
        ] {
            let tree = Tree::new();
            tree.passes("target::one", "programs/one");
            tree.write("services/other.rs", "other", 0);
            tree.write("target/out/c.rs", "made", 0);
            assert_eq!(tree.unchanged("target::one"), 1, "{changed}");
            tree.write(changed, "changed", 0);
            assert_eq!(tree.unchanged("target::one"), 0, "{changed}");
            // What it was before is what it passed with.
            if changed != "programs/one/new.c" {
                tree.write(changed, changed, 0);
                assert_eq!(tree.unchanged("target::one"), 1, "{changed}");
            }
        }
    }
    #[test]
    fn what_failed_and_what_was_never_run_is_run() {
        let tree = Tree::new();
        tree.passes("a::one", "programs/one");
        assert_eq!((tree.unchanged("a::one"), tree.unchanged("a::on"), tree.unchanged("a::two")), (1, 0, 0));
        tree.ran("a::one", Some("why"), &["target/a.d"], false);
        assert_eq!(tree.unchanged("a::one"), 0);
    }
    #[test]
    fn tests_below_a_name_are_left_out_together() {
        let tree = Tree::new();
        tree.passes("ports::lua::one", "programs/one");
        tree.passes("ports::lua::two", "systems/exec.toml");
        tree.passes("ports::lua2", "programs/one");
        assert_eq!(tree.unchanged("ports::lua"), 2);
        tree.write("programs/one/main.c", "changed", 0);
        assert_eq!(tree.unchanged("ports::lua"), 0);
    }
    #[test]
    fn what_changed_while_it_was_run_is_run_again() {
        let tree = Tree::new();
        tree.write("lib/b.rs", "meanwhile", 0);
        tree.passes("a::one", "programs/one");
        assert_eq!(tree.unchanged("a::one"), 0);
    }
    #[test]
    fn what_noted_nothing_or_misses_something_is_run() {
        let tree = Tree::new();
        tree.write("apps/bench/a.c", "", 3600);
        for inputs in [&[][..], &["gone"], &["apps/bench", "systems/exec.toml"], &["gone.d", "systems/exec.toml"]] {
            tree.ran("a::one", None, inputs, false);
            assert_eq!(tree.unchanged("a::one"), 0, "{inputs:?}");
        }
        tree.ran("a::one", None, &["apps/bench", "target/a.d"], false);
        assert_eq!(tree.unchanged("a::one"), 1);
    }
    #[test]
    fn a_run_of_all_forgets_what_is_no_test_any_more() {
        let tree = Tree::new();
        tree.passes("a::one", "programs/one");
        tree.ran("a::two", None, &["target/a.d"], true);
        assert_eq!((tree.unchanged("a::one"), tree.unchanged("a::two")), (0, 1));
    }
    #[test]
    fn every_folder_is_somebodys_input() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        // Sources, which compilers list; tests of one file each; what only host tests and the book read; what nobody tests.
        let others = [
            "apps/shell",
            "apps/tools",
            "drivers",
            "lib",
            "nucleus",
            "servers",
            "services",
            "host",
            "tests/extended",
            "tests/hostile",
            "tests/linked",
            "tests/manifests",
            "tests/session",
            "tests/target",
            "docs/src",
            "docs/figures",
            "rtl",
        ];
        let known = || SURROUNDINGS.iter().chain(&others).map(|folder| root.join(folder));
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if known().any(|folder| folder == path) || DERIVED.contains(&&*name) || name.starts_with('.') {
                    continue;
                }
                assert!(known().any(|folder| folder.starts_with(&path)), "{}: who reads it?", path.display());
                folders.push(path);
            }
        }
    }
}
