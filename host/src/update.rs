//! `./pebble release` and `./pebble update`: signed images of components, made here and given to systems that run.

use crate::extension::keys;
use crate::foreign::Foreign;
use crate::{build, kept, system};
use abi::address::IMAGE_VA;
use anyhow::{Context, Result, bail, ensure};
use image::Parts;
use keyring::{Digest, UPDATES};
use manifest::System;
use ring::digest::{SHA256, digest};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
pub use update::{KEY, SIGNATURE};
use update::{Part, Update};

/// The image of the component that takes updates.
const UPDATES_IMAGE: &str = "updates";
/// What a component is built against, beside the nucleus: folders of sources.
const BUILT_AGAINST: [&str; 2] = ["lib/abi/src", "lib/interfaces/src"];
/// How long a system may take to answer: a trial is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// The status of what is refused.
const REFUSED: u8 = 1;

#[derive(clap::Args)]
pub struct Release {
    /// The system whose component it is: a manifest in systems/, or the path of one
    system: String,
    /// The component
    name: String,
    /// Which version it is: systems take a newer one than they have, 1 being the least
    #[arg(long = "release", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    version: u64,
    /// The file to write
    #[arg(short, long)]
    output: PathBuf,
}
/// What a component is built against: another one is of another system.
fn identity(root: &Path, nucleus: &[u8]) -> Result<Digest> {
    let mut all = image::loaded_part(nucleus).to_vec();
    for folder in BUILT_AGAINST {
        for file in build::files(&root.join(folder), &["rs"])? {
            all.extend(fs::read(&file).with_context(|| file.display().to_string())?);
        }
    }
    Ok(digest(&SHA256, &all).as_ref().try_into()?)
}
/// The files that a system's image has besides: whose updates it takes, if it takes any. An error: `files` has one of that name.
pub fn files(
    root: &Path,
    system: &System,
    nucleus: &[u8],
    files: &[(String, Vec<u8>)],
) -> Result<Vec<(String, Vec<u8>)>> {
    if system.components.iter().all(|component| component.image != UPDATES_IMAGE) {
        return Ok(Vec::new());
    }
    if files.iter().any(|(name, _)| name == UPDATES.path) {
        bail!("--file: {} is the file of the system's keys: they are in its manifest", UPDATES.path);
    }
    let keys = keys::of_system(root, system, identity(root, nucleus)?, UPDATES)?;
    Ok(vec![(UPDATES.path.into(), keys.into_bytes())])
}
/// The update that a component of a system is as it is built here, which nobody has signed.
pub fn unsigned(root: &Path, system: &System, name: &str, version: u64) -> Result<Vec<u8>> {
    let component = system.components.iter().find(|component| component.name == name);
    let component = component.with_context(|| format!("system \"{}\" has no component \"{name}\"", system.name))?;
    ensure!(!component.boot, "component \"{name}\" is part of the system's image, and has no updates");
    ensure!(component.host.is_empty(), "component \"{name}\" is in the space of \"{}\"", component.host);
    ensure!(component.task.is_empty(), "component \"{name}\" is in the space of its task, and has no updates");
    let (nucleus, programs) = build::build(root, &build::sources(&system.components))?;
    let system_identity = identity(root, &nucleus)?;
    let parts =
        Parts { system, nucleus: &nucleus, programs, files: Vec::new(), sstc: true, cycles_per_time: 0, ram_bytes: 0 };
    let (laid_out, bytes) = image::alone(&parts, &component.image)?;
    let mut segments: Vec<Part> = laid_out.segments[..laid_out.segment_count as usize]
        .iter()
        .map(|s| Part {
            va: s.va,
            bytes: &bytes[s.offset as usize..][..s.file_bytes as usize],
            memory_bytes: s.memory_bytes,
            rights: s.rights,
        })
        .collect();
    segments.sort_by_key(|part| part.va);
    let opens: Vec<&str> = component.opens.iter().map(String::as_str).collect();
    let parts = update::Parts {
        name,
        version,
        isolation: component.isolation.mechanism() as u32,
        system: system_identity,
        entry: laid_out.entry,
        heap: laid_out.heap.max(IMAGE_VA as u64).next_multiple_of(abi::address::PAGE as u64),
        segments: &segments,
        opens: &opens,
    };
    parts.write().map_err(|why| anyhow::anyhow!("the update of \"{name}\" {why}"))
}
pub fn release(root: &Path, asked: &Release) -> Result<ExitCode> {
    let system = system::load(root, &asked.system)?;
    let file = unsigned(root, &system, &asked.name, asked.version)?;
    kept::replace(&asked.output, &keys::sign(root, &file)?)?;
    Ok(ExitCode::SUCCESS)
}
/// What a system says of an update that it gets.
pub fn given(address: &str, file: &[u8]) -> Result<String> {
    let to = address.to_socket_addrs().with_context(|| format!("{address}: no HOST:PORT"))?.next();
    let to = to.with_context(|| format!("{address}: nobody has that name"))?;
    let mut stream = TcpStream::connect_timeout(&to, PATIENCE).with_context(|| address.to_string())?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // Who does not take it may say so before all of it is sent.
    let sent = stream.write_all(file);
    let mut said = String::new();
    let heard = stream.take(1024).read_to_string(&mut said);
    if said.is_empty() {
        sent.and(heard.map(drop)).with_context(|| address.to_string())?;
        bail!("{address}: it says nothing");
    }
    Ok(said.trim_end().to_string())
}
pub fn send(address: &str, name: &str, path: &Path) -> Result<ExitCode> {
    let file = fs::read(path).with_context(|| path.display().to_string())?;
    let update = Update::parse(&file).map_err(|why| anyhow::anyhow!("{} {why}", path.display()))?;
    ensure!(update.name() == name, "{} is of component \"{}\"", path.display(), update.name());
    let said = given(address, &file)?;
    // A system may say anything.
    println!("{name}: {}", Foreign::name(&said));
    Ok(if said == "taken" { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) })
}
