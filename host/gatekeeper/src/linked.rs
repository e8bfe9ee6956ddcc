//! An extension that is linked, as the parts of its file: where nothing leads out of it, and nothing has to be looked up by a name any more.

use crate::manifest::Manifest;
use anyhow::{Context, Result, bail, ensure};
use exports::{ENTRY, Interface, SLOT};
use extension::{Export, Guard, Import, Parts};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, RelocationFlags, SectionFlags, elf};
use std::fmt::Write;

/// Relocations that lead from a place to another of the same image, and so are done.
const WITHIN: [u32; 16] = [
    elf::R_RISCV_BRANCH,
    elf::R_RISCV_JAL,
    elf::R_RISCV_CALL,
    elf::R_RISCV_CALL_PLT,
    elf::R_RISCV_PCREL_HI20,
    elf::R_RISCV_PCREL_LO12_I,
    elf::R_RISCV_PCREL_LO12_S,
    elf::R_RISCV_RVC_BRANCH,
    elf::R_RISCV_RVC_JUMP,
    elf::R_RISCV_RELAX,
    elf::R_RISCV_ALIGN,
    elf::R_RISCV_ADD32,
    elf::R_RISCV_SUB32,
    elf::R_RISCV_ADD64,
    elf::R_RISCV_SUB64,
    elf::R_RISCV_32_PCREL,
];

type Elf<'d> = ElfFile64<'d, LittleEndian>;

/// What is loaded: nothing but text and constants.
fn sections<'d>(elf: &Elf<'d>) -> Result<(&'d [u8], &'d [u8], u64)> {
    let (mut text, mut constants, mut start) = (&[][..], &[][..], 0);
    for section in elf.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else { continue };
        let name = section.name()?;
        if sh_flags & u64::from(elf::SHF_ALLOC) == 0 || section.size() == 0 {
            continue;
        }
        match name {
            ".text" => text = section.data()?,
            ".constants" => (constants, start) = (section.data()?, section.address()),
            _ => bail!("the section {name} has {} bytes that no extension has", section.size()),
        }
    }
    let expected = text.len().next_multiple_of(extension::PAGE);
    ensure!(
        constants.is_empty() || start == expected as u64,
        "its constants begin at {start:#x} and not at {expected:#x}"
    );
    Ok((text, constants, start))
}
/// Words among the constants that are addresses. A relocation whose value depends on where the image is, and is no such word, can not be done later.
fn addresses(elf: &Elf, start: u64) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    for section in elf.sections() {
        let name = section.name()?;
        if name != ".text" && name != ".constants" {
            continue;
        }
        for (at, relocation) in section.relocations() {
            let RelocationFlags::Elf { r_type } = relocation.flags() else { bail!("a relocation of another kind") };
            match r_type {
                elf::R_RISCV_64 if name == ".constants" => {
                    found.push(u32::try_from(at.checked_sub(start).context("a relocation before its section")?)?)
                }
                _ if WITHIN.contains(&r_type) => {}
                _ => bail!("a relocation of kind {r_type} at {at:#x} of {name} depends on where it is loaded"),
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}
/// The interface and the place in it that a symbol's name says.
fn place(interfaces: &[&Interface], name: &str, prefix: &str) -> Option<(u16, u16)> {
    let (interface, place) = name.strip_prefix(prefix)?.rsplit_once('_')?;
    let interface = interfaces.iter().position(|given| given.name == interface)?;
    Some((u16::try_from(interface).ok()?, place.parse().ok()?))
}
/// A line for each function: offset and bytes in hexadecimal, name.
fn symbols(elf: &Elf) -> String {
    let mut functions: Vec<_> =
        elf.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text && symbol.size() > 0).collect();
    functions.sort_by_key(|symbol| symbol.address());
    let mut text = String::new();
    for symbol in functions {
        let _ = writeln!(text, "{:x} {:x} {}", symbol.address(), symbol.size(), symbol.name().unwrap_or("?"));
    }
    text
}

/// The file, signed by nobody, of what the linker made; `reason` says why it is to be signed though it is refused, or nothing.
pub fn file(bytes: &[u8], manifest: &Manifest, identity: extension::Digest, reason: &str) -> Result<Vec<u8>> {
    let elf = Elf::parse(bytes).context("what is linked")?;
    let runtime = exports::runtime();
    let mut given: Vec<&Interface> = manifest.interfaces.clone();
    given.push(&runtime);
    given.sort_by(|one, other| one.name.cmp(&other.name));
    let (text, constants, start) = sections(&elf)?;
    let (mut imports, mut exported) = (Vec::new(), Vec::new());
    for symbol in elf.symbols() {
        let name = symbol.name()?;
        if let Some((interface, procedure)) = place(&given, name, SLOT) {
            let of = given[interface as usize].procedures.get(procedure as usize).context("a slot of no procedure")?;
            imports.push((symbol.address(), Import { interface, procedure, name: &of.name }));
        } else if let Some((interface, event)) = place(&given, name, ENTRY) {
            let of = given[interface as usize].events.get(event as usize).context("an entry of no event")?;
            let terms = manifest
                .terms_of(&given[interface as usize].name, event.into())
                .context("an entry of nothing that it handles")?;
            let export = Export {
                interface,
                event,
                entry: u32::try_from(symbol.address())?,
                name: &of.name,
                order: terms.order.as_ref().map(String::as_str),
            };
            exported.push((export, &terms.conditions));
        }
    }
    imports.sort_by_key(|(_, import)| (import.interface, import.procedure));
    exported.sort_by_key(|(export, _)| (export.interface, export.event));
    let mut guards = Vec::new();
    for (at, (_, conditions)) in exported.iter().enumerate() {
        let export = u16::try_from(at)?;
        guards.extend(conditions.iter().map(|&condition| Guard { export, condition }));
    }
    let exported: Vec<Export> = exported.into_iter().map(|(export, _)| export).collect();
    for (at, (address, import)) in imports.iter().enumerate() {
        let expected = start + (at * extension::SLOT) as u64;
        ensure!(*address == expected, "the slot of {} is at {address:#x} and not at {expected:#x}", import.name);
    }
    let imports: Vec<Import> = imports.into_iter().map(|(_, import)| import).collect();
    let interfaces: Vec<_> = given
        .iter()
        .map(|interface| extension::Interface { name: &interface.name, digest: interface.identity() })
        .collect();
    let symbols = symbols(&elf);
    let parts = Parts {
        name: &manifest.name,
        reason,
        compiler: identity,
        limits: manifest.limits,
        interfaces: &interfaces,
        imports: &imports,
        exports: &exported,
        guards: &guards,
        text,
        constants,
        relocations: &addresses(&elf, start)?,
        symbols: symbols.as_bytes(),
    };
    Ok(parts.write()?)
}
