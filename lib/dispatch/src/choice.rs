//! Which handlers of an event are called for what it is raised with.
//!
//! All guards of a list are looked at before the first handler is called, so that what one changes has no say in who is called. Where handlers compare something to constants that are equal, or are not, one
//! such field leads to those it is for, by a table, however many there are; what else a guard says is looked at for these alone.

use crate::guard::{Field, Test};
use crate::handler::Handler;
use crate::{MOST, WORDS};
use abi::Error;
use alloc::vec::Vec;
use arch::landing::{Chooser, First, Look, Slot as Leads, Tested};
use core::ptr;
use extension::Compare;
use fallible::TryPush;

/// Those handlers whose field has that value: places of [`Choice::keyed`]. Of none: an empty place.
#[derive(Clone, Copy, Default)]
struct Slot {
    key: u64,
    from: u16,
    count: u16,
}
/// What a value is multiplied by; its highest bits are the first slot that may have it. Of these the one is taken by which fewest have to be looked at.
const FACTORS: [u64; 4] = [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB];
/// Most fields that are compared with each other for who is to be looked up.
const FIELDS: usize = 8;

/// Slots by their keys.
struct Table {
    factor: u64,
    shift: u32,
    /// As many as the highest bits reach, and more behind them, the last of which is empty.
    slots: Vec<Slot>,
}
impl Table {
    /// Of keys that ascend, each with what has it, by the factor by which fewest slots have to be passed. `ENOMEM`.
    fn of(keys: &[(u64, u16)]) -> Result<Table, Error> {
        let mut slots = Vec::new();
        for (n, (key, _)) in keys.iter().enumerate() {
            match slots.last_mut() {
                Some(Slot { key: last, count, .. }) if last == key => *count += 1,
                _ => slots.try_push(Slot { key: *key, from: n as u16, count: 1 })?,
            }
        }
        let (mut best, mut fewest) = Table::lay(&slots, FACTORS[0])?;
        for factor in &FACTORS[1..] {
            if fewest == 0 {
                break;
            }
            let (table, passed) = Table::lay(&slots, *factor)?;
            if passed < fewest {
                (best, fewest) = (table, passed);
            }
        }
        Ok(best)
    }
    /// By that factor, and how many slots have to be passed to come to all of them. `ENOMEM`.
    fn lay(slots: &[Slot], factor: u64) -> Result<(Table, usize), Error> {
        let size = (2 * slots.len()).next_power_of_two().max(2);
        let mut table = Table { factor, shift: 64 - size.ilog2(), slots: Vec::new() };
        // There are as many behind the last that a key leads to as there are keys.
        table.slots.room_for(size + slots.len() + 1)?;
        table.slots.resize(size + slots.len() + 1, Slot::default());
        let mut passed = 0;
        for slot in slots {
            let first = table.first(slot.key);
            let ahead = table.filled(first).count();
            table.slots[first + ahead] = *slot;
            passed += ahead;
        }
        Ok((table, passed))
    }
    /// The first slot that may have the key.
    fn first(&self, key: u64) -> usize {
        (key.wrapping_mul(self.factor) >> self.shift) as usize
    }
    /// Those from a place to the next empty one.
    fn filled(&self, from: usize) -> impl Iterator<Item = &Slot> {
        self.slots[from..].iter().take_while(|slot| slot.count > 0)
    }
    fn find(&self, key: u64) -> Option<&Slot> {
        self.filled(self.first(key)).find(|slot| slot.key == key)
    }
}
/// How those of a list are found whose guards hold.
pub(crate) struct Choice {
    /// What leads to most of them; where nobody compares anything for being equal there is none.
    field: Option<Field>,
    table: Table,
    /// Places in the list, by their keys, ascending.
    keyed: Vec<u16>,
    /// Places of those that the field does not tell apart, ascending.
    others: Vec<u16>,
    /// Of each in the list the test that its key stands for.
    stands_for: Vec<Option<u16>>,
    /// Whether there is anything else to look at.
    more: bool,
}
impl Choice {
    /// For these. `ENOMEM`.
    pub fn new(all: &[Handler]) -> Result<Choice, Error> {
        let field = most_telling(all)?;
        let test = |handler: &Handler| handler.tests.iter().position(|test| is_key(test, field));
        let (mut keys, mut others, mut stands_for) = (Vec::new(), Vec::new(), Vec::new());
        let mut more = false;
        for (place, handler) in all.iter().enumerate() {
            let at = test(handler);
            more |= handler.tests.len() > usize::from(at.is_some());
            match at {
                Some(at) => keys.try_push((handler.tests[at].constant, place as u16))?,
                None => others.try_push(place as u16)?,
            }
            stands_for.try_push(at.map(|at| at as u16))?;
        }
        keys.sort_unstable();
        let keyed = fallible::collected(keys.iter().map(|(_, place)| *place))?;
        Ok(Choice { field, table: Table::of(&keys)?, keyed, others, stands_for, more })
    }
    /// The tests of the handler there, but the one that its key stands for.
    fn rest<'a>(&self, all: &'a [Handler], place: usize) -> impl Iterator<Item = &'a Test> {
        let stands_for = self.stands_for[place].map(usize::from);
        all[place].tests.iter().enumerate().filter(move |(n, _)| Some(*n) != stands_for).map(|(_, test)| test)
    }
    /// Those whose key it is.
    ///
    /// # Safety
    /// As [`Field::read`].
    unsafe fn keyed(&self, words: &[usize; WORDS]) -> (u16, u16) {
        // SAFETY: as above.
        let value = self.field.as_ref().and_then(|field| unsafe { field.read(words) });
        value.and_then(|value| self.table.find(value)).map_or((0, 0), |slot| (slot.from, slot.from + slot.count))
    }
    /// The same for the machine's own code, where one at most is called whatever is raised; `otherwise` is where one goes on the long way. `ENOMEM`.
    pub fn found(&self, all: &[Handler], otherwise: First) -> Result<Option<Found>, Error> {
        let Some(field) = self.field.filter(|_| self.others.is_empty()) else { return Ok(None) };
        let one = |slot: &Slot| (slot.count == 1).then(|| self.keyed[slot.from as usize] as usize);
        let (mut tests, mut starts, mut slots) = (Vec::new(), Vec::new(), Vec::new());
        for slot in &self.table.slots {
            let start = tests.len();
            let Some(place) = one(slot) else {
                starts.try_push(None)?;
                continue;
            };
            for test in self.rest(all, place) {
                tests.try_push(test.tested())?;
            }
            let has_more = tests.len() > start;
            if has_more {
                tests.try_push(Tested::default())?;
            }
            starts.try_push(has_more.then_some(start))?;
        }
        let Table { factor, shift, .. } = self.table;
        for (slot, start) in self.table.slots.iter().zip(starts) {
            let first = one(slot).and_then(|place| all[place].extension.first(all[place].entry));
            let nobody = First { home: ptr::null(), entry: 0 };
            let found = if slot.count == 0 { nobody } else { first.unwrap_or(otherwise) };
            let tests = start.map_or(ptr::null(), |start| &raw const tests[start]);
            slots.try_push(Leads { key: slot.key, found, tests })?;
        }
        Ok(Some(Found { look: field.look(), factor, shift: shift.into(), slots, _tests: tests }))
    }
    /// Looks at all guards.
    ///
    /// # Safety
    /// The words are those of the event's arguments.
    pub unsafe fn choose(&self, all: &[Handler], words: &[usize; WORDS]) -> Chosen {
        // SAFETY: as above.
        let (from, to) = unsafe { self.keyed(words) };
        let mut chosen = Chosen { from, to, other: 0, passed: None };
        if self.more {
            let mut passed = Passed([0; MOST / 64]);
            while let Some(place) = chosen.place(self) {
                // SAFETY: as above.
                if self.rest(all, place).all(|test| unsafe { test.holds(words) }) {
                    passed.0[place / 64] |= 1 << (place % 64);
                }
            }
            chosen = Chosen { from, to, other: 0, passed: Some(passed) };
        }
        chosen
    }
}
/// What a [`Chooser`] leads to.
pub(crate) struct Found {
    look: Look,
    factor: u64,
    shift: u64,
    slots: Vec<Leads>,
    /// These lead there.
    _tests: Vec<Tested>,
}
// SAFETY: what they lead to is its own, the homes of extensions that are in the same list, and code.
unsafe impl Send for Found {}
// SAFETY: it is only read.
unsafe impl Sync for Found {}
impl Found {
    /// It is to be there as long as this.
    pub fn chooser(&self) -> Chooser {
        let Found { look, factor, shift, .. } = *self;
        Chooser { first: First { home: ptr::null(), entry: 0 }, look, factor, shift, slots: self.slots.as_ptr() }
    }
}
/// Whether a test is one that a value of the field leads to.
fn is_key(test: &Test, field: Option<Field>) -> bool {
    test.compare == Compare::Equal && Some(test.field) == field
}
/// The field by which fewest of them are left to be looked at, if each value is as frequent as the others. `ENOMEM`.
fn most_telling(all: &[Handler]) -> Result<Option<Field>, Error> {
    let mut fields: Vec<Field> = Vec::new();
    for test in all.iter().flat_map(|handler| handler.tests.iter()) {
        if test.compare == Compare::Equal && fields.len() < FIELDS && !fields.contains(&test.field) {
            fields.try_push(test.field)?;
        }
    }
    let mut best = (all.len(), None);
    let mut keys = Vec::new();
    keys.room_for(all.len())?;
    for field in fields {
        let field = Some(field);
        keys.clear();
        let key = |handler: &Handler| handler.tests.iter().find(|test| is_key(test, field)).map(|test| test.constant);
        all.iter().filter_map(key).for_each(|key| _ = keys.push_kept(key));
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        let left = all.len() - count + count / keys.len().max(1);
        if best.1.is_none() || left < best.0 {
            best = (left, field);
        }
    }
    Ok(best.1)
}

/// A bit for each place of a list.
struct Passed([u64; MOST / 64]);
/// Those that are called, one after the other.
pub(crate) struct Chosen {
    from: u16,
    to: u16,
    /// The next place of [`Choice::others`].
    other: u16,
    passed: Option<Passed>,
}
impl Chosen {
    /// The next place of those that were found.
    fn place(&mut self, choice: &Choice) -> Option<usize> {
        let keyed = choice.keyed[..self.to as usize].get(self.from as usize).copied();
        let other = choice.others.get(self.other as usize).copied();
        match (keyed, other) {
            (Some(keyed), Some(other)) if other < keyed => self.other += 1,
            (Some(_), _) => self.from += 1,
            (None, Some(_)) => self.other += 1,
            (None, None) => return None,
        }
        Some(keyed.into_iter().chain(other).min()?.into())
    }
    /// How many are.
    pub fn count(&self, choice: &Choice) -> usize {
        match &self.passed {
            None => usize::from(self.to - self.from) + choice.others.len() - usize::from(self.other),
            Some(passed) => passed.0.iter().map(|places| places.count_ones() as usize).sum(),
        }
    }
    /// The next that is called.
    pub fn next(&mut self, choice: &Choice) -> Option<usize> {
        loop {
            let place = self.place(choice)?;
            let passes = |passed: &Passed| passed.0[place / 64] >> (place % 64) & 1 != 0;
            if self.passed.as_ref().is_none_or(passes) {
                return Some(place);
            }
        }
    }
}
