//! What `abi::step` says of operations, as both tests that do steps themselves need it.

use abi::address::PAGE;
use abi::step::Operation;

/// The value that an operation makes of two values and a number, if it is one that only computes.
pub fn computed(operation: Operation, (first, second): (u64, u64), number: u64) -> Option<u64> {
    let signed = |value: u64| value as i32 as i64 as u64;
    Some(match operation {
        Operation::ADD_NUMBER => first.wrapping_add(number),
        Operation::AND_NUMBER => first & number,
        Operation::OR_NUMBER => first | number,
        Operation::XOR_NUMBER => first ^ number,
        Operation::BELOW_NUMBER => (first < number) as u64,
        Operation::SHIFT_LEFT => first << number,
        Operation::SHIFT_RIGHT => first >> number,
        Operation::ADD_NUMBER_32 => signed(first.wrapping_add(number)),
        Operation::SHIFT_LEFT_32 => signed(first << number),
        Operation::ADD => first.wrapping_add(second),
        Operation::SUBTRACT => first.wrapping_sub(second),
        Operation::AND => first & second,
        Operation::OR => first | second,
        Operation::XOR => first ^ second,
        Operation::PAGES => number.wrapping_mul(PAGE as u64),
        _ => return None,
    })
}
/// Whether a branch between two values is taken, if the operation is one.
pub fn taken(operation: Operation, (first, second): (u64, u64)) -> Option<bool> {
    Some(match operation {
        Operation::EQUAL => first == second,
        Operation::DIFFERENT => first != second,
        Operation::LESS => (first as i64) < second as i64,
        Operation::NOT_LESS => first as i64 >= second as i64,
        Operation::BELOW => first < second,
        _ => return None,
    })
}
