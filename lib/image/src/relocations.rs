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
    let elf = crate::ElfFile::parse(file).map_err(|e| wrong(e.to_string()))?;
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
                // A call of what nobody defines is none, wherever it lies.
                (elf::R_RISCV_CALL | elf::R_RISCV_CALL_PLT, Of::Nothing) if symbol.is_undefined() => continue,
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// Pointers, tables, strings, a switch, what nobody defines, and numbers that the linker computes.
    const SOURCE: &str = r#"
        extern int nobody __attribute__((weak)); extern char __tls_size[], __text_end[]; void gone(void) __attribute__((weak));
        static int variable = 3, *pointer = &variable; __thread long local = 7; int common[100];
        static const char *const strings[] = {"a", "bc", "def"};
        static long one(long n) { return n + 1; } static long two(long n) { return n * (long)&variable; }
        long (*const functions[])(long) = {one, two};
        struct __attribute__((packed)) { char byte; int *crossing; } packed[700] = {[0 ... 699] = {1, &variable}};
        long main(long n) {
            if (gone) gone();
            switch (n) { case 0: return *pointer; case 1: return (long)strings[n]; case 2: return (long)&nobody;
                         case 3: return (long)__tls_size; case 4: return local; case 5: return common[n]; case 6: return (long)__text_end; }
            return functions[n & 1](n) + (long)packed[n].crossing;
        }
        __attribute__((section(".text.start"))) void _start(void) { main(1); }
    "#;
    /// A folder of this test's own.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pebble-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }
    fn linked(folder: &Path, options: &[&str], start: &str) -> Vec<u8> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().and_then(Path::parent).unwrap();
        let script = std::fs::read_to_string(root.join("lib/c/link.ld")).unwrap().replacen("0x40000", start, 1);
        let at = |name: &str| folder.join(name);
        std::fs::write(at("link.ld"), script).unwrap();
        std::fs::write(at("a.c"), SOURCE).unwrap();
        let mut compiler = Command::new("riscv64-unknown-elf-gcc");
        compiler.args(["-O2", "-march=rv64gc", "-mabi=lp64d", "-mno-relax", "-nostdlib", "-Wl,--no-relax", "-w"]);
        compiler.args(options).arg("-T").arg(at("link.ld")).arg(at("a.c")).arg("-o").arg(at("a"));
        assert!(compiler.status().unwrap().success());
        std::fs::read(at("a")).unwrap()
    }
    #[test]
    fn a_program_that_is_moved_is_what_is_linked_there() {
        for model in
            [&["-mcmodel=medany"][..], &["-mcmodel=medlow"], &["-mcmodel=medany", "-fPIC", "-ftls-model=local-exec"]]
        {
            let folder = folder("moved");
            let options = [model, &["-Wl,--emit-relocs"]].concat();
            let here = linked(&folder, &options, "0x40000");
            let there = linked(&folder, &options, "0x3abcd000");
            let distance = 0x3abcd000 - 0x40000;
            let relocations = relocations("a", &here).unwrap();
            assert!(relocations.len() > 700, "{model:?}: {}", relocations.len());
            let [mut moved, wanted] = [&here, &there].map(|file| Program::parse("a", file).unwrap());
            let start = moved.start();
            for relocation in relocations {
                let at = start + relocation.offset() as u64;
                let segment = moved.segments.iter_mut().find(|s| (s.va..s.va + s.memory_bytes).contains(&at)).unwrap();
                let place = (at - segment.va) as usize;
                relocation.apply(&mut segment.bytes[place..place + relocation.kind().bytes()], distance);
            }
            assert_eq!(wanted.start(), start + distance as u64);
            for (moved, wanted) in moved.segments.iter().zip(&wanted.segments) {
                let differs = moved.bytes.iter().zip(&wanted.bytes).position(|(one, other)| one != other);
                assert_eq!(differs.map(|at| format!("{:#x}", moved.va as usize + at)), None, "{model:?}");
                assert_eq!(moved.bytes.len(), wanted.bytes.len());
            }
        }
    }
    #[test]
    fn a_program_without_relocations_can_not_be_moved() {
        let folder = folder("without");
        let program = linked(&folder, &["-mcmodel=medany"], "0x40000");
        let error = relocations("a", &program).unwrap_err().to_string();
        assert!(error.contains("no relocations") && error.contains("--emit-relocs"), "{error}");
    }
}
