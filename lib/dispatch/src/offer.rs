//! The portal by which the linker puts extensions into this component ([`abi::linking`]).
//!
//! The linker is believed in what code it brings: nobody else may open the portal. What it says of it is looked at: entries, numbers, places of pages.

use crate::registry::{self, Ended};
use crate::{Draft, Interface, Page};
use abi::Error;
use abi::address::PAGE;
use abi::linking::{self, Handlers, Info, MOST, PREFIX, SPECIFICATION, operation};
use abi::section::{Provided, cut, padded, text};
use alloc::boxed::Box;
use alloc::vec::Vec;
use extension::{Layout, Limits, MOST_IMAGE};
use fallible::{TryPush, boxed};
use interfaces::types::Alleged;
use pebble::interfaces;
use pebble::sync::Mutex;

/// An interface that this component exports.
pub struct Exported {
    pub interface: &'static Interface,
    /// Where its procedures begin.
    pub procedures: Vec<usize>,
}
struct Begun {
    number: usize,
    name: Box<str>,
    draft: Draft,
}
struct Offer {
    exported: Vec<Exported>,
    quantum: u32,
    begun: Option<Begun>,
    next: usize,
}
static OFFER: Mutex<Offer> = Mutex::new(Offer { exported: Vec::new(), quantum: 0, begun: None, next: 1 });

/// Has the linker put extensions into this component, which exports these interfaces, by `name`: the manifest has `provides = ["link.NAME"]`. Once. Until
/// [`crate::start`] has begun to keep, it is told `ENOTSUP`. `quantum`: an extension's, in microseconds, at most.
///
/// # Errors
/// `EACCESS`: the manifest has not; `EINVAL`: it has more interfaces, procedures or events than there may be, or the name is too long; `ENOMEM`, and those of a registration.
pub fn offer(name: &str, quantum: u32, exported: Vec<Exported>) -> Result<(), Error> {
    let few = |e: &Exported| e.procedures.len() <= MOST && e.interface.events.len() <= MOST;
    let full = [PREFIX, name].concat();
    let portal = Provided {
        name: abi::section::fitted(&full).ok_or(Error::EINVAL)?,
        spec: padded(SPECIFICATION),
        entry: answer as *const (),
        constant: 0,
    };
    if exported.len() >= linking::INTERFACES || !exported.iter().all(few) {
        return Err(Error::EINVAL);
    }
    let mut all = exported;
    all.try_push(Exported {
        interface: &crate::runtime::INTERFACE,
        procedures: fallible::collected(crate::runtime::procedures().into_iter())?,
    })?;
    {
        let mut offer = OFFER.lock();
        (offer.exported, offer.quantum) = (all, quantum);
    }
    pebble::portal::register(&[portal], 1)
}
extern "C" fn answer(what: usize, a: usize, b: usize, page: Alleged<()>) -> isize {
    let answered = match what {
        operation::INTERFACE => interface(a, page.of()),
        operation::DRAFT => begin(page.of()),
        operation::PLACE => place(a, b, page.of()),
        operation::LINK => link(a, page.of()),
        operation::UNLINK => registry::unlink(a).map(|()| 0),
        operation::LINKED => linked(a, page.of()),
        operation::ENDED => ended(page.of()),
        operation::FORGET => {
            let before = OFFER.lock().begun.take();
            drop(before);
            Ok(0)
        }
        _ => Err(Error::EINVAL),
    };
    answered.map_or_else(Error::code, |word| word as isize)
}
/// Writes a value to the linker's page.
fn give<T: abi::window::Plain>(page: Alleged<T>, value: &T) -> Result<usize, Error> {
    // SAFETY: the specification's letter is `w`.
    unsafe { page.write(value) }.map(|()| 0)
}
fn interface(n: usize, page: Alleged<linking::Interface>) -> Result<usize, Error> {
    let mut said = boxed(linking::Interface::default())?;
    {
        let offer = OFFER.lock();
        let Exported { interface, procedures } = offer.exported.get(n).ok_or(Error::ENOENT)?;
        (said.name, said.identity) = (named(interface.name), interface.identity);
        said.quantum = offer.quantum.into();
        (said.events, said.procedures) = (interface.events.len() as u64, procedures.len() as u64);
        said.addresses.iter_mut().zip(procedures).for_each(|(to, at)| *to = *at as u64);
    }
    give(page, &said)
}
/// A name in its place, which it may fill.
fn named(name: &str) -> [u8; linking::EXTENSION] {
    let mut place = [0; linking::EXTENSION];
    let length = name.len().min(place.len());
    place[..length].copy_from_slice(&name.as_bytes()[..length]);
    place
}
fn begin(page: Alleged<linking::Draft>) -> Result<usize, Error> {
    let mut wanted = page.read()?;
    let sizes = [wanted.text, wanted.constants].map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    let name = text(&wanted.name);
    let is_longer = wanted.quantum > OFFER.lock().quantum;
    if is_longer || sizes.iter().any(|bytes| *bytes > MOST_IMAGE) || sizes[0] == 0 || !extension::is_name(name) {
        return Err(Error::EINVAL);
    }
    let limits = Limits { stack: wanted.stack, arena: wanted.arena, quantum: wanted.quantum };
    let name = fallible::text(name)?;
    // What was begun before goes first: there may be no room for both.
    let before = OFFER.lock().begun.take();
    drop(before);
    let draft = Draft::new(Layout::of(sizes[0], sizes[1]), limits)?;
    wanted.base = draft.base() as u64;
    let number = {
        let mut offer = OFFER.lock();
        let number = offer.next;
        offer.next += 1;
        offer.begun = Some(Begun { number, name, draft });
        number
    };
    give(page, &wanted)?;
    Ok(number)
}
impl Offer {
    /// The draft of that number.
    fn begun(&mut self, number: usize) -> Result<&mut Begun, Error> {
        self.begun.as_mut().filter(|begun| begun.number == number).ok_or(Error::ENOENT)
    }
}
fn place(number: usize, at: usize, page: Alleged<[u8; PAGE]>) -> Result<usize, Error> {
    // Copied once: what the window shows may change.
    let mut copy = boxed(Page([0; PAGE]))?;
    // SAFETY: it is only read.
    unsafe { page.of::<u8>().window(PAGE) }?.copy_to(&mut copy.0);
    OFFER.lock().begun(number)?.draft.place(at, &copy).map(|()| 0)
}
fn link(number: usize, page: Alleged<Handlers>) -> Result<usize, Error> {
    let said = boxed(page.read()?)?;
    let (Begun { name, draft, .. }, handlers) = {
        let mut offer = OFFER.lock();
        offer.begun(number)?;
        let begun = offer.begun.take().ok_or(Error::ENOENT)?;
        let handlers = handlers(&offer.exported, &begun.draft, &said)?;
        (begun, handlers)
    };
    registry::link(draft.finish(name)?, handlers)
}
/// What is handled, and by which entries.
fn handlers(exported: &[Exported], draft: &Draft, said: &Handlers) -> Result<Vec<crate::event::Handled>, Error> {
    let count = usize::try_from(said.count).map_err(|_| Error::EINVAL)?;
    let mut handlers = Vec::new();
    for handler in said.all.get(..count).ok_or(Error::EINVAL)? {
        let of = exported.get(handler.interface as usize).ok_or(Error::EINVAL)?;
        let event = of.interface.events.get(handler.event as usize).ok_or(Error::EINVAL)?;
        handlers.try_push((event, draft.entry(handler.entry as usize)?))?;
    }
    Ok(handlers)
}
fn linked(from: usize, page: Alleged<Info>) -> Result<usize, Error> {
    let all = registry::linked()?;
    let next = all.iter().filter(|info| info.number >= from).min_by_key(|info| info.number).ok_or(Error::ENOENT)?;
    let registry::Info { number, name, calls, missed } = next;
    let info = Info { name: named(name), number: *number as u64, calls: *calls, missed: *missed, ..Info::default() };
    give(page, &info)
}
fn ended(page: Alleged<Info>) -> Result<usize, Error> {
    let Ended { number, name, why, calls, missed, place } = registry::ended().ok_or(Error::ENOENT)?;
    // Their texts are in `abi::linking::why`.
    let (name, number, why) = (named(&name), number as u64, why as u64);
    let mut info = Info { name, number, why, calls, missed, ..Info::default() };
    if let Some((file, line)) = place {
        (info.file, info.line) = (cut(&file), line.into());
    }
    give(page, &info)
}
