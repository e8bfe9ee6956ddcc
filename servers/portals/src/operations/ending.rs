//! The end of a domain.
//!
//! A domain ends at once for everybody else: every frame that would return into it is turned towards the graveyard,
//! where the thread goes on with `EDEAD`; what a thread waits for on its behalf ends (`cancel`); portals that led to it answer
//! `EDEAD`, or wait for [who takes its place](super::parking). Its own resources follow as soon as no frame needs them.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::machine::nucleus_memory::Masked;
use crate::manager::Manager;
use crate::operations::open_windows::Call;
use crate::state::code::Kind;
use crate::state::domain::Domain;
use crate::state::nucleus_data::{FrameView, Table, ThreadPage};
use crate::state::remains::Zombie;
use crate::state::snapshot::Seen;
use abi::Error;
use abi::address::DEAD_STUB;
use abi::identity::DomainId;
use abi::nucleus::cancelled::FOR_THE_DEAD;
use abi::nucleus::{domain, flags};
use abi::system::{Ended, ended};
use account::Ledger;
use alloc::vec::Vec;
use fallible::TryPush;

/// How many frames are turned away with interrupts off at a time.
const MASKED_FRAMES: usize = 2;

impl<M: Machine> Manager<M> {
    /// Ends domain `asid`, those that it interposes on, those of protection in its space, and those that only it had a name for.
    pub fn end_domain(&mut self, asid: usize, how: Ended) {
        let task = self.task_of(asid);
        self.end_one(asid, how);
        self.end_unnamed(task);
    }
    /// The same but for the last.
    pub(crate) fn end_one(&mut self, asid: usize, how: Ended) {
        // From the innermost outwards, and by steps: how deep they are in each other is for their makers to say, and the stack is short.
        // Nothing here may need memory: what an end takes was reserved when the domain was made.
        while let Some((innermost, cause)) = self.innermost(asid) {
            self.end_alone(innermost, Ended { kind: ended::KILLED, cause, ..Ended::default() });
        }
        self.end_alone(asid, how);
    }
    /// Of those that domain `asid` interposes on or that are in its space, theirs included, one that has none; and the task in whose space
    /// it is, if that is why it ends. `None`: there are none.
    #[optimize(size)]
    fn innermost(&self, asid: usize) -> Option<(usize, u64)> {
        let within = |&(outer, _): &(usize, u64)| {
            let child = self.domain(outer).ok()?.sandbox.inside.first().map(|&child| (child, 0));
            child.or_else(|| self.first_part(outer).map(|part| (part, outer as u64)))
        };
        // Who is within another was made after it.
        core::iter::successors(within(&(asid, 0)), within).last()
    }
    /// Ends domain `asid`, within which there is none.
    #[inline(never)]
    fn end_alone(&mut self, asid: usize, how: Ended) {
        let Some(mut dead) = self.domains.remove(asid) else { return };
        self.disclosed(asid, &dead);
        self.delegations.forget_giver(dead.id);
        self.domains.making.retain(|making| making.maker != dead.id);
        self.domains.successions.retain(|succession| succession.by != dead.id);
        self.leave_sharers(asid, dead.sharer);
        self.bury(asid, &mut dead);
        // Who waits for a stack of it calls again, and gets the answer for the dead, or waits for who takes its place.
        while self.machine.stack_dead(asid) {}
        let (lent, unknown) = self.divert_frames(asid, dead.table);
        // Nothing is executed in it any more, so no lock can be taken in its name.
        self.machine.domain_dead(asid);
        self.forget(asid, &mut dead);
        self.tell_end(asid, &mut dead, how);
        let trusted = dead.flags & flags::TRUSTED != 0;
        if trusted || unknown || self.remains.unclaimed || !lent.is_empty() {
            // Its space stays for a while, and with it what it was lent, which is its lender's to free again.
            self.machine.windows_close(asid);
        }
        self.keep_lent(asid, lent, unknown);
        self.sweep();
    }
    /// Makes a zombie of the dead domain: nobody enters it any more, so who has been turned away does not come back. That goes before its
    /// semaphores end, which would wake threads in it.
    fn bury(&mut self, asid: usize, dead: &mut Domain<M>) {
        let blocks = core::mem::take(&mut dead.blocks);
        let count = blocks.len();
        let parked = self.park_calls(dead, blocks);
        // From here on they are its remains, and may be freed.
        self.remains.zombies.push_kept(Zombie {
            asid,
            charge: dead.charge.take(),
            enclosure: dead.enclosure,
            table: dead.table,
            blocks: count,
            lent: Vec::new(),
            lent_unknown: false,
            trusted: dead.flags & flags::TRUSTED != 0,
            space_destroyed: false,
            parked,
        });
        self.forget_reserves(dead.table, dead.reserves);
    }
    /// Everybody forgets the dead domain who has kept something for it.
    fn forget(&mut self, asid: usize, dead: &mut Domain<M>) {
        if self.counts_calls() {
            self.forget_home(dead.id);
        }
        self.close_all(asid, dead);
        self.leave_sandbox(asid, &dead.sandbox);
        self.forget_pagers(dead.id);
        self.end_tracing(dead.id);
        while let Some(charge) = self.ended.remove_child(dead.id) {
            self.accounts.refund(charge);
        }
        if dead.flags & flags::TRUSTED != 0 {
            self.withdraw_templates(asid);
        }
        if dead.provides > 0 {
            self.forget_registrations(asid);
        }
        self.machine.names_forget(asid);
        self.machine.interrupt_forget(asid);
        for &child in &dead.children {
            if let Some(own) = self.domains.get_mut(child) {
                own.parent = 0;
                self.domains.left_behind(child);
            }
        }
        self.domains.orphaned.retain(|&orphaned| orphaned != asid);
        self.forget_maker(dead.id);
        self.open_gates_of(dead.id);
        dead.services.drain(..).for_each(|sum| self.accounts.refund_all(sum));
    }
    /// Tells of the end who waits for it, its parent, and who hears of all ends.
    fn tell_end(&mut self, asid: usize, dead: &mut Domain<M>, how: Ended) {
        for (semaphore, charge) in dead.waiters.drain(..) {
            self.posts.push(self.machine, semaphore);
            self.accounts.refund(charge);
        }
        if let Some(parent) = self.domains.get_mut(dead.parent) {
            parent.children.retain(|&child| child != asid);
            self.domains.left_behind(dead.parent);
        }
        let parent = self.domain(dead.parent).ok().map(|parent| parent.id);
        let how = Ended { identity: dead.id.word(), account: dead.account.number() as u32, ..how };
        self.ended.insert(dead.id, parent, how, dead.account);
        self.events.queue.push_kept(how);
        self.posts.push(self.machine, self.events.semaphore);
    }
    /// Domain `asid` is no more: nothing of what it has registered can be opened, and nothing leads to it.
    #[optimize(size)]
    #[inline(never)]
    fn forget_registrations(&mut self, asid: usize) {
        for id in 0..self.registrations.end() {
            if self.registrations.get(id).is_some_and(|r| r.server == asid) && !self.keep_name(id) {
                self.forget_registration(id);
            }
        }
    }
    /// Turns every frame that would return into the dead domain towards the graveyard. Returns the calls that have
    /// windows on its memory open, and whether there are others, which there was no memory to list.
    // By itself, so that what it does with interrupts off is as long whatever is done around it.
    #[inline(never)]
    fn divert_frames(&mut self, asid: usize, table: Table<M>) -> (Vec<(ThreadPage<M>, u64)>, bool) {
        let (mut lent, mut unknown) = (Vec::new(), false);
        let mut seen = self.seen.borrow_mut();
        for (index, page, _) in self.threads.living() {
            // What takes long is done with interrupts on; what it found counts if it is still so once they are off. Who has run
            // meanwhile and has changed its frames is looked at again. The oldest frames go first: those that stay.
            let (mut left, mut turned) = (0, false);
            loop {
                if left == 0 {
                    left = seen.look(page, &self.code, |frame| self.concerns(frame, asid, table));
                }
                let next = seen.last_concerned(left).map(|_| self.next_to_turn(&seen, page, left));
                let masked = Masked::new(self.machine);
                if !seen.holds(page) {
                    left = 0;
                    continue;
                }
                let mut waits = false;
                if next.is_none() {
                    left = 0;
                }
                for turn in next.iter().flatten() {
                    let Some((n, call)) = *turn else {
                        left = 0;
                        break;
                    };
                    left = n;
                    let frame = seen.frame(page, n);
                    if self.divert_frame(frame, &call, page, asid, table) {
                        unknown |= lent.try_push((page, frame.address())).is_err();
                    }
                    seen.turned(n, frame);
                    turned |= frame.table() == self.dead.graveyard;
                    if seen.is_top(n) {
                        (left, waits) = (0, frame.table() == self.dead.graveyard);
                        break;
                    }
                }
                if waits {
                    // Before it can go on by itself: it may then wait for something that has to do with nobody's death.
                    masked.enter_scheduler(|| self.machine.wake_dead(index));
                } else if left == 0 && turned && seen.returns_to(self.dead.graveyard) {
                    masked.enter_scheduler(|| self.machine.cancel(index, FOR_THE_DEAD, 0));
                }
                if left == 0 {
                    break;
                }
            }
        }
        (lent, unknown)
    }
    /// The oldest frames to turn away of those newer than the `before`th, and what their portals say, which takes long to find out.
    #[inline(never)]
    fn next_to_turn(
        &self,
        seen: &Seen,
        page: ThreadPage<M>,
        mut before: usize,
    ) -> [Option<(usize, Call)>; MASKED_FRAMES] {
        core::array::from_fn(|_| {
            before = seen.last_concerned(before)?;
            Some((before, self.call(seen.frame(page, before))))
        })
    }
    /// What threads of the dead domain `home` go on to run is counted for nobody: its counters will be another's.
    #[optimize(size)]
    #[inline(never)]
    fn forget_home(&self, home: DomainId) {
        for (_, page, _) in self.threads.living().filter(|(_, _, own)| *own == home) {
            page.set_home(self.dead.graveyard);
        }
    }
    /// Whether the end of domain `asid` has to do with `frame`.
    fn concerns(&self, frame: FrameView<M>, asid: usize, table: Table<M>) -> bool {
        frame.table() == table || (self.is_templated(frame) && self.server(frame) == Some(asid))
    }
    /// Turns away one frame, of a call that its portal says this of. Whether its call has windows on the dead domain's memory open.
    fn divert_frame(
        &self,
        frame: FrameView<M>,
        call: &Call,
        page: ThreadPage<M>,
        asid: usize,
        table: Table<M>,
    ) -> bool {
        let graveyard = self.dead.graveyard;
        let mut lends = false;
        if frame.table() == table {
            frame.divert(graveyard, DEAD_STUB as u64);
            lends = call.templated.is_some_and(|uses| self.entries_lent_by(uses, frame).next().is_some());
        }
        let Some(uses) = call.templated.filter(|_| call.server == Some(asid)) else { return lends };
        for used in uses.all() {
            let template = self.templates.all[used.template as usize];
            if template.letters.iter().any(|l| l.lent > 0) {
                // Its page tables go: closing these windows must write to memory that has no other use.
                frame.set_word(used.common as usize, graveyard.address().wrapping_add(domain::SPARE as i64 as u64));
                page.forget_slots(frame.word(used.common as usize + 8), self.entries_lent_by(uses, frame).count());
            }
        }
        lends
    }
    /// Closes all entries of the dead domain's table.
    fn close_all(&mut self, asid: usize, dead: &Domain<M>) {
        let bad = self.machine.info().symbols.bad_portal;
        // A stub of an interposed domain has many entries: they are let go of at once.
        let mut last = 0;
        for number in 1..dead.numbers.1 {
            let code = dead.table.entry(number);
            dead.table.set_entry(number, bad);
            if code == last || code == bad {
                continue;
            }
            last = code;
            let Some(block) = self.code.get_mut(code).filter(|b| !b.permanent) else { continue };
            let before = block.users.len();
            block.users.retain(|user| user.0 as usize != asid);
            let (entries, kind, unused) = (before - block.users.len(), block.kind, !block.is_used());
            if let Kind::Semaphore { id, .. } = kind {
                (0..entries).for_each(|_| self.semaphore_released(id as usize));
            }
            if unused && entries > 0 {
                self.nothing_leads_to(kind);
                self.code.retire(code);
            }
        }
    }
    /// Makes portals to a dead domain, whose blocks are given, answer `EDEAD`.
    pub fn close_portals_to(&mut self, blocks: &[u64]) {
        blocks.iter().for_each(|&code| self.close_portals_by(code, |_, _| true));
    }
    /// The same of one block, for the table entries, of a domain, that `which` is true of.
    pub(crate) fn close_portals_by(&mut self, code: u64, which: impl Fn(&Domain<M>, (u16, u16)) -> bool) {
        let Some(block) = self.code.get_mut(code) else { return };
        let dead = if matches!(block.kind, Kind::Granted { .. }) { self.dead.grant } else { self.dead.portal };
        let domains = &self.domains;
        block.users.retain(|&mut (user, number)| {
            let Some(d) = domains.get(user as usize) else { return false };
            let closes = which(d, (user, number));
            if closes && d.table.entry(number as usize) == code {
                d.table.set_entry(number as usize, dead);
            }
            !closes
        });
    }
    /// Ends domain `whom` for domain `by`: a number, or an identity's word, which finds nobody (`ESRCH`) once that one is gone. `EACCESS`: it
    /// may not, or the system could not go on.
    #[optimize(size)]
    pub fn kill(&mut self, by: usize, whom: usize) -> Result<isize> {
        let meant = DomainId::of(whom as u64);
        let asid = meant.map_or(whom, DomainId::number);
        let maker = self.domain(by)?.id;
        // Its maker gives it up, whether it lives or not.
        self.is_given_up(maker, meant);
        if meant.is_some_and(|meant| self.domain(asid).is_ok_and(|d| d.id != meant)) {
            return Err(Error::ESRCH);
        }
        self.domain(asid)?;
        if !self.may_control(by, asid) || self.is_vital(asid) {
            return Err(Error::EACCESS);
        }
        self.end_domain(asid, Ended { kind: ended::KILLED, ..Ended::default() });
        Ok(0)
    }
    /// Component `meant`, which `maker` has made and which does not run yet, is not to, whether it lives or not.
    #[inline(never)]
    fn is_given_up(&mut self, maker: DomainId, meant: Option<DomainId>) {
        let makes = self.domains.making.len();
        self.domains.making.retain(|making| making.maker != maker || Some(making.id) != meant);
        if let Some(dead) = meant.filter(|meant| self.domains.making.len() < makes && self.live(*meant).is_err()) {
            // It may have been given interrupts when it had ended already; the next one with its number has no part in them.
            self.machine.interrupt_forget(dead.number());
        }
    }
    pub fn is_graveyard(&self, asid: usize) -> bool {
        self.domain(asid).is_ok_and(|d| d.table == self.dead.graveyard)
    }
    /// Whether the system could not go on without it.
    pub fn is_vital(&self, asid: usize) -> bool {
        self.is_graveyard(asid)
            || self.machine.info().domains[..self.machine.info().domain_count as usize]
                .iter()
                .any(|d| d.asid as usize == asid)
    }
}
