// arguments raise link raise list only:5 put 4 5 6 only:none put only:any put 6 table
// expect stdout arrived Pass Pass
// expect stdout counted 0
// expect stdout leaves [true, true] 0 stressed
// expect stdout leaves true 0 stressed
// expect stdout linked 1
// expect stdout arrived Drop Pass
// expect stdout counted 3
// expect stdout leaves [false, true] 7 atressed
// expect stdout leaves true 7 atressed
// expect stdout 1 guards 2 calls, 0 missed
// expect stdout put
// expect stdout turn 4: 40
// expect stdout turn 5: 50
// expect stdout turn 6: 60
// expect stdout refused: EACCESS: the component does not let it handle what it does
// expect stdout put
// expect stdout turn 6: 60
// expect stdout app guards: 1 calls, 0 missed, why 0 :0
// expect stdout app guards: 1 calls, 0 missed, why 0 :0
//! It is called where its guards hold, and those of its host's; the host decides who may handle what.
#![no_std]
use sample::{Connection, Header, Verdict};

pub fn arrived(_: &Header, bytes: &[u8]) -> Verdict {
    sample::count(bytes.len() as u32);
    Verdict::Drop
}
pub fn leaves(header: &mut Header, bytes: &mut [u8], _: Connection, last: bool) -> bool {
    bytes[0] = b'a';
    header.size = bytes.len() as u64;
    !last
}
pub fn turn(number: u32) -> i64 {
    i64::from(number) * 10
}
