//! A map from small numbers: one slot each, so that a look-up is one load.

use crate::Result;
use alloc::vec::Vec;
use fallible::TryPush;

pub struct Slots<T>(Vec<Option<T>>);

impl<T> Slots<T> {
    pub const fn new() -> Slots<T> {
        Slots(Vec::new())
    }
    #[inline(always)]
    pub fn get(&self, number: usize) -> Option<&T> {
        self.0.get(number)?.as_ref()
    }
    #[inline(always)]
    pub fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        self.0.get_mut(number)?.as_mut()
    }
    pub fn contains(&self, number: usize) -> bool {
        self.get(number).is_some()
    }
    /// Makes room for `count` more, and no other. `ENOMEM`.
    pub fn reserve(&mut self, count: usize) -> Result<()> {
        self.0.try_reserve_exact(count).map_err(|_| abi::Error::ENOMEM)
    }
    /// Sees to it that `number` can be set. `ENOMEM`.
    #[inline(always)]
    pub fn room_at(&mut self, number: usize) -> Result<()> {
        if number < self.0.capacity() { Ok(()) } else { self.grow(number) }
    }
    /// Rather than twice as many as there are, an eighth more.
    #[inline(never)]
    fn grow(&mut self, number: usize) -> Result<()> {
        let len = self.0.len();
        self.reserve((number + 1 - len).max(8).max(len / 8)).or_else(|_| self.reserve(number + 1 - len))
    }
    /// Puts `value` at a number that [`Slots::room_at`] has made room for.
    #[inline(always)]
    pub fn set(&mut self, number: usize, value: T) {
        while self.0.len() <= number && self.0.push_kept(None) {}
        if let Some(slot) = self.0.get_mut(number) {
            *slot = Some(value);
        }
    }
    pub fn remove(&mut self, number: usize) -> Option<T> {
        self.0.get_mut(number)?.take()
    }
    /// The lowest number from `from` on where nothing is.
    pub fn vacant(&self, from: usize) -> usize {
        let from = from.min(self.0.len());
        self.0[from..].iter().position(Option::is_none).map_or(self.0.len(), |n| from + n)
    }
    /// One more than the highest number that was ever used.
    pub fn end(&self) -> usize {
        self.0.len()
    }
    pub fn iter(&self) -> impl Iterator<Item = (usize, &T)> {
        self.0.iter().enumerate().filter_map(|(number, slot)| Some((number, slot.as_ref()?)))
    }
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (usize, &mut T)> {
        self.0.iter_mut().enumerate().filter_map(|(number, slot)| Some((number, slot.as_mut()?)))
    }
}
