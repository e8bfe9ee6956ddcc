//! A named test for each rule, and what must be let through. Random code is in the crate `mutants`.

use super::*;
use crate::segment::{CODE, GUARD};

const T: u32 = ADDRESS as u32;
const J: u32 = JUMP as u32;
const M: u32 = dedicated::MASK as u32;
const N: u32 = dedicated::JUMP_MASK as u32;
const RA: u32 = LINK as u32;
const SP: u32 = STACK as u32;
const GP: u32 = dedicated::BASE as u32;
const TP: u32 = dedicated::HOST as u32;
const A0: u32 = 10;
const A1: u32 = 11;

const ZBA: Segment = Segment { base: 0x18_0000_0000, bits: 32, form: Form::AddUnsignedWord, loads: false };
const LOADS: Segment = Segment { loads: true, ..ZBA };
const MASKED: Segment = Segment { base: 0x1100_0000, bits: 24, form: Form::Mask, loads: false };

const LAST: Segment = Segment { base: 0x3f_c000_0000, bits: 30, form: Form::Or, loads: false };

const RET: u32 = jalr(0, RA, 0);
const NOP: u32 = addi(0, 0, 0);
const ECALL: u32 = 0x73;
/// `sc.d x0, x0, (sp)`
const SC_D_THROUGH_SP: u32 = r(0x2f, 12, 3, 0, SP, 0);

const fn r(opcode: u32, funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    opcode | rd << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | funct7 << 25
}
const fn i(opcode: u32, funct3: u32, rd: u32, rs1: u32, immediate: i32) -> u32 {
    opcode | rd << 7 | funct3 << 12 | rs1 << 15 | (immediate as u32) << 20
}
const fn add_uw(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x3b, 4, 0, rd, rs1, rs2)
}
const fn and(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x33, 0, 7, rd, rs1, rs2)
}
const fn or(rd: u32, rs1: u32, rs2: u32) -> u32 {
    r(0x33, 0, 6, rd, rs1, rs2)
}
const fn addi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i(0x13, 0, rd, rs1, immediate)
}
const fn andi(rd: u32, rs1: u32, immediate: i32) -> u32 {
    i(0x13, 7, rd, rs1, immediate)
}
const fn ld(rd: u32, rs1: u32, offset: i32) -> u32 {
    i(0x03, 3, rd, rs1, offset)
}
const fn jalr(rd: u32, rs1: u32, offset: i32) -> u32 {
    i(0x67, 0, rd, rs1, offset)
}
const fn sd(rs2: u32, rs1: u32, offset: i32) -> u32 {
    let offset = offset as u32;
    0x23 | (offset & 31) << 7 | 3 << 12 | rs1 << 15 | rs2 << 20 | (offset >> 5) << 25
}
const fn jal(rd: u32, offset: i32) -> u32 {
    let o = offset as u32;
    0x6f | rd << 7 | o & 0xf_f000 | (o >> 11 & 1) << 20 | (o >> 1 & 0x3ff) << 21 | (o >> 20 & 1) << 31
}
const fn beq(rs1: u32, rs2: u32, offset: i32) -> u32 {
    let o = offset as u32;
    0x63 | (o >> 11 & 1) << 7 | (o >> 1 & 15) << 8 | rs1 << 15 | rs2 << 20 | (o >> 5 & 63) << 25 | (o >> 12 & 1) << 31
}
const fn auipc(rd: u32, pages: i32) -> u32 {
    0x17 | rd << 7 | (pages as u32) << 12
}

fn check(segment: &Segment, words: &[u32]) -> Result<Uses, Rejection> {
    verify(segment, segment.base + CODE, words)
}
/// The rule that code breaks, at the word that is said to.
#[track_caller]
fn broken(segment: &Segment, words: &[u32], at: usize) -> Rule {
    let rejection = check(segment, words).expect_err("accepted");
    assert_eq!(rejection.address, segment.base + CODE + 4 * at as u64, "{}", rejection.rule);
    rejection.rule
}
#[track_caller]
fn accepted(segment: &Segment, words: &[u32]) {
    check(segment, words).unwrap_or_else(|rejection| panic!("{rejection}"));
}

#[test]
fn rule_1_code_that_is_not_in_its_place_is_rejected() {
    let rule = |segment: &Segment, start, words: &[u32]| verify(segment, start, words).unwrap_err().rule;
    let start = ZBA.base + CODE;
    assert_eq!(rule(&ZBA, start - 4, &[RET]), Rule::Place);
    assert_eq!(rule(&ZBA, start + 2, &[RET]), Rule::Place);
    assert_eq!(rule(&ZBA, start, &[]), Rule::Place);
    assert_eq!(rule(&ZBA, u64::MAX - 3, &[RET]), Rule::Place);
    assert_eq!(rule(&ZBA, ZBA.base + ZBA.size() - GUARD, &[RET]), Rule::Place);
    assert!(verify(&ZBA, ZBA.base + ZBA.size() - GUARD - 4, &[RET]).is_ok());
    // A base that is not aligned, or 0, or at the end of all addresses; a size that the form does not have.
    for wrong in [
        Segment { base: ZBA.base + 4096, ..ZBA },
        Segment { base: 0, ..ZBA },
        Segment { base: 0xffff_ffff_0000_0000, ..ZBA },
        Segment { bits: 31, ..ZBA },
        Segment { bits: 33, ..ZBA },
        Segment { bits: 16, ..MASKED },
        Segment { bits: 64, ..MASKED },
        // One that does not end with the addresses of user mode.
        Segment { base: LAST.base - LAST.size(), ..LAST },
        Segment { bits: 29, ..LAST },
        Segment { base: 0x40_0000_0000, ..LAST },
        Segment { base: 0xffff_ffff_c000_0000, ..LAST },
        Segment { bits: 64, ..LAST },
    ] {
        assert_eq!(rule(&wrong, wrong.base.wrapping_add(CODE), &[RET]), Rule::Place);
    }
}
#[test]
fn rule_2_a_compressed_half_is_rejected() {
    assert_eq!(broken(&ZBA, &[RET, 0x8082_8082], 1), Rule::Length);
    assert_eq!(broken(&ZBA, &[0], 0), Rule::Length);
    // 48 bits.
    assert_eq!(broken(&ZBA, &[0x1f], 0), Rule::Length);
}
#[test]
fn rule_3_an_unknown_encoding_is_rejected() {
    for word in [0x0000_000b, 0x0000_7003, r(0x33, 0x40, 0, 10, 10, 10), i(0x13, 1, 10, 10, 64), 0x0000_200f, 0x57] {
        let rejection = check(&ZBA, &[word]).unwrap_err();
        assert_eq!(rejection.rule, Rule::Unknown, "{word:#x}");
    }
    assert_eq!(broken(&ZBA, &[i(0x0f, 2, 0, A0, 4)], 0), Rule::Unknown, "cbo.zero");
    assert_eq!(broken(&MASKED, &[add_uw(A0, A0, A1)], 0), Rule::Unknown, "Zba on a core that may not have it");
    assert_eq!(broken(&ZBA, &[r(0x53, 0, 5, 1, 1, 1)], 0), Rule::Unknown, "a reserved rounding mode");
}
#[test]
fn rule_4_a_system_call_is_rejected() {
    for word in [ECALL, 0x1050_0073, 0x1020_0073, 0x1200_0073] {
        assert_eq!(broken(&ZBA, &[NOP, word, RET], 1), Rule::System);
    }
    accepted(&ZBA, &[0x0010_0073]);
}
#[test]
fn rule_5_a_control_register_is_not_written() {
    // csrrw and csrrs of fcsr, csrrwi of frm, reading satp, csrrci of a counter
    for word in [0x0035_1073, 0x0035_2073, 0x0022_d073, 0x1800_2573, 0xc000_f573] {
        assert_eq!(broken(&ZBA, &[word], 0), Rule::Control, "{word:#x}");
    }
    // Reading fcsr, cycle, time, instret; clearing fflags.
    for word in [0x0030_2573, 0xc000_2573, 0xc010_2573, 0xc020_2573, 0x0015_1073] {
        accepted(&ZBA, &[word]);
    }
    assert_eq!(broken(&ZBA, &[0xc010_2073 | GP << 7], 0), Rule::Dedicated);
}
#[test]
fn rule_6_an_instruction_fence_is_rejected() {
    assert_eq!(broken(&ZBA, &[0x0000_100f], 0), Rule::InstructionFence);
    accepted(&ZBA, &[0x0ff0_000f, 0x8330_000f]);
}
#[test]
fn rule_7_a_dedicated_register_is_not_written() {
    for register in [GP, TP] {
        for word in [
            addi(register, register, 0),
            ld(register, SP, 0),
            jal(register, 4),
            auipc(register, 0),
            add_uw(register, A0, GP),
        ] {
            assert_eq!(broken(&ZBA, &[word], 0), Rule::Dedicated);
        }
    }
    assert_eq!(broken(&MASKED, &[addi(M, M, 0)], 0), Rule::Dedicated);
    assert_eq!(broken(&MASKED, &[addi(N, N, 0)], 0), Rule::Dedicated);
    accepted(&ZBA, &[addi(M, M, 1)]);
}
#[test]
fn rule_8_a_store_through_another_register_is_rejected() {
    assert_eq!(broken(&ZBA, &[sd(A0, A1, 0)], 0), Rule::Store);
    assert_eq!(broken(&ZBA, &[sd(A0, GP, 0)], 0), Rule::Store);
    // fsd, amoadd.d, sc.w
    assert_eq!(broken(&ZBA, &[sd(A0, A1, 0) | 4], 0), Rule::Store);
    assert_eq!(broken(&ZBA, &[r(0x2f, 0, 3, A0, A1, A0)], 0), Rule::Store);
    assert_eq!(broken(&ZBA, &[r(0x2f, 3 << 2, 2, A0, A1, A0)], 0), Rule::Store);
    accepted(&ZBA, &[ld(A0, A1, 0), r(0x2f, 2 << 2, 3, A0, A1, 0)]);
}
#[test]
fn rule_9_a_load_through_another_register_is_rejected_where_loads_are_kept_in() {
    assert_eq!(broken(&LOADS, &[ld(A0, A1, 0)], 0), Rule::Load);
    assert_eq!(broken(&LOADS, &[ld(A0, GP, 0)], 0), Rule::Load);
    assert_eq!(broken(&LOADS, &[r(0x2f, 2 << 2, 3, A0, A1, 0)], 0), Rule::Load);
    accepted(&LOADS, &[add_uw(T, A1, GP), ld(A0, T, 8), ld(A0, SP, 8)]);
}
#[test]
fn rule_10_an_access_in_the_middle_of_its_sequence_is_rejected() {
    assert_eq!(broken(&ZBA, &[addi(T, A0, 0), sd(A0, T, 0), add_uw(T, T, GP), RET], 1), Rule::StaleAddress);
    assert_eq!(broken(&MASKED, &[and(T, A0, M), sd(A0, T, 0), or(T, T, GP), RET], 1), Rule::StaleAddress);
    assert_eq!(broken(&ZBA, &[addi(SP, A0, 0), sd(A0, SP, 0)], 1), Rule::StaleAddress);
    // Masked with something else, or with the base added that is not.
    assert_eq!(broken(&MASKED, &[and(T, A0, A1), or(T, T, GP), sd(A0, T, 0)], 2), Rule::StaleAddress);
    assert_eq!(broken(&ZBA, &[add_uw(T, A0, A1), sd(A0, T, 0)], 1), Rule::StaleAddress);
    assert_eq!(broken(&ZBA, &[or(T, A0, GP), sd(A0, T, 0)], 1), Rule::StaleAddress);
}
#[test]
fn rule_11_a_jump_through_another_register_is_rejected() {
    assert_eq!(broken(&ZBA, &[jalr(0, A0, 0)], 0), Rule::Jump);
    assert_eq!(broken(&ZBA, &[jalr(0, T, 0)], 0), Rule::Jump);
    // Into the middle of an instruction.
    assert_eq!(broken(&ZBA, &[jalr(0, RA, 2)], 0), Rule::Jump);
    assert_eq!(broken(&ZBA, &[jalr(0, J, -1)], 0), Rule::Jump);
    accepted(&ZBA, &[jalr(RA, RA, -2048), jalr(RA, J, 4)]);
}
#[test]
fn rule_12_a_return_to_an_address_that_was_not_masked_is_rejected() {
    assert_eq!(broken(&ZBA, &[ld(RA, SP, 8), RET], 1), Rule::StaleJump);
    assert_eq!(broken(&ZBA, &[ld(RA, SP, 8), andi(RA, RA, -4), RET], 2), Rule::StaleJump);
    // In the segment, but perhaps in the middle of an instruction.
    assert_eq!(broken(&ZBA, &[ld(RA, SP, 8), add_uw(RA, RA, GP), RET], 2), Rule::StaleJump);
    assert_eq!(broken(&ZBA, &[andi(J, A0, -2), add_uw(J, J, GP), jalr(0, J, 0)], 2), Rule::StaleJump);
    accepted(&ZBA, &[ld(RA, SP, 8), andi(RA, RA, -4), ld(8, SP, 0), add_uw(RA, RA, GP), RET]);
    accepted(&MASKED, &[ld(RA, SP, 8), and(RA, RA, N), or(RA, RA, GP), RET]);
    assert_eq!(broken(&MASKED, &[ld(RA, SP, 8), and(RA, RA, N), RET], 2), Rule::StaleJump);
    accepted(&MASKED, &[ld(RA, SP, 8), andi(RA, RA, -4), and(RA, RA, M), or(RA, RA, GP), RET]);
    accepted(&MASKED, &[and(J, A0, M), andi(J, J, -4), or(J, J, GP), jalr(0, J, 0)]);
}
#[test]
fn rule_13_a_jump_out_of_the_code_is_rejected() {
    assert_eq!(broken(&ZBA, &[NOP, jal(0, 4)], 1), Rule::Target, "behind the end");
    assert_eq!(broken(&ZBA, &[NOP, jal(RA, -2)], 1), Rule::Target, "the middle of an instruction");
    assert_eq!(broken(&ZBA, &[jal(RA, -4100)], 0), Rule::Target, "before the jump table");
    accepted(&ZBA, &[jal(RA, -4096), jal(J, -4100), beq(A0, A1, -8)]);
}
#[test]
fn rule_14_a_sequence_that_is_left_in_its_middle_is_rejected() {
    for broken_register in [T, J, RA, SP] {
        let spoil = addi(broken_register, A0, 0);
        assert_eq!(broken(&ZBA, &[spoil, beq(A0, A1, -4), RET], 1), Rule::Unfinished);
        assert_eq!(broken(&ZBA, &[NOP, spoil, jal(0, -4)], 2), Rule::Unfinished);
        assert_eq!(broken(&ZBA, &[NOP, spoil], 1), Rule::Unfinished, "the end");
    }
}
#[test]
fn rule_15_a_stack_pointer_that_walks_is_rejected() {
    assert_eq!(broken(&ZBA, &[addi(SP, SP, -16), jal(0, -4)], 1), Rule::Drift);
    assert_eq!(broken(&ZBA, &[ld(8, SP, 0), addi(SP, SP, 16), RET], 2), Rule::Drift);
    assert_eq!(broken(&ZBA, &[addi(SP, SP, -2048); 17], 16), Rule::Drift);
    assert_eq!(
        broken(&ZBA, &[addi(SP, SP, -16), SC_D_THROUGH_SP, jal(0, -8)], 2),
        Rule::Drift,
        "it may fail, and store nothing"
    );
    accepted(&ZBA, &[addi(SP, SP, 16), ld(8, SP, -16), RET]);
    accepted(&ZBA, &[addi(SP, SP, 16), add_uw(SP, SP, GP), RET]);
    // What keeps a part of it does not bring it back.
    assert_eq!(broken(&ZBA, &[addi(SP, SP, -16), andi(SP, SP, -4), RET], 2), Rule::Unfinished);
    assert_eq!(broken(&MASKED, &[and(SP, SP, M), or(SP, SP, GP), RET], 2), Rule::Unfinished);
    accepted(&MASKED, &[and(T, A0, M), or(T, T, GP), addi(SP, T, 0), RET]);
}
#[test]
fn what_the_code_changes_is_known() {
    let uses = check(&ZBA, &[addi(8, 8, 1), 0x0000_0453, addi(0, 8, 1), RET]).unwrap();
    assert_eq!(uses.changes, Set { integer: 1 << 8, floating: 1 << 8 });
}
#[test]
fn what_the_code_reads_is_known() {
    let uses = |words: &[u32]| check(&ZBA, words).unwrap();
    let set = |integer: &[u32], floating: &[u32]| {
        let bits = |all: &[u32]| all.iter().fold(0, |bits, n| bits | 1u32 << n);
        Set { integer: bits(integer), floating: bits(floating) }
    };
    assert_eq!(uses(&[NOP, addi(8, 0, 1)]), Uses { changes: set(&[8], &[]), ..Uses::default() });
    assert_eq!(uses(&[addi(8, 9, 1), RET]).reads, set(&[9, RA], &[]));
    assert_eq!(uses(&[sd(20, SP, 0)]).reads, set(&[20, SP], &[]));
    // fsd f7, 0(sp); fadd.d f1, f2, f3; fsqrt.d f1, f2; fmadd.d f1, f2, f3, f4; fmv.x.d x5, f6; fmv.d.x f6, x5
    let all = [0x0071_3027, 0x0231_70d3, 0x5a01_70d3, 0x2231_70c3, 0xe203_02d3, 0xf202_8353].map(|word| uses(&[word]));
    let wanted = [(&[SP][..], &[7][..]), (&[], &[2, 3]), (&[], &[2]), (&[], &[2, 3, 4]), (&[], &[6]), (&[5], &[])];
    assert_eq!(all.map(|uses| uses.reads), wanted.map(|(integer, floating)| set(integer, floating)));
    assert_eq!(all.map(|uses| uses.flags), [false, true, true, true, true, true]);
    // csrr x5, fflags; csrr x5, time; csrw fflags, x5
    assert_eq!([0x0010_22f3, 0xc010_22f3, 0x0012_9073].map(|word| uses(&[word]).flags), [true, false, true]);
    assert_eq!(uses(&[0x0012_9073]).reads, set(&[5], &[]));
}
#[test]
fn where_the_hosts_block_is_is_not_read() {
    for word in [addi(A0, TP, 0), add_uw(A0, TP, GP), sd(TP, SP, 0), jalr(0, TP, 0), 0xf202_0353] {
        assert_eq!(broken(&ZBA, &[word], 0), Rule::Dedicated, "{word:#x}");
    }
}
#[test]
fn places_that_the_code_says_itself_need_no_mask() {
    accepted(&ZBA, &[auipc(RA, 1), jalr(RA, RA, 16), auipc(T, 2), sd(A0, T, 8), auipc(J, 0), jalr(0, J, 12)]);
    // Out of the segment.
    assert_eq!(broken(&ZBA, &[auipc(RA, -0x80), jalr(RA, RA, 16)], 1), Rule::StaleJump);
    assert_eq!(broken(&ZBA, &[auipc(T, -0x80), sd(A0, T, 8)], 1), Rule::StaleAddress);
}
#[test]
fn a_rejection_names_the_address_and_the_rule() {
    extern crate std;
    let rejection = check(&ZBA, &[NOP, ECALL]).unwrap_err();
    assert_eq!(std::format!("{rejection}"), "0x1800011004: rule 4: an instruction of the system's");
    let texts: std::collections::BTreeSet<_> = Rule::ALL.iter().map(|rule| std::format!("{rule}")).collect();
    assert_eq!(texts.len(), Rule::ALL.len());
}

#[test]
fn the_base_alone_brings_addresses_into_the_last_segment() {
    let loads = Segment { loads: true, ..LAST };
    accepted(&LAST, &[or(T, A0, GP), sd(A0, T, 8), or(T, GP, A0), sd(A0, T, -2048)]);
    accepted(&loads, &[or(T, A1, GP), ld(A0, T, 8), ld(A0, SP, 8)]);
    accepted(&LAST, &[ld(RA, SP, 8), andi(RA, RA, -4), ld(8, SP, 0), or(RA, RA, GP), RET]);
    accepted(&LAST, &[andi(J, A0, -4), or(J, J, GP), jalr(RA, J, 0)]);
    accepted(&LAST, &[or(SP, A0, GP), RET]);
    accepted(&LAST, &[addi(SP, SP, 16), or(SP, SP, GP), RET]);
    // Masks are no registers of its own.
    accepted(&LAST, &[addi(M, A0, 0), addi(N, A0, 0)]);
}
#[test]
fn what_is_not_the_base_brings_nothing_into_the_last_segment() {
    assert_eq!(broken(&LAST, &[or(T, A0, A1), sd(A0, T, 0)], 1), Rule::StaleAddress);
    assert_eq!(broken(&LAST, &[or(T, A0, TP), sd(A0, T, 0)], 0), Rule::Dedicated);
    assert_eq!(broken(&LAST, &[r(0x33, 0, 4, T, A0, GP), sd(A0, T, 0)], 1), Rule::StaleAddress, "xor");
    assert_eq!(broken(&LAST, &[r(0x33, 0, 0, T, A0, GP), sd(A0, T, 0)], 1), Rule::StaleAddress, "add");
    assert_eq!(broken(&LAST, &[and(T, A0, M), or(T, T, A1), sd(A0, T, 0)], 2), Rule::StaleAddress);
    assert_eq!(broken(&LAST, &[add_uw(T, A0, GP)], 0), Rule::Unknown);
    assert_eq!(broken(&LAST, &[ld(RA, SP, 8), or(RA, RA, GP), RET], 2), Rule::StaleJump);
    assert_eq!(broken(&LAST, &[or(J, A0, GP), jalr(0, J, 0)], 1), Rule::StaleJump);
    assert_eq!(broken(&LAST, &[or(SP, A0, A1), RET], 1), Rule::Unfinished);
    assert_eq!(broken(&LAST, &[or(T, A0, GP), addi(T, T, 8), sd(A0, T, 0)], 2), Rule::StaleAddress);
    // In the other forms it is not enough.
    assert_eq!(broken(&ZBA, &[or(T, A0, GP), sd(A0, T, 0)], 1), Rule::StaleAddress);
    assert_eq!(broken(&ZBA, &[or(SP, A0, GP), RET], 1), Rule::Unfinished);
    assert_eq!(broken(&MASKED, &[or(SP, A0, GP), RET], 1), Rule::Unfinished);
}
