//! Which handlers are called: against what guards say, word by word.

use super::*;
use crate::event::{Handled, install};
use crate::guard::tests;
use abi::Error;
use extension::{Compare, Condition, Limits, Order, Part};
use proptest::prelude::*;
use std::sync::Arc;

/// A word with a sign, a structure of eight bytes, a slice, a word.
const ARGUMENTS: &[Argument] = &[
    Argument::Value(4, true),
    Argument::Lent(&[numbers(0, 2, 2), numbers(4, 4, 1)]),
    Argument::Bytes,
    Argument::Value(8, false),
    Argument::Handle,
];
const fn numbers(at: u32, width: u8, count: u32) -> Numbers {
    Numbers { at, width, signed: false, count }
}
extern "C-unwind" fn default(_: usize) -> usize {
    0
}
/// Of these only the addresses count.
extern "C-unwind" fn handled(_: usize) -> usize {
    1
}
extern "C-unwind" fn quick(_: usize) -> usize {
    2
}
extern "C-unwind" fn chosen(_: usize) -> usize {
    3
}
fn event() -> &'static Event {
    let at = [default as *const (), handled as *const (), quick as *const (), chosen as *const ()];
    Box::leak(Box::new(Event::new(at[0], at[1], at[2], at[3], ARGUMENTS)))
}
extern "C-unwind" fn answers(_: usize, _: usize, _: usize, _: usize, last: usize) -> usize {
    last
}
fn linked(name: &str) -> Arc<Linked> {
    let limits = Limits { stack: 4096, arena: 0, quantum: 10 };
    let mut draft = Draft::new(extension::Layout::of(4, 0), limits).unwrap();
    draft.place(0, &Page([0; abi::address::PAGE])).unwrap();
    Arc::new(draft.finish(name.into()).unwrap())
}
fn named(name: &str) -> Name {
    abi::section::fitted(name).unwrap()
}
fn put(event: &'static Event, linked: &Arc<Linked>, conditions: &[Condition], order: Order<Name>) -> Result<(), Error> {
    let entry = (answers as *const ()).expose_provenance();
    let handled = Handled { event, entry, conditions: conditions.into(), order };
    let mut retired = Vec::new();
    install(linked, &[handled], &mut retired)
}
/// What it is raised with.
#[derive(Debug)]
struct With {
    word: i32,
    lent: Lent,
    bytes: Vec<u8>,
    last: u64,
}
#[repr(align(4))]
#[derive(Debug)]
struct Lent([u16; 4]);
impl With {
    fn words(&self) -> [usize; WORDS] {
        let (lent, bytes) = (&raw const self.lent.0, self.bytes.as_ptr());
        let [lent, bytes] = [lent.expose_provenance(), bytes.expose_provenance()];
        [self.word as usize, lent, bytes, self.bytes.len(), self.last as usize, 0, 0, 0]
    }
    fn raise(&self, event: &Event) -> Option<usize> {
        event.handle(&self.words())
    }
    /// The places of those that are called, in the order of their calls.
    fn called(&self, event: &Event, all: &[Arc<Linked>]) -> Vec<usize> {
        let calls = || all.iter().map(|linked| linked.calls()).collect::<Vec<_>>();
        let words = self.words();
        // SAFETY: there is one at a time, with words that were made for it.
        let mut said = unsafe { event.said(&words) };
        let mut before = calls();
        core::iter::from_fn(|| {
            said.next()?;
            let after = calls();
            let more: Vec<usize> = (0..all.len()).filter(|&n| after[n] > before[n]).collect();
            before = after;
            Some(more[..].try_into().map_or(usize::MAX, |[one]: [usize; 1]| one))
        })
        .collect()
    }
    /// Whether a condition holds, by another way than the dispatcher's.
    fn holds(&self, condition: &Condition) -> bool {
        let (at, width) = (condition.offset as usize, condition.width as usize);
        let raw = match (condition.argument, condition.part) {
            (0, _) => self.word as u64,
            (1, _) => {
                let bytes: Vec<u8> = self.lent.0.iter().flat_map(|half| half.to_le_bytes()).collect();
                bytes[at..at + width].iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
            }
            (2, Part::Length) => self.bytes.len() as u64,
            (2, _) => match self.bytes.get(at..at + width) {
                Some(bytes) => bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)),
                None => return false,
            },
            _ => self.last,
        };
        condition.holds(raw)
    }
}
fn places() -> impl Strategy<Value = Condition> {
    let place = prop::sample::select(vec![
        (0, Part::Value, 0, 4),
        (1, Part::Field, 0, 2),
        (1, Part::Field, 2, 2),
        (1, Part::Field, 4, 4),
        (2, Part::Bytes, 0, 1),
        (2, Part::Bytes, 1, 2),
        (2, Part::Bytes, 3, 4),
        (2, Part::Bytes, 0, 8),
        (2, Part::Length, 0, 8),
        (3, Part::Value, 0, 8),
    ]);
    // Mostly equal to something, and mostly to few.
    let compare = prop_oneof![3 => Just(Compare::Equal), 1 => prop::sample::select(Compare::ALL.to_vec())];
    (place, compare, prop_oneof![4 => 0..3u64, 1 => any::<u64>()], any::<bool>()).prop_map(
        |((argument, part, offset, width), compare, constant, masked)| {
            let mut condition =
                Condition::new(argument, part, offset, width, compare, constant & Condition::bits(width));
            condition.signed = argument == 0;
            if condition.signed {
                condition.constant = condition.seen(constant);
            } else if masked {
                condition.mask &= 0x0303_0303_0303_0303;
                condition.constant &= condition.mask;
            }
            condition
        },
    )
}
fn raised() -> impl Strategy<Value = With> {
    let few = prop_oneof![4 => 0..3u64, 1 => any::<u64>()];
    let bytes = prop::collection::vec(prop_oneof![4 => 0..3u8, 1 => any::<u8>()], 0..10);
    (few.clone(), prop::array::uniform4(few.clone()), bytes, few).prop_map(|(word, lent, bytes, last)| With {
        word: word as i32,
        lent: Lent(lent.map(|half| half as u16)),
        bytes,
        last,
    })
}
proptest! {
    #![proptest_config(properties::config(256))]
    /// Those are called whose conditions all hold, in the order of the list, and each once.
    #[test]
    fn those_are_called_whose_guards_hold(
        guards in prop::collection::vec(prop::collection::vec(places(), 0..4), 1..40),
        with in prop::collection::vec(raised(), 1..8),
    ) {
        let event = event();
        let all: Vec<_> = guards.iter().map(|_| linked("one")).collect();
        for (linked, guard) in all.iter().zip(&guards) {
            put(event, linked, guard, Order::Usual).unwrap();
        }
        for with in with {
            let holds = |n: &usize| guards[*n].iter().all(|one| with.holds(one));
            let expected: Vec<usize> = (0..all.len()).filter(holds).collect();
            let before: Vec<u64> = all.iter().map(|linked| linked.calls()).collect();
            with.raise(event);
            let raised: Vec<usize> = (0..all.len()).filter(|&n| all[n].calls() == before[n] + 1).collect();
            prop_assert_eq!(&raised, &expected);
            prop_assert_eq!(with.called(event, &all), expected);
        }
    }
}
#[test]
fn who_is_asked_one_by_one_is_chosen_the_same() {
    let (event, all) = (event(), [linked("one"), linked("other"), linked("third")]);
    for (n, linked) in all.iter().enumerate() {
        put(event, linked, &[Condition::new(3, Part::Value, 0, 8, Compare::Equal, n as u64 / 2)], Order::Usual)
            .unwrap();
    }
    let calls = || all.each_ref().map(|linked| linked.calls());
    let words = [0; WORDS];
    // SAFETY: there is one at a time; what the guards look at is a word.
    let said = unsafe { event.said(&words) };
    assert_eq!((said.count(), calls()), (2, [1, 1, 0]));
    // SAFETY: as above.
    let mut said = unsafe { event.said(&words) };
    assert_eq!((said.next(), calls()), (Some(0), [2, 1, 0]), "who is not asked for is not called");
}
#[test]
fn one_of_a_thousand_is_found() {
    let (event, all) = (event(), (0..MOST).map(|_| linked("one")).collect::<Vec<_>>());
    for (n, linked) in all.iter().enumerate() {
        put(event, linked, &[Condition::new(3, Part::Value, 0, 8, Compare::Equal, n as u64 * 8)], Order::Usual)
            .unwrap();
    }
    let with = |last| With { word: 0, lent: Lent([0; 4]), bytes: Vec::new(), last };
    for n in (0..MOST).step_by(37) {
        assert_eq!(with(n as u64 * 8).raise(event), Some(n * 8));
        assert_eq!((with(n as u64 * 8 + 1).raise(event), all[n].calls()), (None, 1));
    }
    assert_eq!(put(event, &linked("more"), &[], Order::Usual), Err(Error::ENFILE));
}
#[test]
fn a_condition_of_what_an_event_has_not_is_refused() {
    let of = |argument, part, offset, width| {
        let condition =
            Condition { signed: argument == 0, ..Condition::new(argument, part, offset, width, Compare::Equal, 0) };
        tests(&[condition], ARGUMENTS).map(|_| ())
    };
    for (argument, part, offset, width) in [
        (5, Part::Value, 0, 8),
        (255, Part::Length, 0, 8),
        (4, Part::Value, 0, 8),
        (0, Part::Value, 0, 8),
        (0, Part::Field, 0, 4),
        (1, Part::Value, 0, 8),
        (1, Part::Bytes, 0, 1),
        (1, Part::Field, 8, 1),
        (1, Part::Field, 8, 4),
        (1, Part::Field, 0, 1),
        (1, Part::Field, 0, 4),
        (1, Part::Field, 1, 2),
        (1, Part::Field, 4, 2),
        (1, Part::Field, 0, 8),
        (1, Part::Field, u32::MAX, 1),
        (1, Part::Length, 0, 8),
        (2, Part::Field, 0, 1),
        (2, Part::Value, 0, 8),
        (2, Part::Bytes, u32::MAX, 1),
        (2, Part::Bytes, 0, 3),
    ] {
        assert_eq!(of(argument, part, offset, width), Err(Error::EINVAL), "{argument} {part:?} {offset} {width}");
    }
    assert_eq!((of(1, Part::Field, 2, 2), of(2, Part::Bytes, u32::MAX - 1, 1)), (Ok(()), Ok(())));
    // A sign that it has not, and has; a mask that no file has.
    let word = Condition::new(0, Part::Value, 0, 4, Compare::Below, 1);
    let signed = |signed| tests(&[Condition { signed, ..word }], ARGUMENTS).map(|_| ());
    assert_eq!((signed(false), signed(true)), (Err(Error::EINVAL), Ok(())));
    let masked = Condition { mask: 0x1_0000, ..Condition::new(1, Part::Field, 0, 2, Compare::Equal, 0) };
    assert_eq!(tests(&[masked], ARGUMENTS).map(|_| ()), Err(Error::EINVAL));
    let (event, one) = (event(), linked("one"));
    assert_eq!(put(event, &one, &[masked], Order::Usual), Err(Error::EINVAL));
    assert!(!event.is_handled(), "nothing of it is there");
    let many = vec![Condition::new(1, Part::Field, 0, 2, Compare::Equal, 0); 2 * extension::MOST_CONDITIONS + 1];
    assert_eq!(put(event, &one, &many, Order::Usual), Err(Error::EINVAL));
    assert_eq!(put(event, &one, &many[1..], Order::Usual), Ok(()));
}
#[test]
fn the_machines_own_code_finds_who_of_several_is_called_where_that_is_one() {
    let key = |constant| Condition::new(3, Part::Value, 0, 8, Compare::Equal, constant);
    let cell = |guards: &[&[Condition]]| {
        let event = event();
        guards.iter().for_each(|guard| put(event, &linked("one"), guard, Order::Usual).unwrap());
        event.is_chosen()
    };
    assert!(cell(&[&[key(1)]]) && cell(&[&[key(1)], &[key(2)]]) && cell(&[&[key(1)], &[key(1)], &[key(2)]]));
    assert!(!cell(&[&[]]) && !cell(&[&[key(1)], &[]]), "one is called always");
    assert!(!cell(&[&[Condition { compare: Compare::Differs, ..key(1) }]]), "there is no key");
}
#[test]
fn who_makes_one_result_of_several_is_asked_where_somebody_is_called() {
    let event = event();
    put(event, &linked("one"), &[Condition::new(3, Part::Value, 0, 8, Compare::Above, 1)], Order::Usual).unwrap();
    let count = |last: u64| {
        let words = With { word: 0, lent: Lent([0; 4]), bytes: Vec::new(), last }.words();
        // SAFETY: there is one at a time.
        unsafe { event.said(&words) }.how_many()
    };
    assert_eq!([1, 2].map(count), [0, 1]);
    put(event, &linked("one"), &[Condition::new(3, Part::Value, 0, 8, Compare::Equal, 0)], Order::Usual).unwrap();
    assert_eq!([0, 1, 2].map(count), [1, 0, 1]);
    put(event, &linked("one"), &[], Order::Usual).unwrap();
    assert_eq!([0, 1, 2].map(count), [2, 1, 2]);
}
/// The order in which those are called that were put there in this one, each with its name and place.
fn order(all: &[(&str, Order<&str>)]) -> String {
    let event = event();
    let linked: Vec<_> = all.iter().map(|(name, _)| linked(name)).collect();
    for (linked, (_, order)) in linked.iter().zip(all) {
        put(event, linked, &[], order.map(named)).unwrap();
    }
    event.names().concat()
}
#[test]
fn handlers_are_called_in_the_order_that_they_say() {
    use Order::{After, Before, First, Last, Usual};
    assert_eq!(order(&[("a", Usual), ("b", Usual), ("c", First), ("d", First)]), "dcab");
    assert_eq!(order(&[("a", Last), ("b", Usual), ("c", Last), ("d", Usual)]), "bdac");
    assert_eq!(order(&[("a", Usual), ("b", Usual), ("c", Before("b")), ("d", After("a"))]), "adcb");
    assert_eq!(order(&[("a", Usual), ("b", Before("x")), ("c", After("x"))]), "abc", "there is none");
    assert_eq!(order(&[("a", Before("x")), ("b", Usual), ("x", Usual), ("c", Usual)]), "abxc", "it comes later");
    assert_eq!(order(&[("a", After("x")), ("y", Usual), ("x", Before("y"))]), "xay", "both have what they say");
    assert_eq!(order(&[("y", Usual), ("a", Before("x")), ("x", After("y"))]), "yax", "both have what they say");
    assert_eq!(order(&[("a", Before("b")), ("b", Usual), ("c", After("b")), ("b", Usual)]), "abbc", "all of them");
    assert_eq!(order(&[("a", After("x")), ("b", Before("x")), ("x", First)]), "xab", "who comes has what it says");
    assert_eq!(order(&[("a", After("x")), ("b", Usual), ("x", Last)]), "abx", "who comes has what it says");
    assert_eq!(order(&[("b", Usual), ("a", Before("x")), ("x", First)]), "xba", "who comes has what it says");
    let both = [("a", After("x")), ("b", Before("x")), ("l", Last), ("x", Usual)];
    assert_eq!(order(&both), "abxl", "nobody is moved for it");
    assert_eq!(order(&[("a", Usual), ("b", After("x")), ("x", Usual)]), "axb", "it comes later");
    assert_eq!(order(&[("l", Last), ("a", Before("l")), ("b", After("l")), ("c", Usual)]), "aclb");
    assert_eq!(order(&[("a", Before("a")), ("b", After("b"))]), "ab", "itself");
}
#[test]
fn where_no_memory_is_left_for_a_guard_all_is_as_it_was() {
    let event = event();
    let key = |constant| Condition::new(3, Part::Value, 0, 8, Compare::Equal, constant);
    put(event, &linked("one"), &[key(1)], Order::Usual).unwrap();
    let other = linked("other");
    let guard = [key(2), Condition::new(0, Part::Value, 0, 4, Compare::Equal, 7)];
    let guard = guard.map(|condition| Condition { signed: condition.argument == 0, ..condition });
    let with = |last| With { word: 7, lent: Lent([0; 4]), bytes: Vec::new(), last };
    let entry = (answers as *const ()).expose_provenance();
    let handled = [Handled { event, entry, conditions: guard.into(), order: Order::Usual }];
    let enough = (0..).find(|&left| {
        let mut retired = Vec::new();
        let added = fallible::failing::with_only(left, || install(&other, &handled, &mut retired));
        assert_eq!(
            (with(1).raise(event), with(2).raise(event).is_some()),
            (Some(1), added.is_ok()),
            "with {left} things"
        );
        assert!(matches!(added, Ok(()) | Err(Error::ENOMEM)));
        added.is_ok()
    });
    assert!(enough > Some(8));
}
