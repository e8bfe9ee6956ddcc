//! `./pebble check`: format, lints, the seam of the machine, the size of the nucleus and of the trusted base, and the code of boot portals.

use crate::depth::Depth;
use crate::{every, exec, lint, seam, system};
use abi::address::{CODE_END, IMAGE_BASE};
use abi::nucleus::BLOCK_MAGIC;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Most lines of privileged code, comments and assembly included.
const NUCLEUS_LIMIT: usize = 1000;

/// Longest specifications of which every portal is verified.
const LETTERS: usize = 6;

/// `machines`: the other machine's types are checked, too.
pub fn run(root: &Path, machines: bool) -> Result<ExitCode> {
    let mut failed = false;
    failed |= !lint::tool(root, "fmt", "everything", &["--all", "--check"], "rustfmt");
    failed |= !lint::run(root)?;
    failed |= !seam::check(root)?;
    failed |= machines && !seam::other_machine(root);
    let nucleus = lines(&root.join("nucleus/src"))?;
    println!("nucleus: {nucleus} lines (limit {NUCLEUS_LIMIT})");
    if nucleus > NUCLEUS_LIMIT {
        println!("FAIL: the nucleus is above its limit");
        failed = true;
    }
    println!("trusted base, in lines:");
    for (name, folders) in [
        ("nucleus", &["nucleus/src"][..]),
        ("portal manager, generator", &["servers/portals/src", "lib/portal/src"]),
        ("memory manager", &["servers/memory/src"]),
        ("shared numbers", &["lib/abi/src"]),
        ("verifier of fault domains", &["lib/verifier/src"]),
    ] {
        let sum: Result<usize> = folders.iter().map(|f| lines(&root.join(f))).sum();
        println!("  {name:26} {:5}", sum?);
    }
    println!("  {:26} {:5} instructions", "templates not confined", every::unconfined());
    let image = default_image(root)?;
    let depth = Depth::of(&image)?;
    println!("invocation stack: {} bytes for the deepest calls of the first components", depth.calls);
    if let Some(wrong) = depth.exceeds() {
        println!("FAIL: {wrong}");
        failed = true;
    }
    let blocks = verify_portals(&image)?;
    println!("portal code: {blocks} boot portals have only forward branches and known instructions");
    let start = std::time::Instant::now();
    let portals = every::verify(LETTERS)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("so have all {portals} portals of specifications up to {LETTERS} letters ({seconds:.1} s)");
    if failed {
        bail!("check failed");
    }
    println!("check passed");
    Ok(ExitCode::SUCCESS)
}

/// Lines of all files below `folder`, tests in files of their own and what is there for them left out.
fn lines(folder: &Path) -> Result<usize> {
    let mut sum = 0;
    let mut folders: Vec<PathBuf> = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let name = path.file_stem().and_then(|s| s.to_str()).unwrap_or("").to_string();
            if path.is_dir() && name == "tests" || ["fake", "failing"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if !name.ends_with("tests") {
                sum += std::fs::read_to_string(&path)?.lines().count();
            }
        }
    }
    Ok(sum)
}
fn default_image(root: &Path) -> Result<Vec<u8>> {
    let system = system::load(root, "default")?;
    Ok(exec::make_image(root, &system, Vec::new())?.bytes)
}
/// Checks every portal in an image.
fn verify_portals(image: &[u8]) -> Result<usize> {
    let words: Vec<u32> =
        image[..CODE_END - IMAGE_BASE].chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
    let mut blocks = 0;
    for at in (0..words.len()).step_by(16).filter(|&at| words[at] == BLOCK_MAGIC) {
        let count = words[at + 1] as usize;
        let Some(code) = words.get(at + 4..at + 4 + count) else { bail!("portal at word {at}: its header is wrong") };
        if let Err(refused) = portal::disassemble::verify(code) {
            bail!("portal at word {at}: {refused:?}");
        }
        blocks += 1;
    }
    Ok(blocks)
}
