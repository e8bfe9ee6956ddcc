//! How often a component may be started again: five times in ten seconds.

use alloc::vec::Vec;

const STARTS: usize = 5;

/// The last restarts of one component, in any unit of time.
#[derive(Default)]
pub struct Restarts(Vec<u64>);
impl Restarts {
    /// Whether it may be started once more at `now`, when at most five starts may lie within `span`.
    pub fn allowed(&mut self, now: u64, span: u64) -> bool {
        self.0.retain(|&at| now.saturating_sub(at) < span);
        let allowed = self.0.len() < STARTS;
        if allowed {
            self.0.push(now);
        }
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_component_that_keeps_failing_is_given_up() {
        let mut r = Restarts::default();
        assert!((0..5).all(|n| r.allowed(n, 100)));
        assert!(!r.allowed(50, 100));
        assert!(r.allowed(101, 100));
    }
}
