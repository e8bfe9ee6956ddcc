//! The end of a frame's use. One rule, which the types here hold everybody to: **a frame is free only when no table, no view's either, no TLB, no
//! remembered entry, no open window and no pending return can reach it.**
//!
//! - [`Frames::release`] takes an [`Unreachable`] frame. One comes from a table by way of [`Doomed`], which gives its frames out
//!   after it has flushed; or was never in a table, or no longer than nobody could look, which [`Unreachable::unused`] says.
//! - To take an entry out of a space's tables takes proof that its page is [`Unshown`](crate::open_windows::Unshown): no open window shows it, and the domain's
//!   record does not have it among the pages lent last. Only the portal manager can say so, while it keeps the domain from lending:
//!   [`OpenWindows`](crate::open_windows::OpenWindows) is what it has said. Entries that portals do not lend (promises, pages shared copy-on-write) need nobody's word.
//! - A pending return (`<`) has addresses of its callee, not frames: what is there then is looked up then.
//!
//! [`Frames::release`]: crate::frames::Frames::release

use crate::frames::{Frames, Unreachable};
use crate::ram::Ram;

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
            return frames.release(Unreachable::forgotten(pa));
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
        self.frames[..self.count].iter().for_each(|&pa| frames.release(Unreachable::forgotten(pa)));
        // A frame that is added from now on waits for a flush of its own.
        self.count = 0;
    }
}

impl Drop for Doomed {
    fn drop(&mut self) {
        debug_assert!(self.count == 0, "frames of space {} are lost", self.asid);
    }
}
