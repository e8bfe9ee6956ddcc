//! What fills a template's holes in one portal.

use super::emit::{Emitter, OFFSET};
use super::encode::A0;
use super::lower::{hole, is_whole};
use crate::connection::End;
use crate::uses::Use;
use abi::template::{LETTERS, Letter, Lowered, Part, Word};
use core::cell::Cell;

/// Their values.
pub(super) struct Filling<'a> {
    pub letter: &'a Letter,
    /// Number of the argument's register.
    pub argument: u32,
    /// By the kind of the hole: what goes into it.
    pub values: [u32; hole::KINDS],
    pub last: bool,
}
impl<'a> Filling<'a> {
    /// For a letter of `template` that the caller passes in argument register `from`, its words and those that its template's
    /// letters share at `own` and `common` in the frame, in a call to `callee`.
    #[inline(always)]
    pub fn new(template: &'a Lowered, used: &Use, argument: u8, callee: &End) -> Filling<'a> {
        let record = template.record as u32;
        let mut values = [0; hole::KINDS];
        values[hole::OWN as usize] = used.own as u32;
        values[hole::COMMON as usize] = used.common as u32;
        values[hole::CALLEE as usize] = callee.table as u32 & 0xffff_f000;
        values[hole::ASID as usize] = callee.asid as u32;
        values[hole::MODE as usize] = arch::riscv64::paging::mode(callee.supervisor());
        values[hole::RECORD_UPPER as usize] = record.wrapping_add(0x800) & 0xffff_f000;
        values[hole::RECORD_LOWER as usize] = record;
        let letter = &template.letters[used.letter as usize % LETTERS];
        values[hole::PLACE as usize] = 16 * (used.from as u32 >> (letter.length & 1));
        Filling { letter, argument: A0.0 as u32 + argument as u32, values, last: used.last }
    }
    /// `word` with the argument's registers in it.
    #[inline(always)]
    pub fn registers(&self, word: Word) -> u32 {
        let Word { mut instruction, hole } = word;
        /// Where a register goes, as a factor of its number: the lowest bit stands for `RD`, the next for `RS1`, `RS2`.
        const FACTOR: [u32; 8] = {
            let mut factors = [0; 8];
            let mut bits = 0;
            while bits < 8 {
                factors[bits] = ((bits & 1) << 7 | (bits >> 1 & 1) << 15 | (bits >> 2 & 1) << 20) as u32;
                bits += 1;
            }
            factors
        };
        if hole & 7 != 0 {
            instruction |= self.argument * FACTOR[hole as usize & 7];
        }
        if hole & 0x30 != 0 {
            instruction |= (self.argument + 1) * FACTOR[hole as usize >> 3 & 6];
        }
        instruction
    }
    /// What goes into the hole of `word`, which is of that kind.
    #[inline(always)]
    fn value(&self, word: Word, kind: u32) -> u32 {
        if kind == hole::PARAMETER {
            return self.letter.parameters.get(hole::operand(word) as usize).map_or(0, |&p| p as u32);
        }
        self.values.get(kind as usize).copied().unwrap_or(0)
    }
}
/// Adds to the immediate of a load, a store or an arithmetic instruction; the upper part of a `lui` is `value` itself.
#[inline(always)]
fn add_immediate(word: u32, value: u32) -> u32 {
    match word & 0x7f {
        0x37 => word | value,
        0x23 => {
            let now = (word >> 25 << 5 | word >> 7 & 31).wrapping_add(value);
            word & !OFFSET | (now >> 5 & 127) << 25 | (now & 31) << 7
        }
        _ => word.wrapping_add(value << 20),
    }
}
/// The code of a part.
#[inline(always)]
pub(super) fn code(template: &Lowered, p: Part) -> &[Word] {
    template.code.get(p.first as usize..p.first as usize + p.count as usize).unwrap_or(&[])
}
/// Puts `code` of a template in the portal; `link` gives the offset of a branch to one of the portal's tails, and is told where the
/// branch is.
#[inline(always)]
pub(super) fn put(e: &mut Emitter, code: &[Word], filling: &Filling, mut link: impl FnMut(Word, usize) -> u32) {
    e.put_some(code.len(), |places, start| {
        let places = &places[..code.len()];
        copy(places, code);
        let mut n = 0;
        while n < code.len() {
            let word = code[n];
            if is_whole(word) {
                n += hole::operand(word).max(1) as usize;
                continue;
            }
            if word.hole & hole::MORE != 0 && filling.last {
                break;
            }
            let instruction = filling.registers(word);
            places[n].set(match hole::kind(word) {
                0 => instruction,
                hole::FAIL | hole::SLOW => instruction | link(word, start + n),
                kind => add_immediate(instruction, filling.value(word, kind)),
            });
            n += 1;
        }
        n.min(code.len())
    });
}
/// Copies the instructions of `code`, four at a time.
#[inline(always)]
fn copy(places: &[Cell<u32>], code: &[Word]) {
    let ((places, few), (code, rest)) = (places.as_chunks::<4>(), code.as_chunks::<4>());
    for (place, word) in places.iter().zip(code) {
        (0..4).for_each(|n| place[n].set(word[n].instruction));
    }
    few.iter().zip(rest).for_each(|(place, word)| place.set(word.instruction));
}

#[cfg(test)]
mod tests {
    use super::super::emit::Buffer;
    use super::super::encode::{A2, A3, T0, T1, T3, T4, T5, TP, ZERO, addi, ld, lui, sd};
    use super::super::lower;
    use super::*;
    use abi::step::Place as P;
    use abi::step::*;

    #[test]
    fn holes_are_filled() {
        let mut template = Lowered { record: 0xFFFF_FFFF_8070_0FF0, ..Lowered::NONE };
        template.letters[0] = Letter { parameters: [5, -6, 7], ..Letter::NONE };
        let used = Use { from: 3, own: 64, common: 40, last: true, ..Use::NONE };
        let callee = End { table: 0xFFFF_FFFF_8050_1000, asid: 9, flags: 0 };
        let filling = Filling::new(&template, &used, 2, &callee);
        let filled = |step: Step| {
            let mut out = Buffer::EMPTY;
            put(&mut Emitter::new(&mut out), &[lower::word(step)], &filling, |_, _| 0);
            out.0[0]
        };
        assert_eq!(filled(add(P::ARGUMENT, P::ARGUMENT, P::LENGTH)), super::super::encode::add(A2, A2, A3));
        assert_eq!(filled(store(P::V1, own(1))), sd(T1, T0, 72));
        assert_eq!(filled(load(P::V1, shared(0))), ld(T1, T0, 40));
        assert_eq!(filled(callee_record(P::V2)), lui(T3, 0x80501));
        assert_eq!(filled(number(P::V4, 0).with(Fill::ASID)), addi(T5, ZERO, 9));
        assert_eq!(filled(add_number(P::V3, P::V3, 1).with(Fill::PARAMETER_1)), addi(T4, T4, -5));
        assert_eq!(filled(load(P::V2, thread(8).of_argument())), ld(T3, TP, 56));
        // The rest is negative: the part makes up for it.
        assert_eq!(filled(record_part(P::V2)), lui(T3, 0x80701));
        assert_eq!(filled(load(P::V2, record(P::V2, 0).rest())), ld(T3, T3, -16));
    }
}
