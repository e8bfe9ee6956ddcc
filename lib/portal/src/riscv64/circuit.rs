//! Short circuits in front of a portal's code.

use super::emit::{Emitter, sret};
use super::encode::*;
use crate::connection::ShortCircuit;

/// The record's address.
pub(super) const RECORD: Register = T3;
/// Words that end the call, written behind those of the server's.
const COMPLETE: usize = 10;

/// Distance in bytes from word `at` of a short circuit of `words` words to where the portal goes on.
pub(super) const fn enter(at: usize, words: usize) -> i32 {
    4 * (words + COMPLETE - at) as i32
}

impl ShortCircuit<'_> {
    /// Writes it before the portal's own code. `clear`: the caller finds nothing of the supervisor's in registers.
    pub(super) fn write(&self, e: &mut Emitter, clear: bool) {
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
