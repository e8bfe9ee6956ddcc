//! For tests: what holds of the records of locks after every entry.

use super::{Decision, Scheduler};
use crate::locks::MOST;
use crate::machine::Machine;
use crate::threads::{State, Thread};
use abi::nucleus::MAX_THREADS;

impl<M: Machine> Scheduler<M> {
    /// A thread in use, or none, is demoted from now on, or not any more.
    pub fn demote_now(&mut self, index: usize, demoted: bool) -> Decision {
        if let Some(thread) = self.live(index).filter(|&thread| self.threads[thread].state != State::Ended) {
            let mut heir = self.demote(thread, demoted);
            while heir != Thread::NOBODY {
                heir = self.inherit(heir);
            }
        }
        self.settle(0)
    }
    fn all_live(&self) -> impl Iterator<Item = Thread> {
        let lives = |&thread: &Thread| !matches!(self.threads[thread].state, State::Free | State::Ended);
        (0..self.threads_end).filter_map(Thread::new).filter(lives)
    }
    /// → two threads of one account, by index, of which the first has given itself less and has more, without what it inherits; `None`: there are none.
    pub fn check_order(&self) -> Option<(usize, usize)> {
        let account = |thread: Thread| self.processor.account(thread.index());
        let priorities = |thread: Thread| (self.threads[thread].own_priority(), self.threads[thread].base_priority());
        self.all_live().flat_map(|low| self.all_live().map(move |high| (low, high))).find_map(|(low, high)| {
            let ((own, base), (other_own, other_base)) = (priorities(low), priorities(high));
            let is_wrong = account(low) == account(high) && own < other_own && base > other_base;
            is_wrong.then_some((low.index(), high.index()))
        })
    }
    /// Whether threads are still to be demoted, or not any more.
    pub fn is_demoting(&self) -> bool {
        !self.looks.is_done()
    }
    pub fn all_are_demoted_that_should_be(&self) -> bool {
        let should_be = |thread: Thread| self.processor.is_spent(self.processor.account(thread.index()));
        self.all_live().all(|thread| self.threads[thread].is_demoted() == should_be(thread))
    }
    /// Each record that was ever used is in one list alone, or in none and somebody waits there for a holder without a name; those that are below a
    /// thread are not too many, and somebody waits in each.
    pub fn check_locks(&self) {
        let mut seen = [false; MAX_THREADS];
        let mut see = |place: u16| {
            assert!(place <= self.locks.used(), "record {place} has never been used");
            assert!(!core::mem::replace(&mut seen[place as usize], true), "record {place} is in two places");
        };
        for thread in (0..self.threads_end).filter_map(Thread::new) {
            let (mut place, mut count) = (self.threads[thread].held, 0);
            while place != 0 {
                see(place);
                let lock = self.locks.get(place);
                assert!(lock.holder == thread && !lock.queue.is_empty(), "record {place}, below thread {thread:?}");
                (place, count) = (self.locks.after(place), count + 1);
            }
            assert!(count <= MOST, "{count} records below thread {thread:?}");
        }
        for place in self.locks.all_free() {
            see(place);
            assert!(self.locks.get(place).queue.is_empty(), "record {place} is free");
        }
        for thread in (0..self.threads_end).filter_map(Thread::new) {
            let record = &self.threads[thread];
            if record.state != State::Lock {
                continue;
            }
            let lock = self.locks.get(record.object as u16);
            if lock.holder == Thread::NOBODY {
                see(record.object as u16);
                assert!(lock.queue.is_alone(&self.threads, thread));
            }
        }
        let lost = (1..=self.locks.used()).find(|&place| !seen[place as usize]);
        assert_eq!(lost, None, "a record that is nowhere");
    }
}
