//! The logic: a checksum of words.
#![no_std]

use core::hash::Hasher;

/// The FNV-1a sum of a text.
pub fn sum(text: &str) -> u64 {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_has_the_offset_basis() {
        assert_eq!(super::sum(""), 0xcbf2_9ce4_8422_2325);
    }
}
