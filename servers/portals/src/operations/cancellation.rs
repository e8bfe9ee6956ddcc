//! Cancellation: who waits for somebody that is no more, or no longer cares, waits no longer.
//!
//! A thread that a domain has sent into a server may wait there, for a key, an alarm, bytes of a pipe, and hold a stack and other
//! things of the server's meanwhile. When the domain dies, the scheduler ends that wait with `ECANCELED` (`divert_frames`), however
//! many servers deep; the server sees the error, gives back what it holds, and returns, to the graveyard. From there on, whoever
//! called the dead domain has its thread back, and may wait again as long as it likes: so the graveyard says here that the thread has
//! come past. In between, a server that does not care for the error and waits again hears it again after each time slice.
//!
//! The same is done for good to a thread whose own domain asks for it, when its patience with a call is over.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::state::nucleus_data::ThreadPage;
use abi::Error;
use abi::nucleus::MAX_THREADS;
use abi::nucleus::cancelled::{FOR_GOOD, FOR_THE_DEAD};

impl<M: Machine> Manager<M> {
    /// Thread `index`, which has called from the graveyard, goes on to whoever called the dead domain. If that one, or one that it is to
    /// return to later, is dead too, its waits still end early.
    pub fn left_the_dead(&self, index: usize) {
        let Some(page) = ThreadPage::of(self.machine, index) else { return };
        // The top frame is the call of the graveyard's itself.
        let mut below = page.frames(&self.code).filter(|f| !f.floating()).skip(1);
        let serves = below.any(|frame| frame.table() == self.dead.graveyard);
        self.machine.cancel(index, if serves { FOR_THE_DEAD } else { 0 }, 0);
    }
    /// Ends the waits of thread `id`, whose home is the subject's. `ESRCH`: there is none.
    pub fn cancel_thread(&mut self, caller: Caller, id: usize) -> Result<isize> {
        let index = id % abi::nucleus::THREAD_IDS;
        let home = self.threads.home(index).ok_or(Error::ESRCH)?;
        if id == 0 || self.live(home) != Ok(caller.subject) {
            return Err(Error::ESRCH);
        }
        match self.machine.cancel(index, FOR_GOOD, id) {
            error if error < 0 => Err(Error::from_code(error).unwrap_or(Error::ESRCH)),
            _ => Ok(0),
        }
    }
    /// The first thread above index `after` that is in a call of domain `server`, and the innermost such call.
    pub fn next_caller(&self, server: usize, after: usize) -> Option<(usize, abi::system::Caller)> {
        let mut seen = self.seen.borrow_mut();
        (after.min(MAX_THREADS) + 1..self.threads.end()).find_map(|index| {
            self.threads.home(index)?;
            let page = ThreadPage::of(self.machine, index)?;
            // It may run whenever this is interrupted.
            let mut calls = seen.settle_calls(page, &self.code).enumerate();
            let (beyond, (_, table)) = calls.find(|(_, (portal, _))| {
                let block = self.code.containing(*portal).map(|(_, block)| block);
                block.is_some_and(|block| block.server as usize == server && !block.same_domain)
            })?;
            let state = self.machine.thread_info(index) >> 48;
            let call = abi::system::Caller {
                asid: self.asid_of(table).unwrap_or(0) as u64,
                state: state as u64,
                cancelled: self.machine.cancelled(index) as u64,
                beyond: beyond as u64,
            };
            Some((index, call))
        })
    }
}
