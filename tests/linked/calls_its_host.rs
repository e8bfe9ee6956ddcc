// arguments link 0 5 1 7 ends list
// expect stdout turn 0: -13
// expect stdout turn 5: 106
// expect stdout turn 1: -16
// expect stdout turn 7: -195
// expect stdout 1 calls_its_host 8 calls, 1 missed
//! Procedures of the host's, with all that can be passed; events in events, until the raiser gets the default; and nobody takes out what he is in.
#![no_std]
use sample::{Header, Verdict};

pub fn turn(number: u32) -> i64 {
    let mut header = Header { port: 1, source: [1, 2, 3, 4], size: 0 };
    let mut bytes = [9; 13];
    match number {
        0 => match sample::turned(Verdict::Drop, &mut header, &mut bytes, -7, true) {
            Verdict::Change => -(header.size as i64 * i64::from(bytes[2])),
            _ => 0,
        },
        // EBUSY.
        1 => sample::unlink(1),
        5 => sample::raise(6) + 100,
        // In itself, as deep as it has activations; then the default is said.
        7 => sample::raise(8) - 50,
        8 => sample::raise(9) - 50,
        9 => sample::raise(10) - 50,
        10 => sample::raise(11) - 40,
        _ => i64::from(number),
    }
}
