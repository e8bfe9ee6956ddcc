//! Executes a few words as an adversary would have them executed.
//!
//! It knows exactly what the instructions do that addresses are made with. Of all others the result is whatever is worst: memory, arithmetic and
//! branches give an address of the host's, one near an end of the segment, or anything at all. An access to where nothing is mapped ends the execution, as
//! does a jump to it; one to the host's memory, or a jump there, is an escape.

use crate::random::Random;
use verifier::segment::{CODE, GUARD, USER_END};
use verifier::{Form, Segment};

/// The host's block of the thread.
const BLOCK: u64 = 0x2_0000_1000;

pub struct Machine<'a> {
    segment: &'a Segment,
    words: &'a [u32],
    random: &'a mut Random,
    registers: [u64; 32],
    pc: u64,
}
/// What became of an instruction.
enum Step {
    On,
    /// It faulted, or has called the host.
    Over,
}

impl<'a> Machine<'a> {
    /// In a state that a fault domain may be entered in, at any of its words.
    pub fn new(segment: &'a Segment, words: &'a [u32], random: &'a mut Random) -> Machine<'a> {
        let (base, size) = (segment.base, 1u64 << segment.bits);
        let code = base + CODE;
        let pc = code + 4 * random.below(words.len()) as u64;
        let mut machine = Machine { segment, words, random, registers: [0; 32], pc };
        for register in 1..32 {
            machine.registers[register] = machine.worst();
        }
        let word = |machine: &mut Machine| match machine.random.below(4) {
            0 => base + (machine.random.next() % size) / 4 * 4,
            1 => base + machine.random.of(&[0, size - 4, CODE - 4096]),
            _ => code + 4 * machine.random.below(machine.words.len() + 1) as u64,
        };
        machine.registers[1] = word(&mut machine);
        machine.registers[30] = word(&mut machine);
        // What a stub or an access leaves: an offset beyond the segment at most.
        let edge = machine.random.next() % 4096;
        machine.registers[2] = match machine.random.below(4) {
            0 => base.wrapping_add(edge).wrapping_sub(2048),
            1 => base + size - 2048 + edge,
            _ => base + size / 2 + edge,
        };
        machine.registers[31] = base + machine.random.next() % size;
        if machine.random.one_in(4) {
            machine.registers[31] = machine.random.of(&[base, base + size - 1, code + 2]);
        }
        if segment.form == Form::Or && machine.random.one_in(2) {
            // What the base's bits were put into: an address of the supervisor's, none at all, or of the last before the end of all.
            let register = machine.random.of(&[1, 2, 30, 31]);
            let anything = match machine.random.below(3) {
                0 => machine.random.next(),
                1 => 0u64.wrapping_sub(machine.random.next() % 0x2_0000),
                _ => (machine.random.next() % 64) << 38,
            };
            let multiple = if register == 1 || register == 30 { 3 } else { 0 };
            let value = (anything & !multiple) | base;
            machine.registers[register] =
                if register == 2 { value.wrapping_add(edge).wrapping_sub(2048) } else { value };
        }
        machine.registers[3] = base;
        machine.registers[4] = BLOCK;
        if segment.form == Form::Mask {
            machine.registers[29] = size - 1;
            machine.registers[28] = size - 4;
        }
        machine
    }
    /// A value as an attacker would choose it.
    fn worst(&mut self) -> u64 {
        let (base, size) = (self.segment.base, 1u64 << self.segment.bits);
        let near = (self.random.next() % 8192).wrapping_sub(4096);
        let index = self.random.below(32);
        match self.random.below(8) {
            0 => 0u64.wrapping_add(near),
            1 => BLOCK,
            2 => base.wrapping_add(near),
            3 => (base + size).wrapping_add(near),
            4 => self.registers[index].wrapping_add(near),
            5 => self.segment.base + CODE + 2 * self.random.below(2 * self.words.len() + 1) as u64,
            6 => self.random.next() as u32 as u64,
            _ => self.random.next(),
        }
    }
    /// At most `most` instructions; how many it were, or how it left its segment.
    pub fn run(mut self, most: usize) -> Result<u64, String> {
        for step in 0..most {
            let offset = self.pc.wrapping_sub(self.segment.base + CODE);
            if offset >= 4 * self.words.len() as u64 {
                // The jump table or nothing that can be executed, else the host.
                return match self.is_near(self.pc) {
                    true => Ok(step as u64),
                    false => Err(format!("a jump to {:#x}", self.pc)),
                };
            }
            if !offset.is_multiple_of(4) {
                return Err(format!("a jump into an instruction at {:#x}", self.pc));
            }
            if matches!(self.execute(self.words[offset as usize / 4])?, Step::Over) {
                return Ok(step as u64);
            }
            self.registers[0] = 0;
            if self.registers[3] != self.segment.base || self.registers[4] != BLOCK {
                return Err(format!("gp {:#x}, tp {:#x}", self.registers[3], self.registers[4]));
            }
        }
        Ok(most as u64)
    }
    /// Whether an address is in the segment or the guard zones around it, or, where the segment ends with the addresses of user mode, is none of
    /// these, up to what is around the end of all.
    fn is_near(&self, address: u64) -> bool {
        let low = self.segment.base - GUARD;
        let near = address.wrapping_sub(low) < (1 << self.segment.bits) + 2 * GUARD;
        near || self.segment.form == Form::Or && !(GUARD..USER_END).contains(&address)
    }
    /// An access of up to 8 bytes.
    fn access(&mut self, address: u64, writes: bool) -> Result<Step, String> {
        if !self.is_near(address) || !self.is_near(address.wrapping_add(7)) {
            return Err(format!("an access to {address:#x} at {:#x}", self.pc));
        }
        let (start, end) = (self.segment.base + GUARD, self.segment.base + (1 << self.segment.bits) - GUARD);
        let is_code = address < self.segment.base + CODE + 4096;
        let mapped = address >= start && address.wrapping_add(7) < end && !(writes && is_code);
        Ok(if mapped && !self.random.one_in(16) { Step::On } else { Step::Over })
    }
    #[expect(clippy::too_many_lines, reason = "an arm for each instruction")]
    fn execute(&mut self, word: u32) -> Result<Step, String> {
        let field = |low: u32, bits: u32| (word >> low) & ((1 << bits) - 1);
        let (opcode, rd, selection, one, two) =
            (field(0, 7), field(7, 5) as usize, field(12, 3), field(15, 5) as usize, field(20, 5) as usize);
        let (a, b) = (self.registers[one], self.registers[two]);
        let immediate = (word as i32 >> 20) as i64 as u64;
        let upper = (word & 0xffff_f000) as i32 as i64 as u64;
        let next = self.pc.wrapping_add(4);
        let arbitrary = self.worst();
        let mut target = next;
        let result = match opcode {
            0x37 => Some(upper),
            0x17 => Some(self.pc.wrapping_add(upper)),
            0x6f => {
                let sign = if word >> 31 != 0 { !0u64 << 20 } else { 0 };
                let offset = sign | u64::from(field(12, 8) << 12 | field(20, 1) << 11 | field(21, 10) << 1);
                target = self.pc.wrapping_add(offset);
                Some(next)
            }
            0x67 => {
                target = a.wrapping_add(immediate) & !1;
                Some(next)
            }
            0x63 => {
                let sign = if word >> 31 != 0 { !0u64 << 12 } else { 0 };
                let offset = sign | u64::from(field(7, 1) << 11 | field(25, 6) << 5 | field(8, 4) << 1);
                if self.random.one_in(2) {
                    target = self.pc.wrapping_add(offset);
                }
                None
            }
            0x03 | 0x07 => {
                // Where loads are free, those through the stack pointer still say whether it has gone astray.
                if (self.segment.loads || one == 2)
                    && matches!(self.access(a.wrapping_add(immediate), false)?, Step::Over)
                {
                    return Ok(Step::Over);
                }
                (opcode == 0x03).then_some(arbitrary)
            }
            0x23 | 0x27 => {
                let offset = (((word as i32 >> 25) << 5) | rd as i32) as i64 as u64;
                if matches!(self.access(a.wrapping_add(offset), true)?, Step::Over) {
                    return Ok(Step::Over);
                }
                None
            }
            0x2f => {
                let loads = word >> 27 == 2;
                // A conditional store without a reservation may fail before it looks at the address.
                if word >> 27 == 3 && self.random.one_in(2) {
                    self.registers[rd] = arbitrary;
                    self.pc = next;
                    return Ok(Step::On);
                }
                if (!loads || self.segment.loads || one == 2) && matches!(self.access(a, !loads)?, Step::Over) {
                    return Ok(Step::Over);
                }
                Some(arbitrary)
            }
            0x13 if selection == 0 => Some(a.wrapping_add(immediate)),
            0x13 if selection == 7 => Some(a & immediate),
            0x33 if field(25, 7) == 0 && selection == 0 => Some(a.wrapping_add(b)),
            0x33 if field(25, 7) == 0 && selection == 6 => Some(a | b),
            0x33 if field(25, 7) == 0 && selection == 7 => Some(a & b),
            0x3b if field(25, 7) == 4 => Some(u64::from(a as u32).wrapping_add(b)),
            0x13 | 0x1b | 0x33 | 0x3b => Some(arbitrary),
            0x53 if matches!(field(26, 6), 0x28 | 0x30 | 0x38) => Some(arbitrary),
            0x43 | 0x47 | 0x4b | 0x4f | 0x53 | 0x0f => None,
            0x73 if selection == 0 && word == 0x0010_0073 => return Ok(Step::Over),
            0x73 if selection != 0 => Some(arbitrary),
            _ => return Err(format!("{word:#010x} is no instruction of a fault domain")),
        };
        if let Some(value) = result {
            self.registers[rd] = value;
        }
        self.pc = target;
        if target != next {
            self.check_registers()?;
        }
        Ok(Step::On)
    }
    /// What must hold of the dedicated registers wherever code is entered: had it to go wrong first, that could take many turns of a loop.
    fn check_registers(&self) -> Result<(), String> {
        let (base, size) = (self.segment.base, 1u64 << self.segment.bits);
        let inside = |value: u64, beside: u64| match self.segment.form {
            // All bits of the base, before it was moved.
            Form::Or => (value % USER_END).wrapping_sub(base).wrapping_add(beside) % USER_END < size + 2 * beside,
            _ => value.wrapping_sub(base).wrapping_add(beside) < size + 2 * beside,
        };
        for (register, beside, multiple) in [(1, 0, 4), (30, 0, 4), (31, 0, 1), (2, 2048, 1)] {
            let value = self.registers[register];
            // The link of the segment's last word would be its end.
            if !(inside(value, beside) || value == base + size) || !value.is_multiple_of(multiple) {
                return Err(format!("x{register} is {value:#x} where {:#x} is entered", self.pc));
            }
        }
        Ok(())
    }
}
