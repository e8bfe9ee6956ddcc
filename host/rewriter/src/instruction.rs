//! Fields of an instruction of 32 bits, and the few instructions that the rewriter makes.

use std::fmt;

/// An integer register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub u8);
impl fmt::Debug for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}
pub const ZERO: Register = Register(0);
pub const RA: Register = Register(1);
pub const SP: Register = Register(2);
pub const GP: Register = Register(3);
pub const TP: Register = Register(4);
/// Temporaries that no function has arguments in, nor results.
pub const TEMPORARIES: [Register; 7] =
    [Register(5), Register(6), Register(7), Register(28), Register(29), Register(30), Register(31)];
/// Registers that functions have arguments in.
pub const ARGUMENTS: [Register; 8] =
    [Register(10), Register(11), Register(12), Register(13), Register(14), Register(15), Register(16), Register(17)];
/// The size of a segment less 1, where `add.uw` is not used.
pub const MASK: Register = Register(29);
/// The same less 3: what is jumped to is a multiple of 4.
pub const JUMP_MASK: Register = Register(28);
pub const JUMP: Register = Register(30);
pub const ADDRESS: Register = Register(31);

/// What is to be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Load,
    Store,
    /// To memory and back: the address is in the register as it is.
    Atomic,
    LoadReserved,
    Branch,
    Jump,
    JumpRegister,
    Call,
    Break,
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Instruction(pub u32);
impl fmt::Debug for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.0)
    }
}

const fn sign_extended(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}
impl Instruction {
    pub fn opcode(self) -> u32 {
        self.0 & 0x7f
    }
    fn selection(self) -> u32 {
        self.0 >> 12 & 7
    }
    pub fn class(self) -> Class {
        match self.opcode() {
            0x03 | 0x07 => Class::Load,
            0x23 | 0x27 => Class::Store,
            0x2f if self.0 >> 27 == 2 => Class::LoadReserved,
            0x2f => Class::Atomic,
            0x63 => Class::Branch,
            0x6f => Class::Jump,
            0x67 => Class::JumpRegister,
            0x73 if self.0 == 0x73 => Class::Call,
            // ebreak, and unimp, which writes a counter.
            0x73 if self.0 == 0x0010_0073 || self.0 == 0xc000_1073 => Class::Break,
            _ => Class::Other,
        }
    }
    /// Whether it may go on elsewhere.
    pub fn transfers(self) -> bool {
        matches!(self.class(), Class::Branch | Class::Jump | Class::JumpRegister | Class::Call)
    }
    fn is_float_to_integer(self) -> bool {
        matches!(self.0 >> 25 & !1, 0x50 | 0x60 | 0x70)
    }
    fn is_float_from_integer(self) -> bool {
        matches!(self.0 >> 25 & !1, 0x68 | 0x78)
    }
    /// The integer register that it writes.
    pub fn written(self) -> Option<Register> {
        let writes = match self.opcode() {
            0x37 | 0x17 | 0x6f | 0x67 | 0x03 | 0x13 | 0x1b | 0x33 | 0x3b | 0x2f => true,
            0x53 => self.is_float_to_integer(),
            0x73 => self.selection() != 0,
            _ => false,
        };
        let register = Register((self.0 >> 7 & 31) as u8);
        (writes && register != ZERO).then_some(register)
    }
    /// Its first and second source, where they are integer registers.
    pub fn sources(self) -> [Option<Register>; 2] {
        let first = match self.opcode() {
            0x67 | 0x63 | 0x03 | 0x07 | 0x23 | 0x27 | 0x13 | 0x1b | 0x33 | 0x3b | 0x2f => true,
            0x53 => self.is_float_from_integer(),
            0x73 => matches!(self.selection(), 1..=3),
            _ => false,
        };
        let second = matches!(self.opcode(), 0x63 | 0x23 | 0x33 | 0x3b | 0x2f);
        let register = |is: bool, low: u32| is.then_some(Register((self.0 >> low & 31) as u8));
        [register(first, 15), register(second, 20)]
    }
    pub fn mentions(self, register: Register) -> bool {
        self.written() == Some(register) || self.sources().contains(&Some(register))
    }
    /// With `to` in the place of `from`.
    pub fn renamed(self, from: Register, to: Register) -> Instruction {
        let mut word = self.0;
        let mut replace = |low: u32| word = word & !(31 << low) | u32::from(to.0) << low;
        let [first, second] = self.sources();
        if self.written() == Some(from) {
            replace(7);
        }
        if first == Some(from) {
            replace(15);
        }
        if second == Some(from) {
            replace(20);
        }
        Instruction(word)
    }
    pub fn with_first(self, register: Register) -> Instruction {
        Instruction(self.0 & !(31 << 15) | u32::from(register.0) << 15)
    }
    pub fn with_second(self, register: Register) -> Instruction {
        Instruction(self.0 & !(31 << 20) | u32::from(register.0) << 20)
    }
    pub fn with_written(self, register: Register) -> Instruction {
        Instruction(self.0 & !(31 << 7) | u32::from(register.0) << 7)
    }
    /// The register that an access or an indirect jump goes through.
    pub fn base(self) -> Register {
        Register((self.0 >> 15 & 31) as u8)
    }
    /// Offset of a load, a store or an indirect jump, or the immediate of an addition.
    pub fn offset(self) -> i32 {
        match self.class() {
            Class::Store => sign_extended(self.0 >> 20 & 0xfe0 | self.0 >> 7 & 31, 12),
            Class::Atomic | Class::LoadReserved => 0,
            _ => sign_extended(self.0 >> 20, 12),
        }
    }
    pub fn with_offset(self, offset: i32) -> Instruction {
        let bits = offset as u32;
        Instruction(match self.class() {
            Class::Store => self.0 & !0xfe00_0f80 | (bits & 31) << 7 | (bits >> 5) << 25,
            _ => self.0 & 0xf_ffff | bits << 20,
        })
    }
    /// What `addi REGISTER, REGISTER, n` adds.
    pub fn adds_to(self, register: Register) -> Option<i32> {
        let adds = self.opcode() == 0x13 && self.selection() == 0;
        (adds && self.written() == Some(register) && self.base() == register).then(|| self.offset())
    }
    /// Of `mv`, where from.
    pub fn copied(self) -> Option<Register> {
        let [first, second] = self.sources();
        match self.0 & 0xfe00_707f {
            0x13 if self.offset() == 0 => first,
            0x33 if first == Some(ZERO) => second,
            _ => None,
        }
    }
    /// How far a branch or direct jump goes.
    pub fn distance(self) -> i32 {
        let w = self.0;
        if self.class() == Class::Branch {
            sign_extended((w >> 31) << 12 | (w >> 7 & 1) << 11 | (w >> 25 & 63) << 5 | (w >> 8 & 15) << 1, 13)
        } else {
            sign_extended((w >> 31) << 20 | (w >> 12 & 255) << 12 | (w >> 20 & 1) << 11 | (w >> 21 & 1023) << 1, 21)
        }
    }
    pub fn with_distance(self, distance: i32) -> Instruction {
        let d = distance as u32;
        Instruction(if self.class() == Class::Branch {
            let bits = (d >> 11 & 1) << 7 | (d >> 1 & 15) << 8 | (d >> 5 & 63) << 25 | (d >> 12 & 1) << 31;
            self.0 & 0x01ff_f07f | bits
        } else {
            self.0 & 0xfff | d & 0xf_f000 | (d >> 11 & 1) << 20 | (d >> 1 & 1023) << 21 | (d >> 20 & 1) << 31
        })
    }
    /// The branch that is taken where this one is not.
    pub fn inverted(self) -> Instruction {
        Instruction(self.0 ^ 1 << 12)
    }
}

fn register_form(opcode: u32, funct7: u32, funct3: u32, rd: Register, one: Register, two: Register) -> Instruction {
    let [rd, one, two] = [rd, one, two].map(|register| u32::from(register.0));
    Instruction(opcode | rd << 7 | funct3 << 12 | one << 15 | two << 20 | funct7 << 25)
}
fn immediate_form(opcode: u32, funct3: u32, rd: Register, one: Register, immediate: i32) -> Instruction {
    Instruction(opcode | u32::from(rd.0) << 7 | funct3 << 12 | u32::from(one.0) << 15 | (immediate as u32) << 20)
}
pub fn add_uw(rd: Register, one: Register, two: Register) -> Instruction {
    register_form(0x3b, 4, 0, rd, one, two)
}
pub fn and(rd: Register, one: Register, two: Register) -> Instruction {
    register_form(0x33, 0, 7, rd, one, two)
}
pub fn or(rd: Register, one: Register, two: Register) -> Instruction {
    register_form(0x33, 0, 6, rd, one, two)
}
pub fn addi(rd: Register, one: Register, immediate: i32) -> Instruction {
    immediate_form(0x13, 0, rd, one, immediate)
}
pub fn andi(rd: Register, one: Register, immediate: i32) -> Instruction {
    immediate_form(0x13, 7, rd, one, immediate)
}
pub fn ld(rd: Register, base: Register, offset: i32) -> Instruction {
    immediate_form(0x03, 3, rd, base, offset)
}
pub fn sd(value: Register, base: Register, offset: i32) -> Instruction {
    register_form(0x23, 0, 3, ZERO, base, value).with_offset(offset)
}
/// Where it goes is the link's.
pub fn beq(one: Register, two: Register) -> Instruction {
    register_form(0x63, 0, 0, ZERO, one, two)
}
pub fn jalr(rd: Register, base: Register) -> Instruction {
    immediate_form(0x67, 0, rd, base, 0)
}
pub fn jal(rd: Register) -> Instruction {
    Instruction(0x6f | u32::from(rd.0) << 7)
}
pub fn auipc(rd: Register) -> Instruction {
    Instruction(0x17 | u32::from(rd.0) << 7)
}
pub fn ebreak() -> Instruction {
    Instruction(0x0010_0073)
}
