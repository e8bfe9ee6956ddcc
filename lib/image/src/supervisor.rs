//! Programs of supervisor domains. In supervisor mode an `ecall` is the firmware's, so each becomes `jal t5` to a jump to where the nucleus
//! takes such calls: `t5` is free in a call, and says where it returns to. All else of a program is the same in both modes.

use crate::elf::Segment;
use crate::{Error, Program};
use abi::rights::Rights;
use object::{Object, ObjectSection, SectionKind};
use portal::outward;

/// Has `program`, which `file` was read from, call portals through supervisor address `call`.
pub fn convert(program: &mut Program, file: &[u8], call: u64) -> Result<(), Error> {
    let wrong = |why: String| Error::Supervisor(program.name.clone(), why);
    let elf = crate::ElfFile::parse(file).map_err(|e| wrong(e.to_string()))?;
    let gate = program.heap();
    let mut calls = Vec::new();
    for section in elf.sections().filter(|section| section.kind() == SectionKind::Text) {
        let code = section.data().map_err(|e| wrong(e.to_string()))?;
        let looked = outward::calls(code, |at| calls.push(section.address() + at as u64));
        looked.map_err(|at| wrong(format!("data among its code, {at:#x} bytes from the start, look like a call")))?;
    }
    if let Some(far) = calls.iter().find(|&&at| gate - at >= outward::REACH) {
        return Err(wrong(format!("it is too large: the call at {far:#x} is 1 MiB from its end or more")));
    }
    for at in calls {
        program.patch_half(at, outward::to_gate((gate - at) as i32));
    }
    let bytes = outward::gate(call).into_iter().flat_map(u32::to_le_bytes).collect();
    let memory_bytes = abi::address::PAGE as u64;
    program.segments.push(Segment { va: gate, bytes, memory_bytes, rights: Rights::READ_EXECUTE });
    Ok(())
}
