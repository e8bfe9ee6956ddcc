//! What a call portal begins with while its callee has ended, and another is to come in its place: each call waits as if no stack was free.

use super::emit::jump;
use super::encode::*;
use abi::boot::Symbols;

/// Words that are written over the first ones of a call portal: each call of it raises `NO_STACK` for the domain whose record is at supervisor
/// address `callee`, and is made again. Nothing returns through them.
pub fn parked(callee: u64, symbols: &Symbols) -> [u32; 3] {
    let [upper, jump] = jump(ZERO, symbols.parked, T4);
    [lui(T6, callee as u32 >> 12), upper, jump]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callee_is_who_has_no_stack() {
        let symbols = Symbols { parked: 0xFFFF_FFFF_C020_0860, ..Symbols::default() };
        let [record, upper, jump] = parked(0xFFFF_FFFF_C123_4000, &symbols);
        assert_eq!(record, lui(T6, 0xC1234));
        assert_eq!([upper, jump], super::jump(ZERO, symbols.parked, T4));
    }
}
