//! The tables: permits by domain and device, semaphores by interrupt number.

use crate::controller::Controller;
use abi::Error;

/// Interrupt numbers are below it; 0 is none. (QEMU's `virt` has 96.)
pub const SOURCES: usize = 128;
/// Most devices that may be attached to at one time.
pub const PERMITS: usize = 64;

/// A domain may attach to an interrupt, which it knows by its own device number.
#[derive(Clone, Copy)]
struct Permit {
    asid: u16,
    device: u16,
    source: u8,
}

/// What an interrupt does.
#[derive(Clone, Copy)]
struct Line {
    /// Semaphore to post; 0: nobody is attached.
    semaphore: u32,
    permitted: bool,
    /// Claimed, and not completed.
    claimed: bool,
}

pub struct Dispatcher<C> {
    lines: [Line; SOURCES],
    permits: [Permit; PERMITS],
    permit_count: usize,
    pub controller: C,
}

/// A portal's result: 0 or an error.
type Result = core::result::Result<(), Error>;

impl<C: Controller> Dispatcher<C> {
    pub const fn new(controller: C) -> Dispatcher<C> {
        Dispatcher {
            lines: [Line { semaphore: 0, permitted: false, claimed: false }; SOURCES],
            permits: [Permit { asid: 0, device: 0, source: 0 }; PERMITS],
            permit_count: 0,
            controller,
        }
    }
    /// An interrupt has come → the semaphore to post, or 0. One that nobody is attached to is turned off.
    #[inline(always)]
    pub fn dispatch(&mut self) -> u32 {
        let source = self.controller.claim();
        if source == 0 {
            return 0;
        }
        if let Some(line) = self.lines.get_mut(source)
            && line.semaphore != 0
        {
            line.claimed = true;
            return line.semaphore;
        }
        // In this order: the controller ignores the completion of a source that is not enabled.
        self.controller.complete(source);
        self.controller.disable(source);
        0
    }
    /// `asid` may attach its `device` to interrupt `source`. `EINVAL`: out of range; `EEXIST`: the domain has such a
    /// device already; `EBUSY`: the interrupt is another's; `ENFILE`: too many permits.
    pub fn permit(&mut self, asid: usize, device: usize, source: usize) -> Result {
        if asid == 0 || asid > u16::MAX as usize || device > u16::MAX as usize || source == 0 || source >= SOURCES {
            return Err(Error::EINVAL);
        }
        if self.find(asid, device).is_some() {
            return Err(Error::EEXIST);
        }
        if self.lines[source].permitted {
            return Err(Error::EBUSY);
        }
        let permit = self.permits.get_mut(self.permit_count).ok_or(Error::ENFILE)?;
        *permit = Permit { asid: asid as u16, device: device as u16, source: source as u8 };
        self.permit_count += 1;
        self.lines[source].permitted = true;
        Ok(())
    }
    /// Interrupts of that device post `semaphore` from now on, instead of one named before. `EACCESS`: not permitted;
    /// `EINVAL`: no semaphore's id.
    pub fn attach(&mut self, asid: usize, device: usize, semaphore: usize) -> Result {
        let source = self.find(asid, device).ok_or(Error::EACCESS)?;
        if semaphore == 0 || semaphore > i32::MAX as usize {
            return Err(Error::EINVAL);
        }
        self.lines[source % SOURCES].semaphore = semaphore as u32;
        self.controller.enable(source);
        // One that was claimed for an earlier semaphore comes again if its device still asks.
        self.complete(source);
        Ok(())
    }
    /// The driver has dealt with its interrupt. Without one, nothing happens. `EACCESS`: not permitted.
    #[inline(always)]
    pub fn done(&mut self, asid: usize, device: usize) -> Result {
        let source = self.find(asid, device).ok_or(Error::EACCESS)?;
        self.complete(source);
        Ok(())
    }
    /// Takes all permits of `asid` away; its interrupts are turned off.
    pub fn forget(&mut self, asid: usize) {
        let mut place = 0;
        while place < self.permit_count.min(PERMITS) {
            let permit = self.permits[place];
            if permit.asid as usize != asid {
                place += 1;
                continue;
            }
            let source = permit.source as usize;
            // In this order: the controller ignores the completion of a source that is not enabled.
            self.complete(source);
            self.controller.disable(source);
            self.lines[source % SOURCES] = Line { semaphore: 0, permitted: false, claimed: false };
            self.permit_count -= 1;
            self.permits[place] = self.permits[self.permit_count % PERMITS];
        }
    }
    #[inline(always)]
    fn complete(&mut self, source: usize) {
        if core::mem::take(&mut self.lines[source % SOURCES].claimed) {
            self.controller.complete(source);
        }
    }
    /// The interrupt of a device. Looks through the permits in use: a system has a handful.
    #[inline(always)]
    fn find(&self, asid: usize, device: usize) -> Option<usize> {
        let mut permits = self.permits.iter().take(self.permit_count);
        let permit = permits.find(|permit| permit.asid as usize == asid && permit.device as usize == device);
        permit.map(|permit| permit.source as usize)
    }
}
