//! What is known of the windows that show a domain's pages. Only the portal manager knows it, while it keeps the domain from lending; what it has said
//! is the proof without which no page leaves its space ([`crate::doomed`]).

use crate::transfer_letters::MOST;
use abi::Error;
use arch::Marks;
use arch::paging::Entry;
use core::cell::Cell;

/// Proof that a page may be taken out of its space: no window shows it, and no portal can open one on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unshown(());
impl Unshown {
    /// The space's domain is no more: no thread of it is left to lend, and its windows are closed.
    pub const fn of_the_dead() -> Unshown {
        Unshown(())
    }
    /// The page was mapped under the lock that is still held, at an address that nobody was told.
    pub const fn untold() -> Unshown {
        Unshown(())
    }
}

/// What is known of the windows on pages of the domains concerned.
#[derive(Clone, Copy)]
pub struct OpenWindows<'a>(Known<'a>);
#[derive(Clone, Copy)]
enum Known<'a> {
    Nothing,
    All(&'a [usize]),
    Asked(&'a Shown),
}
impl<'a> OpenWindows<'a> {
    pub const UNKNOWN: OpenWindows<'static> = OpenWindows(Known::Nothing);
    /// The portal manager keeps the domains concerned from lending, and windows show the frames at these physical addresses and no
    /// others of theirs.
    pub const fn all(frames: &'a [usize]) -> OpenWindows<'a> {
        OpenWindows(Known::All(frames))
    }
    /// The portal manager keeps the domains concerned from lending, and answers about single frames.
    pub const fn asked(shown: &'a Shown) -> OpenWindows<'a> {
        OpenWindows(Known::Asked(shown))
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
    pub fn not(&self, value: Entry) -> Result<Unshown, Error> {
        // Portals lend what is there and not copied at a write.
        if value.is_present() && !value.has(Marks::LAZY) && self.shows(value.address())? {
            return Err(Error::EBUSY);
        }
        Ok(Unshown(()))
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
            assert!(OpenWindows::UNKNOWN.not(value).is_ok());
        }
    }
    #[test]
    fn without_the_portal_managers_word_nothing_is_unlent() {
        let value = Entry::user(0x8000_0000, Rights::READ, Marks::empty());
        assert_eq!(OpenWindows::UNKNOWN.not(value), Err(Error::EAGAIN));
        assert_eq!(OpenWindows::all(&[0x8000_0000]).not(value), Err(Error::EBUSY));
        assert!(OpenWindows::all(&[0x8000_1000]).not(value).is_ok());
    }
    #[test]
    fn frames_are_asked_about_once_and_together() {
        let shown = Shown::new();
        let windows = OpenWindows::asked(&shown);
        assert!([1, 2, 1].iter().all(|&n| windows.shows(n << 12) == Err(Error::EAGAIN)));
        shown.ask(|frames| if frames == [1 << 12, 2 << 12] { Ok(2) } else { Err(Error::EINVAL) }).unwrap();
        assert_eq!((windows.shows(1 << 12), windows.shows(2 << 12)), (Ok(false), Ok(true)));
        assert_eq!(windows.shows(3 << 12), Err(Error::EAGAIN));
    }
    #[test]
    fn more_frames_than_one_transfer_has_are_asked_about_anew() {
        let shown = Shown::new();
        (0..200).for_each(|n| assert_eq!(OpenWindows::asked(&shown).shows(n << 12), Err(Error::EAGAIN)));
        shown.ask(|frames| Ok(if frames.len() <= 2 * MOST { 0 } else { 1 })).unwrap();
        assert_eq!(OpenWindows::asked(&shown).shows(199 << 12), Ok(false));
    }
}
