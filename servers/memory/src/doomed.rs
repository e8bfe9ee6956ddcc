//! The end of a frame's use. One rule, which the types here hold everybody to: **a frame is free only when no table, no view's either, no TLB, no
//! remembered entry, no open window and no pending return can reach it.**
//!
//! - [`Frames::release`] takes an [`Unreachable`] frame. One comes from a table by way of [`Doomed`], which gives its frames out
//!   after it has flushed; or was never in a table, or no longer than nobody could look, which [`Unreachable::unused`] says.
//! - To take an entry out of a space's tables takes proof that its page is [`Unlent`]: no open window shows it, and the domain's
//!   record does not have it among the pages lent last. Only the portal manager can say so, while it keeps the domain from lending:
//!   [`Lent`] is what it has said. Entries that portals do not lend (promises, pages shared copy-on-write) need nobody's word.
//! - A pending return (`<`) has addresses of its callee, not frames: what is there then is looked up then.
//!
//! [`Frames::release`]: crate::frames::Frames::release

use crate::frames::Frames;
use crate::ram::Ram;
use crate::transfers::MOST;
use abi::Error;
use arch::Marks;
use arch::paging::Entry;
use core::cell::Cell;

/// A frame that nothing can reach.
#[must_use]
pub struct Unreachable(usize);
impl Unreachable {
    /// The frame at `pa` was taken, but no translation leads there: it was in no table, or in none that a hart could walk.
    pub const fn unused(pa: usize) -> Unreachable {
        Unreachable(pa)
    }
    pub(crate) const fn address(&self) -> usize {
        self.0
    }
}

/// Frames that wait for one flush.
const ROOM: usize = 8;

/// What was taken out of the tables of one space and TLBs may still know. Ended with [`Doomed::bury`], which flushes.
#[must_use]
pub struct Doomed {
    asid: usize,
    frames: [usize; ROOM],
    count: usize,
    /// The page whose translation is to be forgotten; `None`: more than one. 0: none.
    page: Option<usize>,
    /// Nobody is in the space any more, and its translations are forgotten.
    dead: bool,
}
impl Doomed {
    /// Nothing of space `asid` yet.
    pub const fn of(asid: usize) -> Doomed {
        Doomed { asid, frames: [0; ROOM], count: 0, page: Some(0), dead: false }
    }
    /// The same for a space in which nobody is any more: what is known of it is forgotten now, and nothing of it can be loaded again.
    pub fn of_the_dead(asid: usize, ram: &mut impl Ram) -> Doomed {
        ram.flush_space(asid);
        Doomed { dead: true, ..Doomed::of(asid) }
    }
    /// The entry of `va` has been taken out.
    pub(crate) fn stale(&mut self, va: usize) {
        self.page = if self.page == Some(0) { Some(va) } else { None };
    }
    /// Nobody else has the frame at `pa`, which was shown.
    pub fn add(&mut self, pa: usize, ram: &mut impl Ram, frames: &mut Frames) {
        if self.dead {
            return frames.release(Unreachable(pa));
        }
        if self.count == ROOM {
            self.end(ram, frames);
        }
        self.frames[self.count] = pa;
        self.count += 1;
    }
    /// Forgets the translations; then the frames are free.
    pub fn bury(mut self, ram: &mut impl Ram, frames: &mut Frames) {
        self.end(ram, frames);
    }
    fn end(&mut self, ram: &mut impl Ram, frames: &mut Frames) {
        match self.page {
            _ if self.dead => {}
            Some(0) => {}
            Some(va) => ram.flush_page(self.asid, va),
            None => ram.flush_space(self.asid),
        }
        self.frames[..self.count].iter().for_each(|&pa| frames.release(Unreachable(pa)));
        // A frame that is added from now on waits for a flush of its own.
        self.count = 0;
    }
}

impl Drop for Doomed {
    fn drop(&mut self) {
        debug_assert!(self.count == 0, "frames of space {} are lost", self.asid);
    }
}

/// Proof that a page may be taken out of its space: no window shows it, and no portal can open one on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unlent(());
impl Unlent {
    /// The space's domain is no more: no thread of it is left to lend, and its windows are closed.
    pub const fn of_the_dead() -> Unlent {
        Unlent(())
    }
    /// The page was mapped under the lock that is still held, at an address that nobody was told.
    pub const fn untold() -> Unlent {
        Unlent(())
    }
}

/// What is known of the windows on pages of the domains concerned.
#[derive(Clone, Copy)]
pub struct Lent<'a>(Known<'a>);
#[derive(Clone, Copy)]
enum Known<'a> {
    Nothing,
    All(&'a [usize]),
    Asked(&'a Shown),
}
impl<'a> Lent<'a> {
    pub const UNKNOWN: Lent<'static> = Lent(Known::Nothing);
    /// The portal manager keeps the domains concerned from lending, and windows show the frames at these physical addresses and no
    /// others of theirs.
    pub const fn all(frames: &'a [usize]) -> Lent<'a> {
        Lent(Known::All(frames))
    }
    /// The portal manager keeps the domains concerned from lending, and answers about single frames.
    pub const fn asked(shown: &'a Shown) -> Lent<'a> {
        Lent(Known::Asked(shown))
    }
    /// Whether windows show the frame at `pa`. `EAGAIN`: that is not known.
    pub fn shows(&self, pa: usize) -> Result<bool, Error> {
        match self.0 {
            Known::Nothing => Err(Error::EAGAIN),
            Known::All(frames) => Ok(frames.contains(&pa)),
            Known::Asked(shown) => shown.shows(pa),
        }
    }
    /// Proof for the page of entry `value`. `EBUSY`: a window shows it; `EAGAIN`: that is not known.
    pub fn not(&self, value: Entry) -> Result<Unlent, Error> {
        // Portals lend what is there and not copied at a write.
        if value.is_present() && !value.has(Marks::LAZY) && self.shows(value.address())? {
            return Err(Error::EBUSY);
        }
        Ok(Unlent(()))
    }
}

/// What the portal manager has answered about frames, and what is still to be asked: as many as one transfer takes from one domain
/// and replaces in another.
pub struct Shown {
    frames: [Cell<usize>; 2 * MOST],
    /// How many there are, and of how many it is known.
    count: Cell<usize>,
    known: Cell<usize>,
    /// Bit n: windows show frame n.
    mask: Cell<u64>,
}
const _: () = assert!(2 * MOST < 63);
impl Shown {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Shown {
        Shown {
            frames: [const { Cell::new(0) }; 2 * MOST],
            count: Cell::new(0),
            known: Cell::new(0),
            mask: Cell::new(0),
        }
    }
    fn shows(&self, pa: usize) -> Result<bool, Error> {
        let place = self.frames[..self.count.get()].iter().position(|frame| frame.get() == pa);
        match place {
            Some(n) if n < self.known.get() => return Ok(self.mask.get() >> n & 1 != 0),
            Some(_) => {}
            None => {
                if self.count.get() == self.frames.len() {
                    // Others than were asked about: they changed meanwhile.
                    self.count.set(0);
                    self.known.set(0);
                }
                self.frames[self.count.get()].set(pa);
                self.count.set(self.count.get() + 1);
            }
        }
        Err(Error::EAGAIN)
    }
    /// Asks about all frames at once: `ask` gets their physical addresses and returns which of them windows show, bit n for frame n.
    pub fn ask(&self, ask: impl FnOnce(&[usize]) -> Result<u64, Error>) -> Result<(), Error> {
        /// Where a window shows all of them.
        #[repr(align(512))]
        struct Frames([usize; 2 * MOST]);
        let mut frames = Frames([0; 2 * MOST]);
        frames.0.iter_mut().zip(&self.frames).for_each(|(to, from)| *to = from.get());
        self.mask.set(ask(&frames.0[..self.count.get()])?);
        self.known.set(self.count.get());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::rights::Rights;

    #[test]
    fn what_portals_do_not_lend_needs_nobodys_word() {
        for value in [Entry::NONE, Entry::promised(Rights::READ), Entry::user(0x8000_0000, Rights::READ, Marks::LAZY)] {
            assert!(Lent::UNKNOWN.not(value).is_ok());
        }
    }
    #[test]
    fn without_the_portal_managers_word_nothing_is_unlent() {
        let value = Entry::user(0x8000_0000, Rights::READ, Marks::empty());
        assert_eq!(Lent::UNKNOWN.not(value), Err(Error::EAGAIN));
        assert_eq!(Lent::all(&[0x8000_0000]).not(value), Err(Error::EBUSY));
        assert!(Lent::all(&[0x8000_1000]).not(value).is_ok());
    }
    #[test]
    fn frames_are_asked_about_once_and_together() {
        let shown = Shown::new();
        let lent = Lent::asked(&shown);
        assert!([1, 2, 1].iter().all(|&n| lent.shows(n << 12) == Err(Error::EAGAIN)));
        shown.ask(|frames| if frames == [1 << 12, 2 << 12] { Ok(2) } else { Err(Error::EINVAL) }).unwrap();
        assert_eq!((lent.shows(1 << 12), lent.shows(2 << 12)), (Ok(false), Ok(true)));
        assert_eq!(lent.shows(3 << 12), Err(Error::EAGAIN));
    }
    #[test]
    fn more_frames_than_one_transfer_has_are_asked_about_anew() {
        let shown = Shown::new();
        (0..200).for_each(|n| assert_eq!(Lent::asked(&shown).shows(n << 12), Err(Error::EAGAIN)));
        shown.ask(|frames| Ok(if frames.len() <= 2 * MOST { 0 } else { 1 })).unwrap();
        assert_eq!(Lent::asked(&shown).shows(199 << 12), Ok(false));
    }
}
