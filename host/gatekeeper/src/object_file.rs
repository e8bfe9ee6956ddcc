//! What the compiler made: sections and symbols by closed lists. What the source can not say any more is seen here as it is.

use crate::refusal::{Place, Refusals, Rule};
use anyhow::{Context, Result};
use object::read::elf::{ElfFile64, FileHeader};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SectionKind, elf};

/// Bytes of code and constants.
const SIZE: u64 = 1 << 20;
/// What the compiler calls without a word of the source: copies, which are linked in.
const GIVEN: [&str; 6] = ["memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen"];
/// Sections with one of these names, or with one and a dot behind it.
const SECTIONS: [&str; 5] = [".text", ".rodata", ".srodata", ".data.rel.ro", ".eh_frame"];

fn is_known(name: &str) -> bool {
    SECTIONS.iter().any(|known| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}
/// Bytes of a function's frame: its stack has a few pages.
const FRAME: u64 = 16 << 10;

/// The frames that the compiler says functions have (`-Zemit-stack-sizes`): an address, which is not known yet, and a length in LEB128.
fn frames(mut section: &[u8]) -> Vec<u64> {
    let mut found = Vec::new();
    while let Some(rest) = section.get(8..) {
        let (mut length, mut shift, mut read) = (0, 0, 0);
        for byte in rest {
            read += 1;
            length |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(u64::MAX);
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        found.push(length);
        section = &rest[read..];
    }
    found
}
/// Symbols of Rust, which the linker of extensions makes local.
fn is_mangled(name: &str) -> bool {
    name.starts_with("_R")
}
/// Whether it is the slot of a procedure of an interface that is given.
fn is_slot(name: &str, given: &[String]) -> bool {
    let slot = name.strip_prefix(exports::SLOT).and_then(|rest| rest.rsplit_once('_'));
    slot.is_some_and(|(interface, place)| given.iter().any(|given| given == interface) && place.parse::<u16>().is_ok())
}
/// Looks at the object; `root` is the file that is named for it, `given` are the interfaces that the extension has.
pub fn look(bytes: &[u8], root: &str, given: &[String], refusals: &mut Refusals) -> Result<()> {
    let file = ElfFile64::<LittleEndian>::parse(bytes).context("the object")?;
    sections(&file, root, refusals)?;
    for symbol in file.symbols().filter(|symbol| symbol.is_global() || symbol.is_undefined()) {
        let name = symbol.name().unwrap_or("?");
        let is_given = symbol.is_undefined() && (GIVEN.contains(&name) || is_slot(name, given));
        if !(name.is_empty() || is_mangled(name) || is_given) {
            let what = if symbol.is_undefined() { "is called, and no host gives it" } else { "is defined" };
            refusals.add(Rule::Link, Place::whole(root), format!("the symbol {name} {what}"));
        }
    }
    Ok(())
}
/// Looks at the object of the program around an extension, whose symbols are ours.
pub fn look_at_program(bytes: &[u8], root: &str, refusals: &mut Refusals) -> Result<()> {
    sections(&ElfFile64::<LittleEndian>::parse(bytes).context("the object")?, root, refusals)
}
fn sections(file: &ElfFile64<LittleEndian>, root: &str, refusals: &mut Refusals) -> Result<()> {
    let mut add = |rule, why: String| refusals.add(rule, Place::whole(root), why);
    if file.elf_header().e_machine(LittleEndian) != elf::EM_RISCV {
        add(Rule::Link, "the object is for another machine".into());
    }
    let mut size = 0;
    for section in file.sections() {
        let name = section.name().unwrap_or("?");
        if name.starts_with(".stack_sizes")
            && let Some(largest) = frames(section.data()?).into_iter().max().filter(|&frame| frame > FRAME)
        {
            add(Rule::Stack, format!("a function takes {largest} bytes of the stack at once, more than {FRAME}"));
        }
        let loaded = matches!(section.flags(), object::SectionFlags::Elf { sh_flags } if sh_flags & u64::from(elf::SHF_ALLOC) != 0);
        if !loaded || section.size() == 0 {
            continue;
        }
        size += section.size();
        let writable = matches!(
            section.kind(),
            SectionKind::Data | SectionKind::UninitializedData | SectionKind::Tls | SectionKind::UninitializedTls
        );
        if writable && !is_known(name) {
            add(Rule::Static, format!("the section {name} can be written: state that all activations share"));
        } else if !is_known(name) {
            add(Rule::Link, format!("the section {name} is not one that an extension has"));
        }
    }
    if size > SIZE {
        add(Rule::Size, format!("{size} bytes of code and constants are more than {SIZE}"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_of_what_is_given() {
        let given = ["packets".into(), "a_b".into()];
        let names = [
            "__slot_packets_0",
            "__slot_a_b_255",
            "__slot_packets_",
            "__slot_b_0",
            "__entry_packets_0",
            "__slot_packets_0x",
        ];
        assert_eq!(names.map(|name| is_slot(name, &given)), [true, true, false, false, false, false]);
    }
    #[test]
    fn frames_are_read() {
        let section = [[0; 8].as_slice(), &[16], &[1; 8], &[0x80, 0x80, 4]].concat();
        assert_eq!(frames(&section), [16, 0x10000]);
        assert_eq!(frames(&[0; 8]), [0]);
        assert!(frames(&[]).is_empty());
    }
}
