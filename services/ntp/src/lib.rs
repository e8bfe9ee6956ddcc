//! What is done about a difference that a server of NTP tells of, and when it is asked again. Free of portals, so that the host tests it.
#![cfg_attr(not(test), no_std)]

/// Microseconds that the clock may be put forward or back by, once it was set: a server that says more is wrong, or is none (RFC 5905's
/// reference implementation calls it the panic threshold).
pub const MOST: u64 = 1_000_000_000;
/// Microseconds from which on it is said that the clock was set.
pub const WORTH_SAYING: u64 = 1_000_000;

/// Whether the clock is right, as far as is known.
#[derive(Default)]
pub struct Trust {
    set: bool,
}
/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Have the clock say so many nanoseconds since 1970.
    Set(u64),
    /// Leave it: the server is too far off.
    Refuse,
}
impl Trust {
    /// The clock says `now`, in nanoseconds, and the server is `offset` microseconds ahead.
    pub fn decide(&mut self, now: u64, offset: i64) -> Decision {
        if self.set && offset.unsigned_abs() > MOST {
            return Decision::Refuse;
        }
        match offset.checked_mul(1000).and_then(|nanoseconds| now.checked_add_signed(nanoseconds)) {
            Some(time) if time <= i64::MAX as u64 => {
                self.set = true;
                Decision::Set(time)
            }
            _ => Decision::Refuse,
        }
    }
}

/// Seconds until a server is asked again that has not answered, for the first time and, each time twice as many, in the end (but for longer periods).
const FIRST: u64 = 10;
const LAST: u64 = 1024;
/// Seconds of the longest period that a server can ask for (`MAXPOLL` of RFC 5905: 2^17).
const LONGEST: u64 = 1 << 17;

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered,
    /// Nothing that can be used.
    Nothing,
    /// The server is asked too often (kiss code RATE).
    TooOften,
    /// It is not to be asked at all (DENY, RSTR).
    Denied,
}
/// When a server is asked (RFC 5905, sections 7.4 and 13; RFC 4330, section 10).
#[derive(Debug)]
pub struct Pace {
    /// Seconds between two questions that are answered.
    period: u64,
    /// Those of the first wait for a server that does not answer, and of the next one.
    first: u64,
    again: u64,
}
impl Pace {
    /// With a period of so many seconds, at least one.
    pub fn new(period: u32) -> Pace {
        let period = u64::from(period.max(1));
        let first = period.min(FIRST);
        Pace { period, first, again: first }
    }
    /// Seconds until the next question; `None`: there is none any more.
    pub fn after(&mut self, outcome: Outcome) -> Option<u64> {
        match outcome {
            Outcome::Denied => return None,
            Outcome::Answered => self.again = self.first,
            // From then on it may say nothing where it is asked too often: that is no reason to ask more often.
            Outcome::TooOften => {
                self.period = (self.period * 2).min(LONGEST.max(self.period));
                (self.first, self.again) = (self.period, self.period);
            }
            Outcome::Nothing => {
                let wait = self.again;
                self.again = (wait * 2).min(LAST.max(self.period));
                return Some(wait);
            }
        }
        Some(self.period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn waits(pace: &mut Pace, outcome: Outcome, count: usize) -> Vec<u64> {
        (0..count).filter_map(|_| pace.after(outcome)).collect()
    }
    #[test]
    fn who_does_not_answer_is_asked_less_and_less() {
        let mut pace = Pace::new(1024);
        assert_eq!(waits(&mut pace, Outcome::Nothing, 9), [10, 20, 40, 80, 160, 320, 640, 1024, 1024]);
        assert_eq!(pace.after(Outcome::Answered), Some(1024));
        assert_eq!(pace.after(Outcome::Nothing), Some(10));
        // Neither more often than who answers, nor, where that is seldom, at last more often.
        assert_eq!(waits(&mut Pace::new(1), Outcome::Nothing, 4), [1, 2, 4, 8]);
        assert_eq!(waits(&mut Pace::new(100_000), Outcome::Nothing, 20).last(), Some(&100_000));
    }
    #[test]
    fn who_is_asked_too_often_is_asked_half_as_often_for_good() {
        let mut pace = Pace::new(64);
        assert_eq!(waits(&mut pace, Outcome::TooOften, 2), [128, 256]);
        assert_eq!(pace.after(Outcome::Answered), Some(256));
        assert_eq!(waits(&mut pace, Outcome::TooOften, 20).last(), Some(&LONGEST));
        // Nor more often because it is silent.
        let mut silent = Pace::new(1024);
        assert_eq!(silent.after(Outcome::TooOften), Some(2048));
        assert_eq!(waits(&mut silent, Outcome::Nothing, 2), [2048; 2]);
        let mut longest = Pace::new(u32::MAX);
        assert_eq!(longest.after(Outcome::TooOften), Some(u64::from(u32::MAX)));
    }
    #[test]
    fn who_denies_is_asked_no_more() {
        assert_eq!(Pace::new(1024).after(Outcome::Denied), None);
    }
    #[test]
    fn the_first_difference_is_believed_and_a_large_one_behind_it_is_not() {
        let mut trust = Trust::default();
        assert_eq!(trust.decide(5, 2_000_000_000), Decision::Set(2_000_000_000_005));
        assert_eq!(trust.decide(0, MOST as i64 + 1), Decision::Refuse);
        assert_eq!(trust.decide(1 << 60, -(MOST as i64) - 1), Decision::Refuse);
        assert_eq!(trust.decide(5_000, -5), Decision::Set(0));
    }
    #[test]
    fn a_time_before_1970_or_behind_2262_is_none() {
        for offset in [-2, i64::MIN, i64::MAX, i64::MAX / 1000] {
            assert_eq!(Trust::default().decide(1_000, offset), Decision::Refuse);
        }
    }
}
