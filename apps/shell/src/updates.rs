//! Updates of components, as the updates service takes them and says what there are.

use crate::println;
use abi::section::text;
use abi::updating::Kept;
use alloc::format;
use alloc::string::String;
use pebble::updates::{self, Refused};
use pebble::{Error, file};

/// Lists the components that have an update, or had one.
pub fn list() -> core::result::Result<(), String> {
    let kept = |place| updates::kept(place).map_err(|error| said("updates", &error.into()));
    let mut next = kept(0)?;
    println!("component               version      before  state");
    for place in 1.. {
        let Some(Kept { name, version, before, trial, stored, has }) = next else { break };
        let state = match (version, trial) {
            (0, _) => "taken back",
            (_, 0) => "kept",
            _ => "on trial",
        };
        let stored = if stored != 0 { "" } else { ", until the system stops" };
        let really = if has == version { String::new() } else { format!(", and version {has} is there") };
        println!("{:20} {version:10}  {before:10}  {state}{stored}{really}", text(&name));
        next = kept(place)?;
    }
    Ok(())
}
/// Has a component have what is in a file.
pub fn update(name: &str, path: &str) -> core::result::Result<(), String> {
    let file = file::read(path).map_err(|error| format!("{path}: {}", error.text()))?;
    updates::update(name, &file).map_err(|refused| said(path, &refused))
}
/// Has it have what it had before.
pub fn take_back(name: &str) -> core::result::Result<(), String> {
    updates::take_back(name).map_err(|refused| said(name, &refused))
}
fn said(of: &str, Refused { error, why }: &Refused) -> String {
    // Whoever has made the file may have written anything.
    let why: String = why.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    match error {
        Error::EPORTAL => format!("{of}: nobody takes updates in this system, or not yet"),
        error if why.is_empty() => format!("{of}: {}", error.text()),
        _ => format!("{of}: {why}"),
    }
}
