//! The ready threads: one ring a priority, and a bitmap of the rings that are not empty.
//!
//! The running thread stays in its ring, as its head. So a thread that is preempted is still first of its priority, and
//! to yield or to end a time slice is to turn the ring by one.

use crate::ring::Ring;
use crate::threads::{IDLE, PRIORITIES, Thread, Threads};

/// Priority of the idle thread: below all.
pub const IDLE_PRIORITY: i32 = -1;

pub struct Ready {
    /// Bit `p`: ring `p` is not empty.
    bits: u64,
    rings: [Ring; PRIORITIES],
}

impl Ready {
    pub const fn new() -> Ready {
        Ready { bits: 0, rings: [Ring::EMPTY; PRIORITIES] }
    }
    #[inline(always)]
    fn ring(&mut self, priority: usize) -> &mut Ring {
        // The remainder changes nothing; it spares the bounds check.
        &mut self.rings[priority % PRIORITIES]
    }
    /// Whether a thread of `priority` is ready.
    #[inline(always)]
    pub fn has(&self, priority: u8) -> bool {
        !self.rings[priority as usize % PRIORITIES].is_empty()
    }
    /// Whether a thread below `priority` is ready.
    pub fn has_below(&self, priority: i32) -> bool {
        priority >= 0 && self.bits & ((1 << (priority as usize % PRIORITIES)) - 1) != 0
    }
    /// Whether `is_one` holds of any ready thread, of which `priority` is the highest: of the first `most` of them, highest first; where there are more, it is taken to hold of one.
    pub fn any_until(&self, threads: &Threads, priority: i32, most: usize, is_one: impl Fn(Thread) -> bool) -> bool {
        let mut left = most;
        for place in (0..=priority.max(0) as usize % PRIORITIES).rev() {
            if self.bits >> place & 1 == 0 {
                continue;
            }
            let head = self.rings[place].head();
            let mut thread = head;
            loop {
                if is_one(thread) {
                    return true;
                }
                left -= 1;
                thread = threads[thread].next;
                if left == 0 {
                    return true;
                }
                if thread == head {
                    break;
                }
            }
        }
        false
    }
    /// Puts `thread` last of its priority.
    #[inline(always)]
    pub fn push(&mut self, threads: &mut Threads, thread: Thread) {
        let priority = threads[thread].priority as usize;
        let ring = self.ring(priority);
        let first = ring.is_empty();
        ring.push(threads, thread);
        if first {
            self.bits |= 1 << (priority % PRIORITIES);
        }
    }
    /// Puts `thread` first of its priority.
    pub fn push_first(&mut self, threads: &mut Threads, thread: Thread) {
        self.push(threads, thread);
        self.turn_to(threads[thread].priority as i32, thread);
    }
    /// Takes `thread` out, whatever its place.
    pub fn remove(&mut self, threads: &mut Threads, thread: Thread) {
        let place = threads[thread].priority as usize % PRIORITIES;
        self.rings[place].remove(threads, thread);
        if self.rings[place].is_empty() {
            self.bits &= !(1 << place);
        }
    }
    /// Takes out `first`, the first thread of the highest priority → what [`Ready::first`] is then.
    #[inline(always)]
    pub fn remove_first(&mut self, threads: &mut Threads, first: Thread, priority: i32) -> (Thread, i32) {
        let place = priority as usize % PRIORITIES;
        let next = threads[first].next;
        if next != first {
            let prev = threads[first].prev;
            threads[next].prev = prev;
            threads[prev].next = next;
            self.rings[place].turn_to(next);
            return (next, priority);
        }
        self.rings[place] = Ring::EMPTY;
        self.bits &= !(1 << place);
        self.first()
    }
    /// Makes `next` the first of its priority.
    #[inline(always)]
    pub fn turn_to(&mut self, priority: i32, next: Thread) {
        self.ring(priority as usize).turn_to(next);
    }
    /// The first thread of the highest priority, and that priority; the idle thread where none is ready.
    #[inline(always)]
    pub fn first(&self) -> (Thread, i32) {
        if self.bits == 0 {
            return (IDLE, IDLE_PRIORITY);
        }
        let priority = highest(self.bits);
        (self.rings[priority % PRIORITIES].head(), priority as i32)
    }
}

/// Place of the highest bit of each byte value.
static HIGHEST: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 2;
    while i < 256 {
        table[i] = table[i / 2] + 1;
        i += 1;
    }
    table
};

/// Place of the highest bit of `bits`, which is not 0. The base instruction set counts no zeros: three halvings and a
/// table take a third of what the compiler's own sequence takes.
#[inline(always)]
fn highest(mut bits: u64) -> usize {
    let mut place = 0;
    if bits >> 32 != 0 {
        place = 32;
        bits >>= 32;
    }
    if bits >> 16 != 0 {
        place += 16;
        bits >>= 16;
    }
    if bits >> 8 != 0 {
        place += 8;
        bits >>= 8;
    }
    place + HIGHEST[bits as usize % 256] as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highest_bit_of_each_place() {
        for place in 0..64 {
            assert_eq!(highest(1 << place), place);
            assert_eq!(highest(u64::MAX >> (63 - place)), place);
        }
    }
}
