//! What a domain has to do with sandboxes, and sets of portal numbers.

use crate::Result;
use abi::Error;
use abi::nucleus::NPORTALS;
use abi::system::FIRST_FREE;
use alloc::vec::Vec;
use fallible::TryPush;
use portal::Specification;

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

/// What the stubs of each number of a controlling domain have passed so far. A call that has come by one may be on its way there at any later
/// time, so the number comes to lead to nothing that takes a word of it for an address.
#[derive(Default)]
pub struct Passed {
    kinds: Vec<Specification>,
    /// By number: a kind's place and 1; 0: there was no stub. Empty: there were none at all.
    of: Vec<u8>,
}
/// In place of a kind: several.
const SEVERAL: u8 = u8::MAX;

impl Passed {
    /// There will be stubs.
    #[optimize(size)]
    pub fn begin(&mut self) -> Result<()> {
        if self.of.is_empty() {
            self.of.try_reserve(NPORTALS).map_err(|_| Error::ENOMEM)?;
            // Into the room that was reserved.
            #[allow(clippy::disallowed_methods)]
            self.of.resize(NPORTALS, 0);
        }
        Ok(())
    }
    #[inline(always)]
    pub fn any(&self) -> bool {
        !self.of.is_empty()
    }
    fn kind(&self, number: usize) -> u8 {
        self.of.get(number).copied().unwrap_or(0)
    }
    /// Whether all stubs of `number` so far have passed what `stub` passes; `None`: whether there was none.
    #[optimize(size)]
    pub fn suits(&self, number: usize, stub: Option<&Specification>) -> bool {
        let kind = self.kind(number) as usize;
        kind == 0 || stub.is_some() && self.kinds.get(kind - 1) == stub
    }
    /// `number` has such stubs. `ENOMEM`: that can not be noted.
    #[optimize(size)]
    pub fn note(&mut self, number: usize, stub: &Specification) -> Result<()> {
        let known = self.kinds.iter().position(|kind| kind == stub);
        let place = match known {
            Some(place) => place,
            None if self.kinds.len() + 1 < SEVERAL as usize => {
                self.kinds.try_push(*stub)?;
                self.kinds.len() - 1
            }
            None => SEVERAL as usize - 1,
        };
        let (kind, suits) = (place as u8 + 1, self.suits(number, Some(stub)));
        if let Some(noted) = self.of.get_mut(number) {
            *noted = if suits { kind } else { SEVERAL };
        }
        Ok(())
    }
}

/// What a domain has to do with sandboxes.
#[derive(Default)]
pub struct Sandbox {
    /// The domain that all its portals lead to; 0: none.
    pub controller: usize,
    /// The routine of the controlling domain that stubs lead to, unless it has made one itself.
    pub intercept: u64,
    /// Of one that has had others in its sandbox.
    pub passed: Passed,
    /// The domains whose portals all lead to it.
    pub inside: Vec<usize>,
    /// Of a domain with a controller: the numbers that it has.
    pub held: Numbers,
    /// Its numbers that only those inside need.
    pub guests: Numbers,
}
