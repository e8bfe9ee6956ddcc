//! `./pebble extension`: what the gatekeeper says of an extension's source.

use crate::progress;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Subcommand)]
pub enum Form {
    /// Say what is refused of an extension, a line for each place: rule, file, line, reason. The status is 0 where nothing is, 1 where something is
    Vet {
        /// A file in Rust, or a folder of them with lib.rs
        path: PathBuf,
    },
}

/// Lines that are printed.
const SHOWN: usize = 200;
/// The status of what is refused.
const REFUSED: u8 = 1;

/// What compiles extensions, whose libraries are built the first time.
fn toolchain(root: &Path) -> Result<gatekeeper::Toolchain> {
    let program = |name, otherwise: &str| std::env::var_os(name).map_or_else(|| otherwise.into(), PathBuf::from);
    let [cargo, rustc] = [program("PEBBLE_CARGO", "cargo"), program("PEBBLE_RUSTC", "rustc")];
    let prepare = || gatekeeper::sysroot::prepare(&cargo, &rustc, &root.join("target/extension"));
    progress::during("building core and alloc of extensions", prepare)
}
pub fn run(root: &Path, form: &Form) -> Result<ExitCode> {
    let Form::Vet { path } = form;
    let refusals = gatekeeper::vet(&toolchain(root)?, path)?;
    refusals.iter().take(SHOWN).for_each(|refusal| println!("{refusal}"));
    if let Some(more @ 1..) = refusals.len().checked_sub(SHOWN) {
        println!("and {more} more");
    }
    Ok(if refusals.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
}
