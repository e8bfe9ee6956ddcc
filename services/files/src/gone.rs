//! An account of the portals that have gone.
//!
//! The portal manager posts a semaphore for each portal that no table entry leads to any more; it does not say which portal,
//! and asking for those of one control block takes a call. So what was seen to be gone is set against the posts, and a post
//! that it explains asks for nothing more. What was seen is never more than what has gone: of a control block's portals, at
//! least so many have gone as there are more portals than entries that lead to them. Hence, where something was not seen, a
//! post is left that nothing explains, and all are looked at.

/// The posts.
pub struct Account {
    /// Portals that were seen to be gone, less the posts that have come. Below 0: some were not seen, because others of the
    /// same control block have several entries, or because not all of a grant could be made.
    ahead: isize,
    posts: usize,
}
impl Account {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Account {
        Account { ahead: 0, posts: 0 }
    }
    /// How many posts have come.
    pub fn posts(&self) -> usize {
        self.posts
    }
    /// A post has come.
    pub fn post(&mut self) {
        self.posts = self.posts.wrapping_add(1);
        self.ahead -= 1;
    }
    /// So many portals more were seen to be gone.
    pub fn seen(&mut self, gone: usize) {
        self.ahead += gone as isize;
    }
    /// Whether what was seen explains all posts.
    pub fn is_even(&self) -> bool {
        self.ahead >= 0
    }
}
/// The portals of a control block.
pub struct Portals {
    /// How many there are at most, as far as was seen.
    left: usize,
}
impl Portals {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Portals {
        Portals { left: 0 }
    }
    pub fn granted(&mut self, count: usize) {
        self.left += count;
    }
    /// There are so many entries that lead to them: how many more have surely gone. A portal may have several entries.
    pub fn gone(&mut self, entries: usize) -> usize {
        let gone = self.left.saturating_sub(entries);
        self.left -= gone;
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_a_fork_has_added_hide_nothing_for_ever() {
        let mut portals = Portals::new();
        portals.granted(4);
        assert_eq!((portals.gone(8), portals.gone(5), portals.gone(3)), (0, 0, 1));
        portals.granted(4);
        assert_eq!((portals.gone(7), portals.gone(0), portals.gone(0)), (0, 7, 0));
    }
    /// Control blocks whose portals have one or two entries go in any order, and are looked at one by one or all: what has
    /// gone is found by the time that all posts have come.
    #[test]
    fn no_control_block_is_forgotten() {
        let mut random = 1u32;
        let mut next = |below: usize| {
            random = random.wrapping_mul(1664525).wrapping_add(1013904223);
            (random >> 8) as usize % below
        };
        for _ in 0..500 {
            let mut account = Account::new();
            // Entries of each portal; portals; whether it was found to be gone.
            let mut blocks: Vec<([usize; 4], Portals, bool)> = (0..6)
                .map(|_| {
                    let mut portals = Portals::new();
                    portals.granted(4);
                    ([1 + next(2); 4], portals, false)
                })
                .collect();
            let look = |block: &mut ([usize; 4], Portals, bool), account: &mut Account| {
                let entries = block.0.iter().sum();
                account.seen(block.1.gone(entries));
                block.2 = entries == 0;
            };
            let mut waiting = 0;
            for _ in 0..200 {
                let entry = &mut blocks[next(6)].0[next(4)];
                if *entry > 0 {
                    *entry -= 1;
                    waiting += (*entry == 0) as usize;
                }
                // Some posts are late.
                while waiting > 0 && next(3) > 0 {
                    waiting -= 1;
                    account.post();
                    if !account.is_even() {
                        look(&mut blocks[next(6)], &mut account);
                    }
                    if !account.is_even() {
                        blocks.iter_mut().for_each(|block| look(block, &mut account));
                    }
                }
            }
            for _ in 0..waiting {
                account.post();
                if !account.is_even() {
                    blocks.iter_mut().for_each(|block| look(block, &mut account));
                }
            }
            for (entries, _, found) in &blocks {
                assert_eq!(*found, entries.iter().sum::<usize>() == 0);
            }
        }
    }
}
