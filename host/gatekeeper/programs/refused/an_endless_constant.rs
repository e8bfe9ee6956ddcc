//! BUILD: the compiler's own word against it is turned off.
#![no_std]
#![allow(long_running_const_eval)]
const NEVER: u64 = {
    let mut n = 0u64;
    while n < u64::MAX {
        n += 1;
    }
    n
};
pub fn never() -> u64 {
    NEVER
}
