//! How often a component may be started again: five times in ten seconds.

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
    fn a_component_that_keeps_failing_is_given_up() {
        let mut r = Restarts::default();
        assert!((0..5).all(|n| r.allowed(n, 100)));
        assert!(!r.allowed(50, 100));
        assert!(r.allowed(101, 100));
    }
}
