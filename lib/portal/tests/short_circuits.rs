//! Whatever passes the check of short circuits is run on random records and arguments: it touches nothing but the record and
//! the registers that it may, comes to an end, where it enters the portal it has left arguments and record alone, and it does what its
//! steps say.

mod meaning;

use abi::step::*;
use portal::Refused;
use portal::short_circuit::check;
use proptest::prelude::*;
use proptest::sample::select;

/// Bytes of a record.
const STRIDE: usize = 32;
/// Where the record is, in the interpreter.
const RECORD: u64 = 0xFFFF_FFFF_8070_0010;

/// How a short circuit ended.
#[derive(Debug, PartialEq)]
enum End {
    Complete,
    Enter,
}
/// A hart that knows RV64I, and stops at whatever a short circuit may not do.
struct Hart {
    registers: [u64; 32],
    record: [u8; STRIDE],
}
impl Hart {
    /// Where in the record the access is.
    fn place(&self, address: u64, bytes: usize) -> Result<usize, String> {
        let offset = address.wrapping_sub(RECORD) as usize;
        if address < RECORD || offset + bytes > STRIDE || !address.is_multiple_of(bytes as u64) {
            return Err(format!("{bytes} bytes at {address:x}"));
        }
        Ok(offset)
    }
    fn run(&mut self, words: &[u32]) -> Result<End, String> {
        // Behind what completes the call.
        let past = words.len() + 10;
        let mut at = 0;
        for _ in 0..=words.len() {
            if at == words.len() {
                return Ok(End::Complete);
            } else if at == past {
                return Ok(End::Enter);
            }
            let word = *words.get(at).ok_or(format!("a branch to word {at}"))?;
            at = self.step(at, word)?;
        }
        Err("it does not end".into())
    }
    /// Executes `word`, which is word `at`; which comes next. By the unprivileged specification, chapters 2 and 7.
    #[expect(clippy::too_many_lines, reason = "an arm for each instruction")]
    fn step(&mut self, at: usize, word: u32) -> Result<usize, String> {
        let illegal = || Err(format!("illegal instruction {word:08x}"));
        let field = |low: u32| (word >> low & 31) as usize;
        let (rd, function, upper) = (field(7), word >> 12 & 7, word >> 25);
        let (a, b) = (self.registers[field(15)], self.registers[field(20)]);
        let immediate = (word as i32 >> 20) as i64 as u64;
        let word_of = |value: u64| value as i32 as i64 as u64;
        let value = match (word & 0x7f, function) {
            (0x03, 0..=6) => {
                let bytes = 1 << (function & 3);
                let offset = self.place(a.wrapping_add(immediate), bytes)?;
                let mut loaded = [0; 8];
                loaded[..bytes].copy_from_slice(&self.record[offset..offset + bytes]);
                let (value, unused) = (u64::from_le_bytes(loaded), 64 - 8 * bytes as u32);
                if function < 4 { ((value << unused) as i64 >> unused) as u64 } else { value }
            }
            (0x23, 0..=3) => {
                let bytes = 1 << function;
                let offset = immediate & !31 | rd as u64;
                let place = self.place(a.wrapping_add(offset), bytes)?;
                self.record[place..place + bytes].copy_from_slice(&b.to_le_bytes()[..bytes]);
                return Ok(at + 1);
            }
            (0x13, 1) if word >> 26 == 0 => a << (immediate & 63),
            (0x13, 5) if word >> 26 == 0 => a >> (immediate & 63),
            (0x13, 5) if word >> 26 == 0x10 => (a as i64 >> (immediate & 63)) as u64,
            (0x13, 0) => a.wrapping_add(immediate),
            (0x13, 2) => ((a as i64) < immediate as i64) as u64,
            (0x13, 3) => (a < immediate) as u64,
            (0x13, 4) => a ^ immediate,
            (0x13, 6) => a | immediate,
            (0x13, 7) => a & immediate,
            (0x1b, 0) => word_of(a.wrapping_add(immediate)),
            (0x1b, 1) if upper == 0 => word_of(a << (immediate & 31)),
            (0x1b, 5) if upper == 0 => word_of((a as u32 >> (immediate & 31)) as u64),
            (0x33, _) if upper == 0 => match function {
                0 => a.wrapping_add(b),
                1 => a << (b & 63),
                2 => ((a as i64) < b as i64) as u64,
                3 => (a < b) as u64,
                4 => a ^ b,
                5 => a >> (b & 63),
                6 => a | b,
                _ => a & b,
            },
            (0x33, 0) if upper == 0x20 => a.wrapping_sub(b),
            (0x33, 5) if upper == 0x20 => (a as i64 >> (b & 63)) as u64,
            (0x3b, 0) if upper == 0 => word_of(a.wrapping_add(b)),
            (0x3b, 0) if upper == 0x20 => word_of(a.wrapping_sub(b)),
            (0x37, _) => (word & 0xffff_f000) as i32 as i64 as u64,
            (0x63, 0 | 1 | 4..=7) => {
                let taken = match function {
                    0 => a == b,
                    1 => a != b,
                    4 => (a as i64) < b as i64,
                    5 => a as i64 >= b as i64,
                    6 => a < b,
                    _ => a >= b,
                };
                let bit = |from: u32, to: u32| ((word >> from & 1) << to) as i32;
                let low = (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1;
                let offset = (bit(31, 12) << 19 >> 19) | bit(7, 11) | low as i32;
                if taken && (offset <= 0 || offset % 4 != 0) {
                    return Err(format!("a branch by {offset}"));
                }
                return Ok(if taken { at + offset as usize / 4 } else { at + 1 });
            }
            _ => return illegal(),
        };
        if rd != 0 {
            self.registers[rd] = value;
        }
        Ok(at + 1)
    }
}

/// What steps say, done by what `abi::step` says of each operation: the places and the record then, and how it ended.
fn said(steps: &[Step], places: &mut [u64; 32], record: &mut [u8; STRIDE]) -> End {
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        at += 1;
        let (first, second) = (places[step.first.0 as usize], places[step.second.0 as usize]);
        let (number, offset) = (step.number as i64 as u64, step.number as usize);
        let made = match step.operation {
            Operation::LOAD => u64::from_le_bytes(record[offset..offset + 8].try_into().unwrap()),
            Operation::LOAD_I32 => i32::from_le_bytes(record[offset..offset + 4].try_into().unwrap()) as i64 as u64,
            Operation::LOAD_U16 => u16::from_le_bytes(record[offset..offset + 2].try_into().unwrap()) as u64,
            Operation::STORE | Operation::STORE_I32 => {
                let bytes = step.stores().unwrap();
                record[offset..offset + bytes].copy_from_slice(&second.to_le_bytes()[..bytes]);
                continue;
            }
            other => {
                if let Some(value) = meaning::computed(other, (first, second), number) {
                    value
                } else {
                    let taken = meaning::taken(other, (first, second)).unwrap_or_else(|| panic!("{other:?}"));
                    match step.way() {
                        Some(Way::On(on)) if taken => at += on as usize - 1,
                        Some(Way::Enter) if taken => return End::Enter,
                        _ => {}
                    }
                    continue;
                }
            }
        };
        places[step.to.0 as usize] = made;
    }
    End::Complete
}
/// The register of a place that a short circuit may use.
fn register(place: Place) -> usize {
    match place {
        Place::V3 => 29,
        Place::V4 => 30,
        Place(n) => 10 + (n - Place::W0.0) as usize,
    }
}
const USED: [Place; 8] = [Place::V3, Place::V4, Place::W0, Place::W1, Place::W2, Place::W3, Place::W4, Place::W5];

/// A step that is often nearly one that may be there.
fn step() -> impl Strategy<Value = Step> {
    let place = || prop_oneof![14 => select(&USED[..]), 2 => Just(Place::ZERO), 1 => (0..=24u8).prop_map(Place)];
    let two = |operation: Operation| Operation::ADD.0 <= operation.0 && operation.0 <= Operation::XOR.0;
    let computed = (1..=15u8, place(), place(), place(), -64..64i16).prop_map(move |(n, to, first, second, number)| {
        let operation = Operation(n);
        let number = if two(operation) { 0 } else { number };
        let second = if two(operation) { second } else { Place::ZERO };
        let first = if operation == Operation::PAGES { Place::ZERO } else { first };
        Step { to, first, second, number, ..Step::of(operation) }
    });
    let access = (select(&[18u8, 19, 20, 21, 22][..]), place(), 0..10i32, 0..8u8).prop_map(|(n, place, at, odd)| {
        let wide = matches!(Operation(n), Operation::LOAD | Operation::STORE);
        let from = field(at * if wide { 8 } else { 4 });
        let step = if n >= Operation::STORE.0 { store(place, from) } else { load(place, from) };
        // Now and then another base.
        let base = if odd == 0 { Base(at as u8) } else { step.base };
        Step { operation: Operation(n), base, ..step }
    });
    let branch = (23..=27u8, place(), place(), 0..8usize, any::<bool>()).prop_map(|(n, first, second, on, enters)| {
        let branch = Step { first, second, ..Step::of(Operation(n)) };
        if enters { branch.enter() } else { branch.on(on) }
    });
    let anything = (any::<u64>(), any::<bool>()).prop_map(|(bits, few)| {
        let bits = if few { bits & 0x001f_0007_1f1f_1f1f } else { bits };
        // SAFETY: any 8 bytes are a step.
        unsafe { core::mem::transmute::<u64, Step>(bits) }
    });
    prop_oneof![4 => computed, 3 => access, 3 => branch, 1 => anything]
}
/// Leaves what passes of `steps`.
fn passing(mut steps: Vec<Step>) -> Vec<Step> {
    while let Err(refused) = check(&steps, STRIDE) {
        assert!(matches!(refused, Refused::Step { .. } | Refused::Branch { .. } | Refused::Hole { .. }));
        steps.remove(refused.position());
    }
    steps
}
fn lowered(steps: &[Step]) -> Vec<u32> {
    portal::lower::short_circuit(steps)[..steps.len()].to_vec()
}
proptest! {
    #![proptest_config(properties::config(6000))]

    #[test]
    fn what_passes_touches_only_the_record_ends_and_does_what_it_says(
        steps in proptest::collection::vec(step(), 1..20),
        registers: [u64; 32],
        record: [u8; STRIDE],
    ) {
        let steps = passing(steps);
        let mut hart = Hart { registers, record };
        hart.registers[0] = 0;
        hart.registers[28] = RECORD;
        let before = hart.registers;
        let end = hart.run(&lowered(&steps));
        prop_assert!(end.is_ok(), "{:?} {:?}", end, steps);
        let may = |n: usize| (10..16).contains(&n) || n == 29 || n == 30;
        prop_assert!((0..32).all(|n| may(n) || hart.registers[n] == before[n]), "a register {:?}", steps);
        if end == Ok(End::Enter) {
            prop_assert_eq!(hart.record, record, "{:?}", steps);
            prop_assert_eq!(&hart.registers[10..16], &before[10..16], "{:?}", steps);
        }
        let (mut places, mut expected) = ([0; 32], record);
        USED.iter().for_each(|&place| places[place.0 as usize] = before[register(place)]);
        prop_assert_eq!(Ok(said(&steps, &mut places, &mut expected)), end, "{:?}", steps);
        prop_assert_eq!(hart.record, expected, "{:?}", steps);
        for place in USED {
            prop_assert_eq!(hart.registers[register(place)], places[place.0 as usize], "{:?} {:?}", place, steps);
        }
    }
}

#[test]
fn many_of_the_random_ones_pass_and_end_in_both_ways() {
    // So that the property above is about something.
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut complete, mut entered, mut long) = (0, 0, 0);
    for _ in 0..500 {
        let steps = passing(proptest::collection::vec(step(), 1..20).new_tree(&mut runner).unwrap().current());
        long += (steps.len() > 3) as usize;
        let mut hart = Hart { registers: [0; 32], record: [7; STRIDE] };
        hart.registers[28] = RECORD;
        match hart.run(&lowered(&steps)) {
            Ok(End::Complete) => complete += 1,
            Ok(End::Enter) => entered += 1,
            Err(_) => {}
        }
    }
    assert!(complete > 100 && entered > 20 && long > 80, "{complete} {entered} {long}");
}
