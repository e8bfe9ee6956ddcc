//! The target that extensions are compiled for, and its `core` and `alloc`. It is the machine's own with one difference: a frame of more than a page is probed
//! page by page, so that no function steps over the guard page below its stack (rust#43241: the compiler's own description of the target has no probes).

use anyhow::{Context, Result, bail};
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

/// Which compiler: what was made by another is of no use.
fn version(rustc: &Path) -> Result<String> {
    let output = Command::new(rustc).arg("-vV").output().with_context(|| rustc.display().to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
/// Has `core` and `alloc` built in `folder` if this compiler's are not there; one process at a time.
pub fn prepare(cargo: &Path, rustc: &Path, folder: &Path) -> Result<Toolchain> {
    let description = folder.join(format!("{NAME}.json"));
    let sysroot = folder.join("sysroot");
    let toolchain = Toolchain { rustc: rustc.into(), sysroot: sysroot.clone(), target: description.clone() };
    fs::create_dir_all(folder.join("nothing/src")).with_context(|| folder.display().to_string())?;
    let lock = fs::File::create(folder.join("lock"))?;
    lock.lock()?;
    let (done, version, target) = (folder.join("made-by"), version(rustc)?, target(rustc)?);
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
    build.current_dir(folder.join("nothing")).env("RUSTC_BOOTSTRAP", "1").env("RUSTC", rustc).stdin(Stdio::null());
    build.args(["build", "--quiet", "--release", "-Zbuild-std=core,alloc", "-Zjson-target-spec", "--target"]);
    build.arg(&description).arg("--target-dir").arg(&products);
    // The tests run with variables of cargo's own.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_")) {
        build.env_remove(name);
    }
    if !build.status().with_context(|| cargo.display().to_string())?.success() {
        bail!("core and alloc of extensions could not be built");
    }
    let libraries = sysroot.join("lib/rustlib").join(NAME).join("lib");
    fs::create_dir_all(&libraries)?;
    for entry in fs::read_dir(products.join(NAME).join("release/deps"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".rlib") && !name.starts_with("libnothing") {
            fs::copy(&path, libraries.join(name))?;
        }
    }
    fs::write(done, version)?;
    Ok(toolchain)
}
