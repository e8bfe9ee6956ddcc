//! Tests beside each other, as many as there are machines for.

use super::Verdict;
use super::passed::SURROUNDINGS;
use crate::inputs::{self, Inputs};
use anyhow::Result;
use std::path::PathBuf;
use std::sync::Mutex;

/// Machines that run at one time: one more than the processors that CI has, as a test often waits for a moment to pass or for its
/// machine to write.
const MACHINES: usize = 3;

/// One test, or several that share what they are made of; and what they read that nobody notes meanwhile.
pub struct Job<'a>(Box<dyn FnOnce() -> Vec<Verdict> + Send + 'a>, Inputs);
impl<'a> Job<'a> {
    /// One test that is all in a file, with the components of its system.
    pub fn of_file(name: String, file: PathBuf, test: impl FnOnce() -> Result<()> + Send + 'a) -> Job<'a> {
        Job(Box::new(|| vec![Verdict::of(name, test)]), [file].into())
    }
    /// One test, which may read whatever is in [`SURROUNDINGS`].
    pub fn of(name: String, test: impl FnOnce() -> Result<()> + Send + 'a) -> Job<'a> {
        Job::several(|| vec![Verdict::of(name, test)])
    }
    /// Several, one after another; each verdict is printed by who comes to it.
    pub fn several(tests: impl FnOnce() -> Vec<Verdict> + Send + 'a) -> Job<'a> {
        Job(Box::new(tests), SURROUNDINGS.map(PathBuf::from).into())
    }
    /// It reads this file, too.
    pub fn reading(mut self, file: PathBuf) -> Job<'a> {
        self.1.insert(file);
        self
    }
    /// Does it; what it notes is what each of its tests is made of.
    fn run(self) -> Vec<Verdict> {
        let Job(tests, read) = self;
        // Where nothing can be noted, nothing is known of it.
        let (mut verdicts, mut noted) = inputs::of(tests);
        if !noted.is_empty() {
            noted.extend(read);
        }
        verdicts.iter_mut().for_each(|verdict| verdict.inputs = noted.clone());
        verdicts
    }
}

/// Runs all of them, each kind in its order: one machine begins with those that first build for long, the others with the rest, so that what is built by one processor
/// does not hold up the others.
pub fn run(building: Vec<Job>, others: Vec<Job>) -> Vec<Verdict> {
    let left = [building, others].map(|jobs| Mutex::new(jobs.into_iter()));
    let verdicts = Mutex::new(Vec::new());
    let next = |kind: usize| left[kind].lock().unwrap().next();
    let work = |first: usize| {
        while let Some(job) = next(first).or_else(|| next(1 - first)) {
            let found = job.run();
            verdicts.lock().unwrap().extend(found);
        }
    };
    std::thread::scope(|scope| {
        for machine in 0..MACHINES {
            let work = &work;
            scope.spawn(move || work(machine.min(1)));
        }
    });
    verdicts.into_inner().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    #[test]
    fn each_job_is_run_once_and_what_became_of_it_is_kept() {
        let jobs = (0..20).map(|n| Job::of(format!("job {n}"), move || if n == 7 { bail!("seven") } else { Ok(()) }));
        let mut jobs: Vec<_> = jobs.collect();
        let others = jobs.split_off(5);
        let mut verdicts = run(jobs, others);
        verdicts.sort_by_key(|v| v.name.trim_start_matches("job ").parse::<u32>().unwrap());
        assert_eq!(verdicts.len(), 20);
        let failed: Vec<_> = verdicts.iter().filter_map(|v| Some((v.name.as_str(), v.failure.as_deref()?))).collect();
        assert_eq!(failed, [("job 7", "seven")]);
    }
    #[test]
    fn each_machine_runs_one_beside_the_others() {
        let all = std::sync::Barrier::new(MACHINES);
        let wait = || {
            all.wait();
            Ok(())
        };
        let mut jobs: Vec<_> = (0..MACHINES).map(|n| Job::of(format!("job {n}"), wait)).collect();
        let others = jobs.split_off(1);
        assert_eq!(run(jobs, others).len(), MACHINES);
    }
}
