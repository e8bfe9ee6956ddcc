//! Domains: made, copied, ended.
//!
//! A domain ends at once for everybody else: every frame that would return into it is turned towards the graveyard,
//! where the thread goes on with `EDEAD`; what a thread waits for on its behalf ends (`cancel`); portals that led to it answer
//! `EDEAD`. Its own resources follow as soon as no frame needs them.

use crate::Result;
use crate::code::Kind;
use crate::manager::*;
use crate::neighbours::Machine;
use crate::nucleus_data::{FrameView, Table, ThreadPage};
use crate::nucleus_memory::Masked;
use crate::open_windows::Lent;
use crate::snapshot::Seen;
use crate::threads::Exit;
use abi::Error;
use abi::address::{DEAD_STUB, PAGE, THREAD_STACK, satp, supervisor};
use abi::identity::DomainId;
use abi::nucleus::cancelled::FOR_THE_DEAD;
use abi::nucleus::{StackDescriptor, domain, flags};
use abi::section::NAME;
use abi::system::{Ended, ended};
use account::{Account, Charge};
use alloc::vec::Vec;
use fallible::TryPush;

/// Most blocks of dead domains that are kept for new ones.
const SPARE_BLOCKS: usize = 8;
/// How many frames are turned away with interrupts off at a time.
const MASKED_FRAMES: usize = 2;

impl<M: Machine> Manager<M> {
    /// Makes a domain with the system portals, no memory of its own and no thread; its ASID.
    /// `account` pays for it and for all that is made for it.
    pub fn create_domain(&mut self, name: &str, with: u64, parent: usize, account: Account) -> Result<usize> {
        self.reap();
        self.sweep();
        let mut charge = self.charge_domain(account)?;
        let made = self.make_domain(name, with, parent, account, &mut charge);
        // What was made has taken it.
        self.accounts.refund(charge);
        made
    }
    fn make_domain(
        &mut self,
        name: &str,
        with: u64,
        parent: usize,
        account: Account,
        charge: &mut Charge,
    ) -> Result<usize> {
        let asid = self.free_asid()?;
        if let Some(parent) = self.domains.get_mut(parent) {
            parent.children.room_for(1)?;
        }
        let serial = self.serials.next().ok_or(Error::ENFILE)?;
        let id = DomainId::new(asid, serial).ok_or(Error::ENFILE)?;
        let root = self.machine.space_create(id, account)?;
        let block = match self.spare_blocks.pop().map_or_else(|| self.machine.nucleus_pages(domain::PAGES), Ok) {
            Ok(block) => block,
            Err(error) => {
                self.machine.space_destroy(asid);
                return Err(error);
            }
        };
        let table = Table::at(self.machine, supervisor(block + domain::TABLE) as u64);
        if with & flags::TRUSTED != 0 {
            self.make_trusted_system_portals();
        }
        self.initials[(with & flags::TRUSTED != 0) as usize].fill(table, self.machine.info().symbols.bad_portal);
        table.set_field(domain::SATP, satp(root, asid));
        table.set_field(domain::ASID, asid as u64);
        table.set_field(domain::ROOT, supervisor(root) as u64);
        table.set_field(domain::FLAGS, with);
        table.set_field(domain::IDENTITY, id.word());
        if with & flags::TRUSTED != 0
            && let Err(error) = self.machine.trust(asid)
        {
            self.abandon(asid, block);
            return Err(error);
        }
        let mut bytes = [0; NAME];
        let length = name.len().min(NAME - 1);
        bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
        let entry = Domain {
            name: bytes,
            table,
            flags: with,
            parent,
            children: Vec::new(),
            sandbox: Default::default(),
            privileged: false,
            notify: 0,
            ceiling: self.domains.get(parent).map_or(0, |d| d.ceiling),
            threads: 0,
            waiters: Vec::new(),
            stacks: Vec::new(),
            spare_stacks: 0,
            queue: 0,
            provides: 0,
            grants: Default::default(),
            blocks: Vec::new(),
            numbers: (abi::system::FIRST_FREE, abi::system::FIRST_FREE),
            frozen: 0,
            account,
            charge: Charge::NONE,
            id,
        };
        if let Err(error) = self.insert_domain(asid, entry) {
            self.abandon(asid, block);
            return Err(error);
        }
        if let Some(domain) = self.domains.get_mut(asid) {
            domain.charge = charge.take();
        }
        if let Some(parent) = self.domains.get_mut(parent) {
            parent.children.push_kept(asid);
        }
        Ok(asid)
    }
    /// Gives back the space and the block of a domain that could not be made.
    #[cold]
    fn abandon(&mut self, asid: usize, block: usize) {
        self.machine.space_destroy(asid);
        self.free_block(block);
    }
    /// A domain block that nobody uses any more: kept for the next domain, if there is room.
    fn free_block(&mut self, block: usize) {
        if self.spare_blocks.len() >= SPARE_BLOCKS || self.spare_blocks.try_push(block).is_err() {
            self.machine.nucleus_free(block, domain::PAGES);
        }
    }

    /// A copy of the subject, with one thread at `pc` on `sp`; the child's ASID.
    pub fn fork_domain(&mut self, caller: Caller, intercept: usize, pc: usize, sp: usize) -> Result<usize> {
        let parent = caller.subject;
        let (name, table, account) = {
            let d = self.domain(parent)?;
            (d.name, d.table, d.account)
        };
        let child = self.create_domain(abi::section::text(&name), 0, parent, account)?;
        let made = self.fill_fork(parent, child, table, intercept).and_then(|()| {
            self.machine.names_inherit(child, parent)?;
            self.create_thread(child, pc, sp, 0, usize::MAX)
        });
        match made {
            Ok(_) => Ok(child),
            Err(error) => {
                self.end_domain(child, Ended { asid: child as u64, kind: ended::KILLED, ..Ended::default() });
                self.forget_end(child);
                Err(error)
            }
        }
    }
    fn fill_fork(&mut self, parent: usize, child: usize, table: Table<M>, intercept: usize) -> Result<()> {
        let mut lent = Lent::new();
        self.freeze(parent, &mut lent);
        let copied = self.machine.space_copy(parent, child, lent.window());
        self.thaw(parent);
        copied?;
        let child_table = self.domain(child)?.table;
        child_table.set_field(domain::TP, table.field(domain::TP));
        if intercept != 0 {
            return self.interpose(parent, child, intercept as u64);
        }
        if self.controller(parent) != 0 {
            return self.enclose_fork(parent, child);
        }
        for number in abi::system::FIRST_FREE..self.domain(parent)?.numbers.1 {
            let code = table.entry(number);
            let Some(block) = self.code.get_mut(code) else { continue };
            let kind = block.kind;
            let code = if block.same_domain && block.server as usize == parent {
                match kind {
                    Kind::Registered { registration } => {
                        self.generate_registered(self.end(child)?, registration as usize, false)?
                    }
                    _ => continue,
                }
            } else {
                code
            };
            self.install(child, number, code)?;
            if let Kind::Semaphore { id, .. } = kind
                && let Some(semaphore) = self.semaphores.get_mut(id as usize)
            {
                semaphore.entries += 1;
            }
        }
        Ok(())
    }

    /// Ends domain `asid`, and those that it interposes on.
    pub fn end_domain(&mut self, asid: usize, how: Ended) {
        // Nothing here may need memory: what an end takes was reserved when the domain was made.
        while let Some(&child) = self.domain(asid).ok().and_then(|d| d.sandbox.inside.first()) {
            self.end_domain(child, Ended { asid: child as u64, kind: ended::KILLED, ..Ended::default() });
        }
        let Some(mut dead) = self.domains.remove(asid) else { return };
        self.living -= 1;
        let table = dead.table;
        // Nobody enters it any more; so who has been turned away does not come back. That goes before its semaphores end,
        // which would wake threads in it.
        let blocks = core::mem::take(&mut dead.blocks);
        self.close_portals_to(&blocks);
        // From here on they are its remains, and may be freed.
        let trusted = dead.flags & flags::TRUSTED != 0;
        let count = blocks.len();
        self.zombies.push_kept(Zombie {
            asid,
            charge: dead.charge.take(),
            table,
            blocks: count,
            lent: Vec::new(),
            lent_unknown: false,
            trusted,
            space_destroyed: false,
        });
        for code in blocks {
            self.code.retire(code);
        }
        // Who waits for a stack of it calls again, and gets the answer for the dead.
        while self.machine.stack_dead(asid) {}
        let (lent, unknown) = self.divert_frames(asid, table);
        self.close_all(asid, &dead);
        self.leave_sandbox(asid, &dead.sandbox);
        self.forget_pagers(dead.id);
        while let Some(charge) = self.ended.remove_child(dead.id) {
            self.accounts.refund(charge);
        }
        if trusted {
            self.withdraw_templates(asid);
        }
        if dead.provides > 0 {
            for id in 0..self.registrations.end() {
                if self.registrations.get(id).is_some_and(|r| r.server == asid)
                    && let Some(gone) = self.registrations.remove(id)
                {
                    self.accounts.refund(gone.charge);
                }
            }
        }
        self.machine.names_forget(asid);
        self.machine.interrupt_forget(asid);
        for &child in &dead.children {
            if let Some(child) = self.domains.get_mut(child) {
                child.parent = 0;
            }
        }
        self.orphaned.retain(|&orphaned| orphaned != asid);
        for (semaphore, charge) in dead.waiters.drain(..) {
            self.posts.push(self.machine, semaphore);
            self.accounts.refund(charge);
        }
        if let Some(parent) = self.domains.get_mut(dead.parent) {
            parent.children.retain(|&child| child != asid);
            if !self.orphaned.contains(&dead.parent) {
                self.orphaned.push_kept(dead.parent);
            }
        }
        let parent = self.domain(dead.parent).ok().map(|parent| parent.id);
        self.ended.insert(dead.id, parent, how, dead.account);
        self.events.push_kept(how);
        self.posts.push(self.machine, self.event_semaphore);
        if trusted || unknown || !lent.is_empty() {
            // Its space stays for a while, and with it what it was lent, which is its lender's to free again.
            self.machine.windows_close(asid);
        }
        if let Some(zombie) = self.zombies.iter_mut().find(|zombie| zombie.asid == asid) {
            (zombie.lent, zombie.lent_unknown) = (lent, unknown);
        }
        self.sweep();
    }
    /// Turns every frame that would return into the dead domain towards the graveyard. Returns the calls that have
    /// windows on its memory open, and whether there are others, which there was no memory to list.
    fn divert_frames(&mut self, asid: usize, table: Table<M>) -> (Vec<(ThreadPage<M>, u64)>, bool) {
        let (mut lent, mut unknown) = (Vec::new(), false);
        let mut seen = Seen::new(self.machine.info().symbols.floating_return);
        for (index, page, _) in self.threads.living() {
            // What takes long is done with interrupts on; what it found counts if it is still so once they are off. Who has run
            // meanwhile and has changed its frames is looked at again. The oldest frames go first: those that stay.
            let (mut left, mut turned) = (0, false);
            loop {
                if left == 0 {
                    left = seen.look(page, &self.code, |frame| self.concerns(frame, asid, table));
                }
                let masked = Masked::new(self.machine);
                if !seen.holds(page) {
                    left = 0;
                    continue;
                }
                let mut waits = false;
                for _ in 0..MASKED_FRAMES {
                    let Some(n) = seen.last_concerned(left) else {
                        left = 0;
                        break;
                    };
                    left = n;
                    let frame = seen.frame(page, n);
                    if self.divert_frame(frame, page, asid, table) {
                        unknown |= lent.try_push((page, frame.address())).is_err();
                    }
                    seen.turned(n, frame);
                    turned |= frame.table() == self.graveyard;
                    if seen.is_top(n) {
                        (left, waits) = (0, frame.table() == self.graveyard);
                        break;
                    }
                }
                if waits {
                    // Before it can go on by itself: it may then wait for something that has to do with nobody's death.
                    masked.enter_scheduler(|| self.machine.wake_dead(index));
                } else if left == 0 && turned && seen.returns_to(self.graveyard) {
                    masked.enter_scheduler(|| self.machine.cancel(index, FOR_THE_DEAD, 0));
                }
                if left == 0 {
                    break;
                }
            }
        }
        (lent, unknown)
    }
    /// Whether calls of some dead domain have windows on its memory open.
    fn dead_lend(&self) -> bool {
        self.threads.living().any(|(_, page, _)| {
            let diverted = page.frames(&self.code).filter(|f| !f.floating() && f.table() == self.graveyard);
            diverted.into_iter().any(|f| self.is_templated(f) && self.lent_entries(f).next().is_some())
        })
    }
    /// Whether the end of domain `asid` has to do with `frame`.
    fn concerns(&self, frame: FrameView<M>, asid: usize, table: Table<M>) -> bool {
        frame.table() == table || (self.is_templated(frame) && self.server(frame) == Some(asid))
    }
    /// Turns one frame away. Whether its call has windows on the dead domain's memory open.
    fn divert_frame(&self, frame: FrameView<M>, page: ThreadPage<M>, asid: usize, table: Table<M>) -> bool {
        let graveyard = self.graveyard;
        let templated = self.is_templated(frame);
        let mut lends = false;
        if frame.table() == table {
            frame.divert(graveyard, DEAD_STUB as u64);
            lends = templated && self.lent_entries(frame).next().is_some();
        }
        if templated && self.server(frame) == Some(asid) {
            for used in self.templated(frame).all() {
                let template = self.templates[used.template as usize];
                if template.letters.iter().any(|l| l.lent > 0) {
                    // Its page tables go: closing these windows must write where nobody minds.
                    frame.set_word(used.common as usize, graveyard.address() - 2048);
                    page.forget_slots(frame.word(used.common as usize + 8), self.lent_entries(frame).count());
                }
            }
        }
        lends
    }
    /// Thread `index`, which has called the portal manager for that, ends, and with the last thread of a domain that nobody else can
    /// enter, the domain. A thread that is in its domain's controlling domain ends when it returns from there: it holds a stack of
    /// that domain.
    pub fn exit_thread(&mut self, index: usize) -> Exit {
        let Ok(caller) = self.caller(index) else { return Exit::Ends };
        // In the middle of a call: it has windows open, and its caller goes on with `EDEAD`.
        if caller.direct == caller.subject && self.leave_call(index) {
            return Exit::Returns;
        }
        if self.is_last_thread(caller.subject) {
            let how = Ended { asid: caller.subject as u64, kind: ended::EXIT, ..Ended::default() };
            self.end_domain(caller.subject, how);
            return Exit::Returns;
        }
        if caller.direct == caller.subject {
            return Exit::Ends;
        }
        self.divert_thread(index, caller.subject).map_or_else(Exit::Refused, |()| Exit::Returns)
    }
    /// Ends domain `asid` for domain `by`. `EACCESS`: that one may not, or the system could not go on.
    pub fn kill(&mut self, by: usize, asid: usize) -> Result<isize> {
        self.domain(asid)?;
        if !self.may_control(by, asid) || self.is_vital(asid) {
            return Err(Error::EACCESS);
        }
        self.end_domain(asid, Ended { asid: asid as u64, kind: ended::KILLED, ..Ended::default() });
        Ok(0)
    }
    /// Makes thread `index` end instead of returning to domain `asid`.
    pub fn divert_thread(&mut self, index: usize, asid: usize) -> Result<()> {
        let table = self.domain(asid)?.table;
        let page = ThreadPage::of(self.machine, index).ok_or(Error::ESRCH)?;
        for frame in page.frames(&self.code).filter(|f| !f.floating() && f.table() == table) {
            frame.divert(self.graveyard, DEAD_STUB as u64);
        }
        Ok(())
    }
    /// If thread `index`, which has called the portal manager, serves a call, it returns from that with `EDEAD` when it returns
    /// from here.
    pub fn leave_call(&mut self, index: usize) -> bool {
        let Some(page) = ThreadPage::of(self.machine, index) else { return false };
        let mut frames = page.frames(&self.code).filter(|f| !f.floating());
        let (Some(own), Some(_)) = (frames.next(), frames.next()) else { return false };
        own.divert(self.graveyard, DEAD_STUB as u64);
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
            && d.sandbox.inside.is_empty()
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
            let (entries, kind, unused) = (before - block.users.len(), block.kind, block.users.is_empty());
            if let Kind::Semaphore { id, .. } = kind {
                (0..entries).for_each(|_| self.semaphore_released(id as usize));
            }
            if unused && entries > 0 {
                self.gone(kind);
                self.code.retire(code);
            }
        }
    }
    /// Makes portals to a dead domain, whose blocks are given, answer `EDEAD`.
    pub fn close_portals_to(&mut self, blocks: &[u64]) {
        for &code in blocks {
            let Some(block) = self.code.get_mut(code) else { continue };
            let dead = if matches!(block.kind, Kind::Granted { .. }) { self.dead_grant } else { self.dead_portal };
            for (user, number) in core::mem::take(&mut block.users) {
                if let Some(d) = self.domains.get(user as usize)
                    && d.table.entry(number as usize) == code
                {
                    d.table.set_entry(number as usize, dead);
                }
            }
        }
    }
    /// Frees what dead domains have left and no frame needs any more.
    pub fn sweep(&mut self) {
        if self.zombies.is_empty() {
            return;
        }
        if self.zombies.iter().any(|zombie| zombie.blocks > 0) {
            self.free_retired();
        }
        let mut zombies = core::mem::take(&mut self.zombies);
        // A record of a template's is used for as long as code of the template is.
        let unused = self.templates_unused();
        let unknown = zombies.iter().any(|zombie| zombie.lent_unknown) && self.dead_lend();
        zombies.retain_mut(|zombie| {
            zombie.lent_unknown &= unknown;
            zombie.lent.retain(|&(page, frame)| {
                page.invocation() <= frame && page.frames(&self.code).any(|f| f.address() == frame)
            });
            if zombie.lent.is_empty() && !zombie.lent_unknown && (unused || !zombie.trusted) && !zombie.space_destroyed
            {
                self.machine.space_destroy(zombie.asid);
                zombie.space_destroyed = true;
            }
            let kept = !zombie.space_destroyed || zombie.blocks > 0;
            if !kept {
                self.free_descriptors(zombie.table);
                self.free_block(abi::address::physical(zombie.table.address() as usize) - domain::TABLE);
                self.settle(zombie.asid, zombie.charge.take());
            }
            kept
        });
        // With the room that it has for more.
        self.zombies = zombies;
    }
    fn free_descriptors(&mut self, table: Table<M>) {
        let mut next = table.field(domain::STACKS);
        while next != 0 {
            let descriptor = next;
            next = self.machine.read(descriptor);
            self.free_descriptor(descriptor);
        }
    }
    fn free_descriptor(&mut self, descriptor: u64) {
        let (first, count) = self.descriptors;
        self.machine.write(descriptor, first);
        self.descriptors = (descriptor, count + 1);
    }
    /// Makes descriptors of `bytes` of the nucleus's data at `start`.
    #[optimize(size)]
    pub fn add_descriptors(&mut self, start: u64, bytes: usize) {
        (start..start + bytes as u64).step_by(size_of::<StackDescriptor>()).for_each(|at| self.free_descriptor(at));
    }
    /// Adds a stack to the queue of `asid`.
    pub fn add_stack(&mut self, asid: usize) -> Result<()> {
        self.domain(asid)?;
        if self.descriptors.0 == 0 {
            let page = supervisor(self.machine.nucleus_pages(1)?) as u64;
            self.add_descriptors(page, PAGE);
        }
        let top = self.machine.stack_for(asid, THREAD_STACK)?;
        let (descriptor, count) = self.descriptors;
        self.descriptors = (self.machine.read(descriptor), count - 1);
        let d = self.domain_mut(asid)?;
        d.queue += 1;
        let table = d.table;
        self.machine.write(descriptor + 8, top as u64);
        let _masked = Masked::new(self.machine);
        self.machine.write(descriptor, table.field(domain::STACKS));
        table.set_field(domain::STACKS, descriptor);
        Ok(())
    }
    /// A domain may wait for a semaphore that nobody is left to post: its threads all wait without a time-out, nobody
    /// else has the semaphores, and nobody can call it. Such waits end with `EDEAD`.
    pub fn wake_stuck(&mut self) {
        for n in 0..self.orphaned.len() {
            let asid = self.orphaned[n];
            // Unless one of them has been woken while the others were looked at: who is as it was found then, now that all have been,
            // waited when they all did, and nobody was left to wake one.
            if self.is_stuck(asid) {
                let Ok(id) = self.domain(asid).map(|d| d.id) else { continue };
                if self.threads_of(id).all(|index| self.machine.end_stuck(index, false)) {
                    self.threads_of(id).for_each(|index| {
                        self.machine.end_stuck(index, true);
                    });
                }
            }
        }
    }
    pub fn is_graveyard(&self, asid: usize) -> bool {
        self.domain(asid).is_ok_and(|d| d.table == self.graveyard)
    }
    /// Whether the system could not go on without it.
    pub fn is_vital(&self, asid: usize) -> bool {
        self.is_graveyard(asid)
            || self.machine.info().domains[..self.machine.info().domain_count as usize]
                .iter()
                .any(|d| d.asid as usize == asid)
    }
    fn threads_of(&self, id: DomainId) -> impl Iterator<Item = usize> {
        self.threads.living().filter(move |&(_, _, home)| home == id).map(|(index, _, _)| index)
    }
    fn is_stuck(&self, asid: usize) -> bool {
        let Some(d) = self.domains.get(asid) else { return false };
        // Only domains that had children: a boot component or a driver waits for interrupts and for its own portals.
        if d.provides > 0 || !d.children.is_empty() {
            return false;
        }
        let waits = |index: usize| {
            let semaphore = self.machine.waiting(index);
            semaphore.is_some_and(|id| self.only_users(id, asid))
        };
        if self.threads_of(d.id).next().is_none() || !self.threads_of(d.id).all(waits) {
            return false;
        }
        let foreign = self.threads.living().any(|(_, page, home)| {
            home != d.id && page.frames(&self.code).any(|f| !f.floating() && f.table() == d.table)
        });
        !foreign
    }
    /// Whether semaphore `id` has portals, and only in the table of `asid`.
    fn only_users(&self, id: usize, asid: usize) -> bool {
        let Some(semaphore) = self.semaphores.get(id) else { return false };
        let blocks = semaphore.blocks.iter().filter_map(|&code| self.code.get(code));
        blocks.flat_map(|b| &b.users).all(|&(user, _)| user as usize == asid)
    }
}
