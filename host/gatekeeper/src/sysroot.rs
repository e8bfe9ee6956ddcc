//! The target that extensions are compiled for, and its `core` and `alloc`. It is the machine's own with one difference: a frame of more than a page is probed
//! page by page, so that no function steps over the guard page below its stack (rust#43241: the compiler's own description of the target has no probes).

use crate::flags::{FIXED, LINK, PROGRAM, SCRIPT};
use anyhow::{Context as _, Result, bail};
use ring::digest::{Context, SHA256};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const BASE: &str = "riscv64gc-unknown-none-elf";
const NAME: &str = "riscv64-pebble-extension";

/// What compiles extensions.
pub struct Toolchain {
    pub rustc: PathBuf,
    pub sysroot: PathBuf,
    /// The target's description.
    pub target: PathBuf,
    /// The linker, with its whole path: the compiler has no variables to look for it by.
    pub linker: PathBuf,
    /// Compiler, target and all that extensions are compiled with: one that something else has made is another machine's.
    pub identity: extension::Digest,
}

/// The text of the target's description.
fn target(rustc: &Path) -> Result<String> {
    let mut ask = Command::new(rustc);
    ask.env("RUSTC_BOOTSTRAP", "1").args(["--print", "target-spec-json", "-Zunstable-options", "--target", BASE]);
    let output = ask.stderr(Stdio::inherit()).output().with_context(|| rustc.display().to_string())?;
    let mut target: Map<String, Value> = serde_json::from_slice(&output.stdout).context("the target's description")?;
    target.insert("stack-probes".into(), json!({ "kind": "inline" }));
    Ok(serde_json::to_string_pretty(&target)?)
}
/// The package whose dependencies the libraries are.
const PACKAGE: &str = "[package]\nname = \"nothing\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[profile.release]\npanic = \"abort\"\n[workspace]\n";

/// How they are built: with `memcpy` and its like, which an extension has of its own.
const BUILD: [&str; 8] = [
    "build",
    "--quiet",
    "--message-format=json-render-diagnostics",
    "--release",
    "-Zbuild-std=core,alloc",
    "-Zbuild-std-features=compiler-builtins-mem",
    "-Zjson-target-spec",
    "--target",
];

/// Which compiler or linker it is, in its own words: what was made by another is of no use.
fn said(program: &Path, argument: &str) -> Result<String> {
    let output = Command::new(program).arg(argument).output().with_context(|| program.display().to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
const LINKER: &str = "ld.lld-19";

/// A program among the folders of PATH.
fn found(name: &str) -> Result<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    path.with_context(|| format!("{name}: in no folder of PATH"))
}
/// SHA-256 of texts.
pub fn digest(texts: &[&str]) -> extension::Digest {
    let mut all = Context::new(&SHA256);
    for text in texts {
        all.update(&(text.len() as u64).to_le_bytes());
        all.update(text.as_bytes());
    }
    let mut digest = extension::Digest::default();
    digest.copy_from_slice(all.finish().as_ref());
    digest
}
/// The libraries that cargo says it has built, or found: of other builds, some may lie beside them.
fn built(messages: &str) -> Vec<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let artifacts =
        messages.filter(|message| message["reason"] == "compiler-artifact" && message["target"]["name"] != "nothing");
    let files = artifacts.flat_map(|artifact| artifact["filenames"].as_array().cloned().unwrap_or_default());
    files
        .filter_map(|file| file.as_str().map(PathBuf::from))
        .filter(|file| file.extension().is_some_and(|ending| ending == "rlib"))
        .collect()
}
/// What all that an identity stands for says.
struct Made {
    version: String,
    target: String,
    linker: PathBuf,
    identity: extension::Digest,
}
impl Made {
    fn by(rustc: &Path) -> Result<Made> {
        let (version, target, linker) = (said(rustc, "-vV")?, target(rustc)?, found(LINKER)?);
        let flags = [&BUILD[..], &FIXED, &PROGRAM, &LINK].concat().join(" ");
        // The code of ours that comes into each: around the extension, and of an interface.
        let (around, runtime) = (exports::program_source(&[]), exports::runtime());
        let linked = said(&linker, "--version")?;
        let code = [&around, &runtime.crate_source(), &runtime.canonical()].map(String::as_str).join("\n");
        let identity = digest(&[&version, &linked, &target, &flags, SCRIPT, &code]);
        Ok(Made { version, target, linker, identity })
    }
}
/// What this compiler, and all that extensions are compiled with, is known by; nothing is built.
pub fn identity(rustc: &Path) -> Result<extension::Digest> {
    Ok(Made::by(rustc)?.identity)
}
/// Has `core` and `alloc` built in `folder` if this compiler's are not there; one process at a time.
pub fn prepare(cargo: &Path, rustc: &Path, folder: &Path) -> Result<Toolchain> {
    let description = folder.join(format!("{NAME}.json"));
    let sysroot = folder.join("sysroot");
    fs::create_dir_all(folder.join("nothing/src")).with_context(|| folder.display().to_string())?;
    let lock = fs::File::create(folder.join("lock"))?;
    lock.lock()?;
    let done = folder.join("made-by");
    let Made { version, target, linker, identity } = Made::by(rustc)?;
    let version = format!("{version}{}\n", BUILD.join(" "));
    let rustc = rustc.to_path_buf();
    let toolchain = Toolchain { rustc, sysroot: sysroot.clone(), target: description.clone(), linker, identity };
    if fs::read_to_string(&done).is_ok_and(|by| by == version)
        && fs::read_to_string(&description).is_ok_and(|text| text == target)
    {
        return Ok(toolchain);
    }
    let _ = fs::remove_file(&done);
    let _ = fs::remove_dir_all(&sysroot);
    fs::write(&description, &target)?;
    fs::write(folder.join("nothing/Cargo.toml"), PACKAGE)?;
    fs::write(folder.join("nothing/src/lib.rs"), "#![no_std]\n")?;
    let products = folder.join("products");
    let mut build = Command::new(cargo);
    build
        .current_dir(folder.join("nothing"))
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", &toolchain.rustc)
        .stdin(Stdio::null());
    build.args(BUILD);
    build.arg(&description).arg("--target-dir").arg(&products);
    // The tests run with variables of cargo's own.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_")) {
        build.env_remove(name);
    }
    let output = build.stdout(Stdio::piped()).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| cargo.display().to_string())?;
    if !output.status.success() {
        bail!("core and alloc of extensions could not be built");
    }
    let libraries = sysroot.join("lib/rustlib").join(NAME).join("lib");
    fs::create_dir_all(&libraries)?;
    for path in built(&String::from_utf8_lossy(&output.stdout)) {
        fs::copy(&path, libraries.join(path.file_name().context("a library has a name")?))?;
    }
    fs::write(done, version)?;
    Ok(toolchain)
}
