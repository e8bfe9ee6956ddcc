//! A host of extensions, as the linker talks to it.

use abi::address::PAGE;
use abi::linking::{Draft, Handlers, INTERFACES, Info, Interface, PREFIX, Terms, operation};
use abi::section::NAME;
use abi::system::PORTAL_CLOSE;
use abi::window::Plain;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering};
use linker_logic::{Asked, Exported, Name, Plan, Refused};
use pebble::fallible::{self, TryPush};
use pebble::interfaces::import::open;
use pebble::interfaces::types::Alleged;
use pebble::page::Page;
use pebble::sync::Mutex;
use pebble::{Error, Result, check, deadline, portal};

/// How long a host is waited for: more than an activation may take.
pub const SECONDS: u64 = 5;
/// The same in ticks of `hrtime`.
const PATIENCE: u64 = SECONDS * 500_000_000;
/// Ticks after which somebody who waits for his turn looks again.
const TURN: u64 = 2_500_000;

/// Those that are being talked to.
static BUSY: Mutex<Vec<Name>> = Mutex::new(Vec::new());

pub struct Host {
    name: Name,
    portal: usize,
    page: Box<Page>,
    /// Nobody waits for what comes of it any more.
    given_up: Arc<AtomicBool>,
}
impl Host {
    fn open(name: Name, given_up: Arc<AtomicBool>) -> Result<Host> {
        let portal = open(abi::section::text(&full(&name)?))?;
        match fallible::boxed(Page([0; PAGE])) {
            Ok(page) => Ok(Host { name, portal, page, given_up }),
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
        let result = answer(self.portal, [operation, a, b, window.address()])?;
        *value = window.read()?;
        Ok(result)
    }
    /// What it exports.
    pub fn exported(&mut self) -> core::result::Result<Vec<Exported>, (Error, Option<Refused<'static>>)> {
        let mut all = Vec::new();
        let mut interface = fallible::boxed(Interface::default()).map_err(|error| (error, None))?;
        for n in 0..=INTERFACES {
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
    /// `ETIMEDOUT`: whoever has asked has gone on.
    fn is_wanted(&self) -> Result<()> {
        if self.given_up.load(Ordering::Acquire) { Err(Error::ETIMEDOUT) } else { Ok(()) }
    }
    /// Puts an extension there; its number. Where that is an error, or nobody waits for it any more, it is not there.
    pub fn put(&mut self, plan: &Plan) -> core::result::Result<usize, (Error, Option<Refused<'static>>)> {
        let put = self.laid_out(plan).map_err(|error| (error, None)).and_then(|number| self.link(plan, number));
        let number = put.inspect_err(|_| {
            // What it has no draft of it has forgotten.
            let _ = self.ask(operation::FORGET, 0, 0, &mut 0u64);
        })?;
        self.is_wanted().inspect_err(|_| _ = self.take_out(number)).map_err(|error| (error, None))?;
        Ok(number)
    }
    /// All but that it handles anything: the draft's number.
    fn laid_out(&mut self, plan: &Plan) -> Result<usize> {
        let (extension, layout) = (&plan.extension, plan.extension.layout());
        let limits = extension.limits();
        let mut draft = Draft {
            name: abi::section::cut(""),
            text: extension.text().len() as u64,
            constants: extension.section(extension::Section::Constants).len() as u64,
            stack: limits.stack,
            arena: limits.arena,
            quantum: limits.quantum,
            vetted: extension.vetted().is_some().into(),
            key: extension.seal().key,
            base: 0,
        };
        // All of the place, where the name is as long as one may be.
        draft.name[..extension.name().len()].copy_from_slice(extension.name().as_bytes());
        let number = self.ask(operation::DRAFT, 0, 0, &mut draft)?;
        for at in (0..layout.end).step_by(PAGE) {
            extension.page(at, draft.base, &plan.slots, &mut self.page.0);
            let window = Alleged::lend_to_write(&mut *self.page);
            answer(self.portal, [operation::PLACE, number, at, window.address()])?;
        }
        for (at, export) in extension.exports().enumerate() {
            let mut terms = Terms::default();
            if linker_logic::terms(&plan.extension, at, &export, &mut terms) {
                self.ask(operation::TERMS, number, at, &mut terms)?;
            }
        }
        Ok(number)
    }
    fn link(&mut self, plan: &Plan, number: usize) -> core::result::Result<usize, (Error, Option<Refused<'static>>)> {
        let handlers = self.is_wanted().and_then(|()| fallible::boxed::<Handlers>(*plan.handlers));
        let mut handlers = handlers.map_err(|error| (error, None))?;
        let linked = self.ask(operation::LINK, number, 0, &mut *handlers);
        linked.map_err(|error| (error, (error == Error::EACCESS).then_some(Refused::NotLet)))
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
/// What a host answers. `ENOENT`: it is no more; its end is no error of the linker's, whose clients know by such that the linker has ended.
fn answer(portal: usize, words: [usize; 4]) -> Result<usize> {
    match check(portal::call(portal, words)) {
        Err(Error::EDEAD | Error::EPORTAL) => Err(Error::ENOENT),
        result => result,
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
    /// Waits for its turn, as long as a host is waited for. `EBUSY`: somebody has not come back.
    fn new(name: &Name) -> Result<Busy> {
        for _ in 0..PATIENCE / TURN {
            {
                let mut busy = BUSY.lock();
                if !busy.contains(name) {
                    busy.try_push(*name)?;
                    return Ok(Busy(*name));
                }
            }
            pebble::time::sleep(TURN);
        }
        Err(Error::EBUSY)
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
    let given_up = Arc::try_new(AtomicBool::new(false)).map_err(|_| Error::ENOMEM)?;
    let told = Arc::clone(&given_up);
    let timed = deadline::timed(PATIENCE, move || {
        // It is so until this thread is done, also where nobody waits for it any more.
        let _busy = busy;
        match Host::open(name, told) {
            Ok(mut host) => {
                *answer.lock() = Some(talk(&mut host));
                0
            }
            Err(error) => error.code(),
        }
    });
    timed.inspect_err(|_| given_up.store(true, Ordering::Release))?;
    let result = place.lock().take();
    result.ok_or(Error::ENOENT)
}
