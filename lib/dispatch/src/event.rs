//! An event: its cell, and the list of those that handle it.

use crate::activation::ended_quickly;
use crate::choice::{Choice, Chosen, Found};
use crate::guard::{Argument, tests};
use crate::handler::{Handler, place};
use crate::linked::Linked;
use crate::thread::{Mark, Thread, is_entered, is_marked};
use crate::{MOST, Name, WORDS};
use abi::Error;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use arch::landing::{Chooser, First, Home, Look, Raised};
use core::ptr::{self, NonNull};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicPtr};
use extension::{Condition, Order};
use fallible::{TryPush, boxed};

/// Those that handle an event, in the order of their calls.
#[repr(C)]
pub(crate) struct Handlers {
    /// First: who raises the event the quick way looks at no more. Where one can not be entered so, nobody is at home there.
    chooser: Chooser,
    all: Vec<Handler>,
    /// Who of them is called; nothing: all are.
    choice: Option<Choice>,
    /// What the chooser leads to.
    _found: Option<Found>,
}
const FIRST: First = First { home: &raw const NOBODYS, entry: 0 };
const NO_CHOOSER: Chooser = Chooser {
    first: FIRST,
    look: Look { reader: None, offset: 0, end: 0, mask: 0 },
    factor: 0,
    shift: 0,
    slots: ptr::null(),
};
static NOBODY: Handlers = Handlers { chooser: NO_CHOOSER, all: Vec::new(), choice: None, _found: None };
static NOBODYS: Home =
    Home { free: AtomicPtr::new(ptr::null_mut()), quick: AtomicBool::new(false), ended: ended_quickly };
/// Nothing where nobody does.
type List = Option<Box<Handlers>>;
/// An event that is handled, where the entry for it is, and on what terms.
pub struct Handled {
    pub event: &'static Event,
    pub entry: usize,
    /// All of these hold where it is called.
    pub conditions: Vec<Condition>,
    pub order: Order<Name>,
}

/// Has an extension handle events, each by the entry that is at that address. What was in the events' place goes to `retired`. It handles none: `ENOMEM`; `EINVAL`: a condition is of what the
/// event has not; `ENFILE`: one has as many handlers as it may. Of this and [`remove`], one is called at a time.
pub(crate) fn install(extension: &Arc<Linked>, handlers: &[Handled], retired: &mut Vec<Retired>) -> Result<(), Error> {
    let lists = handlers.iter().map(|handled| (handled.event, handled.event.with(extension, handled)));
    replace(lists, handlers.len(), retired)
}
/// It handles none of these any more. When nobody is in what goes to `retired`, nobody is in it. `ENOMEM`: it does as before.
pub(crate) fn remove(extension: &Arc<Linked>, handlers: &[Handled], retired: &mut Vec<Retired>) -> Result<(), Error> {
    let lists = handlers.iter().map(|handled| (handled.event, handled.event.without(extension)));
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
    /// Where there are guards.
    chosen: Option<Chosen>,
    words: &'a [usize; WORDS],
}
impl Said<'_> {
    /// How many are called, or would be if each was asked for.
    pub fn how_many(&self) -> usize {
        let Some(list) = self.mark.as_ref().map(Event::handlers) else { return 0 };
        match (&self.chosen, &list.choice) {
            (Some(chosen), Some(choice)) => chosen.count(choice),
            _ => list.all.len() - self.next,
        }
    }
    /// The next that is called.
    #[inline]
    fn handler(&mut self) -> Option<&Handler> {
        let list = Event::handlers(self.mark.as_ref()?);
        let place = match (&mut self.chosen, &list.choice) {
            (Some(chosen), Some(choice)) => chosen.next(choice)?,
            _ => {
                self.next += 1;
                self.next - 1
            }
        };
        list.all.get(place)
    }
}
impl Iterator for Said<'_> {
    type Item = usize;
    #[inline]
    fn next(&mut self) -> Option<usize> {
        let (thread, words) = (self.thread, self.words);
        while let Some(handler) = self.handler() {
            if let word @ Some(_) = handler.activate(thread, words) {
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
    chosen: *const (),
    /// A function that the module of its interface knows the form of; null: what was said last counts.
    combine: AtomicPtr<()>,
    arguments: &'static [Argument],
}
// SAFETY: the pointer is to a function.
unsafe impl Sync for Event {}
impl Event {
    /// One that nobody handles. `default` and `handled` are functions of its form: the one says what is so then, the other calls [`Event::handle`]. `quick` and `chosen`
    /// are what [`quick!`](crate::quick) and [`chosen!`](crate::chosen) make of the event's place; `arguments` are what guards look at.
    pub const fn new(
        default: *const (),
        handled: *const (),
        quick: *const (),
        chosen: *const (),
        arguments: &'static [Argument],
    ) -> Event {
        let list = AtomicPtr::new((&raw const NOBODY).cast_mut().cast());
        let cell = AtomicPtr::new(default.cast_mut());
        Event {
            raised: Raised { cell, list, default, handled },
            quick,
            chosen,
            combine: AtomicPtr::new(ptr::null_mut()),
            arguments,
        }
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
        let list = Event::handlers(&mark);
        if let Some(choice) = &list.choice {
            return Event::handle_chosen(thread, list, choice, words);
        }
        let mut said = None;
        for handler in &list.all {
            said = handler.extension.activate(thread, handler.entry, words).or(said);
        }
        said
    }
    /// The same where not all are called.
    #[cold]
    #[inline(never)]
    fn handle_chosen(thread: Thread, list: &Handlers, choice: &Choice, words: &[usize; WORDS]) -> Option<usize> {
        // SAFETY: the event was raised with them.
        let mut chosen = unsafe { choice.choose(&list.all, words) };
        let mut said = None;
        while let Some(place) = chosen.next(choice) {
            let handler = &list.all[place];
            said = handler.activate(thread, words).or(said);
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
        let mark = thread.mark(&self.raised.list);
        let list = mark.as_ref().map(Event::handlers);
        let choice = list.and_then(|list| Some((list, list.choice.as_ref()?)));
        // SAFETY: the event was raised with them.
        let chosen = choice.map(|(list, choice)| unsafe { choice.choose(&list.all, words) });
        Said { thread, mark, next: 0, chosen, words }
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
    /// Whether the machine's own code finds who of several is called.
    pub fn is_chosen(&self) -> bool {
        ptr::eq(self.cell(), self.chosen) && !ptr::eq(self.chosen, self.raised.handled)
    }
    /// Whether guards may have such conditions. `EINVAL`: it has not what one of them looks at, or they are too many; `ENOMEM`.
    pub fn has(&self, conditions: &[Condition]) -> Result<(), Error> {
        tests(conditions, self.arguments).map(|_| ())
    }
    /// How many handle it.
    pub fn count(&self) -> usize {
        Thread::own().mark(&self.raised.list).map_or(0, |mark| Event::handlers(&mark).all.len())
    }
    /// The extensions of those that handle it, in the order of their calls.
    #[cfg(test)]
    pub(crate) fn names(&self) -> Vec<std::string::String> {
        let mark = Thread::own().mark(&self.raised.list).unwrap();
        Event::handlers(&mark).all.iter().map(|handler| handler.extension.name.to_string()).collect()
    }
    fn handlers(mark: &Mark<First>) -> &Handlers {
        // SAFETY: lists are of handlers, which begin so.
        unsafe { &*ptr::from_ref(mark.list()).cast::<Handlers>() }
    }
    /// The list with one more. `ENOMEM`; `EINVAL`, `ENFILE` as for [`install`].
    fn with(&self, extension: &Arc<Linked>, handled: &Handled) -> Result<List, Error> {
        let tests = tests(&handled.conditions, self.arguments)?;
        let (extension, entry, order) = (Arc::clone(extension), handled.entry, handled.order);
        let mut all = self.copied(|_| true)?;
        if all.len() >= MOST {
            return Err(Error::ENFILE);
        }
        let at = place(&all, &extension.name, order);
        // There is room for one more.
        all.insert(at, Handler { extension, entry, tests, order });
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
            all.push_kept(handler.clone());
        }
        Ok(all)
    }
    /// Puts a list in the place of the one that is there, which comes back: somebody may be in it. It is called by one thread at a time, with a list that was made of this one.
    fn replace(&'static self, list: List) -> Option<Retired> {
        let cell = match &list {
            None => self.raised.default,
            Some(list) if list.chooser.look.reader.is_some() => self.chosen,
            Some(list) if ptr::eq(list.chooser.first.home, &raw const NOBODYS) => self.raised.handled,
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
    let alone = match &all[..] {
        [] => return Ok(None),
        [one] if one.tests.is_empty() => one.extension.first(one.entry),
        _ => None,
    };
    let is_guarded = all.iter().any(|handler| !handler.tests.is_empty());
    let choice = if is_guarded { Some(Choice::new(&all)?) } else { None };
    let found = choice.as_ref().map(|choice| choice.found(&all, FIRST)).transpose()?.flatten();
    let mut chooser = found.as_ref().map_or(NO_CHOOSER, Found::chooser);
    chooser.first = alone.unwrap_or(FIRST);
    boxed(Handlers { chooser, all, choice, _found: found }).map(List::from)
}
