//! Portal code for a person to read, and the check that it is nothing else.
//!
//! Knows exactly the instructions that the generator writes ([`super::encode`]); all others are refused.

use super::emit::CACHE_LINE;
use super::encode::{SRET, ZERO, jal};
use core::fmt::{self, Write};

const NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2",
    "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

fn csr_name(csr: u32) -> Option<&'static str> {
    use super::encode::csr::*;
    Some(match csr {
        SSTATUS => "sstatus",
        SIE => "sie",
        SSCRATCH => "sscratch",
        SEPC => "sepc",
        SATP => "satp",
        CYCLE => "cycle",
        TIME => "time",
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

/// How an instruction of portals is written: its name, and what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Alone(&'static str),
    RdImmediate(&'static str),
    RdRs1(&'static str),
    RdRs1Immediate(&'static str),
    RdRs1Rs2(&'static str),
    RdUpper(&'static str),
    Load(&'static str),
    Store(&'static str),
    Branch(&'static str),
    Jump(&'static str),
    Jalr(&'static str),
    Rs1Rs2(&'static str),
    CsrRs1(&'static str),
    RdCsrRs1(&'static str),
    RdCsr(&'static str),
    CsrMask(&'static str),
}

/// The form of `word`; `None`: not an instruction of portals.
fn form(word: u32) -> Option<Form> {
    use Form::*;
    let f = Fields(word);
    let (rd, rs1, i) = (word >> 7 & 31, word >> 15 & 31, f.immediate());
    Some(match (word & 0x7f, word >> 12 & 7) {
        _ if word == SRET => Alone("sret"),
        (0x13, 0) if rs1 == 0 => RdImmediate("li"),
        (0x13, 0) if i == 0 => RdRs1("mv"),
        (0x13, 0) => RdRs1Immediate("addi"),
        (0x13, 1) if (0..64).contains(&i) => RdRs1Immediate("slli"),
        (0x13, 3) => RdRs1Immediate("sltiu"),
        (0x13, 4) => RdRs1Immediate("xori"),
        (0x13, 5) if (0..64).contains(&i) => RdRs1Immediate("srli"),
        (0x13, 6) => RdRs1Immediate("ori"),
        (0x13, 7) => RdRs1Immediate("andi"),
        (0x1b, 0) => RdRs1Immediate("addiw"),
        (0x1b, 1) if (0..32).contains(&i) => RdRs1Immediate("slliw"),
        (0x03, 2) => Load("lw"),
        (0x03, 3) => Load("ld"),
        (0x03, 5) => Load("lhu"),
        (0x23, 2) => Store("sw"),
        (0x23, 3) => Store("sd"),
        (0x33, 0) if word >> 25 == 0 => RdRs1Rs2("add"),
        (0x33, 0) if word >> 25 == 0x20 => RdRs1Rs2("sub"),
        (0x33, 4) if word >> 25 == 0 => RdRs1Rs2("xor"),
        (0x33, 6) if word >> 25 == 0 => RdRs1Rs2("or"),
        (0x33, 7) if word >> 25 == 0 => RdRs1Rs2("and"),
        (0x37, _) => RdUpper("lui"),
        (0x63, 0) => Branch("beq"),
        (0x63, 1) => Branch("bne"),
        (0x63, 4) => Branch("blt"),
        (0x63, 5) => Branch("bge"),
        (0x63, 6) => Branch("bltu"),
        (0x63, 7) => Branch("bgeu"),
        (0x6f, _) if rd == 0 => Jump("j"),
        (0x67, 0) => Jalr("jalr"),
        (0x73, 0) if word >> 25 == 9 && rd == 0 => Rs1Rs2("sfence.vma"),
        (0x73, k @ 1..=3) => {
            csr_name(word >> 20)?;
            match k {
                1 if rd == 0 => CsrRs1("csrw"),
                1 => RdCsrRs1("csrrw"),
                2 if rs1 == 0 => RdCsr("csrr"),
                2 if rd == 0 => CsrRs1("csrs"),
                3 if rd == 0 => CsrRs1("csrc"),
                _ => return None,
            }
        }
        (0x73, k @ 6..=7) if rd == 0 && csr_name(word >> 20).is_some() => CsrMask(["csrsi", "csrci"][k as usize - 6]),
        _ => return None,
    })
}

/// Writes `word`, which lies at `address`, as the assembler would read it. False: not an instruction of portals.
pub fn line(address: u64, word: u32, out: &mut impl Write) -> Result<bool, fmt::Error> {
    let f = Fields(word);
    let (rd, rs1, rs2, i) = (f.rd(), f.rs1(), f.rs2(), f.immediate());
    let csr = csr_name(word >> 20).unwrap_or_default();
    let to = |offset: i32| address.wrapping_add(offset as i64 as u64);
    match form(word) {
        None => return Ok(false),
        Some(Form::Alone(name)) => out.write_str(name)?,
        Some(Form::RdImmediate(name)) => write!(out, "{name} {rd}, {i}")?,
        Some(Form::RdRs1(name)) => write!(out, "{name} {rd}, {rs1}")?,
        Some(Form::RdRs1Immediate(name)) => write!(out, "{name} {rd}, {rs1}, {i}")?,
        Some(Form::RdRs1Rs2(name)) => write!(out, "{name} {rd}, {rs1}, {rs2}")?,
        Some(Form::RdUpper(name)) => write!(out, "{name} {rd}, {:#x}", word >> 12)?,
        Some(Form::Load(name)) => write!(out, "{name} {rd}, {i}({rs1})")?,
        Some(Form::Store(name)) => write!(out, "{name} {rs2}, {}({rs1})", f.store())?,
        Some(Form::Branch(name)) => write!(out, "{name} {rs1}, {rs2}, {:#x}", to(f.branch()))?,
        Some(Form::Jump(name)) => write!(out, "{name} {:#x}", to(f.jump()))?,
        Some(Form::Jalr(name)) => write!(out, "{name} {rd}, {i}({rs1})")?,
        Some(Form::Rs1Rs2(name)) => write!(out, "{name} {rs1}, {rs2}")?,
        Some(Form::CsrRs1(name)) => write!(out, "{name} {csr}, {rs1}")?,
        Some(Form::RdCsrRs1(name)) => write!(out, "{name} {rd}, {csr}, {rs1}")?,
        Some(Form::CsrMask(name)) => write!(out, "{name} {csr}, {}", word >> 15 & 31)?,
        Some(Form::RdCsr(name)) => write!(out, "{name} {rd}, {csr}")?,
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
    /// An `sret` without the jump to itself behind it in the same cache line.
    Line { word: usize },
}
impl Refused {
    /// Where.
    pub fn word(self) -> usize {
        let (Refused::Instruction { word } | Refused::Branch { word } | Refused::Line { word }) = self;
        word
    }
}

/// Whether `word` is an instruction of the allow-list.
pub fn known(word: u32) -> bool {
    form(word).is_some()
}
/// Checks that `code` has only instructions of the allow-list and only forward branches inside itself. The one exception is
/// the jump to itself behind an `sret`, which is never reached, and which keeps fetch in the cache line of the `sret`.
pub fn verify(code: &[u32]) -> Result<(), Refused> {
    verify_with(code, known)
}
/// The same, where `known` says what is an instruction of the allow-list.
pub fn verify_with(code: &[u32], mut known: impl FnMut(u32) -> bool) -> Result<(), Refused> {
    for (index, &word) in code.iter().enumerate() {
        if !known(word) {
            return Err(Refused::Instruction { word: index });
        }
        let last_of_line = index % CACHE_LINE == CACHE_LINE - 1;
        if word == SRET && (last_of_line || code.get(index + 1) != Some(&jal(ZERO, 0))) {
            return Err(Refused::Line { word: index });
        }
        let f = Fields(word);
        let offset = match word & 0x7f {
            0x63 => f.branch(),
            0x6f if f.jump() == 0 && index > 0 && code[index - 1] == SRET => continue,
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
    use super::super::encode::*;
    use super::*;
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
    fn what_is_known_can_be_written_and_nothing_else() {
        // Every opcode and function, with registers 0 and another, and immediates of both signs.
        for opcode in (0..128).map(|n| n << 25 >> 25) {
            for function in 0..8u32 {
                for registers in [0, 5 << 7, 6 << 15, 5 << 7 | 6 << 15] {
                    for upper in
                        [0, 0x7f << 25, 0x20 << 25, 9 << 25, 0x105 << 20, 0x141 << 20, 0x180 << 20, 0xfff << 20]
                    {
                        let word = opcode | function << 12 | registers | upper;
                        assert_eq!(line(0, word, &mut String::new()), Ok(known(word)), "{word:#x}");
                    }
                }
            }
        }
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
