//! The processor's time, by accounts: which of them have had their share of the present period.
//!
//! Nothing on the way from one thread to the next counts anything. As long as the hart is not idle, the timer's interrupt looks
//! who runs, at moments that nobody can know before, [`SHORTEST`] apart or up to four times as much, and charges that thread's
//! account with the time since the last look. So what an account is charged is, over some periods, what it has had,
//! and who would wait just before each look can not: it follows from the cycle counter at the look before.
//!
//! An account that has had its share while threads of others wait is *spent*, until the period ends. What that means for its
//! threads is the scheduler's ([`crate::scheduler`]): they are demoted.

use abi::account::{ACCOUNTS, Share};
use abi::nucleus::MAX_THREADS;

/// In units of `time`: 100 ms at the 10 MHz of QEMU's `virt`.
pub const PERIOD: u64 = 1_000_000;
/// From one look to the next at least (2 ms), and at most that and [`SPREAD`].
pub const SHORTEST: u64 = 20_000;
pub const SPREAD: u64 = 65_536;
/// What all accounts with a limit have of a period together. Then each is spent that has half of an even part, or more, of what those have had
/// that are not spent yet: of what is left to others at least.
const TOGETHER: u64 = PERIOD * 9 / 10;
const OTHERS: u64 = PERIOD - TOGETHER;
/// Who usually has less is not counted among those who share it.
const LITTLE: u32 = PERIOD as u32 / 200;
/// Periods after which nothing is left of what was usual.
const FORGOTTEN: u64 = 8;
/// All of a period, in percent.
const ALL: usize = Share::ALL.percent();
const _: () = assert!(ACCOUNTS <= u32::BITS as usize);

/// All zeros at the start: nobody has a limit.
pub struct Processor {
    /// By the index of a thread.
    accounts: [u8; MAX_THREADS],
    /// By the same: what it has had, as looks have found it, in units of `time`, modulo 2³².
    had: [u32; MAX_THREADS],
    /// In percent of a period; 0: no limit.
    shares: [u8; ACCOUNTS],
    /// One more than the highest account that has had a limit.
    accounts_end: usize,
    /// In units of `time`, of this period, which is `period`, and of the one before.
    used: [[u32; ACCOUNTS]; 2],
    period: usize,
    /// Of a period, over the last few: a quarter is of the one before this.
    usual: [u32; ACCOUNTS],
    /// Of this period, of all that have a limit, while they were not spent: what they have then, others have left.
    all: u32,
    /// A bit for each account.
    spent: u32,
    end: u64,
    /// Of the last look.
    since: u64,
    mixed: u64,
}

impl Processor {
    pub const fn new() -> Processor {
        Processor {
            accounts: [0; MAX_THREADS],
            had: [0; MAX_THREADS],
            shares: [0; ACCOUNTS],
            accounts_end: 0,
            used: [[0; ACCOUNTS]; 2],
            period: 0,
            usual: [0; ACCOUNTS],
            all: 0,
            spent: 0,
            end: 0,
            since: 0,
            mixed: 0,
        }
    }
    /// Whether anybody has a limit.
    pub fn has_limits(&self) -> bool {
        self.shares.iter().any(|&share| share != 0)
    }
    /// `account`, if it is one, may have that share of each period, while others wait.
    pub fn limit(&mut self, account: usize, share: Share) {
        if let Some(limit) = self.shares.get_mut(account) {
            *limit = if share == Share::ALL { 0 } else { share.percent() as u8 };
            self.accounts_end = self.accounts_end.max(account + 1);
        }
    }
    /// The thread with index `thread` is `account`'s.
    pub fn assign(&mut self, thread: usize, account: usize) {
        self.accounts[thread % MAX_THREADS] = (account % ACCOUNTS) as u8;
    }
    pub fn account(&self, thread: usize) -> usize {
        self.accounts[thread % MAX_THREADS] as usize % ACCOUNTS
    }
    /// A look finds that the thread with that index runs: it has had what has passed since the last one. Before [`Processor::charge`].
    pub fn see(&mut self, now: u64, thread: usize) {
        let had = &mut self.had[thread % MAX_THREADS];
        *had = had.wrapping_add(now.saturating_sub(self.since).min(PERIOD) as u32);
    }
    /// What the thread with that index has had, and those that had the index before, modulo 2³².
    pub fn had(&self, thread: usize) -> u32 {
        self.had[thread % MAX_THREADS]
    }
    /// Whether threads of `account` are demoted.
    pub fn is_spent(&self, account: usize) -> bool {
        self.spent >> (account % ACCOUNTS) & 1 != 0
    }
    /// What `account` has had of the last whole period, in percent.
    pub fn used(&self, account: usize, now: u64) -> usize {
        let of =
            |period: usize| self.used[period % 2].get(account).map_or(0, |&time| time as usize * ALL / PERIOD as usize);
        match now.checked_sub(self.end) {
            None => of(self.period + 1),
            // Nobody has looked since: the hart was idle.
            Some(later) if later < PERIOD => of(self.period),
            Some(_) => 0,
        }
        .min(ALL)
    }
    /// Looks begin, after a time when nothing ran → whether nobody is spent any more who was.
    pub fn begin(&mut self, now: u64) -> bool {
        self.since = now;
        self.turn(now)
    }
    /// `account` has run since the last look → whether nobody is spent any more who was.
    pub fn charge(&mut self, now: u64, account: usize) -> bool {
        let had = now.saturating_sub(self.since).min(PERIOD) as u32;
        let used = &mut self.used[self.period % 2][account % ACCOUNTS];
        *used = used.saturating_add(had);
        if self.has_limit(account) && !self.is_spent(account) {
            self.all = self.all.saturating_add(had);
        }
        self.since = now;
        self.turn(now)
    }
    /// Whether `account` is to be spent, if others wait.
    pub fn is_over(&self, account: usize) -> bool {
        self.is_over_part(account, self.part())
    }
    fn is_over_part(&self, account: usize, part: u32) -> bool {
        if !self.has_limit(account) || self.is_spent(account) {
            return false;
        }
        let (used, usual) = (self.used[self.period % 2][account % ACCOUNTS], self.usual[account % ACCOUNTS]);
        let own = PERIOD * u64::from(self.shares[account % ACCOUNTS]) / ALL as u64;
        u64::from(used) >= own || usual.max(used / 2) >= part
    }
    /// How much is not little any more: while there is enough for all, all.
    fn part(&self) -> u32 {
        if !self.is_tight() {
            return u32::MAX;
        }
        let shares_it = |&account: &usize| {
            self.has_limit(account) && !self.is_spent(account) && self.usual[account % ACCOUNTS] >= LITTLE
        };
        let (had, who) = (0..self.accounts_end).filter(shares_it).fold((0, 0), |(had, who), account| {
            (self.used[self.period % 2][account % ACCOUNTS].saturating_add(had), who + 1)
        });
        had.max(OTHERS as u32) / 2 / who.max(1)
    }
    /// `account` is spent until the period ends, and where all together have had what they may have, each that is to be.
    pub fn spend(&mut self, account: usize) {
        let part = self.part();
        self.spent |= 1 << (account % ACCOUNTS);
        if !self.is_tight() {
            return;
        }
        let over = (0..self.accounts_end).filter(|&account| self.is_over_part(account, part));
        self.spent |= over.fold(0, |all, account| all | 1 << account);
    }
    /// The moment of the look after one at `now`.
    pub fn next(&mut self, now: u64, cycles: u64) -> u64 {
        self.mixed = (self.mixed ^ cycles).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        let apart = SHORTEST + self.mixed % SPREAD;
        // Who has not been seen yet in the tenth that is left to others is to be seen before that is over.
        now.saturating_add(if self.is_tight() { apart / 8 } else { apart })
    }
    /// Begins a period if the last one is over → whether anybody was spent in that.
    fn turn(&mut self, now: u64) -> bool {
        if now < self.end {
            return false;
        }
        let is_long_ago = now - self.end >= FORGOTTEN * PERIOD;
        self.end = now.saturating_add(PERIOD);
        self.all = 0;
        for (usual, used) in self.usual[..self.accounts_end.min(ACCOUNTS)].iter_mut().zip(&self.used[self.period % 2]) {
            *usual = if is_long_ago { 0 } else { *usual - *usual / 4 + *used / 4 };
        }
        self.period ^= 1;
        self.used[self.period % 2] = [0; ACCOUNTS];
        core::mem::take(&mut self.spent) != 0
    }
    fn has_limit(&self, account: usize) -> bool {
        self.shares.get(account).is_some_and(|&share| share != 0)
    }
    /// Whether accounts that have a limit have had all of this period that they may have together.
    fn is_tight(&self) -> bool {
        u64::from(self.all) >= TOGETHER
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Accounts 1 and so on have these shares.
    fn with(shares: &[usize]) -> Processor {
        let mut processor = Processor::new();
        for (n, &share) in shares.iter().enumerate() {
            processor.limit(n + 1, Share::of(share).unwrap());
        }
        processor.begin(0);
        processor
    }
    /// A look, while others wait → whether `account` becomes spent, or nobody is any more.
    fn look(processor: &mut Processor, now: u64, account: usize) -> bool {
        let changed = processor.charge(now, account);
        let is_over = processor.is_over(account);
        if is_over {
            processor.spend(account);
        }
        changed || is_over
    }
    #[test]
    fn an_account_is_spent_from_its_share_on_until_the_period_ends() {
        let mut processor = with(&[30, 30]);
        assert!(!look(&mut processor, PERIOD * 29 / 100, 1) && !processor.is_spent(1));
        assert!(look(&mut processor, PERIOD * 30 / 100, 1) && processor.is_spent(1) && !processor.is_spent(2));
        assert!(!look(&mut processor, PERIOD * 40 / 100, 1), "it was already");
        assert!(look(&mut processor, PERIOD, 2) && !processor.is_spent(1));
        assert_eq!([1, 2].map(|account| processor.used(account, PERIOD + 1)), [40, 60]);
    }
    #[test]
    fn who_has_no_limit_is_never_spent() {
        let mut processor = with(&[100, 30]);
        assert!(!look(&mut processor, PERIOD * 99 / 100, 1));
        assert!(with(&[99]).has_limits() && !with(&[100]).has_limits() && !with(&[]).has_limits());
    }
    /// So many percent of a period each of accounts 1 and so on.
    fn period(processor: &mut Processor, number: u64, had: &[u64]) {
        let mut now = number * PERIOD;
        processor.begin(now);
        for (n, percent) in had.iter().enumerate() {
            now += PERIOD * percent / 100;
            look(processor, now, n + 1);
        }
    }
    #[test]
    fn many_that_keep_within_their_shares_leave_a_tenth_together() {
        let mut processor = with(&[20; 9]);
        for number in 0..8 {
            period(&mut processor, number, &[10; 9]);
        }
        assert!((1..10).all(|account| processor.is_spent(account)), "at nine tenths, and all of them");
        assert!(processor.next(0, 5) < (SHORTEST + SPREAD) / 8);
    }
    #[test]
    fn who_takes_what_another_leaves_leaves_a_tenth() {
        let mut processor = with(&[80, 80]);
        for number in 0..8 {
            period(&mut processor, number, &[80]);
            let now = number * PERIOD + PERIOD * 89 / 100;
            assert!(!look(&mut processor, now, 2) && processor.is_spent(1), "period {number}");
            assert!(look(&mut processor, now + PERIOD / 100, 2) && processor.is_spent(2), "period {number}");
        }
    }
    #[test]
    fn what_a_spent_account_has_is_nothing_of_others() {
        let mut processor = with(&[50, 80]);
        period(&mut processor, 0, &[50]);
        assert!(!look(&mut processor, PERIOD * 95 / 100, 1) && processor.is_spent(1));
        assert!(!look(&mut processor, PERIOD * 99 / 100, 2) && !processor.is_tight());
    }
    #[test]
    fn who_usually_has_little_is_not_spent_by_what_others_have() {
        let mut processor = with(&[95, 95, 95]);
        for number in 0..8 {
            period(&mut processor, number, &[48, 1, 48]);
        }
        assert!([1, 3].into_iter().all(|account| processor.is_spent(account)) && !processor.is_spent(2));
        // Seen once, at a bad moment.
        period(&mut processor, 8, &[45, 8, 45]);
        assert!([1, 3].into_iter().all(|account| processor.is_spent(account)) && !processor.is_spent(2));
    }
    #[test]
    fn who_has_most_is_spent_and_not_those_that_have_a_little_beside_it() {
        let mut processor = with(&[95, 95, 95]);
        for number in 0..8 {
            period(&mut processor, number, &[0, 6, 4, 0]);
            look(&mut processor, number * PERIOD + PERIOD * 91 / 100, 1);
        }
        assert_eq!([1, 2, 3].map(|account| processor.is_spent(account)), [true, false, false]);
    }
    #[test]
    fn what_was_usual_is_forgotten_after_a_long_time() {
        let mut processor = with(&[95, 95]);
        for number in 0..8 {
            period(&mut processor, number, &[60, 0]);
        }
        processor.begin(60 * PERIOD);
        period(&mut processor, 60, &[1, 92]);
        assert!(processor.is_spent(2) && !processor.is_spent(1));
    }
    #[test]
    fn a_time_when_nothing_ran_is_nobodys() {
        let mut processor = with(&[30]);
        processor.begin(PERIOD / 2);
        assert!(!look(&mut processor, PERIOD / 2 + 1, 1));
        assert_eq!(processor.used(1, PERIOD * 3), 0);
    }
    #[test]
    fn looks_are_two_to_nine_milliseconds_apart_and_not_evenly() {
        let mut processor = with(&[30]);
        let apart: Vec<u64> = (0..1000u64).map(|n| processor.next(0, n * 77)).collect();
        assert!(apart.iter().all(|&next| (SHORTEST..SHORTEST + SPREAD).contains(&next)));
        let buckets: std::collections::BTreeSet<u64> =
            apart.iter().map(|next| (next - SHORTEST) / (SPREAD / 16)).collect();
        assert_eq!(buckets.len(), 16);
    }
    proptest! {
        #![proptest_config(properties::config(256))]
        /// Whoever runs when nobody looks: over many periods an account is charged what it has had, give or take a twentieth of them; and each moment
        /// is charged once.
        #[test]
        fn what_is_charged_is_what_was_had(pieces in prop::collection::vec(100..9_000u64, 2..12), start in any::<u32>()) {
            let mut processor = with(&[50, 50]);
            let whole: u64 = pieces.iter().sum();
            // In turns, account 1 in the even pieces.
            let runs = |now: u64| {
                let at = now % whole;
                let mut sum = 0;
                1 + pieces.iter().position(|piece| { sum += piece; at < sum }).unwrap_or(0) % 2
            };
            let own: u64 = pieces.iter().step_by(2).sum();
            let (mut now, mut charged, mut periods, mut cycles) = (0, [0, 0], 0, u64::from(start));
            while periods < 400 {
                let (next, end) = (processor.next(now, cycles), processor.end);
                cycles = cycles.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(next);
                processor.charge(next, runs(next));
                now = next;
                if processor.end != end {
                    // A period is over: what is charged is known.
                    let used = &processor.used[(processor.period + 1) % 2];
                    charged = [charged[0] + u64::from(used[1]), charged[1] + u64::from(used[2])];
                    periods += 1;
                }
            }
            prop_assert_eq!(charged[0] + charged[1], now);
            let (is, wanted) = (charged[0] as f64 / now as f64, own as f64 / whole as f64);
            prop_assert!((is - wanted).abs() < 0.05, "{is} for {wanted}");
        }
    }
}
