//! Waits that end before what they were for has come: those of threads whose domain is dead, that nobody waits for any more, or that nobody
//! is left to wake.

use super::Decision::Return;
use super::{Decision, Scheduler, refuse};
use crate::locks::Place;
use crate::machine::Machine;
use crate::threads::{ENDING, State, Thread};
use abi::Error;
use abi::nucleus::cancelled;

impl<M: Machine> Scheduler<M> {
    /// If that thread waits, its wait ends with `EDEAD`. `ESRCH`: no such thread.
    pub fn wake_dead(&mut self, index: usize) -> Decision {
        let Some(thread) = self.live(index) else { return refuse(Error::ESRCH) };
        if matches!(self.threads[thread].state, State::Ready | State::Spent | State::Ended) {
            return Return(0);
        }
        self.end_wait(thread, Error::EDEAD.code() as i32);
        self.settle(0)
    }
    /// That thread is cancelled: its wait ends with `ECANCELED`, and each later one does after a slice at most, or when its own
    /// time-out has come. `how`: why, one of [`cancelled`]; 0: [`cancelled::FOR_THE_DEAD`] holds no more. `id`: the thread's, or 0
    /// where its index says who is meant. → what holds now. `ESRCH`: no such thread; `EINVAL`: no such reason.
    pub fn cancel(&mut self, index: usize, how: usize, id: usize) -> Decision {
        let Some(thread) = self.live(index) else { return refuse(Error::ESRCH) };
        let record = &mut self.threads[thread];
        if record.state == State::Ended || (id != 0 && record.id as usize != id) {
            return refuse(Error::ESRCH);
        }
        match how {
            0 => record.cancelled &= !(cancelled::FOR_THE_DEAD as u8),
            cancelled::FOR_THE_DEAD | cancelled::FOR_GOOD => record.cancelled |= how as u8,
            _ => return refuse(Error::EINVAL),
        }
        let (state, holds) = (record.state, (record.cancelled & !ENDING) as isize);
        let waits = matches!(
            state,
            State::Semaphore | State::Suspect | State::Sleeping | State::Pausing | State::Joining | State::Stack
        );
        if how == 0 || !waits {
            return Return(holds);
        }
        self.end_wait(thread, Error::ECANCELED.code() as i32);
        self.prefer(thread, holds)
    }
    /// → why the waits of that thread end early, or 0. `ESRCH`: no such thread.
    pub fn cancelled(&mut self, index: usize) -> Decision {
        match self.live(index) {
            Some(thread) => Return((self.threads[thread].cancelled & !ENDING) as isize),
            None => refuse(Error::ESRCH),
        }
    }
    /// → id of the semaphore on which that thread waits without a time-out, or 0. `ESRCH`: no such thread. See
    /// [`Scheduler::end_stuck`].
    pub fn waiting(&mut self, index: usize) -> Decision {
        let Some(thread) = self.live(index) else { return refuse(Error::ESRCH) };
        let record = &mut self.threads[thread];
        if !matches!(record.state, State::Semaphore | State::Suspect) || record.position != 0 {
            return Return(0);
        }
        record.state = State::Suspect;
        Return(record.object as isize)
    }
    /// → 1 if that thread has not been woken since [`Scheduler::waiting`] gave a semaphore for it, else 0. `ends`: its wait ends with
    /// `EDEAD` then. Who has marked all threads of a domain so, and finds all of them so after that, knows that they waited at one
    /// time.
    pub fn end_stuck(&mut self, index: usize, ends: bool) -> Decision {
        let Some(thread) = self.live(index) else { return refuse(Error::ESRCH) };
        if self.threads[thread].state != State::Suspect {
            return Return(0);
        }
        if ends {
            self.end_wait(thread, Error::EDEAD.code() as i32);
        }
        self.settle(1)
    }
    /// Ends the wait of `thread`, whatever it waits for. The rings may have changed in any way where that is a lock.
    pub(super) fn end_wait(&mut self, thread: Thread, value: i32) {
        let object = self.threads[thread].object;
        let mut heir = Thread::NOBODY;
        match self.threads[thread].state {
            State::Semaphore | State::Suspect => self.semaphores.waiters(object).remove(&mut self.threads, thread),
            State::Joining => {
                if let Some(joined) = Thread::new(object as usize) {
                    let mut joiners = self.threads[joined].joiners;
                    joiners.remove(&mut self.threads, thread);
                    self.threads[joined].joiners = joiners;
                }
            }
            State::Stack => self.stacks.of(object as usize).remove(&mut self.threads, thread),
            State::Lock => {
                let place = object as Place;
                heir = self.locks.at(place).holder;
                self.locks.at(place).queue.remove(&mut self.threads, thread);
                if self.locks.at(place).queue.is_empty() {
                    self.locks.release(&mut self.threads, place);
                    self.locks.free(place);
                }
            }
            _ => {}
        }
        self.sleepers.remove(&mut self.threads, thread);
        self.wake(thread, value);
        self.inherit(heir);
    }
}
