//! `./pebble extension`: what the gatekeeper says of an extension's source, the file that it becomes, and what that file says.

pub mod keys;
mod show;

pub use keys::{bytes as public_key, use_folder};

use crate::{inputs, progress};
use anyhow::{Context, Result, bail};
use exports::Interface;
use gatekeeper::{Built, Refusal, Toolchain};
use keyring::EXTENSIONS;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Subcommand)]
pub enum Form {
    /// Say what is refused of an extension, a line for each place: rule, file, line, reason. The status is 0 where nothing is, 1 where something is
    Vet {
        /// A file in Rust, or a folder of them with lib.rs
        path: PathBuf,
        #[command(flatten)]
        exports: Exports,
    },
    /// Vet an extension, compile it, and have it signed. The status is 1 where it is refused
    Build {
        /// A file in Rust, or a folder of them with lib.rs
        path: PathBuf,
        /// The file to write
        #[arg(short, long)]
        output: PathBuf,
        /// Sign it even if it is refused, for this reason: it stays marked with that
        #[arg(long, value_name = "REASON")]
        vetted: Option<String>,
        #[command(flatten)]
        exports: Exports,
    },
    /// Print what an extension's file says: interfaces, rights, sizes, key. The status is 1 where its signature does not hold, or can not be checked
    Show {
        /// The file
        file: PathBuf,
        #[command(flatten)]
        exports: Exports,
    },
    /// Print the public key that extensions are signed with here; it is made at first use
    Key,
}
#[derive(clap::Args)]
pub struct Exports {
    /// A folder with declarations of interfaces that extensions may name, beside those of the components here
    #[arg(long = "exports", value_name = "FOLDER")]
    folders: Vec<PathBuf>,
}

/// The image of the component that links extensions.
const LINKER: &str = "linker";
/// Lines that are printed.
const SHOWN: usize = 200;
/// The status of what is refused.
const REFUSED: u8 = 1;

/// A program by a variable's name, or another's.
fn program(name: &str, otherwise: &str) -> PathBuf {
    std::env::var_os(name).map_or_else(|| otherwise.into(), PathBuf::from)
}
/// What compiles extensions, whose libraries are built the first time.
fn toolchain(root: &Path) -> Result<Toolchain> {
    let [cargo, rustc] = [program("PEBBLE_CARGO", "cargo"), program("PEBBLE_RUSTC", "rustc")];
    let prepare = || gatekeeper::sysroot::prepare(&cargo, &rustc, &root.join("target/extension"));
    progress::during("building core and alloc of extensions", prepare)
}
/// The interfaces that components export: a file `exports/NAME.rs` in a component's folder each, and those of more folders.
fn interfaces(root: &Path, more: &[PathBuf]) -> Result<Vec<Interface>> {
    let mut paths = Vec::new();
    let patterns = ["servers", "drivers", "services", "apps"].map(|kind| root.join(kind).join("*/exports/*.rs"));
    for pattern in patterns.into_iter().chain(more.iter().map(|folder| folder.join("*.rs"))) {
        for path in glob::glob(&pattern.to_string_lossy())? {
            let path = path?;
            inputs::note(&path);
            paths.push(path);
        }
    }
    let mut found: Vec<Interface> = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let interface = Interface::parse(&name, &text).with_context(|| path.display().to_string())?;
        if found.iter().any(|other| other.name == interface.name) {
            bail!("{}: another component exports an interface of that name", path.display());
        }
        found.push(interface);
    }
    if let Some(missing) = more.iter().find(|folder| !folder.is_dir()) {
        bail!("{}: is no folder of declarations", missing.display());
    }
    Ok(found)
}
/// The file that the extension at `path` becomes, which nobody has signed. It may name what is declared in these folders, too. An error: it is refused.
pub fn unsigned(root: &Path, path: &Path, exports: &[PathBuf]) -> Result<Vec<u8>> {
    match gatekeeper::build(&toolchain(root)?, path, &interfaces(root, exports)?, None)? {
        Built::File(file, _) => Ok(file),
        Built::Refused(refusals) => {
            let lines: Vec<String> = refusals.iter().map(Refusal::to_string).collect();
            bail!("{} is refused:\n{}", path.display(), lines.join("\n"))
        }
    }
}
/// The same, signed with the key of this user.
pub fn signed(root: &Path, path: &Path, exports: &[PathBuf]) -> Result<Vec<u8>> {
    keys::sign(root, &unsigned(root, path, exports)?)
}
/// The files that a system's image has besides: whose extensions its linker takes, if it has one. An error: `files` has one of that name.
pub fn files(root: &Path, system: &manifest::System, files: &[(String, Vec<u8>)]) -> Result<Vec<(String, Vec<u8>)>> {
    if system.components.iter().all(|component| component.image != LINKER) {
        return Ok(Vec::new());
    }
    let path = EXTENSIONS.path;
    if files.iter().any(|(name, _)| name == path) {
        bail!("--file: {path} is the file of the system's keys: they are in its manifest");
    }
    let identity = gatekeeper::sysroot::identity(&program("PEBBLE_RUSTC", "rustc"))?;
    let keys = keys::of_system(root, system, identity, EXTENSIONS)?;
    Ok(vec![(path.into(), keys.into_bytes())])
}
fn print(refusals: &[Refusal]) {
    refusals.iter().take(SHOWN).for_each(|refusal| println!("{refusal}"));
    if let Some(more @ 1..) = refusals.len().checked_sub(SHOWN) {
        println!("and {more} more");
    }
}
fn build(root: &Path, path: &Path, output: &Path, vetted: Option<&str>, known: &[Interface]) -> Result<ExitCode> {
    if vetted.is_some_and(|reason| reason.trim().is_empty() || reason.len() > extension::MOST_REASON) {
        bail!("--vetted: a reason has 1 to {} bytes: it is what others will read", extension::MOST_REASON);
    }
    match gatekeeper::build(&toolchain(root)?, path, known, vetted)? {
        Built::Refused(refusals) => {
            print(&refusals);
            Ok(ExitCode::from(REFUSED))
        }
        Built::File(file, refusals) => {
            print(&refusals);
            if extension::Extension::parse(&file).is_ok_and(|extension| extension.exports().len() == 0) {
                eprintln!(
                    "pebble: {} handles no event: it names no interface that has an event with the name of one of its `pub fn`",
                    path.display()
                );
            }
            let signed = keys::sign(root, &file)?;
            crate::kept::replace(output, &signed)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}
pub fn run(root: &Path, form: &Form) -> Result<ExitCode> {
    match form {
        Form::Vet { path, exports } => {
            let refusals = gatekeeper::vet(&toolchain(root)?, path, &interfaces(root, &exports.folders)?)?;
            print(&refusals);
            Ok(if refusals.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
        }
        Form::Build { path, output, vetted, exports } => {
            build(root, path, output, vetted.as_deref(), &interfaces(root, &exports.folders)?)
        }
        Form::Show { file, exports } => {
            let interfaces = interfaces(root, &exports.folders)?.into_iter().chain([exports::runtime()]);
            let known = |interface: Interface| {
                let identity = interface.identity();
                show::Known(interface, identity)
            };
            show::run(root, file, &interfaces.map(known).collect::<Vec<_>>())
        }
        Form::Key => {
            println!("{}", keys::public(root)?);
            Ok(ExitCode::SUCCESS)
        }
    }
}
