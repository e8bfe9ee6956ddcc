//! Whatever is confined is done, step by step, as `abi::step` says: it reaches nothing but its own words of the frame, its record and what
//! anybody may be told; and nothing that it leaves anywhere depends on anything else: it is done twice, in two supervisors whose memory
//! and registers have nothing in common.

mod meaning;

use abi::address::PAGE;
use abi::nucleus::{Thread, domain};
use abi::step::*;
use abi::template::{Letter, Part, Template, part};
use portal::{Refused, confinement, form};
use proptest::prelude::*;
use proptest::sample::select;
use std::mem::offset_of;

/// Where the record is: in two pages of the supervisor's, by two addresses that have their lowest 12 bits in common.
const OFFSET: u64 = 0x3e8;
const RECORDS: [u64; 2] = [0xFFFF_FFFF_8765_4000 + OFFSET, 0xFFFF_FFFF_8123_9000 + OFFSET];
const ROOM: usize = PAGE - OFFSET as usize;
const OWN_WORDS: u8 = 3;
const ASID: u64 = 300;
/// Number of the word in which the caller passes the argument.
const FROM: u64 = 4;

/// A supervisor, as such code could see it: of what it may be told, both have the same.
struct Supervisor {
    record_at: u64,
    record: Vec<u8>,
    own: [u64; OWN_WORDS as usize],
    values: [u64; 7],
    argument: u64,
    length: u64,
}
impl Supervisor {
    fn new(which: usize, argument: u64, garbage: [u64; 16]) -> Supervisor {
        Supervisor {
            record_at: RECORDS[which],
            record: (0..ROOM).map(|n| (n * 37 % 251) as u8).collect(),
            own: core::array::from_fn(|n| garbage[n]),
            values: core::array::from_fn(|n| garbage[8 + n]),
            argument,
            length: argument ^ 0x55,
        }
    }
    fn callee(&self) -> u64 {
        self.record_at ^ 0x10_0000
    }
    fn of(&self, place: Place) -> u64 {
        match place {
            Place::ZERO => 0,
            Place::ARGUMENT => self.argument,
            Place::LENGTH => self.length,
            Place(n) => self.values[n as usize],
        }
    }
    /// The rest of the record's address, as a back end has it.
    fn rest(&self) -> u64 {
        ((self.record_at as i64) << 52 >> 52) as u64
    }
    fn filled(&self, step: &Step) -> u64 {
        let number = step.number as i64 as u64;
        number.wrapping_add(match step.fill() {
            Fill::RECORD_REST => self.rest(),
            Fill::PLACE => 16 * FROM,
            Fill::ASID => ASID,
            Fill::MODE => 16,
            fill => fill.parameter().map_or(0, |n| n as u64 + 1),
        })
    }
    /// What an access of `bytes` reaches. `Err`: what nobody may.
    fn reach(&self, step: &Step, bytes: usize) -> Result<Reached, String> {
        let number = self.filled(step);
        let wrong = |what: &str| Err(format!("{what} {number:x}: {step:?}"));
        match step.base {
            Base::OWN if number.is_multiple_of(8) && bytes == 8 && number / 8 < OWN_WORDS as u64 => {
                Ok(Reached::Own(number as usize / 8))
            }
            Base::THREAD if step.first == Place::ZERO && number == offset_of!(Thread, index) as u64 => {
                Ok(Reached::Public(77))
            }
            Base::CALLER | Base::CALLEE => {
                let direct = step.base == Base::CALLER && step.first == Place::ZERO;
                let called = step.base == Base::CALLEE && self.of(step.first) == self.callee();
                match number as i64 as i32 {
                    domain::IDENTITY if direct || called => Ok(Reached::Public(5)),
                    domain::ASID if direct || called => Ok(Reached::Public(ASID)),
                    _ => wrong("a domain"),
                }
            }
            Base::RECORD => {
                let at = self.of(step.first).wrapping_add(number).wrapping_sub(self.record_at) as usize;
                let aligned = (at + OFFSET as usize).is_multiple_of(bytes);
                if at < ROOM && at + bytes <= ROOM && aligned { Ok(Reached::Record(at)) } else { wrong("the record") }
            }
            _ => wrong("elsewhere"),
        }
    }
    /// Does the steps of a part; which branches were taken, as what can be seen from outside.
    fn run(&mut self, steps: &[Step]) -> Result<Vec<usize>, String> {
        let (mut at, mut seen) = (0, Vec::new());
        while let Some(step) = steps.get(at) {
            at += 1;
            let (first, second, number) = (self.of(step.first), self.of(step.second), self.filled(step));
            let made = match step.operation {
                Operation::CALLEE => self.callee(),
                Operation::RECORD => self.record_at.wrapping_sub(self.rest()),
                Operation::LOAD | Operation::LOAD_I32 | Operation::LOAD_U16 => {
                    let bytes = step.loads().unwrap_or(8);
                    let mut word = [0; 8];
                    match self.reach(step, bytes)? {
                        Reached::Own(n) => word = self.own[n].to_le_bytes(),
                        Reached::Public(value) => word = value.to_le_bytes(),
                        Reached::Record(from) => word[..bytes].copy_from_slice(&self.record[from..from + bytes]),
                    }
                    let word = u64::from_le_bytes(word);
                    if step.operation == Operation::LOAD_I32 { word as i32 as i64 as u64 } else { word }
                }
                Operation::STORE | Operation::STORE_I32 => {
                    let bytes = step.stores().unwrap_or(8);
                    match self.reach(step, bytes)? {
                        Reached::Own(n) => self.own[n] = second,
                        Reached::Record(to) => {
                            self.record[to..to + bytes].copy_from_slice(&second.to_le_bytes()[..bytes]);
                        }
                        Reached::Public(_) => return Err(format!("{step:?} writes what is others'")),
                    }
                    continue;
                }
                other => {
                    if let Some(value) = meaning::computed(other, (first, second), number) {
                        value
                    } else {
                        let taken = meaning::taken(other, (first, second)).ok_or_else(|| format!("{other:?}"))?;
                        match step.way() {
                            Some(Way::On(on)) if taken => at += on as usize - 1,
                            _ if taken => {
                                seen.push(at);
                                return Ok(seen);
                            }
                            _ => {}
                        }
                        continue;
                    }
                }
            };
            match step.to {
                Place::ZERO => {}
                Place::ARGUMENT => self.argument = made,
                Place(n) => self.values[n as usize] = made,
            }
        }
        Ok(seen)
    }
}
enum Reached {
    Own(usize),
    Record(usize),
    Public(u64),
}

/// A step that is often nearly one that may be there.
fn step() -> impl Strategy<Value = Step> {
    use places::*;
    let place = || prop_oneof![6 => select(&[V1, V3, V4, V6][..]), 2 => Just(ARGUMENT), 1 => Just(LENGTH), 1 => Just(ZERO), 1 => (0..=10u8).prop_map(Place)];
    let value = || select(&[V1, V3, V4, V6][..]);
    let two = |operation: Operation| Operation::ADD.0 <= operation.0 && operation.0 <= Operation::XOR.0;
    let fill = select(
        &[Fill::NONE, Fill::NONE, Fill::NONE, Fill::PLACE, Fill::ASID, Fill::PARAMETER_1, Fill::RECORD_REST][..],
    );
    let computed =
        (1..=15u8, place(), place(), place(), -8..64i16, fill).prop_map(move |(n, to, first, second, number, fill)| {
            let operation = Operation(n);
            let number = if two(operation) { 0 } else { number };
            let second = if two(operation) { second } else { ZERO };
            let first = if operation == Operation::PAGES { ZERO } else { first };
            let step = Step { to, first, second, number, ..Step::of(operation) };
            if number == 0 { step.with(fill) } else { step }
        });
    let addresses = (value(), value(), 0..3u8, any::<bool>()).prop_map(|(to, from, which, bounded)| match which {
        0 => callee_record(to),
        1 => record_part(to),
        _ if bounded => and_number(to, from, 0x7f8),
        _ => add_number(to, from, 0).with(Fill::RECORD_REST),
    });
    let access = (select(&[18u8, 19, 20, 21, 22, 18, 21][..]), place(), value(), -1..40i32, 0..10u8).prop_map(
        |(n, what, holder, at, which)| {
            let address = match which {
                0..=2 => own(at.rem_euclid(4)),
                3..=5 => record(holder, 8 * at),
                6 => record(holder, 8 * at).rest(),
                7 => callee(holder, if at % 2 == 0 { domain::IDENTITY } else { domain::ASID }),
                8 => caller(if at % 2 == 0 { domain::IDENTITY } else { domain::ASID }),
                _ => thread(if at % 2 == 0 { offset_of!(Thread, index) as i32 } else { 8 * at }),
            };
            let step = if n >= Operation::STORE.0 { store(what, address) } else { load(what, address) };
            Step { operation: Operation(n), ..step }
        },
    );
    let branch = (23..=27u8, place(), place(), 1..6usize, 0..3u8).prop_map(|(n, first, second, on, way)| {
        let branch = Step { first, second, ..Step::of(Operation(n)) };
        match way {
            0 => branch.fail(abi::Error::EBADF),
            1 => branch.slow(),
            _ => branch.on(on),
        }
    });
    prop_oneof![5 => computed, 4 => addresses, 5 => access, 2 => branch]
}
const ORDER: [usize; 4] = [part::CHECK, part::ASK, part::PASS, part::BACK];
/// A template of what passes of these parts, and the parts.
fn passing(mut parts: [Vec<Step>; 4]) -> (Template, [Vec<Step>; 4]) {
    loop {
        let mut w = portal::Writer::new();
        let mut letter = Letter { letter: b'q', words: OWN_WORDS, parameters: [1, 2, 3], ..Letter::NONE };
        for (which, steps) in ORDER.into_iter().zip(&parts) {
            let at = w.position();
            steps.iter().for_each(|&step| w.put(step));
            letter.parts[which] = if steps.is_empty() { Part::NONE } else { w.part(at) };
        }
        w.letter(letter);
        let template = Template { record: 0x7000 + OFFSET, ..w.finish(0) };
        match form::check(&template).and_then(|()| confinement::check(&template)) {
            Ok(()) => return (template, parts),
            Err(Refused::Letter { .. } | Refused::Part { .. }) => panic!("the letter is right"),
            Err(refused) => {
                let mut at = refused.position();
                let part = parts.iter_mut().find(|steps| {
                    at < steps.len() || {
                        at -= steps.len();
                        false
                    }
                });
                part.expect("a step of a part").remove(at);
            }
        }
    }
}
/// Steps that make something of what was not known before: a number, the record's address, one of its fields by an index.
fn some_steps() -> impl Strategy<Value = Vec<Step>> {
    use places::*;
    let value = || select(&[V1, V3, V4, V6][..]);
    let whole = |to| [record_part(to), add_number(to, to, 0).with(Fill::RECORD_REST)];
    let from_record = (value(), value(), 0..120i32, any::<bool>()).prop_map(move |(to, other, at, stores)| {
        let address = record(to, 8 * at);
        [&whole(to)[..], &[if stores { store(ZERO, address) } else { load(other, address) }]].concat()
    });
    let indexed =
        (value(), value(), 1..2047i32, 0..4i32, any::<bool>()).prop_map(move |(to, index, mask, shift, stores)| {
            let address = record(to, 0);
            let access = if stores { store(index, address) } else { load(index, address) };
            let indexed =
                [and_number(index, ARGUMENT, mask), shift_left(index, index, shift), add(to, to, index), access];
            [&whole(to)[..], &indexed].concat()
        });
    let number = (value(), -8..2000i32).prop_map(|(to, n)| vec![number(to, n)]);
    prop_oneof![2 => from_record, 2 => indexed, 2 => number, 5 => step().prop_map(|step| vec![step])]
}
fn parts() -> impl Strategy<Value = [Vec<Step>; 4]> {
    let steps = || proptest::collection::vec(some_steps(), 0..12).prop_map(|all| all.concat());
    [steps(), steps(), steps(), steps()]
}

proptest! {
    #![proptest_config(properties::config(2000))]

    #[test]
    fn what_is_confined_reaches_what_it_may_and_learns_nothing_else(
        parts in parts(),
        argument in prop_oneof![any::<u64>(), 0..4096u64],
        garbage: [[u64; 16]; 2],
    ) {
        let (_, parts) = passing(parts);
        let mut both = [0, 1].map(|which| Supervisor::new(which, argument, garbage[which]));
        // What it has written itself may be an address, where that is a number each knows its own by.
        let known = |s: &Supervisor| (s.record.clone(), s.argument);
        'call: for (steps, which) in parts.iter().zip(ORDER) {
            for (s, garbage) in both.iter_mut().zip(&garbage) {
                s.values = core::array::from_fn(|n| garbage[8 + n].rotate_left(which as u32));
            }
            let mut ends = [false; 2];
            let mut ways = Vec::new();
            for (s, ends) in both.iter_mut().zip(&mut ends) {
                let done = s.run(steps);
                prop_assert!(done.is_ok(), "{:?} in {:?}", done, parts);
                *ends = done.as_ref().is_ok_and(|seen| !seen.is_empty());
                ways.push(done);
            }
            prop_assert_eq!(&ways[0], &ways[1], "{:?}", parts);
            prop_assert_eq!(known(&both[0]), known(&both[1]), "{:?}", parts);
            if ends[0] {
                break 'call;
            }
        }
    }
}

#[test]
fn many_of_the_random_ones_are_about_something() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut records, mut written, mut long) = (0, 0, 0);
    for _ in 0..400 {
        let (_, parts) = passing(parts().new_tree(&mut runner).unwrap().current());
        let all = || parts.iter().flatten();
        records += all().any(|step| step.base == Base::RECORD) as usize;
        written += all().any(|step| step.base == Base::RECORD && step.stores().is_some()) as usize;
        long += (all().count() > 15) as usize;
    }
    assert!(records > 300 && written > 150 && long > 200, "{records} {written} {long}");
}
