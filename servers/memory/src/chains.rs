//! Records that are found by a number: a chain of them for each remainder, in pages that are taken when there is need of them and
//! kept. So there is no table that some fill for all, and a look-up does not go through what belongs to others.

use crate::frames::{For, Frames};
use crate::ram::Ram;
use abi::Error;
use abi::address::PAGE;
use core::cell::Cell;

/// Records in a page of them.
pub const IN_PAGE: usize = 64;
/// Chains.
const HEADS: usize = 32;

struct Record<T: 'static> {
    /// What is kept, and the number that it is found by; `None`: it is free.
    kept: Cell<Option<(u16, T)>>,
    /// The next one in the chain, or the next free one.
    next: Link<T>,
}
type Link<T> = Cell<Option<&'static Record<T>>>;
type Page<T> = [Record<T>; IN_PAGE];

/// Up to `PAGES` pages of records.
pub struct Chains<T: 'static, const PAGES: usize> {
    pages: [Option<&'static Page<T>>; PAGES],
    heads: [Link<T>; HEADS],
    free: Link<T>,
}
// SAFETY: the records are reached through this value alone, so whoever has it has them all.
unsafe impl<T: Send, const PAGES: usize> Send for Chains<T, PAGES> {}

impl<T: Copy, const PAGES: usize> Chains<T, PAGES> {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Chains<T, PAGES> {
        const { assert!(size_of::<Page<T>>() <= PAGE) };
        Chains { pages: [None; PAGES], heads: [const { Cell::new(None) }; HEADS], free: Cell::new(None) }
    }
    /// Takes a page for more of them. `ENFILE`: there are as many as there can be.
    #[cold]
    fn grow(&mut self, ram: &mut impl Ram, frames: &mut Frames) -> Result<(), Error> {
        let place = self.pages.iter_mut().find(|page| page.is_none()).ok_or(Error::ENFILE)?;
        let first = ram.pointer(frames.take(For::System)?).cast::<Record<T>>();
        for n in 0..IN_PAGE {
            // SAFETY: the frame is this table's for ever, nothing else refers to it, and it is large enough and aligned.
            unsafe { first.add(n).write(Record { kept: Cell::new(None), next: Cell::new(None) }) };
        }
        // SAFETY: as above; each of its records has just been written.
        let page = unsafe { &*first.cast::<Page<T>>() };
        *place = Some(page);
        for record in page {
            record.next.set(self.free.replace(Some(record)));
        }
        Ok(())
    }
    /// Makes sure that `count` more can be kept. `ENFILE`, `ENOMEM`.
    pub fn room_for(&mut self, (ram, frames): (&mut impl Ram, &mut Frames), count: usize) -> Result<(), Error> {
        let free = core::iter::successors(self.free.get(), |record| record.next.get()).take(count).count();
        (0..(count - free).div_ceil(IN_PAGE)).try_for_each(|_| self.grow(ram, frames))
    }
    /// Keeps `value` for `number`. `ENFILE`: there are too many; `ENOMEM`: there is no memory for it.
    #[inline(always)]
    pub fn insert(&mut self, (ram, frames): (&mut impl Ram, &mut Frames), number: u16, value: T) -> Result<(), Error> {
        if self.free.get().is_none() {
            self.grow(ram, frames)?;
        }
        let record = self.free.get().ok_or(Error::ENFILE)?;
        self.free.set(record.next.get());
        record.kept.set(Some((number, value)));
        record.next.set(self.heads[number as usize % HEADS].replace(Some(record)));
        Ok(())
    }
    /// Those kept for `number`, the latest first.
    #[inline(always)]
    pub fn of(&self, number: u16) -> impl Iterator<Item = T> {
        let mut next = self.heads[number as usize % HEADS].get();
        core::iter::from_fn(move || {
            loop {
                let record = next?;
                next = record.next.get();
                match record.kept.get() {
                    Some((own, value)) if own == number => return Some(value),
                    _ => {}
                }
            }
        })
    }
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = T> {
        let records = self.pages.iter().flatten().flat_map(|page| page.iter());
        records.filter_map(|record| record.kept.get()).map(|(_, value)| value)
    }
    /// Changes all of them.
    pub fn change(&mut self, mut change: impl FnMut(&mut T)) {
        for record in self.pages.iter().flatten().flat_map(|page| page.iter()) {
            if let Some((number, mut value)) = record.kept.get() {
                change(&mut value);
                record.kept.set(Some((number, value)));
            }
        }
    }
    /// Takes away the latest of those kept for `number` that is `wanted`.
    #[inline(always)]
    pub fn remove(&mut self, number: u16, wanted: impl Fn(&T) -> bool) -> Option<T> {
        let mut link = &self.heads[number as usize % HEADS];
        while let Some(record) = link.get() {
            if let Some((own, value)) = record.kept.get()
                && own == number
                && wanted(&value)
            {
                record.kept.set(None);
                link.set(record.next.replace(self.free.replace(Some(record))));
                return Some(value);
            }
            link = &record.next;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use abi::address::RAM_BASE;

    struct Bench(Fake, Box<Frames>, Chains<(u16, u32), 3>);
    impl Bench {
        fn new(frames: usize) -> Bench {
            let (ram, mut all) = (Fake::new(4), Box::new(Frames::fake()));
            all.add(RAM_BASE, RAM_BASE + frames * PAGE);
            Bench(ram, all, Chains::new())
        }
        fn insert(&mut self, number: u16, value: u32) -> Result<(), Error> {
            self.2.insert((&mut self.0, &mut self.1), number, (number, value))
        }
    }
    #[test]
    fn as_many_as_there_is_room_for() {
        let mut b = Bench::new(4);
        assert!((0..3 * IN_PAGE).all(|n| b.insert(n as u16 % 7, n as u32).is_ok()));
        assert_eq!(b.insert(1, 0), Err(Error::ENFILE));
        b.2.remove(3, |_| true).unwrap();
        assert_eq!((b.insert(9, 0), b.insert(9, 0)), (Ok(()), Err(Error::ENFILE)));
    }
    #[test]
    fn without_memory_none_is_kept() {
        assert_eq!(Bench::new(0).insert(1, 1), Err(Error::ENOMEM));
    }
    #[test]
    fn the_latest_is_found_and_removed_first() {
        let mut b = Bench::new(4);
        (0..4).for_each(|n| b.insert(5, n).unwrap());
        b.insert(5 + HEADS as u16, 9).unwrap();
        let of = |b: &Bench| b.2.of(5).map(|v| v.1).collect::<Vec<_>>();
        assert_eq!(of(&b), [3, 2, 1, 0]);
        assert_eq!(b.2.remove(5, |v| v.1 % 2 == 0), Some((5, 2)));
        assert_eq!((of(&b), b.2.remove(5, |v| v.1 == 9)), (vec![3, 1, 0], None));
    }
    #[test]
    fn it_is_what_a_list_would_be() {
        let (mut b, mut list, mut seed) = (Bench::new(4), Vec::new(), 1u64);
        for step in 0..20_000u32 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let number = (seed >> 33) as u16 % 150;
            if seed >> 60 < 8 {
                assert_eq!(b.insert(number, step).is_ok(), list.len() < 3 * IN_PAGE);
                if list.len() < 3 * IN_PAGE {
                    list.push((number, step));
                }
            } else {
                let place = list.iter().rposition(|v| v.0 == number && v.1 % 3 != 0);
                assert_eq!(b.2.remove(number, |v| v.1 % 3 != 0), place.map(|place| list.remove(place)));
            }
            assert!(b.2.of(number).eq(list.iter().rev().filter(|v| v.0 == number).copied()));
            assert_eq!(b.2.all().count(), list.len());
        }
    }
}
