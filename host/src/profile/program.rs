//! A program whose code is being executed: names of its functions, and who has called them, by the call frame information that compilers
//! write (DWARF 5, section 6.4).

use abi::address::PAGE;
use anyhow::{Result, bail};
use gimli::{
    BaseAddresses, CfaRule, DebugFrame, EndianArcSlice, FrameDescriptionEntry, LittleEndian, Register, RegisterRule,
    UnwindContext, UnwindSection,
};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SegmentFlags, SymbolKind, elf};
use std::ops::Range;

type Bytes = EndianArcSlice<LittleEndian>;
/// Registers of the calling convention: return address and stack pointer.
const RA: usize = 1;
const SP: usize = 2;
/// Frames of one stack at most: a stack that has been overwritten may look endless.
const FRAMES: usize = 128;

/// What is known of the registers of a frame.
pub type Known = [Option<u64>; 32];

pub struct Program {
    pub name: String,
    /// Its code, and the first page of it, by which it is told from others.
    text: Range<u64>,
    pub first: Vec<u8>,
    /// By address.
    functions: Vec<(u64, String)>,
    section: DebugFrame<Bytes>,
    /// By the start of what each describes.
    frames: Vec<FrameDescriptionEntry<Bytes>>,
}
impl Program {
    /// From an ELF file; an error: it has no code.
    pub fn parse(name: &str, file: &[u8]) -> Result<Program> {
        let elf = image::ElfFile::parse(file)?;
        let executable = |flags| matches!(flags, SegmentFlags::Elf { p_flags } if p_flags & elf::PF_X != 0);
        let Some(code) = elf.segments().find(|segment| executable(segment.flags())) else {
            bail!("{name} has no code")
        };
        let start = code.address();
        let data = code.data()?;
        let first = data[..data.len().min(PAGE)].to_vec();
        let text = start..start + code.size();
        // Those of assembly need no type; those of the linker's and the assembler's own have none either.
        let of_code = |kind, name: &str| match kind {
            SymbolKind::Text => true,
            SymbolKind::Unknown | SymbolKind::Label => name == "_start" || !name.starts_with(['.', '$', '_']),
            _ => false,
        };
        let mut functions: Vec<(u64, String)> = elf
            .symbols()
            .filter(|symbol| text.contains(&symbol.address()))
            .filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?, symbol.kind())))
            .filter(|&(_, name, kind)| !name.is_empty() && of_code(kind, name))
            .map(|(address, name, _)| (address, format!("{:#}", rustc_demangle::demangle(name))))
            .collect();
        functions.sort();
        functions.dedup_by_key(|(address, _)| *address);
        let bytes = elf.section_by_name(".debug_frame").and_then(|section| section.data().ok()).unwrap_or(&[]);
        let mut section = DebugFrame::from(EndianArcSlice::new(bytes.into(), LittleEndian));
        section.set_address_size(8);
        let frames = described(&section);
        Ok(Program { name: name.into(), text, first, functions, section, frames })
    }
    /// Where its code begins.
    pub fn start(&self) -> u64 {
        self.text.start
    }
    pub fn has(&self, pc: u64) -> bool {
        self.text.contains(&pc)
    }
    /// The function that `pc` is in.
    pub fn function(&self, pc: u64) -> Option<&str> {
        let behind = self.functions.partition_point(|(address, _)| *address <= pc);
        let (_, name) = self.functions.get(behind.checked_sub(1)?)?;
        self.has(pc).then_some(name)
    }
    /// Where the function with this name begins.
    pub fn address(&self, name: &str) -> Option<u64> {
        self.functions.iter().find(|(_, function)| function == name).map(|&(address, _)| address)
    }
    fn frame(&self, pc: u64) -> Option<&FrameDescriptionEntry<Bytes>> {
        let behind = self.frames.partition_point(|frame| frame.initial_address() <= pc);
        self.frames.get(behind.checked_sub(1)?).filter(|frame| frame.contains(pc))
    }
    /// The functions of a stack, the innermost first: `pc`, and those that it returns to. `word` reads memory.
    pub fn stack(&self, mut pc: u64, mut known: Known, word: impl Fn(u64) -> Option<u64>) -> Vec<&str> {
        let mut functions = Vec::new();
        let mut context = UnwindContext::new();
        while functions.len() < FRAMES {
            // What is returned to may lie behind the end of a function whose last call never returns.
            let at = if functions.is_empty() { pc } else { pc.wrapping_sub(1) };
            let Some(function) = self.function(at) else { break };
            functions.push(function);
            let before = (pc, known[SP]);
            let Some(caller) = self.caller(at, &mut known, &mut context, &word, functions.len() == 1) else { break };
            pc = caller;
            if (pc, known[SP]) == before {
                break;
            }
        }
        functions
    }
    /// Where the function at `pc` returns to; `known` is the caller's then.
    fn caller(
        &self,
        pc: u64,
        known: &mut Known,
        context: &mut UnwindContext<usize>,
        word: impl Fn(u64) -> Option<u64>,
        innermost: bool,
    ) -> Option<u64> {
        let Some(frame) = self.frame(pc) else {
            // A function in assembly: mostly one that calls none.
            return if innermost { known[RA].take() } else { None };
        };
        let bases = BaseAddresses::default();
        let row = frame.unwind_info_for_address(&self.section, &bases, context, pc).ok()?;
        let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else { return None };
        let top = known.get(register.0 as usize).copied()??.wrapping_add_signed(offset);
        let mut callers = *known;
        for (n, place) in callers.iter_mut().enumerate() {
            if let RegisterRule::Offset(offset) = row.register(Register(n as u16)) {
                *place = word(top.wrapping_add_signed(offset));
            }
        }
        callers[SP] = Some(top);
        let back = callers[RA].take();
        *known = callers;
        back
    }
}
/// All that `section` describes.
fn described(section: &DebugFrame<Bytes>) -> Vec<FrameDescriptionEntry<Bytes>> {
    let bases = BaseAddresses::default();
    let mut entries = section.entries(&bases);
    let mut frames = Vec::new();
    // What is damaged ends it: the functions behind are without callers then.
    while let Ok(Some(entry)) = entries.next() {
        if let gimli::CieOrFde::Fde(partial) = entry
            && let Ok(frame) = partial.parse(DebugFrame::cie_from_offset)
        {
            frames.push(frame);
        }
    }
    frames.sort_by_key(|frame| frame.initial_address());
    frames
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_is_no_program_is_an_error() {
        assert!(Program::parse("x", b"no ELF file").is_err());
        assert!(Program::parse("x", &[]).is_err());
    }
}
