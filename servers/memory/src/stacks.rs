//! Where a domain's further stacks lie: in slots below the main stack, each above an unmapped guard page. Which slots are
//! in use is read from the page tables themselves: a slot is used if its top page is mapped.

use abi::Error;
use abi::address::{MAIN_STACK, PAGE, STACK_FLOOR, STACK_TOP, THREAD_STACK};

/// Bytes of a slot: a stack and the guard below it.
const SLOT: usize = THREAD_STACK + PAGE;
/// Top of the first slot.
const FIRST: usize = STACK_TOP - MAIN_STACK - PAGE;
/// Slots.
pub const SLOTS: usize = (FIRST - STACK_FLOOR) / SLOT;

/// Top of slot `n`.
pub fn top(n: usize) -> usize {
    FIRST - n * SLOT
}
/// The slot whose stack has this top.
pub fn slot(top: usize) -> Option<usize> {
    let below = FIRST.checked_sub(top)?;
    (below % SLOT == 0 && below / SLOT < SLOTS).then_some(below / SLOT)
}
/// The slot that the page at `va` is in.
pub fn slot_of(va: usize) -> Option<usize> {
    let below = (FIRST - 1).checked_sub(va)?;
    (below / SLOT < SLOTS).then_some(below / SLOT)
}
/// Slots that a stack of `bytes` takes.
pub fn slots(bytes: usize) -> Result<usize, Error> {
    match bytes {
        1..=0x0800_0000 => Ok((bytes + PAGE).div_ceil(SLOT)),
        _ => Err(Error::EINVAL),
    }
}
/// Bytes that are mapped for a stack of `bytes`: one that has a slot to itself has all of it.
pub fn size(bytes: usize) -> Result<usize, Error> {
    let least = if slots(bytes)? == 1 { THREAD_STACK } else { 0 };
    Ok(bytes.next_multiple_of(PAGE).max(least))
}
/// The first slot from `from` on of a run of `count` that are free.
pub fn find(from: usize, count: usize, mut used: impl FnMut(usize) -> bool) -> Result<usize, Error> {
    let mut run = 0;
    for n in from..SLOTS {
        run = if used(n) { 0 } else { run + 1 };
        if run == count {
            return Ok(n + 1 - count);
        }
    }
    Err(Error::ENOMEM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::address::HEAP_END;
    #[test]
    fn a_thousand_threads_fit() {
        const { assert!(SLOTS > 2048) };
        assert!(top(SLOTS - 1) - THREAD_STACK >= STACK_FLOOR);
    }
    #[test]
    fn a_top_names_its_slot() {
        assert_eq!(slot(top(17)), Some(17));
        assert_eq!(slot(top(17) - 16), None);
        assert_eq!(slot(STACK_TOP), None);
        assert_eq!([top(17) - PAGE, top(18)].map(slot_of), [Some(17); 2]);
        assert_eq!([top(18) - PAGE, FIRST, HEAP_END].map(slot_of), [Some(18), None, None]);
    }
    #[test]
    fn runs_skip_used_slots() {
        assert_eq!(find(0, 2, |n| n == 1), Ok(2));
        assert_eq!(find(SLOTS - 1, 2, |_| false), Err(Error::ENOMEM));
    }
    #[test]
    fn a_stack_of_no_bytes_is_refused() {
        assert_eq!(slots(0), Err(Error::EINVAL));
        assert_eq!(slots(THREAD_STACK), Ok(1));
        assert_eq!(slots(THREAD_STACK + 1), Ok(2));
    }
}
