//! An event: its cell, and the list of those that handle it.

use crate::WORDS;
use crate::linked::Linked;
use crate::thread::{Thread, is_marked};
use abi::Error;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ptr::{self, NonNull};
use core::sync::atomic::AtomicPtr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use fallible::{TryPush, boxed};

/// One that handles an event.
pub(crate) struct Handler {
    pub extension: Arc<Linked>,
    /// Where its entry is.
    pub entry: usize,
}
/// Those that handle an event, in the order of their calls.
pub(crate) type Handlers = Vec<Handler>;
/// Nothing where nobody does.
type List = Option<Box<Handlers>>;
/// An event that is handled, and where the entry for it is.
pub type Handled = (&'static Event, usize);

/// Has an extension handle events, each by the entry that is at that address. What was in the events' place goes to `retired`. `ENOMEM`: it handles none. Of this and
/// [`remove`], one is called at a time.
pub(crate) fn install(extension: &Arc<Linked>, handlers: &[Handled], retired: &mut Vec<Retired>) -> Result<(), Error> {
    let lists = handlers.iter().map(|(event, entry)| (*event, event.with(extension, *entry)));
    replace(lists, handlers.len(), retired)
}
/// It handles none of these any more. When nobody is in what goes to `retired`, nobody is in it. `ENOMEM`: it does as before.
pub(crate) fn remove(extension: &Arc<Linked>, handlers: &[Handled], retired: &mut Vec<Retired>) -> Result<(), Error> {
    let lists = handlers.iter().map(|(event, _)| (*event, event.without(extension)));
    replace(lists, handlers.len(), retired)
}
/// All, or none.
fn replace(
    lists: impl Iterator<Item = (&'static Event, Result<List, Error>)>,
    count: usize,
    retired: &mut Vec<Retired>,
) -> Result<(), Error> {
    retired.room_for(count)?;
    let mut made = Vec::new();
    made.room_for(count)?;
    for (event, list) in lists {
        made.push_kept((event, list?));
    }
    for (event, list) in made {
        event.replace(list).map(|old| retired.push_kept(old));
    }
    Ok(())
}

/// A list that is no event's any more, and freed when nobody is in it.
pub struct Retired(NonNull<Handlers>);
// SAFETY: it has the list, which others only read.
unsafe impl Send for Retired {}
impl Retired {
    /// Whether somebody is in it.
    pub fn is_in_use(&self) -> bool {
        is_marked(self.0.as_ptr())
    }
}
impl Drop for Retired {
    /// Who drops it has seen that it was not in use. Whoever had the list's address before it was replaced may still note it for a moment, and looks at nothing in it.
    fn drop(&mut self) {
        // SAFETY: `into_raw` made it, and nobody comes to it any more.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

pub struct Event {
    cell: AtomicPtr<()>,
    default: *const (),
    handled: *const (),
    /// Null, or one that has somebody in it.
    handlers: AtomicPtr<Handlers>,
}
// SAFETY: the two pointers are to functions.
unsafe impl Sync for Event {}
impl Event {
    /// One that nobody handles. `default` and `handled` are functions of its form: the one says what is so then, the other calls [`Event::handle`].
    pub const fn new(default: *const (), handled: *const ()) -> Event {
        let cell = AtomicPtr::new(default.cast_mut());
        Event { cell, default, handled, handlers: AtomicPtr::new(ptr::null_mut()) }
    }
    /// What is called where it is raised: a function of its form.
    #[inline(always)]
    pub fn cell(&self) -> *const () {
        self.cell.load(Relaxed)
    }
    /// Calls those that handle it, one after the other. The word that the last of them has returned; nothing: nobody has.
    pub fn handle(&self, words: &[usize; WORDS]) -> Option<usize> {
        let thread = Thread::own();
        let mark = thread.mark(&self.handlers)?;
        let mut said = None;
        for handler in mark.list() {
            said = handler.extension.activate(thread, handler.entry, words).or(said);
        }
        said
    }
    /// How many handle it.
    pub fn count(&self) -> usize {
        Thread::own().mark(&self.handlers).map_or(0, |mark| mark.list().len())
    }
    /// The list with one more, behind the others. `ENOMEM`.
    fn with(&self, extension: &Arc<Linked>, entry: usize) -> Result<List, Error> {
        let mut list = self.copied(|_| true)?;
        list.try_push(Handler { extension: Arc::clone(extension), entry })?;
        boxed(list).map(List::from)
    }
    /// The list without an extension's. `ENOMEM`.
    fn without(&self, extension: &Arc<Linked>) -> Result<List, Error> {
        let list = self.copied(|handler| !Arc::ptr_eq(&handler.extension, extension))?;
        if list.is_empty() { Ok(None) } else { boxed(list).map(List::from) }
    }
    /// Those handlers that fit, with room for one more.
    fn copied(&self, fits: impl Fn(&Handler) -> bool) -> Result<Handlers, Error> {
        let mut list = Handlers::new();
        // SAFETY: only who asks, one thread at a time, takes a list from its event.
        let handlers = unsafe { self.handlers.load(Acquire).as_ref() }.map_or(&[][..], Vec::as_slice);
        list.room_for(handlers.len() + 1)?;
        for handler in handlers.iter().filter(|handler| fits(handler)) {
            list.push_kept(Handler { extension: Arc::clone(&handler.extension), entry: handler.entry });
        }
        Ok(list)
    }
    /// Puts a list in the place of the one that is there, which comes back: somebody may be in it. It is called by one thread at a time, with a list that was made of this one.
    fn replace(&self, list: List) -> Option<Retired> {
        let list = list.map_or(ptr::null_mut(), Box::into_raw);
        let cell = if list.is_null() { self.default } else { self.handled };
        let old = self.handlers.swap(list, AcqRel);
        self.cell.store(cell.cast_mut(), Release);
        NonNull::new(old).map(Retired)
    }
    /// Whether somebody handles it.
    pub fn is_handled(&self) -> bool {
        !self.handlers.load(Acquire).is_null()
    }
}
