//! Threads that end, in whatever call they are.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use crate::state::nucleus_data::ThreadPage;
use crate::state::threads::Exit;
use abi::Error;
use abi::address::DEAD_STUB;
use abi::nucleus::flags;
use abi::system::{Ended, ended};

impl<M: Machine> Manager<M> {
    /// Thread `index`, which has called the portal manager for that, ends, and with the last thread of a domain that nobody else can
    /// enter, the domain. A thread that is in its domain's controlling domain ends when it returns from there: it holds a stack of
    /// that domain.
    #[inline(always)]
    pub fn exit_thread(&mut self, index: usize) -> Exit {
        let Ok(caller) = self.caller(index) else { return Exit::Ends };
        // In the middle of a call: it has windows open, and its caller goes on with `EDEAD`.
        if caller.direct == caller.subject && self.leave_call(index) {
            return Exit::Returns;
        }
        if self.is_last_thread(caller.subject) {
            let how = Ended { kind: ended::EXIT, ..Ended::default() };
            let nobodys = self.task_of(caller.subject) != caller.subject
                && self.domain(caller.subject).is_ok_and(|domain| !domain.lasting);
            self.end_domain(caller.subject, how);
            if nobodys {
                // Nobody has a name for it, and asks how it ended.
                self.forget_end(caller.subject);
            }
            return Exit::Returns;
        }
        if caller.direct == caller.subject {
            return Exit::Ends;
        }
        self.divert_thread(index, caller.subject).map_or_else(Exit::Refused, |()| Exit::Returns)
    }
    /// Makes thread `index` end instead of returning to domain `asid`.
    #[optimize(size)]
    pub fn divert_thread(&mut self, index: usize, asid: usize) -> Result<()> {
        let table = self.domain(asid)?.table;
        let page = ThreadPage::of(self.machine, index).ok_or(Error::ESRCH)?;
        let mut lends = false;
        for frame in page.frames(&self.code).filter(|f| !f.floating() && f.table() == table) {
            lends |= self.lent_entries(frame).next().is_some();
            frame.divert(self.dead.graveyard, DEAD_STUB as u64);
        }
        // A call further out may have windows on the domain's memory, and its frame does not say so any more.
        self.remains.unclaimed |= lends;
        Ok(())
    }
    /// If thread `index`, which has called the portal manager, serves a call, it returns from that with `EDEAD` when it returns
    /// from here.
    pub fn leave_call(&mut self, index: usize) -> bool {
        let Some(page) = ThreadPage::of(self.machine, index) else { return false };
        let mut frames = page.frames(&self.code).filter(|f| !f.floating());
        let (Some(own), Some(_)) = (frames.next(), frames.next()) else { return false };
        own.divert(self.dead.graveyard, DEAD_STUB as u64);
        true
    }
    /// Whether the domain has one thread left, and nobody could enter it after that one.
    pub fn is_last_thread(&mut self, asid: usize) -> bool {
        self.reap();
        let Ok(d) = self.domain(asid) else { return false };
        d.threads == 1
            && d.flags & flags::TRUSTED == 0
            && !self.is_vital(asid)
            && d.provides == 0
            && self.ends_with_its_threads(asid)
            && d.sandbox.inside.is_empty()
    }
}
