//! Where a domain's further stacks lie: in slots, each above an unmapped guard page, the first few below the main stack and the others from
//! `STACK_TOP` down. Which slots are in use is read from the page tables themselves: a slot is used if its top page is mapped.

use abi::Error;
use abi::address::{IMAGE_VA, MAIN_STACK, PAGE, PRIVATE_VA, STACK_FLOOR, STACK_TOP, THREAD_STACK};

/// Bytes of a slot: a stack and the guard below it.
const SLOT: usize = THREAD_STACK + PAGE;
/// Tops of the first slot, and of the first one above.
const LOW: usize = IMAGE_VA - MAIN_STACK - PAGE;
const HIGH: usize = STACK_TOP;
/// Slots below the main stack.
const LOW_SLOTS: usize = (LOW - PRIVATE_VA) / SLOT;
/// Slots.
pub const SLOTS: usize = LOW_SLOTS + (HIGH - STACK_FLOOR) / SLOT;
// A space keeps one in 16 bits.
const _: () = assert!(SLOTS <= u16::MAX as usize);

/// Top of slot `n`.
pub fn top(n: usize) -> usize {
    if n < LOW_SLOTS { LOW - n * SLOT } else { HIGH - (n - LOW_SLOTS) * SLOT }
}
/// The slot whose stack has this top.
pub fn slot(at: usize) -> Option<usize> {
    let n = slot_of(at.checked_sub(1)?)?;
    (top(n) == at).then_some(n)
}
/// The slot that the page at `va` is in.
pub fn slot_of(va: usize) -> Option<usize> {
    let below = |top: usize| (top - 1).checked_sub(va).map(|below| below / SLOT);
    let low = below(LOW).filter(|&n| n < LOW_SLOTS);
    low.or_else(|| below(HIGH).map(|n| LOW_SLOTS + n).filter(|&n| n < SLOTS))
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
        // Those of one stack follow each other.
        run = if n == LOW_SLOTS { 0 } else { run };
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
        assert!(top(LOW_SLOTS - 1) - THREAD_STACK >= PRIVATE_VA);
    }
    #[test]
    fn a_top_names_its_slot() {
        for n in [0, LOW_SLOTS - 1, LOW_SLOTS, LOW_SLOTS + 1, 17, SLOTS - 1] {
            assert_eq!((slot(top(n)), slot(top(n) - 16), slot(top(n) + 16)), (Some(n), None, None), "{n}");
            // Its guard is its own.
            assert_eq!([top(n) - 1, top(n) - PAGE, top(n) - SLOT].map(slot_of), [Some(n); 3], "{n}");
        }
        assert_eq!([0, STACK_TOP + SLOT].map(slot), [None; 2]);
    }
    #[test]
    fn what_is_no_stack_is_in_no_slot() {
        for va in [0, PRIVATE_VA - PAGE, LOW, IMAGE_VA - PAGE, IMAGE_VA, HEAP_END, STACK_FLOOR - PAGE, STACK_TOP] {
            assert_eq!(slot_of(va), None, "{va:#x}");
        }
    }
    #[test]
    fn stacks_do_not_overlap_nor_take_the_main_ones_place() {
        let bottom = |n| top(n) - SLOT;
        assert!((1..SLOTS).all(|n| n == LOW_SLOTS || top(n) == bottom(n - 1)));
        assert!(top(0) + PAGE <= IMAGE_VA - MAIN_STACK, "the main stack has a guard");
        assert!(top(LOW_SLOTS) - THREAD_STACK > HEAP_END);
    }
    #[test]
    fn runs_skip_used_slots() {
        let free = LOW_SLOTS + 3;
        assert_eq!(find(free - 1, 2, |n| n == free), Ok(free + 1));
        assert_eq!(find(SLOTS - 1, 2, |_| false), Err(Error::ENOMEM));
    }
    #[test]
    fn a_run_is_not_of_slots_below_and_above() {
        assert_eq!(find(0, LOW_SLOTS, |_| false), Ok(0));
        assert_eq!(find(0, LOW_SLOTS + 1, |_| false), Ok(LOW_SLOTS));
        assert_eq!(find(LOW_SLOTS - 1, 2, |_| false), Ok(LOW_SLOTS));
    }
    #[test]
    fn a_stack_of_no_bytes_is_refused() {
        assert_eq!(slots(0), Err(Error::EINVAL));
        assert_eq!(slots(THREAD_STACK), Ok(1));
        assert_eq!(slots(THREAD_STACK + 1), Ok(2));
    }
}
