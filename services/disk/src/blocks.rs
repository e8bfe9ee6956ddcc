//! The driver of the disk, the clock and a source of random bytes, as the file system wants them.

use abi::Error;
use abi::block::{MOST, SECTOR};
use pebble::Result;
use pebble::interfaces::import::Import;
use pebble::interfaces::types::Alleged;
use pebble::interfaces::{block, clock};
use volume::{
    Clock, DeviceCapabilities, DeviceGeometry, Disk, EntropySource, Ext4Result, Ext4Timestamp, Failure, SectorId,
};

#[derive(Clone)]
pub struct Blocks {
    sectors: u64,
}
impl Blocks {
    /// Waits for the driver, which may be being started again. `EIO`: there is none.
    pub fn open() -> Ext4Result<Blocks> {
        ask(block::import::size(), block::size).map(|sectors| Blocks { sectors: sectors as u64 })
    }
}
/// Calls the driver; once more where it has died and was started again: to read or write twice is to do it once.
fn ask<T>(portal: &Import, mut call: impl FnMut() -> Result<T>) -> Ext4Result<T> {
    /// How often, and ticks of `hrtime` between.
    const TIMES: usize = 50;
    const MOMENT: u64 = 20_000_000;
    for _ in 0..TIMES {
        match call() {
            Ok(value) => return Ok(value),
            Err(Error::EDEAD | Error::EPORTAL) => {
                pebble::time::sleep(MOMENT);
                let _ = portal.reopen();
            }
            Err(_) => break,
        }
    }
    Err(Failure::io())
}
impl Disk for Blocks {
    fn read(&mut self, to: &mut [u8], sector: SectorId, _: u32) -> Ext4Result<()> {
        let mut at = sector.raw() as usize;
        to.chunks_mut(MOST).try_for_each(|piece| {
            let bytes = piece.len();
            ask(block::import::read(), || block::read(at, Alleged::lend_all_to_write(piece), bytes))?;
            at += piece.len() / SECTOR;
            Ok(())
        })
    }
    fn write(&mut self, from: &[u8], sector: SectorId, _: u32) -> Ext4Result<()> {
        let mut at = sector.raw() as usize;
        from.chunks(MOST).try_for_each(|piece| {
            ask(block::import::write(), || block::write(at, Alleged::lend_all(piece), piece.len()))?;
            at += piece.len() / SECTOR;
            Ok(())
        })
    }
    fn geometry(&self) -> DeviceGeometry {
        DeviceGeometry::new(SECTOR as u32, self.sectors)
    }
    fn capabilities(&self) -> DeviceCapabilities {
        DeviceCapabilities { flush: true, ..DeviceCapabilities::default() }
    }
    fn flush(&mut self) -> Ext4Result<()> {
        ask(block::import::flush(), block::flush)
    }
}
/// The time of day.
pub struct Wall;
impl Clock for Wall {
    fn now(&self) -> Ext4Result<Ext4Timestamp> {
        const NANOSECONDS: usize = 1_000_000_000;
        // Without a clock, files are old.
        let time = clock::time().map_or(0, |time| time.0);
        Ok(Ext4Timestamp::new((time / NANOSECONDS) as i64, (time % NANOSECONDS) as u32))
    }
}
/// Random bytes, or, where nobody has any, some that are different each time: they seed the hashes of directories.
pub struct Random(u64);
impl Random {
    pub fn new() -> Random {
        Random(pebble::time::cycles() | 1)
    }
}
impl EntropySource for Random {
    fn fill_bytes(&mut self, to: &mut [u8]) -> Ext4Result<()> {
        if pebble::random::fill(to).is_err() {
            for byte in to {
                // xorshift (Marsaglia, 2003).
                self.0 ^= self.0 << 13;
                self.0 ^= self.0 >> 7;
                self.0 ^= self.0 << 17;
                *byte = (self.0 >> 32) as u8;
            }
        }
        Ok(())
    }
}
