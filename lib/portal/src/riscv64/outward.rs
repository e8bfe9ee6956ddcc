//! How programs of supervisor domains call portals: in supervisor mode an `ecall` is the firmware's, so each becomes a `jal` to the
//! program's gate, a jump to where the nucleus takes such calls.

use super::emit::jump;
use super::encode::{T5, T6, ZERO, jal};

const ECALL: u16 = 0x73;
/// How far a call reaches, in bytes.
pub const REACH: u64 = 1 << 20;

/// What an `ecall` becomes that is `distance` bytes (a multiple of 2, below [`REACH`]) before the gate. `t5`, which is free in a call, says where
/// it returns to.
pub fn to_gate(distance: i32) -> u32 {
    jal(T5, distance)
}
/// The gate that leads to supervisor address `call`.
pub fn gate(call: u64) -> [u32; 2] {
    jump(ZERO, call, T6)
}
/// Gives `found` each place in `code` where there is an `ecall`. `Err`: what looks like one lies within another instruction there, so that it
/// may not be code.
pub fn calls(code: &[u8], mut found: impl FnMut(usize)) -> Result<(), usize> {
    let half = |at: usize| code.get(at..at + 2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    let is_call = |at: usize| half(at) == Some(ECALL) && half(at + 2) == Some(0);
    let mut at = 0;
    while let Some(first) = half(at) {
        if is_call(at) {
            found(at);
        }
        // Two low bits that are set: 32 bits (unprivileged specification, section 1.5).
        let length = if first & 3 == 3 { 4 } else { 2 };
        if length == 4 && is_call(at + 2) {
            return Err(at);
        }
        at += length;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    fn found(halves: &[u16]) -> Result<Vec<usize>, usize> {
        let code: Vec<u8> = halves.iter().flat_map(|half| half.to_le_bytes()).collect();
        let mut all = Vec::new();
        calls(&code, |at| all.push(at)).map(|()| all)
    }
    #[test]
    fn calls_are_found_among_short_and_long_instructions() {
        // c.nop; ecall; addi a0, a0, 1; ecall; c.nop
        assert_eq!(found(&[1, 0x73, 0, 0x0513, 0x0015, 0x73, 0, 1]), Ok(vec![2, 10]));
        assert_eq!(found(&[]), Ok(vec![]));
    }
    #[test]
    fn data_that_look_like_a_call_are_refused() {
        // lui a0, 0x73 << 4 with a half of zeros behind it
        assert_eq!(found(&[1, 0x0537, 0x73, 0, 1]), Err(2));
    }
}
