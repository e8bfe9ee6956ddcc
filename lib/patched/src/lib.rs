//! Crates of others with a patch of ours: takes the source from where cargo keeps it, applies the patch (a unified diff, of which every line has to
//! fit exactly), and leaves the result where the `lib.rs` of the crate that this is for includes it. Called by the build scripts of `lib/ext4` and `lib/tcpip`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// `original`: name and version of the crate, which the caller names as an optional dependency behind its feature `original`; `patch`: the diff beside the caller's
/// manifest, made with `diff -ru a b` around the original's `src`; `folder`: where below `OUT_DIR` the result is. The result is the original's folder.
pub fn include(original: &str, patch: &str, folder: &str) -> PathBuf {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={patch}");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join(folder);
    // What is left of an earlier one may have files that this one has not.
    let _ = fs::remove_dir_all(&out);
    let from = find(original);
    copy(&from.join("src"), &out);
    apply(&fs::read_to_string(patch).expect(patch), &out);
    own_no_attributes(&out.join("lib.rs"));
    from
}
/// The folder with the original crate.
fn find(original: &str) -> PathBuf {
    let cargo = env::var("CARGO").expect("cargo sets it");
    // It is fetched if it is not there; what other machines would need is not.
    let host = env::var("HOST").expect("cargo sets it");
    let arguments = ["metadata", "--format-version=1", "--locked", "--features=original", "--filter-platform", &host];
    let said = Command::new(cargo).args(arguments).output().expect("cargo metadata");
    assert!(said.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&said.stderr));
    let text = String::from_utf8(said.stdout).expect("JSON");
    // A path as JSON has it, of which no character here needs an escape.
    let manifests = text.split("\"manifest_path\":\"").filter_map(|rest| rest.split('"').next());
    let end = format!("{original}/Cargo.toml");
    let manifest = manifests.map(|path| path.replace("\\\\", "/")).find(|path| path.ends_with(&end));
    PathBuf::from(manifest.expect("a dependency")).parent().expect("a folder").to_path_buf()
}
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("the original's source").map(|entry| entry.expect("an entry")) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::write(to, fs::read(entry.path()).expect("a file")).expect("a copy");
        }
    }
}
/// Applies a unified diff to the files below `folder`.
fn apply(patch: &str, folder: &Path) {
    let mut lines = patch.lines().peekable();
    while let Some(line) = lines.next() {
        let name = line.strip_prefix("--- a/src/").and_then(|_| lines.next()?.strip_prefix("+++ b/src/"));
        let name = name.unwrap_or_else(|| panic!("no file begins with {line:?}"));
        let path = folder.join(name.split('\t').next().expect("a name"));
        let before = fs::read_to_string(&path).expect(name);
        let before: Vec<&str> = before.lines().collect();
        let (mut after, mut next) = (Vec::new(), 0);
        while let Some(place) = lines.next_if(|line| line.starts_with("@@ -")) {
            let hunk = Hunk::of(place).unwrap_or_else(|| panic!("{name}: {place:?} says no place"));
            // Lines count from 1; where none are taken, the place is behind the line.
            let first = if hunk.takes == 0 { hunk.first } else { hunk.first - 1 };
            after.extend_from_slice(&before[next..first]);
            let (start, made) = (first, after.len());
            next = first;
            while next - start < hunk.takes || after.len() - made < hunk.makes {
                let line = lines.next().unwrap_or_else(|| panic!("{name}: {place:?} has too few lines"));
                let (kind, text) = line.split_at_checked(1).unwrap_or(("", line));
                assert!([" ", "+", "-"].contains(&kind), "{name}: {line:?} is no line of {place:?}");
                if kind != "+" {
                    assert_eq!(before.get(next), Some(&text), "{name}:{}", next + 1);
                    next += 1;
                }
                if kind != "-" {
                    after.push(text);
                }
            }
            assert_eq!((next - start, after.len() - made), (hunk.takes, hunk.makes), "{name}: lines of {place:?}");
        }
        after.extend_from_slice(&before[next..]);
        fs::write(&path, after.join("\n") + "\n").expect(name);
    }
}
/// What the head of a hunk says, `@@ -first,takes +_,makes @@`: where it begins, how many lines it takes of what was, and how many it makes of them.
struct Hunk {
    first: usize,
    takes: usize,
    makes: usize,
}
impl Hunk {
    fn of(line: &str) -> Option<Hunk> {
        let (from, to) = line.strip_prefix("@@ -")?.split_once(" @@")?.0.split_once(" +")?;
        // One line where no number is said.
        let range = |text: &str| -> Option<(usize, usize)> {
            let (first, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((first.parse().ok()?, count.parse().ok()?))
        };
        let ((first, takes), (_, makes)) = (range(from)?, range(to)?);
        (first > 0 || takes == 0).then_some(Hunk { first, takes, makes })
    }
}
/// What the crate's file says of the whole crate, the including one says; none of it may stand in what is included.
fn own_no_attributes(file: &Path) {
    let text = fs::read_to_string(file).expect("lib.rs");
    let inner = |line: &&str| line.starts_with("//!") || line.starts_with("#![");
    let kept: Vec<&str> = text.lines().filter(|line| !inner(line)).collect();
    fs::write(file, kept.join("\n") + "\n").expect("lib.rs");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    /// What becomes of a file of four lines; `None`: the patch does not fit.
    fn patched(name: &str, patch: &str) -> Option<String> {
        let folder = env::temp_dir().join(format!("patched-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("lib.rs"), "one\ntwo\nthree\nfour\n").unwrap();
        let patch = format!("--- a/src/lib.rs\n+++ b/src/lib.rs\n{patch}");
        let fits = catch_unwind(|| apply(&patch, &folder)).is_ok();
        let result = fs::read_to_string(folder.join("lib.rs")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        fits.then_some(result)
    }

    #[test]
    fn every_line_of_a_hunk_is_counted() {
        let name = "every_line_of_a_hunk_is_counted";
        let all = |patch| patched(name, patch);
        assert_eq!(all("@@ -1,2 +1,3 @@ fn\n one\n+more\n two\n").as_deref(), Some("one\nmore\ntwo\nthree\nfour\n"));
        assert_eq!(all("@@ -2 +2 @@\n-two\n+2\n").as_deref(), Some("one\n2\nthree\nfour\n"));
        assert_eq!(all("@@ -4,0 +5 @@\n+five\n").as_deref(), Some("one\ntwo\nthree\nfour\nfive\n"));
        let wrong = [
            // Lines too few and too many, of both sides.
            "@@ -1,3 +1,4 @@\n one\n+more\n two\n",
            "@@ -1,2 +1,2 @@\n one\n+more\n two\n",
            "@@ -1,1 +1,2 @@\n one\n+more\n two\n",
            "@@ -1,2 +1,3 @@\n one\n+more\n two\n-three\n",
            // What is no line of a hunk.
            "@@ -1,2 +1,3 @@\n one\n+more\nstray\n two\n",
            "@@ -1,2 +1,3 @@\n one\n+more\n two\nstray\n@@ -4 +5 @@\n-four\n+4\n",
            // What is not there, and no places.
            "@@ -1,2 +1,3 @@\n one\n+more\n three\n",
            "@@ -4,2 +4,3 @@\n four\n+more\n five\n",
            "@@ -0 +1 @@\n one\n",
            "@@ -a +1 @@\n one\n",
        ];
        for patch in wrong {
            assert_eq!(all(patch), None, "{patch}");
        }
        // A file's own lines may look like a head.
        assert_eq!(all("@@ -1 +1,2 @@\n one\n+++ b/src/\n").as_deref(), Some("one\n++ b/src/\ntwo\nthree\nfour\n"));
    }
}
