//! A page that is to be followed step by step: its files are written, and its commands run and its dialogues held, in a folder outside of
//! the repository, in the order in which they stand.

use super::blocks::{Block, Kind, differs};
use crate::child::end_with_us;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Whether a page has steps.
pub fn is_one(blocks: &[Block]) -> bool {
    blocks.iter().any(|block| matches!(block.kind, Kind::Run | Kind::File(_) | Kind::Dialogue(Some(_))))
}
/// Takes all steps of a page; the first that goes wrong is named by its line.
pub fn walk(root: &Path, blocks: &[Block]) -> Result<()> {
    let root = root.canonicalize()?;
    let folder = tempfile::tempdir()?;
    for (n, block) in blocks.iter().enumerate() {
        let output = blocks.get(n + 1).filter(|next| next.kind == Kind::Output);
        step(&root, folder.path(), block, output).with_context(|| format!("line {}", block.line))?;
    }
    Ok(())
}
fn step(root: &Path, folder: &Path, block: &Block, output: Option<&Block>) -> Result<()> {
    match &block.kind {
        Kind::File(name) => {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            Ok(fs::write(path, &block.text)?)
        }
        Kind::Run => run(root, folder, &block.text, output.map_or("", |output| &output.text)),
        Kind::Dialogue(Some(system)) => super::dialogue(root, &folder.join(system).to_string_lossy(), &block.text),
        _ => Ok(()),
    }
}
/// Runs commands of a shell that finds `pebble`. What they print, on standard output and then on standard error, must be `expected`.
fn run(root: &Path, folder: &Path, commands: &str, expected: &str) -> Result<()> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([root.to_path_buf()].into_iter().chain(std::env::split_paths(&paths)))?;
    let mut shell = Command::new("bash");
    // What a page signs is not signed with the key of who tests.
    shell.env("PEBBLE_KEYS", folder.join("keys"));
    shell.args(["-c", commands]).current_dir(folder).env("PATH", path).stdin(Stdio::null());
    end_with_us(&mut shell);
    let done = shell.output().context("bash could not be started")?;
    // How long something takes is the machine's affair.
    let is_progress = |line: &&str| ["pebble: building", "pebble: waiting"].iter().any(|start| line.starts_with(start));
    let errors = String::from_utf8_lossy(&done.stderr);
    let errors: Vec<&str> = errors.lines().filter(|line| !is_progress(line)).collect();
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), errors.join("\n"));
    match differs(expected, &said) {
        Some(line) => bail!("the page has \"{line}\", and the commands said:\n{said}"),
        None => Ok(()),
    }
}
