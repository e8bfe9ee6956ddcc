//! Puts into an object file what keeps its code in a software fault domain.
//!
//! It takes any relocatable object of RV64, of whichever compiler, compressed instructions and all, and gives back one whose code the verifier
//! accepts once it is linked. A whole program is best linked to one object first (`ld -r`), libraries included. Nothing depends on this crate being right
//! but the program that it rewrites: it shares no code with the verifier, which trusts nobody.
//!
//! [`rewrite`] takes each section of code apart ([`section`]), gives functions other registers in the place of the dedicated ones ([`registers`]),
//! puts in the sequences ([`sandbox`]), and moves what refers to code (symbols, relocations) to where the code has gone.

mod expand;
pub mod instruction;
mod item;
mod layout;
mod registers;
mod sandbox;
mod section;

use instruction::{ADDRESS, JUMP, JUMP_MASK, MASK, Register};
use object::build::Id;
use object::build::elf::{Builder, SectionData, SectionId};
use object::elf::*;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// How an address is brought into the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By `and` with a mask, and `or` with the base.
    Masks,
    /// By `add.uw` of Zba.
    AddUnsignedWord,
    /// By `or` with the base: the segment is the end of what can be addressed.
    Or,
}
/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub form: Form,
    /// Whether loads are kept in too.
    pub loads: bool,
    /// Whether an address that lies outside is a fault of the instruction that has it (segment matching), instead of one inside.
    pub matching: bool,
}
impl Options {
    /// The registers that code may not use, as the compiler should be told too.
    pub fn dedicated(&self) -> Vec<Register> {
        let all = [JUMP, ADDRESS, MASK, JUMP_MASK];
        all[..if self.form == Form::Masks { 4 } else { 2 }].to_vec()
    }
}
/// What became of the code, in bytes and words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Growth {
    /// Instructions there were.
    pub instructions: usize,
    /// Instructions there are.
    pub words: usize,
}

/// The symbol of the jump table's entry for system calls; the linker script has it.
pub const CALL_SYMBOL: &str = "__fault_domain_call";
/// Where a thread's variables begin, in bytes from the base of the segment.
pub const THREAD_VARIABLES: i64 = 0x1_2000;
/// Relocations of far calls.
const CALL: [u32; 2] = [R_RISCV_CALL, R_RISCV_CALL_PLT];

/// What can not be rewritten, and where.
#[derive(Debug)]
pub struct Error {
    place: String,
    offset: Option<u64>,
    why: String,
}
impl Error {
    fn at(offset: Option<u64>, why: &str) -> Error {
        Error { place: String::new(), offset, why: why.into() }
    }
    fn in_place(self, place: &str) -> Error {
        Error { place: place.into(), ..self }
    }
}
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(f, "{}+{offset:#x}: {}", self.place, self.why),
            None => write!(f, "{}: {}", self.place, self.why),
        }
    }
}
impl std::error::Error for Error {}
impl From<object::build::Error> for Error {
    fn from(error: object::build::Error) -> Error {
        Error::at(None, &error.to_string()).in_place("object file")
    }
}

/// Bytes of code that do not become so many that a `jal`, which goes 1 MiB, would not reach from one end of them to the jump table.
const NEAR: usize = 0x6_0000;

/// What one section has become.
struct Rewritten {
    bytes: Vec<u8>,
    relocations: Vec<object::build::elf::Relocation>,
    /// Where what was at an offset is now.
    moved: HashMap<u64, u64>,
    /// The same of instructions proper, where something was put before them.
    proper: HashMap<u64, u64>,
    growth: Growth,
}

/// Whether a section is of no use in a fault domain: what unwinders and linkers read. What debuggers read stays, and is not loaded.
fn is_dropped(name: &[u8]) -> bool {
    [&b".eh_frame"[..], b".riscv.attributes", b".comment", b".note"].iter().any(|p| name.starts_with(p))
}
/// Rewrites an object file.
pub fn rewrite(file: &[u8], options: &Options) -> Result<(Vec<u8>, Growth), Error> {
    let mut builder = Builder::read(file)?;
    let dropped: Vec<SectionId> =
        builder.sections.iter().filter(|s| is_dropped(s.name.as_slice())).map(|s| s.id()).collect();
    for section in &mut builder.sections {
        let of_dropped = matches!(&section.data, SectionData::Relocation(_))
            && section.sh_info_section.is_some_and(|target| dropped.contains(&target));
        section.delete |= dropped.contains(&section.id()) || of_dropped;
    }
    for symbol in &mut builder.symbols {
        symbol.delete |= symbol.section.is_some_and(|section| dropped.contains(&section));
    }
    builder.delete_orphans();
    let call = builder.symbols.add();
    call.name = CALL_SYMBOL.as_bytes().into();
    call.set_st_info(STB_GLOBAL, STT_NOTYPE);
    let call = call.id();
    let mut known = section::known(&builder, &referenced(&builder));
    let code: Vec<SectionId> = builder
        .sections
        .iter()
        .filter(|s| s.sh_flags & u64::from(SHF_EXECINSTR) != 0 && matches!(s.data, SectionData::Data(_)))
        .map(|s| s.id())
        .collect();
    let bytes = code.iter().map(|&id| match &builder.sections.get(id).data {
        SectionData::Data(bytes) => bytes.len(),
        _ => 0,
    });
    let table = sandbox::Table { call, near: bytes.sum::<usize>() < NEAR };
    let mut rewritten = HashMap::new();
    for &id in &code {
        let name = String::from_utf8_lossy(builder.sections.get(id).name.as_slice()).into_owned();
        let known = known.remove(&id.index()).unwrap_or_default();
        let result = section::rewrite(&builder, id, &known, &table, options).map_err(|e| e.in_place(&name))?;
        rewritten.insert(id.index(), result);
    }
    apply(&mut builder, &mut rewritten)?;
    let growth = rewritten.values().fold(Growth::default(), |sum, section| Growth {
        instructions: sum.instructions + section.growth.instructions,
        words: sum.words + section.growth.words,
    });
    let mut out = Vec::new();
    builder.write(&mut out)?;
    Ok((out, growth))
}
/// Relocations of direct jumps and branches.
const DIRECT: [u32; 4] = [R_RISCV_BRANCH, R_RISCV_JAL, R_RISCV_RVC_BRANCH, R_RISCV_RVC_JUMP];
/// Symbols that may be jumped to from where is not known: all that relocations name, but for those that say the upper half of an address, and
/// for direct jumps in one section.
fn referenced(builder: &Builder) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for section in &builder.sections {
        let SectionData::Relocation(relocations) = &section.data else { continue };
        if !of_loaded(builder, section) {
            continue;
        }
        for relocation in relocations {
            let half = matches!(relocation.r_type, R_RISCV_PCREL_LO12_I | R_RISCV_PCREL_LO12_S);
            let home = relocation.symbol.and_then(|s| builder.symbols.get(s).section);
            let near = DIRECT.contains(&relocation.r_type) && home.is_some() && home == section.sh_info_section;
            found.extend(relocation.symbol.filter(|_| !half && !near).map(|s| s.index()));
        }
    }
    found
}
/// Whether relocations are of what is loaded: nothing jumps to where only debuggers look.
pub(crate) fn of_loaded(builder: &Builder, relocations: &object::build::elf::Section) -> bool {
    relocations.sh_info_section.is_none_or(|target| builder.sections.get(target).sh_flags & u64::from(SHF_ALLOC) != 0)
}
fn wrong(name: &object::build::ByteString, offset: u64) -> Error {
    Error::at(Some(offset), "in the middle of an instruction").in_place(&String::from_utf8_lossy(name.as_slice()))
}
/// Moves symbols to where the code has gone; those in `halves` to the very instruction that has half of an address.
fn move_symbols(
    builder: &mut Builder,
    rewritten: &HashMap<usize, Rewritten>,
    halves: &BTreeSet<usize>,
) -> Result<(), Error> {
    for symbol in &mut builder.symbols {
        let Some(new) = symbol.section.and_then(|section| rewritten.get(&section.index())) else { continue };
        if symbol.st_type() == STT_SECTION {
            continue;
        }
        let (start, end) = (symbol.st_value, symbol.st_value + symbol.st_size);
        let map = if halves.contains(&symbol.id().index()) { &new.proper } else { &new.moved };
        symbol.st_value = *map.get(&start).ok_or_else(|| wrong(&symbol.name, start))?;
        let end = *new.moved.get(&end).ok_or_else(|| wrong(&symbol.name, end))?;
        symbol.st_size = if symbol.st_size == 0 { 0 } else { end.saturating_sub(symbol.st_value) };
    }
    Ok(())
}
/// Puts the new code in, and moves all that refers to the old.
fn apply(builder: &mut Builder, rewritten: &mut HashMap<usize, Rewritten>) -> Result<(), Error> {
    let mut halves = BTreeSet::new();
    for section in &builder.sections {
        let SectionData::Relocation(relocations) = &section.data else { continue };
        let is_half =
            |r: &&object::build::elf::Relocation| matches!(r.r_type, R_RISCV_PCREL_LO12_I | R_RISCV_PCREL_LO12_S);
        halves.extend(relocations.iter().filter(is_half).filter_map(|r| Some(r.symbol?.index())));
    }
    // What sections and symbols were, before they are moved.
    let before: HashMap<usize, (Option<SectionId>, u64, bool)> =
        builder.symbols.iter().map(|s| (s.id().index(), (s.section, s.st_value, s.st_type() == STT_SECTION))).collect();
    let loaded: BTreeSet<usize> =
        builder.sections.iter().filter(|s| of_loaded(builder, s)).map(|s| s.id().index()).collect();
    for section in &mut builder.sections {
        let target = section.sh_info_section;
        let loaded = loaded.contains(&section.id().index());
        let name = section.name.clone();
        let SectionData::Relocation(relocations) = &mut section.data else { continue };
        if let Some(new) = target.and_then(|target| rewritten.get_mut(&target.index())) {
            *relocations = std::mem::take(&mut new.relocations);
        }
        // What refers to code by an offset from a symbol.
        for relocation in relocations {
            let Some((Some(home), value, is_section)) = relocation.symbol.and_then(|s| before.get(&s.index())).copied()
            else {
                continue;
            };
            let Some(new) = rewritten.get(&home.index()) else { continue };
            if relocation.r_addend == 0 && !is_section {
                continue;
            }
            let old = value.wrapping_add_signed(relocation.r_addend);
            let Some(&moved) = new.moved.get(&old) else {
                // Only a debugger's: it says nothing of that place.
                if !loaded {
                    continue;
                }
                return Err(wrong(&name, old));
            };
            let start = if is_section { 0 } else { *new.moved.get(&value).ok_or_else(|| wrong(&name, value))? };
            relocation.r_addend = moved.wrapping_sub(start) as i64;
        }
    }
    move_symbols(builder, rewritten, &halves)?;
    add_relocations(builder, rewritten);
    for section in &mut builder.sections {
        if let Some(new) = rewritten.get_mut(&section.id().index()) {
            section.data = SectionData::Data(std::mem::take(&mut new.bytes).into());
            section.sh_addralign = section.sh_addralign.max(4);
        }
    }
    Ok(())
}
/// Code that had no relocations may have some now: sections for those.
fn add_relocations(builder: &mut Builder, rewritten: &mut HashMap<usize, Rewritten>) {
    let symbols = builder.sections.iter().find(|s| matches!(s.data, SectionData::Symbol)).map(|s| s.id());
    let homes: Vec<(SectionId, Vec<u8>)> = builder
        .sections
        .iter()
        .filter(|s| rewritten.get(&s.id().index()).is_some_and(|new| !new.relocations.is_empty()))
        .map(|s| (s.id(), s.name.as_slice().to_vec()))
        .collect();
    for (home, name) in homes {
        let Some(new) = rewritten.get_mut(&home.index()) else { continue };
        let section = builder.sections.add();
        section.name = [b".rela", &name[..]].concat().into();
        section.sh_type = SHT_RELA;
        section.sh_flags = SHF_INFO_LINK.into();
        section.sh_link_section = symbols;
        section.sh_info_section = Some(home);
        section.sh_addralign = 8;
        section.sh_entsize = 24;
        section.data = SectionData::Relocation(std::mem::take(&mut new.relocations));
    }
}
