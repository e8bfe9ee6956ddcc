//! The portal by which the linker puts extensions into this component ([`abi::linking`]).
//!
//! The linker is believed in what code it brings: nobody else may open the portal. What it says of it is looked at: entries, numbers, places of pages.

use crate::event::Handled;
use crate::registry::{self, Ended};
use crate::{Draft, Interface, Name, Page};
use abi::Error;
use abi::address::PAGE;
use abi::linking::{self, Handlers, Info, MOST, PREFIX, SPECIFICATION, Terms, operation};
use abi::section::{Provided, cut, padded, text};
use alloc::boxed::Box;
use alloc::vec::Vec;
use extension::{Condition, KEY, Layout, Limits, MOST_IMAGE, Order};
use fallible::{TryPush, boxed};
use interfaces::types::Alleged;
use pebble::interfaces;
use pebble::sync::Mutex;

/// An interface that this component exports.
pub struct Exported {
    pub interface: &'static Interface,
    /// Where its procedures begin.
    pub procedures: Vec<usize>,
    /// Who decides which extensions handle its events, and on which terms besides their own; nothing: all do that the linker brings.
    pub decides: Option<Decides>,
}
/// Says on which conditions more an extension handles an event, 16 at least, or that it does not, by the error (`EACCESS`). Nothing of this library's is locked meanwhile.
pub type Decides = fn(&Asked) -> Result<Vec<Condition>, Error>;
/// An extension that is to handle an event.
pub struct Asked<'a> {
    pub extension: &'a str,
    /// The identity of the key that it is signed with.
    pub key: [u8; KEY],
    /// Whether it was refused by the gatekeeper, and signed all the same.
    pub vetted: bool,
    /// The event's place in the interface.
    pub event: usize,
    /// What it says itself of when it is called: of what the event has. Bits outside of a mask do not count.
    pub conditions: &'a [Condition],
}
struct Begun {
    number: usize,
    name: Box<str>,
    key: [u8; KEY],
    vetted: bool,
    draft: Draft,
    /// Of handlers, by their places.
    terms: Vec<(usize, Vec<Condition>, Order<Name>)>,
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
        decides: None,
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
        operation::TERMS => terms(a, b, page.of()),
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
        let Exported { interface, procedures, .. } = offer.exported.get(n).ok_or(Error::ENOENT)?;
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
        let (key, vetted) = (wanted.key, wanted.vetted != 0);
        offer.begun = Some(Begun { number, name, key, vetted, draft, terms: Vec::new() });
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
fn terms(number: usize, at: usize, page: Alleged<Terms>) -> Result<usize, Error> {
    let said = boxed(page.read()?)?;
    let count = usize::try_from(said.count).unwrap_or(usize::MAX);
    let mut conditions = Vec::new();
    for bytes in said.conditions.get(..count).ok_or(Error::EINVAL)? {
        conditions.try_push(Condition::of(bytes).ok_or(Error::EINVAL)?)?;
    }
    let other = Some(said.other).filter(|other| *other != Name::default());
    if other.is_some_and(|other| !extension::is_name(text(&other))) {
        return Err(Error::EINVAL);
    }
    let order = u32::try_from(said.order).ok().and_then(|number| Order::of(number, other)).ok_or(Error::EINVAL)?;
    let mut offer = OFFER.lock();
    let begun = offer.begun(number)?;
    if at >= MOST || begun.terms.iter().any(|(place, ..)| *place == at) {
        return Err(Error::EINVAL);
    }
    begun.terms.try_push((at, conditions, order)).map(|()| 0)
}
fn link(number: usize, page: Alleged<Handlers>) -> Result<usize, Error> {
    let said = boxed(page.read()?)?;
    let taken = {
        let mut offer = OFFER.lock();
        offer.begun(number)?;
        offer.begun.take()
    };
    // Whatever comes of it, its pages go when nobody waits for that.
    let mut begun = taken.ok_or(Error::ENOENT)?;
    let (mut handlers, decides) = handlers(&OFFER.lock().exported, &begun.draft, &said)?;
    for (at, conditions, order) in begun.terms.drain(..) {
        let handled = handlers.get_mut(at).ok_or(Error::EINVAL)?;
        handled.event.has(&conditions)?;
        (handled.conditions, handled.order) = (conditions, order);
    }
    for (handled, decides) in handlers.iter_mut().zip(decides) {
        let Some((decides, event)) = decides else { continue };
        let Begun { name, key, vetted, .. } = &begun;
        let conditions = &handled.conditions;
        let more = decides(&Asked { extension: name, key: *key, vetted: *vetted, event, conditions })?;
        handled.conditions.room_for(more.len())?;
        handled.conditions.extend(more);
    }
    registry::link(begun.draft.finish(begun.name)?, handlers)
}
/// Who is asked whether an event is handled, and its place.
type Asks = Option<(Decides, usize)>;
/// What is handled, by which entries, and who is asked.
fn handlers(exported: &[Exported], draft: &Draft, said: &Handlers) -> Result<(Vec<Handled>, Vec<Asks>), Error> {
    let count = usize::try_from(said.count).map_err(|_| Error::EINVAL)?;
    let (mut handlers, mut asked) = (Vec::new(), Vec::new());
    for handler in said.all.get(..count).ok_or(Error::EINVAL)? {
        let of = exported.get(handler.interface as usize).ok_or(Error::EINVAL)?;
        let event = of.interface.events.get(handler.event as usize).ok_or(Error::EINVAL)?;
        let entry = draft.entry(handler.entry as usize)?;
        handlers.try_push(Handled { event, entry, conditions: Vec::new(), order: Order::Usual })?;
        asked.try_push(of.decides.map(|decides| (decides, handler.event as usize)))?;
    }
    Ok((handlers, asked))
}
fn linked(from: usize, page: Alleged<Info>) -> Result<usize, Error> {
    let registry::Info { number, name, calls, missed } = registry::linked_from(from)?;
    let info = Info { name: named(&name), number: number as u64, calls, missed, ..Info::default() };
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
