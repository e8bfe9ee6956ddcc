//! Which alarm comes next, when several threads wait for one device. Free of hardware.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros))]

/// Most threads that wait: each holds a stack of the driver's, and of the four that it has (as every server) one is to be left for
/// those that ask for the time.
pub const WAITERS: usize = 3;

/// Threads that wait: the time each waits for, and the semaphore it waits on.
#[derive(Default)]
pub struct Alarms([Option<(u64, usize)>; WAITERS]);
impl Alarms {
    pub const fn new() -> Alarms {
        Alarms([None; WAITERS])
    }
    /// Adds a waiter. `Some(true)`: it is the first now, so the device is to be set. `None`: too many wait.
    pub fn add(&mut self, time: u64, semaphore: usize) -> Option<bool> {
        let first = self.next().is_none_or(|next| time < next);
        *self.0.iter_mut().find(|alarm| alarm.is_none())? = Some((time, semaphore));
        Some(first)
    }
    /// Nobody waits on `semaphore` any more.
    pub fn cancel(&mut self, semaphore: usize) {
        self.0.iter_mut().for_each(|alarm| _ = alarm.take_if(|alarm| alarm.1 == semaphore));
    }
    /// The earliest time that is waited for.
    pub fn next(&self) -> Option<u64> {
        self.0.iter().flatten().map(|alarm| alarm.0).min()
    }
    /// The semaphores of those whose time has come; they wait no longer.
    pub fn due(&mut self, now: u64) -> impl Iterator<Item = usize> {
        let mut due = [None; WAITERS];
        for (due, alarm) in due.iter_mut().zip(&mut self.0) {
            *due = alarm.take_if(|alarm| alarm.0 <= now).map(|alarm| alarm.1);
        }
        due.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn due(alarms: &mut Alarms, now: u64) -> Vec<usize> {
        alarms.due(now).collect()
    }
    #[test]
    fn who_no_longer_waits_is_not_woken() {
        let mut alarms = Alarms::new();
        alarms.add(10, 1);
        alarms.add(10, 2);
        alarms.cancel(1);
        assert_eq!(due(&mut alarms, 10), [2]);
    }
    #[test]
    fn a_waiter_too_many_is_refused() {
        let mut alarms = Alarms::new();
        assert!((1..=WAITERS).all(|n| alarms.add(10, n).is_some()));
        assert_eq!(alarms.add(5, 9), None);
        alarms.cancel(1);
        assert_eq!(alarms.add(5, 9), Some(true));
    }
    #[test]
    fn the_earliest_is_set_and_all_that_are_due_wake() {
        let mut alarms = Alarms::new();
        assert_eq!([alarms.add(20, 1), alarms.add(10, 2), alarms.add(30, 3)], [Some(true), Some(true), Some(false)]);
        assert_eq!(alarms.next(), Some(10));
        assert_eq!(due(&mut alarms, 9), []);
        assert_eq!(due(&mut alarms, 20), [1, 2]);
        assert_eq!(alarms.next(), Some(30));
    }
}
