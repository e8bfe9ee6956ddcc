//! `./pebble extension show`: what a file says of itself, and whether its signature holds.

use super::keys::{self, Signature};
use anyhow::{Context, Result, bail};
use extension::{Extension, Limits, MOST_BYTES, Section};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

/// The whole file, if it is no larger than one can be.
fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let name = || path.display().to_string();
    File::open(path).and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)).with_context(name)?;
    Ok(bytes)
}
/// What is printed. `compiler` is this one's identity; letters of a reason that a terminal would do something with are escaped.
fn text(file: &Extension, length: usize, signature: Signature) -> Result<String> {
    let interfaces: Vec<_> = file.interfaces().collect();
    let list = |items: Vec<String>| if items.is_empty() { "nothing".into() } else { items.join(", ") };
    let of = |interface: u16, name: &str| format!("{}.{name}", interfaces[interface as usize].name);
    let handled = file.exports().map(|export| of(export.interface, export.name)).collect();
    let called = file.imports().map(|import| of(import.interface, import.name)).collect();
    let constants = file.section(Section::Constants).len();
    let Limits { stack, arena, quantum } = file.limits();
    let mut text = String::new();
    writeln!(text, "extension   {}", file.name())?;
    if let Some(reason) = file.vetted() {
        writeln!(text, "VETTED      refused by the gatekeeper, and signed all the same: {}", reason.escape_debug())?;
    }
    writeln!(text, "handles     {}", list(handled))?;
    writeln!(text, "calls       {}", list(called))?;
    writeln!(text, "limits      stack {stack} bytes, arena {arena} bytes, quantum {quantum} microseconds")?;
    let image = file.layout().end;
    let addresses = file.relocations().len();
    writeln!(
        text,
        "image       {image} bytes: text {}, constants {constants}, of these {addresses} addresses",
        file.text().len()
    )?;
    writeln!(text, "file        {length} bytes")?;
    for interface in &interfaces {
        writeln!(text, "interface   {} {}", keys::hexadecimal(&interface.digest), interface.name)?;
    }
    writeln!(text, "compiler    {}", keys::hexadecimal(&file.compiler()))?;
    let said = match signature {
        Signature::Holds => "the signature holds",
        Signature::Wrong => "THE SIGNATURE IS WRONG",
        Signature::Unknown => "not this user's: the signature can not be checked",
    };
    writeln!(text, "key         {}, {said}", keys::hexadecimal(&file.key()))?;
    Ok(text)
}
pub fn run(root: &Path, path: &Path) -> Result<ExitCode> {
    let bytes = read(path)?;
    let file = match Extension::parse(&bytes) {
        Ok(file) => file,
        Err(why) => bail!("{}: {why}", path.display()),
    };
    let signature = keys::check(&file, &keys::bytes(&keys::public(root)?)?);
    print!("{}", text(&file, bytes.len(), signature)?);
    Ok(if signature == Signature::Holds { ExitCode::SUCCESS } else { ExitCode::from(super::REFUSED) })
}
