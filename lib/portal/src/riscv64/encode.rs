//! The instructions that portals are made of, encoded (RISC-V unprivileged specification, chapters 2 and 7; privileged,
//! chapter 3). Immediates must be in range: the generator's own business, asserted in debug builds.

/// An integer register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register(pub u8);

macro_rules! registers { ($($name:ident = $n:literal)*) => { $(pub const $name: Register = Register($n);)* } }
registers! {
    ZERO = 0 RA = 1 SP = 2 GP = 3 TP = 4 T0 = 5 T1 = 6 T2 = 7 S0 = 8 S1 = 9
    A0 = 10 A1 = 11 A2 = 12 A3 = 13 A4 = 14 A5 = 15 A6 = 16 A7 = 17
    S2 = 18 S3 = 19 S4 = 20 S5 = 21 S6 = 22 S7 = 23 S8 = 24 S9 = 25 S10 = 26 S11 = 27
    T3 = 28 T4 = 29 T5 = 30 T6 = 31
}
/// The callee-saved registers but `sp`, in the order in which frames keep them, in three parts.
pub const CALLEE_SAVED: [[Register; 4]; 3] = [[S0, S1, S2, S3], [S4, S5, S6, S7], [S8, S9, S10, S11]];

/// Control and status registers.
pub mod csr {
    pub const SSTATUS: u32 = 0x100;
    pub const SIE: u32 = 0x104;
    pub const SSCRATCH: u32 = 0x140;
    pub const SEPC: u32 = 0x141;
    pub const SATP: u32 = 0x180;
    pub const CYCLE: u32 = 0xC00;
    pub const TIME: u32 = 0xC01;
}
/// Bits of `sstatus`: interrupts are on; they are on, and the processor in supervisor mode, behind the next `sret`.
pub mod sstatus {
    pub const SIE: u8 = 2;
    pub const SPIE: i32 = 0x20;
    pub const SPP: i32 = abi::nucleus::flags::SUPERVISOR as i32;
}
/// Supervisor timer and external interrupts in `sie`.
pub const SIE_ON: i32 = 0x220;

#[inline(always)]
const fn i_type(opcode: u32, funct3: u32, rd: Register, rs1: Register, immediate: i32) -> u32 {
    debug_assert!(-2048 <= immediate && immediate < 2048);
    (immediate as u32) << 20 | (rs1.0 as u32) << 15 | funct3 << 12 | (rd.0 as u32) << 7 | opcode
}
#[inline(always)]
const fn r_type(opcode: u32, funct3: u32, funct7: u32, rd: Register, rs1: Register, rs2: Register) -> u32 {
    funct7 << 25 | (rs2.0 as u32) << 20 | (rs1.0 as u32) << 15 | funct3 << 12 | (rd.0 as u32) << 7 | opcode
}
#[inline(always)]
const fn branch(funct3: u32, rs1: Register, rs2: Register, offset: i32) -> u32 {
    debug_assert!(-4096 <= offset && offset < 4096 && offset % 2 == 0);
    let o = offset as u32;
    (o >> 12 & 1) << 31
        | (o >> 5 & 63) << 25
        | (rs2.0 as u32) << 20
        | (rs1.0 as u32) << 15
        | funct3 << 12
        | (o >> 1 & 15) << 8
        | (o >> 11 & 1) << 7
        | 0x63
}
#[inline(always)]
const fn csr_type(funct3: u32, rd: Register, rs1: Register, csr: u32) -> u32 {
    csr << 20 | (rs1.0 as u32) << 15 | funct3 << 12 | (rd.0 as u32) << 7 | 0x73
}

#[inline(always)]
pub const fn addi(rd: Register, rs: Register, immediate: i32) -> u32 {
    i_type(0x13, 0, rd, rs, immediate)
}
#[inline(always)]
pub const fn addiw(rd: Register, rs: Register, immediate: i32) -> u32 {
    i_type(0x1B, 0, rd, rs, immediate)
}
#[inline(always)]
pub const fn andi(rd: Register, rs: Register, immediate: i32) -> u32 {
    i_type(0x13, 7, rd, rs, immediate)
}
#[inline(always)]
pub const fn xori(rd: Register, rs: Register, immediate: i32) -> u32 {
    i_type(0x13, 4, rd, rs, immediate)
}
#[inline(always)]
pub const fn ori(rd: Register, rs: Register, immediate: i32) -> u32 {
    i_type(0x13, 6, rd, rs, immediate)
}
#[inline(always)]
pub const fn sltiu(rd: Register, rs: Register, immediate: i32) -> u32 {
    i_type(0x13, 3, rd, rs, immediate)
}
#[inline(always)]
pub const fn slli(rd: Register, rs: Register, shift: i32) -> u32 {
    i_type(0x13, 1, rd, rs, shift)
}
#[inline(always)]
pub const fn srli(rd: Register, rs: Register, shift: i32) -> u32 {
    i_type(0x13, 5, rd, rs, shift)
}
#[inline(always)]
pub const fn slliw(rd: Register, rs: Register, shift: i32) -> u32 {
    i_type(0x1B, 1, rd, rs, shift)
}
#[inline(always)]
pub const fn lw(rd: Register, rs: Register, offset: i32) -> u32 {
    i_type(0x03, 2, rd, rs, offset)
}
#[inline(always)]
pub const fn lhu(rd: Register, rs: Register, offset: i32) -> u32 {
    i_type(0x03, 5, rd, rs, offset)
}
#[inline(always)]
pub const fn sw(source: Register, base: Register, offset: i32) -> u32 {
    sd(source, base, offset) & !(1 << 12)
}
#[inline(always)]
pub const fn ld(rd: Register, rs: Register, offset: i32) -> u32 {
    i_type(0x03, 3, rd, rs, offset)
}
#[inline(always)]
pub const fn jalr(rd: Register, rs: Register, offset: i32) -> u32 {
    i_type(0x67, 0, rd, rs, offset)
}
#[inline(always)]
pub const fn sd(source: Register, base: Register, offset: i32) -> u32 {
    debug_assert!(-2048 <= offset && offset < 2048);
    let o = offset as u32;
    (o >> 5 & 127) << 25 | (source.0 as u32) << 20 | (base.0 as u32) << 15 | 3 << 12 | (o & 31) << 7 | 0x23
}
/// `fld` and `fsd` of the floating-point register of that number.
#[inline(always)]
pub const fn fld(rd: Register, rs: Register, offset: i32) -> u32 {
    i_type(0x07, 3, rd, rs, offset)
}
#[inline(always)]
pub const fn fsd(source: Register, base: Register, offset: i32) -> u32 {
    // The store's fields, with the opcode of floating-point ones.
    sd(source, base, offset) | 0x04
}
/// `fmv.d.x` to the floating-point register of that number.
#[inline(always)]
pub const fn fmv_d_x(rd: Register, rs: Register) -> u32 {
    r_type(0x53, 0, 0x79, rd, rs, ZERO)
}
#[inline(always)]
pub const fn add(rd: Register, rs1: Register, rs2: Register) -> u32 {
    r_type(0x33, 0, 0, rd, rs1, rs2)
}
#[inline(always)]
pub const fn and(rd: Register, rs1: Register, rs2: Register) -> u32 {
    r_type(0x33, 7, 0, rd, rs1, rs2)
}
#[inline(always)]
pub const fn or(rd: Register, rs1: Register, rs2: Register) -> u32 {
    r_type(0x33, 6, 0, rd, rs1, rs2)
}
#[inline(always)]
pub const fn xor(rd: Register, rs1: Register, rs2: Register) -> u32 {
    r_type(0x33, 4, 0, rd, rs1, rs2)
}
#[inline(always)]
pub const fn sub(rd: Register, rs1: Register, rs2: Register) -> u32 {
    r_type(0x33, 0, 0x20, rd, rs1, rs2)
}
/// `upper` is the value of bits 31…12.
#[inline(always)]
pub const fn lui(rd: Register, upper: u32) -> u32 {
    upper << 12 | (rd.0 as u32) << 7 | 0x37
}
#[inline(always)]
pub const fn auipc(rd: Register, upper: u32) -> u32 {
    upper << 12 | (rd.0 as u32) << 7 | 0x17
}
#[inline(always)]
pub const fn beq(rs1: Register, rs2: Register, offset: i32) -> u32 {
    branch(0, rs1, rs2, offset)
}
#[inline(always)]
pub const fn bne(rs1: Register, rs2: Register, offset: i32) -> u32 {
    branch(1, rs1, rs2, offset)
}
#[inline(always)]
pub const fn blt(rs1: Register, rs2: Register, offset: i32) -> u32 {
    branch(4, rs1, rs2, offset)
}
#[inline(always)]
pub const fn bge(rs1: Register, rs2: Register, offset: i32) -> u32 {
    branch(5, rs1, rs2, offset)
}
#[inline(always)]
pub const fn bltu(rs1: Register, rs2: Register, offset: i32) -> u32 {
    branch(6, rs1, rs2, offset)
}
#[inline(always)]
pub const fn bgeu(rs1: Register, rs2: Register, offset: i32) -> u32 {
    branch(7, rs1, rs2, offset)
}
#[inline(always)]
pub const fn jal(rd: Register, offset: i32) -> u32 {
    debug_assert!(-(1 << 20) <= offset && offset < 1 << 20);
    let o = offset as u32;
    (o >> 20 & 1) << 31
        | (o >> 1 & 1023) << 21
        | (o >> 11 & 1) << 20
        | (o >> 12 & 255) << 12
        | (rd.0 as u32) << 7
        | 0x6F
}
#[inline(always)]
pub const fn csrrw(rd: Register, csr: u32, rs: Register) -> u32 {
    csr_type(1, rd, rs, csr)
}
#[inline(always)]
pub const fn csrr(rd: Register, csr: u32) -> u32 {
    csr_type(2, rd, ZERO, csr)
}
#[inline(always)]
pub const fn csrw(csr: u32, rs: Register) -> u32 {
    csr_type(1, ZERO, rs, csr)
}
/// Clears the bits of `csr` that are set in `rs`.
#[inline(always)]
pub const fn csrc(csr: u32, rs: Register) -> u32 {
    csr_type(3, ZERO, rs, csr)
}
#[inline(always)]
pub const fn csrs(csr: u32, rs: Register) -> u32 {
    csr_type(2, ZERO, rs, csr)
}
/// Sets the bits of `mask`, which is below 32.
#[inline(always)]
pub const fn csrsi(csr: u32, mask: u8) -> u32 {
    csr_type(6, ZERO, Register(mask), csr)
}
/// Clears them.
#[inline(always)]
pub const fn csrci(csr: u32, mask: u8) -> u32 {
    csr_type(7, ZERO, Register(mask), csr)
}
#[inline(always)]
pub const fn sfence_vma(address: Register, asid: Register) -> u32 {
    r_type(0x73, 0, 9, ZERO, address, asid)
}
pub const SRET: u32 = 0x1020_0073;

#[cfg(test)]
mod tests {
    use super::*;
    /// What GNU as makes of the same instructions.
    #[test]
    fn encodings_agree_with_the_assembler() {
        assert_eq!(addi(T0, T1, -8), 0xff83_0293);
        assert_eq!(ld(T2, TP, 8), 0x0082_3383);
        assert_eq!(sd(RA, T0, 32), 0x0212_b023);
        assert_eq!(lui(RA, 0x3ffff), 0x3fff_f0b7);
        assert_eq!(csrrw(TP, csr::SSCRATCH, TP), 0x1402_1273);
        assert_eq!(csrr(T3, csr::SEPC), 0x1410_2e73);
        assert_eq!(sfence_vma(T4, T5), 0x13ee_8073);
        assert_eq!(bge(T3, ZERO, 16), 0x000e_5863);
        assert_eq!(jal(ZERO, -4), 0xffdf_f06f);
        assert_eq!(slliw(T3, T3, 12), 0x00ce_1e1b);
    }
}
