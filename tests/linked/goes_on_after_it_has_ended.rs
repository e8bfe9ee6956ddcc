// arguments link 0 wait 2 ends link 2 unlink
// timeout 20
// expect stdout turn 0: -5
// expect stdout turn 2: -5
// expect stdout 1 goes_on_after_it_has_ended: Panic, goes_on_after_it_has_ended.rs:18
// expect stdout turn 2: 2
// expect stdout unlinked Err(ENOENT)
//! Who has ended in an event within an event, and goes on without end in the outer one, is ended there for its time.
#![no_std]
pub fn turn(number: u32) -> i64 {
    match number {
        0 => {
            sample::raise(1);
            while sample::count(1) != u64::MAX {}
            0
        }
        // Beyond the end.
        1 => i64::from([0u8; 1][number as usize]),
        _ => i64::from(number),
    }
}
