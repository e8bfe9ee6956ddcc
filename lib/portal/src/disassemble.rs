//! Portal code for a person to read, and the check that it is nothing else.
//!
//! Knows exactly the instructions that the generator writes ([`crate::encode`]); all others are refused.

use core::fmt::{self, Write};

const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

fn csr_name(csr: u32) -> Option<&'static str> {
    use crate::encode::csr::*;
    Some(match csr {
        SSTATUS => "sstatus",
        SIE => "sie",
        SSCRATCH => "sscratch",
        SEPC => "sepc",
        SATP => "satp",
        CYCLE => "cycle",
        _ => return None,
    })
}

/// The parts of an instruction word.
struct Fields(u32);
impl Fields {
    fn rd(&self) -> &'static str {
        NAMES[(self.0 >> 7 & 31) as usize]
    }
    fn rs1(&self) -> &'static str {
        NAMES[(self.0 >> 15 & 31) as usize]
    }
    fn rs2(&self) -> &'static str {
        NAMES[(self.0 >> 20 & 31) as usize]
    }
    fn immediate(&self) -> i32 {
        self.0 as i32 >> 20
    }
    fn store(&self) -> i32 {
        (self.0 as i32 >> 25 << 5) | (self.0 >> 7 & 31) as i32
    }
    fn branch(&self) -> i32 {
        let w = self.0;
        ((w as i32 >> 31) << 12) | ((w >> 7 & 1) << 11 | (w >> 25 & 63) << 5 | (w >> 8 & 15) << 1) as i32
    }
    fn jump(&self) -> i32 {
        let w = self.0;
        ((w as i32 >> 31) << 20) | ((w >> 12 & 255) << 12 | (w >> 20 & 1) << 11 | (w >> 21 & 1023) << 1) as i32
    }
}

/// Writes `word`, which lies at `address`, as the assembler would read it. False: not an instruction of portals.
pub fn line(address: u64, word: u32, out: &mut impl Write) -> Result<bool, fmt::Error> {
    let f = Fields(word);
    let (rd, rs1, rs2, i) = (f.rd(), f.rs1(), f.rs2(), f.immediate());
    match (word & 0x7f, word >> 12 & 7) {
        _ if word == crate::encode::SRET => out.write_str("sret")?,
        (0x13, 0) if rs1 == "zero" => write!(out, "li {rd}, {i}")?,
        (0x13, 0) if i == 0 => write!(out, "mv {rd}, {rs1}")?,
        (0x13, 0) => write!(out, "addi {rd}, {rs1}, {i}")?,
        (0x13, 1) if (0..64).contains(&i) => write!(out, "slli {rd}, {rs1}, {i}")?,
        (0x13, 3) => write!(out, "sltiu {rd}, {rs1}, {i}")?,
        (0x13, 4) => write!(out, "xori {rd}, {rs1}, {i}")?,
        (0x13, 5) if (0..64).contains(&i) => write!(out, "srli {rd}, {rs1}, {i}")?,
        (0x13, 6) => write!(out, "ori {rd}, {rs1}, {i}")?,
        (0x13, 7) => write!(out, "andi {rd}, {rs1}, {i}")?,
        (0x1b, 0) => write!(out, "addiw {rd}, {rs1}, {i}")?,
        (0x1b, 1) if (0..32).contains(&i) => write!(out, "slliw {rd}, {rs1}, {i}")?,
        (0x03, k @ (2 | 3 | 5)) => write!(out, "{} {rd}, {i}({rs1})", ["lw", "ld", "", "lhu"][k as usize - 2])?,
        (0x23, k @ (2 | 3)) => write!(out, "{} {rs2}, {}({rs1})", ["sw", "sd"][k as usize - 2], f.store())?,
        (0x33, 0) if word >> 25 == 0 => write!(out, "add {rd}, {rs1}, {rs2}")?,
        (0x33, 0) if word >> 25 == 0x20 => write!(out, "sub {rd}, {rs1}, {rs2}")?,
        (0x33, 4) if word >> 25 == 0 => write!(out, "xor {rd}, {rs1}, {rs2}")?,
        (0x33, 6) if word >> 25 == 0 => write!(out, "or {rd}, {rs1}, {rs2}")?,
        (0x33, 7) if word >> 25 == 0 => write!(out, "and {rd}, {rs1}, {rs2}")?,
        (0x37, _) => write!(out, "lui {rd}, {:#x}", word >> 12)?,
        (0x63, k @ (0 | 1 | 4 | 5)) => {
            let name = ["beq", "bne", "", "", "blt", "bge"][k as usize];
            write!(out, "{name} {rs1}, {rs2}, {:#x}", address.wrapping_add(f.branch() as i64 as u64))?
        }
        (0x6f, _) if rd == "zero" => write!(out, "j {:#x}", address.wrapping_add(f.jump() as i64 as u64))?,
        (0x67, 0) => write!(out, "jalr {rd}, {i}({rs1})")?,
        (0x73, 0) if word >> 25 == 9 && rd == "zero" => write!(out, "sfence.vma {rs1}, {rs2}")?,
        (0x73, k @ 1..=3) => {
            let Some(csr) = csr_name(word >> 20) else { return Ok(false) };
            match (k, rd, rs1) {
                (1, "zero", _) => write!(out, "csrw {csr}, {rs1}")?,
                (1, ..) => write!(out, "csrrw {rd}, {csr}, {rs1}")?,
                (2, _, "zero") => write!(out, "csrr {rd}, {csr}")?,
                (3, "zero", _) => write!(out, "csrc {csr}, {rs1}")?,
                _ => return Ok(false),
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Why code is not a portal's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Not one of the generator's instructions.
    Instruction { word: usize },
    /// A branch backwards, or out of the portal.
    Branch { word: usize },
}

/// Whether `word` is an instruction of the allow-list.
pub fn known(word: u32) -> bool {
    struct Nowhere;
    impl Write for Nowhere {
        fn write_str(&mut self, _: &str) -> fmt::Result {
            Ok(())
        }
    }
    line(0, word, &mut Nowhere) == Ok(true)
}
/// Checks that `code` has only instructions of the allow-list and only forward branches inside itself. The one exception is
/// the jump to itself behind an `sret`, which is never reached.
pub fn verify(code: &[u32]) -> Result<(), Refused> {
    verify_with(code, known)
}
/// The same, where `known` says what is an instruction of the allow-list.
pub fn verify_with(code: &[u32], mut known: impl FnMut(u32) -> bool) -> Result<(), Refused> {
    for (index, &word) in code.iter().enumerate() {
        if !known(word) {
            return Err(Refused::Instruction { word: index });
        }
        let f = Fields(word);
        let offset = match word & 0x7f {
            0x63 => f.branch(),
            0x6f if f.jump() == 0 && index > 0 && code[index - 1] == crate::encode::SRET => continue,
            0x6f => f.jump(),
            _ => continue,
        };
        if offset <= 0 || offset % 4 != 0 || index + offset as usize / 4 >= code.len() {
            return Err(Refused::Branch { word: index });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::*;
    fn text(word: u32) -> String {
        let mut out = String::new();
        assert_eq!(line(0x1000, word, &mut out), Ok(true));
        out
    }
    #[test]
    fn reads_like_the_assembler() {
        assert_eq!(text(ld(T2, TP, 8)), "ld t2, 8(tp)");
        assert_eq!(text(sd(RA, T0, -8)), "sd ra, -8(t0)");
        assert_eq!(text(csrrw(TP, csr::SSCRATCH, TP)), "csrrw tp, sscratch, tp");
        assert_eq!(text(bge(T3, ZERO, 16)), "bge t3, zero, 0x1010");
        assert_eq!(text(addi(A0, ZERO, -205)), "li a0, -205");
    }
    #[test]
    fn refuses_a_backward_branch() {
        assert_eq!(verify(&[addi(T0, T0, 1), jal(ZERO, -4), SRET]), Err(Refused::Branch { word: 1 }));
    }
    #[test]
    fn refuses_a_branch_out_of_the_portal() {
        assert_eq!(verify(&[beq(T0, T1, 8), SRET]), Err(Refused::Branch { word: 0 }));
    }
    #[test]
    fn refuses_an_instruction_outside_the_list() {
        assert_eq!(verify(&[0x0000_0073]), Err(Refused::Instruction { word: 0 })); // ecall
        assert_eq!(verify(&[csrw(0x105, T0)]), Err(Refused::Instruction { word: 0 })); // stvec
    }
}
