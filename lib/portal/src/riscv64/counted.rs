//! The nucleus's own portals in a system that counts calls: code that counts, then goes to the nucleus.
//!
//! It is entered as any portal is. What it uses, `t0` and `t1`, the nucleus's portals clear or do not need. Before those that switch to
//! another thread goes what adds the cycles since the last switch to the time of the old thread's home.

use super::emit::{Buffer, Emitter, Label, jump};
use super::encode::*;
use abi::count;
use abi::nucleus::{BLOCK_HEADER, BLOCK_MAGIC, Thread, domain};
use core::mem::offset_of;

/// Whether a portal of the nucleus goes on with another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switches {
    Never,
    Always,
    /// Where `a1` is not 0.
    Asked,
}

/// Writes a block that counts in word `n` and goes to supervisor address `to`; its words, or `None`. The header's last word, which says
/// where a frame returns to and is of no use here, is the lower half of `to`.
pub fn counted(to: u64, n: usize, switches: Switches, out: &mut Buffer) -> Option<usize> {
    let mut e = Emitter::new(out);
    e.put_all([0; BLOCK_HEADER / 4]);
    let at = count::offset(n);
    e.put_all([ld(T0, T2, domain::COUNTERS), ld(T1, T0, at), addi(T1, T1, 1), sd(T1, T0, at)]);
    if switches != Switches::Never {
        let mut stays = Label::NEW;
        if switches == Switches::Asked {
            e.branch(beq(A1, ZERO, 0), &mut stays);
        }
        let (home, time) = (offset_of!(Thread, home) as i32, count::offset(count::TIME));
        e.put_all([csrr(T1, csr::CYCLE), ld(T3, T0, time), sd(T1, T0, time), sub(T1, T1, T3)]);
        e.put_all([ld(T0, TP, home), ld(T0, T0, domain::COUNTERS)]);
        e.put_all([ld(T3, T0, time), add(T3, T3, T1), sd(T3, T0, time)]);
        e.place(stays);
    }
    e.put_all(jump(ZERO, to, T0));
    let words = e.words()?;
    for (index, word) in [BLOCK_MAGIC, (words - BLOCK_HEADER / 4) as u32, 0, to as u32].into_iter().enumerate() {
        e.patch(index, word);
    }
    Some(words)
}
/// Where a block with this header goes to.
pub fn target(header: [u32; 4]) -> u64 {
    header[3] as i32 as i64 as u64
}
