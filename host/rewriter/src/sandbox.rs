//! Puts the sequences of `docs/src/fault-domains.md` into one function's instructions, and leaves out what is not needed: a second
//! store through the same register, the check of a stack pointer that is used before the next jump.

use crate::instruction::*;
use crate::item::{Item, Link};
use crate::{CALL, Error, Form, Options};
use object::build::elf::SymbolId;
use object::elf::{R_RISCV_CALL_PLT, R_RISCV_JAL};
use std::collections::HashMap;

/// Where the jump table's entry for system calls is.
pub struct Table {
    pub call: SymbolId,
    /// A `jal` reaches all code, and this.
    pub near: bool,
}

/// What the address register has: the segment's address of a register's value, less `distance`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Held {
    register: Register,
    distance: i32,
}
pub struct Sandbox<'a> {
    options: &'a Options,
    table: &'a Table,
    out: Vec<Item>,
    held: Option<Held>,
    /// What it has at each label, where all jumps to it are known and agree.
    arriving: Arriving,
    /// The next instruction may follow the last one.
    falls_through: bool,
    /// `ra` was loaded and is to be brought in before the next jump.
    link_is_loaded: bool,
}
/// What the address register has where the jumps to each label are made; `None`: they do not agree.
#[derive(Default)]
struct Arriving {
    states: HashMap<u64, Option<Held>>,
    /// A function's instructions are looked at again.
    changed: bool,
}
impl Arriving {
    fn from(&mut self, target: u64, held: Option<Held>) {
        match self.states.get(&target) {
            Some(known) if *known == held || known.is_none() => {}
            Some(_) => {
                self.states.insert(target, None);
                self.changed = true;
            }
            None => {
                self.states.insert(target, held);
                self.changed = true;
            }
        }
    }
}

/// What fits in an instruction's offset.
fn fits(offset: i32) -> bool {
    (-2048..2048).contains(&offset)
}

impl<'a> Sandbox<'a> {
    pub fn new(options: &'a Options, table: &'a Table) -> Sandbox<'a> {
        let arriving = Arriving::default();
        Sandbox { options, table, out: Vec::new(), held: None, arriving, falls_through: false, link_is_loaded: false }
    }
    /// One function's instructions.
    pub fn function(mut self, items: Vec<Item>) -> Result<Vec<Item>, Error> {
        let mut items = items;
        self.move_stack_adjustments(&mut items);
        // A state that was wrong is nothing from then on, so this ends.
        loop {
            self.arriving.changed = false;
            (self.held, self.falls_through) = (None, false);
            self.out.clear();
            for n in 0..items.len() {
                self.item(&items[n], &items[n + 1..])?;
            }
            self.bring_link_in();
            if !self.arriving.changed {
                return Ok(self.out);
            }
        }
    }
    /// Somebody may jump to `item`: what the address register has there. What all who jump have is made so for who comes from above, where it is
    /// used first: the head of a loop.
    fn arrive(&mut self, item: &Item, following: &[Item]) {
        let jumped = item.label.and_then(|label| self.arriving.states.get(&label)).copied();
        self.held = match jumped {
            _ if item.entered => None,
            // Nobody jumps there, as far as is known by now.
            None => self.held.filter(|_| self.falls_through),
            Some(held) if !self.falls_through || self.held == held => held,
            // What the register has here may be no address yet, so with matching it is made, and compared, at the access.
            Some(Some(held))
                if held.distance == 0
                    && !self.options.matching
                    && self.first_base(item, following) == Some(held.register) =>
            {
                let sequence = self.bring_in(ADDRESS, held.register);
                sequence.into_iter().for_each(|instruction| self.out.push(Item::done(instruction)));
                Some(held)
            }
            Some(_) => None,
        };
    }
    /// Whether an access is to be kept in by a sequence.
    fn keeps_in(&self, instruction: Instruction) -> bool {
        let kind = match instruction.class() {
            Class::Store | Class::Atomic => true,
            Class::Load | Class::LoadReserved => self.options.loads,
            _ => false,
        };
        kind && instruction.base() != SP
    }
    /// Whether the stack pointer is used before the next jump, that of a sequence of segment matching included.
    fn stack_is_used(&self, following: &[Item]) -> bool {
        for item in following {
            let instruction = item.instruction;
            let accesses = matches!(instruction.class(), Class::Load | Class::Store) && instruction.base() == SP;
            if accesses && instruction.written() != Some(SP) {
                return true;
            }
            let jumps = instruction.transfers() || (self.options.matching && self.keeps_in(instruction));
            if jumps || instruction.written() == Some(SP) {
                return false;
            }
        }
        false
    }
    /// The register that the first access from `item` on goes through, if it is to be kept in.
    fn first_base(&self, item: &Item, following: &[Item]) -> Option<Register> {
        for (n, item) in core::iter::once(item).chain(following).enumerate() {
            let instruction = item.instruction;
            if item.done || (n > 0 && item.leader) || instruction.transfers() {
                return None;
            }
            if self.keeps_in(instruction) {
                return Some(instruction.base());
            }
        }
        None
    }
    /// Exchanges `ld s0, 8(sp); addi sp, sp, 16`, so that the stack pointer is used after it was moved.
    fn move_stack_adjustments(&self, items: &mut [Item]) {
        for n in 1..items.len() {
            let (access, adjustment) = (items[n - 1], items[n]);
            let Some(moved) = adjustment.instruction.adds_to(SP) else { continue };
            let accesses = matches!(access.instruction.class(), Class::Load | Class::Store);
            let offset = access.instruction.offset() - moved;
            let written = access.instruction.written();
            if adjustment.leader
                || !accesses
                || access.instruction.base() != SP
                || written == Some(SP)
                || !matches!((access.link, adjustment.link), (Link::None, Link::None))
                || !fits(offset)
                || self.stack_is_used(&items[n + 1..])
            {
                continue;
            }
            let moved_access = Item { instruction: access.instruction.with_offset(offset), ..access };
            items[n - 1] = Item {
                label: access.label,
                leader: access.leader,
                entered: access.entered,
                proper: None,
                ..adjustment
            };
            items[n] = Item { label: adjustment.label, leader: false, entered: false, proper: None, ..moved_access };
        }
    }
    fn put(&mut self, item: Item) {
        self.out.push(item);
    }
    /// Puts sequences before an instruction, which jumps to it enter.
    fn put_before(&mut self, item: &mut Item, sequence: impl IntoIterator<Item = Instruction>) {
        for instruction in sequence {
            self.out.push(Item::done(instruction).labelled(item));
            item.label = None;
            item.leader = false;
            item.entered = false;
        }
    }
    /// The one instruction that brings `from` into the segment, in `register`, where one does.
    fn at_once(&self, register: Register, from: Register) -> Option<Instruction> {
        match self.options.form {
            Form::Masks => None,
            Form::AddUnsignedWord => Some(add_uw(register, from, GP)),
            Form::Or => Some(or(register, from, GP)),
        }
    }
    /// Brings `from` into the segment, in `register`.
    fn bring_in(&self, register: Register, from: Register) -> Vec<Instruction> {
        match self.at_once(register, from) {
            Some(instruction) => vec![instruction],
            None => vec![and(register, from, MASK), or(register, register, GP)],
        }
    }
    fn aligned(&self, register: Register, from: Register) -> Vec<Instruction> {
        if self.options.form == Form::Masks {
            return vec![and(register, from, JUMP_MASK), or(register, register, GP)];
        }
        let mut sequence = vec![andi(register, from, -4)];
        sequence.extend(self.bring_in(register, register));
        sequence
    }
    /// With segment matching: what `register` was made of is what it has become, or there is a fault here.
    fn must_be(&mut self, register: Register, from: Register) {
        if self.options.matching && register != from {
            self.put(Item::done(beq(register, from)).linked(Link::Near(8)));
            self.put(Item::done(ebreak()));
        }
    }
    fn bring_link_in(&mut self) {
        if std::mem::take(&mut self.link_is_loaded) {
            self.aligned(RA, RA).into_iter().for_each(|instruction| self.out.push(Item::done(instruction)));
        }
    }
    fn item(&mut self, item: &Item, following: &[Item]) -> Result<(), Error> {
        let item = *item;
        let instruction = item.instruction;
        if item.leader {
            self.bring_link_in();
            self.arrive(&item, following);
        }
        self.falls_through = true;
        if instruction.transfers() || is_call(&item) {
            self.bring_link_in();
        }
        if item.done {
            self.put(item);
            self.forget(instruction);
            self.falls_through = instruction.class() != Class::JumpRegister || instruction.written().is_some();
            return Ok(());
        }
        self.leave(&item);
        if instruction.written() == Some(GP) || instruction.mentions(TP) {
            return Err(Error::at(
                item.label.or(item.proper),
                "it writes gp, or uses tp for something else than a thread's variables",
            ));
        }
        match instruction.class() {
            Class::Store | Class::Atomic => self.access(item)?,
            Class::Load | Class::LoadReserved if self.options.loads => self.access(item)?,
            Class::JumpRegister => self.jump(item),
            Class::Call => self.call(item),
            Class::Break => self.put(Item { instruction: ebreak(), ..item }),
            _ if instruction.written() == Some(SP) => self.stack(item, following),
            _ => self.put(item),
        }
        if instruction.written() == Some(SP) && instruction.class() == Class::Load && self.options.loads {
            self.stack_loaded(item.label)?;
        }
        if instruction.written() == Some(RA) && !matches!(instruction.class(), Class::Jump | Class::JumpRegister) {
            if instruction.class() != Class::Load {
                return Err(Error::at(item.label.or(item.proper), "ra holds something else than where to return to"));
            }
            self.link_is_loaded = true;
        }
        self.forget(instruction);
        Ok(())
    }
    /// A jump or branch: what the address register has there, and whether the next instruction follows.
    fn leave(&mut self, item: &Item) {
        let instruction = item.instruction;
        let links = instruction.written().is_some();
        if let Link::Inside(target) = item.link {
            self.arriving.from(target, self.held.filter(|_| !links));
        }
        let jumps = matches!(instruction.class(), Class::Jump | Class::JumpRegister);
        self.falls_through = !jumps || links;
    }
    /// A load or store: through the address register, but for what is on the stack.
    fn access(&mut self, mut item: Item) -> Result<(), Error> {
        let instruction = item.instruction;
        let base = instruction.base();
        if base == SP {
            self.put(item);
            return Ok(());
        }
        let held = self.held.filter(|held| held.register == base);
        let offset = held.map(|held| instruction.offset() + held.distance);
        let moves = matches!(instruction.class(), Class::Load | Class::Store) && matches!(item.link, Link::None);
        match (held, offset) {
            (Some(_), Some(offset)) if moves && fits(offset) => {
                item.instruction = instruction.with_first(ADDRESS).with_offset(offset);
                self.put(item);
            }
            (Some(Held { distance: 0, .. }), _) => {
                item.instruction = instruction.with_first(ADDRESS);
                self.put(item);
            }
            _ => {
                if self.options.matching {
                    // Its sequence is over before the branch.
                    self.bring_link_in();
                }
                self.put_before(&mut item, self.bring_in(ADDRESS, base));
                self.must_be(ADDRESS, base);
                self.held = Some(Held { register: base, distance: 0 });
                item.instruction = instruction.with_first(ADDRESS);
                self.put(item);
            }
        }
        Ok(())
    }
    fn jump(&mut self, mut item: Item) {
        let instruction = item.instruction;
        let is_return = instruction.base() == RA && instruction.offset() == 0 && instruction.written().is_none();
        if !is_return && instruction.base() != JUMP && instruction.offset() != 0 {
            self.put_before(&mut item, [addi(JUMP, instruction.base(), instruction.offset())]);
            item.instruction = instruction.with_first(JUMP).with_offset(0);
        }
        if !is_return {
            let base = item.instruction.base();
            self.put_before(&mut item, self.aligned(JUMP, base));
            self.must_be(JUMP, base);
            item.instruction = item.instruction.with_first(JUMP).with_offset(0);
        }
        self.put(item);
    }
    /// A system call goes through the jump table; what it would change, that changes.
    fn call(&mut self, item: Item) {
        let link = |kind| Link::Relocation { kind, symbol: Some(self.table.call), addend: 0 };
        if self.table.near {
            self.put(Item { instruction: jal(JUMP), link: link(R_RISCV_JAL), ..item });
        } else {
            self.put(Item { instruction: auipc(JUMP), link: link(R_RISCV_CALL_PLT), ..item });
            self.put(Item::done(jalr(JUMP, JUMP)));
        }
        self.held = None;
    }
    /// The stack pointer is written.
    fn stack(&mut self, mut item: Item, following: &[Item]) {
        let instruction = item.instruction;
        if instruction.adds_to(SP).is_some() && matches!(item.link, Link::None) {
            self.put(item);
            if !self.stack_is_used(following) {
                self.set_stack(SP);
            }
            return;
        }
        if let Some(from) = instruction.copied() {
            let first = self.out.len();
            self.set_stack(from);
            self.out[first] = self.out[first].labelled(&item);
            return;
        }
        let through = self.stack_maker();
        item.instruction = instruction.with_written(through);
        self.put(item);
        self.set_stack(through);
    }
    /// The register that the stack pointer's new value is made in: it is valid again behind the sequence.
    fn stack_maker(&self) -> Register {
        if self.options.form == Form::Masks { ADDRESS } else { SP }
    }
    fn set_stack(&mut self, from: Register) {
        let mut sequence = Vec::new();
        if let Some(instruction) = self.at_once(SP, from) {
            sequence.push(instruction);
        } else {
            sequence.extend(self.bring_in(ADDRESS, from));
            sequence.push(addi(SP, ADDRESS, 0));
        }
        sequence.into_iter().for_each(|instruction| self.out.push(Item::done(instruction)));
        self.held = None;
    }
    /// It was loaded, from a `jmp_buf`.
    fn stack_loaded(&mut self, label: Option<u64>) -> Result<(), Error> {
        let through = self.stack_maker();
        let loaded = self.out.last_mut().ok_or(Error::at(label, "no load"))?;
        loaded.instruction = loaded.instruction.with_written(through);
        self.set_stack(through);
        Ok(())
    }
    /// What the address register has, after `instruction`.
    fn forget(&mut self, instruction: Instruction) {
        let Some(held) = self.held else { return };
        if matches!(instruction.class(), Class::JumpRegister | Class::Call)
            || (instruction.class() == Class::Jump && instruction.written().is_some())
        {
            self.held = None;
        } else if let Some(added) = instruction.adds_to(held.register) {
            self.held = Some(Held { distance: held.distance + added, ..held });
        } else if instruction.written() == Some(held.register) {
            self.held = None;
        }
    }
}

/// Whether it is part of a call that the linker completes.
fn is_call(item: &Item) -> bool {
    matches!(item.link, Link::Relocation { kind, .. } if CALL.contains(&kind))
}
