//! A host of extensions, as the linker talks to it.

use abi::address::PAGE;
use abi::linking::{Draft, Handlers, Info, Interface, PREFIX, operation};
use abi::section::NAME;
use abi::system::PORTAL_CLOSE;
use abi::window::Plain;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use linker_logic::{Asked, Exported, Name, Plan, Refused};
use pebble::fallible::{self, TryPush};
use pebble::interfaces::import::open;
use pebble::interfaces::types::Alleged;
use pebble::page::Page;
use pebble::sync::Mutex;
use pebble::{Error, Result, check, deadline, portal};

/// Ticks of `hrtime` that a host is waited for: five seconds, which is more than an activation may take.
const PATIENCE: u64 = 2_500_000_000;
/// Most interfaces that a host may have.
const INTERFACES: usize = 32;

/// Those that are being talked to.
static BUSY: Mutex<Vec<Name>> = Mutex::new(Vec::new());

pub struct Host {
    name: Name,
    portal: usize,
    page: Box<Page>,
}
impl Host {
    fn open(name: Name) -> Result<Host> {
        let portal = open(abi::section::text(&full(&name)?))?;
        match fallible::boxed(Page([0; PAGE])) {
            Ok(page) => Ok(Host { name, portal, page }),
            Err(error) => {
                portal::call(PORTAL_CLOSE, [portal]);
                Err(error)
            }
        }
    }
    pub fn name(&self) -> &Name {
        &self.name
    }
    /// Asks it, with a value in the page.
    fn ask<T: Plain>(&mut self, operation: usize, a: usize, b: usize, value: &mut T) -> Result<usize> {
        let window = Alleged::lend_to_write(&mut *self.page).of::<T>();
        // SAFETY: the page is ours, and as large as any that is lent.
        unsafe { window.write(value) }?;
        let result = check(portal::call(self.portal, [operation, a, b, window.address()]))?;
        *value = window.read()?;
        Ok(result)
    }
    /// What it exports.
    pub fn exported(&mut self) -> core::result::Result<Vec<Exported>, (Error, Option<Refused<'static>>)> {
        let mut all = Vec::new();
        let mut interface = fallible::boxed(Interface::default()).map_err(|error| (error, None))?;
        for n in 0..INTERFACES {
            match self.ask(operation::INTERFACE, n, 0, &mut *interface) {
                Ok(_) => {
                    let exported = Exported::new(&interface).map_err(|why| (super::code(&why), Some(why)))?;
                    all.try_push(exported).map_err(|error| (error, None))?;
                }
                Err(Error::ENOENT) => return Ok(all),
                Err(error) => return Err((error, None)),
            }
        }
        Err((Error::EINVAL, Some(Refused::Host)))
    }
    /// Puts an extension there; its number.
    pub fn put(&mut self, plan: &Plan) -> Result<usize> {
        let (extension, layout) = (&plan.extension, plan.extension.layout());
        let limits = extension.limits();
        let mut draft = Draft {
            name: abi::section::cut(""),
            text: extension.text().len() as u64,
            constants: extension.section(extension::Section::Constants).len() as u64,
            stack: limits.stack,
            arena: limits.arena,
            quantum: limits.quantum,
            unused: 0,
            base: 0,
        };
        // All of the place, where the name is as long as one may be.
        draft.name[..extension.name().len()].copy_from_slice(extension.name().as_bytes());
        let number = self.ask(operation::DRAFT, 0, 0, &mut draft)?;
        for at in (0..layout.end).step_by(PAGE) {
            extension.page(at, draft.base, &plan.slots, &mut self.page.0);
            let window = Alleged::lend_to_write(&mut *self.page);
            check(portal::call(self.portal, [operation::PLACE, number, at, window.address()]))?;
        }
        let mut handlers = fallible::boxed::<Handlers>(*plan.handlers)?;
        self.ask(operation::LINK, number, 0, &mut *handlers)
    }
    pub fn take_out(&mut self, number: usize) -> Result<()> {
        self.ask(operation::UNLINK, number, 0, &mut 0u64).map(|_| ())
    }
    /// What it says of an extension; `None`: that there is no more.
    pub fn info(&mut self, asked: Asked) -> Result<Option<Info>> {
        let mut info = Info::default();
        let (operation, from) = match asked {
            Asked::Linked(from) => (operation::LINKED, from as usize),
            Asked::Ended => (operation::ENDED, 0),
        };
        match self.ask(operation, from, 0, &mut info) {
            Ok(_) => Ok(Some(info)),
            Err(Error::ENOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
impl Drop for Host {
    fn drop(&mut self) {
        portal::call(PORTAL_CLOSE, [self.portal]);
    }
}
/// What the host's portal is called. `EINVAL`: it can be called nothing so.
fn full(name: &Name) -> Result<Name> {
    let name = abi::section::text(name);
    let length = PREFIX.len() + name.len();
    let mut full = [0; NAME];
    full.get_mut(..PREFIX.len()).ok_or(Error::EINVAL)?.copy_from_slice(PREFIX.as_bytes());
    full.get_mut(PREFIX.len()..length).filter(|_| length < NAME).ok_or(Error::EINVAL)?.copy_from_slice(name.as_bytes());
    Ok(full)
}
/// That a host is talked to; nobody else does until it goes.
struct Busy(Name);
impl Busy {
    /// `EBUSY`: somebody does.
    fn new(name: &Name) -> Result<Busy> {
        let mut busy = BUSY.lock();
        if busy.contains(name) {
            return Err(Error::EBUSY);
        }
        busy.try_push(*name)?;
        Ok(Busy(*name))
    }
}
impl Drop for Busy {
    fn drop(&mut self) {
        BUSY.lock().retain(|name| *name != self.0);
    }
}
/// Has a thread talk to a host, for [`PATIENCE`] at most: what it comes to. `ENOENT`: there is none of that name; `EBUSY`: another talks to it, and has not come back;
/// `ETIMEDOUT`.
pub fn with<R: Send + 'static>(name: &str, talk: impl FnOnce(&mut Host) -> R + Send + 'static) -> Result<R> {
    let name: Name = abi::section::fitted(name).ok_or(Error::EINVAL)?;
    let busy = Busy::new(&name)?;
    let place = Arc::try_new(Mutex::new(None)).map_err(|_| Error::ENOMEM)?;
    let answer = Arc::clone(&place);
    deadline::timed(PATIENCE, move || {
        // It is so until this thread is done, also where nobody waits for it any more.
        let _busy = busy;
        match Host::open(name) {
            Ok(mut host) => {
                *answer.lock() = Some(talk(&mut host));
                0
            }
            Err(error) => error.code(),
        }
    })?;
    let result = place.lock().take();
    result.ok_or(Error::EDEAD)
}
