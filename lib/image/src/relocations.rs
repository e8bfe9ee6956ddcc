//! What of a program depends on where it lies, so that it can be placed at another address than the one it was linked for. The linker
//! leaves that in the file (`--emit-relocs`). The distance is whole pages, so of an address that an instruction has in two parts only the
//! upper one changes, which is by itself a word to add to (RISC-V psABI, "Relocations").

use crate::{Error, Program};
use abi::archive::{Kind, Relocation};
use object::elf;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionKind};
use std::collections::BTreeSet;

/// What an address in a program is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Something of the program's, that moves with it.
    Program,
    /// A number, or nothing (a weak symbol that nobody defines): it stays.
    Nothing,
}
/// Whether something is part of a program in memory.
fn is_loaded(kind: SectionKind) -> bool {
    use SectionKind::*;
    matches!(kind, Text | Data | ReadOnlyData | ReadOnlyString | ReadOnlyDataWithRel | UninitializedData)
        || matches!(kind, Tls | UninitializedTls)
}

/// The places that a program is changed at where it is placed elsewhere, in the order of their addresses, counted from the first address
/// of the first segment.
pub fn relocations(name: &str, file: &[u8]) -> Result<Vec<Relocation>, Error> {
    let wrong = |why: String| Error::Elf(name.to_string(), why);
    let elf = object::File::parse(file).map_err(|e| wrong(e.to_string()))?;
    let program = Program::parse(name, file)?;
    let start = program.start();
    let mut places = BTreeSet::new();
    // Addresses that the linker has put into its global offset table, for which it leaves no relocations.
    let mut by_table = BTreeSet::new();
    let mut any = false;
    for section in elf.sections().filter(|section| is_loaded(section.kind())) {
        for (at, relocation) in section.relocations() {
            any = true;
            let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
            let RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let symbol = elf.symbol_by_index(index).map_err(|e| wrong(e.to_string()))?;
            let absolute = symbol.is_undefined() || symbol.section_index().is_none();
            let of = if absolute { Of::Nothing } else { Of::Program };
            let value = symbol.address().wrapping_add_signed(relocation.addend());
            if absolute && (start..program.heap()).contains(&value) {
                let symbol = symbol.name().unwrap_or("");
                return Err(wrong(format!("`{symbol}`, an absolute address inside it, can not be moved")));
            }
            let kind = match (r_type, of) {
                (elf::R_RISCV_64, Of::Program) => Kind::Word,
                (elf::R_RISCV_32 | elf::R_RISCV_HI20, Of::Program) => Kind::Up,
                // The distance to what stays.
                (elf::R_RISCV_PCREL_HI20 | elf::R_RISCV_CALL | elf::R_RISCV_CALL_PLT, Of::Nothing) => Kind::Down,
                (elf::R_RISCV_GOT_HI20, Of::Program) => {
                    by_table.insert(value);
                    continue;
                }
                _ => continue,
            };
            if kind == Kind::Down && is_upper_constant(&program, at) {
                continue;
            }
            places.insert((at, kind));
        }
    }
    if !any {
        return Err(wrong("it has no relocations: link it with --emit-relocs".into()));
    }
    for section in elf.sections().filter(|s| s.name().is_ok_and(|name| name.starts_with(".got"))) {
        for at in (section.address()..section.address() + section.size()).step_by(8) {
            let word = program.at(at, 8).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()));
            if by_table.contains(&word) {
                places.insert((at, Kind::Word));
            }
        }
    }
    let packed = places.into_iter().map(|(at, kind)| {
        let offset = at.checked_sub(start).filter(|_| program.at(at, kind.bytes()).is_some());
        offset.and_then(|offset| Relocation::new(offset, kind)).ok_or_else(|| wrong(format!("a relocation at {at:#x}")))
    });
    packed.collect()
}
/// Whether the instruction at `at` is `lui`, which the linker has put there in place of `auipc`.
fn is_upper_constant(program: &Program, at: u64) -> bool {
    program.at(at, 4).is_some_and(|bytes| bytes[0] & 0x7f == 0x37)
}
