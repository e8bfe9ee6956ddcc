//! Programs that are nearly right: the sequences of rewritten code, with mistakes.

use crate::random::Random;
use verifier::{Form, Segment};

const LINK: u32 = 1;
const STACK: u32 = 2;
const BASE: u32 = 3;
const MASK: u32 = 29;
const JUMP_MASK: u32 = 28;
const JUMP: u32 = 30;
const ADDRESS: u32 = 31;
/// Registers that instructions are made of, the special ones more often than others.
const REGISTERS: [u32; 17] = [0, 1, 1, 2, 2, 3, 3, 4, 10, 11, 8, 28, 29, 30, 30, 31, 31];
const IMMEDIATES: [i32; 12] = [0, 4, 8, -4, -8, 2, 1, 16, -16, 2047, -2048, 2044];

fn register_form(opcode: u32, funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    opcode | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | funct7 << 25
}
fn immediate_form(opcode: u32, funct3: u32, rd: u32, rs1: u32, immediate: i32) -> u32 {
    opcode | rd << 7 | funct3 << 12 | rs1 << 15 | (immediate as u32) << 20
}
fn store(rs1: u32, rs2: u32, offset: i32) -> u32 {
    let offset = offset as u32;
    0x3023 | (offset & 31) << 7 | rs1 << 15 | rs2 << 20 | (offset >> 5) << 25
}
fn branch(rs1: u32, rs2: u32, words: i32) -> u32 {
    let o = (words * 4) as u32;
    0x63 | (o >> 11 & 1) << 7 | (o >> 1 & 15) << 8 | rs1 << 15 | rs2 << 20 | (o >> 5 & 63) << 25 | (o >> 12 & 1) << 31
}
fn jump(rd: u32, words: i32) -> u32 {
    let o = (words * 4) as u32;
    0x6f | rd << 7 | o & 0xf_f000 | (o >> 11 & 1) << 20 | (o >> 1 & 0x3ff) << 21 | (o >> 20 & 1) << 31
}

/// An instruction of special registers and borderline immediates.
fn instruction(random: &mut Random) -> u32 {
    let (rd, rs1, rs2) = (random.of(&REGISTERS), random.of(&REGISTERS), random.of(&REGISTERS));
    let immediate = random.of(&IMMEDIATES);
    match random.below(16) {
        0 | 1 => immediate_form(0x13, 0, rd, rs1, immediate),
        2 => immediate_form(0x13, 7, rd, rs1, immediate),
        3 => immediate_form(0x03, 3, rd, rs1, immediate),
        4 => store(rs1, rs2, immediate),
        5 => register_form(0x33, 0, random.of(&[0, 6, 7]), rd, rs1, rs2),
        6 | 7 => register_form(0x3b, 4, 0, rd, rs1, rs2),
        8 => immediate_form(0x67, 0, rd, rs1, immediate),
        9 => branch(rs1, rs2, random.below(9) as i32 - 4),
        10 => jump(rd, random.of(&[-1024, -1025, -2, -1, 1, 2, 3, 0])),
        11 => 0x17 | rd << 7 | random.of(&[0, 1, 16, 0xf_fff0, 0xf_ff00, 0x8_0000, 0x7_ffff]) << 12,
        12 => register_form(0x2f, random.of(&[0, 4, 8, 12]), 3, rd, rs1, rs2),
        13 => register_form(0x53, random.of(&[0x01, 0x51, 0x71, 0x79]), 0, rd, rs1, 0),
        14 => 0x37 | rd << 7 | (random.next() as u32 & 0xffff_f000),
        _ => random.next() as u32 | 3,
    }
}
/// Brings the register into the segment: as a multiple of 4, where it is to be jumped through.
fn bring_in(random: &mut Random, segment: &Segment, register: u32, from: u32, words: &mut Vec<u32>) {
    if register != ADDRESS && segment.form == Form::Mask && random.one_in(2) {
        words.extend([
            register_form(0x33, 0, 7, register, from, JUMP_MASK),
            register_form(0x33, 0, 6, register, register, BASE),
        ]);
        return;
    }
    let mut source = from;
    if register != ADDRESS {
        words.push(immediate_form(0x13, 7, register, from, -4));
        source = register;
    }
    match segment.form {
        Form::AddUnsignedWord => words.push(register_form(0x3b, 4, 0, register, source, BASE)),
        Form::Or => words.push(register_form(0x33, 0, 6, register, source, BASE)),
        Form::Mask => words.extend([
            register_form(0x33, 0, 7, register, source, MASK),
            register_form(0x33, 0, 6, register, register, BASE),
        ]),
    }
}
/// One thing that rewritten code does.
fn sequence(random: &mut Random, segment: &Segment, words: &mut Vec<u32>) {
    let (value, pointer) = (random.of(&[8, 10, 11]), random.of(&[8, 10, 11]));
    match random.below(9) {
        0 | 1 => {
            bring_in(random, segment, ADDRESS, pointer, words);
            words.push(store(ADDRESS, value, random.of(&IMMEDIATES)));
        }
        2 => {
            words.push(immediate_form(0x03, 3, LINK, STACK, 8));
            bring_in(random, segment, LINK, LINK, words);
            words.push(immediate_form(0x13, 0, STACK, STACK, 16));
            words.push(immediate_form(0x03, 3, 8, STACK, -16));
            words.push(immediate_form(0x67, 0, 0, LINK, 0));
        }
        3 => {
            words.push(immediate_form(0x13, 0, STACK, STACK, -16));
            words.push(store(STACK, LINK, 8));
        }
        4 => {
            bring_in(random, segment, JUMP, pointer, words);
            words.push(immediate_form(0x67, 0, random.of(&[0, 1]), JUMP, 0));
        }
        5 => match segment.form {
            Form::AddUnsignedWord => words.push(register_form(0x3b, 4, 0, STACK, pointer, BASE)),
            Form::Or => words.push(register_form(0x33, 0, 6, STACK, pointer, BASE)),
            Form::Mask => {
                bring_in(random, segment, ADDRESS, pointer, words);
                words.push(immediate_form(0x13, 0, STACK, ADDRESS, 0));
            }
        },
        6 => {
            // A stack pointer that is moved by a constant, and looked through in one of the ways there are.
            words.push(immediate_form(0x13, 0, STACK, STACK, random.of(&IMMEDIATES)));
            words.push(match random.below(3) {
                0 => immediate_form(0x03, 3, value, STACK, random.of(&IMMEDIATES)),
                1 => store(STACK, value, random.of(&IMMEDIATES)),
                // amoadd, amoswap, lr, sc
                _ => register_form(0x2f, random.of(&[0, 4, 8, 12]), 3, pointer, STACK, 0),
            });
            words.push(jump(0, -(random.below(3) as i32)));
        }
        7 => words.push(branch(value, pointer, random.below(5) as i32 - 2)),
        _ => words.push(immediate_form(0x13, 0, value, pointer, random.of(&IMMEDIATES))),
    }
}
/// A few sequences, in which words were changed, exchanged, repeated, left out or made up.
pub fn mutant(random: &mut Random, segment: &Segment) -> Vec<u32> {
    let mut words = Vec::with_capacity(16);
    for _ in 0..1 + random.below(4) {
        sequence(random, segment, &mut words);
    }
    for _ in 0..random.below(4) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(6) {
            0 => words[at] ^= 1 << random.below(32),
            1 => words.swap(at, other),
            2 => words.insert(at, words[other]),
            3 if words.len() > 1 => drop(words.remove(at)),
            _ => words[at] = instruction(random),
        }
    }
    words
}
