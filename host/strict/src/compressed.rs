//! Compressed instructions, each as the one of 32 bits that it stands for (unprivileged specification, chapter 16).

/// Bits `high` to `low` of `of`.
const fn bits(of: u32, high: u32, low: u32) -> u32 {
    of >> low & ((1 << (high - low + 1)) - 1)
}
/// Bit `from` of `of`, at place `to`.
const fn bit(of: u32, from: u32, to: u32) -> u32 {
    (of >> from & 1) << to
}
/// `value`, whose sign is its bit `sign`, as 32 bits.
const fn signed(value: u32, sign: u32) -> u32 {
    ((value << (31 - sign)) as i32 >> (31 - sign)) as u32
}

const LOAD: u32 = 0x03;
const LOAD_FLOAT: u32 = 0x07;
const IMMEDIATE: u32 = 0x13;
const IMMEDIATE_WORD: u32 = 0x1b;
const STORE: u32 = 0x23;
const STORE_FLOAT: u32 = 0x27;
const REGISTER: u32 = 0x33;
const REGISTER_WORD: u32 = 0x3b;
const LUI: u32 = 0x37;
const BRANCH: u32 = 0x63;
const JALR: u32 = 0x67;
const JAL: u32 = 0x6f;

const fn i(opcode: u32, funct3: u32, rd: u32, rs1: u32, immediate: u32) -> u32 {
    (immediate & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}
const fn r(opcode: u32, funct3: u32, funct7: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode
}
const fn s(opcode: u32, funct3: u32, rs1: u32, rs2: u32, immediate: u32) -> u32 {
    bits(immediate, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | bits(immediate, 4, 0) << 7 | opcode
}
const fn branch(funct3: u32, rs1: u32, offset: u32) -> u32 {
    bit(offset, 12, 31)
        | bits(offset, 10, 5) << 25
        | rs1 << 15
        | funct3 << 12
        | bits(offset, 4, 1) << 8
        | bit(offset, 11, 7)
        | BRANCH
}
const fn jump(rd: u32, offset: u32) -> u32 {
    bit(offset, 20, 31) | bits(offset, 10, 1) << 21 | bit(offset, 11, 20) | bits(offset, 19, 12) << 12 | rd << 7 | JAL
}

/// The instruction that `half` stands for; `None`: none.
#[expect(clippy::too_many_lines, reason = "an arm for each instruction")]
pub fn expand(half: u16) -> Option<u32> {
    let c = u32::from(half);
    if c == 0 {
        return None;
    }
    let (rd, rs2) = (bits(c, 11, 7), bits(c, 6, 2));
    let (short1, short2) = (bits(c, 9, 7) + 8, bits(c, 4, 2) + 8);
    let immediate = signed(bit(c, 12, 5) | bits(c, 6, 2), 5);
    let shift = bit(c, 12, 5) | bits(c, 6, 2);
    let word = bits(c, 12, 10) << 3 | bit(c, 6, 2) | bit(c, 5, 6);
    let double = bits(c, 12, 10) << 3 | bits(c, 6, 5) << 6;
    let load_double = bit(c, 12, 5) | bits(c, 6, 5) << 3 | bits(c, 4, 2) << 6;
    Some(match (c & 3, c >> 13) {
        (0, 0) => {
            let offset = bits(c, 12, 11) << 4 | bits(c, 10, 7) << 6 | bit(c, 6, 2) | bit(c, 5, 3);
            if offset == 0 {
                return None;
            }
            i(IMMEDIATE, 0, short2, 2, offset)
        }
        (0, 1) => i(LOAD_FLOAT, 3, short2, short1, double),
        (0, 2) => i(LOAD, 2, short2, short1, word),
        (0, 3) => i(LOAD, 3, short2, short1, double),
        (0, 5) => s(STORE_FLOAT, 3, short1, short2, double),
        (0, 6) => s(STORE, 2, short1, short2, word),
        (0, 7) => s(STORE, 3, short1, short2, double),
        (1, 0) => i(IMMEDIATE, 0, rd, rd, immediate),
        (1, 1) if rd != 0 => i(IMMEDIATE_WORD, 0, rd, rd, immediate),
        (1, 2) => i(IMMEDIATE, 0, rd, 0, immediate),
        (1, 3) if rd == 2 => {
            let offset = signed(bit(c, 12, 9) | bit(c, 6, 4) | bit(c, 5, 6) | bits(c, 4, 3) << 7 | bit(c, 2, 5), 9);
            if offset == 0 {
                return None;
            }
            i(IMMEDIATE, 0, 2, 2, offset)
        }
        (1, 3) if immediate != 0 => immediate << 12 | rd << 7 | LUI,
        (1, 4) => match bits(c, 11, 10) {
            0 => i(IMMEDIATE, 5, short1, short1, shift),
            1 => i(IMMEDIATE, 5, short1, short1, shift | 0x400),
            2 => i(IMMEDIATE, 7, short1, short1, immediate),
            _ => match (bit(c, 12, 0), bits(c, 6, 5)) {
                (0, 0) => r(REGISTER, 0, 0x20, short1, short1, short2),
                (0, 1) => r(REGISTER, 4, 0, short1, short1, short2),
                (0, 2) => r(REGISTER, 6, 0, short1, short1, short2),
                (0, _) => r(REGISTER, 7, 0, short1, short1, short2),
                (_, 0) => r(REGISTER_WORD, 0, 0x20, short1, short1, short2),
                (_, 1) => r(REGISTER_WORD, 0, 0, short1, short1, short2),
                _ => return None,
            },
        },
        (1, 5) => {
            let offset = bit(c, 12, 11)
                | bit(c, 11, 4)
                | bits(c, 10, 9) << 8
                | bit(c, 8, 10)
                | bit(c, 7, 6)
                | bit(c, 6, 7)
                | bits(c, 5, 3) << 1
                | bit(c, 2, 5);
            jump(0, signed(offset, 11))
        }
        (1, 6 | 7) => {
            let offset = bit(c, 12, 8) | bits(c, 11, 10) << 3 | bits(c, 6, 5) << 6 | bits(c, 4, 3) << 1 | bit(c, 2, 5);
            branch(bits(c, 13, 13), short1, signed(offset, 8))
        }
        (2, 0) => i(IMMEDIATE, 1, rd, rd, shift),
        (2, 1) => i(LOAD_FLOAT, 3, rd, 2, load_double),
        (2, 2) if rd != 0 => i(LOAD, 2, rd, 2, bit(c, 12, 5) | bits(c, 6, 4) << 2 | bits(c, 3, 2) << 6),
        (2, 3) if rd != 0 => i(LOAD, 3, rd, 2, load_double),
        (2, 4) => match (bit(c, 12, 0), rd, rs2) {
            (0, 0, 0) => return None,
            (0, _, 0) => i(JALR, 0, 0, rd, 0),
            (0, ..) => r(REGISTER, 0, 0, rd, 0, rs2),
            (_, 0, 0) => 0x0010_0073,
            (_, _, 0) => i(JALR, 0, 1, rd, 0),
            _ => r(REGISTER, 0, 0, rd, rd, rs2),
        },
        (2, 5) => s(STORE_FLOAT, 3, 2, rs2, bits(c, 12, 10) << 3 | bits(c, 9, 7) << 6),
        (2, 6) => s(STORE, 2, 2, rs2, bits(c, 12, 9) << 2 | bits(c, 8, 7) << 6),
        (2, 7) => s(STORE, 3, 2, rs2, bits(c, 12, 10) << 3 | bits(c, 9, 7) << 6),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::expand;
    #[test]
    fn compressed_instructions_stand_for_what_the_assembler_says() {
        for (half, word) in [
            (0x1141, 0xff01_0113), // addi sp, sp, -16
            (0xe406, 0x0011_3423), // sd ra, 8(sp)
            (0x60a2, 0x0081_3083), // ld ra, 8(sp)
            (0x8082, 0x0000_8067), // ret
            (0x7139, 0xfc01_0113), // addi sp, sp, -64
            (0x1028, 0x0281_0513), // addi a0, sp, 40
            (0x6505, 0x0000_1537), // lui a0, 1
            (0x8d89, 0x40a5_85b3), // sub a1, a1, a0
            (0xb7fd, 0xfeff_f06f), // j -18
            (0xfd7d, 0xfe05_1fe3), // bnez a0, -2
            (0x9002, 0x0010_0073), // ebreak
        ] {
            assert_eq!(expand(half), Some(word), "{half:#x}");
        }
    }
    #[test]
    fn zero_is_no_instruction() {
        assert_eq!(expand(0), None);
    }
}
