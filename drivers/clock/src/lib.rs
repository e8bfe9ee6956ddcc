//! Which alarm comes next, when several threads wait for one device. Free of hardware.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

use alloc::vec::Vec;

/// Most threads that wait: each holds a stack of the driver's, and of the four that it has (as every server) one is to be left for
/// those that ask for the time.
pub const WAITERS: usize = 3;

/// Threads that wait: the time each waits for, and the semaphore it waits on.
#[derive(Default)]
pub struct Alarms(Vec<(u64, usize)>);
impl Alarms {
    pub const fn new() -> Alarms {
        Alarms(Vec::new())
    }
    /// Adds a waiter. `Some(true)`: it is the first now, so the device is to be set. `None`: too many wait.
    pub fn add(&mut self, time: u64, semaphore: usize) -> Option<bool> {
        let first = self.next().is_none_or(|next| time < next);
        if self.0.len() >= WAITERS {
            return None;
        }
        self.0.push((time, semaphore));
        Some(first)
    }
    /// Nobody waits on `semaphore` any more.
    pub fn cancel(&mut self, semaphore: usize) {
        self.0.retain(|alarm| alarm.1 != semaphore);
    }
    /// The earliest time that is waited for.
    pub fn next(&self) -> Option<u64> {
        self.0.iter().map(|a| a.0).min()
    }
    /// The semaphores of those whose time has come; they wait no longer.
    pub fn due(&mut self, now: u64) -> Vec<usize> {
        let (due, later) = self.0.iter().partition(|a| a.0 <= now);
        self.0 = later;
        let due: Vec<(u64, usize)> = due;
        due.into_iter().map(|a| a.1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn who_no_longer_waits_is_not_woken() {
        let mut alarms = Alarms::new();
        alarms.add(10, 1);
        alarms.add(10, 2);
        alarms.cancel(1);
        assert_eq!(alarms.due(10), [2]);
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
        assert_eq!(alarms.due(9), []);
        assert_eq!(alarms.due(20), [1, 2]);
        assert_eq!(alarms.next(), Some(30));
    }
}
