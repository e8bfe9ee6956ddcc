//! The ways out that a portal has, and the branches that lead to them. Their code is [`super::ways_out`].

use super::emit::Label;

/// A way out of a portal before its frame is committed: its kind, and in the lower twelve bits what it is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Tail(u16);
impl Tail {
    /// The `ecall` ends with an error.
    pub const FAIL: u16 = 0;
    /// The letter of this use, of those with templates, raises its fault.
    pub const SLOW: u16 = 1;
    /// The same when the call returns: the return is made again.
    pub const AGAIN: u16 = 2;
    /// The callee's stack queue is empty.
    pub const NO_STACK: u16 = 3;
    /// Threads wait for the stack that was put back.
    pub const STACK_FREE: u16 = 4;

    pub const fn new(kind: u16, of: u16) -> Tail {
        Tail(kind << 12 | of)
    }
    pub const fn kind(self) -> u16 {
        self.0 >> 12
    }
    pub const fn of(self) -> usize {
        (self.0 & 0xfff) as usize
    }
}
/// Most tails of one portal.
pub(super) const TAILS: usize = 14;

/// Ways out, in the order in which they are written.
pub(super) struct Tails {
    pub all: [Tail; TAILS],
    pub(super) labels: [Label; TAILS],
    pub count: usize,
}
impl Tails {
    pub const NONE: Tails = Tails { all: [Tail(0); TAILS], labels: [Label::NEW; TAILS], count: 0 };
    /// The number of `tail`, if it is there.
    #[inline(always)]
    pub fn find(&self, tail: Tail) -> Option<usize> {
        self.all[..self.count.min(TAILS)].iter().position(|&t| t == tail)
    }
    /// One too many is reported at the end.
    #[inline(always)]
    pub fn add(&mut self, tail: Tail) -> usize {
        let n = self.count;
        self.count += 1;
        if let Some(place) = self.all.get_mut(n) {
            *place = tail;
        }
        n
    }
    #[inline(always)]
    pub fn link(&mut self, n: usize, at: usize) -> u32 {
        self.labels.get_mut(n).map_or(0, |label| label.link(at))
    }
}
