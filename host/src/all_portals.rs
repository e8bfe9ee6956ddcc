//! Every portal that can be generated up to a length of its specification: the proof, by doing it, that none has a loop, a
//! branch out of itself or an instruction outside the allow-list. For `./pebble check`.
//!
//! The letters are those of [`LETTERS`], and what they may be put together to, [`Specification::parse`] says. The ends are all
//! that the generator tells apart: the caller's trust, the callee's, and whether the two are one domain. Whether a trusted end is one of
//! the first components decides about a constant only, the limit of the frame's place. Numbers and addresses are
//! those that take most instructions.

use abi::boot::Symbols;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, flags, limit};
use abi::template::{Lowered, Template};
use anyhow::{Result, bail};
use portal::disassemble::{self, Refused};
use portal::emit::Buffer;
use portal::lower::template as lower;
use portal::specification::{ARGUMENTS, LETTERS};
use portal::{Connection, Count, End, GenerateError, Specification, Templates, generate};

/// The templates of the system's servers; windows are mapped at the call, or at the callee's first access.
const SERVERS: [Template; 4] = [
    memory_logic::windows::at_call(),
    memory_logic::windows::at_touch(),
    memory_logic::transfer_letters::transfers(),
    capabilities_logic::template::letter(),
];
static LOWERED: [Lowered; 4] = [lower(&SERVERS[0]), lower(&SERVERS[1]), lower(&SERVERS[2]), lower(&SERVERS[3])];
static ALL: [&Lowered; 4] = [&LOWERED[0], &LOWERED[1], &LOWERED[2], &LOWERED[3]];
const TEMPLATES: [Templates; 2] = [Templates::new(&ALL), Templates::new(&ALL).at_touch(true)];
/// Steps of templates, an instruction each, that are not confined (`portal::confinement`), and so belong to the trusted base.
pub fn unconfined() -> usize {
    let confined =
        |t: &Template| portal::confinement::check(&Template { record: abi::address::PAGE as u64, ..*t }).is_ok();
    SERVERS.iter().filter(|t| !confined(t)).map(|t| t.code_count as usize).sum()
}
/// Letters whose code the two do not share.
const WINDOWS: &[u8] = b"wrWR";

/// Longest specification.
const LENGTH: usize = 2 + ARGUMENTS;

/// What the generator tells apart of a caller, and of a callee: its flags.
const FIRST: u64 = flags::TRUSTED | flags::BOOT;
const CALLERS: [u64; 3] = [0, flags::TRUSTED, FIRST | flags::MASKED];
const CALLEES: [u64; 3] = [0, FIRST, FIRST | flags::MASKED];
/// Kinds of ends: each caller with each callee, and each callee with itself.
const ENDS: usize = (CALLERS.len() + 1) * CALLEES.len();

/// Kind `n` of ends.
fn ends(n: usize) -> (End, End) {
    let callee = End { table: 0xFFFF_FFFF_8053_1000, asid: 511, flags: CALLEES[n % CALLEES.len()] };
    let caller = CALLERS.get(n / CALLEES.len());
    let other = |&flags| End { table: 0xFFFF_FFFF_8051_1000, asid: 510, flags };
    (caller.map_or(callee, other), callee)
}

/// What is wrong with a portal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    NotGenerated(GenerateError),
    /// The header does not say what follows it.
    Header,
    /// One push could skip the limit of the invocation stack, of which one bit of the address is looked at.
    Frame(usize),
    /// Which word of the code, and what it is.
    Code(Refused, u32),
}

/// Words that are known to be in the allow-list, each at a place that follows from it: most portals are made of the same few.
struct Seen([u32; 4096]);
impl Seen {
    fn new() -> Seen {
        Seen([portal::riscv64::encode::SRET; 4096])
    }
    fn known(&mut self, word: u32) -> bool {
        let place = &mut self.0[word.wrapping_mul(0x9E37_79B1) as usize >> 20];
        if *place != word {
            if !disassemble::known(word) {
                return false;
            }
            *place = word;
        }
        true
    }
}

/// Generates and verifies every portal whose specification has at most `letters` letters, on all processors; how many there
/// are.
pub fn verify(letters: usize) -> Result<usize> {
    let parts = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..parts).map(|n| scope.spawn(move || verify_part(letters, n, parts))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| bail!("the generator panicked"))).sum()
    })
}

/// Of `parts` parts of the work, `part`.
fn verify_part(length: usize, part: usize, parts: usize) -> Result<usize> {
    let mut out = Buffer::EMPTY;
    let mut seen = Seen::new();
    let mut count = 0;
    let [stacks, states, letters] = LETTERS;
    for length in 2..=length.min(LENGTH) {
        let all = stacks.len() * states.len() * letters.len().pow(length as u32 - 2);
        for n in (part..all).step_by(parts) {
            let mut text = [0; LENGTH];
            let mut rest = n;
            for (place, byte) in text[..length].iter_mut().enumerate() {
                let letters = LETTERS[place.min(2)];
                *byte = letters[rest % letters.len()];
                rest /= letters.len();
            }
            let text = std::str::from_utf8(&text[..length])?;
            let Ok(specification) = Specification::parse(text, true, &TEMPLATES[0]) else { continue };
            let ways = if text.bytes().any(|letter| WINDOWS.contains(&letter)) { 2 } else { 1 };
            for (way, templates) in TEMPLATES[..ways].iter().enumerate() {
                for ends in (0..ENDS).map(ends) {
                    if let Err(fault) = one(&specification, ends, *templates, &mut out, |word| seen.known(word)) {
                        let (caller, callee) = ends;
                        let same = if caller.table == callee.table { ", one domain" } else { "" };
                        let (from, to) = (caller.flags, callee.flags);
                        bail!("portal {text}, windows' way {way}, from flags {from} to {to}{same}: {fault:x?}");
                    }
                    count += 1;
                }
            }
        }
    }
    Ok(count)
}

/// Generates and verifies one portal.
fn one(
    specification: &Specification,
    (caller, callee): (End, End),
    templates: Templates,
    out: &mut Buffer,
    known: impl FnMut(u32) -> bool,
) -> Result<(), Fault> {
    let connection = Connection {
        specification,
        caller,
        callee,
        entry: abi::address::WINDOW_VA as u64 - 1,
        constants: &[u64::MAX / 3; ARGUMENTS],
        short_circuit: None,
        templates,
        count: Count::Off,
        trace: None,
    };
    let symbols = Symbols {
        raise: 0xFFFF_FFFF_C020_0100,
        complete: 0xFFFF_FFFF_C020_0FFC,
        floating_push: 0xFFFF_FFFF_C020_0800,
        no_stack: 0xFFFF_FFFF_C020_0840,
        parked: 0xFFFF_FFFF_C020_0860,
        stack_free: 0xFFFF_FFFF_C020_0880,
        ..Default::default()
    };
    let block = generate(&connection, &symbols, out).map_err(Fault::NotGenerated)?;
    let [magic, words, frame, returns] = [0, 1, 2, 3].map(|n| out.0[n] as usize);
    let code = &out.0[BLOCK_HEADER / 4..block.words];
    if magic != BLOCK_MAGIC as usize || words != code.len() || returns > 4 * words || !returns.is_multiple_of(4) {
        return Err(Fault::Header);
    }
    if frame > limit::UNTRUSTED / 2 || !frame.is_multiple_of(8) {
        return Err(Fault::Frame(frame));
    }
    disassemble::verify_with(code, known).map_err(|refused| Fault::Code(refused, code[refused.word()]))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn parts_make_the_whole() {
        let parts = (0..3).map(|part| verify_part(4, part, 3).unwrap()).sum::<usize>();
        assert_eq!((verify(4).unwrap(), verify_part(4, 0, 1).unwrap()), (parts, parts));
    }
    #[test]
    fn a_word_that_is_refused_is_never_remembered() {
        let mut seen = Seen::new();
        assert!([0x73, 0, 0x73].iter().all(|&word| !seen.known(word)));
        assert!(
            seen.known(portal::riscv64::encode::SRET) && seen.known(portal::riscv64::encode::SRET) && !seen.known(0x73)
        );
    }
}
