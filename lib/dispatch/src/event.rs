//! An event: its cell, and the list of those that handle it.

use crate::WORDS;
use crate::activation::ended_quickly;
use crate::linked::Linked;
use crate::thread::{Mark, Thread, is_entered, is_marked};
use abi::Error;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use arch::landing::{First, Home, Raised};
use core::ptr::{self, NonNull};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicPtr};
use fallible::{TryPush, boxed};

/// One that handles an event.
pub(crate) struct Handler {
    pub extension: Arc<Linked>,
    /// Where its entry is.
    pub entry: usize,
}
/// Those that handle an event, in the order of their calls.
#[repr(C)]
pub(crate) struct Handlers {
    /// First: who raises the event the quick way looks at no more. Where there is not one alone, nobody is at home there.
    first: First,
    all: Vec<Handler>,
}
static NOBODY: Handlers = Handlers { first: First { home: &raw const NOBODYS, entry: 0 }, all: Vec::new() };
static NOBODYS: Home =
    Home { free: AtomicPtr::new(ptr::null_mut()), quick: AtomicBool::new(false), ended: ended_quickly };
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
pub struct Retired {
    list: NonNull<Handlers>,
    /// Whose it was.
    event: &'static Event,
}
// SAFETY: it has the list, which others only read.
unsafe impl Send for Retired {}
impl Retired {
    /// Whether somebody is in it, or may be about to.
    pub fn is_in_use(&self) -> bool {
        is_marked(self.list.as_ptr()) || is_entered(&raw const self.event.raised)
    }
}
impl Drop for Retired {
    /// Who drops it has seen that it was not in use. Whoever had the list's address before it was replaced may still note it for a moment, and looks at nothing in it.
    fn drop(&mut self) {
        // SAFETY: `into_raw` made it, and nobody comes to it any more.
        drop(unsafe { Box::from_raw(self.list.as_ptr()) });
    }
}

/// What the handlers of an event say, each when it is asked for.
pub struct Said<'a> {
    thread: Thread,
    /// `None`: too many events are raised in each other.
    mark: Option<Mark<First>>,
    next: usize,
    words: &'a [usize; WORDS],
}
impl Iterator for Said<'_> {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        let handlers = Event::all(self.mark.as_ref()?);
        while let Some(handler) = handlers.get(self.next) {
            self.next += 1;
            if let word @ Some(_) = handler.extension.activate(self.thread, handler.entry, self.words) {
                return word;
            }
        }
        None
    }
}

impl<'a> Said<'a> {
    /// The same as values of a type; what is none of its says nothing.
    pub fn believed<V>(self, value: fn(usize) -> Option<V>) -> Results<'a, V> {
        Results { said: self, value }
    }
}
/// The results of an event's handlers, each of which is called when its is asked for.
pub struct Results<'a, V> {
    said: Said<'a>,
    value: fn(usize) -> Option<V>,
}
impl<V> Iterator for Results<'_, V> {
    type Item = V;
    fn next(&mut self) -> Option<V> {
        self.said.find_map(self.value)
    }
}

#[repr(C)]
pub struct Event {
    /// First: the machine's own code looks at it.
    raised: Raised,
    quick: *const (),
    /// A function that the module of its interface knows the form of; null: what was said last counts.
    combine: AtomicPtr<()>,
}
// SAFETY: the pointer is to a function.
unsafe impl Sync for Event {}
impl Event {
    /// One that nobody handles. `default` and `handled` are functions of its form: the one says what is so then, the other calls [`Event::handle`]. `quick` is what
    /// [`quick!`](crate::quick) makes of the event's place.
    pub const fn new(default: *const (), handled: *const (), quick: *const ()) -> Event {
        let list = AtomicPtr::new((&raw const NOBODY).cast_mut().cast());
        let cell = AtomicPtr::new(default.cast_mut());
        Event { raised: Raised { cell, list, default, handled }, quick, combine: AtomicPtr::new(ptr::null_mut()) }
    }
    /// What is called where it is raised: a function of its form.
    #[inline(always)]
    pub fn cell(&self) -> *const () {
        self.raised.cell.load(Relaxed)
    }
    /// Calls those that handle it, one after the other. The word that the last of them has returned; nothing: nobody has. As the last that [`Event::said`] has, it
    /// took 55 instructions more for two of them.
    pub fn handle(&self, words: &[usize; WORDS]) -> Option<usize> {
        let thread = Thread::own();
        let mark = thread.mark(&self.raised.list)?;
        let mut said = None;
        for handler in Event::all(&mark) {
            said = handler.extension.activate(thread, handler.entry, words).or(said);
        }
        said
    }
    /// Calls them as they are asked for: the words that they return. Who ends otherwise says nothing.
    ///
    /// # Safety
    /// Of those that a thread has, the last that was made is dropped first, and each by the thread that has made it.
    #[doc(hidden)]
    #[inline]
    pub unsafe fn said<'a>(&self, words: &'a [usize; WORDS]) -> Said<'a> {
        let thread = Thread::own();
        Said { thread, mark: thread.mark(&self.raised.list), next: 0, words }
    }
    /// What makes one result of what several say, as the module of its interface has it.
    ///
    /// # Safety
    /// It is a function of that form.
    #[doc(hidden)]
    pub unsafe fn combines_by(&self, combine: *const ()) {
        self.combine.store(combine.cast_mut(), Relaxed);
    }
    /// The same; nothing: what was said last counts.
    #[doc(hidden)]
    #[inline]
    pub fn combine(&self) -> Option<NonNull<()>> {
        NonNull::new(self.combine.load(Relaxed))
    }
    /// How many handle it.
    pub fn count(&self) -> usize {
        Thread::own().mark(&self.raised.list).map_or(0, |mark| Event::all(&mark).len())
    }
    fn all(mark: &Mark<First>) -> &[Handler] {
        // SAFETY: lists are of handlers, whose first part that is.
        unsafe { &(*ptr::from_ref(mark.list()).cast::<Handlers>()).all }
    }
    /// The list with one more, behind the others. `ENOMEM`.
    fn with(&self, extension: &Arc<Linked>, entry: usize) -> Result<List, Error> {
        let mut all = self.copied(|_| true)?;
        all.try_push(Handler { extension: Arc::clone(extension), entry })?;
        list(all)
    }
    /// The list without an extension's. `ENOMEM`.
    fn without(&self, extension: &Arc<Linked>) -> Result<List, Error> {
        list(self.copied(|handler| !Arc::ptr_eq(&handler.extension, extension))?)
    }
    /// Those handlers that fit, with room for one more.
    fn copied(&self, fits: impl Fn(&Handler) -> bool) -> Result<Vec<Handler>, Error> {
        let mut all = Vec::new();
        // SAFETY: only who asks, one thread at a time, takes a list from its event.
        let handlers = unsafe { &(*self.list()).all };
        all.room_for(handlers.len() + 1)?;
        for handler in handlers.iter().filter(|handler| fits(handler)) {
            all.push_kept(Handler { extension: Arc::clone(&handler.extension), entry: handler.entry });
        }
        Ok(all)
    }
    /// Puts a list in the place of the one that is there, which comes back: somebody may be in it. It is called by one thread at a time, with a list that was made of this one.
    fn replace(&'static self, list: List) -> Option<Retired> {
        let cell = match &list {
            None => self.raised.default,
            Some(list) if ptr::eq(list.first.home, &raw const NOBODYS) => self.raised.handled,
            Some(_) => self.quick,
        };
        let list = list.map_or((&raw const NOBODY).cast_mut(), Box::into_raw);
        let old = self.raised.list.swap(list.cast(), AcqRel);
        self.raised.cell.store(cell.cast_mut(), Release);
        let list = NonNull::new(old.cast()).filter(|old| !ptr::eq(old.as_ptr(), &raw const NOBODY))?;
        Some(Retired { list, event: self })
    }
    fn list(&self) -> *const Handlers {
        self.raised.list.load(Acquire).cast()
    }
    /// Whether somebody handles it.
    pub fn is_handled(&self) -> bool {
        !ptr::eq(self.list(), &raw const NOBODY)
    }
}
/// A list of these, which are entered the quick way where they are one. `ENOMEM`.
fn list(all: Vec<Handler>) -> Result<List, Error> {
    let first = match &all[..] {
        [] => return Ok(None),
        [one] => one.extension.first(one.entry),
        _ => None,
    };
    let first = first.unwrap_or(First { home: &raw const NOBODYS, entry: 0 });
    boxed(Handlers { first, all }).map(List::from)
}
