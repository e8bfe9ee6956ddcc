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
        let Some(name) = line.strip_prefix("+++ b/src/") else { continue };
        let path = folder.join(name.split('\t').next().expect("a name"));
        let before = fs::read_to_string(&path).expect(name);
        let before: Vec<&str> = before.lines().collect();
        let (mut after, mut next) = (Vec::new(), 0);
        while let Some(place) = lines.next_if(|line| line.starts_with("@@ -")) {
            // Lines count from 1.
            let first = place[4..].split([',', ' ']).next().and_then(|number| number.parse::<usize>().ok());
            let first = first.expect(place) - 1;
            after.extend_from_slice(&before[next..first]);
            next = first;
            while let Some(line) =
                lines.next_if(|line| line.starts_with([' ', '+', '-']) && !line.starts_with("--- a/"))
            {
                let (kind, text) = line.split_at(1);
                if kind != "+" {
                    assert_eq!(before[next], text, "{name}:{}", next + 1);
                    next += 1;
                }
                if kind != "-" {
                    after.push(text);
                }
            }
        }
        after.extend_from_slice(&before[next..]);
        fs::write(&path, after.join("\n") + "\n").expect(name);
    }
}
/// What the crate's file says of the whole crate, the including one says; none of it may stand in what is included.
fn own_no_attributes(file: &Path) {
    let text = fs::read_to_string(file).expect("lib.rs");
    let inner = |line: &&str| line.starts_with("//!") || line.starts_with("#![");
    let kept: Vec<&str> = text.lines().filter(|line| !inner(line)).collect();
    fs::write(file, kept.join("\n") + "\n").expect("lib.rs");
}
