// arguments link 2 3 wait 2 ends link 2 4 wait 2 ends
// timeout 20
// expect stdout turn 2: 2
// expect stdout turn 3: -5
// expect stdout turn 2: -5
// expect stdout 1 takes_too_long: Time
// expect stdout turn 2: 2
// expect stdout turn 4: -5
// expect stdout turn 2: -5
// expect stdout 2 takes_too_long: Time
//! Who takes longer than its quantum is taken out: in its own text, and as soon as the procedure that it is in has come back.
#![no_std]
pub fn turn(number: u32) -> i64 {
    match number {
        3 => {
            while sample::count(1) != u64::MAX {}
        }
        4 => sample::take_time(300_000),
        _ => (),
    }
    i64::from(number)
}
