//! A set of domains, by their numbers.

use abi::nucleus::MAX_DOMAINS;

const WORDS: usize = MAX_DOMAINS / 64;

pub struct Numbers([u64; WORDS]);
impl Numbers {
    pub const NONE: Numbers = Numbers([0; WORDS]);
    pub fn has(&self, asid: usize) -> bool {
        self.0[asid / 64 % WORDS] >> (asid % 64) & 1 != 0
    }
    pub fn add(&mut self, asid: usize) {
        self.0[asid / 64 % WORDS] |= 1 << (asid % 64);
    }
}
