//! Short circuits: code that a trusted server puts before its portal, and that can end the call without entering it.
//!
//! A short circuit works on one record of the server's, whose supervisor address the portal puts in `t3`. It may use
//! `t4`, `t5` and the argument registers, load from and store to the record, compute, and branch forwards. If it comes to
//! its end, the call is complete with the result in `a0`; if it branches to [`enter`], the portal goes on as if there had
//! been no short circuit, so until then it must leave arguments and record alone. Interrupts are off, as in any portal.

use crate::disassemble::Refused;
use crate::emit::Emitter;
use crate::encode::*;

/// The record's address.
pub const RECORD: Register = T3;
/// Words that end the call, written behind those of the server's.
const COMPLETE: usize = 6;

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

/// Checks that `words` keep to what a short circuit may do with a record of `stride` bytes.
pub fn check(words: &[u32], stride: usize) -> Result<(), Refused> {
    let usable = |register: u32| [A0, A1, A2, A3, A4, A5, T4, T5].iter().any(|r| r.0 as u32 == register);
    let readable = |register: u32| usable(register) || register == ZERO.0 as u32;
    for (at, &word) in words.iter().enumerate() {
        let refused = Err(Refused::Instruction { word: at });
        let (rd, rs1, rs2) = (word >> 7 & 31, word >> 15 & 31, word >> 20 & 31);
        let (function, upper) = (word >> 12 & 7, word >> 25);
        let inside = |offset: i32, bytes: usize| {
            rs1 == RECORD.0 as u32
                && offset >= 0
                && (offset as usize).is_multiple_of(bytes)
                && offset as usize + bytes <= stride
        };
        let allowed = match word & 0x7f {
            // Loads and stores of the record.
            0x03 => usable(rd) && function != 7 && inside(word as i32 >> 20, 1 << (function & 3)),
            0x23 => {
                let offset = (word as i32 >> 25 << 5) | rd as i32;
                function < 4 && readable(rs2) && inside(offset, 1 << function)
            }
            // Arithmetic.
            0x13 => usable(rd) && readable(rs1),
            0x1b => usable(rd) && readable(rs1) && function == 0,
            0x33 | 0x3b => usable(rd) && readable(rs1) && readable(rs2) && (upper == 0 || upper == 0x20),
            0x37 => usable(rd),
            0x63 => {
                let bit = |from: u32, to: u32| (word >> from & 1) << to;
                let offset = bit(31, 12) | bit(7, 11) | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1;
                // Forwards, to a word of its own or to where the portal goes on.
                let to = at + offset as usize / 4;
                let own = to < words.len() || to == words.len() + COMPLETE;
                if offset == 0 || offset % 4 != 0 || bit(31, 0) == 1 || !own {
                    return Err(Refused::Branch { word: at });
                }
                readable(rs1) && readable(rs2)
            }
            _ => false,
        };
        if !allowed {
            return refused;
        }
    }
    Ok(())
}

impl ShortCircuit<'_> {
    /// Writes it before the portal's own code.
    pub(crate) fn write(&self, e: &mut Emitter) {
        e.constant(RECORD, self.record as i64);
        self.words.iter().for_each(|&word| e.put(word));
        let complete: [u32; COMPLETE] = [
            csrr(T3, csr::SEPC),
            addi(T3, T3, 4),
            csrw(csr::SEPC, T3),
            csrrw(TP, csr::SSCRATCH, TP),
            SRET,
            jal(ZERO, 0),
        ];
        e.put_all(complete);
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
    fn privileged_instructions_and_jumps_are_refused() {
        for word in [SRET, csrr(A0, csr::SATP), csrw(csr::SIE, A0), sfence_vma(A0, A0), jal(ZERO, 8), jalr(ZERO, A0, 0)]
        {
            assert_eq!(check(&[word], 16), Err(Refused::Instruction { word: 0 }), "{word:08x}");
        }
    }
}
