//! Frees the dedicated registers in code that was compiled without knowing of them.
//!
//! A function that uses one, a temporary register, gets another that it does not use; where it uses all of them, the register's value lives below
//! the stack pointer (nothing is pushed there but by calls, and no temporary outlives a call). The verifier knows nothing of this: a mistake here breaks the program, not the walls.

use crate::Error;
use crate::instruction::*;
use crate::item::{Item, Link};

/// Below the stack pointer: the values of dedicated registers, then what is put aside for an instruction.
const VALUES: i32 = -8;
const ASIDE: i32 = VALUES - 8 * MOST;
/// Most dedicated registers.
const MOST: i32 = 4;

/// Makes one function's instructions free of `dedicated`.
pub fn free(items: Vec<Item>, dedicated: &[Register]) -> Result<Vec<Item>, Error> {
    let mentions =
        |items: &[Item], register| items.iter().any(|item| !item.done && item.instruction.mentions(register));
    debug_assert!(dedicated.len() <= MOST as usize);
    let mut items = items;
    // A system call keeps `ra`, but no temporary register.
    let calls = items.iter().any(|item| item.instruction.class() == Class::Call);
    let kept = free_link(&mut items, dedicated)?.filter(|_| calls);
    let leaf = is_leaf(&items);
    let mut spilled = Vec::new();
    for &register in dedicated {
        if !mentions(&items, register) {
            continue;
        }
        let arguments = ARGUMENTS.iter().filter(|_| leaf);
        let other = TEMPORARIES.iter().chain(arguments).find(|t| !dedicated.contains(t) && !mentions(&items, **t));
        match other.filter(|_| kept != Some(register)) {
            Some(&other) => {
                for item in items.iter_mut().filter(|item| !item.done) {
                    item.instruction = item.instruction.renamed(register, other);
                }
            }
            None => spilled.push(register),
        }
    }
    if spilled.is_empty() {
        return Ok(items);
    }
    let mut out = Vec::with_capacity(2 * items.len());
    for item in items {
        spill(item, &spilled, &mut out)?;
    }
    Ok(out)
}
/// Whether it calls nobody and jumps nowhere but to itself: what it has no argument in, it may use as it likes.
fn is_leaf(items: &[Item]) -> bool {
    let labels = || items.iter().filter_map(|item| item.label);
    let (first, last) = (labels().min(), labels().max());
    let own = |item: &Item| matches!(item.link, Link::Inside(target) if first <= Some(target) && Some(target) <= last);
    items.iter().all(|item| {
        let instruction = item.instruction;
        match instruction.class() {
            Class::Jump | Class::Branch => instruction.written().is_none() && own(item),
            Class::JumpRegister => instruction.base() == RA && instruction.written().is_none(),
            Class::Call => false,
            _ => !item.done,
        }
    })
}
/// Gives what a function keeps in `ra`, other than where to return to, another register: one of `dedicated` for now, which it returns.
fn free_link(items: &mut [Item], dedicated: &[Register]) -> Result<Option<Register>, Error> {
    let is_saved = |item: &&Item| {
        let instruction = item.instruction;
        instruction.class() == Class::Store && instruction.base() == SP && instruction.sources()[1] == Some(RA)
    };
    let place = items.iter().find(is_saved).map(|item| item.instruction.offset());
    let returns = |item: &Item| {
        let instruction = item.instruction;
        let on_stack = instruction.base() == SP && place == Some(instruction.offset());
        match instruction.class() {
            Class::Jump => true,
            Class::JumpRegister => instruction.base() != RA || instruction.written().is_none(),
            Class::Load | Class::Store => on_stack && matches!(item.link, Link::None),
            _ => false,
        }
    };
    // A function that never saves it, as setjmp and what returns through another's frame, has nothing else in it.
    let is_value = |item: &Item| !item.done && item.instruction.mentions(RA) && !returns(item);
    if place.is_none() || !items.iter().any(is_value) {
        return Ok(None);
    }
    let mentioned = |register| items.iter().any(|item| !item.done && item.instruction.mentions(register));
    let other = dedicated.iter().copied().find(|register| !mentioned(*register));
    let label = items.iter().find(|item| is_value(item)).and_then(|item| item.label);
    let other = other.ok_or(Error::at(label, "ra has a value, and all other registers too"))?;
    for item in items.iter_mut().filter(|item| is_value(item)) {
        item.instruction = item.instruction.renamed(RA, other);
    }
    Ok(Some(other))
}
/// An instruction with the values of `spilled` in memory.
fn spill(item: Item, spilled: &[Register], out: &mut Vec<Item>) -> Result<(), Error> {
    let mut instruction = item.instruction;
    let used: Vec<Register> = spilled.iter().copied().filter(|register| instruction.mentions(*register)).collect();
    if used.is_empty() || item.done {
        out.push(item);
        return Ok(());
    }
    if instruction.written() == Some(SP) {
        return Err(Error::at(item.label, "the stack pointer is made from a register that has no place"));
    }
    let mut before = Vec::new();
    let mut after = Vec::new();
    let mut free = (5..=27).map(Register).filter(|r| !item.instruction.mentions(*r) && !spilled.contains(r));
    for (n, &register) in used.iter().enumerate() {
        let stand_in = free.next().ok_or(Error::at(item.label, "no register is left"))?;
        let index = spilled.iter().position(|r| *r == register).unwrap_or(0);
        let (value, aside) = (VALUES - 8 * index as i32, ASIDE - 8 * n as i32);
        before.push(Item::new(sd(stand_in, SP, aside)));
        if instruction.sources().contains(&Some(register)) {
            before.push(Item::new(ld(stand_in, SP, value)));
        }
        if instruction.written() == Some(register) {
            after.push(Item::new(sd(stand_in, SP, value)));
        }
        instruction = instruction.renamed(register, stand_in);
        after.push(Item::new(ld(stand_in, SP, aside)));
    }
    before[0] = before[0].labelled(&item);
    out.append(&mut before);
    let proper =
        Item { instruction, label: None, leader: false, entered: false, proper: item.label.or(item.proper), ..item };
    match instruction.class() {
        Class::Branch => {
            // Both ways the registers get back what they had.
            let distance = 4 * (after.len() as i32 + 2);
            let skip = Item { instruction: instruction.inverted(), link: Link::Near(distance), ..proper };
            out.push(skip);
            out.extend(after.iter().copied());
            out.push(Item::new(jal(ZERO)).linked(item.link));
        }
        Class::JumpRegister => {
            // The jump register keeps the target meanwhile.
            out.push(Item { instruction: addi(JUMP, instruction.base(), instruction.offset()), done: true, ..proper });
            out.extend(after.iter().copied());
            out.push(Item::new(instruction.with_first(JUMP).with_offset(0)));
            return Ok(());
        }
        _ => out.push(proper),
    }
    out.extend(after);
    Ok(())
}
