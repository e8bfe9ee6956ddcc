//! What each function of a program takes of its stack by itself.

use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

/// The function of a program that takes most of its stack by itself, and how much. `None`: it is no program with code.
pub fn largest_frame(file: &[u8]) -> Option<(String, usize)> {
    let file = image::ElfFile::parse(file).ok()?;
    let functions = file.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text);
    let mut functions: Vec<(u64, &str)> = functions.filter_map(|s| Some((s.address(), s.name().ok()?))).collect();
    functions.sort_unstable();
    let code = file.sections().filter(|section| section.kind() == SectionKind::Text);
    let (at, bytes) = code
        .filter_map(|section| deepest(section.address(), section.data().ok()?, &functions))
        .max_by_key(|(_, bytes)| *bytes)?;
    let before = functions.partition_point(|(start, _)| *start <= at);
    let name = functions[..before].last().map_or("", |(_, name)| name);
    Some((format!("{:#}", rustc_demangle::demangle(name)), bytes))
}
/// Where in code the stack pointer is furthest below where its function found it, and how far. `functions`: in the order of their addresses.
fn deepest(start: u64, code: &[u8], functions: &[(u64, &str)]) -> Option<(u64, usize)> {
    let mut functions = functions[functions.partition_point(|(address, _)| *address < start)..].iter().peekable();
    let mut deepest = None;
    let mut frame = Frame::default();
    let mut at = 0;
    while let Some(&[low, high]) = code.get(at..at + 2) {
        let here = start + at as u64;
        while let Some((address, _)) = functions.next_if(|(address, _)| *address <= here) {
            if *address == here {
                frame = Frame::default();
            }
        }
        let short = u16::from_le_bytes([low, high]);
        at += match (short & 3, code.get(at..at + 4)) {
            (3, Some(&[a, b, c, d])) => {
                frame.long(u32::from_le_bytes([a, b, c, d]));
                4
            }
            _ => {
                frame.short(short);
                2
            }
        };
        if deepest.is_none_or(|(_, most)| frame.taken > most) {
            deepest = Some((start + at as u64 - 1, frame.taken));
        }
    }
    deepest
}
/// What a function has taken of its stack so far, and what registers hold that it may take next.
#[derive(Default)]
struct Frame {
    taken: usize,
    registers: [i64; 32],
}
const SP: usize = 2;
impl Frame {
    /// `add`s to a register, or loads it where it is set.
    fn add(&mut self, register: usize, value: i64) {
        match (register, value) {
            (SP, ..0) => self.taken += value.unsigned_abs() as usize,
            // Behind this another way through the function begins.
            (SP, _) => self.taken = 0,
            _ => self.registers[register] = self.registers[register].wrapping_add(value),
        }
    }
    /// An instruction of four bytes.
    fn long(&mut self, word: u32) {
        let [rd, rs1, rs2] = [7, 15, 20].map(|at| (word >> at & 31) as usize);
        let immediate = i64::from(word as i32 >> 20);
        match (word & 0x7f, word >> 12 & 7, word >> 25) {
            // addi, addiw
            (0x13 | 0x1b, 0, _) if rd == rs1 => self.add(rd, immediate),
            (0x13, 0, _) if rs1 == 0 => self.registers[rd] = immediate,
            // lui
            (0x37, ..) => self.registers[rd] = i64::from((word & !0xfff) as i32),
            // sub, add
            (0x33, 0, 0x20) if (rd, rs1) == (SP, SP) => self.add(SP, -self.registers[rs2]),
            (0x33, 0, 0) if (rd, rs1) == (SP, SP) => self.add(SP, self.registers[rs2]),
            _ => {}
        }
    }
    /// One of two.
    fn short(&mut self, half: u16) {
        let rd = (half >> 7 & 31) as usize;
        let bit = |from: u16, to: u16| i64::from(half >> from & 1) << to;
        // Six bits, of which the highest is the sign.
        let small = (i64::from(half >> 2 & 31) | bit(12, 5)) << 58 >> 58;
        match half & 0xe003 {
            // c.addi, c.addiw, c.li
            0x0001 | 0x2001 => self.add(rd, small),
            0x4001 => self.registers[rd] = small,
            // c.addi16sp
            0x6001 if rd == SP => {
                let value = bit(6, 4) | bit(2, 5) | bit(5, 6) | bit(3, 7) | bit(4, 8) | bit(12, 9);
                self.add(SP, value << 54 >> 54);
            }
            // c.lui
            0x6001 => self.registers[rd] = small << 12,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &[u8]) -> usize {
        deepest(0, code, &[]).unwrap().1
    }
    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
    #[test]
    fn a_frame_is_what_a_function_takes_in_all() {
        // addi sp, sp, -2032; addi sp, sp, -16
        assert_eq!(of(&words(&[0x8101_0113, 0xff01_0113])), 2048);
        // c.addi16sp sp, -496; c.addi sp, -16; c.nop
        assert_eq!(of(&[0x41, 0x71, 0x41, 0x11, 0x01, 0x00]), 512);
    }
    #[test]
    fn what_is_too_large_for_one_instruction_is_in_a_register() {
        // lui a0, 2; addiw a0, a0, -16; sub sp, sp, a0
        assert_eq!(of(&words(&[0x0000_2537, 0xff05_051b, 0x40a1_0133])), 8192 - 16);
        // c.lui a0, 1; sub sp, sp, a0
        assert_eq!(of(&[[0x05, 0x65].as_slice(), &words(&[0x40a1_0133])].concat()), 4096);
    }
    #[test]
    fn functions_and_ways_through_them_do_not_add_up() {
        let frame = 0x8101_0113;
        assert_eq!(deepest(0, &words(&[frame, frame]), &[(4, "next")]), Some((3, 2032)));
        // addi sp, sp, 2032 between them
        assert_eq!(of(&words(&[frame, 0x7f01_0113, frame])), 2032);
    }
}
