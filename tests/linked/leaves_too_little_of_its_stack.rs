// arguments link 2 45 70 wait 2 ends
// expect stdout turn 2: 1
// expect stdout turn 45: 2
// expect stdout turn 70: -5
// expect stdout turn 2: -5
// expect stdout 1 leaves_too_little_of_its_stack: Stack
//! A procedure of the host's does not begin where less of the stack is left than what procedures are promised.
#![no_std]
pub fn turn(number: u32) -> i64 {
    deep(number, &mut [1; 64])
}
/// So deep that its own frames fit, and a procedure at the end of it would not.
fn deep(depth: u32, above: &mut [u8; 64]) -> i64 {
    let mut own = *above;
    own[(depth % 64) as usize] = depth as u8;
    let found = if depth == 0 { sample::count(1) as i64 } else { deep(depth - 1, &mut own) };
    above[0] = above[0].wrapping_add(own[0]);
    found
}
