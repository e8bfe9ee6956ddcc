//! Components that are on trial: each is to run for so long, or to come to its end by itself, without failing.

use crate::Version;
use abi::Error;
use abi::updating::ImageState;
use alloc::boxed::Box;
use alloc::vec::Vec;
use fallible::TryPush;

/// One trial.
struct Trial {
    name: Box<str>,
    version: Version,
    /// When it is over; `None`: the component does not run. Where it has failed: when that is said again.
    until: Option<u64>,
    /// That it runs was said, or is not to be.
    counted: bool,
    /// It ran by itself when it got the version.
    ran: bool,
    failed: bool,
}
/// What has become of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The component runs for the first time in it.
    Begins,
    /// It is over: the component has run for long enough, or to its end.
    Holds,
    /// It is over: the component has failed. `true`: it ran by itself when it got the version.
    Fails(bool),
}
/// All trials, at most one of a component.
pub struct Trials {
    all: Vec<Trial>,
    /// How long one lasts.
    last: u64,
}
impl Trials {
    pub const fn new() -> Trials {
        Trials { all: Vec::new(), last: 0 }
    }
    /// Each lasts so long from now on, in units of the time that [`Trials::look`] is told.
    pub fn last(&mut self, time: u64) {
        self.last = time;
    }
    /// A component has that version, and is on trial as soon as it runs, which is said where it is not `counted`; `ran`: it ran by itself until then. What is known of another trial of it is forgotten. `ENOMEM`: it is not looked after.
    pub fn begin(&mut self, name: &str, version: Version, counted: bool, ran: bool) -> Result<(), Error> {
        self.push(Trial { name: fallible::text(name)?, version, until: None, counted, ran, failed: false })
    }
    /// A component that has failed in that version is to be said to have failed once more, at that time. `ENOMEM`.
    pub fn fails_again(&mut self, name: &str, version: Version, ran: bool, at: u64) -> Result<(), Error> {
        self.push(Trial { name: fallible::text(name)?, version, until: Some(at), counted: true, ran, failed: true })
    }
    fn push(&mut self, trial: Trial) -> Result<(), Error> {
        self.end(&trial.name);
        self.all.try_push(trial)
    }
    /// A component is on trial no more.
    pub fn end(&mut self, name: &str) {
        self.all.retain(|trial| *trial.name != *name);
    }
    /// Something that has become of one by `now`; one that is over is forgotten. `state` is what is told of a component's image. Who does not run is on trial still, and begins anew.
    pub fn look(&mut self, now: u64, state: impl Fn(&str) -> Option<ImageState>) -> Option<(Box<str>, Version, What)> {
        for place in 0..self.all.len() {
            let trial = &mut self.all[place];
            let what = if trial.failed {
                (trial.until <= Some(now)).then_some(What::Fails(trial.ran))
            } else {
                trial.look(now, self.last, &state)
            };
            match what {
                None => {}
                Some(What::Begins) => {
                    let name = fallible::text(&trial.name).ok()?;
                    trial.counted = true;
                    return Some((name, trial.version, What::Begins));
                }
                Some(what) => {
                    let Trial { name, version, .. } = self.all.swap_remove(place);
                    return Some((name, version, what));
                }
            }
        }
        None
    }
}
impl Trial {
    fn look(&mut self, now: u64, last: u64, state: &impl Fn(&str) -> Option<ImageState>) -> Option<What> {
        // What is told of another version is not of this trial.
        let state = state(&self.name).filter(|state| state.version == self.version)?;
        if state.failures > 0 {
            return Some(What::Fails(self.ran));
        }
        if state.ends > 0 {
            return Some(What::Holds);
        }
        if state.running == 0 {
            self.until = None;
            return None;
        }
        let until = *self.until.get_or_insert(now + last);
        if !self.counted { Some(What::Begins) } else { (now >= until).then_some(What::Holds) }
    }
}
impl Default for Trials {
    fn default() -> Trials {
        Trials::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUNS: ImageState = ImageState { version: 7, running: 1, failures: 0, ends: 0 };

    /// A trial of version 7 of `web` that lasts 10.
    fn begun() -> Trials {
        let mut trials = Trials::new();
        trials.last(10);
        trials.begin("web", 7, true, true).unwrap();
        trials
    }
    fn look(trials: &mut Trials, now: u64, state: ImageState) -> Option<What> {
        trials.look(now, |_| Some(state)).map(|(name, version, what)| {
            assert_eq!((&*name, version), ("web", 7));
            what
        })
    }
    #[test]
    fn who_runs_for_long_enough_holds() {
        let mut trials = begun();
        assert_eq!(look(&mut trials, 100, RUNS), None);
        assert_eq!(look(&mut trials, 109, RUNS), None);
        assert_eq!(look(&mut trials, 110, RUNS), Some(What::Holds));
        assert_eq!(look(&mut trials, 111, ImageState { failures: 1, ..RUNS }), None, "it is said once");
    }
    #[test]
    fn who_has_failed_fails_whether_he_runs_again_or_not() {
        for running in [0, 1] {
            for ends in [0, 1] {
                let state = ImageState { running, failures: 1, ends, ..RUNS };
                assert_eq!(look(&mut begun(), 200, state), Some(What::Fails(true)));
            }
        }
    }
    #[test]
    fn who_has_come_to_his_end_holds() {
        assert_eq!(look(&mut begun(), 100, ImageState { running: 0, ends: 1, ..RUNS }), Some(What::Holds));
    }
    #[test]
    fn who_does_not_run_is_on_trial_when_he_does() {
        let mut trials = begun();
        trials.begin("web", 7, false, true).unwrap();
        let none = ImageState { running: 0, ..RUNS };
        assert_eq!(look(&mut trials, 200, none), None);
        assert_eq!(look(&mut trials, 300, RUNS), Some(What::Begins));
        assert_eq!(look(&mut trials, 309, RUNS), None);
        assert_eq!(look(&mut trials, 310, none), None);
        assert_eq!(look(&mut trials, 320, RUNS), None, "that is said once");
        assert_eq!(look(&mut trials, 330, RUNS), Some(What::Holds));
    }
    #[test]
    fn another_version_that_runs_is_no_trial() {
        let mut trials = begun();
        for other in [ImageState { version: 5, ..RUNS }, ImageState { version: 0, failures: 3, ends: 1, ..RUNS }] {
            assert_eq!(look(&mut trials, 100, other), None);
            assert_eq!(look(&mut trials, 200, other), None);
        }
        assert_eq!(look(&mut trials, 300, RUNS), None);
        assert_eq!(look(&mut trials, 310, RUNS), Some(What::Holds));
    }
    #[test]
    fn there_is_one_of_a_component_and_none_where_it_was_taken_back() {
        let mut trials = begun();
        assert_eq!(look(&mut trials, 100, RUNS), None);
        trials.begin("web", 7, true, true).unwrap();
        assert_eq!(look(&mut trials, 112, RUNS), None);
        trials.end("web");
        assert_eq!(look(&mut trials, 500, RUNS), None);
    }
    #[test]
    fn what_could_not_be_taken_back_fails_again() {
        let mut trials = begun();
        trials.fails_again("web", 7, true, 50).unwrap();
        assert_eq!(look(&mut trials, 49, RUNS), None);
        assert_eq!(look(&mut trials, 50, RUNS), Some(What::Fails(true)));
        assert_eq!(look(&mut trials, 51, RUNS), None);
    }
    #[test]
    fn each_of_several_is_looked_at() {
        let mut trials = begun();
        trials.begin("clock", 1, true, true).unwrap();
        let state = |name: &str| match name {
            "web" => None,
            _ => Some(ImageState { version: 1, failures: 1, ..RUNS }),
        };
        assert_eq!(trials.look(101, state), Some(("clock".into(), 1, What::Fails(true))));
        assert_eq!(trials.look(101, state), None);
    }
}
