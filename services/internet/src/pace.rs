//! How often the stack is looked at because a time has come: never without a wait between, whatever it says is due.
//!
//! The bound belongs to the loop that looks and not to what it looks at: a time in the past that stays there, as a fault of a library has it, costs looks that become
//! rarer and rarer, and not the processor; and who looks sleeps as long as the look took, whoever wakes it.

use smoltcp::time::{Duration, Instant};

/// Shortest wait between two looks, and longest where what was due stays due.
const SHORTEST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(128);

/// When to look again.
#[derive(Default)]
pub struct Pace {
    held: Duration,
}
impl Pace {
    /// After a look at `now`, after which something is due at `due`: when the next one is. What was due before and still is waits longer each time.
    pub fn next(&mut self, due: Option<Instant>, now: Instant) -> Option<Instant> {
        let due = due?;
        if due > now {
            self.held = Duration::ZERO;
            return Some(due.max(now + SHORTEST));
        }
        self.held = (self.held * 2).clamp(SHORTEST, LONGEST);
        Some(now + self.held)
    }
}
/// What who looks knows, and waits for.
#[derive(Clone, Copy)]
pub struct Watched {
    /// When it looks again.
    pub until: Instant,
    /// When it has looked and something stayed due, if something did.
    pub held: Option<Instant>,
}
/// When who looks is to look, if that is earlier than it would, where something is due at `due`. What was due when it looked it knows already.
pub fn earlier(due: Option<Instant>, watched: Watched, now: Instant) -> Option<Instant> {
    let due = due.filter(|&due| watched.held.is_none_or(|held| due > held))?.max(now + SHORTEST);
    (due < watched.until).then_some(due)
}
/// Until when there is no other look after one that was from `began` to `ended`.
pub fn rest(began: Instant, ended: Instant) -> Instant {
    ended + (ended - began).max(SHORTEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_due_is_looked_at_more_and_more_rarely() {
        let mut pace = Pace::default();
        let (mut now, mut looks) = (Instant::from_secs(100), 0);
        while now < Instant::from_secs(110) {
            now = pace.next(Some(Instant::from_secs(12)), now).unwrap();
            looks += 1;
        }
        assert!(looks < 100, "{looks}");
        // What is due in time is looked at in time again.
        let due = now + Duration::from_millis(5);
        assert_eq!(pace.next(Some(due), now), Some(due));
        assert_eq!(pace.next(Some(now), now), Some(now + SHORTEST));
    }
    #[test]
    fn no_two_looks_are_without_a_wait_between() {
        let now = Instant::from_secs(5);
        for due in [Instant::ZERO, now, now + Duration::from_micros(1)] {
            assert!(Pace::default().next(Some(due), now).unwrap() >= now + SHORTEST);
            let watched = Watched { until: now + LONGEST, held: None };
            assert!(earlier(Some(due), watched, now).unwrap() >= now + SHORTEST);
            assert_eq!(earlier(None, watched, now), None);
        }
        assert_eq!(Pace::default().next(None, now), None);
        let [short, long] = [1, 40].map(Duration::from_millis);
        assert_eq!([now, now + short, now + long].map(|end| rest(now, end) - end), [SHORTEST, short, long]);
    }
    #[test]
    fn who_looks_is_not_called_for_what_it_knows() {
        let (looked, now) = (Instant::from_secs(5), Instant::from_secs(6));
        let until = now + LONGEST;
        let call = |due, held| earlier(Some(due), Watched { until, held }, now);
        assert_eq!(call(Instant::ZERO, None), Some(now + SHORTEST));
        assert_eq!(call(Instant::ZERO, Some(looked)), None);
        assert_eq!(call(looked, Some(looked)), None);
        assert_eq!(call(now + SHORTEST * 2, Some(looked)), Some(now + SHORTEST * 2));
        assert_eq!(call(until, None), None);
    }
}
