//! Lists of handlers, and their ends, with handlers that are functions of the test's.

use super::*;
use crate::activation::{end, is_faulted, own};
use crate::event::{Retired, remove};
use crate::machine::GONE;
use crate::registry::{collect, link, look, unlink};
use abi::address::PAGE;
use extension::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const DEFAULT: usize = 1;
extern "C-unwind" fn default(_: usize) -> usize {
    DEFAULT
}
extern "C-unwind" fn handled(_: usize) -> usize {
    panic!("only its address counts")
}
extern "C-unwind" fn quick(_: usize) -> usize {
    panic!("only its address counts, too")
}
/// Those of the tests' events are words.
const ARGUMENTS: &[Argument] = &[Argument::Value(8, false); WORDS];
extern "C-unwind" fn chosen(_: usize) -> usize {
    panic!("only its address counts, as well")
}
fn event() -> &'static Event {
    Box::leak(Box::new(Event::new(
        default as *const (),
        handled as *const (),
        quick as *const (),
        chosen as *const (),
        ARGUMENTS,
    )))
}
fn linked() -> Arc<Linked> {
    let limits = Limits { stack: 4096, arena: 4096, quantum: 10 };
    let mut draft = Draft::new(extension::Layout::of(4, 0), limits).unwrap();
    draft.place(0, &Page([0; PAGE])).unwrap();
    Arc::new(draft.finish("one".into()).unwrap())
}
fn terms_of(event: &'static Event, entry: usize) -> Handled {
    Handled { event, entry, conditions: Vec::new(), order: extension::Order::Usual }
}
/// Handles the event by `entry`.
fn install(event: &'static Event, linked: &Arc<Linked>, entry: *const ()) {
    let mut retired = Vec::new();
    crate::event::install(linked, &[terms_of(event, entry.expose_provenance())], &mut retired).unwrap();
    assert!(retired.iter().all(|list: &Retired| !list.is_in_use()));
}
/// What handlers say.
fn said<'a>(event: &Event, words: &'a [usize; WORDS]) -> Said<'a> {
    // SAFETY: the tests have one at a time, or one in the other.
    unsafe { event.said(words) }
}
fn words(first: usize) -> [usize; WORDS] {
    let mut words = [0; WORDS];
    words[0] = first;
    words
}
extern "C-unwind" fn adds(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize, g: usize, h: usize) -> usize {
    a + b + c + d + e + f + g + h
}
extern "C-unwind" fn doubles(a: usize) -> usize {
    2 * a
}
extern "C-unwind" fn panics(_: usize) -> usize {
    end(Why::Panic)
}
#[test]
fn an_event_that_nobody_handles_is_its_default() {
    let event = event();
    assert_eq!((event.cell(), event.is_handled()), (default as *const (), false));
    assert_eq!(event.handle(&words(3)), None);
}
#[test]
fn a_handler_gets_all_words_and_the_last_one_counts() {
    let (event, one, other) = (event(), linked(), linked());
    install(event, &one, adds as *const ());
    assert_eq!((event.cell(), event.is_handled()), (quick as *const (), true), "it is alone");
    assert_eq!(event.handle(&[1, 2, 3, 4, 5, 6, 7, 8]), Some(36));
    install(event, &other, doubles as *const ());
    assert_eq!((event.cell(), event.is_handled()), (handled as *const (), true));
    assert_eq!((event.handle(&words(5)), event.count()), (Some(10), 2));
    assert_eq!((one.calls(), other.calls()), (2, 1));
}
#[test]
fn who_is_not_asked_for_is_not_called_and_what_is_no_value_says_nothing() {
    let (event, all) = (event(), [linked(), linked(), linked()]);
    install(event, &all[0], panics as *const ());
    install(event, &all[1], adds as *const ());
    install(event, &all[2], doubles as *const ());
    let calls = || all.each_ref().map(|one| one.calls());
    let words = words(5);
    let mut even = said(event, &words).believed(|word| (word % 2 == 0).then_some(word / 2));
    assert_eq!(calls(), [0, 0, 0]);
    assert_eq!((even.next(), calls()), (Some(5), [1, 1, 1]), "one has ended, 5 is none");
    assert_eq!(even.next(), None);
    assert_eq!((said(event, &words).next(), calls()), (Some(5), [1, 2, 1]), "the last is not called");
}
#[test]
fn who_is_asked_one_by_one_says_the_same_and_where_there_are_too_many_nobody_does() {
    let (event, all) = (event(), [linked(), linked(), linked()]);
    assert_eq!(said(event, &words(5)).last(), None, "nobody handles it");
    install(event, &all[0], adds as *const ());
    assert_eq!(said(event, &[1, 2, 3, 4, 5, 6, 7, 8]).last(), Some(36));
    install(event, &all[1], doubles as *const ());
    install(event, &all[2], panics as *const ());
    assert_eq!(said(event, &words(5)).last(), event.handle(&words(5)), "one has ended");
    let words = words(5);
    let mut open: Vec<_> = (0..DEPTH).map(|_| said(event, &words)).collect();
    assert!(open.iter_mut().all(|one| one.next() == Some(5)));
    assert_eq!(said(event, &words).next(), None, "too many are open");
    // The last that was made goes first.
    while open.pop().is_some() {}
    assert_eq!(said(event, &words).last(), Some(10), "and nothing is left of it");
}
#[test]
fn who_is_taken_out_is_called_no_more_and_the_others_are() {
    let (event, one, other) = (event(), linked(), linked());
    install(event, &one, adds as *const ());
    install(event, &other, doubles as *const ());
    let mut retired = Vec::new();
    let handlers = [terms_of(event, 0)];
    remove(&other, &handlers, &mut retired).unwrap();
    assert_eq!((event.cell(), event.handle(&words(5))), (quick as *const (), Some(5)));
    remove(&one, &handlers, &mut retired).unwrap();
    assert_eq!((event.cell(), event.handle(&words(5))), (default as *const (), None));
    retired.clear();
    assert_eq!((Arc::strong_count(&one), Arc::strong_count(&other)), (1, 1), "nothing has them any more");
}
#[test]
fn who_panics_says_nothing_and_is_called_no_more() {
    let (event, one, other) = (event(), linked(), linked());
    install(event, &other, doubles as *const ());
    install(event, &one, panics as *const ());
    assert_eq!(event.handle(&words(5)), Some(10), "what the others said counts");
    assert_eq!(one.ended(), Some(Why::Panic));
    assert_eq!(event.handle(&words(5)), Some(10));
    assert_eq!((one.calls(), other.calls()), (1, 2));
    assert!(own().is_none());
}
static NESTED: AtomicUsize = AtomicUsize::new(0);
extern "C-unwind" fn raises_itself(event: usize) -> usize {
    // SAFETY: the test has passed one that stays.
    let event = unsafe { &*core::ptr::with_exposed_provenance::<Event>(event) };
    NESTED.fetch_add(1, Ordering::Relaxed);
    event.handle(&words(core::ptr::from_ref(event).expose_provenance())).map_or(1, |depth| depth + 1)
}
#[test]
fn events_in_events_end_where_there_are_too_many() {
    let (event, one) = (event(), linked());
    install(event, &one, raises_itself as *const ());
    let depth = event.handle(&words(core::ptr::from_ref(event).expose_provenance()));
    assert_eq!((depth, NESTED.load(Ordering::Relaxed)), (Some(DEPTH.min(ACTIVATIONS)), DEPTH.min(ACTIVATIONS)));
    assert_eq!(
        event.handle(&words(core::ptr::from_ref(event).expose_provenance())),
        depth,
        "and nothing is left of it"
    );
}
static INSIDE: AtomicUsize = AtomicUsize::new(0);
static LEAVE: AtomicUsize = AtomicUsize::new(0);
extern "C-unwind" fn stays(_: usize) -> usize {
    INSIDE.fetch_add(1, Ordering::SeqCst);
    while LEAVE.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    5
}
#[test]
fn a_list_stays_as_long_as_somebody_is_in_it() {
    let (event, one) = (event(), linked());
    install(event, &one, stays as *const ());
    std::thread::scope(|scope| {
        let inside = scope.spawn(|| event.handle(&words(0)));
        while INSIDE.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        let mut retired = Vec::new();
        remove(&one, &[terms_of(event, 0)], &mut retired).unwrap();
        assert!(retired[0].is_in_use() && !event.is_handled());
        assert!(one.look(0) && one.look(9), "it is looked after");
        assert_eq!(one.ended(), None);
        assert!(one.look(10));
        assert_eq!(one.ended(), Some(Why::Time));
        LEAVE.store(1, Ordering::SeqCst);
        assert_eq!(inside.join().unwrap(), Some(5));
        assert!(!retired[0].is_in_use() && !one.look(11));
    });
}
#[test]
fn a_list_stays_as_long_as_somebody_is_about_to_enter_it_the_quick_way() {
    let (event, other, one) = (event(), event(), linked());
    let mut retired = Vec::new();
    install(event, &one, doubles as *const ());
    // The thread is known from then on.
    event.handle(&words(1));
    let enters = &arch::landing::THREADS[machine::thread()].enters;
    enters.store(core::ptr::from_ref(event).cast_mut().cast(), Ordering::SeqCst);
    install(other, &one, doubles as *const ());
    remove(&one, &[terms_of(other, 0), terms_of(event, 0)], &mut retired).unwrap();
    assert!(!retired[0].is_in_use() && retired[1].is_in_use());
    enters.store(core::ptr::null_mut(), Ordering::SeqCst);
    assert!(!retired[1].is_in_use());
}
extern "C-unwind" fn allocates(_: usize) -> usize {
    let own = || own().unwrap();
    let first = own().allocate(8, 8);
    assert!(first != 0 && own().allocate(4090, 1) == 0, "it has so much and no more");
    assert_eq!(own().allocate(1, 3), 0, "no alignment");
    assert_eq!(own().allocate(usize::MAX, 1), 0);
    let second = own().allocate(100, 64);
    assert!(second.is_multiple_of(64) && second > first);
    own().release(second, 100);
    assert_eq!(own().allocate(100, 64), second, "what was last comes back");
    own().release(first, 8);
    assert!(own().allocate(8, 8) > second);
    first
}
#[test]
fn an_arena_is_the_activations_own() {
    let (event, one) = (event(), linked());
    install(event, &one, allocates as *const ());
    let first = event.handle(&words(0)).unwrap();
    assert_eq!(event.handle(&words(0)), Some(first), "all of it comes back");
}
#[test]
fn where_no_memory_is_left_all_is_as_it_was() {
    let (event, one) = (event(), linked());
    install(event, &one, doubles as *const ());
    let other = linked();
    let mut retired = Vec::new();
    let handlers = [terms_of(event, (adds as *const ()).expose_provenance())];
    let enough = (0..).find(|&left| {
        let added = fallible::failing::with_only(left, || crate::event::install(&other, &handlers, &mut retired));
        assert_eq!(event.count(), 1 + added.is_ok() as usize, "with {left} things");
        added.is_ok()
    });
    assert!(enough > Some(1));
    let enough = (0..).find(|&left| {
        let removed = fallible::failing::with_only(left, || remove(&other, &handlers, &mut retired));
        assert_eq!(event.count(), 2 - removed.is_ok() as usize, "with {left} things");
        removed.is_ok()
    });
    assert!(enough > Some(0));
}

/// What is linked in is one for all tests: who takes out looks at his own only.
fn is_linked(number: usize) -> bool {
    registry::linked().unwrap().iter().any(|info| info.number == number)
}
fn one() -> Linked {
    let limits = Limits { stack: 4096, arena: 4096, quantum: 10 };
    let mut draft = Draft::new(extension::Layout::of(4, 0), limits).unwrap();
    draft.place(0, &Page([0; PAGE])).unwrap();
    draft.finish("one".into()).unwrap()
}
fn handled_by(event: &'static Event, entry: *const ()) -> Vec<Handled> {
    vec![terms_of(event, entry.expose_provenance())]
}
#[test]
fn what_is_linked_in_is_taken_out_by_its_number() {
    let event = event();
    let number = link(one(), handled_by(event, doubles as *const ())).unwrap();
    assert_eq!((event.handle(&words(4)), is_linked(number)), (Some(8), true));
    assert_eq!(registry::linked_from(number).map(|info| (info.number, info.calls)), Ok((number, 1)));
    assert_eq!(unlink(number), Ok(()));
    assert_eq!((event.handle(&words(4)), is_linked(number)), (None, false));
    assert_eq!(unlink(number), Err(abi::Error::ENOENT));
}
extern "C-unwind" fn takes_itself_out(number: usize) -> usize {
    unlink(number).map_or_else(|error| error.code() as usize, |()| 0)
}
#[test]
fn nobody_takes_out_what_he_is_in() {
    let event = event();
    let number = link(one(), handled_by(event, takes_itself_out as *const ())).unwrap();
    assert_eq!(event.handle(&words(number)), Some(abi::Error::EBUSY.code() as usize));
    assert_eq!(unlink(number), Ok(()));
}
#[test]
fn what_has_ended_is_collected_and_remembered() {
    let event = event();
    let number = link(one(), handled_by(event, panics as *const ())).unwrap();
    assert_eq!(event.handle(&words(0)), None);
    collect();
    assert!(!is_linked(number) && !event.is_handled());
    assert!(core::iter::from_fn(registry::ended).any(|ended| (ended.number, ended.why) == (number, Why::Panic)));
}
static TEXT: AtomicUsize = AtomicUsize::new(0);
static INSIDE_TOO: AtomicUsize = AtomicUsize::new(0);
static LEAVE_TOO: AtomicUsize = AtomicUsize::new(0);
extern "C-unwind" fn panics_or_stays(word: usize) -> usize {
    if word == 0 {
        end(Why::Panic);
    }
    TEXT.store(own().unwrap().extension().text.0, Ordering::SeqCst);
    INSIDE_TOO.fetch_add(1, Ordering::SeqCst);
    while LEAVE_TOO.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    6
}
/// It was taken out for what another thread's activation did: this one's time is looked at all the same.
#[test]
fn who_is_in_what_was_taken_out_is_looked_after() {
    let event = event();
    let number = link(one(), handled_by(event, panics_or_stays as *const ())).unwrap();
    std::thread::scope(|scope| {
        let inside = scope.spawn(|| event.handle(&words(1)));
        while INSIDE_TOO.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        assert_eq!(event.handle(&words(0)), None);
        assert!(collect() && !is_linked(number), "somebody is in it");
        assert!(look(|| 0) && look(|| 10), "it is looked at");
        let text = TEXT.load(Ordering::SeqCst);
        assert!(GONE.lock().unwrap().contains(&text), "whyever it is called no more");
        LEAVE_TOO.store(1, Ordering::SeqCst);
        assert_eq!(inside.join().unwrap(), Some(6));
    });
}
#[test]
fn who_has_ended_is_entered_the_quick_way_no_more() {
    let (one, quick) = (linked(), |one: &Linked| one.state.home.quick.load(Ordering::SeqCst));
    assert!(!quick(&one), "nobody looks yet");
    one.watch(true);
    assert!(quick(&one));
    one.watch(false);
    assert!(!quick(&one));
    one.watch(true);
    one.state.end(Why::Panic);
    assert!(!quick(&one));
    one.watch(true);
    assert!(!quick(&one));
}
#[test]
fn who_is_linked_in_is_entered_the_quick_way_while_somebody_looks() {
    let number = link(one(), handled_by(event(), doubles as *const ())).unwrap();
    assert!(registry::is_quick(number), "somebody looks already");
    registry::watch(false);
    assert!(!registry::is_quick(number));
    registry::watch(true);
    assert!(registry::is_quick(number));
    assert_eq!(unlink(number), Ok(()));
}
#[test]
fn nobody_is_in_it_when_all_activations_are_home() {
    let one = linked();
    let taken: Vec<_> = core::iter::from_fn(|| one.take()).collect();
    assert_eq!(taken.len(), ACTIVATIONS);
    taken.iter().for_each(|activation| activation.begins());
    for (n, activation) in taken.iter().enumerate() {
        assert!(one.look(0) && !one.is_left(), "{n} are home");
        activation.goes_home();
    }
    assert!(one.is_left() && one.is_left() && !one.look(0));
    assert!(one.take().is_none(), "nobody comes in any more");
    assert_eq!(one.calls(), ACTIVATIONS as u64);
}
extern "C-unwind" fn faults(_: usize) -> usize {
    let state = own().unwrap().extension();
    let (start, bytes) = state.text;
    let below = state.stacks.first - 1;
    assert!(!is_faulted(below, start + bytes) && !is_faulted(below, start - 1), "somebody else's instruction");
    assert!(is_faulted(below + 1, start) && state.ended().is_none(), "its stack is its own");
    let last = state.stacks.first + (ACTIVATIONS - 1) * state.stacks.stride;
    assert!(is_faulted(last + state.stacks.stride - 1, start) && state.ended().is_none(), "behind the last one");
    assert!(is_faulted(last - 4096, start));
    (state.ended() == Some(Why::Stack)) as usize
}
#[test]
fn a_fault_is_an_extensions_where_its_instruction_is() {
    let (event, one) = (event(), linked());
    assert!(!is_faulted(0, 0), "nobody is in one");
    install(event, &one, faults as *const ());
    assert_eq!(event.handle(&words(0)), Some(1));
}
#[test]
fn an_image_is_whole_before_it_may_run() {
    let limits = Limits { stack: 4096, arena: 4096, quantum: 10 };
    let layout = extension::Layout::of(PAGE + 1, 8);
    let draft = |pages: &[usize]| {
        let mut draft = Draft::new(layout, limits).unwrap();
        pages.iter().for_each(|page| draft.place(page * PAGE, &Page([0; PAGE])).unwrap());
        draft
    };
    for pages in [&[0, 1][..], &[0, 2, 2], &[1, 2]] {
        assert_eq!(draft(pages).finish("one".into()).err(), Some(abi::Error::EINVAL), "{pages:?}");
    }
    let mut whole = draft(&[2, 0, 1]);
    for at in [3 * PAGE, PAGE / 2, usize::MAX - PAGE + 1] {
        assert_eq!(whole.place(at, &Page([0; PAGE])), Err(abi::Error::EINVAL), "{at:#x}");
    }
    assert_eq!(whole.entry(2 * PAGE), Err(abi::Error::EINVAL), "among the constants");
    assert_eq!(whole.entry(1), Err(abi::Error::EINVAL), "within an instruction");
    assert_eq!(whole.entry(PAGE), Ok(whole.base() + PAGE));
    assert!(whole.finish("one".into()).is_ok());
}
#[test]
fn an_image_or_a_limit_beyond_what_there_may_be_is_refused() {
    let limits = Limits { stack: 4096, arena: 4096, quantum: 10 };
    let layout = extension::Layout::of(extension::MOST_IMAGE, 1);
    assert_eq!(Draft::new(layout, limits).err(), Some(abi::Error::EINVAL));
    let limits = Limits { quantum: 0, ..limits };
    assert_eq!(Draft::new(extension::Layout::of(4, 0), limits).err(), Some(abi::Error::EINVAL));
}
