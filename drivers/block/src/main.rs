//! The driver of a virtio disk. It has no thread: who reads or writes waits here for the disk's interrupt. One request is done after
//! the other.
#![no_std]
#![no_main]

use abi::Error;
use block_logic::{Disk, Outcome};
use pebble::Result;
use pebble::interfaces::types::Alleged;
use pebble::sync::Mutex;
use virtio::DeviceType;
use virtio::device::{Interrupt, Registers, open, trust};
use virtio::memory::Memory;

pebble::server!(start);
pebble::serve! { block { read, write, flush, size } }

struct Driver {
    disk: Disk<Memory, Registers>,
    interrupt: Interrupt,
}
/// Held while a request is running.
static DRIVER: Mutex<Option<Driver>> = Mutex::new(None);

fn start(env: &pebble::Env) {
    let registers = open(env, DeviceType::Block);
    let Ok(interrupt) = Interrupt::attach() else { return };
    let disk = trust(Disk::new(registers));
    match disk.unfit() {
        Some(why) => pebble::say(format_args!("{why}")),
        None => *DRIVER.lock() = Some(Driver { disk, interrupt }),
    }
}
impl Driver {
    /// Waits until no request is running; what came of the last one. `ECANCELED`: its caller is not waited for any more, and the next
    /// one waits for its end.
    fn finish(&mut self) -> Result<()> {
        let mut outcome = Outcome::Done;
        while self.disk.is_busy() {
            self.disk.acknowledge();
            match trust(self.disk.finish()) {
                Some(how) => outcome = how,
                None => self.interrupt.wait()?,
            }
        }
        if outcome == Outcome::Done { Ok(()) } else { Err(Error::EIO) }
    }
}
/// Runs `body` when no request is running.
fn with(body: impl FnOnce(&mut Driver) -> Result<()>) -> isize {
    let mut driver = DRIVER.lock();
    let Some(driver) = driver.as_mut() else { return Error::EIO.code() };
    // That of a caller who is gone may have failed: nobody is to be told.
    let result = match driver.finish() {
        Ok(()) | Err(Error::EIO) => body(driver),
        error => error,
    };
    result.map_or_else(Error::code, |()| 0)
}
extern "C" fn read(sector: usize, buffer: Alleged<u8>, bytes: usize) -> isize {
    with(|driver| {
        if !driver.disk.has(sector as u64, bytes) {
            return Err(Error::EINVAL);
        }
        trust(driver.disk.read(sector as u64, bytes));
        driver.finish()?;
        // SAFETY: a window argument of so many bytes, which may be written; it is only written, and by this call alone.
        let to = unsafe { core::slice::from_raw_parts_mut(buffer.address() as *mut u8, bytes) };
        to.copy_from_slice(&driver.disk.data().ok_or(Error::EIO)?[..bytes]);
        Ok(())
    })
}
extern "C" fn write(sector: usize, buffer: Alleged<u8>, bytes: usize) -> isize {
    with(|driver| {
        if !driver.disk.has(sector as u64, bytes) {
            return Err(Error::EINVAL);
        }
        // SAFETY: a window argument of so many bytes; what its owner changes meanwhile is written or not.
        let from = unsafe { core::slice::from_raw_parts(buffer.address() as *const u8, bytes) };
        driver.disk.data().ok_or(Error::EIO)?[..bytes].copy_from_slice(from);
        trust(driver.disk.write(sector as u64, bytes));
        driver.finish()
    })
}
extern "C" fn flush() -> isize {
    with(|driver| if trust(driver.disk.flush()) { driver.finish() } else { Ok(()) })
}
extern "C" fn size() -> isize {
    DRIVER.lock().as_ref().map_or(Error::EIO.code(), |driver| driver.disk.sectors() as isize)
}
