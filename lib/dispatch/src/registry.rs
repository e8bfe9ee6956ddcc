//! What is linked into this component.

use crate::MOST;
use crate::activation;
use crate::event::{Handled, Retired, install, remove};
use crate::linked::Linked;
use crate::machine::{self, Mutex};
use crate::state::Why;
use abi::Error;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use fallible::TryPush;

/// Most ends that are remembered: the last ones.
const REMEMBERED: usize = 16;

struct Entry {
    number: usize,
    linked: Arc<Linked>,
    handlers: Vec<Handled>,
}
impl Entry {
    /// `ENOMEM`.
    fn info(&self) -> Result<Info, Error> {
        let Entry { number, linked, .. } = self;
        let name = fallible::text(&linked.name)?;
        Ok(Info { number: *number, name, calls: linked.calls(), missed: linked.missed() })
    }
}
/// An extension that is linked in.
pub struct Info {
    pub number: usize,
    pub name: Box<str>,
    /// How often it was activated.
    pub calls: u64,
    /// How often there was no stack for it, and the raiser got the default.
    pub missed: u64,
}
/// An extension that was taken out for what it did.
pub struct Ended {
    pub number: usize,
    pub name: Box<str>,
    pub why: Why,
    /// As in [`Info`].
    pub calls: u64,
    pub missed: u64,
    /// Where it panicked: a file of its source, and the line.
    pub place: Option<(Box<str>, u32)>,
}
struct Registry {
    entries: Vec<Entry>,
    /// Lists that somebody may be in.
    retired: Vec<Retired>,
    /// Those that were taken out and that somebody may be in.
    leaving: Vec<Arc<Linked>>,
    ended: Vec<Ended>,
    next: usize,
}
static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { entries: Vec::new(), retired: Vec::new(), leaving: Vec::new(), ended: Vec::new(), next: 1 });

/// Has an extension handle events of this component, each by its entry: its number, by which it is taken out. `ENOMEM`; `ENFILE`: there are [`MOST`]; `EINVAL`: a condition is of what its event has not; `EBUSY`: the
/// calling thread is in an extension itself; `ENOTSUP`: [`start`](crate::start) has not begun to keep.
pub fn link(linked: Linked, handlers: Vec<Handled>) -> Result<usize, Error> {
    is_outside()?;
    // By the quick way a thread's register is believed.
    if !machine::is_kept() {
        return Err(Error::ENOTSUP);
    }
    let linked = Arc::try_new(linked).map_err(|_| Error::ENOMEM)?;
    let mut registry = REGISTRY.lock();
    let registry = &mut *registry;
    if registry.entries.len() >= MOST {
        return Err(Error::ENFILE);
    }
    registry.entries.room_for(1)?;
    install(&linked, &handlers, &mut registry.retired)?;
    registry.sweep();
    linked.watch(machine::is_watching());
    let number = registry.next;
    registry.next += 1;
    registry.entries.push_kept(Entry { number, linked, handlers });
    Ok(number)
}
/// Takes an extension out: it handles nothing, nobody is in it, and its memory is the component's again, when this returns. `ENOENT`: there is none of that
/// number; `EBUSY`: the calling thread is in an extension itself; `ENOMEM`: it is as before.
pub fn unlink(number: usize) -> Result<(), Error> {
    is_outside()?;
    let linked = REGISTRY.lock().take_out(number)?;
    while !REGISTRY.lock().leaves(&linked) {
        machine::wait();
    }
    // Its pages go with it, and nobody waits for that.
    drop(linked);
    Ok(())
}
/// `EBUSY`: the calling thread is in an extension, whose end it would wait for.
fn is_outside() -> Result<(), Error> {
    if activation::own().is_some() { Err(Error::EBUSY) } else { Ok(()) }
}
impl Registry {
    /// Nobody comes to it any more. `ENOENT`, `ENOMEM`.
    fn take_out(&mut self, number: usize) -> Result<Arc<Linked>, Error> {
        let at = self.entries.iter().position(|entry| entry.number == number).ok_or(Error::ENOENT)?;
        let entry = &self.entries[at];
        self.leaving.room_for(1)?;
        remove(&entry.linked, &entry.handlers, &mut self.retired)?;
        let linked = self.entries.swap_remove(at).linked;
        // Nobody says so of it later: who is on the way into it finds that it is not to be entered so, or is there and found.
        linked.watch(false);
        self.leaving.push_kept(Arc::clone(&linked));
        self.sweep();
        Ok(linked)
    }
    /// Whether nobody is in one that was taken out, which only the caller has then.
    fn leaves(&mut self, linked: &Arc<Linked>) -> bool {
        self.sweep();
        // Each list that it is in has it; so have this and the caller.
        let alone = Arc::strong_count(linked) == 2 && linked.is_left();
        if alone {
            self.leaving.retain(|other| !Arc::ptr_eq(other, linked));
        }
        alone
    }
    /// One that was taken out and that nobody is in any more.
    fn left(&mut self) -> Option<Arc<Linked>> {
        self.sweep();
        let at = self.leaving.iter().position(|linked| Arc::strong_count(linked) == 1 && linked.is_left())?;
        Some(self.leaving.swap_remove(at))
    }
    /// Frees lists that nobody is in any more.
    fn sweep(&mut self) {
        while let Some(at) = self.retired.iter().position(|list| !list.is_in_use()) {
            self.retired.swap_remove(at);
        }
    }
    /// Remembers why it has ended; the oldest end is forgotten for it.
    fn remember(&mut self, number: usize, linked: &Linked, why: Why) -> Result<(), Error> {
        if self.ended.len() == REMEMBERED {
            self.ended.remove(0);
        }
        let name = fallible::text(&linked.name)?;
        self.ended.try_push(Ended {
            number,
            name,
            why,
            calls: linked.calls(),
            missed: linked.missed(),
            place: linked.state.said(),
        })
    }
}
/// Takes out what has ended. What there is no memory for now is called no more all the same, and taken out later. Whether something is left to do.
pub(crate) fn collect() -> bool {
    loop {
        let mut registry = REGISTRY.lock();
        while let Some((number, why)) =
            registry.entries.iter().find_map(|entry| Some((entry.number, entry.linked.ended()?)))
        {
            match registry.take_out(number) {
                // What can not be remembered is gone all the same.
                Ok(linked) => _ = registry.remember(number, &linked, why),
                Err(_) => return true,
            }
        }
        let Some(left) = registry.left() else { return !registry.leaving.is_empty() };
        // Its pages go with it, and nobody waits for that.
        drop(registry);
        drop(left);
    }
}
/// Looks at all activations, and ends those that take too long by `clock`; whether there are any.
pub(crate) fn look(clock: impl Fn() -> u64) -> bool {
    let registry = REGISTRY.lock();
    // Whoever had the registry before may have had it long.
    let now = clock();
    let all = registry.entries.iter().map(|entry| &entry.linked).chain(&registry.leaving);
    all.fold(false, |busy, linked| linked.look(now) | busy)
}
/// Somebody looks at the activations of all extensions from now on; or nobody does until an activation says that it begins, but once more.
pub(crate) fn watch(watched: bool) {
    let registry = REGISTRY.lock();
    // With the lock: what is linked in later sees it.
    machine::watches(watched);
    registry.entries.iter().for_each(|entry| entry.linked.watch(watched));
}
/// Whether one is entered the quick way.
#[cfg(test)]
pub(crate) fn is_quick(number: usize) -> bool {
    let registry = REGISTRY.lock();
    let entry = registry.entries.iter().find(|entry| entry.number == number);
    entry.is_some_and(|entry| entry.linked.state.home.quick.load(core::sync::atomic::Ordering::SeqCst))
}
/// The one that is linked in with the lowest number from that one on. `ENOENT`: there is none; `ENOMEM`.
pub(crate) fn linked_from(from: usize) -> Result<Info, Error> {
    let registry = REGISTRY.lock();
    let behind = registry.entries.iter().filter(|entry| entry.number >= from);
    behind.min_by_key(|entry| entry.number).ok_or(Error::ENOENT)?.info()
}
/// What is linked in. `ENOMEM`.
pub fn linked() -> Result<Vec<Info>, Error> {
    let registry = REGISTRY.lock();
    let mut all = Vec::new();
    all.room_for(registry.entries.len())?;
    for entry in &registry.entries {
        all.push_kept(entry.info()?);
    }
    Ok(all)
}
/// The oldest that was taken out for what it did, of the last of them. Each is said once.
pub fn ended() -> Option<Ended> {
    let ended = &mut REGISTRY.lock().ended;
    (!ended.is_empty()).then(|| ended.remove(0))
}
