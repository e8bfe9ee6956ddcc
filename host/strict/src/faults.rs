//! The machine injects a fault ([`crate::injection`]): where a component is entered, left, and calls, it looks whether that is the one.

use crate::decode::{Decoded, decode};
use crate::entry::{address, pte};
use crate::injection::{Changed, Fault, Injection, Kind, State, Struck};
use crate::machine::{Machine, cause};
use crate::memory::PAGE;
use crate::mutate::{Mutation, changed};

/// Registers that calls have: `a0`, and the portal's number.
const A0: usize = 10;
const PORTAL: usize = 17;

impl Machine {
    /// Has a fault strike, in the place of one before it. Nothing happens on a machine that was not told where to look ([`Places`]).
    pub fn inject(&mut self, fault: Fault) {
        self.withdraw();
        let state = State::Waits(fault.after.max(1));
        self.injection = Some(Injection { fault, state, struck: None, changed: None, inside: None });
        self.arrive();
        self.plan();
    }
    /// The fault is none any more; what it has done with data stays. It tells of it, if it has struck.
    pub fn withdraw(&mut self) -> Option<Struck> {
        self.depart();
        self.injection.take()?.struck
    }
    /// Whether the fault has struck, and how.
    pub fn struck(&self) -> Option<&Struck> {
        self.injection.as_ref()?.struck.as_ref()
    }
    /// The identity of the domain that executes.
    fn executing(&self) -> u64 {
        let Some(places) = &self.settings.faults else { return 0 };
        let physical = |address: u64| u64::from(address as u32);
        let table = self.memory.word(physical(self.control.sscratch.wrapping_add(places.table)));
        self.memory.word(physical(table.wrapping_add_signed(places.identity)))
    }
    /// A component goes on: it may be the one.
    #[inline(always)]
    pub(crate) fn arrive(&mut self) {
        if self.injection.is_some() {
            self.arrived();
        }
    }
    #[inline(never)]
    fn arrived(&mut self) {
        let here = self.in_component() && self.executing() == self.injection.as_ref().map_or(0, |i| i.fault.identity);
        let (cycles, thread, pc, instructions) = (self.cycles, self.control.sscratch, self.pc, self.instructions);
        let Some(injection) = self.injection.as_mut().filter(|_| here) else { return };
        injection.inside = Some(cycles);
        if let Some(Changed { frame, place, instruction }) = injection.changed {
            self.put_instruction(frame, place, instruction);
        } else if matches!(injection.state, State::Called { thread: other, pc: at } if (other, at) == (thread, pc)) {
            let random = injection.fault.random;
            let was = self.x[A0];
            let is = match injection.fault.kind {
                Kind::Refused(error) => error as u64,
                _ => was ^ 1 << (random % 64),
            };
            self.x[A0] = is;
            let what = format!("the answer {was:#x} of a call is {is:#x}");
            injection.struck = Some(Struck { when: instructions, pc, what });
            injection.state = State::Struck;
        }
    }
    /// The component is left.
    #[inline(always)]
    pub(crate) fn depart(&mut self) {
        if self.injection.is_some() {
            self.departed();
        }
    }
    #[inline(never)]
    fn departed(&mut self) {
        let cycles = self.cycles;
        let Some(injection) = &mut self.injection else { return };
        let Some(since) = injection.inside.take() else { return };
        if let State::Waits(left) = &mut injection.state {
            *left = left.saturating_sub(cycles - since).max(1);
        }
        if let Some(Changed { frame, place, .. }) = injection.changed {
            self.put_instruction(frame, place, Decoded::UNKNOWN);
        }
    }
    /// What is taken for the instruction at a place of a frame, until its page is read anew.
    fn put_instruction(&mut self, frame: usize, place: usize, instruction: Decoded) {
        if self.decoded[frame].is_none() {
            self.note_code(frame);
        }
        if let Some(page) = &mut self.decoded[frame] {
            page[place] = instruction;
        }
    }
    /// A component traps: a call of the domain's is one that the fault may wait for.
    pub(crate) fn calls(&mut self, exception: u64) {
        let (pc, thread, portal, instructions) = (self.pc, self.control.sscratch, self.x[PORTAL], self.instructions);
        let Some(injection) = &mut self.injection else { return };
        if exception != cause::CALL_USER || injection.inside.is_none() || !matches!(injection.state, State::Looks) {
            return;
        }
        let random = injection.fault.random;
        match injection.fault.kind {
            Kind::Argument => {
                // An answer is one word.
                let n = if portal == 0 { 0 } else { random as usize % 4 };
                let was = self.x[A0 + n];
                let is = was ^ 1 << (random >> 8 & 63);
                self.x[A0 + n] = is;
                let what = match portal {
                    0 => format!("the answer that it gives is {is:#x}, not {was:#x}"),
                    _ => format!("argument {n} of a call of portal {portal} is {is:#x}, not {was:#x}"),
                };
                injection.struck = Some(Struck { when: instructions, pc, what });
                injection.state = State::Struck;
            }
            // Returns do not come back.
            Kind::Answer | Kind::Refused(_) if portal != 0 => injection.state = State::Called { thread, pc: pc + 4 },
            _ => {}
        }
    }
    /// The planned cycle has come while the domain executes.
    pub(crate) fn strike(&mut self) {
        let cycles = self.cycles;
        let Some(injection) = &mut self.injection else { return };
        let Some(since) = injection.inside else { return };
        if let State::Waits(left) = injection.state
            && cycles >= since.saturating_add(left)
        {
            injection.state = State::Looks;
        }
        if !matches!(injection.state, State::Looks) {
            return;
        }
        let Fault { kind, random, .. } = injection.fault;
        let what = match kind {
            Kind::Instruction(mutation) => self.change_instruction(mutation, random),
            Kind::Data => self.change_data(random),
            Kind::Register => {
                let (n, bit) = (1 + random as usize % 31, random >> 8 & 63);
                self.x[n] ^= 1 << bit;
                Some(format!("bit {bit} of x{n} is another one, so it is {:#x}", self.x[n]))
            }
            _ => None,
        };
        let (when, pc) = (self.instructions, self.pc);
        let Some(injection) = &mut self.injection else { return };
        // One that has nothing to write will have nothing at the next instruction either.
        if what.is_some() || kind == Kind::Data {
            injection.struck = what.map(|what| Struck { when, pc, what });
            injection.state = State::Struck;
        }
    }
    fn change_instruction(&mut self, mutation: Mutation, random: u64) -> Option<String> {
        // Portal code and stubs are everybody's.
        if !self.is_own(self.pc, self.pc + 1) {
            return None;
        }
        let offset = if self.fetched.0 == self.pc / PAGE { self.fetched.1 } else { self.find_code().ok()? };
        let (was, length) = self.instruction_at(offset)?;
        let is = changed(was, mutation, random)?;
        let changed = Changed {
            frame: offset / PAGE as usize,
            place: (self.pc % PAGE) as usize / 2,
            instruction: decode(is, length),
        };
        self.put_instruction(changed.frame, changed.place, changed.instruction);
        let (was, is) = (decode(was, length), changed.instruction);
        self.injection.as_mut()?.changed = Some(changed);
        Some(format!("{mutation:?}: {} is {}", told(&was), told(&is)))
    }
    /// A bit of a word that is not 0, if one is found soon, on a page that the domain may write.
    fn change_data(&mut self, random: u64) -> Option<String> {
        let pages = self.writable();
        let mut mixed = random | 1;
        let mut found = None;
        for _ in 0..64 {
            mixed = mixed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            let &(va, pa) = pages.get((mixed >> 33) as usize % pages.len().max(1))?;
            let at = mixed >> 20 & 0xff8;
            let offset = self.memory.offset(pa + at, 8)?;
            found = Some((va + at, offset));
            if self.memory.read::<8>(offset) != 0 {
                break;
            }
        }
        let ((va, offset), bit) = (found?, mixed >> 58);
        let is = self.memory.read::<8>(offset) ^ 1 << bit;
        self.memory.write::<8>(offset, is);
        Some(format!("bit {bit} of the word at {va:#x} is another one, so it is {is:#x}"))
    }
    /// Whether one of the bytes from `first` to before `end` may be a domain's own.
    fn is_own(&self, first: u64, end: u64) -> bool {
        let own = self.settings.faults.as_ref().map_or(&[][..], |places| &places.own);
        own.iter().any(|own| first < own.end && end > own.start)
    }
    /// Pages of its own that the domain which executes may write, and where they are.
    fn writable(&self) -> Vec<(u64, u64)> {
        // In supervisor mode it has pages that user mode does not see.
        let rights = pte::W | if self.user { pte::U } else { 0 };
        let root = self.control.satp << 12 & 0x00ff_ffff_ffff_f000;
        let mut pages = Vec::new();
        let mut tables = vec![(root, 0u64, 2u32)];
        while let Some((table, base, level)) = tables.pop() {
            for n in 0..PAGE / 8 {
                let (va, entry) = (base + (n << (12 + 9 * level)), self.memory.word(table + 8 * n));
                let own = self.is_own(va, va + (1 << (12 + 9 * level)));
                if entry & pte::V == 0 || !own || va >> 38 != 0 {
                    continue;
                }
                match entry & pte::LEAF {
                    0 if level > 0 => tables.push((address(entry), va, level - 1)),
                    _ if level == 0 && entry & rights == rights => pages.push((va, address(entry))),
                    _ => {}
                }
            }
        }
        pages
    }
}
/// An instruction, for who reads what was injected.
fn told(d: &Decoded) -> String {
    format!("{:?} rd x{} rs1 x{} rs2 x{} {:#x}", d.op, d.rd, d.rs1, d.rs2, d.immediate)
}
