//! A set of domains, by their numbers.

use crate::nucleus::MAX_DOMAINS;

const WORDS: usize = MAX_DOMAINS / 64;

/// A bit for the number of each domain, modulo [`MAX_DOMAINS`].
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DomainSet([u64; WORDS]);
impl DomainSet {
    /// No number.
    pub const NONE: DomainSet = DomainSet([0; WORDS]);
    /// Whether that number is in it.
    #[inline]
    pub fn has(&self, asid: usize) -> bool {
        self.0[asid / 64 % WORDS] >> (asid % 64) & 1 != 0
    }
    /// Puts that number in.
    #[inline]
    pub fn add(&mut self, asid: usize) {
        self.0[asid / 64 % WORDS] |= 1 << (asid % 64);
    }
    /// Takes the lowest number out.
    pub fn pop(&mut self) -> Option<usize> {
        let (n, word) = self.0.iter_mut().enumerate().find(|(_, word)| **word != 0)?;
        let bit = word.trailing_zeros() as usize;
        *word &= *word - 1;
        Some(64 * n + bit)
    }
    /// Takes in those that are in `other`.
    pub fn join(&mut self, other: &DomainSet) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }
    /// Takes in those that are in both.
    pub fn join_both(&mut self, one: &DomainSet, other: &DomainSet) {
        self.0.iter_mut().zip(one.0.iter().zip(other.0)).for_each(|(own, (one, other))| *own |= one & other);
    }
    /// The numbers, the lowest first.
    pub fn all(self) -> impl Iterator<Item = usize> {
        (0..MAX_DOMAINS).step_by(64).zip(self.0).flat_map(|(first, word)| {
            let bits = |word: u64| Some(word).filter(|word| *word != 0);
            core::iter::successors(bits(word), move |word| bits(word & (word - 1)))
                .map(move |word| first + word.trailing_zeros() as usize)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[usize]) -> DomainSet {
        let mut set = DomainSet::NONE;
        numbers.iter().for_each(|&number| set.add(number));
        set
    }
    #[test]
    fn has_what_was_added_and_gives_it_back_from_the_lowest_on() {
        let numbers = [0, 1, 63, 64, 200, MAX_DOMAINS - 1];
        let mut set = of(&[200, 64, 0, MAX_DOMAINS - 1, 63, 1, 64]);
        assert!((0..MAX_DOMAINS).all(|number| set.has(number) == numbers.contains(&number)));
        assert!(set.all().eq(numbers));
        assert!(core::iter::from_fn(|| set.pop()).eq(numbers));
        assert_eq!((set, set.all().next()), (DomainSet::NONE, None));
    }
    #[test]
    fn joins_all_or_those_of_both() {
        let (one, other) = (of(&[3, 70]), of(&[70, 71]));
        let (mut any, mut both) = (one, of(&[500]));
        any.join(&other);
        both.join_both(&one, &other);
        assert!(any.all().eq([3, 70, 71]));
        assert!(both.all().eq([70, 500]));
    }
}
