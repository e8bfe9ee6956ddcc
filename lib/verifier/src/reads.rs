//! Which registers an instruction reads, of those that `decode` knows.

use crate::Set;

/// The registers that `word` reads, and whether it reads or changes `fcsr`, in which floating-point instructions leave what became of their results.
pub fn reads(word: u32) -> (Set, bool) {
    let at = |from: u32| 1 << (word >> from & 31);
    let (one, other, third) = (at(15), at(20), at(27));
    let integer = |integer: u32| Set { integer: integer & !1, floating: 0 };
    let floating = |floating| Set { integer: 0, floating };
    match word & 0x7f {
        // jalr, loads, floating-point loads, register and immediate
        0x67 | 0x03 | 0x07 | 0x13 | 0x1b => (integer(one), false),
        // Branches, stores, register and register, atomic ones
        0x63 | 0x23 | 0x33 | 0x3b | 0x2f => (integer(one | other), false),
        0x27 => (Set { integer: integer(one).integer, floating: other }, false),
        // Multiply-add
        0x43 | 0x47 | 0x4b | 0x4f => (floating(one | other | third), true),
        0x53 => match word >> 25 & !1 {
            // fcvt from integers; fmv from one
            0x68 | 0x78 => (integer(one), true),
            // fsqrt, fcvt, fmv to an integer and fclass have one operand.
            0x2c | 0x20 | 0x60 | 0x70 => (floating(one), true),
            _ => (floating(one | other), true),
        },
        // csrrw, csrrs and csrrc take a register, the others an immediate.
        0x73 => (integer(if matches!(word >> 12 & 7, 1..=3) { one } else { 0 }), matches!(word >> 20, 1..=3)),
        _ => (integer(0), false),
    }
}
