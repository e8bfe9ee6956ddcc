//! Which ends start a component again, how often and how soon (`restart` and `restarts` of its block in the manifest).

use abi::supervision::{Condition, State};
use abi::system::{Ended, ended};
use manifest::{Restart, Restarts as Limits};

/// What a program ends with that a signal has ended, less the signal's number; and the signals that say of themselves that the program is wrong, by
/// [the C library's numbers](https://sourceware.org/newlib/libc.html#Signals): SIGILL, SIGTRAP, SIGABRT, SIGEMT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS.
const SIGNALLED: i64 = 128;
const FAULTS: [i64; 8] = [4, 5, 6, 7, 8, 10, 11, 12];

/// Whether a component that has ended so has failed, rather than come to its end: who calls `abort` has.
pub fn has_failed(how: &Ended) -> bool {
    how.kind != ended::EXIT || FAULTS.contains(&how.status.wrapping_sub(SIGNALLED))
}
/// Whether a component of which that is said is started again when it has ended so.
pub fn starts_again(restart: Restart, how: &Ended) -> bool {
    match restart {
        Restart::Never => false,
        Restart::Fault => has_failed(how),
        Restart::Always => true,
    }
}

const MOST: usize = Limits::MOST as usize;

/// What one component's starts were, in any unit of time of which so many are a millisecond.
#[derive(Clone, Copy, Default)]
pub struct Restarts {
    /// When it was started again, within a period.
    within: [Option<u64>; MOST],
    /// When it was started again the last time, and how many times without a quiet period between.
    last: u64,
    in_a_row: u32,
    /// It was started that often, whoever had it started.
    starts: u32,
    /// It was started again too often, and nobody has started it since.
    stays_ended: bool,
}
impl Restarts {
    /// How long the pause is before it is started again, where it has ended at `now`. `None`: it stays ended, since that would be too often.
    pub fn pause(&mut self, now: u64, limits: &Limits, millisecond: u64) -> Option<u64> {
        let units = |milliseconds: u32| milliseconds as u64 * millisecond;
        let period = units(limits.period);
        self.within.iter_mut().for_each(|start| _ = start.take_if(|at| now.saturating_sub(*at) >= period));
        if now.saturating_sub(self.last) >= period {
            self.in_a_row = 0;
        }
        let most = limits.intensity.min(Limits::MOST) as usize;
        let place = self.within.iter_mut().take(most).find(|start| start.is_none());
        let Some(place) = place else {
            self.stays_ended = true;
            return None;
        };
        let doubled = |times: u32| units(limits.pause).saturating_mul(1u64 << times).min(units(limits.longest_pause));
        let pause = self.in_a_row.checked_sub(1).map_or(0, |times| doubled(times.min(MOST_DOUBLED)));
        let at = now.saturating_add(pause);
        *place = Some(at);
        self.last = at;
        self.in_a_row = self.in_a_row.saturating_add(1);
        Some(pause)
    }
    /// It was started, by whomever.
    pub fn started(&mut self) {
        self.starts = self.starts.wrapping_add(1);
        self.stays_ended = false;
    }
    /// Somebody has it started who looks after the system: what was before does not count.
    pub fn forget(&mut self) {
        *self = Restarts { starts: self.starts, stays_ended: self.stays_ended, ..Restarts::default() };
    }
    /// What is told of it, which `runs`, or is to be started again.
    pub fn state(&self, runs: bool, again: bool) -> State {
        let condition = match (runs, again) {
            (true, _) => Condition::Runs,
            (_, true) => Condition::StartsAgain,
            _ if self.stays_ended => Condition::StaysEnded,
            _ => Condition::Ended,
        };
        State::new(condition, self.starts)
    }
}
/// A pause that is doubled so often is beyond the longest.
const MOST_DOUBLED: u32 = 32;

#[cfg(test)]
mod tests {
    use super::*;

    fn exit(status: i64) -> Ended {
        Ended { kind: ended::EXIT, status, ..Ended::default() }
    }
    /// The pauses of a component that ends so long after each start, until it stays ended, `most` at most.
    fn pauses(limits: &Limits, lives: u64, most: usize) -> Vec<u64> {
        let (mut restarts, mut now) = (Restarts::default(), lives);
        let pauses = core::iter::from_fn(|| {
            let pause = restarts.pause(now, limits, 1)?;
            now += pause + lives;
            Some(pause)
        });
        pauses.take(most).collect()
    }
    #[test]
    fn who_aborts_has_failed_and_who_ends_has_not() {
        let again = |how: &Ended| starts_again(Restart::Fault, how);
        assert!(again(&exit(134)) && again(&exit(139)));
        assert!([0, 1, 6, 126, 127, 128, 130, 137, 141, 143, -6].iter().all(|&status| !again(&exit(status))));
        let ends = [ended::FAULT, ended::KILLED].map(|kind| Ended { kind, ..Ended::default() });
        assert!(ends.iter().all(again));
        assert!(ends.iter().all(|how| !starts_again(Restart::Never, how)));
    }
    #[test]
    fn who_is_always_started_again_is_after_a_success_too() {
        assert!([0, 1, 134].iter().all(|&status| starts_again(Restart::Always, &exit(status))));
    }
    #[test]
    fn a_component_that_keeps_failing_stays_ended() {
        assert_eq!(pauses(&Limits::default(), 1, 99), [0, 10, 20, 40, 80]);
        let twice = Limits { intensity: 2, ..Limits::default() };
        assert_eq!(pauses(&twice, 1, 99), [0, 10]);
    }
    #[test]
    fn a_pause_grows_to_the_longest_one_and_the_component_is_not_given_up() {
        let limits = Limits { intensity: 4, period: 1_000, pause: 200, longest_pause: 500 };
        // Five of these starts never lie within a second.
        assert_eq!(pauses(&limits, 1, 9), [0, 200, 400, 500, 500, 500, 500, 500, 500]);
    }
    #[test]
    fn a_pause_longer_than_a_period_is_no_quiet_period() {
        let limits = Limits { intensity: 1, period: 100, pause: 150, longest_pause: 900 };
        // What is decided is that it starts later: the time until then is none that it has run.
        assert_eq!(pauses(&limits, 1, 9), [0]);
        let limits = Limits { intensity: 3, ..limits };
        assert_eq!(pauses(&limits, 1, 6), [0, 150, 300, 600, 900, 900]);
    }
    #[test]
    fn after_a_quiet_period_the_pause_is_none_again() {
        let limits = Limits { intensity: 16, ..Limits::default() };
        let mut restarts = Restarts::default();
        assert_eq!([1, 2, 20].map(|now| restarts.pause(now, &limits, 1)), [Some(0), Some(10), Some(20)]);
        assert_eq!(restarts.pause(40 + limits.period as u64 - 1, &limits, 1), Some(40));
        let quiet = 40 + limits.period as u64 - 1 + 40 + limits.period as u64;
        assert_eq!(restarts.pause(quiet, &limits, 1), Some(0));
    }
    #[test]
    fn the_longest_limits_overflow_nothing() {
        let longest = Limits { intensity: 16, period: u32::MAX, pause: u32::MAX, longest_pause: u32::MAX };
        let mut restarts = Restarts::default();
        assert_eq!(restarts.pause(u64::MAX, &longest, u64::MAX >> 32), Some(0));
        assert!(restarts.pause(u64::MAX, &longest, u64::MAX >> 32).is_some());
        let none = Limits { intensity: u8::MAX, period: 0, pause: 0, longest_pause: 0 };
        assert_eq!(pauses(&none, 0, 99), [0; 99]);
    }
    #[test]
    fn what_is_told_is_what_it_does_and_how_often_it_was_started() {
        let once = Limits { intensity: 1, ..Limits::default() };
        let mut restarts = Restarts::default();
        let told = |r: &Restarts, runs, again| (r.state(runs, again).condition(), r.state(runs, again).starts());
        assert_eq!(told(&restarts, false, false), (Condition::Ended, 0));
        restarts.started();
        assert_eq!(told(&restarts, true, false), (Condition::Runs, 1));
        assert_eq!(restarts.pause(1, &once, 1), Some(0));
        assert_eq!(told(&restarts, false, true), (Condition::StartsAgain, 1));
        restarts.started();
        assert_eq!(restarts.pause(2, &once, 1), None);
        assert_eq!(told(&restarts, false, false), (Condition::StaysEnded, 2));
        restarts.forget();
        restarts.started();
        assert_eq!(told(&restarts, true, false), (Condition::Runs, 3));
        assert_eq!(restarts.pause(3, &once, 1), Some(0));
    }
}
