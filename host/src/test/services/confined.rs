//! The appliance with all its parts as software fault domains that can be: only drivers whose devices write memory, and what is trusted with templates
//! of portals, are not.

use super::http::{files, right_bytes, until_answered};
use super::kills;
use super::running::Running;
use crate::disk;
use crate::system::why_no_fault_domain;
use anyhow::Result;
use manifest::{Component, Isolation, System};
use std::path::Path;

/// What only a trusted component may have.
const OF_TRUSTED: &str = "portal.template";

/// Makes a fault domain of each part that can be one, trusted or not where it says so.
fn confine(system: &mut System) {
    for component in &mut system.components {
        let trusted = component.trusted && component.opens.iter().any(|name| name == OF_TRUSTED);
        let confined = Component { trusted, isolation: Isolation::Sfi, ..component.clone() };
        if why_no_fault_domain(&confined).is_none() {
            *component = confined;
        }
    }
}
/// It serves files from memory and from the disk with the right bytes, and parts that are killed come back.
pub fn appliance(root: &Path) -> Result<()> {
    let memory = Running::start(root, "network", files(), None, confine)?;
    until_answered(&memory, "/")?;
    right_bytes(&memory)?;
    drop(memory);
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    disk::create(&file, 32)?;
    disk::with(&file, |volume| files().iter().try_for_each(|(name, bytes)| disk::put(volume, bytes, name)))?;
    let system = Running::start(root, "network", Vec::new(), Some(file), |system| {
        confine(system);
        let http = system.components.iter_mut().find(|component| component.name == "http");
        http.expect("the system has a server").arguments = vec!["root=disk/www".into()];
    })?;
    until_answered(&system, "/")?;
    right_bytes(&system)?;
    kills::each(system, &["disk", "internet", "http", "block"], &["block"])
}
