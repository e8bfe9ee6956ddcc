//! Instructions of RV64IMAFD with Zba and the privileged ones, taken apart once and kept until `fence.i`.

use crate::masked::UNCOUNTED;

/// `slti x0, x0, 2046`: a component asks the one who runs the machine. A hint, so nothing happens on other machines.
pub(crate) const ASKS: u32 = 0x7fe0_2013;

/// What an instruction does. Those of one line differ in width, sign or comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[rustfmt::skip]
pub enum Op {
    /// Not looked at yet.
    Unknown,
    Illegal,
    Lui, Auipc, Jal, Jalr,
    Beq, Bne, Blt, Bge, Bltu, Bgeu,
    Lb, Lh, Lw, Ld, Lbu, Lhu, Lwu,
    Sb, Sh, Sw, Sd,
    Addi, Slti, Sltiu, Xori, Ori, Andi, Slli, Srli, Srai,
    Addiw, Slliw, Srliw, Sraiw,
    Add, Sub, Sll, Slt, Sltu, Xor, Srl, Sra, Or, And,
    Addw, Subw, Sllw, Srlw, Sraw,
    // Extension Zba; what is shifted, by the immediate.
    AddUnsignedWord, ShiftAdd, ShiftAddUnsignedWord, ShiftUnsignedWord,
    Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu,
    Mulw, Divw, Divuw, Remw, Remuw,
    Fence, FenceI, Uncounted, Asks,
    LrW, LrD, ScW, ScD, AmoW, AmoD,
    Ecall, Ebreak, Sret, Wfi, SfenceVma, Csr,
    FloatLoadWord, FloatLoad, FloatStoreWord, FloatStore, FloatMultiplyAdd, FloatOther,
}

/// An instruction. Of a floating-point, atomic or CSR one `immediate` is the whole word.
#[derive(Clone, Copy, Debug)]
pub struct Decoded {
    pub op: Op,
    pub rd: u8,
    pub rs1: u8,
    pub rs2: u8,
    pub immediate: i32,
    /// Bytes that it takes.
    pub length: u8,
}
impl Decoded {
    pub const UNKNOWN: Decoded = Decoded { op: Op::Unknown, rd: 0, rs1: 0, rs2: 0, immediate: 0, length: 0 };
}

/// Takes apart the instruction of `length` bytes that stands for `word`.
#[expect(clippy::too_many_lines, reason = "an arm for each instruction")]
#[rustfmt::skip]
pub fn decode(word: u32, length: u8) -> Decoded {
    let (rd, funct3, rs1, rs2, funct7) =
        ((word >> 7 & 31) as u8, word >> 12 & 7, (word >> 15 & 31) as u8, (word >> 20 & 31) as u8, word >> 25);
    let i = word as i32 >> 20;
    let s = (word as i32 >> 25 << 5) | i32::from(rd);
    let b = (word as i32 >> 31 << 12) | ((word >> 7 & 1) << 11 | (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1) as i32;
    let u = (word & 0xffff_f000) as i32;
    let j = (word as i32 >> 31 << 20)
        | ((word >> 12 & 0xff) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3ff) << 1) as i32;
    use Op::*;
    let (op, immediate) = match word & 0x7f {
        0x37 => (Lui, u),
        0x17 => (Auipc, u),
        0x6f => (Jal, j),
        0x67 if funct3 == 0 => (Jalr, i),
        0x63 => ([Beq, Bne, Illegal, Illegal, Blt, Bge, Bltu, Bgeu][funct3 as usize], b),
        0x03 => ([Lb, Lh, Lw, Ld, Lbu, Lhu, Lwu, Illegal][funct3 as usize], i),
        0x23 => ([Sb, Sh, Sw, Sd, Illegal, Illegal, Illegal, Illegal][funct3 as usize], s),
        0x13 => match (funct3, funct7 >> 1) {
            (1, 0) => (Slli, i & 63),
            (5, 0) => (Srli, i & 63),
            (5, 0x10) => (Srai, i & 63),
            (1 | 5, _) => (Illegal, 0),
            _ if word == UNCOUNTED => (Uncounted, 0),
            _ if word == ASKS => (Asks, 0),
            _ => ([Addi, Illegal, Slti, Sltiu, Xori, Illegal, Ori, Andi][funct3 as usize], i),
        },
        0x1b => match (funct3, funct7) {
            (0, _) => (Addiw, i),
            (1, 0) => (Slliw, i & 31),
            (1, 4 | 5) => (ShiftUnsignedWord, i & 63),
            (5, 0) => (Srliw, i & 31),
            (5, 0x20) => (Sraiw, i & 31),
            _ => (Illegal, 0),
        },
        0x33 => (match (funct7, funct3) {
            (0, n) => [Add, Sll, Slt, Sltu, Xor, Srl, Or, And][n as usize],
            (0x20, 0) => Sub,
            (0x20, 5) => Sra,
            (1, n) => [Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu][n as usize],
            (0x10, 2 | 4 | 6) => ShiftAdd,
            _ => Illegal,
        }, i32::from(funct3 as u8 >> 1)),
        0x3b => (match (funct7, funct3) {
            (0, 0) => Addw,
            (0, 1) => Sllw,
            (0, 5) => Srlw,
            (0x20, 0) => Subw,
            (0x20, 5) => Sraw,
            (4, 0) => AddUnsignedWord,
            (0x10, 2 | 4 | 6) => ShiftAddUnsignedWord,
            (1, n) => [Mulw, Illegal, Illegal, Illegal, Divw, Divuw, Remw, Remuw][n as usize],
            _ => Illegal,
        }, i32::from(funct3 as u8 >> 1)),
        0x0f => ([Fence, FenceI, Illegal, Illegal, Illegal, Illegal, Illegal, Illegal][funct3 as usize], 0),
        0x2f => (match (funct3, word >> 27) {
            (2, 2) if rs2 == 0 => LrW,
            (3, 2) if rs2 == 0 => LrD,
            (2, 3) => ScW,
            (3, 3) => ScD,
            (2, 0 | 1 | 4 | 8 | 12 | 16 | 20 | 24 | 28) => AmoW,
            (3, 0 | 1 | 4 | 8 | 12 | 16 | 20 | 24 | 28) => AmoD,
            _ => Illegal,
        }, word as i32),
        0x73 => (match (funct3, word) {
            (0, 0x73) => Ecall,
            (0, 0x0010_0073) => Ebreak,
            (0, 0x1020_0073) => Sret,
            (0, 0x1050_0073) => Wfi,
            (0, _) if funct7 == 9 && rd == 0 => SfenceVma,
            (0 | 4, _) => Illegal,
            _ => Csr,
        }, word as i32),
        0x07 => ([Illegal, Illegal, FloatLoadWord, FloatLoad, Illegal, Illegal, Illegal, Illegal][funct3 as usize], i),
        0x27 => ([Illegal, Illegal, FloatStoreWord, FloatStore, Illegal, Illegal, Illegal, Illegal][funct3 as usize], s),
        0x43 | 0x47 | 0x4b | 0x4f => (FloatMultiplyAdd, word as i32),
        0x53 => (FloatOther, word as i32),
        _ => (Illegal, 0),
    };
    // Of an illegal one, what stood there.
    let immediate = if op == Illegal { word as i32 } else { immediate };
    Decoded { op, rd, rs1, rs2, immediate, length }
}
