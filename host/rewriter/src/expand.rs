//! What a compressed instruction stands for (The RISC-V Instruction Set Manual, volume I, version 20191213, chapter 16). Distances of jumps and
//! branches stay what they are; the caller gives them their new ones.

use crate::instruction::{Instruction, Register, SP, ZERO, addi, ebreak, jal, jalr};

/// Bits `from`… of `half`, each range given as (lowest bit there, number of bits, lowest bit in the result).
fn gather(half: u16, parts: &[(u32, u32, u32)]) -> u32 {
    parts.iter().map(|(from, bits, to)| (u32::from(half) >> from & ((1 << bits) - 1)) << to).sum()
}
fn signed(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}
/// One of `x8`…`x15`.
fn short(half: u16, low: u32) -> Register {
    Register((half >> low & 7) as u8 + 8)
}
fn full(half: u16, low: u32) -> Register {
    Register((half >> low & 31) as u8)
}
fn load(opcode: u32, width: u32, rd: Register, base: Register, offset: u32) -> Instruction {
    Instruction(opcode | width << 12).with_written(rd).with_first(base).with_offset(offset as i32)
}
fn store(opcode: u32, width: u32, value: Register, base: Register, offset: u32) -> Instruction {
    Instruction(opcode | width << 12).with_second(value).with_first(base).with_offset(offset as i32)
}
fn register_form(opcode: u32, funct7: u32, funct3: u32, rd: Register, other: Register) -> Instruction {
    Instruction(opcode | funct3 << 12 | funct7 << 25).with_written(rd).with_first(rd).with_second(other)
}
fn immediate_form(opcode: u32, funct3: u32, rd: Register, immediate: i32) -> Instruction {
    Instruction(opcode | funct3 << 12).with_written(rd).with_first(rd).with_offset(immediate)
}

/// The instruction of 32 bits; `None` if there is none.
#[expect(clippy::too_many_lines, reason = "an arm for each instruction")]
pub fn expand(half: u16) -> Option<Instruction> {
    let rd = full(half, 7);
    let words = gather(half, &[(6, 1, 2), (10, 3, 3), (5, 1, 6)]);
    let doubles = gather(half, &[(10, 3, 3), (5, 2, 6)]);
    let immediate = signed(gather(half, &[(2, 5, 0), (12, 1, 5)]), 6);
    let shift = gather(half, &[(2, 5, 0), (12, 1, 5)]) as i32;
    let from_stack_word = gather(half, &[(4, 3, 2), (12, 1, 5), (2, 2, 6)]);
    let from_stack_double = gather(half, &[(5, 2, 3), (12, 1, 5), (2, 3, 6)]);
    let to_stack_word = gather(half, &[(9, 4, 2), (7, 2, 6)]);
    let to_stack_double = gather(half, &[(10, 3, 3), (7, 3, 6)]);
    let (one, two) = (short(half, 7), short(half, 2));
    Some(match (half & 3, half >> 13) {
        (0, 0) => match gather(half, &[(6, 1, 2), (5, 1, 3), (11, 2, 4), (7, 4, 6)]) {
            0 if half == 0 => ebreak(),
            0 => return None,
            offset => addi(two, SP, offset as i32),
        },
        (0, 1) => load(0x07, 3, two, one, doubles),
        (0, 2) => load(0x03, 2, two, one, words),
        (0, 3) => load(0x03, 3, two, one, doubles),
        (0, 5) => store(0x27, 3, two, one, doubles),
        (0, 6) => store(0x23, 2, two, one, words),
        (0, 7) => store(0x23, 3, two, one, doubles),
        (1, 0) => immediate_form(0x13, 0, rd, immediate),
        (1, 1) if rd != ZERO => immediate_form(0x1b, 0, rd, immediate),
        (1, 2) => addi(rd, ZERO, immediate),
        (1, 3) if immediate == 0 => return None,
        (1, 3) if rd == SP => {
            let offset = gather(half, &[(6, 1, 4), (2, 1, 5), (5, 1, 6), (3, 2, 7), (12, 1, 9)]);
            addi(SP, SP, signed(offset, 10))
        }
        (1, 3) => Instruction(0x37 | (immediate as u32) << 12).with_written(rd),
        (1, 4) => match (half >> 10 & 3, half >> 12 & 1, half >> 5 & 3) {
            (0, ..) => immediate_form(0x13, 5, one, shift),
            (1, ..) => immediate_form(0x13, 5, one, shift | 0x400),
            (2, ..) => immediate_form(0x13, 7, one, immediate),
            (_, 0, 0) => register_form(0x33, 0x20, 0, one, two),
            (_, 0, 1) => register_form(0x33, 0, 4, one, two),
            (_, 0, 2) => register_form(0x33, 0, 6, one, two),
            (_, 0, _) => register_form(0x33, 0, 7, one, two),
            (_, _, 0) => register_form(0x3b, 0x20, 0, one, two),
            (_, _, 1) => register_form(0x3b, 0, 0, one, two),
            _ => return None,
        },
        (1, 5) => {
            let parts = [(3, 3, 1), (11, 1, 4), (2, 1, 5), (7, 1, 6), (6, 1, 7), (9, 2, 8), (8, 1, 10), (12, 1, 11)];
            jal(ZERO).with_distance(signed(gather(half, &parts), 12))
        }
        (1, which @ (6 | 7)) => {
            let distance = gather(half, &[(3, 2, 1), (10, 2, 3), (2, 1, 5), (5, 2, 6), (12, 1, 8)]);
            Instruction(0x63 | u32::from(which & 1) << 12).with_first(one).with_distance(signed(distance, 9))
        }
        (2, 0) => immediate_form(0x13, 1, rd, shift),
        (2, 1) => load(0x07, 3, rd, SP, from_stack_double),
        (2, 2) if rd != ZERO => load(0x03, 2, rd, SP, from_stack_word),
        (2, 3) if rd != ZERO => load(0x03, 3, rd, SP, from_stack_double),
        (2, 4) => match (half >> 12 & 1, rd, full(half, 2)) {
            (0, ZERO, ZERO) => return None,
            (1, ZERO, ZERO) => ebreak(),
            (0, base, ZERO) => jalr(ZERO, base),
            (_, base, ZERO) => jalr(crate::instruction::RA, base),
            (0, _, other) => register_form(0x33, 0, 0, rd, other).with_first(ZERO),
            (_, _, other) => register_form(0x33, 0, 0, rd, other),
        },
        (2, 5) => store(0x27, 3, full(half, 2), SP, to_stack_double),
        (2, 6) => store(0x23, 2, full(half, 2), SP, to_stack_word),
        (2, 7) => store(0x23, 3, full(half, 2), SP, to_stack_double),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each compressed instruction is what binutils says that it is, in the words of the one of 32 bits.
    #[test]
    fn all_compressed_instructions_are_what_binutils_says() {
        use std::process::Command;
        let folder = std::env::temp_dir().join(format!("rewriter-expand-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let halves: Vec<u16> = (0..=u16::MAX).filter(|half| half & 3 != 3 && expand(*half).is_some()).collect();
        let text = |lines: String, name: &str| -> Vec<String> {
            let (source, object) = (folder.join(format!("{name}.s")), folder.join(format!("{name}.o")));
            std::fs::write(&source, lines).unwrap();
            let mut assembler = Command::new("riscv64-unknown-elf-as");
            assert!(assembler.arg("-march=rv64gc").arg(&source).arg("-o").arg(&object).status().unwrap().success());
            let mut dump = Command::new("riscv64-unknown-elf-objdump");
            let output = dump.args(["-d", "-z", "-M", "numeric"]).arg(&object).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let columns = |line: &str| {
                let columns: Vec<&str> = line.split('\t').collect();
                let is_code = columns[0].ends_with(':') && columns.len() > 2;
                // Places of jumps differ with the lengths of what comes before.
                let operands = columns.get(3).unwrap_or(&"").split(['#', '<']).next().unwrap_or("").trim().to_string();
                let distance = matches!(columns.get(2), Some(&("j" | "beqz" | "bnez")));
                let operands =
                    if distance { operands.rsplit_once(',').map_or("", |p| p.0).to_string() } else { operands };
                is_code.then(|| format!("{} {operands}", columns[2]))
            };
            text.lines().filter_map(columns).collect()
        };
        let short = text(halves.iter().map(|half| format!(".insn 2, {half:#x}\n")).collect(), "short");
        let long =
            text(halves.iter().map(|half| format!(".insn 4, {:#x}\n", expand(*half).unwrap().0)).collect(), "long");
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(short.len(), halves.len());
        let normal = |line: &str| {
            let line = line.replace("c.", "").replace("add ", "addi ").replace("addiw ", "addw ");
            line.replace("unimp", "ebreak").replace("mv ", "addi ").replace(",x0,", ",").trim().to_string()
        };
        let different = |((half, one), two): &((&u16, &String), &String)| {
            // Binutils has other names for some that do nothing.
            let hint = ["c.", "unimp", "nop"].iter().any(|name| one.starts_with(name))
                || two.starts_with("nop")
                || one.starts_with("add ") && one.ends_with(",0") && two.starts_with("mv");
            !hint && normal(one) != normal(two) && *half & 3 != 3
        };
        let differences: Vec<_> = halves.iter().zip(&short).zip(&long).filter(different).take(10).collect();
        assert!(differences.is_empty(), "{differences:x?}");
    }
}
