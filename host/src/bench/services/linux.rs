//! The same operations on Linux: its kernel, drivers and servers as Debian ships them, on the same machine, counted by the same plugin, asked
//! by the same clients.

use super::clients::{self, Costs};
use super::counter::Counter;
use super::{DISK, PATIENCE, Row, TCP, card, files, ports, row, stored, until_ready};
use crate::devices::{Devices, Forward};
use crate::linux::services::{Services, make_disk};
use anyhow::{Context, Result};
use std::path::Path;

/// Which server of HTTP is behind which port, and whose its rows are.
const LIGHTTPD: (u16, &str) = (TCP[3], "Linux debian");
const NGINX: (u16, &str) = (81, "Linux debian, nginx");

/// All rows.
pub fn measure(root: &Path) -> Result<Vec<Row>> {
    let linux = Services::new(root, &files())?;
    eprintln!("pebble: measuring services of Linux (debian) on qemu");
    let mut rows = network(root, &linux)?;
    rows.extend(rows_of(storage(root, &linux)?, LIGHTTPD.1));
    Ok(rows)
}
fn rows_of(costs: Costs, system: &str) -> Vec<Row> {
    costs.into_iter().map(|(operation, value)| row(operation, value, system)).collect()
}
fn network(root: &Path, linux: &Services) -> Result<Vec<Row>> {
    let counter = Counter::new(root)?;
    let streams: Vec<u16> = TCP.into_iter().chain([NGINX.0]).collect();
    let devices = card(&streams);
    let forwards = devices.forwards()?;
    let mut guest = linux.serve(&arguments(&devices, &forwards, &counter))?;
    let first = clients::first_answer(&counter, &ports(&forwards, LIGHTTPD.0)).context(LIGHTTPD.1)?;
    until_ready(guest.0.stdout.take().context("the guest has no output")?).context(LIGHTTPD.1)?;
    let mut rows = rows_of(vec![first], LIGHTTPD.1);
    for (port, system) in [LIGHTTPD, NGINX] {
        rows.extend(rows_of(clients::http(&counter, &ports(&forwards, port)).context(system)?, system));
    }
    let costs = clients::packets(&counter, &ports(&forwards, LIGHTTPD.0)).context(LIGHTTPD.1)?;
    rows.extend(rows_of(costs, LIGHTTPD.1));
    Ok(rows)
}
fn storage(root: &Path, linux: &Services) -> Result<Costs> {
    let counter = Counter::new(root)?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("disk");
    make_disk(&file, DISK)?;
    let devices = Devices { disk: Some(file), ..Devices::default() };
    linux.use_files(&arguments(&devices, &[], &counter), PATIENCE)?;
    stored(&counter, "peers/linux/services")
}
/// What is plugged in, as for Pebble; no component of Linux says what else it drives.
fn arguments(devices: &Devices, forwards: &[Forward], counter: &Counter) -> Vec<String> {
    let mut arguments = devices.arguments(&[], forwards);
    arguments.extend(counter.arguments());
    arguments
}
