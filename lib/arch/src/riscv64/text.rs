//! What is in code.

/// Whether code that begins there has instructions of floating point: loads, stores and computations, compressed ones among them.
pub fn has_floating_point(text: &[u8]) -> bool {
    let mut at = 0;
    while let Some([low, high]) = text.get(at..at + 2) {
        let half = u16::from_le_bytes([*low, *high]);
        let is = match half & 3 {
            // C.FLD, C.FSD.
            0 => matches!(half >> 13, 1 | 5),
            1 => false,
            // C.FLDSP, C.FSDSP.
            2 => matches!(half >> 13, 1 | 5),
            // LOAD-FP, STORE-FP, MADD, MSUB, NMSUB, NMADD, OP-FP.
            _ => matches!(half & 0x7f, 0x07 | 0x27 | 0x43 | 0x47 | 0x4b | 0x4f | 0x53),
        };
        if is {
            return true;
        }
        at += if half & 3 == 3 { 4 } else { 2 };
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(instructions: &[u32]) -> bool {
        let short = |word: u32| word & 3 != 3;
        let bytes = |word: &u32| word.to_le_bytes()[..if short(*word) { 2 } else { 4 }].to_vec();
        has_floating_point(&instructions.iter().flat_map(bytes).collect::<Vec<u8>>())
    }
    #[test]
    fn floating_point_is_found() {
        // fld fa0, 0(a0); fsd fs0, 8(sp); fmadd.d; fadd.d fa0, fa0, fa1; c.fld fa0, 0(a0); c.fsdsp fs0, 8(sp); fmv.x.d a0, fa0
        for word in [0x0005_3507, 0x0081_3427, 0x6ab5_7543, 0x02b5_7553, 0x2108, 0xa422, 0xe205_0553] {
            assert!(has(&[0x8082, 0x0005_3503, word]), "{word:x}");
        }
    }
    #[test]
    fn whole_numbers_are_not() {
        // ld a0, 0(a0); sd s0, 8(sp); c.ld; c.sdsp; c.addi4spn; auipc; an immediate like an opcode: addi a0, a0, 0x530; lui a0, 0x53
        let words = [0x0005_3503, 0x0081_3423, 0x6108, 0xe422, 0x0808, 0x0000_0297, 0x5305_0513, 0x0005_3537];
        assert!(!has(&words));
        // Its upper half is no instruction.
        assert!(!has(&[0x0553_0513]));
    }
    #[test]
    fn what_is_cut_is_no_instruction() {
        assert!(!has_floating_point(&[0x53]) && !has_floating_point(&[]) && has_floating_point(&[0x53, 0x75]));
    }
}
