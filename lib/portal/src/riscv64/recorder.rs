//! The recorder: what portals that are traced call twice, to write down an event (`abi::trace`).
//!
//! A traced portal has `t5` = [`abi::trace::Event::what`], `t6` = the event's depth, and links in `t4`. The recorder uses `t3`, `t5` and `t6`, and
//! everything else is as it was. It reads what an argument points to by the caller's page tables, as the hart would: an address that
//! shows nothing shows no bytes, and no access of its own can fault.

use super::emit::{Buffer, Emitter, Label};
use super::encode::*;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, Thread, domain};
use abi::trace::{self, Event};
use core::mem::offset_of;

const fn at(offset: usize) -> i32 {
    offset as i32
}
const BYTES: i32 = at(offset_of!(Event, bytes));
const WORDS: i32 = at(offset_of!(Event, words));
const WHAT: i32 = at(offset_of!(Event, what));
/// Where `t0` and `t1` are kept while bytes are looked for.
const KEPT: [i32; 2] = [BYTES, BYTES + 8];

/// What a page-table entry must have in its lowest bits for user code to read the page: valid, readable, user (privileged specification,
/// "Sv39"). Of the bits read, write and execute, an entry that leads to a further table has none.
const READABLE: i32 = 0x13;
const VALID: i32 = 1;
const LEAF: i32 = 0xE;

/// Writes the recorder for the ring at supervisor address `ring`, a page's; its words, or `None` where they have no room.
pub fn recorder(ring: u64, out: &mut Buffer) -> Option<usize> {
    let mut e = Emitter::new(out);
    e.put_all([0; BLOCK_HEADER / 4]);
    e.page(T3, ring);
    e.put_all([ld(T3, T3, trace::NEXT), sd(T5, T3, WHAT), sd(T6, T3, at(offset_of!(Event, depth)))]);
    advance(&mut e, ring);
    e.put_all([csrr(T5, csr::TIME), sd(T5, T3, at(offset_of!(Event, time)))]);
    e.put_all([ld(T5, T2, domain::IDENTITY), sd(T5, T3, at(offset_of!(Event, caller)))]);
    e.put_all([ld(T5, TP, at(offset_of!(Thread, index))), sd(T5, T3, at(offset_of!(Event, thread)))]);
    e.put(sd(A7, T3, at(offset_of!(Event, number))));
    for (n, register) in [A0, A1, A2, A3, A4, A5].into_iter().enumerate() {
        e.put(sd(register, T3, WORDS + 8 * n as i32));
    }
    bytes(&mut e);
    e.put(jalr(ZERO, T4, 0));
    let words = e.words()?;
    for (index, word) in [BLOCK_MAGIC, (words - BLOCK_HEADER / 4) as u32, 0, 0].into_iter().enumerate() {
        e.patch(index, word);
    }
    Some(words)
}
/// The next event's place is behind this one's (`t3`), and one more was written.
fn advance(e: &mut Emitter, ring: u64) {
    let mut inside = Label::NEW;
    e.put(addi(T6, T3, size_of::<Event>() as i32));
    e.page(T5, ring + (trace::EVENTS * size_of::<Event>()) as u64);
    e.branch(bne(T6, T5, 0), &mut inside);
    e.page(T6, ring);
    e.place(inside);
    e.page(T5, ring);
    e.put_all([sd(T6, T5, trace::NEXT), ld(T6, T5, trace::COUNT), addi(T6, T6, 1), sd(T6, T5, trace::COUNT)]);
}
/// Copies what the argument points to, if bytes are wanted and the caller (`t2`) can read them.
fn bytes(e: &mut Emitter) {
    let (mut done, mut nothing) = (Label::NEW, Label::NEW);
    e.put_all([ld(T5, T3, WHAT), andi(T6, T5, trace::SHOWS as i32)]);
    e.branch(beq(T6, ZERO, 0), &mut done);
    e.put_all([sd(T0, T3, KEPT[0]), sd(T1, T3, KEPT[1])]);
    e.put_all([andi(T5, T5, trace::ARGUMENT as i32), add(T5, T5, T3), ld(T6, T5, WORDS), ld(T0, T2, domain::ROOT)]);
    for shift in [30, 21, 12] {
        // The place of the entry in its table, then the entry.
        e.put_all([srli(T1, T6, shift), andi(T1, T1, 511), slli(T1, T1, 3), add(T0, T0, T1), ld(T0, T0, 0)]);
        let (mask, wanted) = if shift == 12 { (READABLE, READABLE) } else { (VALID | LEAF, VALID) };
        e.put_all([andi(T1, T0, mask), addi(T1, T1, -wanted)]);
        e.branch(bne(T1, ZERO, 0), &mut nothing);
        // RAM's supervisor addresses are its physical ones with the sign of bit 31 extended; what has none is a device.
        e.put_all([srli(T0, T0, 10), slli(T0, T0, 12), addiw(T0, T0, 0)]);
        e.branch(bge(T0, ZERO, 0), &mut nothing);
    }
    e.put_all([slli(T1, T6, 52), srli(T1, T1, 57), slli(T1, T1, 5), add(T0, T0, T1)]);
    // What was kept lies where the first bytes go.
    e.put_all([ld(T1, T3, KEPT[1]), ld(T6, T3, KEPT[0])]);
    for offset in (0..trace::BYTES as i32).step_by(8) {
        e.put_all([ld(T5, T0, offset), sd(T5, T3, BYTES + offset)]);
    }
    e.put_all([addi(T0, T6, 0), ld(T5, T3, WHAT), ori(T5, T5, trace::SHOWN as i32), sd(T5, T3, WHAT)]);
    e.put(jalr(ZERO, T4, 0));
    e.place(nothing);
    e.put_all([ld(T0, T3, KEPT[0]), ld(T1, T3, KEPT[1])]);
    e.place(done);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disassemble;

    /// The recorder writes nothing but the ring and `t3`, `t5`, `t6`, and `t0` and `t1` between: every store is relative to `t3`, or to the
    /// ring's first page in `t5`.
    #[test]
    fn every_store_is_in_the_ring() {
        let mut out = Buffer::EMPTY;
        let words = recorder(0xFFFF_FFFF_8100_0000, &mut out).unwrap();
        let code = &out.0[BLOCK_HEADER / 4..words];
        assert_eq!(disassemble::verify(code), Ok(()));
        for &word in code.iter().filter(|&&word| word & 0x7f == 0x23) {
            let base = word >> 15 & 31;
            assert!([T3.0, T5.0].contains(&(base as u8)), "{word:08x}");
        }
        let written = code.iter().filter(|&&word| matches!(word & 0x7f, 0x03 | 0x13 | 0x1b | 0x33 | 0x37 | 0x73));
        for &word in written {
            assert!([T0, T1, T3, T5, T6].iter().any(|r| r.0 as u32 == word >> 7 & 31), "{word:08x}");
        }
    }
}
