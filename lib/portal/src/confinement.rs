//! Confinement: what the code of a template that a server registers may reach.
//!
//! It runs in supervisor mode, so its form alone ([`crate::form::check`]) does not keep it from anything. Here each part is
//! gone through as it would be executed, with what is known of each value: a number and its bounds, or an address in the
//! server's record. Each load and store names what it is in ([`abi::step::Base`]), and here that is proved: it is the letter's own
//! words of the frame, the record, or public fields of the thread and of the two domains; whatever value was not written by
//! the part itself may not even be read. So nothing that such code does depends on the supervisor's memory or changes it, and the
//! callee is passed numbers only. All of this is said of steps; that a back end makes of each step an instruction that does what the
//! step says is the back end's to show (`tests/short_circuits.rs` compares the two).
//!
//! The memory manager's templates walk and fill page tables and are not confined: they belong to the trusted base, which has them
//! in the image. `./pebble check` counts them.

use crate::form::{FRAME_WORDS, Refused};
use crate::specification::ARGUMENTS;
use crate::values::Value::{self, *};
use crate::values::{Bounds, State, WORD, combined};
use abi::address::PAGE;
use abi::nucleus::{MAX_DOMAINS, Thread, domain};
use abi::step::{Base, Fill, Operation, Place, Step, Way};
use abi::template::{LETTERS, Letter, Template, part};
use core::mem::offset_of;

/// Ways to later places of a part that may be open at one time.
const WAYS: usize = 4;

/// Checks that `template`, whose form is right, keeps to its own words, its record, and public fields.
#[cfg_attr(target_os = "none", optimize(size))]
pub fn check(template: &Template) -> Result<(), Refused> {
    let letters = &template.letters[..(template.letter_count as usize).min(LETTERS)];
    for letter in letters {
        let mut words = [Unset; FRAME_WORDS as usize];
        for which in [part::CHECK, part::ASK, part::PASS] {
            words = Path { template, letter: Some(letter), which }.go(letter.parts[which], words)?.words;
        }
        // The return may be made again after any of its steps: so they leave every word what it is.
        let back = Path { template, letter: Some(letter), which: part::BACK };
        back.go(letter.parts[part::BACK], words)?;
        let slow = Path { template, letter: Some(letter), which: part::SLOW };
        let end = slow.go(letter.parts[part::SLOW], [Unset; FRAME_WORDS as usize])?;
        if letter.fault != 0 && !matches!(end.values[0], Number(_)) {
            return Err(Refused::Place { step: letter.parts[part::SLOW].first as usize });
        }
    }
    for (which, &p) in template.before.iter().chain(&template.after).enumerate() {
        let path = Path { template, letter: None, which: which % 3 };
        path.go(p, [Unset; FRAME_WORDS as usize])?;
    }
    Ok(())
}

/// A part as it is gone through.
struct Path<'a> {
    template: &'a Template,
    letter: Option<&'a Letter>,
    which: usize,
}
impl Path<'_> {
    /// What is known behind the part, of the ways that lead there.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn go(&self, p: abi::template::Part, words: [Value; FRAME_WORDS as usize]) -> Result<State, Refused> {
        let (first, end) = (p.first as usize, p.first as usize + p.count as usize);
        let code = self.template.code.get(..end).ok_or(Refused::Part { letter: LETTERS })?;
        let mut state = State::new(words);
        let mut ways: [Option<(usize, State)>; WAYS] = [None; WAYS];
        let meet = |ways: &mut [Option<(usize, State)>; WAYS], state: &mut State, at: usize| {
            for way in ways.iter_mut() {
                if let Some((_, other)) = way.take_if(|(to, _)| *to == at) {
                    state.meet(&other);
                }
            }
        };
        for (at, step) in code.iter().enumerate().skip(first) {
            meet(&mut ways, &mut state, at);
            if let Some((on, branched)) = self.step(&mut state, step, at)? {
                let free = ways.iter_mut().find(|way| way.is_none()).ok_or(Refused::Branch { step: at })?;
                *free = Some((at + on, branched));
            }
        }
        meet(&mut ways, &mut state, end);
        Ok(state)
    }

    /// What `place` holds.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn source(&self, state: &mut State, place: Place, at: usize) -> Result<Value, Refused> {
        match place {
            Place::ARGUMENT | Place::LENGTH => Ok(WORD),
            Place::ZERO => Ok(Number(Bounds::of(0))),
            _ => match state.value(place) {
                None | Some(Unset) => Err(Refused::Place { step: at }),
                Some(value) => Ok(*value),
            },
        }
    }

    /// One step. How many steps on it branches, if that is in the part, and what is known there.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn step(&self, state: &mut State, step: &Step, at: usize) -> Result<Option<(usize, State)>, Refused> {
        let place = Err(Refused::Place { step: at });
        if step.is_more() || step.base == Base::SHARED {
            return Err(Refused::Hole { step: at });
        }
        let made = match step.operation {
            Operation::LOAD | Operation::LOAD_I32 | Operation::LOAD_U16 => match self.reaches(state, step, at)? {
                Reached::Own(n) => state.words[n],
                Reached::Record | Reached::Public => WORD,
            },
            Operation::STORE | Operation::STORE_I32 => return self.stored(state, step, at).map(|()| None),
            _ if step.is_branch() => return self.branched(state, step, at),
            Operation::RECORD if self.record().is_none() => return Err(Refused::Access { step: at }),
            Operation::RECORD => Part(Bounds::of(0)),
            Operation::CALLEE => Callee,
            Operation::PAGES if step.number < 0 => WORD,
            Operation::PAGES => Number(Bounds::of(step.number as u32 * PAGE as u32)),
            Operation::ADD | Operation::SUBTRACT | Operation::AND | Operation::OR | Operation::XOR => {
                let (a, b) = (self.source(state, step.first, at)?, self.source(state, step.second, at)?);
                combined(step.operation, a, b).ok_or(Refused::Place { step: at })?
            }
            Operation::FORGET => return Err(Refused::Step { step: at }),
            _ => {
                let value = self.source(state, step.first, at)?;
                self.computed(step, value).ok_or(Refused::Place { step: at })?
            }
        };
        if step.to == Place::ARGUMENT {
            // The callee gets numbers.
            return if matches!(made, Number(_)) { Ok(None) } else { place };
        }
        if made == Unset {
            return place;
        }
        state.set(step.to, made);
        Ok(None)
    }

    /// What is stored goes to a word of its own, or, as a number, to the record.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn stored(&self, state: &mut State, step: &Step, at: usize) -> Result<(), Refused> {
        let value = self.source(state, step.second, at)?;
        match self.reaches(state, step, at)? {
            // What the return finds when it is made again is what it was.
            Reached::Own(n) if self.which != part::BACK || state.words[n].or(value) == state.words[n] => {
                state.words[n] = value;
                Ok(())
            }
            Reached::Record if matches!(self.which, part::PASS | part::BACK) => {
                if matches!(value, Number(_)) {
                    Ok(())
                } else {
                    Err(Refused::Place { step: at })
                }
            }
            _ => Err(Refused::Access { step: at }),
        }
    }
    /// A branch, of which each way may know more than was known before.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn branched(&self, state: &mut State, step: &Step, at: usize) -> Result<Option<(usize, State)>, Refused> {
        let (a, b) = (self.source(state, step.first, at)?, self.source(state, step.second, at)?);
        // Which way is taken can be seen from outside: of an address, it says no more than whether there is one.
        let known = match (a, b) {
            (Number(_), Number(_)) => true,
            (Record(..), Number(b)) => b.most == 0 && matches!(step.operation, Operation::EQUAL | Operation::DIFFERENT),
            _ => false,
        };
        if !known {
            return Err(Refused::Place { step: at });
        }
        let Some(Way::On(on)) = step.way() else { return Ok(None) };
        let mut branched = *state;
        // Whether a record's address is 0.
        if let (Record(bounds, true), Number(Bounds { most: 0, .. })) = (a, b) {
            match step.operation {
                Operation::EQUAL => state.set(step.first, Record(bounds, false)),
                Operation::DIFFERENT => branched.set(step.first, Record(bounds, false)),
                _ => {}
            }
        }
        Ok(Some((on as usize, branched)))
    }
    /// The result of a step with a number; `None`: it is no number, and no address either.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn computed(&self, step: &Step, value: Value) -> Option<Value> {
        let number = step.number as i32;
        let up = Bounds::of(number.max(0) as u32);
        Some(match (step.fill(), step.operation, value) {
            (Fill::RECORD_REST, Operation::ADD_NUMBER, Part(a)) => Record(a.plus(self.rest(number)?), false),
            (Fill::PLACE, Operation::ADD_NUMBER, Number(Bounds { most: 0, .. })) if number == 0 => {
                Number(Bounds { most: PLACES, zeros: 4 })
            }
            (Fill::ASID, Operation::ADD_NUMBER, Number(Bounds { most: 0, .. })) if number == 0 => {
                Number(Bounds { most: MAX_DOMAINS as u32 - 1, zeros: 0 })
            }
            (Fill::NONE, Operation::ADD_NUMBER, Record(a, may)) if number >= 0 && (!may || number == 0) => {
                Record(a.plus(up), may)
            }
            (Fill::NONE, Operation::ADD_NUMBER, Number(a)) if number >= 0 => Number(a.plus(up)),
            (Fill::NONE, Operation::AND_NUMBER, Number(a)) if number >= 0 => {
                Number(Bounds { most: a.most.min(up.most), zeros: a.zeros.max(up.zeros) })
            }
            (Fill::NONE, Operation::SHIFT_LEFT, Number(a)) => Number(a.shifted_left(number as u32)),
            (Fill::NONE, Operation::SHIFT_RIGHT, Number(a)) => Number(a.shifted_right(number as u32)),
            (Fill::NONE, Operation::BELOW_NUMBER, Number(_)) => Number(Bounds::of(1)),
            (Fill::RECORD_REST, ..) => return None,
            (_, _, Number(_)) => WORD,
            _ => return None,
        })
    }

    /// The offset of the record in its page, if there is one, at a multiple of 8.
    fn record(&self) -> Option<u32> {
        let record = self.template.record;
        (record != 0 && record.is_multiple_of(8)).then_some(record as u32 % PAGE as u32)
    }
    /// What the rest of the record's address comes to with a number beside it: that, where the sum has room. A back end leaves out of
    /// an address its lowest 12 bits at most, as a number with sign.
    fn rest(&self, number: i32) -> Option<Bounds> {
        let low = (self.record()? as i32) << 20 >> 20;
        (number >= 0 && low + number < 2048).then(|| Bounds::of(number as u32))
    }

    /// What an access reaches.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn reaches(&self, state: &mut State, step: &Step, at: usize) -> Result<Reached, Refused> {
        let refused = Refused::Access { step: at };
        let (bytes, number) = (step.loads().or(step.stores()).unwrap_or(8) as u32, step.number as i32);
        let offset = |more: u32| Bounds::of(number as u32).plus(Bounds { most: more, zeros: 4 });
        let reached = match (step.base, step.fill()) {
            (Base::OWN, Fill::NONE) => {
                let words = self.letter.map_or(0, |letter| letter.words.min(FRAME_WORDS)) as i32;
                // 8 bytes at a time.
                let inside = bytes == 8 && number % 8 == 0 && (0..8 * words).contains(&number);
                return if inside { Ok(Reached::Own(number as usize / 8)) } else { Err(refused) };
            }
            (Base::THREAD, Fill::NONE) if step.first == Place::ZERO && number == INDEX => return Ok(Reached::Public),
            (Base::CALLER, Fill::NONE) if step.first == Place::ZERO && PUBLIC.contains(&number) => {
                return Ok(Reached::Public);
            }
            (Base::CALLEE, Fill::NONE) if PUBLIC.contains(&number) => {
                let is = self.source(state, step.first, at)? == Callee;
                return if is { Ok(Reached::Public) } else { Err(refused) };
            }
            (Base::RECORD, fill) if step.first != Place::ZERO => match (fill, self.source(state, step.first, at)?) {
                (Fill::NONE, Record(a, false)) if number >= 0 => a.plus(offset(0)),
                (Fill::PLACE, Record(a, false)) if number >= 0 && number + (PLACES as i32) < 2048 => {
                    a.plus(offset(PLACES))
                }
                (Fill::RECORD_REST, Part(a)) => a.plus(self.rest(number).ok_or(refused)?),
                _ => return Err(refused),
            },
            _ => return Err(refused),
        };
        let room = PAGE as u32 - self.record().ok_or(refused)?;
        let aligned = reached.zeros as u32 >= bytes.trailing_zeros();
        if aligned && reached.most.saturating_add(bytes) <= room { Ok(Reached::Record) } else { Err(refused) }
    }
}
/// The most that [`Fill::PLACE`] adds.
const PLACES: u32 = 16 * (ARGUMENTS as u32 - 1);
/// What anybody may be told of a thread, and of a domain.
const INDEX: i32 = offset_of!(Thread, index) as i32;
const PUBLIC: [i32; 2] = [domain::IDENTITY, domain::ASID];

/// What a load or store reaches.
enum Reached {
    /// A word of the letter's own.
    Own(usize),
    Record,
    Public,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writer::Writer;
    use Place as P;
    use abi::step::*;

    const RECORD: u64 = 0x7000;
    fn of(parts: [&[Step]; 5], words: u8) -> Template {
        let mut w = Writer::new();
        let parts = parts.map(|steps| {
            let at = w.position();
            steps.iter().for_each(|&step| w.put(step));
            w.part(at)
        });
        w.letter(Letter { letter: b'q', words, parts, ..Letter::NONE });
        Template { record: RECORD, ..w.finish(2) }
    }
    fn pass(steps: &[Step]) -> Result<(), Refused> {
        let template = of([&[], steps, &[], &[], &[]], 2);
        assert_eq!(crate::form::check(&template), Ok(()), "its form is right");
        check(&template)
    }
    /// All of the record's address in `V3`.
    const WHOLE: [Step; 2] = [record_part(P::V3), copy(P::V3, P::V3).with(Fill::RECORD_REST)];
    const ACCESS: fn(usize) -> Result<(), Refused> = |step| Err(Refused::Access { step });
    const PLACE: fn(usize) -> Result<(), Refused> = |step| Err(Refused::Place { step });
    /// `WHOLE`, and what follows it.
    fn from_record(steps: &[Step]) -> Vec<Step> {
        [&WHOLE[..], steps].concat()
    }

    #[test]
    fn its_record_may_be_read_and_written() {
        let near = [WHOLE[0], load(P::V4, record(P::V3, 8).rest()), store(P::V4, record(P::V3, 0).rest())];
        assert_eq!(pass(&near), Ok(()));
        let far = [add_number(P::V3, P::V3, 2040), add_number(P::V3, P::V3, 16), load(P::V4, record(P::V3, 2032))];
        assert_eq!(pass(&from_record(&far)), Ok(()));
    }
    #[test]
    fn beyond_its_record_is_refused() {
        let far = |load| {
            let steps = [2040, 16, 8].map(|more| add_number(P::V3, P::V3, more));
            pass(&from_record(&[&steps[..], &[load]].concat()))
        };
        assert_eq!(far(load(P::V4, record(P::V3, 2032))), ACCESS(5));
        assert_eq!(pass(&from_record(&[load(P::V4, record(P::V3, -8))])), ACCESS(2));
        assert_eq!(pass(&from_record(&[load(P::V4, record(P::V3, 4))])), ACCESS(2), "not aligned");
        let steps = [WHOLE[0], load(P::V4, record(P::V3, 8).rest())];
        let wraps = Template { record: RECORD + 0x7f8, ..of([&[], &steps, &[], &[], &[]], 2) };
        assert_eq!(check(&wraps), ACCESS(1), "the rest wraps");
    }
    #[test]
    fn a_record_that_there_is_not_is_refused() {
        let template = Template { record: 0, ..of([&[], &[WHOLE[0]], &[], &[], &[]], 2) };
        assert_eq!(check(&template), ACCESS(0));
    }
    #[test]
    fn an_index_without_a_bound_is_refused() {
        let with = |index: Step| {
            let steps = [index, shift_left(P::V4, P::V4, 3), add(P::V3, P::V3, P::V4), load(P::V1, record(P::V3, 0))];
            pass(&from_record(&steps))
        };
        assert_eq!(with(and_number(P::V4, P::ARGUMENT, 511)), Ok(()));
        assert_eq!(with(and_number(P::V4, P::ARGUMENT, 1023)), ACCESS(5));
        assert_eq!(with(copy(P::V4, P::ARGUMENT)), ACCESS(5));
        assert_eq!(with(shift_right(P::V4, P::ARGUMENT, 55)), Ok(()));
    }
    #[test]
    fn another_address_is_refused() {
        let with = |make: Step, load: Step| pass(&[make, load]);
        assert_eq!(with(copy(P::V3, P::ARGUMENT), load(P::V4, record(P::V3, 0))), ACCESS(1), "the caller's word");
        assert_eq!(with(pages(P::V3, 0x4040), load(P::V4, record(P::V3, 0))), ACCESS(1), "a number");
        assert_eq!(with(callee_record(P::V3), load(P::V4, record(P::V3, 0))), ACCESS(1), "another's");
        assert_eq!(with(WHOLE[0], load(P::V4, record(P::V3, 0))), ACCESS(1), "a part");
        assert_eq!(with(callee_record(P::V3), load(P::V4, callee(P::V3, domain::SPACE))), ACCESS(1), "page tables");
        assert_eq!(
            with(callee_record(P::V3), store(P::ZERO, callee(P::V3, domain::IDENTITY))),
            ACCESS(1),
            "the callee"
        );
        assert_eq!(with(WHOLE[0], load(P::V4, callee(P::V3, domain::IDENTITY))), ACCESS(1), "not the callee");
        for (step, what) in [
            (store(P::ZERO, thread(0)), "the thread"),
            (load(P::V4, thread(0)), "the thread"),
            (load(P::V4, thread(INDEX).of_argument()), "a field of the thread"),
            (load(P::V4, caller(domain::ROOT)), "page tables"),
            (load(P::V4, caller(domain::IDENTITY).of_argument()), "a field of the caller"),
        ] {
            assert_eq!(pass(&[step]), ACCESS(0), "{what}");
        }
        for base in [thread_at(P::V3, INDEX), caller_at(P::V3, domain::IDENTITY), table(P::V3, 0)] {
            assert_eq!(pass(&from_record(&[load(P::V4, base)])), ACCESS(2), "from another base");
        }
    }
    #[test]
    fn public_fields_may_be_read() {
        let steps = [
            load(P::V4, caller(domain::IDENTITY)),
            callee_record(P::V3),
            load(P::V3, callee(P::V3, domain::ASID)),
            load(P::ARGUMENT, thread(INDEX)),
        ];
        assert_eq!(pass(&steps), Ok(()));
    }
    #[test]
    fn words_of_the_frame_that_are_not_its_own_are_refused() {
        let at = |bytes: i16| Step { number: bytes, ..store(P::ZERO, own(0)) };
        assert_eq!(pass(&[at(8)]), Ok(()));
        assert_eq!(pass(&[at(16)]), ACCESS(0));
        assert_eq!(pass(&[at(-8)]), ACCESS(0));
        assert_eq!(pass(&[at(4)]), ACCESS(0));
        assert_eq!(pass(&[store_i32(P::ZERO, own(0))]), ACCESS(0), "half a word");
        assert_eq!(pass(&[store(P::ZERO, shared(0))]), Err(Refused::Hole { step: 0 }));
    }
    #[test]
    fn what_was_not_written_is_refused() {
        for place in [P::V1, P::V2, P::V5, P::V6, P::THREAD, P::CALLER] {
            assert_eq!(pass(&[copy(P::V3, place)]), PLACE(0), "{place:?}");
        }
        assert_eq!(pass(&[load(P::V3, own(1))]), PLACE(0), "a word of the frame");
        let one_way = [different(P::ARGUMENT, P::ZERO).on(2), number(P::V3, 1), copy(P::V4, P::V3)];
        assert_eq!(pass(&one_way), PLACE(2), "on one of two ways");
    }
    #[test]
    fn an_address_for_the_callee_is_refused() {
        assert_eq!(pass(&from_record(&[copy(P::ARGUMENT, P::V3)])), PLACE(2));
        assert_eq!(pass(&[callee_record(P::V3), shift_right(P::V3, P::V3, 1)]), PLACE(1));
        assert_eq!(pass(&[record_part(P::ARGUMENT)]), PLACE(0));
        assert_eq!(pass(&[callee_record(P::ARGUMENT)]), PLACE(0));
    }
    #[test]
    fn an_address_that_is_compared_is_refused() {
        assert_eq!(pass(&from_record(&[below(P::V3, P::ARGUMENT).on(1)])), PLACE(2));
        assert_eq!(pass(&from_record(&[equal(P::V3, P::ARGUMENT).on(1)])), PLACE(2));
        assert_eq!(pass(&from_record(&[less(P::V3, P::ZERO).on(1)])), PLACE(2));
        assert_eq!(pass(&from_record(&[equal(P::V3, P::V3).on(1)])), PLACE(2));
        assert_eq!(pass(&[callee_record(P::V3), different(P::V3, P::ZERO).on(1)]), PLACE(1));
        assert_eq!(pass(&from_record(&[equal(P::V3, P::ZERO).on(1)])), Ok(()), "whether there is one");
    }
    #[test]
    fn an_address_that_may_be_0_is_refused_until_it_is_known() {
        let ask = [
            WHOLE[0],
            copy(P::V2, P::V3).with(Fill::RECORD_REST),
            different(P::ARGUMENT, P::ZERO).on(2),
            number(P::V2, 0),
            store(P::V2, own(1)),
        ];
        let with = |pass: &[Step]| check(&of([&[], pass, &[], &[], &ask], 2));
        let (load, end) = (load(P::V3, own(1)), store(P::ZERO, record(P::V3, 0)));
        let (zero, other) = (equal(P::V3, P::ZERO).on(2), different(P::V3, P::ZERO).on(2));
        assert_eq!(with(&[load, zero, end]), Ok(()));
        assert_eq!(with(&[load, other, number(P::V3, 0), copy(P::V4, P::V3)]), Ok(()));
        assert_eq!(with(&[load, end]), ACCESS(1));
        assert_eq!(with(&[load, other, end]), ACCESS(2));
    }
    #[test]
    fn a_check_that_writes_the_record_is_refused() {
        let steps = [WHOLE[0], store(P::ZERO, record(P::V3, 0).rest())];
        assert_eq!(check(&of([&steps, &[], &[], &[], &[]], 2)), ACCESS(1));
    }
    #[test]
    fn a_return_that_changes_what_a_word_is_is_refused() {
        let first = from_record(&[store(P::V3, own(0)), store(P::ZERO, own(1))]);
        let with = |back: &[Step]| check(&of([&[], &first, back, &[], &[]], 2));
        let back = [load(P::V3, own(0)), store(P::ZERO, record(P::V3, 0)), store(P::ZERO, own(1))];
        assert_eq!(with(&back), Ok(()));
        assert_eq!(with(&[number(P::V3, 9), store(P::V3, own(0))]), ACCESS(5));
    }
    #[test]
    fn forgetting_and_steps_that_not_every_portal_has_are_refused() {
        assert_eq!(check(&of([&[], &[], &[forget(P::ZERO, P::ZERO)], &[], &[]], 2)), Err(Refused::Step { step: 0 }));
        assert_eq!(pass(&[number(P::V3, 0).more()]), Err(Refused::Hole { step: 0 }));
    }
    #[test]
    fn a_fault_without_a_value_is_refused() {
        let mut template = of([&[], &[], &[], &[], &[]], 2);
        template.letters[0].fault = abi::nucleus::fault::ARGUMENT as u8;
        assert!(matches!(check(&template), Err(Refused::Place { .. })));
    }
    #[test]
    fn more_open_ways_than_are_followed_are_refused() {
        let mut steps = [equal(P::ARGUMENT, P::ZERO).on(6); WAYS + 1].to_vec();
        steps.extend([number(P::V3, 0); 5]);
        assert_eq!(pass(&steps), Err(Refused::Branch { step: WAYS }));
    }
    #[test]
    fn templates_that_walk_page_tables_are_not_confined() {
        for template in [
            memory_logic::windows::at_call(),
            memory_logic::windows::at_touch(),
            memory_logic::transfer_letters::transfers(),
        ] {
            assert!(check(&template).is_err());
        }
    }
}
