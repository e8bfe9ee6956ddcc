//! `./pebble new`: a component that builds and runs, or an extension that can be linked in.

use anyhow::{Context, Result, bail};
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

fn main(env: &pebble::Env) -> i32 {
    let name = env.argument(1).unwrap_or("NAME");
    pebble::println!("{}, in domain {}", LIBRARY::greeting(name), pebble::thread::asid());
    0
}
pebble::program!(main);
"#;
const LOGIC: &str = r#"//! What needs no machine: `cargo test` tests it on this one.
#![no_std]

extern crate alloc;

use alloc::{format, string::String};

/// What is said to `name`.
pub fn greeting(name: &str) -> String {
    format!("hello from {name}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_greeting_has_the_name() {
        assert_eq!(super::greeting("it"), "hello from it");
    }
}
"#;
const CARGO: &str = r#"[package]
name = "NAME"
version = "0.1.0"
edition = "2024"

[lib]
name = "LIBRARY"

[[bin]]
name = "NAME"
path = "src/main.rs"
test = false

# Packages of others that need no std go here.
[dependencies]

# What needs the machine.
[target.'cfg(target_os = "none")'.dependencies]
pebble = { path = "SDK" }

# Without a [profile.release] of its own it is built as the system's components are.
[workspace]
"#;

const EXTENSION: &str = r#"//! NAME: sees each frame that comes, before TCP/IP does. The book's page on extensions shows what else one can do.
#![no_std]
use packets::Verdict;

/// No telnet.
pub fn arrived(frame: &mut [u8]) -> Verdict {
    // TCP in IPv4, for port 23.
    let telnet = frame.len() > 38 && frame[12..14] == [8, 0] && frame[23] == 6 && frame[36..38] == [0, 23];
    if telnet { Verdict::Drop } else { Verdict::Pass }
}
"#;
const LIMITS: &str = r#"# What one activation may take.
[limits]
stack = 16384      # bytes
arena = 65536      # bytes
quantum = 10000    # microseconds
"#;

/// Makes an extension: in `apps/extensions/` of the repository, where that is the current folder, else in a new folder here.
pub fn extension(root: &Path, name: &str) -> Result<ExitCode> {
    let inside = is_inside(root)?;
    let path = make_extension(if inside { Path::new("apps/extensions") } else { Path::new("") }, name)?;
    let pebble = if inside { "./pebble" } else { "pebble" };
    println!("made {path}\nbuild it:      {pebble} extension build {path} -o {name}.ext");
    println!("link it in:    {pebble} run filtered --net user --file {name}.ext");
    println!("               pebble> extension link {name}.ext internet");
    Ok(ExitCode::SUCCESS)
}
/// Writes its files into a new folder of this name in `place`; what `extension build` takes.
fn make_extension(place: &Path, name: &str) -> Result<String> {
    if !extension::is_name(name) {
        bail!("\"{name}\": an extension's name is of lower-case letters, digits, - and _, and does not start with -");
    }
    let folder = place.join(name);
    if folder.exists() || folder.with_extension("rs").exists() {
        bail!("\"{name}\": there is an extension of this name");
    }
    write(&folder.join("lib.rs"), &EXTENSION.replace("NAME", name))?;
    write(&folder.join("extension.toml"), LIMITS)?;
    Ok(folder.display().to_string())
}
/// Whether the current folder is the repository.
fn is_inside(root: &Path) -> Result<bool> {
    Ok(root.canonicalize()? == std::env::current_dir()?.canonicalize()?)
}
/// Writes a file in a folder that may not be there yet.
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(path))?;
    std::fs::write(path, text).with_context(|| path.display().to_string())
}
/// Makes a component: in `apps/` of the repository, where that is the current folder, else in a new folder here.
pub fn create(root: &Path, name: &str, language: &str) -> Result<ExitCode> {
    let inside = is_inside(root)?;
    let path = make(root, if inside { Path::new("apps") } else { Path::new("") }, name, language)?;
    let pebble = if inside { "./pebble" } else { "pebble" };
    println!("made {path}\nrun it:        {pebble} exec {path}");
    println!("put it in a system: a block [[component]] with image = \"{path}\" in a manifest");
    Ok(ExitCode::SUCCESS)
}
/// Writes the files into a new folder of this name in `place`; what `exec` takes.
fn make(root: &Path, place: &Path, name: &str, language: &str) -> Result<String> {
    let good = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c))
        && name.len() < abi::section::NAME;
    if !good {
        bail!(
            "\"{name}\": a component's name starts with a lower-case letter and goes on with letters, digits, - and _"
        );
    }
    let folder = place.join(name);
    let taken = ["servers", "drivers", "services", "apps"].iter().any(|folder| root.join(folder).join(name).exists());
    if taken || folder.exists() {
        bail!("\"{name}\": there is a component of this name");
    }
    let sdk = root.canonicalize()?.join("lib/pebble");
    let sdk = if place == Path::new("apps") { "../../lib/pebble".into() } else { sdk.to_string_lossy() };
    let text = |text: &str| text.replace("NAME", name).replace("LIBRARY", &name.replace('-', "_")).replace("SDK", &sdk);
    let write = |file: &str, content: &str| write(&folder.join(file), &text(content));
    if language == "rust" {
        write("Cargo.toml", CARGO)?;
        write("src/lib.rs", LOGIC)?;
        write("src/main.rs", RUST)?;
        return Ok(folder.display().to_string());
    }
    let file = format!("{name}.c");
    write(&file, C)?;
    Ok(folder.join(file).display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    fn new(root: &Path, name: &str, language: &str) -> Result<String> {
        make(root, &root.join("mine"), name, language)
    }
    #[test]
    fn a_component_is_made_in_each_language() {
        let root = tempfile::tempdir().unwrap();
        let place = root.path().join("mine");
        assert_eq!(new(root.path(), "one", "c").unwrap(), place.join("one/one.c").to_str().unwrap());
        assert_eq!(new(root.path(), "my-two", "rust").unwrap(), place.join("my-two").to_str().unwrap());
        let read = |file: &str| std::fs::read_to_string(place.join("my-two").join(file)).unwrap();
        assert!(read("src/main.rs").contains("my_two::greeting"));
        assert!(read("Cargo.toml").contains("name = \"my-two\"") && read("Cargo.toml").contains("lib/pebble"));
    }
    #[test]
    fn a_name_that_is_taken_is_refused() {
        let root = tempfile::tempdir().unwrap();
        new(root.path(), "one", "c").unwrap();
        assert!(new(root.path(), "one", "rust").unwrap_err().to_string().contains("of this name"));
        std::fs::create_dir_all(root.path().join("services/two")).unwrap();
        assert!(new(root.path(), "two", "c").unwrap_err().to_string().contains("of this name"));
    }
    #[test]
    fn an_extension_is_made_once() {
        let place = tempfile::tempdir().unwrap();
        let made = make_extension(place.path(), "no_telnet").unwrap();
        let source = std::fs::read_to_string(Path::new(&made).join("lib.rs")).unwrap();
        assert!(source.starts_with("//! no_telnet: ") && Path::new(&made).join("extension.toml").exists());
        let again = make_extension(place.path(), "no_telnet").unwrap_err();
        assert!(again.to_string().contains("of this name"));
        for name in ["", "no telnet", "../x", "-x", "No"] {
            assert!(make_extension(place.path(), name).is_err(), "{name}");
        }
    }
    #[test]
    fn a_bad_name_is_refused() {
        let root = tempfile::tempdir().unwrap();
        for name in ["", "One", "../x", "a b", "1a"] {
            assert!(new(root.path(), name, "c").is_err(), "{name}");
        }
    }
}
