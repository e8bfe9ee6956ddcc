//! A disk in memory that logs what it is asked.

use crate::{Contents, Request, SECTOR};
use rsext4::{BlockIo, DeviceCapabilities, DeviceGeometry, Ext4Error, Ext4Result, SectorId};
use std::sync::{Arc, Mutex, MutexGuard};

/// A clone is the same disk.
#[derive(Clone)]
pub struct Device(Arc<Mutex<State>>);
struct State {
    contents: Contents,
    log: Vec<Request>,
}
impl Device {
    pub fn of(contents: Contents) -> Device {
        Device(Arc::new(Mutex::new(State { contents, log: Vec::new() })))
    }
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
    /// How much it was asked.
    pub fn asked(&self) -> usize {
        self.state().log.len()
    }
    /// What it was asked, in its order.
    pub fn log(&self) -> Vec<Request> {
        self.state().log.clone()
    }
    /// What is on it while it has power.
    pub fn contents(&self) -> Contents {
        self.state().contents.clone()
    }
    fn with<T>(&self, sector: SectorId, bytes: usize, body: impl FnOnce(&mut State, usize) -> T) -> Ext4Result<T> {
        let mut state = self.state();
        let sector = usize::try_from(sector.raw()).ok().filter(|sector| state.contents.has(*sector, bytes));
        sector.map(|sector| body(&mut state, sector)).ok_or_else(Ext4Error::io)
    }
}
impl BlockIo for Device {
    fn write(&mut self, from: &[u8], sector: SectorId, _: u32) -> Ext4Result<()> {
        self.with(sector, from.len(), |state, sector| {
            state.contents.write(sector, from);
            state.log.push(Request::Write { sector, bytes: from.to_vec() });
        })
    }
    fn read(&mut self, to: &mut [u8], sector: SectorId, _: u32) -> Ext4Result<()> {
        self.with(sector, to.len(), |state, sector| state.contents.read(sector, to))
    }
    fn geometry(&self) -> DeviceGeometry {
        DeviceGeometry::new(SECTOR as u32, self.state().contents.sectors() as u64)
    }
    fn capabilities(&self) -> DeviceCapabilities {
        DeviceCapabilities { flush: true, ..DeviceCapabilities::default() }
    }
    fn flush(&mut self) -> Ext4Result<()> {
        self.state().log.push(Request::Flush);
        Ok(())
    }
}
