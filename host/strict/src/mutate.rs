//! Instructions as a programmer might have written them wrongly: one that uses another register, another address, the opposite condition.

use crate::decode::{Decoded, Op, decode};

/// What is changed of an instruction: the seven kinds by which MINIX 3's drivers were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// An operand comes from another register.
    Source,
    /// The result goes into another register.
    Destination,
    /// A load or store is some bytes beside its place: a bit of its offset.
    Address,
    /// The base of a load or store is another register.
    Pointer,
    /// A condition is the opposite one.
    Branch,
    /// It is not there.
    Deleted,
    /// A constant is one more or one less, or a comparison includes what it should not.
    OffByOne,
}

const NOP: u32 = 0x13;
/// Where the encoding has registers, and the function that tells conditions apart.
const RD: u32 = 7;
const RS1: u32 = 15;
const RS2: u32 = 20;
const FUNCTION: u32 = 12;

fn register(word: u32, at: u32) -> u32 {
    word >> at & 31
}
fn with_register(word: u32, at: u32, register: u32) -> u32 {
    word & !(31 << at) | register << at
}
/// The same with another register in that place, drawn from `random`; not `x0` where a result goes there.
fn with_another(word: u32, at: u32, random: u64) -> u32 {
    let lowest = u64::from(at == RD);
    let old = register(word, at);
    let new = (lowest + random % (32 - lowest)) as u32;
    let other = if new == old { (new + 1) % 32 } else { new };
    with_register(word, at, other.max(lowest as u32))
}
fn is_load(op: Op) -> bool {
    use Op::*;
    matches!(op, Lb | Lh | Lw | Ld | Lbu | Lhu | Lwu)
}
fn is_store(op: Op) -> bool {
    use Op::*;
    matches!(op, Sb | Sh | Sw | Sd)
}
fn is_branch(op: Op) -> bool {
    use Op::*;
    matches!(op, Beq | Bne | Blt | Bge | Bltu | Bgeu)
}
/// With a constant as its second operand.
fn is_immediate(op: Op) -> bool {
    use Op::*;
    matches!(op, Addi | Slti | Sltiu | Xori | Ori | Andi | Slli | Srli | Srai | Addiw | Slliw | Srliw | Sraiw)
}
/// With two registers as its operands.
fn is_binary(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Sub
            | Sll
            | Slt
            | Sltu
            | Xor
            | Srl
            | Sra
            | Or
            | And
            | Addw
            | Subw
            | Sllw
            | Srlw
            | Sraw
            | Mul
            | Mulw
            | Div
            | Divu
            | Rem
            | Remu
            | AddUnsignedWord
            | ShiftAdd
            | ShiftAddUnsignedWord
    )
}

/// The 32-bit encoding `word`, changed so; `None`: there is no such thing of it to change. What is drawn follows from `random`.
pub fn changed(word: u32, what: Mutation, random: u64) -> Option<u32> {
    let Decoded { op, rd, .. } = decode(word, 4);
    let (load, store) = (is_load(op), is_store(op));
    match what {
        Mutation::Source if is_binary(op) || is_branch(op) => {
            Some(with_another(word, if random & 1 == 0 { RS1 } else { RS2 }, random >> 1))
        }
        Mutation::Source if is_immediate(op) && rd != 0 => Some(with_another(word, RS1, random)),
        // What is stored; its address is another kind.
        Mutation::Source if store => Some(with_another(word, RS2, random)),
        Mutation::Destination
            if load || ((is_binary(op) || is_immediate(op) || matches!(op, Op::Lui | Op::Auipc)) && rd != 0) =>
        {
            Some(with_another(word, RD, random))
        }
        // An offset of a store is in two pieces.
        Mutation::Address if load => Some(word ^ 1 << (20 + random % 12)),
        Mutation::Address if store => {
            Some(word ^ 1 << if random % 12 < 5 { RD as u64 + random % 12 } else { 20 + random % 12 })
        }
        Mutation::Pointer if load || store => Some(with_another(word, RS1, random)),
        Mutation::Branch if is_branch(op) => Some(word ^ 1 << FUNCTION),
        Mutation::Deleted if word != NOP => Some(NOP),
        Mutation::OffByOne if matches!(op, Op::Addi | Op::Addiw | Op::Slti | Op::Sltiu) && rd != 0 => {
            let one = if random & 1 == 0 { 1 } else { 0xfff };
            Some(word & 0x000f_ffff | ((word >> 20).wrapping_add(one) & 0xfff) << 20)
        }
        // a < b becomes a <= b, which is not b < a; and back.
        Mutation::OffByOne if matches!(op, Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu) => {
            let (a, b) = (register(word, RS1), register(word, RS2));
            Some(with_register(with_register(word ^ 1 << FUNCTION, RS1, b), RS2, a))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Mutation::*;
    const ALL: [Mutation; 7] = [Source, Destination, Address, Pointer, Branch, Deleted, OffByOne];
    const ADD: u32 = 0x00c5_8533; // add a0, a1, a2
    const LOAD: u32 = 0x0085_b503; // ld a0, 8(a1)
    const STORE: u32 = 0x00a5_b423; // sd a0, 8(a1)
    const LESS: u32 = 0x00b5_4463; // blt a0, a1, 8
    const COUNT: u32 = 0x0015_0513; // addi a0, a0, 1
    const CALL: u32 = 0x73; // ecall

    fn of(word: u32, what: Mutation, random: u64) -> Option<Decoded> {
        changed(word, what, random).map(|word| decode(word, 4))
    }
    #[test]
    fn what_is_changed_is_another_valid_instruction_of_its_kind() {
        for word in [ADD, LOAD, STORE, LESS, COUNT] {
            for what in ALL {
                for random in 0..200 {
                    if let Some(new) = changed(word, what, random) {
                        assert_ne!(new, word, "{what:?} of {word:#x}, {random}");
                        assert_ne!(decode(new, 4).op, Op::Illegal, "{what:?} of {word:#x}, {random}");
                    }
                }
            }
        }
    }
    #[test]
    fn each_kind_changes_what_its_name_says() {
        for random in 0..100 {
            let (was, is) = (decode(ADD, 4), of(ADD, Source, random).unwrap());
            assert!((is.rs1 != was.rs1) != (is.rs2 != was.rs2) && is.rd == was.rd && is.op == was.op);
            let is = of(LOAD, Destination, random).unwrap();
            assert!(is.rd != 10 && is.rd != 0 && (is.rs1, is.immediate) == (11, 8));
            let is = of(STORE, Address, random).unwrap();
            assert_eq!((is.rs1, is.rs2, (is.immediate ^ 8).count_ones().min(20) > 0), (11, 10, true));
            let is = of(STORE, Pointer, random).unwrap();
            assert!(is.rs1 != 11 && (is.rs2, is.immediate) == (10, 8));
            let is = of(COUNT, OffByOne, random).unwrap();
            assert!([0, 2].contains(&is.immediate) && (is.rd, is.rs1) == (10, 10));
        }
        assert_eq!(of(LESS, Branch, 0).unwrap().op, Op::Bge);
        let is = of(LESS, OffByOne, 0).unwrap();
        assert_eq!((is.op, is.rs1, is.rs2, is.immediate), (Op::Bge, 11, 10, 8));
        assert_eq!(changed(CALL, Deleted, 0), Some(NOP));
    }
    #[test]
    fn what_has_no_such_thing_is_left() {
        for what in [Source, Destination, Address, Pointer, Branch, OffByOne] {
            assert_eq!(changed(CALL, what, 0), None, "{what:?}");
        }
        assert_eq!(changed(NOP, Deleted, 0), None);
        assert_eq!(changed(ADD, Address, 0), None);
        assert_eq!(changed(LOAD, Branch, 0), None);
    }
}
