//! How a driver finds its device, waits for it, and ends.

use crate::ring::Lie;
use core::fmt;
use core::ptr::NonNull;
use pebble::interfaces::portals;
use pebble::interfaces::types::PortalNumber;
use pebble::sync::Semaphore;
use pebble::{Env, Result};
use virtio_drivers::transport::mmio::MmioTransport;
use virtio_drivers::transport::{DeviceType, Transport};

/// How the driver reaches its device.
pub type Registers = MmioTransport<'static>;

/// Says why on the console, and ends the driver with a fault, so that it is reported, and started again where the manifest says so.
pub fn fail(why: impl fmt::Display) -> ! {
    pebble::println!("pebble: a driver (domain {}) ends: {why}", pebble::thread::asid());
    pebble::stop()
}
/// The driver's end, if its device has lied.
pub fn trust<T>(told: core::result::Result<T, Lie>) -> T {
    told.unwrap_or_else(|lie| fail(format_args!("its device is not to be trusted: {lie}")))
}

/// The driver's device, which must be of this kind. Where there is none the domain ends without a word: it is no error that a machine
/// has not all that a system can use.
pub fn open(env: &Env, kind: DeviceType) -> Registers {
    let Some(device) = env.device(0) else { pebble::thread::exit_domain(0) };
    let Some(header) = NonNull::new(device.address as *mut _) else { pebble::thread::exit_domain(0) };
    // SAFETY: init mapped the registers of the device of our manifest entry there, for us alone and for good.
    match unsafe { MmioTransport::new(header, device.bytes as usize) } {
        Ok(registers) if registers.device_type() == kind => registers,
        Ok(other) => fail(format_args!("its device is {:?}, not {kind:?}", other.device_type())),
        Err(_) => pebble::thread::exit_domain(0),
    }
}

/// The interrupt of the driver's device.
pub struct Interrupt(Semaphore);
impl Interrupt {
    /// None comes until the first [`Interrupt::wait`].
    pub fn attach() -> Result<Interrupt> {
        let semaphore = Semaphore::new(0)?;
        portals::own::attach(0, PortalNumber(semaphore.number()))?;
        Ok(Interrupt(semaphore))
    }
    /// Lets the next interrupt come, and waits for it. `ECANCELED`: who waits is not waited for any more.
    pub fn wait(&self) -> Result<()> {
        let _ = portals::own::done(0);
        self.0.wait()
    }
}
