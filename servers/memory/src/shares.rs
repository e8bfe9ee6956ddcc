//! How many spaces share a frame copy-on-write: one byte a frame, in pages that are made when the first frame of their
//! 16 MiB is shared.

use crate::frames::{For, Frames};
use crate::ram::Ram;
use abi::address::{PAGE, RAM_BASE};

const PAGES: usize = (1 << 30) / PAGE / PAGE;
/// Most sharers beside the first.
const MOST: u64 = 255;

pub struct Shares([usize; PAGES]);

impl Shares {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Shares {
        Shares([0; PAGES])
    }
    /// Address of the word with the count of `pa`, and the count's shift in it.
    #[inline(always)]
    fn place(&self, pa: usize) -> Option<(usize, usize)> {
        let frame = (pa - RAM_BASE) / PAGE;
        match self.0[frame / PAGE % PAGES] {
            0 => None,
            page => Some((page + frame % PAGE / 8 * 8, frame % 8 * 8)),
        }
    }
    /// Sharers of the frame at `pa` beside the first.
    #[inline(always)]
    pub fn count(&self, ram: &impl Ram, pa: usize) -> u64 {
        self.place(pa).map_or(0, |(at, shift)| ram.read(at) >> shift & MOST)
    }
    /// Frames that have more than one sharer.
    pub fn shared(&self, ram: &impl Ram) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate().filter(|(_, page)| **page != 0);
        let words = words.flat_map(|(n, page)| (0..PAGE).step_by(8).map(move |at| (n * PAGE + at, page + at)));
        words.flat_map(|(frame, at)| {
            let word = ram.read(at);
            (0..8).filter(move |n| word >> (8 * n) & MOST != 0).map(move |n| RAM_BASE + (frame + n) * PAGE)
        })
    }
    /// One more shares the frame. False: the count is full, or there is no memory for it.
    pub fn add(&mut self, ram: &mut impl Ram, frames: &mut Frames, pa: usize) -> bool {
        let slot = &mut self.0[(pa - RAM_BASE) / PAGE / PAGE % PAGES];
        if *slot == 0 {
            let Ok(page) = frames.take(For::System) else { return false };
            ram.clear(page);
            *slot = page;
        }
        let Some((at, shift)) = self.place(pa) else { return false };
        let word = ram.read(at);
        if word >> shift & MOST == MOST {
            return false;
        }
        ram.write(at, word + (1 << shift));
        true
    }
    /// One sharer lets go. False: it was the only one, so the frame is free.
    #[inline(always)]
    pub fn remove(&self, ram: &mut impl Ram, pa: usize) -> bool {
        let Some((at, shift)) = self.place(pa) else { return false };
        let word = ram.read(at);
        if word >> shift & MOST == 0 {
            return false;
        }
        ram.write(at, word - (1 << shift));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    #[test]
    fn a_frame_is_free_when_its_last_sharer_lets_go() {
        let (mut ram, mut frames, mut shares) = (Fake::new(64), Box::new(Frames::fake()), Shares::new());
        frames.add(RAM_BASE, RAM_BASE + 64 * PAGE);
        let pa = RAM_BASE + 17 * PAGE;
        assert!(shares.add(&mut ram, &mut frames, pa) && shares.add(&mut ram, &mut frames, pa));
        assert_eq!([pa - PAGE, pa, pa + PAGE].map(|pa| shares.count(&ram, pa)), [0, 2, 0]);
        assert!(shares.remove(&mut ram, pa) && shares.remove(&mut ram, pa) && !shares.remove(&mut ram, pa));
    }
    #[test]
    fn a_count_does_not_overflow() {
        let (mut ram, mut frames, mut shares) = (Fake::new(4), Box::new(Frames::fake()), Shares::new());
        frames.add(RAM_BASE, RAM_BASE + 4 * PAGE);
        let added = (0..300).filter(|_| shares.add(&mut ram, &mut frames, RAM_BASE)).count();
        assert_eq!(added, 255);
    }
    #[test]
    fn without_memory_nothing_is_shared() {
        assert!(!Shares::new().add(&mut Fake::new(1), &mut Frames::fake(), RAM_BASE));
    }
}
