// arguments put 7 table changed unsigned short garbage nowhere 7 take 7 table put 1 wait table
// expect stdout put
// expect stdout turn 7: 8
// expect stdout app comes_by_the_linker: 1 calls, 0 missed, why 0 :0
// expect stdout refused: EACCESS: its signature does not hold: it was changed after it was signed
// expect stdout refused: EACCESS: it is signed with a key that this system does not know
// expect stdout refused: EINVAL: it is not as long as its header says
// expect stdout refused: EINVAL: it is no extension: it does not begin with PBLEXT02
// expect stdout turn 7: 8
// expect stdout taken Ok(())
// expect stdout turn 7: -5
// expect stdout put
// expect stdout turn 1: -5
// expect stdout app comes_by_the_linker: 1 calls, 0 missed, why 1 comes_by_the_linker.rs:20
//! Signed, it is linked in by the linker, is listed, is taken out, and is listed as ended when it panics; whatever is wrong with its file changes nothing.
#![no_std]
use sample as _;

pub fn turn(number: u32) -> i64 {
    i64::from([0u8, 0][(number < 7) as usize * 2]) + i64::from(number) + 1
}
