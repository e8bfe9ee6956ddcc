//! Confinement: what the code of a template that a server registers may reach.
//!
//! It runs in supervisor mode, so its form alone ([`crate::template::check`]) does not keep it from anything. Here each part is
//! gone through as it would be executed, with what is known of each register: a number and its bounds, or an address in the
//! server's record. Loads and stores are allowed in the letter's own words of the frame, in the record, and of the public fields
//! of the thread and of the two domains; whatever register was not written by the part itself may not even be read. So
//! nothing that such code does depends on the supervisor's memory or changes it, and the callee is passed numbers only.
//!
//! The memory manager's templates walk and fill page tables and are not confined: they belong to the trusted base, which has them
//! in the image. `./pebble check` counts them.

use crate::encode::*;
use crate::specification::ARGUMENTS;
use crate::template::{FRAME_WORDS, Refused};
use abi::address::PAGE;
use abi::nucleus::{MAX_DOMAINS, Thread, domain};
use abi::template::{LETTERS, Letter, Part, Template, Word, hole, part};
use core::mem::offset_of;

/// What is known of a register, or of a word of the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// Not written on every way to here.
    Unset,
    Number(Bounds),
    /// The upper part of the record's address and a number.
    Upper(Bounds),
    /// The record's address and a number; or, where that is possible, 0.
    Record(Bounds, bool),
    /// The callee's portal table.
    Callee,
}
use Value::*;

/// A number: its most, [`ANY`] for every one of 64 bits, and how many of its lowest bits are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bounds {
    most: u32,
    zeros: u8,
}
const ANY: u32 = u32::MAX;
const WORD: Value = Number(Bounds { most: ANY, zeros: 0 });
impl Bounds {
    fn of(value: u32) -> Bounds {
        Bounds { most: value, zeros: if value == 0 { 63 } else { value.trailing_zeros() as u8 } }
    }
    fn plus(self, other: Bounds) -> Bounds {
        Bounds { most: self.most.saturating_add(other.most), zeros: self.zeros.min(other.zeros) }
    }
    fn or(self, other: Bounds) -> Bounds {
        Bounds { most: self.most.max(other.most), zeros: self.zeros.min(other.zeros) }
    }
    fn shifted_left(self, by: u32) -> Bounds {
        let most = if self.most == ANY { ANY } else { u32::try_from((self.most as u64) << by.min(31)).unwrap_or(ANY) };
        Bounds { most: if by > 31 && self.most != 0 { ANY } else { most }, zeros: (self.zeros + by as u8).min(63) }
    }
    fn shifted_right(self, by: u32) -> Bounds {
        let most = if self.most == ANY { u64::MAX } else { self.most as u64 } >> by;
        Bounds { most: u32::try_from(most).unwrap_or(ANY), zeros: self.zeros.saturating_sub(by as u8) }
    }
}
impl Value {
    /// What is known where two ways meet.
    fn or(self, other: Value) -> Value {
        let nothing = |b: Bounds| b.most == 0;
        match (self, other) {
            (a, b) if a == b => a,
            (Number(a), Number(b)) => Number(a.or(b)),
            (Record(a, m), Record(b, n)) => Record(a.or(b), m || n),
            (Record(a, _), Number(b)) | (Number(b), Record(a, _)) if nothing(b) => Record(a, true),
            _ => Unset,
        }
    }
}

/// The registers that a part may write, and the letter's own words.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    registers: [Value; 6],
    words: [Value; FRAME_WORDS as usize],
}
const REGISTERS: [Register; 6] = [T1, T3, T4, T5, T6, A6];
impl State {
    /// At the start of a part.
    fn new(words: [Value; FRAME_WORDS as usize]) -> State {
        State { registers: [Unset; 6], words }
    }
    fn or(self, other: State) -> State {
        State {
            registers: core::array::from_fn(|n| self.registers[n].or(other.registers[n])),
            words: core::array::from_fn(|n| self.words[n].or(other.words[n])),
        }
    }
    fn place(register: u32) -> Option<usize> {
        REGISTERS.iter().position(|r| r.0 as u32 == register)
    }
    fn set(&mut self, register: u32, value: Value) {
        if let Some(n) = State::place(register) {
            self.registers[n] = value;
        }
    }
}

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
        if letter.fault != 0 && !matches!(end.registers[0], Number(_)) {
            return Err(Refused::Register { word: letter.parts[part::SLOW].first as usize });
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
    fn go(&self, p: Part, words: [Value; FRAME_WORDS as usize]) -> Result<State, Refused> {
        let (first, end) = (p.first as usize, p.first as usize + p.count as usize);
        let code = self.template.code.get(..end).ok_or(Refused::Part { letter: LETTERS })?;
        let mut state = State::new(words);
        let mut ways: [Option<(usize, State)>; WAYS] = [None; WAYS];
        let meet = |ways: &mut [Option<(usize, State)>; WAYS], state: &mut State, at: usize| {
            for way in ways.iter_mut() {
                if let Some((_, other)) = way.take_if(|(to, _)| *to == at) {
                    *state = state.or(other);
                }
            }
        };
        for (at, &word) in code.iter().enumerate().skip(first) {
            meet(&mut ways, &mut state, at);
            if let Some(branched) = self.step(&mut state, word, at)? {
                let (_, offset) = crate::template::branch_offset(word.instruction);
                let free = ways.iter_mut().find(|way| way.is_none()).ok_or(Refused::Branch { word: at })?;
                *free = Some((at + offset / 4, branched));
            }
        }
        meet(&mut ways, &mut state, end);
        Ok(state)
    }

    /// What a source register holds; `hole`: it is the argument or its length.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn source(&self, state: &State, register: u32, hole: bool, at: usize) -> Result<Value, Refused> {
        if hole {
            return Ok(WORD);
        }
        if register == ZERO.0 as u32 {
            return Ok(Number(Bounds::of(0)));
        }
        match State::place(register).map(|n| state.registers[n]) {
            None | Some(Unset) => Err(Refused::Register { word: at }),
            Some(value) => Ok(value),
        }
    }

    /// One instruction. What is known where it branches to, if that is in the part.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn step(&self, state: &mut State, word: Word, at: usize) -> Result<Option<State>, Refused> {
        let Word { instruction, hole } = word;
        let (opcode, function) = (instruction & 0x7f, instruction >> 12 & 7);
        let (rd, rs1, rs2) = (instruction >> 7 & 31, instruction >> 15 & 31, instruction >> 20 & 31);
        let immediate = instruction as i32 >> 20;
        let (hole1, hole2) = (hole & (hole::RS1 | hole::LENGTH_RS1) != 0, hole & (hole::RS2 | hole::LENGTH_RS2) != 0);
        let address = Err(Refused::Access { word: at });
        let register = Err(Refused::Register { word: at });
        if hole & hole::MORE != 0 || word.kind() == hole::COMMON {
            return Err(Refused::Hole { word: at });
        }
        let made = match opcode {
            0x03 => match self.reaches(state, word, rs1, immediate, 1 << (function & 3), at)? {
                Place::Own(n) => state.words[n],
                Place::Record | Place::Public => WORD,
            },
            0x23 => {
                let immediate = (instruction as i32 >> 25 << 5) | rd as i32;
                let value = self.source(state, rs2, hole2, at)?;
                match self.reaches(state, word, rs1, immediate, 1 << (function & 3), at)? {
                    Place::Own(n) => {
                        // 8 bytes at a time, and what the return finds when it is made again is what it was.
                        if function != 3 || (self.which == part::BACK && state.words[n].or(value) != state.words[n]) {
                            return address;
                        }
                        state.words[n] = value;
                    }
                    Place::Record if matches!(self.which, part::PASS | part::BACK) => {
                        if !matches!(value, Number(_)) {
                            return register;
                        }
                    }
                    _ => return address,
                }
                return Ok(None);
            }
            0x63 => {
                let (a, b) = (self.source(state, rs1, hole1, at)?, self.source(state, rs2, hole2, at)?);
                if matches!(word.kind(), hole::FAIL | hole::SLOW) {
                    return Ok(None);
                }
                let mut branched = *state;
                // Where a record's address is compared with 0, each way knows more.
                if let (Record(bounds, true), Number(Bounds { most: 0, .. }), 0 | 1) = (a, b, function) {
                    let there = if function == 0 { &mut *state } else { &mut branched };
                    there.set(rs1, Record(bounds, false));
                }
                return Ok(Some(branched));
            }
            0x37 => match word.kind() {
                hole::RECORD_UPPER | hole::CALLEE if instruction >> 12 != 0 => return Err(Refused::Hole { word: at }),
                hole::RECORD_UPPER if self.record().is_some() => Upper(Bounds::of(0)),
                hole::RECORD_UPPER => return address,
                hole::CALLEE => Callee,
                _ if (instruction as i32) < 0 => WORD,
                _ => Number(Bounds::of(instruction & !0xfff)),
            },
            0x13 | 0x1b => {
                let value = self.source(state, rs1, hole1, at)?;
                self.computed(word, value, immediate).ok_or(Refused::Register { word: at })?
            }
            0x33 => {
                let (a, b) = (self.source(state, rs1, hole1, at)?, self.source(state, rs2, hole2, at)?);
                match (a, b) {
                    (Number(a), Number(b)) => match (function, instruction >> 25) {
                        (0, 0) => Number(a.plus(b)),
                        (7, 0) => Number(Bounds { most: a.most.min(b.most), zeros: a.zeros.max(b.zeros) }),
                        _ => WORD,
                    },
                    (Upper(a), Number(b)) | (Number(b), Upper(a)) if instruction >> 25 == 0 && function == 0 => {
                        Upper(a.plus(b))
                    }
                    (Record(a, false), Number(b)) | (Number(b), Record(a, false))
                        if instruction >> 25 == 0 && function == 0 =>
                    {
                        Record(a.plus(b), false)
                    }
                    _ => return register,
                }
            }
            _ => return Err(Refused::Instruction { word: at }),
        };
        if hole & hole::RD != 0 {
            // The callee gets numbers.
            return if matches!(made, Number(_)) { Ok(None) } else { register };
        }
        if made == Unset {
            return register;
        }
        state.set(rd, made);
        Ok(None)
    }

    /// The result of an instruction with an immediate; `None`: it is no number, and no address either.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn computed(&self, word: Word, value: Value, immediate: i32) -> Option<Value> {
        let (opcode, function) = (word.instruction & 0x7f, word.instruction >> 12 & 7);
        let up = Bounds::of(immediate.max(0) as u32);
        Some(match (word.kind(), opcode, function, value) {
            (hole::RECORD_LOWER, 0x13, 0, Upper(a)) => Record(a.plus(self.lower(immediate)?), false),
            (hole::PLACE, 0x13, 0, Number(Bounds { most: 0, .. })) if immediate == 0 => {
                Number(Bounds { most: PLACES, zeros: 4 })
            }
            (hole::ASID, 0x13, 0, Number(Bounds { most: 0, .. })) if immediate == 0 => {
                Number(Bounds { most: MAX_DOMAINS as u32 - 1, zeros: 0 })
            }
            (0, 0x13, 0, Record(a, may)) if immediate >= 0 && (!may || immediate == 0) => Record(a.plus(up), may),
            (0, 0x13, 0, Number(a)) if immediate >= 0 => Number(a.plus(up)),
            (0, 0x13, 7, Number(a)) if immediate >= 0 => {
                Number(Bounds { most: a.most.min(up.most), zeros: a.zeros.max(up.zeros) })
            }
            (0, 0x13, 1, Number(a)) => Number(a.shifted_left(immediate as u32)),
            (0, 0x13, 5, Number(a)) => Number(a.shifted_right(immediate as u32)),
            (0, 0x13, 3, Number(_)) => Number(Bounds::of(1)),
            (0 | hole::PARAMETER | hole::PLACE | hole::ASID | hole::MODE, _, _, Number(_)) => WORD,
            _ => return None,
        })
    }

    /// The offset of the record in its page, if there is one, at a multiple of 8.
    fn record(&self) -> Option<u32> {
        let record = self.template.record;
        (record != 0 && record.is_multiple_of(8)).then_some(record as u32 % PAGE as u32)
    }
    /// What the lower part of the record's address comes to with an immediate beside it: that, where the sum has room.
    fn lower(&self, immediate: i32) -> Option<Bounds> {
        let low = (self.record()? as i32) << 20 >> 20;
        (immediate >= 0 && low + immediate < 2048).then(|| Bounds::of(immediate as u32))
    }

    /// What an access of `bytes` at `immediate` of register `base` reaches.
    #[cfg_attr(target_os = "none", optimize(size))]
    fn reaches(
        &self,
        state: &State,
        word: Word,
        base: u32,
        immediate: i32,
        bytes: u32,
        at: usize,
    ) -> Result<Place, Refused> {
        let refused = Refused::Access { word: at };
        let is = |register: Register| base == register.0 as u32;
        if word.hole & (hole::RS1 | hole::LENGTH_RS1) != 0 {
            return Err(refused);
        }
        if word.kind() == hole::OWN {
            let words = self.letter.map_or(0, |letter| letter.words.min(FRAME_WORDS)) as i32;
            let inside = is(T0) && bytes == 8 && immediate % 8 == 0 && (0..8 * words).contains(&immediate);
            return if inside { Ok(Place::Own(immediate as usize / 8)) } else { Err(refused) };
        }
        let offset = |more: u32| Bounds::of(immediate as u32).plus(Bounds { most: more, zeros: 4 });
        let value = if is(T0) || is(T2) || is(TP) { None } else { Some(self.source(state, base, false, at)?) };
        let reached = match (word.kind(), value) {
            (0, None) if is(TP) && immediate == offset_of!(Thread, index) as i32 => return Ok(Place::Public),
            (0, None) if is(T2) && PUBLIC.contains(&immediate) => return Ok(Place::Public),
            (0, Some(Callee)) if PUBLIC.contains(&immediate) => return Ok(Place::Public),
            (0, Some(Record(a, false))) if immediate >= 0 => a.plus(offset(0)),
            (hole::PLACE, Some(Record(a, false))) if immediate >= 0 && immediate + (PLACES as i32) < 2048 => {
                a.plus(offset(PLACES))
            }
            (hole::RECORD_LOWER, Some(Upper(a))) => a.plus(self.lower(immediate).ok_or(refused)?),
            _ => return Err(refused),
        };
        let room = PAGE as u32 - self.record().ok_or(refused)?;
        let aligned = reached.zeros as u32 >= bytes.trailing_zeros();
        if aligned && reached.most.saturating_add(bytes) <= room { Ok(Place::Record) } else { Err(refused) }
    }
}
/// The most that [`hole::PLACE`] adds.
const PLACES: u32 = 16 * (ARGUMENTS as u32 - 1);
/// Fields of a domain that anybody may be told.
const PUBLIC: [i32; 2] = [domain::IDENTITY, domain::ASID];

/// What a load or store reaches.
enum Place {
    /// A word of the letter's own.
    Own(usize),
    Record,
    Public,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Writer;

    const RECORD: u64 = 0x7000;
    fn of(parts: [&[Word]; 5], words: u8) -> Template {
        let mut w = Writer::new();
        let parts = parts.map(|words| {
            let at = w.position();
            words.iter().for_each(|&word| w.put(word));
            w.part(at)
        });
        w.letter(Letter { letter: b'q', words, parts, ..Letter::NONE });
        Template { record: RECORD, ..w.finish(2) }
    }
    fn pass(words: &[Word]) -> Result<(), Refused> {
        let template = of([&[], words, &[], &[], &[]], 2);
        assert_eq!(crate::template::check(&template), Ok(()), "its form is right");
        check(&template)
    }
    fn w(instruction: u32) -> Word {
        Word::new(instruction)
    }
    fn upper() -> Word {
        w(lui(T4, 0)).record_upper()
    }
    const ACCESS: fn(usize) -> Result<(), Refused> = |word| Err(Refused::Access { word });
    const REGISTER: fn(usize) -> Result<(), Refused> = |word| Err(Refused::Register { word });

    #[test]
    fn its_record_may_be_read_and_written() {
        assert_eq!(pass(&[upper(), w(ld(T5, T4, 8)).record_lower(), w(sd(T5, T4, 0)).record_lower()]), Ok(()));
        let last = w(ld(T5, T4, 2032));
        let far = [upper(), w(addi(T4, T4, 0)).record_lower(), w(addi(T4, T4, 2040)), w(addi(T4, T4, 16)), last];
        assert_eq!(pass(&far), Ok(()));
    }
    #[test]
    fn beyond_its_record_is_refused() {
        let lower = w(addi(T4, T4, 0)).record_lower();
        let far = |load| pass(&[upper(), lower, w(addi(T4, T4, 2040)), w(addi(T4, T4, 16)), w(addi(T4, T4, 8)), load]);
        assert_eq!(far(w(ld(T5, T4, 2032))), ACCESS(5));
        assert_eq!(pass(&[upper(), lower, w(ld(T5, T4, -8))]), ACCESS(2));
        assert_eq!(pass(&[upper(), lower, w(ld(T5, T4, 4))]), ACCESS(2), "not aligned");
        let wraps = Template {
            record: RECORD + 0x7f8,
            ..of([&[], &[upper(), w(ld(T5, T4, 8)).record_lower()], &[], &[], &[]], 2)
        };
        assert_eq!(check(&wraps), ACCESS(1), "the lower part wraps");
    }
    #[test]
    fn a_record_that_there_is_not_is_refused() {
        let template = Template { record: 0, ..of([&[], &[upper()], &[], &[], &[]], 2) };
        assert_eq!(check(&template), ACCESS(0));
    }
    #[test]
    fn an_index_without_a_bound_is_refused() {
        let base = [upper(), w(addi(T4, T4, 0)).record_lower()];
        let with =
            |index: Word| pass(&[base[0], base[1], index, w(slli(T5, T5, 3)), w(add(T4, T4, T5)), w(ld(T1, T4, 0))]);
        assert_eq!(with(w(andi(T5, ZERO, 511)).rs1()), Ok(()));
        assert_eq!(with(w(andi(T5, ZERO, 1023)).rs1()), ACCESS(5));
        assert_eq!(with(w(addi(T5, ZERO, 0)).rs1()), ACCESS(5));
        assert_eq!(with(w(srli(T5, ZERO, 55)).rs1()), Ok(()));
    }
    #[test]
    fn another_address_is_refused() {
        assert_eq!(pass(&[w(addi(T4, ZERO, 0)).rs1(), w(ld(T5, T4, 0))]), ACCESS(1), "the caller's word");
        assert_eq!(pass(&[w(lui(T4, 0x80400)), w(ld(T5, T4, 0))]), ACCESS(1), "a constant");
        assert_eq!(pass(&[w(ld(T5, T0, 0))]), ACCESS(0), "the frame's head");
        assert_eq!(pass(&[w(sd(ZERO, TP, 0))]), ACCESS(0), "the thread");
        assert_eq!(pass(&[w(ld(T5, TP, 0))]), ACCESS(0), "the thread");
        assert_eq!(pass(&[w(ld(T5, T2, domain::ROOT))]), ACCESS(0), "page tables");
        assert_eq!(pass(&[w(lui(T4, 0)).callee(), w(ld(T5, T4, domain::SPACE))]), ACCESS(1), "page tables");
        assert_eq!(pass(&[w(lui(T4, 0)).callee(), w(sd(ZERO, T4, domain::IDENTITY))]), ACCESS(1), "the callee");
    }
    #[test]
    fn public_fields_may_be_read() {
        assert_eq!(
            pass(&[w(ld(T5, T2, domain::IDENTITY)), w(lui(T4, 0)).callee(), w(ld(T4, T4, domain::ASID))]),
            Ok(())
        );
        assert_eq!(pass(&[w(ld(ZERO, TP, offset_of!(Thread, index) as i32)).rd()]), Ok(()));
    }
    #[test]
    fn words_of_the_frame_that_are_not_its_own_are_refused() {
        assert_eq!(pass(&[w(sd(ZERO, T0, 16)).own()]), ACCESS(0));
        assert_eq!(pass(&[w(sd(ZERO, T0, -8)).own()]), ACCESS(0));
        assert_eq!(pass(&[w(sd(ZERO, T0, 4)).own()]), ACCESS(0));
        assert_eq!(pass(&[w(sd(ZERO, T0, 0)).common()]), Err(Refused::Hole { word: 0 }));
        assert_eq!(pass(&[w(addi(T4, ZERO, 0)), w(sd(ZERO, T4, 0)).own()]), ACCESS(1), "from another base");
    }
    #[test]
    fn what_was_not_written_is_refused() {
        for register in [RA, SP, TP, T0, T1, T2, T3, S0, A0, A7] {
            assert_eq!(pass(&[w(addi(T4, register, 0))]), REGISTER(0), "{register:?}");
        }
        assert_eq!(pass(&[w(ld(T4, T0, 8)).own()]), REGISTER(0), "a word of the frame");
        let one_way = [w(bne(ZERO, ZERO, 8)).rs1(), w(addi(T4, ZERO, 1)), w(addi(T5, T4, 0))];
        assert_eq!(pass(&one_way), REGISTER(2), "on one of two ways");
    }
    #[test]
    fn an_address_for_the_callee_is_refused() {
        assert_eq!(pass(&[upper(), w(addi(T4, T4, 0)).record_lower(), w(addi(ZERO, T4, 0)).rd()]), REGISTER(2));
        assert_eq!(pass(&[w(lui(T4, 0)).callee(), w(srli(T4, T4, 1))]), REGISTER(1));
    }
    #[test]
    fn an_address_that_may_be_0_is_refused_until_it_is_known() {
        let ask = [
            upper(),
            w(addi(T3, T4, 0)).record_lower(),
            w(bne(ZERO, ZERO, 8)).rs1(),
            w(addi(T3, ZERO, 0)),
            w(sd(T3, T0, 8)).own(),
        ];
        let with = |pass: &[Word]| check(&of([&[], pass, &[], &[], &ask], 2));
        let load = w(ld(T4, T0, 8)).own();
        assert_eq!(with(&[load, w(beq(T4, ZERO, 8)), w(sd(ZERO, T4, 0))]), Ok(()));
        assert_eq!(with(&[load, w(bne(T4, ZERO, 8)), w(addi(T4, ZERO, 0)), w(addi(T5, T4, 0))]), Ok(()));
        assert_eq!(with(&[load, w(sd(ZERO, T4, 0))]), Err(Refused::Access { word: 1 }));
        assert_eq!(with(&[load, w(bne(T4, ZERO, 8)), w(sd(ZERO, T4, 0))]), Err(Refused::Access { word: 2 }));
    }
    #[test]
    fn a_check_that_writes_the_record_is_refused() {
        let words = [upper(), w(sd(ZERO, T4, 0)).record_lower()];
        assert_eq!(check(&of([&words, &[], &[], &[], &[]], 2)), ACCESS(1));
    }
    #[test]
    fn a_return_that_changes_what_a_word_is_is_refused() {
        let first = [upper(), w(addi(T4, T4, 0)).record_lower(), w(sd(T4, T0, 0)).own(), w(sd(ZERO, T0, 8)).own()];
        let with = |back: &[Word]| check(&of([&[], &first, back, &[], &[]], 2));
        assert_eq!(with(&[w(ld(T4, T0, 0)).own(), w(sd(ZERO, T4, 0)), w(sd(ZERO, T0, 8)).own()]), Ok(()));
        assert_eq!(with(&[w(addi(T4, ZERO, 9)), w(sd(T4, T0, 0)).own()]), Err(Refused::Access { word: 5 }));
    }
    #[test]
    fn flushes_and_words_that_not_every_portal_has_are_refused() {
        assert_eq!(
            check(&of([&[], &[], &[w(sfence_vma(ZERO, ZERO))], &[], &[]], 2)),
            Err(Refused::Instruction { word: 0 })
        );
        assert_eq!(pass(&[w(addi(T4, ZERO, 0)).more()]), Err(Refused::Hole { word: 0 }));
    }
    #[test]
    fn a_fault_without_a_value_is_refused() {
        let mut template = of([&[], &[], &[], &[], &[]], 2);
        template.letters[0].fault = abi::nucleus::fault::ARGUMENT as u8;
        assert!(matches!(check(&template), Err(Refused::Register { .. })));
    }
    #[test]
    fn more_open_ways_than_are_followed_are_refused() {
        let mut words = [w(beq(ZERO, ZERO, 24)).rs1(); WAYS + 1].to_vec();
        words.extend([w(addi(T4, ZERO, 0)); 5]);
        assert_eq!(pass(&words), Err(Refused::Branch { word: WAYS }));
    }
    #[test]
    fn templates_that_walk_page_tables_are_not_confined() {
        for template in
            [memory_logic::windows::at_call(), memory_logic::windows::at_touch(), memory_logic::transfers::transfers()]
        {
            assert!(check(&template).is_err());
        }
    }
}
