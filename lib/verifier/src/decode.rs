//! Takes an instruction apart as far as the rules need it. What is not listed here is unknown, and rejected.
//!
//! RV64IMAFD, and Zba with [`Form::AddUnsignedWord`], without the privileged instructions: The RISC-V Instruction Set Manual, volume I, version
//! 20191213, chapter 24 (tables), and the bit-manipulation extensions 1.0.0, chapter 1.1.

use crate::rejection::Rule;
use crate::segment::Form;

/// What an instruction is to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It computes, and is no concern of theirs but for what it writes.
    Other,
    /// From memory at `base` and an offset of twelve bits.
    Load {
        base: u8,
    },
    /// To memory, or both ways.
    Store {
        base: u8,
    },
    /// `sc`, which may fail without looking at where it would have stored.
    StoreConditional {
        base: u8,
    },
    Branch {
        offset: i32,
    },
    Jump {
        offset: i32,
    },
    JumpRegister {
        base: u8,
        offset: i32,
    },
    AddImmediate {
        source: u8,
        immediate: i32,
    },
    AndImmediate {
        source: u8,
        immediate: i32,
    },
    And {
        one: u8,
        other: u8,
    },
    Or {
        one: u8,
        other: u8,
    },
    /// `add.uw`.
    AddUnsignedWord {
        source: u8,
        base: u8,
    },
    /// `auipc`, with what it adds.
    AddUpper {
        immediate: i32,
    },
}

/// An instruction and what it writes.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    pub kind: Kind,
    /// The integer register; `x0` is none.
    pub written: Option<u8>,
    /// The floating-point register, as a bit.
    pub floating: u32,
}

const fn rd(word: u32) -> u8 {
    (word >> 7 & 31) as u8
}
const fn funct3(word: u32) -> u32 {
    word >> 12 & 7
}
const fn rs1(word: u32) -> u8 {
    (word >> 15 & 31) as u8
}
const fn rs2(word: u32) -> u8 {
    (word >> 20 & 31) as u8
}
const fn funct7(word: u32) -> u32 {
    word >> 25
}
/// Immediate of `jalr` and of register-immediate instructions.
const fn immediate_i(word: u32) -> i32 {
    word as i32 >> 20
}
const fn immediate_b(word: u32) -> i32 {
    let low = (word >> 7 & 30) | (word >> 20 & 0x7e0) | (word << 4 & 0x800);
    (word as i32 >> 31 << 12) | low as i32
}
const fn immediate_j(word: u32) -> i32 {
    let low = (word >> 20 & 0x7fe) | (word >> 9 & 0x800) | (word & 0xf_f000);
    (word as i32 >> 31 << 20) | low as i32
}

fn writes(kind: Kind, register: u8) -> Instruction {
    Instruction { kind, written: (register != 0).then_some(register), floating: 0 }
}
fn changes_nothing(kind: Kind) -> Instruction {
    writes(kind, 0)
}
fn writes_float(kind: Kind, word: u32) -> Instruction {
    Instruction { kind, written: None, floating: 1 << rd(word) }
}

/// Takes `word` apart; the rule that it breaks if it is none of the listed ones.
pub fn decode(word: u32, form: Form) -> Result<Instruction, Rule> {
    // Manual, section 1.5: an instruction of 32 bits ends in 11, but not in 11111.
    if word & 3 != 3 || word & 0x1f == 0x1f {
        return Err(Rule::Length);
    }
    let zba = form == Form::AddUnsignedWord;
    let (rd, rs1, funct3) = (rd(word), rs1(word), funct3(word));
    let known = |is: bool, instruction| if is { Ok(instruction) } else { Err(Rule::Unknown) };
    match word & 0x7f {
        // lui, auipc, jal, jalr, branches
        0x37 => Ok(writes(Kind::Other, rd)),
        0x17 => Ok(writes(Kind::AddUpper { immediate: (word & 0xffff_f000) as i32 }, rd)),
        0x6f => Ok(writes(Kind::Jump { offset: immediate_j(word) }, rd)),
        0x67 => known(funct3 == 0, writes(Kind::JumpRegister { base: rs1, offset: immediate_i(word) }, rd)),
        0x63 => known(!matches!(funct3, 2 | 3), changes_nothing(Kind::Branch { offset: immediate_b(word) })),
        // Loads and stores, integer and floating-point
        0x03 => known(funct3 != 7, writes(Kind::Load { base: rs1 }, rd)),
        0x07 => known(matches!(funct3, 2 | 3), writes_float(Kind::Load { base: rs1 }, word)),
        0x23 => known(funct3 < 4, changes_nothing(Kind::Store { base: rs1 })),
        0x27 => known(matches!(funct3, 2 | 3), changes_nothing(Kind::Store { base: rs1 })),
        // Register and immediate, register and register, and the same of words
        0x13 => known(immediate_is_known(word), writes(with_immediate(word), rd)),
        0x1b => known(word_immediate_is_known(word, zba), writes(Kind::Other, rd)),
        0x33 => known(operation_is_known(word, zba), writes(operation(word), rd)),
        0x3b => known(word_operation_is_known(word, zba), writes(word_operation(word), rd)),
        0x0f => fence(word),
        0x2f => atomic(word),
        // Multiply-add, of single and double precision
        0x43 | 0x47 | 0x4b | 0x4f => {
            known(word >> 25 & 3 < 2 && rounding_is_known(word), writes_float(Kind::Other, word))
        }
        0x53 => floating(word),
        0x73 => system(word),
        _ => Err(Rule::Unknown),
    }
}

fn immediate_is_known(word: u32) -> bool {
    match funct3(word) {
        1 => word >> 26 == 0,
        5 => matches!(word >> 26, 0 | 0x10),
        _ => true,
    }
}
fn with_immediate(word: u32) -> Kind {
    let (source, immediate) = (rs1(word), immediate_i(word));
    match funct3(word) {
        0 => Kind::AddImmediate { source, immediate },
        7 => Kind::AndImmediate { source, immediate },
        _ => Kind::Other,
    }
}
fn word_immediate_is_known(word: u32, zba: bool) -> bool {
    match funct3(word) {
        0 => true,
        // slliw; slli.uw
        1 => funct7(word) == 0 || (zba && word >> 26 == 2),
        5 => matches!(funct7(word), 0 | 0x20),
        _ => false,
    }
}
fn operation_is_known(word: u32, zba: bool) -> bool {
    match funct7(word) {
        0 | 1 => true,
        0x20 => matches!(funct3(word), 0 | 5),
        // sh1add, sh2add, sh3add
        0x10 => zba && matches!(funct3(word), 2 | 4 | 6),
        _ => false,
    }
}
fn operation(word: u32) -> Kind {
    let (one, other) = (rs1(word), rs2(word));
    match (funct7(word), funct3(word)) {
        (0, 6) => Kind::Or { one, other },
        (0, 7) => Kind::And { one, other },
        _ => Kind::Other,
    }
}
fn word_operation_is_known(word: u32, zba: bool) -> bool {
    match (funct7(word), funct3(word)) {
        (0, 0 | 1 | 5) | (0x20, 0 | 5) | (1, 0 | 4..=7) => true,
        // add.uw; sh1add.uw, sh2add.uw, sh3add.uw
        (4, 0) | (0x10, 2 | 4 | 6) => zba,
        _ => false,
    }
}
fn word_operation(word: u32) -> Kind {
    match (funct7(word), funct3(word)) {
        (4, 0) => Kind::AddUnsignedWord { source: rs1(word), base: rs2(word) },
        _ => Kind::Other,
    }
}
/// `fence` of all kinds that have a meaning, and `fence.tso`.
fn fence(word: u32) -> Result<Instruction, Rule> {
    match (funct3(word), word) {
        (1, _) => Err(Rule::InstructionFence),
        (0, 0x8330_000f) => Ok(changes_nothing(Kind::Other)),
        (0, _) if word & !0x0ff0_0000 == 0x0f => Ok(changes_nothing(Kind::Other)),
        _ => Err(Rule::Unknown),
    }
}
fn atomic(word: u32) -> Result<Instruction, Rule> {
    let (base, rd) = (rs1(word), rd(word));
    if !matches!(funct3(word), 2 | 3) {
        return Err(Rule::Unknown);
    }
    match word >> 27 {
        // lr, sc
        2 if rs2(word) == 0 => Ok(writes(Kind::Load { base }, rd)),
        3 => Ok(writes(Kind::StoreConditional { base }, rd)),
        // amoswap, amoadd; amoxor, amoand, amoor, amomin, amomax, amominu, amomaxu
        1 | 0 | 4 | 12 | 8 | 16 | 20 | 24 | 28 => Ok(writes(Kind::Store { base }, rd)),
        _ => Err(Rule::Unknown),
    }
}
/// Whether the rounding mode is none of the two that are reserved.
fn rounding_is_known(word: u32) -> bool {
    !matches!(funct3(word), 5 | 6)
}
/// Single and double precision.
fn floating(word: u32) -> Result<Instruction, Rule> {
    let (rounds, selection, second) = (rounding_is_known(word), funct3(word), rs2(word));
    let double = funct7(word) & 1 == 1;
    // Without the bit that tells the two precisions apart.
    let (known, to_integer) = match funct7(word) & !1 {
        // fadd, fsub, fmul, fdiv; fsqrt
        0x00 | 0x04 | 0x08 | 0x0c => (rounds, false),
        0x2c => (rounds && second == 0, false),
        // fsgnj, fsgnjn, fsgnjx; fmin, fmax
        0x10 => (selection < 3, false),
        0x14 => (selection < 2, false),
        // fcvt.s.d; fcvt.d.s, which is exact
        0x20 => ((double && second == 0 && selection == 0) || (!double && second == 1 && rounds), false),
        // fle, flt, feq; fcvt to and from integers; fmv.x and fclass; fmv
        0x50 => (selection < 3, true),
        0x60 => (rounds && second < 4, true),
        // fcvt.d.w, fcvt.d.wu are exact
        0x68 => (if double && second < 2 { selection == 0 } else { rounds && second < 4 }, false),
        0x70 => (selection < 2 && second == 0, true),
        0x78 => (selection == 0 && second == 0, false),
        _ => (false, false),
    };
    match (known, to_integer) {
        (false, _) => Err(Rule::Unknown),
        (true, true) => Ok(writes(Kind::Other, rd(word))),
        (true, false) => Ok(writes_float(Kind::Other, word)),
    }
}

/// The control registers that may be read: `fflags`, `frm`, `fcsr`, `cycle`, `time`, `instret`.
fn may_read(register: u32) -> bool {
    matches!(register, 1..=3 | 0xc00..=0xc02)
}
/// `fflags`: its sticky bits concern nobody else.
const FLAGS: u32 = 1;

fn system(word: u32) -> Result<Instruction, Rule> {
    let (register, operation) = (word >> 20, funct3(word));
    match operation {
        // ebreak is an exception as an access to nowhere is.
        0 if word == 0x0010_0073 => Ok(changes_nothing(Kind::Other)),
        0 => Err(Rule::System),
        4 => Err(Rule::Unknown),
        // csrrs and csrrc, of the register or of the immediate, do not write with 0.
        _ if register == FLAGS || (operation & 3 != 1 && rs1(word) == 0 && may_read(register)) => {
            Ok(writes(Kind::Other, rd(word)))
        }
        _ => Err(Rule::Control),
    }
}
