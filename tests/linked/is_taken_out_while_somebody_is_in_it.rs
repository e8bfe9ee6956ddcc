// icount
// arguments link enter leave unlink 2 list many
// expect stdout left with 77
// expect stdout unlinked Ok(())
// expect stdout turn 2: -5
// expect stdout nothing is left: Ok(true)
//! Who takes it out waits for who is in it; and a thousand that were linked in and taken out leave nothing.
#![no_std]
pub fn turn(number: u32) -> i64 {
    if number == u32::MAX {
        sample::stay();
        return 77;
    }
    i64::from(number)
}
