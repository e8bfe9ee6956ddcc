//! What a domain has to do with sandboxes, and sets of portal numbers.

use abi::nucleus::NPORTALS;
use abi::system::FIRST_FREE;
use alloc::vec::Vec;

/// A set of portal numbers.
#[derive(Clone, Copy, Default)]
pub struct Numbers([u64; NPORTALS / 64]);

impl Numbers {
    #[optimize(size)]
    pub fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
    }
    #[optimize(size)]
    pub fn set(&mut self, number: usize, has: bool) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word = *word & !(1 << (number % 64)) | (has as u64) << (number % 64);
        }
    }
    #[optimize(size)]
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (FIRST_FREE..NPORTALS).filter(move |&number| self.has(number))
    }
}

/// What a domain has to do with sandboxes.
#[derive(Default)]
pub struct Sandbox {
    /// The domain that all its portals lead to; 0: none.
    pub controller: usize,
    /// The domains whose portals all lead to it.
    pub inside: Vec<usize>,
    /// Of a domain with a controller: the numbers that it has.
    pub held: Numbers,
    /// Its numbers that only those inside need.
    pub guests: Numbers,
}
