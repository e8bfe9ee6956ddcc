//! Who may have how many pipes. Threads wait on a semaphore of each, and of those this component has few, because its portal table has
//! two numbers for each: so some are kept for every account, and of the others one has as many as are left at most.

use abi::Error;
use abi::account::ACCOUNTS;
use account::Account;

/// Most pipes at one time: the component's limit of semaphores is to be two more than these and [`LOCK_WAITS`].
pub const PIPES: usize = 212;
/// Threads that may wait for locks at one time.
pub const LOCK_WAITS: u8 = 8;
/// How many are kept for each account.
const KEPT: usize = 4;
const COMMON: usize = PIPES - KEPT * ACCOUNTS;

/// How many each account has.
pub struct Shares([u8; ACCOUNTS]);
impl Shares {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Shares {
        Shares([0; ACCOUNTS])
    }
    /// One more for `payer`. `ENFILE`: it has its share.
    pub fn take(&mut self, payer: Account) -> Result<(), Error> {
        let beyond = |own: &u8| (*own as usize).saturating_sub(KEPT);
        let left = COMMON - self.0.iter().map(beyond).sum::<usize>();
        let own = &mut self.0[payer.number()];
        if (*own as usize) >= KEPT && beyond(own) >= left {
            return Err(Error::ENFILE);
        }
        *own += 1;
        Ok(())
    }
    pub fn give_back(&mut self, payer: Account) {
        self.0[payer.number()] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(n: usize) -> Account {
        Account::new(n).unwrap()
    }
    fn all(shares: &mut Shares, n: usize) -> usize {
        (0..).find(|_| shares.take(account(n)) == Err(Error::ENFILE)).unwrap()
    }
    #[test]
    fn who_takes_all_it_can_leaves_half_and_what_is_kept() {
        let mut shares = Shares::new();
        assert_eq!(all(&mut shares, 1), KEPT + COMMON / 2);
        assert_eq!(all(&mut shares, 2), KEPT + COMMON / 4);
        shares.give_back(account(2));
        assert_eq!(all(&mut shares, 2), 1, "what it has given back it may have again");
    }
    #[test]
    fn however_many_take_all_they_can_each_has_what_is_kept_for_it() {
        let mut shares = Shares::new();
        let sum: usize = (0..ACCOUNTS).map(|n| all(&mut shares, n)).inspect(|&own| assert!(own >= KEPT)).sum();
        assert!(sum <= PIPES);
    }
}
