//! Code that every domain can execute and none has written: the return page.

use abi::address::{DEAD_STUB, ENTRY_STUB, RETURN_PAGE, RETURN_STUB};

const ECALL: u32 = 0x73;
/// `jalr t3`
const ENTER: u32 = 28 << 15 | 1 << 7 | 0x67;
/// `j .-8`
const AGAIN: u32 = 0xff9f_f06f;
const A0: u32 = 10;
const A7: u32 = 17;
const fn li(register: u32, value: i32) -> u32 {
    (value as u32) << 20 | register << 7 | 0x13
}

/// Its first bytes: at [`ENTRY_STUB`] and [`RETURN_STUB`] `jalr t3; li a7, 0; ecall`, at [`DEAD_STUB`] those of the graveyard, `nop;
/// li a7, LEAVE; ecall; li a0, -EDEAD; li a7, 0; ecall`. An error of the return itself comes out behind the `ecall`: it returns again,
/// with the error. The jump keeps fetch from running into the next cache line, too. A raised fault that ended with an error is left one
/// instruction on, so the graveyard's first one does nothing.
pub fn return_page() -> [u8; 44] {
    let dead = li(A0, abi::Error::EDEAD.code() as i32);
    let leave = li(A7, abi::system::graveyard::LEAVE as i32);
    let words = [ENTER, li(A7, 0), ECALL, AGAIN, li(0, 0), leave, ECALL, dead, li(A7, 0), ECALL, AGAIN];
    let mut bytes = [0; 44];
    bytes.chunks_exact_mut(4).zip(words).for_each(|(place, word)| place.copy_from_slice(&word.to_le_bytes()));
    bytes
}
const _: () = assert!(ENTRY_STUB == RETURN_PAGE && RETURN_STUB == RETURN_PAGE + 4 && DEAD_STUB == RETURN_PAGE + 16);
