//! Physical frames: one bit each.

use abi::Error;
use abi::address::{PAGE, RAM_BASE};

/// Frames of the first GiB, which is all that the nucleus's mapping covers.
const FRAMES: usize = (1 << 30) / PAGE;
/// Frames that a page of bits stands for.
const FRAMES_IN_PAGE: usize = PAGE * 8;
/// Frames kept for the system: an application that takes all memory must not keep a thread or domain from being ended.
pub const RESERVE: usize = 64;
/// Most frames of a run: those of the ring of traced calls. Runs are looked for in 64 frames at a time.
pub const LONGEST_RUN: usize = abi::trace::PAGES;
const _: () = assert!(LONGEST_RUN >= 8 && LONGEST_RUN < 64);

/// Which frames are free.
pub struct Frames {
    /// A set bit is a free frame. As many as there is RAM for.
    bits: &'static mut [u64],
    /// No word below it has a free frame.
    hint: usize,
    free: usize,
    total: usize,
    /// Free frames that are promised: to pages that were not touched yet, or not written since they are shared.
    promised: usize,
    /// How many more times one is given or promised.
    #[cfg(test)]
    pub left: usize,
}
/// Who asks for a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// A component: leaves the reserve alone.
    Component,
    /// The nucleus's data, page tables, the system's own.
    System,
}

/// A frame that nothing can reach.
#[must_use]
pub struct Unreachable(usize);
impl Unreachable {
    /// The frame at `pa` was taken, but no translation leads there: it was in no table, or in none that a hart could walk.
    pub const fn unused(pa: usize) -> Unreachable {
        Unreachable(pa)
    }
    /// The frame at `pa` was in a table, and all translations that lead there are forgotten: [`crate::doomed`] alone says so.
    pub(crate) const fn forgotten(pa: usize) -> Unreachable {
        Unreachable(pa)
    }
    pub(crate) const fn address(&self) -> usize {
        self.0
    }
}

impl Frames {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Frames {
        Frames {
            bits: &mut [],
            hint: 0,
            free: 0,
            total: 0,
            promised: 0,
            #[cfg(test)]
            left: usize::MAX,
        }
    }
    /// Pages of bits that RAM up to `end` needs.
    pub fn pages_of_bits(end: usize) -> usize {
        (end.saturating_sub(RAM_BASE) / PAGE).min(FRAMES).div_ceil(FRAMES_IN_PAGE)
    }
    /// Has the bits, which are zeros, kept in `bits`.
    pub fn keep_in(&mut self, bits: &'static mut [u64]) {
        self.bits = bits;
    }
    /// Makes the frames that lie wholly between two physical addresses free.
    pub fn add(&mut self, from: usize, to: usize) {
        let first = from.max(RAM_BASE).next_multiple_of(PAGE);
        for pa in (first..to.min(RAM_BASE + self.bits.len() * 64 * PAGE) / PAGE * PAGE).step_by(PAGE) {
            self.total += 1;
            self.release(Unreachable::unused(pa));
        }
    }
    /// Takes out the frames that an address range touches, where they are free.
    pub fn remove(&mut self, from: usize, to: usize) {
        for pa in (from / PAGE * PAGE..to).step_by(PAGE) {
            if let Some(n) = pa.checked_sub(RAM_BASE).map(|o| o / PAGE).filter(|n| *n < self.bits.len() * 64)
                && self.bits[n / 64] >> (n % 64) & 1 == 1
            {
                self.bits[n / 64] &= !(1 << (n % 64));
                self.free -= 1;
                self.total -= 1;
            }
        }
    }
    /// Whether the frame at `pa` is free.
    pub fn is_free(&self, pa: usize) -> bool {
        let n = pa.wrapping_sub(RAM_BASE) / PAGE;
        self.bits.get(n / 64).is_some_and(|word| word >> (n % 64) & 1 == 1)
    }
    /// Frames that are neither in use nor promised.
    pub fn free(&self) -> usize {
        self.free - self.promised
    }
    /// Free frames that are promised to pages.
    pub fn promised(&self) -> usize {
        self.promised
    }
    /// Promises a frame for a component's page.
    pub fn promise(&mut self) -> Result<(), Error> {
        if self.free() <= RESERVE || self.fails() {
            return Err(Error::ENOMEM);
        }
        self.promised += 1;
        Ok(())
    }
    /// A promised frame is not needed after all.
    pub fn renounce(&mut self) {
        debug_assert!(self.promised > 0);
        self.promised -= 1;
    }
    /// A frame that was promised; its contents are what they were.
    pub fn redeem(&mut self) -> usize {
        self.renounce();
        // A promise holds a frame back, so there is one.
        self.take_any()
    }
    pub fn total(&self) -> usize {
        self.total
    }
    /// A frame; its contents are what they were.
    pub fn take(&mut self, who: For) -> Result<usize, Error> {
        if self.free() == 0 || (who == For::Component && self.free() <= RESERVE) || self.fails() {
            return Err(Error::ENOMEM);
        }
        Ok(self.take_any())
    }
    /// Whether a test wants no more to be given.
    #[cfg(not(test))]
    const fn fails(&self) -> bool {
        false
    }
    #[cfg(test)]
    fn fails(&mut self) -> bool {
        let none = self.left == 0;
        self.left = self.left.saturating_sub(1);
        none
    }
    fn take_any(&mut self) -> usize {
        while self.bits[self.hint] == 0 {
            self.hint += 1;
        }
        let bit = self.bits[self.hint].trailing_zeros() as usize;
        self.bits[self.hint] &= !(1 << bit);
        self.free -= 1;
        RAM_BASE + (self.hint * 64 + bit) * PAGE
    }
    /// The same for a component: leaves the reserve alone.
    pub fn take_run_for_component(&mut self, count: usize) -> Result<usize, Error> {
        if self.free() < RESERVE + count || self.fails() { Err(Error::ENOMEM) } else { self.take_run(count) }
    }
    /// `count` ≤ [`LONGEST_RUN`] consecutive frames, for the system.
    pub fn take_run(&mut self, count: usize) -> Result<usize, Error> {
        match count {
            1 => return self.take(For::System),
            2..=LONGEST_RUN => {}
            _ => return Err(Error::EINVAL),
        }
        if self.free() < count {
            return Err(Error::ENOMEM);
        }
        for word in self.hint..self.bits.len() {
            // Bit n of `starts`: frames n to n + count - 1 of this word are free.
            let starts = (1..count).fold(self.bits[word], |starts, n| starts & (self.bits[word] >> n));
            if starts != 0 {
                let bit = starts.trailing_zeros() as usize;
                self.bits[word] &= !(((1 << count) - 1) << bit);
                self.free -= count;
                return Ok(RAM_BASE + (word * 64 + bit) * PAGE);
            }
        }
        Err(Error::ENOMEM)
    }
    /// Gives a frame back.
    pub fn release(&mut self, frame: Unreachable) {
        let pa = frame.address();
        let n = (pa - RAM_BASE) / PAGE;
        debug_assert!(self.bits[n / 64] >> (n % 64) & 1 == 0, "frame {pa:#x} given back twice");
        self.bits[n / 64] |= 1 << (n % 64);
        self.free += 1;
        self.hint = self.hint.min(n / 64);
    }
}

#[cfg(test)]
impl Frames {
    /// With bits for all frames that there can be.
    pub fn fake() -> Frames {
        let mut frames = Frames::new();
        frames.keep_in(vec![0; FRAMES / 64].leak());
        frames
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    fn frames(count: usize) -> Box<Frames> {
        let mut f = Box::new(Frames::fake());
        f.add(RAM_BASE + 0x1000, RAM_BASE + 0x1000 + count * PAGE);
        f
    }
    #[test]
    fn the_reserve_is_for_the_system() {
        let mut f = frames(RESERVE + 1);
        assert!(f.take(For::Component).is_ok());
        assert_eq!(f.take(For::Component), Err(Error::ENOMEM));
        assert!((0..RESERVE).all(|_| f.take(For::System).is_ok()));
        assert_eq!(f.take(For::System), Err(Error::ENOMEM));
    }
    #[test]
    fn a_run_too_long_is_refused() {
        assert_eq!(frames(100).take_run(LONGEST_RUN + 1), Err(Error::EINVAL));
        assert_eq!(frames(100).take_run(0), Err(Error::EINVAL));
    }
    #[test]
    fn a_promised_frame_is_kept_for_who_has_the_promise() {
        let mut f = frames(RESERVE + 1);
        f.promise().unwrap();
        assert_eq!(f.promise(), Err(Error::ENOMEM));
        assert!((0..RESERVE).all(|_| f.take(For::System).is_ok()));
        assert_eq!((f.take(For::System), f.take_run(2), f.free()), (Err(Error::ENOMEM), Err(Error::ENOMEM), 0));
        let frame = f.redeem();
        f.release(Unreachable::unused(frame));
        assert_eq!(f.free(), 1);
    }
    #[test]
    fn removed_frames_are_not_given_out() {
        let mut f = frames(RESERVE);
        f.remove(RAM_BASE + 0x1800, RAM_BASE + 0x2001);
        assert_eq!((f.total(), f.free()), (RESERVE - 2, RESERVE - 2));
    }
    proptest! {
        #![proptest_config(properties::config(256))]
        #[test]
        fn no_frame_is_given_out_twice_and_all_come_back(steps in proptest::collection::vec((0usize..LONGEST_RUN + 1, any::<bool>(), any::<prop::sample::Index>()), 1..300)) {
            let mut f = frames(300);
            let mut held: Vec<(usize, usize)> = Vec::new();
            for (count, give, which) in steps {
                if give && !held.is_empty() {
                    let (pa, count) = held.swap_remove(which.index(held.len()));
                    (0..count).for_each(|n| f.release(Unreachable::unused(pa + n * PAGE)));
                } else if let Ok(pa) = if count == 0 { f.take(For::Component) } else { f.take_run(count) } {
                    let count = count.max(1);
                    prop_assert!(held.iter().all(|&(at, n)| pa + count * PAGE <= at || at + n * PAGE <= pa));
                    held.push((pa, count));
                }
                prop_assert_eq!(f.free() + held.iter().map(|h| h.1).sum::<usize>(), 300);
            }
        }
    }
}
