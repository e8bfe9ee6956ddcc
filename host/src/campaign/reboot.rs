//! A file of 100 MB is written to a disk and synced, and read back after a reboot, by the machine and by the tool.

use super::{Campaign, Failure, Ran, power_cuts::PowerCuts};
use crate::disk;
use crate::power_cuts::{WRITER, with_disk};
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

const BYTES: &str = "100000000";
/// Room for it, and for what says where it is.
const DISK_MIB: u64 = 160;

pub struct Reboot {
    root: PathBuf,
    /// It is of the same program and system.
    cuts: PowerCuts,
}
impl Reboot {
    pub fn new(root: &Path) -> Result<Reboot> {
        Ok(Reboot { root: root.into(), cuts: PowerCuts::new(root)? })
    }
    fn once(&self) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("disk");
        disk::create(&file, DISK_MIB)?;
        for what in ["write", "read"] {
            let said = with_disk(&self.root, &file, WRITER, &[what, "0", BYTES])?.wait_with_output()?;
            ensure!(said.status.success(), "{what}: {}: {}", said.status, String::from_utf8_lossy(&said.stdout));
        }
        let bytes = disk::with(&file, |volume| disk::get(volume, "long"))?.len();
        ensure!(bytes.to_string() == BYTES, "{bytes} bytes are on the disk");
        Ok(())
    }
}
impl Campaign for Reboot {
    fn build(&self) -> u64 {
        self.cuts.build()
    }
    fn run(&mut self, run: u64, _: u32, _: u64) -> Result<Ran> {
        let failure =
            self.once().err().map(|error| Failure { command: format!("run {run}"), why: format!("{error:#}") });
        Ok(Ran { steps: 1, failure })
    }
}
