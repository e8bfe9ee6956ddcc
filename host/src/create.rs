//! `./pebble new`: a component that builds and runs.

use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;

const C: &str = r#"/* NAME: says who it is. The book's tutorial shows what else a component can do. */
#include <pebble.h>

int main(void)
{
    printf("hello from NAME, in domain %d\n", get_asid());
    return 0;
}
"#;
const RUST: &str = r#"//! NAME: says who it is. The book's tutorial shows what else a component can do.
#![no_std]
#![no_main]

fn main(_: &pebble::Env) -> i32 {
    pebble::println!("hello from NAME, in domain {}", pebble::thread::asid());
    0
}
pebble::program!(main);
"#;

pub fn create(root: &Path, name: &str, language: &str) -> Result<ExitCode> {
    let path = make(root, name, language)?;
    println!("made {path}\nrun it:        ./pebble exec {path}");
    println!("put it in a system: a block [[component]] with image = \"{path}\" in systems/default.toml");
    Ok(ExitCode::SUCCESS)
}
/// Writes the file; its path from the root.
fn make(root: &Path, name: &str, language: &str) -> Result<String> {
    let good = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c))
        && name.len() < abi::section::NAME;
    if !good {
        bail!(
            "\"{name}\": a component's name starts with a lower-case letter and goes on with letters, digits, - and _"
        );
    }
    if ["servers", "drivers", "services", "apps"].iter().any(|folder| root.join(folder).join(name).exists()) {
        bail!("\"{name}\": there is a component of this name");
    }
    let (ending, text) = if language == "rust" { ("rs", RUST) } else { ("c", C) };
    let path = format!("apps/{name}/{name}.{ending}");
    std::fs::create_dir_all(root.join("apps").join(name))?;
    std::fs::write(root.join(&path), text.replace("NAME", name))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_component_is_made_in_each_language() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(make(root.path(), "one", "c").unwrap(), "apps/one/one.c");
        assert_eq!(make(root.path(), "two", "rust").unwrap(), "apps/two/two.rs");
        let text = std::fs::read_to_string(root.path().join("apps/two/two.rs")).unwrap();
        assert!(text.contains("hello from two"));
    }
    #[test]
    fn a_name_that_is_taken_is_refused() {
        let root = tempfile::tempdir().unwrap();
        make(root.path(), "one", "c").unwrap();
        assert!(make(root.path(), "one", "rust").unwrap_err().to_string().contains("of this name"));
    }
    #[test]
    fn a_bad_name_is_refused() {
        let root = tempfile::tempdir().unwrap();
        for name in ["", "One", "../x", "a b", "1a"] {
            assert!(make(root.path(), name, "c").is_err(), "{name}");
        }
    }
}
