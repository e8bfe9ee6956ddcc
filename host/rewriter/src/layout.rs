//! Gives instructions their places, and jumps and branches inside a section their distances.

use crate::instruction::*;
use crate::item::{Item, Link};
use crate::{Error, Growth, Rewritten};
use object::build::elf::Relocation;
use object::elf::{R_RISCV_BRANCH, R_RISCV_JAL};
use std::collections::HashMap;

/// How far a branch reaches.
const BRANCH: i64 = 4096;

/// Where instructions that align were left out: the offset of the first, and of what comes behind them.
pub type Padding = Vec<(u64, u64)>;

/// Lays out `items`, of a section that was `end` bytes long and had `padding`.
pub fn place(items: Vec<Item>, end: u64, padding: &Padding) -> Result<Rewritten, Error> {
    // A branch that does not reach becomes one around a jump; others may not reach then.
    let mut far = vec![false; items.len()];
    let is_outside = |item: &Item| matches!(item.link, Link::Relocation { kind: R_RISCV_BRANCH, .. });
    items.iter().zip(&mut far).for_each(|(item, far)| *far = is_outside(item));
    let (places, moved, proper) = loop {
        let (places, moved, proper) = places(&items, &far, end, padding);
        let mut changed = false;
        for (n, item) in items.iter().enumerate() {
            let Link::Inside(target) = item.link else { continue };
            let distance = distance(&moved, target, places[n], item)?;
            if item.instruction.class() == Class::Branch && !far[n] && !(-BRANCH..BRANCH).contains(&distance) {
                far[n] = true;
                changed = true;
            }
        }
        if !changed {
            break (places, moved, proper);
        }
    };
    let mut rewritten =
        Rewritten { bytes: Vec::new(), relocations: Vec::new(), moved, proper, growth: Growth::default() };
    for (n, item) in items.iter().enumerate() {
        let mut instruction = item.instruction;
        let mut place = places[n];
        if far[n] {
            let around = instruction.inverted().with_distance(8);
            rewritten.bytes.extend(around.0.to_le_bytes());
            instruction = jal(ZERO);
            place += 4;
        }
        match item.link {
            Link::None => {}
            Link::Near(bytes) => instruction = instruction.with_distance(bytes),
            Link::Inside(target) => {
                let distance = distance(&rewritten.moved, target, place, item)?;
                if !(-(1 << 20)..1 << 20).contains(&distance) {
                    return Err(Error::at(item.label, "a jump of more than 1 MiB"));
                }
                instruction = instruction.with_distance(distance as i32);
            }
            Link::Relocation { kind, symbol, addend } => rewritten.relocations.push(Relocation {
                r_offset: place,
                symbol,
                r_type: if kind == R_RISCV_BRANCH { R_RISCV_JAL } else { kind },
                r_addend: addend,
            }),
        }
        rewritten.bytes.extend(instruction.0.to_le_bytes());
    }
    Ok(rewritten)
}
fn distance(moved: &HashMap<u64, u64>, target: u64, place: u64, item: &Item) -> Result<i64, Error> {
    let to = moved.get(&target).ok_or(Error::at(item.label, "a jump to the middle of an instruction"))?;
    Ok(*to as i64 - place as i64)
}
type Places = (Vec<u64>, HashMap<u64, u64>, HashMap<u64, u64>);
/// Where each item is, and where what was at an offset is.
fn places(items: &[Item], far: &[bool], end: u64, padding: &Padding) -> Places {
    let (mut places, mut moved, mut proper) = (Vec::with_capacity(items.len()), HashMap::new(), HashMap::new());
    let mut place = 0;
    for (item, far) in items.iter().zip(far) {
        if let Some(label) = item.label {
            moved.insert(label, place);
            proper.entry(label).or_insert(place);
        }
        if let Some(label) = item.proper {
            proper.insert(label, place);
        }
        places.push(place);
        place += if *far { 8 } else { 4 };
    }
    moved.insert(end, place);
    proper.insert(end, place);
    // From the last on, as one may follow another.
    for (start, next) in padding.iter().rev() {
        let place = moved.get(next).copied().unwrap_or(place);
        moved.entry(*start).or_insert(place);
        proper.entry(*start).or_insert(place);
    }
    (places, moved, proper)
}
