// arguments link 2 1000000 wait 2 ends raise
// expect stdout turn 2: 3
// expect stdout turn 1000000: -5
// expect stdout turn 2: -5
// expect stdout 1 uses_up_its_stack: Stack
// expect stdout arrived Pass Pass
//! The page below an activation's stack is its end.
#![no_std]
pub fn turn(number: u32) -> i64 {
    deep(number)
}
fn deep(depth: u32) -> i64 {
    if depth == 0 { 1 } else { deep(depth - 1) + i64::from(sample::count(0) < u64::MAX) }
}
