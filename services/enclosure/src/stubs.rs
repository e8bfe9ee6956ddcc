//! The code around a fault domain: its jump table, and the stubs that the table leads to. The stubs lie outside of the segment, so they
//! are entered at their first word only.

use crate::block;
use crate::{SEGMENT, STUBS};
use alloc::vec;
use alloc::vec::Vec;
use portal::encode::*;
use verifier::segment::JUMP_TABLE;

/// Entries of the jump table, in words.
pub const RETURN: usize = 0;
/// `__fault_domain_call` of the linker script.
pub const CALL: usize = 1;

/// The stub of a fault domain that returns to its caller, with its result in `a0`.
fn leave() -> Vec<u32> {
    vec![ld(SP, TP, block::HOST_STACK), ld(T0, TP, block::LEFT), jalr(ZERO, T0, 0)]
}
/// The stub of a call to the system: it goes on in the host, on the host's stack, and comes back to the word behind
/// the call with the dedicated registers as they are at an entry.
fn call() -> Vec<u32> {
    let mut words = vec![
        sd(RA, TP, block::LINK),
        sd(SP, TP, block::OWN_STACK),
        sd(T5, TP, block::JUMP),
        ld(SP, TP, block::HOST_STACK),
    ];
    for (n, register) in [A0, A1, A2, A3, A4, A5, A7].into_iter().enumerate() {
        words.push(sd(register, TP, block::ARGUMENTS + 8 * n as i32));
    }
    words.extend([addi(A0, TP, 0), ld(T0, TP, block::DECIDE), jalr(RA, T0, 0)]);
    let leave = leave();
    // It may have called to end.
    words.extend([ld(T0, TP, block::ENDED), beq(T0, ZERO, 4 + 4 * leave.len() as i32)]);
    words.extend(leave);
    words.extend([
        ld(GP, TP, block::BASE),
        ld(T4, TP, block::MASK),
        addi(T6, GP, 0),
        ld(RA, TP, block::LINK),
        ld(SP, TP, block::OWN_STACK),
        ld(T5, TP, block::JUMP),
        jalr(ZERO, T5, 0),
    ]);
    words
}
/// The stubs' words, and those of the jump table, from their beginnings.
pub fn make() -> (Vec<u32>, Vec<u32>) {
    let (mut stubs, mut table) = (Vec::new(), Vec::new());
    for (n, stub) in [leave(), call()].into_iter().enumerate() {
        let entry = SEGMENT.base + JUMP_TABLE + 4 * n as u64;
        let at = STUBS + 4 * stubs.len() as u64;
        table.push(jal(ZERO, (at as i64 - entry as i64) as i32));
        stubs.extend(stub);
    }
    (stubs, table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_entries_lead_to_the_stubs() {
        let (stubs, table) = make();
        let distance = STUBS as i64 - (SEGMENT.base + JUMP_TABLE) as i64;
        assert_eq!(table[RETURN], jal(ZERO, distance as i32));
        assert_eq!(table[CALL], jal(ZERO, distance as i32 + 4 * leave().len() as i32 - 4));
        assert!(stubs.len() * 4 < abi::address::PAGE);
    }
    #[test]
    fn a_stub_reads_nothing_from_the_fault_domains_memory() {
        // All loads go through tp.
        let loads = |word: &u32| word & 0x7f == 0x03 && word >> 15 & 31 != u32::from(TP.0);
        assert_eq!(make().0.iter().filter(|word| loads(word)).count(), 0);
    }
}
