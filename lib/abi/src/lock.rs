//! Who holds a lock, in one word.
//!
//! A lock's word names its holder in whatever way its users agree on; where they want to be told of the holder's end, it is the word that
//! `scheduler.lock_wait` gives for [`NAME`]: the thread, and the domain in which it took the lock, each as no other one is named.

use crate::identity::NUMBER_BITS;
use crate::nucleus::MAX_DOMAINS;

/// Bits of a thread's id.
pub const THREAD_BITS: u32 = 31;
/// Bits of a domain's number.
pub const DOMAIN_BITS: u32 = 10;
const _: () = assert!(MAX_DOMAINS <= 1 << DOMAIN_BITS);
/// Bits of its serial, the lowest ones: as many domains later one could be taken for it, while its thread lives.
pub const LIFE_BITS: u32 = 22;

/// In place of how often locks have been let go: that is asked.
pub const TURNS: isize = -1;
/// The same: the calling thread's [`Holder`] is.
pub const NAME: isize = -2;

/// A thread, by its id or by its index alone; by its id together with the domain in which it has taken a lock: *whole*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder(pub usize);
impl Holder {
    /// A thread in a domain, which are given by their id and identity.
    pub fn new(thread: usize, identity: usize) -> Holder {
        let number = identity % MAX_DOMAINS;
        let life = (identity >> NUMBER_BITS) % (1 << LIFE_BITS);
        Holder(life << (THREAD_BITS + DOMAIN_BITS) | number << THREAD_BITS | thread)
    }
    pub fn is_whole(self) -> bool {
        self.0 >> THREAD_BITS != 0
    }
    pub fn thread(self) -> usize {
        self.0 % (1 << THREAD_BITS)
    }
    pub fn index(self) -> usize {
        self.thread() % crate::nucleus::THREAD_IDS
    }
    /// Its number, or 0.
    pub fn domain(self) -> usize {
        self.0 >> THREAD_BITS & ((1 << DOMAIN_BITS) - 1)
    }
    pub fn life(self) -> usize {
        self.0 >> (THREAD_BITS + DOMAIN_BITS) & ((1 << LIFE_BITS) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_is_what_it_was_made_of() {
        let holder = Holder::new(0x7FFF_F123, 0x0123_4567_89AB << 16 | 511);
        assert_eq!((holder.thread(), holder.index(), holder.domain()), (0x7FFF_F123, 0x123, 511));
        assert_eq!((holder.life(), holder.is_whole()), (0x2789AB, true));
        assert!((holder.0 as isize) > 0 && !Holder(2047).is_whole());
    }
}
