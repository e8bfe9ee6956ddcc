//! Short circuits: code that a trusted server puts before its portal, and that can end the call without entering it.
//!
//! A short circuit works on one record of the server's, whose supervisor address the portal puts in `t3`. It may use
//! `t4`, `t5` and the argument registers, load from and store to the record, compute, and branch forwards. If it comes to
//! its end, the call is complete with the result in `a0`; if it branches to [`enter`], the portal goes on as if there had
//! been no short circuit, so until then it must leave arguments and record alone: neither is written before the last branch to
//! [`enter`]. Interrupts are off, as in any portal.

use crate::disassemble::{Refused, known};
use crate::emit::Emitter;
use crate::encode::*;
use crate::generate::sret;

/// The record's address.
pub const RECORD: Register = T3;
/// Words that end the call, written behind those of the server's.
const COMPLETE: usize = 10;

/// A server's code and the record that it is to work on.
#[derive(Clone, Copy, Debug)]
pub struct ShortCircuit<'a> {
    pub words: &'a [u32],
    /// Supervisor address of the record.
    pub record: u64,
}

/// Distance in bytes from word `at` of a short circuit of `words` words to where the portal goes on.
pub const fn enter(at: usize, words: usize) -> i32 {
    4 * (words + COMPLETE - at) as i32
}

/// Where a branch at word `at` goes.
fn target(at: usize, word: u32) -> Option<usize> {
    let bit = |from: u32, to: u32| (word >> from & 1) << to;
    let offset = bit(7, 11) | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1;
    (bit(31, 0) == 0 && offset != 0 && offset.is_multiple_of(4)).then_some(at + offset as usize / 4)
}
fn is_branch(word: u32) -> bool {
    word & 0x7f == 0x63
}

/// Checks that `words` keep to what a short circuit may do with a record of `stride` bytes.
pub fn check(words: &[u32], stride: usize) -> Result<(), Refused> {
    const ARGUMENTS: [Register; 6] = [A0, A1, A2, A3, A4, A5];
    let is = |registers: &[Register], number: u32| registers.iter().any(|r| r.0 as u32 == number);
    let usable = |register: u32| is(&ARGUMENTS, register) || is(&[T4, T5], register);
    let readable = |register: u32| usable(register) || is(&[ZERO], register);
    let portal = words.len() + COMPLETE;
    let enters = |(at, &word): (usize, &u32)| is_branch(word) && target(at, word) == Some(portal);
    let entered_to = words.iter().enumerate().rev().find(|&branch| enters(branch)).map_or(0, |(at, _)| at);
    for (at, &word) in words.iter().enumerate() {
        let (rd, rs1, rs2) = (word >> 7 & 31, word >> 15 & 31, word >> 20 & 31);
        let function = word >> 12 & 7;
        let inside = |offset: i32, bytes: usize| {
            is(&[RECORD], rs1)
                && offset >= 0
                && (offset as usize).is_multiple_of(bytes)
                && offset as usize + bytes <= stride
        };
        // The portal may still be entered, with what the caller passed.
        let early = at < entered_to;
        let writable = usable(rd) && !(early && is(&ARGUMENTS, rd));
        let allowed = match word & 0x7f {
            // Loads and stores of the record.
            0x03 => writable && inside(word as i32 >> 20, 1 << (function & 3)),
            0x23 => {
                let offset = (word as i32 >> 25 << 5) | rd as i32;
                !early && readable(rs2) && inside(offset, 1 << function)
            }
            // Arithmetic.
            0x13 | 0x1b => writable && readable(rs1),
            0x33 => writable && readable(rs1) && readable(rs2),
            0x37 => writable,
            // Forwards, to a word of its own or to where the portal goes on.
            0x63 if !target(at, word).is_some_and(|to| to < words.len() || to == portal) => {
                return Err(Refused::Branch { word: at });
            }
            0x63 => readable(rs1) && readable(rs2),
            _ => false,
        };
        if !allowed || !known(word) {
            return Err(Refused::Instruction { word: at });
        }
    }
    Ok(())
}

impl ShortCircuit<'_> {
    /// Writes it before the portal's own code. `clear`: the caller finds nothing of the supervisor's in registers.
    pub(crate) fn write(&self, e: &mut Emitter, clear: bool) {
        e.constant(RECORD, self.record as i64);
        self.words.iter().for_each(|&word| e.put(word));
        e.put_all([csrr(T3, csr::SEPC), addi(T3, T3, 4), csrw(csr::SEPC, T3)]);
        let cleared = [T0, T1, T2].map(|register| addi(register, ZERO, 0));
        if clear {
            e.put_all(cleared);
        }
        let start = e.next();
        e.put(csrrw(TP, csr::SSCRATCH, TP));
        sret(e);
        // Never executed.
        let taken = 3 + if clear { cleared.len() } else { 0 } + e.next() - start;
        for _ in taken..COMPLETE {
            e.put(addi(ZERO, ZERO, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_allowed() {
        let words = [lw(T4, T3, 4), bge(ZERO, T4, enter(1, 5)), addi(T4, T4, -1), sw(T4, T3, 4), addi(A0, ZERO, 0)];
        assert_eq!(check(&words, 16), Ok(()));
    }
    #[test]
    fn another_base_than_the_record_is_refused() {
        assert_eq!(check(&[ld(A0, TP, 0)], 16), Err(Refused::Instruction { word: 0 }));
        assert_eq!(check(&[ld(T3, T3, 0)], 16), Err(Refused::Instruction { word: 0 }));
        assert_eq!(check(&[addi(T3, T3, 8)], 16), Err(Refused::Instruction { word: 0 }));
    }
    #[test]
    fn an_access_outside_the_record_is_refused() {
        assert_eq!(check(&[ld(A0, T3, 8)], 16), Ok(()));
        assert_eq!(check(&[addi(A0, ZERO, 0), ld(A0, T3, 16)], 16), Err(Refused::Instruction { word: 1 }));
        assert_eq!(check(&[sw(A0, T3, -4)], 16), Err(Refused::Instruction { word: 0 }));
        assert_eq!(check(&[lw(A0, T3, 2)], 16), Err(Refused::Instruction { word: 0 }));
    }
    #[test]
    fn a_register_of_the_portals_is_refused() {
        for register in [RA, SP, TP, T0, T1, T2, T3, T6, S0, A7] {
            assert!(check(&[addi(register, ZERO, 0)], 16).is_err(), "{register:?}");
        }
    }
    #[test]
    fn a_branch_backwards_or_elsewhere_is_refused() {
        assert_eq!(check(&[addi(A0, A0, 1), beq(A0, A1, -4)], 16), Err(Refused::Branch { word: 1 }));
        assert_eq!(check(&[beq(A0, A1, enter(0, 1) + 4)], 16), Err(Refused::Branch { word: 0 }));
        assert_eq!(check(&[beq(A0, A1, 4)], 16), Err(Refused::Branch { word: 0 }), "into what completes the call");
        assert_eq!(check(&[beq(A0, A1, enter(0, 1))], 16), Ok(()));
    }
    #[test]
    fn writing_what_the_portal_needs_before_it_may_be_entered_is_refused() {
        let late = beq(ZERO, T4, enter(1, 3));
        for (word, at) in [(sw(T4, T3, 4), 0), (addi(A0, ZERO, 0), 0), (ld(A5, T3, 0), 0)] {
            assert_eq!(
                check(&[word, late, addi(A0, ZERO, 0)], 16),
                Err(Refused::Instruction { word: at }),
                "{word:08x}"
            );
            assert_eq!(check(&[beq(ZERO, T4, enter(0, 2)), word], 16), Ok(()), "{word:08x}");
        }
        assert_eq!(check(&[addi(T4, ZERO, 0), late, addi(A0, ZERO, 0)], 16), Ok(()));
    }
    #[test]
    fn instructions_that_a_hart_may_not_know_are_refused() {
        // A shift by more than 63, a multiplication, a branch on no condition.
        for word in [slli(A0, A0, 64), add(A0, A0, A0) | 1 << 25, beq(A0, A0, enter(0, 1)) | 2 << 12] {
            assert_eq!(check(&[word], 16), Err(Refused::Instruction { word: 0 }), "{word:08x}");
        }
    }
    #[test]
    fn privileged_instructions_and_jumps_are_refused() {
        for word in [SRET, csrr(A0, csr::SATP), csrw(csr::SIE, A0), sfence_vma(A0, A0), jal(ZERO, 8), jalr(ZERO, A0, 0)]
        {
            assert_eq!(check(&[word], 16), Err(Refused::Instruction { word: 0 }), "{word:08x}");
        }
    }
}
