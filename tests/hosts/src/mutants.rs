//! Mutants of a real program, executed where they may do what the verifier lets them: its code is changed in a few words, and what is accepted still is
//! laid out and called. Everything outside of its segment that it might have come to must be as it was.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use enclosure_logic::domain::{Ended, FaultDomain};
use enclosure_logic::image::{Image, words};
use enclosure_logic::stubs::Wanted;
use enclosure_logic::{Layout, Why};
use pebble::println;
use verifier::segment::{Form, GUARD, USER_END};

/// Ticks of `hrtime` at 1 GHz, of two cycles each: three times what the program takes as it is.
const PATIENCE: u64 = 20_000_000;
const STACK: u64 = 0x1_0000;
/// Words of the host's own memory that are watched.
const WATCHED: usize = 0x8000;
/// Exceptions of loads, stores and fetches that touched something that is not mapped.
const STORES: [usize; 2] = [7, 15];

/// xorshift64: Marsaglia, Xorshift RNGs, Journal of Statistical Software 8 (14), 2003.
struct Random(u64);
impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}
/// Changes a few of `words`.
fn mutate(random: &mut Random, words: &mut [u32]) {
    for _ in 0..1 + random.below(4) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(5) {
            0 => words.swap(at, other),
            1 => words[at] = words[other],
            2 => words[at] = words[(at + 1) % words.len()],
            // Never what says how long it is.
            _ => words[at] ^= 4 << random.below(30),
        }
    }
}
/// A sum of memory that nobody may write meanwhile.
fn sum(words: impl Iterator<Item = u64>) -> u64 {
    words.fold(0xcbf2_9ce4_8422_2325, |sum, word| (sum ^ word).wrapping_mul(0x100_0000_01b3))
}
/// The words that are mapped from `address` on.
fn memory(address: u64, count: usize) -> impl Iterator<Item = u64> {
    // SAFETY: the fault domain's stubs and jump table are mapped, and nobody writes them.
    (0..count).map(move |n| unsafe { (address as *const u64).add(n).read_volatile() })
}

pub fn run(layout: Layout, file: &[u8], wanted: usize, seed: u64) -> Result<(), String> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut image = Image::parse(file, &layout).map_err(|error| String::from(error.text()))?;
    let original = words(image.code().map_err(|error| String::from(error.text()))?).map_err(Why::from)?;
    let code = image.parts.iter().position(|part| part.execute).ok_or("no code")?;
    let mut domain = FaultDomain::new(layout).map_err(|error| String::from(error.text()))?;
    let watched: Vec<u64> = (0..WATCHED as u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let before = sum(watched.iter().copied());
    let entry = Wanted { specification: "smi", entry: image.entry };
    domain.lay_out(&image, STACK, &[entry])?;
    domain.set_stack(layout.top() - 64);
    let unchanged = domain.call(0, layout.top() - 64, Some(PATIENCE));
    if unchanged != Ok(0) {
        return Err(format!("the program itself does not come to its end in time: {unchanged:?}"));
    }
    let (mut executed, mut refused, mut ends) = (0, 0, [0; 3]);
    while executed < wanted {
        let mut mutant = original.clone();
        mutate(&mut random, &mut mutant);
        image.parts[code].bytes = mutant.iter().flat_map(|word| word.to_le_bytes()).collect();
        let entry = Wanted { specification: "smi", entry: image.entry };
        if domain.lay_out(&image, STACK, &[entry]).is_err() {
            refused += 1;
            continue;
        }
        // A start block without arguments.
        domain.set_stack(layout.top() - 64);
        let stubs = (layout.stubs(), layout.jump_table());
        let parts = |()| [stubs.0, stubs.1].map(|at| sum(memory(at, 512)));
        let own = parts(());
        let ended = domain.call(0, layout.top() - 64, Some(PATIENCE));
        executed += 1;
        match ended {
            Ok(_) => ends[0] += 1,
            Err(Ended::Late) => ends[1] += 1,
            Err(Ended::NotMade(error)) => return Err(String::from(error.text())),
            Err(Ended::Fault(fault)) => {
                ends[2] += 1;
                let beside = (fault.address as u64).wrapping_sub(layout.base() - GUARD);
                // What `or` leaves above the segment's own bits is an address of nobody's: only what is below counts.
                let beside = if layout.0.form == Form::Or { beside % USER_END } else { beside };
                if STORES.contains(&fault.cause) && beside >= layout.0.size() + 2 * GUARD {
                    return Err(format!("mutant {executed} stored at {:#x}: {fault:x?}", fault.address));
                }
            }
        }
        let now = sum(watched.iter().map(|word| core::hint::black_box(*word)));
        if now != before || parts(()) != own {
            return Err(format!("mutant {executed} of seed {seed} has changed its host's memory"));
        }
    }
    let [returned, late, faulted] = ends;
    println!(
        "\n{executed} mutants: {returned} returned, {faulted} faulted, {late} took too long; {refused} were refused"
    );
    println!("nothing outside has changed");
    Ok(())
}
