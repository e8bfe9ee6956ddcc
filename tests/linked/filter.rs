// arguments raise link raise link raise list unlink raise unlink raise list 0
// expect stdout arrived Pass Pass
// expect stdout counted 0
// expect stdout leaves [true, true] 0 stressed
// expect stdout leaves true 0 stressed
// expect stdout linked 1
// expect stdout arrived Drop Pass
// expect stdout counted 294
// expect stdout leaves [true, false] 7 stressed
// expect stdout leaves false 8 desserts
// expect stdout linked 2
// expect stdout arrived Drop Pass
// expect stdout counted 882
// expect stdout leaves [true, false] 7 stressed
// expect stdout leaves false 8 stressed
// expect stdout 1 filter 12 calls, 0 missed
// expect stdout 2 filter 6 calls, 0 missed
// expect stdout unlinked Ok(())
// expect stdout counted 1176
// expect stdout unlinked Ok(())
// expect stdout arrived Pass Pass
// expect stdout counted 1176
// expect stdout leaves [true, true] 0 stressed
// expect stdout turn 0: -5
//! All that can cross does, to an extension and to its host; one that is there twice is called twice, and one that was taken out is not.
#![no_std]
extern crate alloc;
use alloc::vec::Vec;
use sample::{Connection, Header, Verdict};

/// What is for one port goes.
pub fn arrived(header: &Header, bytes: &[u8]) -> Verdict {
    let total: u64 = bytes.iter().map(|byte| u64::from(*byte)).sum();
    sample::count(total as u32);
    if header.port == 23 { Verdict::Drop } else { Verdict::Pass }
}
/// Turns the bytes around.
pub fn leaves(header: &mut Header, bytes: &mut [u8], connection: Connection, last: bool) -> bool {
    let turned: Vec<u8> = bytes.iter().rev().copied().collect();
    bytes.copy_from_slice(&turned);
    header.size = bytes.len() as u64;
    last && sample::reset(connection)
}
pub fn noted(a: i8, b: u64) {
    // A sign and all bits come through.
    if a != -1 || b != u64::MAX {
        let mut none: [u8; 0] = [];
        none[b as usize] = 0;
    }
}
