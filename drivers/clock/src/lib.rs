//! Which alarm comes next, when several threads wait for one device. Free of hardware.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

use alloc::vec::Vec;

/// Threads that wait: the time each waits for, and the semaphore it waits on.
#[derive(Default)]
pub struct Alarms(Vec<(u64, usize)>);
impl Alarms {
    pub const fn new() -> Alarms {
        Alarms(Vec::new())
    }
    /// Adds a waiter. True: it is the first now, so the device is to be set.
    pub fn add(&mut self, time: u64, semaphore: usize) -> bool {
        let first = self.next().is_none_or(|next| time < next);
        self.0.push((time, semaphore));
        first
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
    fn the_earliest_is_set_and_all_that_are_due_wake() {
        let mut alarms = Alarms::new();
        assert!(alarms.add(20, 1) && alarms.add(10, 2) && !alarms.add(30, 3));
        assert_eq!(alarms.next(), Some(10));
        assert_eq!(alarms.due(9), []);
        assert_eq!(alarms.due(20), [1, 2]);
        assert_eq!(alarms.next(), Some(30));
    }
}
