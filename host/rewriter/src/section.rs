//! Takes a section of code apart, has each function rewritten, and puts the section together again.

use crate::expand::expand;
use crate::instruction::*;
use crate::item::{Item, Link};
use crate::layout::Padding;
use crate::sandbox::{Sandbox, Table};
use crate::{CALL, Error, Growth, Options, Rewritten, THREAD_VARIABLES, layout, of_loaded, registers};
use object::build::Id;
use object::build::elf::{Builder, Relocation, SectionData, SectionId, SymbolId};
use object::elf::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a file says of a section. Places are offsets in it.
#[derive(Default)]
pub struct Known {
    /// Where code may be entered from elsewhere.
    entered: BTreeSet<u64>,
    /// Where functions begin.
    functions: BTreeSet<u64>,
    relocations: BTreeMap<u64, Vec<Relocation>>,
}
/// What is known of each section, by its number. Symbols that are in `referenced` may be jumped to.
pub fn known(builder: &Builder, referenced: &BTreeSet<usize>) -> HashMap<usize, Known> {
    let mut all: HashMap<usize, Known> = HashMap::new();
    for symbol in &builder.symbols {
        let Some(section) = symbol.section else { continue };
        let known = all.entry(section.index()).or_default();
        if symbol.st_type() == STT_FUNC {
            known.functions.insert(symbol.st_value);
        }
        if symbol.st_type() == STT_FUNC || referenced.contains(&symbol.id().index()) || symbol.st_bind() != STB_LOCAL {
            known.entered.insert(symbol.st_value);
        }
    }
    for section in &builder.sections {
        let SectionData::Relocation(list) = &section.data else { continue };
        if let Some(target) = section.sh_info_section {
            let relocations = &mut all.entry(target.index()).or_default().relocations;
            list.iter().for_each(|r| relocations.entry(r.r_offset).or_default().push(*r));
        }
        if !of_loaded(builder, section) {
            continue;
        }
        // Offsets from a section's or a function's beginning.
        for relocation in list.iter().filter(|r| r.r_addend != 0) {
            let Some(symbol) = relocation.symbol.map(|s| builder.symbols.get(s)) else { continue };
            if let Some(home) = symbol.section {
                let place = symbol.st_value.wrapping_add_signed(relocation.r_addend);
                all.entry(home.index()).or_default().entered.insert(place);
            }
        }
    }
    all
}
/// Rewrites section `id`, of which that is known.
pub fn rewrite(
    builder: &Builder,
    id: SectionId,
    known: &Known,
    table: &Table,
    options: &Options,
) -> Result<Rewritten, Error> {
    let SectionData::Data(bytes) = &builder.sections.get(id).data else {
        return Err(Error::at(None, "no bytes of code"));
    };
    let bytes = bytes.as_slice();
    let Known { entered, functions, relocations } = known;
    let home = |symbol: SymbolId| {
        let symbol = builder.symbols.get(symbol);
        (symbol.section == Some(id)).then_some(symbol.st_value)
    };
    let may_be_missing = |symbol: SymbolId| {
        let symbol = builder.symbols.get(symbol);
        symbol.section.is_none() && symbol.st_bind() == STB_WEAK
    };
    let (mut items, padding) = parse(bytes, relocations, home, may_be_missing, table.near)?;
    let mut leaders = entered.clone();
    leaders.extend(items.iter().filter_map(|item| match item.link {
        Link::Inside(target) => Some(target),
        _ => None,
    }));
    // A jump into another function of the section comes from where is not known, too.
    for item in &mut items {
        item.leader = item.label.is_some_and(|label| leaders.contains(&label));
        item.entered = item.label.is_some_and(|label| entered.contains(&label));
    }
    let instructions = items.len();
    let mut out = Vec::new();
    let mut rest = items.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut function = vec![first];
        while let Some(next) = rest.next_if(|item| !item.label.is_some_and(|label| functions.contains(&label))) {
            function.push(next);
        }
        let function = registers::free(function, &options.dedicated())?;
        out.extend(Sandbox::new(options, table).function(function)?);
    }
    let mut rewritten = layout::place(out, bytes.len() as u64, &padding)?;
    rewritten.growth = Growth { instructions, words: rewritten.bytes.len() / 4 };
    Ok(rewritten)
}

/// The instructions of a section. `home` says where in it a symbol is, `may_be_missing` whether its address may be 0.
#[expect(clippy::too_many_lines, reason = "an arm for each relocation")]
fn parse(
    bytes: &[u8],
    relocations: &BTreeMap<u64, Vec<Relocation>>,
    home: impl Fn(SymbolId) -> Option<u64>,
    may_be_missing: impl Fn(SymbolId) -> bool,
    near: bool,
) -> Result<(Vec<Item>, Padding), Error> {
    let mut items: Vec<Item> = Vec::new();
    let mut padding = Padding::new();
    let mut offset = 0u64;
    // The second half of a far call, and what it is to go through.
    let mut second_half = None;
    // Where the address of what may be missing is made: no distance from here is 0, so it is loaded.
    let mut loaded: BTreeSet<u64> = BTreeSet::new();
    while (offset as usize) < bytes.len() {
        let unknown = || Error::at(Some(offset), "this is no instruction");
        let here = relocations.get(&offset).map_or(&[][..], Vec::as_slice);
        // What aligns the next instruction is left out: all are at multiples of 4.
        if let Some(align) = here.iter().find(|r| r.r_type == R_RISCV_ALIGN) {
            let next = offset + align.r_addend as u64;
            padding.push((offset, next));
            offset = next;
            continue;
        }
        let rest = &bytes[offset as usize..];
        let half = u16::from_le_bytes(rest.get(..2).ok_or_else(unknown)?.try_into().unwrap());
        let (instruction, mut length) = if half & 3 == 3 {
            let word = rest.get(..4).ok_or_else(unknown)?;
            (Instruction(u32::from_le_bytes(word.try_into().unwrap())), 4)
        } else {
            (expand(half).ok_or_else(unknown)?, 2)
        };
        let mut item = Item { label: Some(offset), ..Item::new(instruction) };
        if let Some(register) = second_half.take() {
            item.instruction = instruction.with_first(register);
            item.done = true;
        } else if matches!(instruction.class(), Class::Branch | Class::Jump) {
            item.link = Link::Inside(offset.wrapping_add_signed(instruction.distance().into()));
        }
        for relocation in here {
            let (mut kind, mut addend) = (relocation.r_type, relocation.r_addend);
            match kind {
                R_RISCV_RELAX | R_RISCV_NONE => continue,
                R_RISCV_RVC_BRANCH => kind = R_RISCV_BRANCH,
                R_RISCV_RVC_JUMP => kind = R_RISCV_JAL,
                R_RISCV_TPREL_ADD => {
                    // The variables of the one thread are at a fixed distance from the segment's base.
                    item.instruction = instruction.renamed(TP, GP);
                    continue;
                }
                R_RISCV_TPREL_HI20 | R_RISCV_TPREL_LO12_I | R_RISCV_TPREL_LO12_S => addend += THREAD_VARIABLES,
                R_RISCV_PCREL_HI20 if relocation.symbol.is_some_and(&may_be_missing) => {
                    kind = R_RISCV_GOT_HI20;
                    loaded.insert(offset);
                }
                R_RISCV_PCREL_LO12_I | R_RISCV_PCREL_LO12_S
                    if relocation.symbol.and_then(&home).is_some_and(|upper| loaded.contains(&upper)) =>
                {
                    let [base, _] = instruction.sources();
                    let (Some(base), Some(to), 0x13) = (base, instruction.written(), instruction.opcode()) else {
                        return Err(Error::at(Some(offset), "an access to what may be missing"));
                    };
                    item.instruction = ld(to, base, 0);
                }
                R_RISCV_BRANCH | R_RISCV_JAL | R_RISCV_PCREL_HI20 | R_RISCV_PCREL_LO12_I | R_RISCV_PCREL_LO12_S
                | R_RISCV_GOT_HI20 => {}
                _ if CALL.contains(&kind) => {
                    let then = rest.get(4..8).ok_or_else(unknown)?;
                    let jump = Instruction(u32::from_le_bytes(then.try_into().unwrap()));
                    if near && !relocation.symbol.is_some_and(&may_be_missing) {
                        item.instruction = jal(jump.written().unwrap_or(ZERO));
                        item.link = Link::Relocation { kind: R_RISCV_JAL, symbol: relocation.symbol, addend };
                        length = 8;
                        break;
                    }
                    let through = if jump.written() == Some(RA) { RA } else { JUMP };
                    item.instruction = instruction.with_written(through);
                    item.done = true;
                    second_half = Some(through);
                }
                R_RISCV_HI20 | R_RISCV_LO12_I | R_RISCV_LO12_S => {
                    return Err(Error::at(Some(offset), "an absolute address: compile with -mcmodel=medany"));
                }
                _ => return Err(Error::at(Some(offset), &format!("relocation {kind} in code"))),
            }
            let target = relocation.symbol.and_then(&home).filter(|_| matches!(kind, R_RISCV_BRANCH | R_RISCV_JAL));
            item.link = match target {
                Some(value) => Link::Inside(value.wrapping_add_signed(addend)),
                None => Link::Relocation { kind, symbol: relocation.symbol, addend },
            };
        }
        items.push(item);
        offset += length;
    }
    Ok((items, padding))
}
