//! A set of domains, by their numbers.

use abi::nucleus::MAX_DOMAINS;

const WORDS: usize = MAX_DOMAINS / 64;

pub struct DomainSet([u64; WORDS]);
impl DomainSet {
    pub const NONE: DomainSet = DomainSet([0; WORDS]);
    pub fn has(&self, asid: usize) -> bool {
        self.0[asid / 64 % WORDS] >> (asid % 64) & 1 != 0
    }
    pub fn add(&mut self, asid: usize) {
        self.0[asid / 64 % WORDS] |= 1 << (asid % 64);
    }
    /// Takes the lowest number out.
    #[optimize(size)]
    pub fn pop(&mut self) -> Option<usize> {
        let (n, word) = self.0.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(64 * n + bit)
    }
}
