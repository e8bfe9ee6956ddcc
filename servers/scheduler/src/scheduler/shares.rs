//! What shares of the processor mean for threads ([`crate::processor`]): those of an account that is spent are demoted.
//!
//! One after the other, from the lowest own priority to the highest, and restored from the highest to the lowest: so at no moment is a thread above
//! one of its account that has given itself more, and who lends its priority to a low one is not held up by one in the middle. For each priority,
//! those records are looked at between the first and the last that are still to be changed; each account has a level, below which its threads are
//! demoted. Who is made meanwhile, or gives itself another priority, is on the right side of that at once.

use super::{Decision, Decision::Return, GAP, HEIRS, Scheduler, refuse};
use crate::machine::Machine;
use crate::threads::{IDLE, PRIORITIES, State, Thread};
use crate::time::NEVER;
use abi::Error;
use abi::account::{ACCOUNTS, Share};

/// When a look is due, and more work of one.
pub(super) struct Looks {
    /// The moment of the next look; [`NEVER`]: nobody has a limit, or [asks](Scheduler::doing) what threads have had; 0: the hart was idle at the last look, so there is none until a thread runs.
    next: u64,
    /// The index of the next thread that may be demoted and should not be, or the other way around; 0: all are as they should be.
    left: usize,
    /// One more than the highest index of those.
    left_end: usize,
    /// Of each account, those threads are demoted whose own priority is below this: none at 0, all at [`PRIORITIES`], and for a moment some.
    below: [u8; ACCOUNTS],
    /// Those that are to be demoted or not any more, but not before others of their accounts.
    later: Later,
    /// Who is to inherit something else by what has been demoted, or nobody.
    heir: Thread,
    /// The moment at which that goes on.
    again: u64,
}
impl Looks {
    pub(super) const fn new() -> Looks {
        let later = Later { first: 0, end: 0, up: 0, down: 0 };
        Looks { next: 0, left: 0, left_end: 0, below: [0; ACCOUNTS], later, heir: Thread::NOBODY, again: 0 }
    }
    /// When there is something to do; 0: once a thread runs.
    fn soonest(&self) -> u64 {
        if self.is_done() { self.next } else { self.next.min(self.again) }
    }
    pub(super) fn is_done(&self) -> bool {
        self.left == 0 && self.heir == Thread::NOBODY
    }
    pub(super) fn is_never(&self) -> bool {
        self.next == NEVER
    }
    pub(super) fn begin_never(&mut self) {
        self.next = NEVER;
    }
}
/// What has been seen of threads whose turn has not come.
#[derive(Clone, Copy)]
struct Later {
    /// From the index of the first of them to one more than that of the last; 0: there are none.
    first: usize,
    end: usize,
    /// Up to which level accounts go next that are spent, and down to which those that are not any more.
    up: u8,
    down: u8,
}
impl Later {
    const NOBODY: Later = Later { first: usize::MAX, end: 0, up: PRIORITIES as u8, down: 0 };
}
/// The first index that a thread has, but for the idle thread.
const FIRST: usize = IDLE.index() + 1;
/// Records that are looked at in one interrupt for one that is to be demoted or not any more. It is, and some of those whose locks it waits for
/// inherit something else.
const LOOKS: usize = 12;
/// Ready threads that are looked at for whether one is another account's. Where none of so many is, one is taken to be.
const READY: usize = 16;

impl<M: Machine> Scheduler<M> {
    /// Account `account` may have `percent` of the processor, while others wait, from now on, or as much [as before](Share::AS_BEFORE) → what it
    /// has had of the last period of 100 ms, in percent. `EINVAL`: there is no such account, or no such share.
    pub fn share(&mut self, account: usize, percent: usize) -> Decision {
        let share = Share::of(percent);
        if account >= ACCOUNTS || share.is_none() && percent != Share::AS_BEFORE {
            return refuse(Error::EINVAL);
        }
        let now = self.machine.now();
        if let Some(share) = share {
            self.processor.limit(account, share);
            if self.looks.is_never() && self.processor.has_limits() {
                self.begin_looks();
            }
        }
        Return(self.processor.used(account, now) as isize)
    }
    /// Looks begin: a thread runs, or is about to.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_looks(&mut self) {
        let now = self.machine.now();
        self.begin_looks_at(now);
        let look = self.looks.soonest();
        self.hart.bound = self.hart.slice.min(look);
        self.alarm(look);
    }
    fn begin_looks_at(&mut self, now: u64) {
        if self.processor.begin(now) {
            self.begin_changes(now);
        }
        self.looks.next = self.processor.next(now, self.machine.cycles());
    }
    /// What the timer's interrupt does for it, at `now` → whether there was something to do.
    pub(super) fn look(&mut self, now: u64) -> bool {
        if self.looks.next != 0 && self.looks.next <= now {
            self.look_who_runs(now);
            return true;
        }
        if !self.looks.is_done() && self.looks.again <= now {
            self.demote_some();
            self.looks.again = now.saturating_add(GAP);
            return true;
        }
        false
    }
    fn look_who_runs(&mut self, now: u64) {
        self.processor.see(now, self.hart.running.index());
        let payer = self.payer();
        let mut has_changed = self.processor.charge(now, payer);
        if self.processor.is_over(payer) && self.others_wait(payer) {
            self.processor.spend(payer);
            has_changed = true;
        }
        if has_changed {
            self.begin_changes(now.saturating_add(GAP));
        }
        let is_idle = self.hart.running == IDLE;
        self.looks.next = if is_idle { 0 } else { self.processor.next(now, self.machine.cycles()) };
    }
    /// Whose time the running thread has: its own account's. Where that has had its share, that of who lends it the priority by which it runs.
    fn payer(&self) -> usize {
        let mut thread = self.hart.running;
        for _ in 0..HEIRS {
            let record = &self.threads[thread];
            if !record.is_demoted() || record.priority == record.base_priority() {
                break;
            }
            match self.locks.lender(&self.threads, thread) {
                Thread::NOBODY => break,
                lender => thread = lender,
            }
        }
        self.processor.account(thread.index())
    }
    /// Whether threads are ready of other accounts than `payer`.
    fn others_wait(&self, payer: usize) -> bool {
        let of_another = |thread: Thread| self.processor.account(thread.index()) != payer;
        self.ready.any_until(&self.threads, self.hart.running_priority, READY, of_another)
    }
    /// → what the timer is to stand at for it, after an interrupt at `now`; 0: nothing runs.
    pub(super) fn next_look(&mut self, now: u64) -> u64 {
        if self.looks.next == 0 && self.hart.running != IDLE {
            self.begin_looks_at(now);
        }
        self.looks.soonest()
    }
    /// Other accounts are spent than before: from `again` on, threads are demoted or restored.
    fn begin_changes(&mut self, again: u64) {
        (self.looks.left, self.looks.left_end, self.looks.again) = (FIRST, self.threads_end, again);
        self.looks.later = Later::NOBODY;
    }
    fn demote_some(&mut self) {
        let heir = core::mem::replace(&mut self.looks.heir, Thread::NOBODY);
        if heir != Thread::NOBODY {
            self.looks.heir = self.inherit(heir);
            return;
        }
        if self.looks.left >= self.looks.left_end {
            self.go_to_next_level();
            return;
        }
        let end = self.looks.left_end.min(self.looks.left + LOOKS);
        while self.looks.left < end {
            let thread = Thread::new(self.looks.left).unwrap_or(Thread::NOBODY);
            self.looks.left += 1;
            let record = &self.threads[thread];
            if matches!(record.state, State::Free | State::Ended) {
                continue;
            }
            let (is_demoted, own) = (record.is_demoted(), record.own_priority());
            let should_be = self.should_be_demoted(thread.index(), own);
            if is_demoted != should_be {
                self.looks.heir = self.demote(thread, should_be);
                return;
            }
        }
    }
    /// Whether that thread is to be demoted now, with that own priority. Where it will not be so for long, its turn comes.
    pub(super) fn should_be_demoted(&mut self, index: usize, own: u8) -> bool {
        let account = self.processor.account(index);
        let should_be = own < self.looks.below[account];
        if should_be != self.processor.is_spent(account) {
            let later = &mut self.looks.later;
            (later.first, later.end) = (later.first.min(index), later.end.max(index + 1));
            if should_be {
                later.down = later.down.max(own);
            } else {
                later.up = later.up.min(own + 1);
            }
        }
        should_be
    }
    /// All are demoted that are below their accounts' levels, and no others.
    fn go_to_next_level(&mut self) {
        let later = core::mem::replace(&mut self.looks.later, Later::NOBODY);
        for (account, below) in self.looks.below.iter_mut().enumerate() {
            let is_spent = self.processor.is_spent(account);
            *below = if is_spent { later.up.max(*below) } else { later.down.min(*below) };
        }
        (self.looks.left, self.looks.left_end) = if later.end == 0 { (0, 0) } else { (later.first, later.end) };
    }
    /// The running thread has given itself another priority: while others are demoted or restored, its own may be on the other side.
    pub(super) fn demote_by_own(&mut self, thread: Thread) {
        if self.looks.left != 0 {
            let should_be = self.should_be_demoted(thread.index(), self.threads[thread].own_priority());
            self.threads[thread].set_demoted(should_be);
        }
    }
    /// `thread` is demoted from now on, or not: what it inherits, it has all the same → who is to inherit something else after that, or nobody.
    pub(crate) fn demote(&mut self, thread: Thread, demoted: bool) -> Thread {
        self.threads[thread].set_demoted(demoted);
        self.inherit(thread)
    }
}
