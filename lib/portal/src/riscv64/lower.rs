//! Steps lowered to RISC-V: an instruction for each, with its holes.
//!
//! The values are `t1`, `t3`, `t4`, `t5`, `t6` and `a6`, which portal code has free; the frame is at `t0`, the calling domain's record at `t2`, the
//! thread at `tp`, a short circuit's record at `t3`. The address of a template's record comes in two: what `lui` makes of it, and the
//! rest, a number of 12 bits with sign.
//!
//! What is lowered was checked ([`crate::form`], [`crate::short_circuit`]). Nothing here decides about more than how a step is written.

use super::circuit::{RECORD, enter};
use super::emit::OFFSET;
use super::encode::*;
use abi::section::SHORT_CIRCUIT;
use abi::step::{Base, Fill, Operation, Place, Step, Way};
use abi::template::{CODE, Lowered, Template, Word};

/// What [`Word::hole`] says: register fields in bits 0 to 5, the kind in bits 8 to 15, its operand in bits 16 to 31. Where nothing
/// is filled in, the operand is how many such words there are from this one on: all of them are copied at once.
pub(super) mod hole {
    use abi::template::Word;

    /// The argument's register goes to the field.
    pub const RD: u32 = 1;
    pub const RS1: u32 = 2;
    pub const RS2: u32 = 4;
    /// The same for the argument behind it, its length.
    pub const LENGTH_RS1: u32 = 16;
    pub const LENGTH_RS2: u32 = 32;
    /// The word is left out where no letter of the template follows.
    pub const MORE: u32 = 64;

    /// How many kinds there are.
    pub const KINDS: usize = 12;
    /// The frame offset of the letter's own words is added to the immediate of a load or store.
    pub const OWN: u32 = 1;
    /// The same, of the words that the letters of the template share.
    pub const COMMON: u32 = 2;
    /// `lui` of the callee's portal table, which its record lies behind.
    pub const CALLEE: u32 = 3;
    /// See [`abi::step::Fill`].
    pub const ASID: u32 = 4;
    pub const PARAMETER: u32 = 5;
    /// The branch is to where the call ends with error `operand`.
    pub const FAIL: u32 = 6;
    /// The branch is to where the letter's fault is raised.
    pub const SLOW: u32 = 7;
    /// `lui` of the upper part of the record's address.
    pub const RECORD_UPPER: u32 = 8;
    /// The lower part of the record's address is added.
    pub const RECORD_LOWER: u32 = 9;
    pub const PLACE: u32 = 10;
    pub const MODE: u32 = 11;

    #[inline(always)]
    pub const fn kind(word: Word) -> u32 {
        word.hole >> 8 & 0xff
    }
    #[inline(always)]
    pub const fn operand(word: Word) -> u32 {
        word.hole >> 16
    }
}
/// Whether nothing is filled in.
#[inline(always)]
pub(super) const fn is_whole(word: Word) -> bool {
    word.hole & 0xffff == 0
}

/// The register of a place; of an argument's, which is filled in, `zero`.
const fn register(place: Place) -> Register {
    match place {
        Place::V1 => T1,
        Place::V2 => T3,
        Place::V3 => T4,
        Place::V4 => T5,
        Place::V5 => T6,
        Place::V6 => A6,
        Place::THREAD => TP,
        Place::CALLER => T2,
        Place(n) if n >= Place::W0.0 && n <= Place::W5.0 => Register(A0.0 + n - Place::W0.0),
        _ => ZERO,
    }
}
/// The register that an access goes through.
const fn base(step: Step) -> Register {
    match (step.base, step.first) {
        (Base::OWN | Base::SHARED, _) => T0,
        (Base::THREAD, Place::ZERO) => TP,
        (Base::CALLER, Place::ZERO) => T2,
        (Base::RECORD, Place::ZERO) => RECORD,
        (_, holder) => register(holder),
    }
}
const fn instruction(step: Step) -> u32 {
    let (to, first, second, number) =
        (register(step.to), register(step.first), register(step.second), step.number as i32);
    match step.operation {
        Operation::ADD_NUMBER => addi(to, first, number),
        Operation::AND_NUMBER => andi(to, first, number),
        Operation::OR_NUMBER => ori(to, first, number),
        Operation::XOR_NUMBER => xori(to, first, number),
        Operation::BELOW_NUMBER => sltiu(to, first, number),
        Operation::SHIFT_LEFT => slli(to, first, number),
        Operation::SHIFT_RIGHT => srli(to, first, number),
        Operation::ADD_NUMBER_32 => addiw(to, first, number),
        Operation::SHIFT_LEFT_32 => slliw(to, first, number),
        Operation::ADD => add(to, first, second),
        Operation::SUBTRACT => sub(to, first, second),
        Operation::AND => and(to, first, second),
        Operation::OR => or(to, first, second),
        Operation::XOR => xor(to, first, second),
        Operation::PAGES => lui(to, number as u32),
        Operation::CALLEE | Operation::RECORD => lui(to, 0),
        Operation::LOAD => ld(to, base(step), number),
        Operation::LOAD_I32 => lw(to, base(step), number),
        Operation::LOAD_U16 => lhu(to, base(step), number),
        Operation::STORE => sd(second, base(step), number),
        Operation::STORE_I32 => sw(second, base(step), number),
        Operation::FORGET => sfence_vma(first, second),
        _ => branch(step, first, second),
    }
}
/// The branch, with its offset where that is known.
const fn branch(step: Step, first: Register, second: Register) -> u32 {
    let offset = match step.way() {
        Some(Way::On(steps)) => 4 * steps as i32,
        _ => 0,
    };
    match step.operation {
        Operation::EQUAL => beq(first, second, offset),
        Operation::DIFFERENT => bne(first, second, offset),
        Operation::LESS => blt(first, second, offset),
        Operation::NOT_LESS => bge(first, second, offset),
        _ => bltu(first, second, offset),
    }
}
/// Kind and operand of what is filled in.
const fn filled(step: Step) -> u32 {
    if step.is_branch() {
        return match step.way() {
            Some(Way::Fail(error)) => hole::FAIL << 8 | (error as u32) << 16,
            Some(Way::Slow) => hole::SLOW << 8,
            _ => 0,
        };
    }
    let kind = match (step.base, step.operation, step.fill()) {
        (Base::OWN, ..) => hole::OWN,
        (Base::SHARED, ..) => hole::COMMON,
        (_, Operation::CALLEE, _) => hole::CALLEE,
        (_, Operation::RECORD, _) => hole::RECORD_UPPER,
        (_, _, Fill::RECORD_REST) => hole::RECORD_LOWER,
        (_, _, Fill::PLACE) => hole::PLACE,
        (_, _, Fill::ASID) => hole::ASID,
        (_, _, Fill::MODE) => hole::MODE,
        (_, _, fill) => match fill.parameter() {
            // Which one is the operand.
            Some(n) => hole::PARAMETER | (n as u32) << 8,
            None => 0,
        },
    };
    kind << 8
}
/// Fields that the argument's register, or its length's, goes to.
const fn fields(step: Step) -> u32 {
    let mut fields = if step.is_more() { hole::MORE } else { 0 };
    if matches!(step.to, Place::ARGUMENT) && !step.is_branch() {
        fields |= hole::RD;
    }
    fields |= match step.first {
        Place::ARGUMENT => hole::RS1,
        Place::LENGTH => hole::LENGTH_RS1,
        _ => 0,
    };
    fields
        | match step.second {
            Place::ARGUMENT => hole::RS2,
            Place::LENGTH => hole::LENGTH_RS2,
            _ => 0,
        }
}
/// One step of a template.
pub(super) const fn word(step: Step) -> Word {
    Word { instruction: instruction(step), hole: filled(step) | fields(step) }
}
/// Lowers `template`, whose form was checked.
pub const fn template_into(template: &Template, out: &mut Lowered) {
    let Template { record, words, letter_count, code_count, choice, letters, before, after, ref code } = *template;
    (out.record, out.words, out.letter_count, out.code_count, out.choice) =
        (record, words, letter_count, code_count, choice);
    (out.letters, out.before, out.after) = (letters, before, after);
    let (mut n, mut run) = (if code_count as usize > CODE { CODE } else { code_count as usize }, 0);
    while n > 0 {
        n -= 1;
        out.code[n] = word(code[n]);
        run = if is_whole(out.code[n]) { run + 1 } else { 0 };
        if run != 0 {
            out.code[n].hole = run << 16;
        }
    }
}
/// The same as a value.
pub const fn template(template: &Template) -> Lowered {
    let mut out = Lowered::NONE;
    template_into(template, &mut out);
    out
}
/// Lowers a short circuit, which was checked: as many words as there are steps.
pub const fn short_circuit(steps: &[Step]) -> [u32; SHORT_CIRCUIT] {
    let mut words = [0; SHORT_CIRCUIT];
    let mut n = 0;
    while n < steps.len() && n < SHORT_CIRCUIT {
        let enters = steps[n].is_branch() && matches!(steps[n].way(), Some(Way::Enter));
        words[n] = instruction(steps[n]) | if enters { beq(ZERO, ZERO, enter(n, steps.len())) & OFFSET } else { 0 };
        n += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writer::Writer;
    use abi::step::*;
    use abi::template::Part;

    #[test]
    fn words_without_holes_are_counted() {
        let mut w = Writer::new();
        w.all([number(Place::V1, 0), number(Place::V3, 0), store(Place::V3, own(0)), number(Place::V4, 0)]);
        let lowered = template(&w.finish(0));
        assert_eq!(lowered.code[..4].iter().map(|&w| hole::operand(w)).collect::<Vec<_>>(), [2, 1, 0, 1]);
        assert_eq!(lowered.letters[0].parts[0], Part::NONE);
    }
    #[test]
    fn each_operation_is_an_instruction_of_portals() {
        for n in 1..=Operation::FORGET.0 {
            let word = instruction(Step::of(Operation(n)));
            // A branch by nothing is none.
            assert!(crate::disassemble::known(word), "operation {n}: {word:08x}");
        }
    }
}
