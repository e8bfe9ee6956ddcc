//! TIME: with one inside that has.
#![no_std]
pub fn spin(mut n: u64) -> ! {
    loop {
        loop {
            n += 1;
            if n % 7 == 0 {
                break;
            }
        }
    }
}
