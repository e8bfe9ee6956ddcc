//! Guards at random: who is found by the machine's own code is who the dispatcher finds.

use crate::sample::{self, Header, Measured};
use crate::{LINKED, is_looked_at};
use alloc::vec;
use alloc::vec::Vec;
use extension::{Compare, Condition, Part};
use pebble::println;
use pebble::sync::Mutex;

/// On which conditions besides its own an extension that is linked in from now on handles an event, by its place.
static IMPOSED: Mutex<(usize, Vec<Condition>)> = Mutex::new((usize::MAX, Vec::new()));
pub fn imposed(event: usize) -> Vec<Condition> {
    let imposed = IMPOSED.lock();
    if imposed.0 == event { imposed.1.clone() } else { Vec::new() }
}
/// From now on `turn` is handled with odd numbers only, or with all.
pub fn odd_ones_only(only: bool) {
    let odd = Condition { mask: 1, ..Condition::new(0, Part::Value, 0, 4, Compare::Equal, 1) };
    *IMPOSED.lock() = (TURN, if only { vec![odd] } else { Vec::new() });
}
/// Numbers as they come (xorshift).
struct Random(u64);
impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
    /// A number that another one is often equal to.
    fn few(&mut self) -> u64 {
        match self.below(8) {
            0 => u64::MAX,
            1 => 0x8080_8080_8080_8080,
            _ => self.below(3) as u64,
        }
    }
}
/// The events whose handlers are told apart, by their places.
const ARRIVED: usize = 0;
const TURN: usize = 2;
const NOTED: usize = 3;
const MEASURED: usize = 4;
fn condition(random: &mut Random, event: usize) -> Condition {
    let (argument, part, offset, width, signed) = match event {
        ARRIVED => random.one(&[
            (0, Part::Field, 0, 2, false),
            (0, Part::Field, 3, 1, false),
            (0, Part::Field, 8, 8, false),
            (1, Part::Bytes, 0, 1, false),
            (1, Part::Bytes, 1, 2, false),
            (1, Part::Bytes, 3, 4, false),
            (1, Part::Bytes, 2, 8, false),
            (1, Part::Length, 0, 8, false),
        ]),
        TURN => (0, Part::Value, 0, 4, false),
        NOTED => random.one(&[(0, Part::Value, 0, 1, true), (1, Part::Value, 0, 8, false)]),
        _ => random.one(&[
            (0, Part::Field, 0, 1, true),
            (0, Part::Field, 1, 1, false),
            (0, Part::Field, 2, 2, true),
            (0, Part::Field, 4, 2, false),
            (0, Part::Field, 8, 4, true),
            (0, Part::Field, 12, 4, false),
            (0, Part::Field, 16, 8, true),
            (0, Part::Field, 24, 8, false),
        ]),
    };
    let compare = if random.below(3) > 0 { Compare::Equal } else { random.one(&Compare::ALL) };
    let mask = if signed || random.below(3) > 0 { Condition::bits(width) } else { 0x8301 & Condition::bits(width) };
    let mut condition = Condition { argument, part, width, signed, compare, offset, mask, constant: 0 };
    condition.constant = condition.seen(random.few() & Condition::bits(width));
    condition
}
/// How often each was called.
fn calls() -> pebble::Result<Vec<u64>> {
    Ok(dispatch::linked()?.iter().map(|info| info.calls).collect())
}
/// Raises the event twice with the same: as it is, and as who has it handled the long way does. Whether the same were called.
fn are_the_same(random: &mut Random, event: usize) -> pebble::Result<bool> {
    let before = calls()?;
    let number = |random: &mut Random| random.few() as usize;
    let mut words = [0; dispatch::WORDS];
    let mut bytes = [0u8; 12];
    bytes.iter_mut().for_each(|byte| *byte = random.few() as u8);
    let mut header = Header { port: 0, source: [0; 4], size: random.few() };
    (header.port, header.source[0], header.source[1]) = (random.few() as u16, random.few() as u8, random.few() as u8);
    let length = random.below(bytes.len() + 1);
    match event {
        ARRIVED => {
            words[..3].copy_from_slice(&[(&raw const header).addr(), bytes.as_ptr().addr(), length]);
            sample::arrived(&header, &bytes[..length]);
        }
        TURN => {
            words[0] = number(random) as i32 as usize;
            sample::turn(words[0] as u32);
        }
        MEASURED => {
            let [a, c, e, g] = core::array::from_fn(|_| number(random) as i64);
            let [b, d, f, h] = core::array::from_fn(|_| random.few());
            let (a, b, c, d) = (a as i8, b as u8, c as i16, d as u16);
            let measured = Measured { a, b, c, d, e: e as i32, f: f as u32, g, h };
            words[0] = (&raw const measured).addr();
            sample::measured(&measured);
            // While it is there.
            return compare(event, &before, &words);
        }
        _ => {
            words[..2].copy_from_slice(&[number(random) as i8 as usize, number(random)]);
            sample::noted(words[0] as i8, words[1] as u64);
        }
    }
    compare(event, &before, &words)
}
/// Whether the same are called once more the long way.
fn compare(event: usize, before: &[u64], words: &[usize; dispatch::WORDS]) -> pebble::Result<bool> {
    let quickly = calls()?;
    sample::EVENTS[event].handle(words);
    let long = calls()?;
    let same = (0..before.len()).all(|n| quickly[n] - before[n] == long[n] - quickly[n]);
    if !same {
        println!("event {event}, {words:x?}: {before:?} {quickly:?} {long:?}");
    }
    Ok(same)
}
/// So many lists of up to six handlers, each raised ten times.
pub fn chosen(file: &[u8], rounds: usize) -> pebble::Result<()> {
    let mut random = Random(0x5EED);
    let (mut called, mut raised, mut quick) = (0, 0, 0);
    for round in 0..rounds {
        let event = random.one(&[ARRIVED, ARRIVED, TURN, NOTED, MEASURED, MEASURED]);
        // In most all compare the same, so that it tells them apart.
        let shared = condition(&mut random, event);
        let shared = Condition { compare: Compare::Equal, ..shared };
        let are_alike = random.below(4) > 0;
        // Some tables are long, so that many have their place behind another's.
        let (count, values) = if round % 16 == 0 { (60, 80) } else { (1 + random.below(6), 0) };
        for _ in 0..count {
            let mut conditions: Vec<Condition> = (0..random.below(3)).map(|_| condition(&mut random, event)).collect();
            if are_alike {
                let value = if values > 0 { random.below(values) as u64 } else { random.few() };
                let constant = shared.seen(value & Condition::bits(shared.width));
                conditions.push(Condition { constant, ..shared });
            }
            *IMPOSED.lock() = (event, conditions);
            let number = crate::link(file)?;
            LINKED.lock().push(number);
        }
        is_looked_at();
        quick += u32::from(sample::EVENTS[event].is_chosen());
        let before: u64 = calls()?.iter().sum();
        for _ in 0..10 {
            if !are_the_same(&mut random, event)? {
                println!("{:?}", IMPOSED.lock());
                return Err(pebble::Error::EFAULT);
            }
            raised += 1;
        }
        called += calls()?.iter().sum::<u64>() - before;
        LINKED.lock().drain(..).try_for_each(dispatch::unlink)?;
    }
    IMPOSED.lock().0 = usize::MAX;
    let many = if called > raised { "many" } else { "few" };
    println!("raised {raised} times, the same were called; {many}; {quick} lists by the machine's own code");
    Ok(())
}
