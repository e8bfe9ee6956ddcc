//! That files import one another in one direction: what is known of something stands below what is done with it.
//!
//! Read as text: `use` lines and paths that begin with `crate::` or `super::`. A method that is called on a value is no import, so a file with the
//! operations of a type may be split without a circle. What is there for tests only is left out.

use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Where crates are.
const FOLDERS: [&str; 7] = ["nucleus", "lib", "servers", "drivers", "services", "apps", "host"];
/// A circle that is there: a port is a recipe of a program, and a program itself, which is tested when it has been built. The list may only get shorter.
const KNOWN: [(&str, &str); 3] = [("host", "build"), ("host", "fault_domain"), ("host", "port")];

/// The files of a crate by the paths of their modules, `""` being the crate's root.
type Modules = BTreeMap<Vec<String>, PathBuf>;
/// Which module imports which.
type Imports = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// Says which files import each other; whether none do.
pub fn check(root: &Path) -> Result<bool> {
    let found = circles(root)?;
    found.iter().for_each(|circle| println!("FAIL: imports in a circle: {circle}"));
    println!("imports: {} circles", found.len());
    Ok(found.is_empty())
}
/// The imports that are part of a circle, by crate.
fn circles(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for source in crates(root)? {
        let name = source.parent().unwrap_or(&source).strip_prefix(root)?.display().to_string();
        let known = |module: &[String]| KNOWN.contains(&(name.as_str(), module.join("::").as_str()));
        let imports = imports(&modules(&source)?)?;
        for (from, to) in &imports {
            for to in to.iter().filter(|to| reaches(&imports, to, from) && !(known(from) && known(to))) {
                found.push(format!("{name}: {} -> {}", from.join("::"), to.join("::")));
            }
        }
    }
    Ok(found)
}
/// The folders of sources of all crates.
fn crates(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|f| root.join(f)).filter(|f| f.is_dir()).collect();
    while let Some(folder) = folders.pop() {
        let source = folder.join("src");
        if ["lib.rs", "main.rs"].iter().any(|file| source.join(file).exists()) {
            found.push(source.clone());
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() && path != source && !path.ends_with("target") {
                folders.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
fn modules(source: &Path) -> Result<Modules> {
    let mut found = Modules::new();
    let mut folders = vec![source.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or("");
            if name.ends_with("tests") || name == "fake" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let module = path.strip_prefix(source)?.with_extension("");
                let mut module: Vec<String> = module.iter().map(|part| part.to_string_lossy().into_owned()).collect();
                module.pop_if(|last| last == "mod");
                found.insert(module, path);
            }
        }
    }
    Ok(found)
}
fn imports(modules: &Modules) -> Result<Imports> {
    let mut found = Imports::new();
    for (module, file) in modules {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let is_root = module.len() == 1 && ["lib", "main"].contains(&module[0].as_str());
        let at: &[String] = if is_root { &[] } else { module };
        let mut to = BTreeSet::new();
        for path in paths(&code(&text)) {
            let path = absolute(at, &path);
            // The longest beginning that is a module; the rest is what is taken of it.
            let of = (1..=path.len()).rev().map(|n| &path[..n]).find(|path| modules.contains_key(*path));
            to.extend(of.filter(|of| *of != at).map(<[String]>::to_vec));
        }
        found.insert(module.clone(), to);
    }
    Ok(found)
}
/// A source without comments and tests.
fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or(text);
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            lines.next();
            continue;
        }
        code += line.split("//").next().unwrap_or("");
        code.push('\n');
    }
    code
}
/// All paths that begin with `crate` or `super`, those in braces one by one.
fn paths(code: &str) -> Vec<Vec<String>> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            // In the middle of a longer path, or of a name.
            if !code[..at].ends_with(|c: char| part(c) || c == ':' || c == '$') {
                expand(&mut Vec::new(), &code[at..], &mut found);
            }
        }
    }
    found
}
/// Adds the paths at the start of `text` behind `before`; the text behind them.
fn expand<'a>(before: &mut Vec<String>, text: &'a str, found: &mut Vec<Vec<String>>) -> &'a str {
    let depth = before.len();
    let mut text = text.trim_start();
    loop {
        if let Some(mut rest) = text.strip_prefix('{') {
            loop {
                rest = expand(before, rest, found).trim_start();
                // `as` gives it another name.
                let end = rest.find([',', '}']).unwrap_or(rest.len());
                rest = &rest[end..];
                match rest.strip_prefix(',') {
                    Some(next) if !next.trim_start().starts_with('}') => rest = next,
                    _ => break,
                }
            }
            before.truncate(depth);
            let end = rest.find('}').map_or(rest.len(), |at| at + 1);
            return &rest[end..];
        }
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        if end > 0 {
            before.push(text[..end].to_string());
        }
        text = &text[end..];
        match text.strip_prefix("::") {
            Some(next) if end > 0 && !next.starts_with(['*', '<']) => text = next,
            _ => break,
        }
    }
    found.push(before.clone());
    before.truncate(depth);
    text
}
/// A path in the terms of the crate, as it is written in module `at`.
fn absolute(at: &[String], path: &[String]) -> Vec<String> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    let base = if path[0] == "crate" { &[] } else { &at[..at.len().saturating_sub(supers)] };
    let rest = path[supers.max(1)..].iter().filter(|part| *part != "self");
    base.iter().chain(rest).cloned().collect()
}
/// Whether `from` imports `to`, by way of others too.
fn reaches(imports: &Imports, from: &Vec<String>, to: &Vec<String>) -> bool {
    let mut seen = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        if module == to {
            return true;
        }
        if seen.insert(module) {
            next.extend(imports.get(module).into_iter().flatten());
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_files(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = folder.path().join("lib/one/src").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        circles(folder.path()).unwrap()
    }
    #[test]
    fn no_files_import_each_other() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert_eq!(circles(root).unwrap(), [""; 0]);
    }
    #[test]
    fn a_circle_is_found_however_it_is_written() {
        let below = ("b.rs", "use super::a::A;\npub struct B(A);\n");
        for above in [
            "use crate::b::B;\n",
            "use crate::{c::C, b::{self, B}};\n",
            "use crate::{\n    c::C,\n    b as d,\n};\n",
            "pub fn a() -> super::b::B { super::b::B }\n",
        ] {
            let found = in_files(&[("lib.rs", "mod a; mod b; mod c;"), ("a.rs", above), below, ("c.rs", "")]);
            assert_eq!(found, ["lib/one: a -> b", "lib/one: b -> a"], "{above}");
        }
        let found = in_files(&[
            ("lib.rs", ""),
            ("a.rs", "use crate::f::b::B;"),
            ("f/mod.rs", "pub mod b;"),
            ("f/b.rs", "use super::c;"),
            ("f/c.rs", "use crate::a::A;"),
        ]);
        assert_eq!(found.len(), 3, "{found:?}");
    }
    #[test]
    fn tests_comments_and_methods_are_no_imports() {
        let found = in_files(&[
            ("lib.rs", "mod a; mod b;"),
            (
                "a.rs",
                "// crate::b\n#[cfg(test)]\nuse crate::b::B;\nfn f(b: &impl Fn()) { b.b() }\n#[cfg(test)]\nmod tests { use crate::b; }\n",
            ),
            ("b.rs", "use crate::a;\n"),
            ("some_tests.rs", "use crate::a;\n"),
        ]);
        assert_eq!(found, [""; 0]);
    }
}
