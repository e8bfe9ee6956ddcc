//! `./pebble check`: format, lints, the seam of the machine, the size of the nucleus and of the trusted base, and the code of boot portals.

use crate::depth::Depth;
use crate::{all_portals, build, circles, exec, lint, manual, seam, system};
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
    let mut failed = Vec::new();
    let mut judge = |name: &'static str, passed: bool| {
        if !passed {
            failed.push(name);
        }
    };
    judge("format", lint::tool(root, "fmt", "everything", &["--all", "--check"], "rustfmt"));
    judge("lints", lint::run(root)?);
    judge("seam of the machine", seam::check(root)?);
    judge("imports", circles::check(root)?);
    judge("manual", manual::check(root)?);
    judge("other machine", !machines || seam::other_machine(root));
    let nucleus = lines(&root.join("nucleus/src"))?;
    println!("nucleus: {nucleus} lines (limit {NUCLEUS_LIMIT})");
    if nucleus > NUCLEUS_LIMIT {
        println!("FAIL: the nucleus is above its limit");
    }
    judge("size of the nucleus", nucleus <= NUCLEUS_LIMIT);
    println!("trusted base, in lines:");
    for (name, folders) in [
        ("nucleus", &["nucleus/src"][..]),
        ("portal manager, generator", &["servers/portals/src", "lib/portal/src"]),
        ("memory manager", &["servers/memory/src"]),
        ("shared numbers", &["lib/abi/src"]),
        ("verifier of fault domains", &["lib/verifier/src"]),
        ("gatekeeper of extensions", &["host/gatekeeper/src", "lib/exports/src"]),
        ("signer, files of extensions", &["host/signer/src", "lib/extension/src"]),
        ("dispatcher of extensions", &["lib/dispatch/src"]),
        ("linker of extensions", &["services/linker/src"]),
    ] {
        let sum: Result<usize> = folders.iter().map(|f| lines(&root.join(f))).sum();
        println!("  {name:27} {:5}", sum?);
    }
    println!("  {:27} {:5} instructions", "templates not confined", all_portals::unconfined());
    let system = system::load(root, "default")?;
    let image = exec::make_image(root, &system, Vec::new())?.bytes;
    judge("service stack", service_stack(root, &system)?);
    let depth = Depth::of(&image)?;
    println!("invocation stack: {} bytes for the deepest calls of the first components", depth.calls);
    let wrong = depth.exceeds();
    if let Some(wrong) = &wrong {
        println!("FAIL: {wrong}");
    }
    judge("invocation stack", wrong.is_none());
    let blocks = verify_portals(&image)?;
    println!(
        "portal code: {blocks} boot portals have only forward branches and known instructions, and end in a cache line"
    );
    let returns = verify_returns(&image)?;
    println!("nucleus: each of its {returns} ways to user mode ends in the cache line that it is in");
    let start = std::time::Instant::now();
    let portals = all_portals::verify(LETTERS)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("so have all {portals} portals of specifications up to {LETTERS} letters ({seconds:.1} s)");
    if !failed.is_empty() {
        // What is above may be long: the last line says where to look.
        bail!("check failed: {}", failed.join(", "));
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
/// Whether no call of a trusted component takes more of its caller's service stack than there is, and none calls itself without end.
fn service_stack(root: &Path, system: &manifest::System) -> Result<bool> {
    let (_, programs) = build::build(root, &build::sources(&system.components))?;
    let mut servers = system::stacks::servers(system, &programs);
    let entries = servers.entries();
    let Some(deepest) = entries.iter().filter(|e| e.portal.is_some()).max_by_key(|e| e.way.bytes) else {
        return Ok(false);
    };
    let portal = deepest.portal.as_deref().unwrap_or_default();
    println!(
        "service stack: {} bytes for the deepest call, \"{portal}\", which has {}",
        deepest.way.bytes, deepest.most
    );
    if deepest.way.bytes > deepest.most {
        deepest.way.functions.iter().for_each(|function| println!("FAIL: by {function}"));
    }
    let calls_back = servers.calls_back();
    let left = |e: &&stacks::Entry| e.most as isize - e.way.bytes as isize;
    let Some(back) = calls_back.iter().min_by_key(left) else { return Ok(false) };
    println!(
        "service stack: {} bytes in use where \"{}\" calls back, which may have {}",
        back.way.bytes,
        back.portal.as_deref().unwrap_or_default(),
        back.most
    );
    if back.way.bytes > back.most {
        back.way.functions.iter().for_each(|function| println!("FAIL: by {function}"));
    }
    let unknown = servers.endless();
    for function in &unknown {
        println!("FAIL: {function} calls itself: how often, and why not more, is not in `stacks::RECURSIVE`");
    }
    Ok(deepest.way.bytes <= deepest.most && back.way.bytes <= back.most && unknown.is_empty())
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
/// Bytes of the shortest cache line that is thought of.
const CACHE_LINE: usize = 16;

/// Checks that behind each `sret` of the nucleus there is a jump to itself, in the same cache line: fetch, which runs ahead, would
/// wait for the next line each time, which is never executed and so never in the cache. Portals are held to it by their verifier.
fn verify_returns(image: &[u8]) -> Result<usize> {
    let is_block = |at: &usize| image[*at..].starts_with(&BLOCK_MAGIC.to_le_bytes());
    let end = (0..CODE_END - IMAGE_BASE).step_by(64).find(is_block).unwrap_or(CODE_END - IMAGE_BASE);
    returns(&image[..end])
}
/// The number of `sret`s in `code`, which begins a cache line.
fn returns(code: &[u8]) -> Result<usize> {
    const SRET: u32 = portal::riscv64::encode::SRET;
    // `j .` in two bytes, and in four.
    const JUMPS: [&[u8]; 2] = [&0xa001u16.to_le_bytes(), &0x6fu32.to_le_bytes()];
    let mut found = 0;
    for at in (0..code.len()).step_by(2).filter(|&at| code[at..].starts_with(&SRET.to_le_bytes())) {
        let Some(jump) = JUMPS.into_iter().find(|jump| code[at + 4..].starts_with(jump)) else {
            bail!("nucleus, byte {at:#x}: an sret has no jump to itself behind it");
        };
        if at / CACHE_LINE != (at + 4 + jump.len() - 1) / CACHE_LINE {
            bail!("nucleus, byte {at:#x}: an sret and the jump behind it are in two cache lines");
        }
        found += 1;
    }
    if found == 0 {
        bail!("the nucleus has no sret");
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `sret; j .` behind so many halves of a `nop`.
    fn code(halves: usize, jump: &[u8]) -> Vec<u8> {
        [&[1, 0].repeat(halves)[..], &portal::riscv64::encode::SRET.to_le_bytes(), jump, &[0; 32]].concat()
    }
    #[test]
    fn a_return_must_end_in_its_cache_line() {
        let (short, long) = (0xa001u16.to_le_bytes(), 0x6fu32.to_le_bytes());
        for halves in 0..16 {
            // A line has eight halves.
            assert_eq!(returns(&code(halves, &short)).is_ok(), halves % 8 <= 5, "{halves}");
            assert_eq!(returns(&code(halves, &long)).is_ok(), halves % 8 <= 4, "{halves}");
        }
        let error = returns(&code(6, &short)).unwrap_err().to_string();
        assert!(error.contains("0xc") && error.contains("two cache lines"), "{error}");
    }
    #[test]
    fn a_return_without_a_jump_is_found_and_so_is_a_nucleus_without_returns() {
        assert!(returns(&code(0, &[1, 0])).unwrap_err().to_string().contains("no jump"));
        assert!(returns(&[0; 64]).unwrap_err().to_string().contains("no sret"));
    }
}
