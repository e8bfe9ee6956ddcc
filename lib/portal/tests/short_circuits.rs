//! Whatever passes the check of short circuits is run on random records and arguments: it touches nothing but the record and
//! the registers that it may, comes to an end, and where it enters the portal it has left arguments and record alone.

use portal::disassemble::Refused;
use portal::encode::*;
use portal::short_circuit::{check, enter};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

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
        let past = words.len() + (enter(0, 0) / 4) as usize;
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

/// A word, or a branch to where the portal goes on, which depends on the place of it.
#[derive(Clone, Debug)]
struct Word {
    word: u32,
    enters: bool,
}
/// A word that is often nearly what may be said.
fn word() -> impl Strategy<Value = Word> {
    let register =
        || prop_oneof![12 => select(&[10u32, 11, 12, 15, 29, 30][..]), 2 => Just(28), 1 => Just(0), 1 => 0..32u32];
    let opcode = select(&[0x03u32, 0x03, 0x23, 0x23, 0x13, 0x13, 0x1b, 0x33, 0x3b, 0x37, 0x63, 0x63, 0x63][..]);
    let upper = prop_oneof![8 => Just(0u32), 2 => Just(0x20), 1 => 0..128u32];
    let any_format = (opcode, 0..8u32, register(), register(), register(), upper).prop_map(
        |(opcode, function, rd, rs1, rs2, upper)| {
            // The record's address is the base of loads and stores.
            let rs1 = if opcode & 0x5f == 0x03 { 28 } else { rs1 };
            upper << 25 | rs2 << 20 | rs1 << 15 | function << 12 | rd << 7 | opcode
        },
    );
    let access = (0..8i32, register(), any::<bool>()).prop_map(|(place, register, store)| {
        let register = Register(register as u8);
        if store { sw(register, T3, place * 4) } else { lw(register, T3, place * 4) }
    });
    let branch = (register(), register(), select(&[0u32, 1, 4, 5, 6, 7][..]), 0..12i32, any::<bool>());
    let branch = branch.prop_map(|(a, b, function, words, enters)| {
        let word = beq(Register(a as u8), Register(b as u8), 4 * words) | function << 12;
        Word { word: if enters { word & 0x01FF_F07F } else { word }, enters }
    });
    let plain = prop_oneof![4 => any_format, 3 => access, 1 => any::<u32>()];
    prop_oneof![8 => plain.prop_map(|word| Word { word, enters: false }), 4 => branch]
}
/// Leaves what passes of `words`.
fn passing(mut words: Vec<Word>) -> Vec<u32> {
    loop {
        let count = words.len();
        let place =
            |(at, w): (usize, &Word)| if w.enters { w.word | beq(ZERO, ZERO, enter(at, count)) } else { w.word };
        let placed: Vec<u32> = words.iter().enumerate().map(place).collect();
        match check(&placed, STRIDE) {
            Ok(()) => return placed,
            Err(Refused::Instruction { word } | Refused::Branch { word } | Refused::Line { word }) => {
                words.remove(word)
            }
        };
    }
}
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(6000))]

    #[test]
    fn what_passes_touches_only_the_record_and_ends(
        words in proptest::collection::vec(word(), 1..20),
        registers: [u64; 32],
        record: [u8; STRIDE],
    ) {
        let words = passing(words);
        let mut hart = Hart { registers, record };
        hart.registers[0] = 0;
        hart.registers[28] = RECORD;
        let before = hart.registers;
        let end = hart.run(&words);
        prop_assert!(end.is_ok(), "{:?} {:08x?}", end, words);
        let may = |n: usize| (10..16).contains(&n) || n == 29 || n == 30;
        prop_assert!((0..32).all(|n| may(n) || hart.registers[n] == before[n]), "a register {:08x?}", words);
        if end == Ok(End::Enter) {
            prop_assert_eq!(hart.record, record, "{:08x?}", words);
            prop_assert_eq!(&hart.registers[10..16], &before[10..16], "{:08x?}", words);
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
        let words = passing(proptest::collection::vec(word(), 1..20).new_tree(&mut runner).unwrap().current());
        long += (words.len() > 3) as usize;
        let mut hart = Hart { registers: [0; 32], record: [7; STRIDE] };
        hart.registers[28] = RECORD;
        match hart.run(&words) {
            Ok(End::Complete) => complete += 1,
            Ok(End::Enter) => entered += 1,
            Err(_) => {}
        }
    }
    assert!(complete > 100 && entered > 20 && long > 80, "{complete} {entered} {long}");
}
