//! Numbers, slices, constants that are computed, no memory.
#![no_std]
#[must_use]
pub fn checksum(data: &[u8]) -> u16 {
    let mut sum = 0u32;
    let mut pairs = data.chunks_exact(2);
    for pair in &mut pairs {
        sum += u32::from(u16::from_be_bytes([pair[0], pair[1]]));
    }
    if let [last] = pairs.remainder() {
        sum += u32::from(*last) << 8;
    }
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
#[inline]
pub const fn divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { divisor(other, one % other) }
}
pub static TABLE: [u64; 3] = [divisor(12, 18), divisor(7, 3), u64::MAX.count_ones() as u64];
pub static NAMES: &[(&str, Option<u8>)] = &[("one", Some(1)), ("none", None)];
macro_rules! bits {
    ($($name:ident = $shift:expr),* $(,)?) => { $(pub const $name: u32 = 1 << $shift;)* };
}
bits! { READ = 0, WRITE = 1 }
/// An attribute of each kind, and what looks like the compiler's own table of expansions in a comment.
/**
/*
Expansions:
SyntaxContexts:
*/
*/
#[cold]
#[inline(never)]
#[track_caller]
pub fn checked(#[allow(unused)] name: &str, value: u32) -> u32 {
    #[rustfmt::skip]
    let largest = core::u16::MAX as u32;
    value.min(largest)
}
const _: () = assert!(size_of::<Option<u8>>() == 2, "small");
#[cfg(test)]
mod tests {
    #[test]
    fn divisors() {
        assert_eq!(super::divisor(4, 6), 2);
    }
}
