//! The driver of a virtio entropy source. It has no thread: who wants random bytes waits here for the source's interrupt. One request is
//! done after the other.
#![no_std]
#![no_main]

use abi::Error;
use entropy_logic::Source;
use pebble::Result;
use pebble::interfaces::types::Alleged;
use pebble::sync::Mutex;
use virtio::DeviceType;
use virtio::device::{Interrupt, Registers, open, trust};
use virtio::memory::Memory;

pebble::server!(start);
pebble::serve! { entropy { read } }

struct Driver {
    source: Source<Memory, Registers>,
    interrupt: Interrupt,
}
/// Held while a request is running.
static DRIVER: Mutex<Option<Driver>> = Mutex::new(None);

fn start(env: &pebble::Env) {
    let registers = open(env, DeviceType::EntropySource);
    let Ok(interrupt) = Interrupt::attach() else { return };
    *DRIVER.lock() = Some(Driver { source: trust(Source::new(registers)), interrupt });
}
impl Driver {
    /// Fills all of `to`.
    fn fill(&mut self, to: &mut [u8]) -> Result<()> {
        let mut done = 0;
        while done < to.len() {
            trust(self.source.ask(to.len() - done));
            self.source.acknowledge();
            match trust(self.source.answer(&mut to[done..])) {
                Some(count) => done += count,
                None => self.interrupt.wait()?,
            }
        }
        Ok(())
    }
}
extern "C" fn read(to: Alleged<u8>, count: usize) -> isize {
    // SAFETY: a window argument, which may be written; it is only written, and by this call alone.
    let to: &mut [u8] = match unsafe { to.window(count).map(|to| to.values_mut()) } {
        Ok(to) => to,
        Err(error) => return error.code(),
    };
    let result = DRIVER.lock().as_mut().map_or(Err(Error::EIO), |driver| driver.fill(to));
    result.map_or_else(Error::code, |()| count as isize)
}
