//! Threads that a component starts which is a fault domain and alone in its space: each is a thread of its host's, which calls the segment once, on a
//! stack there.
//!
//! A stack is a part of the heap, above a page that is taken away again, so that one that is too deep faults as it does elsewhere. When its thread has ended
//! it is the next one's. All threads have the same variables of the language C (`docs/src/fault-domains.md`), so the C library starts none.

use crate::Layout;
use abi::Error;
use abi::address::PAGE;
use alloc::vec::Vec;
use core::ops::Range;
use fallible::TryPush;

/// A stack that a component has asked for.
struct Stack {
    range: Range<u64>,
    in_use: bool,
}
/// Those that a component has asked for since it began.
pub struct Stacks(Vec<Stack>);
impl Stacks {
    pub const fn none() -> Stacks {
        Stacks(Vec::new())
    }
    /// The end of one of at least so many bytes. `more`: makes room for a new one of so many pages, and says where it begins.
    pub fn take(&mut self, bytes: u64, more: impl FnOnce(u64) -> Result<u64, Error>) -> Result<u64, Error> {
        let enough = |stack: &&mut Stack| !stack.in_use && stack.range.end - stack.range.start >= bytes;
        if let Some(stack) = self.0.iter_mut().find(enough) {
            stack.in_use = true;
            return Ok(stack.range.end);
        }
        let pages = bytes.div_ceil(PAGE as u64).max(1);
        self.0.room_for(1)?;
        let start = more(pages)?;
        let end = start + pages * PAGE as u64;
        self.0.push_kept(Stack { range: start..end, in_use: true });
        Ok(end)
    }
    /// Whether any of `bytes` from `start` are of a page that was taken away below a stack.
    pub fn end_in(&self, start: u64, bytes: u64) -> bool {
        let end = start.saturating_add(bytes);
        self.0.iter().any(|stack| start < stack.range.start && stack.range.start - (PAGE as u64) < end)
    }
    /// Nobody is on the stack any more on which a thread began at `pointer`.
    pub fn give_back(&mut self, pointer: u64) {
        let of = |stack: &&mut Stack| stack.range.start < pointer && pointer <= stack.range.end;
        if let Some(stack) = self.0.iter_mut().find(of) {
            stack.in_use = false;
        }
    }
}
/// What a thread begins with: where, on which stack, and with which argument. `EINVAL`: that is not in the segment.
pub fn begins(layout: &Layout, entry: u64, stack: u64) -> Result<(), Error> {
    let code = layout.holds(entry, 4) && entry.is_multiple_of(4);
    let on = stack.checked_sub(1).is_some_and(|last| layout.holds(last, 1)) && stack.is_multiple_of(16);
    if code && on { Ok(()) } else { Err(Error::EINVAL) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_whose_thread_has_ended_is_the_next_ones() {
        let mut stacks = Stacks::none();
        let first = stacks.take(0x8000, |pages| Ok(0x1_0000 * pages)).unwrap();
        assert_eq!(first, 0x8_8000);
        assert_eq!(stacks.take(0x8000, |_| Ok(0x20_0000)), Ok(0x20_8000), "the first has a thread on it");
        stacks.give_back(first - 64);
        assert_eq!(stacks.take(0x8001, |_| Err(Error::ENOMEM)), Err(Error::ENOMEM), "it is too small");
        assert_eq!(stacks.take(0x7000, |_| Err(Error::ENOMEM)), Ok(first));
        assert_eq!(stacks.take(1, |_| Ok(0x30_0000)), Ok(0x30_1000), "a whole page");
    }
    #[test]
    fn what_lies_next_to_a_stack_is_not_on_it() {
        let mut stacks = Stacks::none();
        let top = stacks.take(0x1000, |_| Ok(0x1000)).unwrap();
        for beside in [0x1000, top + 1, 0] {
            stacks.give_back(beside);
            assert_eq!(stacks.take(0x1000, |_| Err(Error::ENOMEM)), Err(Error::ENOMEM), "{beside:#x}");
        }
    }
    #[test]
    fn what_is_below_a_stack_is_not_there() {
        let mut stacks = Stacks::none();
        stacks.take(0x2000, |_| Ok(0x1_0000)).unwrap();
        for (start, bytes) in [(0xf000, 1), (0xffff, 1), (0xe000, 0x1001), (0, u64::MAX)] {
            assert!(stacks.end_in(start, bytes), "{start:#x}");
        }
        for (start, bytes) in [(0xe000, 0x1000), (0x1_0000, 0x2000), (0x1_2000, 1)] {
            assert!(!stacks.end_in(start, bytes), "{start:#x}");
        }
    }
    #[test]
    fn a_thread_begins_in_the_segment() {
        let layout = Layout::new(false);
        let inside = layout.base() + 0x10_0000;
        assert_eq!(begins(&layout, inside, layout.top()), Ok(()));
        let wrong =
            [(inside + 2, inside), (0x1_0000, inside), (inside, inside + 8), (inside, layout.top() + 16), (inside, 0)];
        for (entry, stack) in wrong {
            assert_eq!(begins(&layout, entry, stack), Err(Error::EINVAL), "{entry:#x} {stack:#x}");
        }
    }
}
