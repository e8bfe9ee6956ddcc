//! Programs of supervisor domains. In supervisor mode an `ecall` is the firmware's, so each becomes `jal t5` to a jump to where the nucleus
//! takes such calls: `t5` is free in a call, and says where it returns to. All else of a program is the same in both modes.

use crate::elf::Segment;
use crate::{Error, Program};
use abi::rights::Rights;
use object::{Object, ObjectSection, SectionKind};
use portal::emit::jump;
use portal::encode::{T5, T6, ZERO, jal};

const ECALL: u32 = 0x73;
/// How far `jal` reaches, in bytes.
const REACH: u64 = 1 << 20;

/// Has `program`, which `file` was read from, call portals through supervisor address `call`.
pub fn convert(program: &mut Program, file: &[u8], call: u64) -> Result<(), Error> {
    let wrong = |why: String| Error::Supervisor(program.name.clone(), why);
    let elf = object::File::parse(file).map_err(|e| wrong(e.to_string()))?;
    let gate = program.heap();
    let mut calls = Vec::new();
    for section in elf.sections().filter(|section| section.kind() == SectionKind::Text) {
        let code = section.data().map_err(|e| wrong(e.to_string()))?;
        calls.extend(ecalls(code).map_err(wrong)?.into_iter().map(|at| section.address() + at as u64));
    }
    if let Some(far) = calls.iter().find(|&&at| gate - at >= REACH) {
        return Err(wrong(format!("it is too large: the call at {far:#x} is 1 MiB from its end or more")));
    }
    for at in calls {
        program.patch_half(at, jal(T5, (gate - at) as i32));
    }
    let bytes = jump(ZERO, call, T6).into_iter().flat_map(u32::to_le_bytes).collect();
    let memory_bytes = abi::address::PAGE as u64;
    program.segments.push(Segment { va: gate, bytes, memory_bytes, rights: Rights::READ_EXECUTE });
    Ok(())
}
/// Where in `code` there is an `ecall`. `Err`: what looks like one lies within other instructions, so that it may not be code.
fn ecalls(code: &[u8]) -> Result<Vec<usize>, String> {
    let half = |at: usize| code.get(at..at + 2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    let is_ecall = |at: usize| half(at) == Some(ECALL as u16) && half(at + 2) == Some(0);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = half(at) {
        if is_ecall(at) {
            found.push(at);
        }
        // Two low bits that are set: 32 bits (unprivileged specification, section 1.5).
        let length = if first & 3 == 3 { 4 } else { 2 };
        if length == 4 && is_ecall(at + 2) {
            return Err(format!("data among its code, {at:#x} bytes from the start, look like a call"));
        }
        at += length;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    fn bytes(halves: &[u16]) -> Vec<u8> {
        halves.iter().flat_map(|half| half.to_le_bytes()).collect()
    }
    #[test]
    fn calls_are_found_among_short_and_long_instructions() {
        // c.nop; ecall; addi a0, a0, 1; ecall; c.nop
        let code = bytes(&[1, 0x73, 0, 0x0513, 0x0015, 0x73, 0, 1]);
        assert_eq!(ecalls(&code), Ok(vec![2, 10]));
        assert_eq!(ecalls(&[]), Ok(vec![]));
    }
    #[test]
    fn data_that_look_like_a_call_are_refused() {
        // lui a0, 0x73 << 4 with a half of zeros behind it
        assert!(ecalls(&bytes(&[0x0537, 0x73, 0, 1])).unwrap_err().contains("look like a call"));
    }
}
