//! Random and mutated code through the verifier of fault domains.
//!
//! What it accepts is executed by an [`interpreter`](machine) that shares nothing with it, from every kind of state that a fault domain may be entered
//! in, at any word; and its words are read by [another decoder](decoder), that of GNU binutils. [`programs`] is one run of both, which follows from a seed. The tests here do
//! a few hundred thousand words; `./pebble campaign verifier` as many as it is given.

pub mod decoder;
pub mod machine;
pub mod program;
pub mod random;

use machine::Machine;
use random::Random;
use verifier::{Form, Segment, verify};

/// The segments that code is tried in.
pub const SEGMENTS: [Segment; 6] = [
    Segment { base: 0x18_0000_0000, bits: 32, form: Form::AddUnsignedWord, loads: false },
    Segment { base: 0x1100_0000, bits: 24, form: Form::Mask, loads: false },
    Segment { base: 0x18_0000_0000, bits: 32, form: Form::AddUnsignedWord, loads: true },
    // That of the hosts, whose components may ask for their loads to be kept in.
    Segment { base: 0x1800_0000, bits: 26, form: Form::Mask, loads: true },
    Segment { base: 0x3f_c000_0000, bits: 30, form: Form::Or, loads: false },
    Segment { base: 0x3f_c000_0000, bits: 30, form: Form::Or, loads: true },
];
/// Executions of a program that was accepted, and most instructions of each.
const EXECUTIONS: usize = 8;
const STEPS: usize = 64;

/// What was done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub words: u64,
    pub accepted_words: u64,
    pub accepted_programs: u64,
    pub executed: u64,
}
/// What should never be: accepted code that left its segment.
#[derive(Debug)]
pub struct Escape {
    pub segment: Segment,
    pub words: Vec<u32>,
    pub what: String,
}
impl std::fmt::Display for Escape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} in {:#x?}: {:08x?}", self.what, self.segment, self.words)
    }
}

/// Passes mutated programs of at least `words` words in all through the verifier, and executes those that it accepts.
pub fn programs(seed: u64, words: u64) -> Result<Counts, Escape> {
    let mut random = Random::new(seed);
    let mut counts = Counts::default();
    while counts.words < words {
        let segment = SEGMENTS[random.below(SEGMENTS.len())];
        let words = program::mutant(&mut random, &segment);
        counts.words += words.len() as u64;
        if verify(&segment, segment.base + verifier::segment::CODE, &words).is_err() {
            continue;
        }
        counts.accepted_words += words.len() as u64;
        counts.accepted_programs += 1;
        for _ in 0..EXECUTIONS {
            match Machine::new(&segment, &words, &mut random).run(STEPS) {
                Ok(steps) => counts.executed += steps,
                Err(what) => return Err(Escape { segment, words, what }),
            }
        }
    }
    Ok(counts)
}
/// Random words that the verifier accepts alone, out of `words`, with what it says that they do to registers.
pub fn accepted_words(seed: u64, words: u64) -> Vec<(u32, verifier::Uses)> {
    let mut random = Random::new(seed);
    let segment = SEGMENTS[0];
    let random_word = |_| random.next() as u32 | 3;
    let try_word = |word| Some((word, verify(&segment, segment.base + verifier::segment::CODE, &[word]).ok()?));
    (0..words).map(random_word).filter_map(try_word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_mutants_do_not_leave_their_segment() {
        let counts = programs(1, 600_000).unwrap_or_else(|escape| panic!("{escape}"));
        // The test is one only as long as enough is accepted.
        assert!(counts.accepted_programs > 5_000 && counts.executed > 100_000, "{counts:?}");
    }
    #[test]
    fn accepted_words_are_what_another_decoder_says() {
        let words = accepted_words(2, 300_000);
        assert!(words.len() > 20_000, "{}", words.len());
        decoder::compare(&words).unwrap();
    }
    /// The interpreter finds what the rules are there for: each of these is refused, and would leave its segment.
    #[test]
    fn programs_that_break_a_rule_are_seen_to_leave() {
        let (zba, mask, last) = (&SEGMENTS[0], &SEGMENTS[1], &SEGMENTS[4]);
        let mut walk = [0x8001_0113; 42];
        walk[41] = 0x00a1_3023;
        #[rustfmt::skip]
        let bad: [(&str, &Segment, &[u32]); 15] = [
            ("sd a0, 0(a1)", last, &[0x00a5_b023]),
            ("ld ra, 8(sp); or ra, ra, gp; ret", last, &[0x0081_3083, 0x0030_e0b3, 0x0000_8067]),
            ("or t6, a0, a1; sd a0, 0(t6)", last, &[0x00b5_6fb3, 0x00af_b023]),
            ("addi sp, sp, -2048, 41 times; sd a0, 0(sp)", last, &walk),
            ("addi sp, sp, 2047; j .-4", last, &[0x7ff1_0113, 0xffdf_f06f]),
            ("sd a0, 0(a1)", zba, &[0x00a5_b023]),
            ("amoadd.d a0, a0, (a1)", zba, &[0x00a5_b52f]),
            ("ld ra, 8(sp); ret", zba, &[0x0081_3083, 0x0000_8067]),
            ("ld ra, 8(sp); add.uw ra, ra, gp; ret", zba, &[0x0081_3083, 0x0830_80bb, 0x0000_8067]),
            ("jr t6", zba, &[0x000f_8067]),
            ("addi sp, sp, -2048, 41 times; sd a0, 0(sp)", zba, &walk),
            ("addi sp, sp, -2048; sc.d x0, x0, (sp); j .-8", zba, &[0x8001_0113, 0x1801_302f, 0xff9f_f06f]),
            ("mv gp, a0; add.uw t6, a0, gp; sd a0, 0(t6)", zba, &[0x0005_0193, 0x0835_0fbb, 0x00af_b023]),
            ("and sp, a0, t4; or sp, sp, gp; sd a0, 0(sp)", mask, &[0x01d5_7133, 0x0031_6133, 0x00a1_3023]),
            ("j .-0x100000", zba, &[0x8000_006f]),
        ];
        for (text, segment, words) in bad {
            let mut random = Random::new(3);
            assert!(verify(segment, segment.base + verifier::segment::CODE, words).is_err(), "{text}");
            let leaves = (0..20_000).any(|_| Machine::new(segment, words, &mut random).run(STEPS).is_err());
            assert!(leaves, "{text}");
        }
    }
}
