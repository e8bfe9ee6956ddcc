//! Which ends start a component again, and how often: five times in ten seconds.

use abi::system::{Ended, ended};

/// What a program ends with that a signal has ended, less the signal's number; and the signals that say of themselves that the program is wrong, by
/// [the C library's numbers](https://sourceware.org/newlib/libc.html#Signals): SIGILL, SIGTRAP, SIGABRT, SIGEMT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS.
const SIGNALLED: i64 = 128;
const FAULTS: [i64; 8] = [4, 5, 6, 7, 8, 10, 11, 12];

/// Whether a component that has ended so has failed, rather than come to its end: who calls `abort` has.
pub fn has_failed(how: &Ended) -> bool {
    how.kind != ended::EXIT || FAULTS.contains(&how.status.wrapping_sub(SIGNALLED))
}

const STARTS: usize = 5;

/// The last restarts of one component, in any unit of time.
#[derive(Clone, Copy, Default)]
pub struct Restarts([Option<u64>; STARTS]);
impl Restarts {
    /// Whether it may be started once more at `now`, when at most five starts may lie within `span`.
    pub fn allowed(&mut self, now: u64, span: u64) -> bool {
        self.0.iter_mut().for_each(|start| _ = start.take_if(|at| now.saturating_sub(*at) >= span));
        let place = self.0.iter_mut().find(|start| start.is_none());
        place.map(|start| *start = Some(now)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn who_aborts_has_failed_and_who_ends_has_not() {
        let exit = |status| Ended { kind: ended::EXIT, status, ..Ended::default() };
        assert!(has_failed(&exit(134)) && has_failed(&exit(139)));
        assert!([0, 1, 6, 126, 127, 128, 130, 137, 141, 143, -6].iter().all(|&status| !has_failed(&exit(status))));
        let ends = [ended::FAULT, ended::KILLED].map(|kind| Ended { kind, ..Ended::default() });
        assert!(ends.iter().all(has_failed));
    }
    #[test]
    fn a_component_that_keeps_failing_is_given_up() {
        let mut r = Restarts::default();
        assert!((0..5).all(|n| r.allowed(n, 100)));
        assert!(!r.allowed(50, 100));
        assert!(r.allowed(101, 100));
    }
}
