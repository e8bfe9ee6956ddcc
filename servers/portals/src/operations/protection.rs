//! Domains of protection: what a task does with them. Each is named by a *handle*, an entry of the caller's portal table: who has it was
//! given it, and it can be taken away. What a handle's holder shows or passes is what it has itself.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::state::code::{Block, Kind};
use crate::state::domain::Domain;
use crate::state::enclosure::Enclosure;
use crate::state::entry_points::EntryPoint;
use crate::state::wanted::Wanted;
use abi::Error;
use abi::address::{PAGE, THREAD_STACK};
use abi::domain_set::DomainSet;
use abi::identity::DomainId;
use abi::memory::{Parties, Shown};
use abi::nucleus::NPORTALS;
use abi::nucleus::flags::PATCHES;
use abi::protection::{PROCEDURES, SPECIFICATION, operation};
use abi::rights::Rights;
use abi::step::places::{V3, W0, ZERO};
use abi::step::{below_number, different};
use abi::system::{Ended, FIRST_FREE, ended};
use fallible::TryPush;
use portal::{End, ShortCircuit};

/// Most stacks that one registration adds.
const STACKS: usize = 64;

/// What an entry of a table that is a handle stands for.
struct Named {
    id: DomainId,
    /// The domain's task has this number, or has had it.
    task: usize,
    by: usize,
    delegation: Option<u32>,
}

impl<M: Machine> Manager<M> {
    /// Makes a domain of protection in the caller's task, which sees nothing and has no portals but those of every domain; a handle in
    /// the caller's table. `ENOTSUP`: the caller is trusted, in a sandbox, shares its portal table, or executes in supervisor mode.
    #[optimize(size)]
    pub fn create_protection(&mut self, caller: Caller, name: &str) -> Result<usize> {
        let task = self.task_of(caller.direct);
        self.may_have_parts(task)?;
        if caller.direct != caller.subject {
            return Err(Error::ENOTSUP);
        }
        let account = self.domain(caller.direct)?.account;
        let number = self.free_numbers(caller.direct, 1)?;
        let enclosure = Enclosure::Protection { task: task as u16, next: 0 };
        let made = self.create_domain(&Wanted { name, flags: 0, enclosure, parent: caller.direct, account })?;
        self.named_first(made, Kind::Handle, (caller.direct, number))
    }
    /// Gives domain `made`, which is new, its first name: entry `number` of domain `by`. Without it it ends.
    pub(crate) fn named_first(&mut self, made: usize, kind: Kind, (by, number): (usize, usize)) -> Result<usize> {
        let named = self.handle_of(made, kind).and_then(|code| self.install_first(by, number, code));
        named.inspect_err(|_| self.destroy_protection(made)).map(|()| number)
    }
    /// A handle of the component called `name` that is a domain of protection in the caller's space; in the caller's table. `EACCESS`: the
    /// caller is one itself; `ENOENT`: there is no such component.
    #[optimize(size)]
    pub fn open_protection(&mut self, caller: Caller, name: &str) -> Result<usize> {
        let task = caller.direct;
        if task != caller.subject {
            return Err(Error::ENOTSUP);
        }
        if self.task_of(task) != task {
            return Err(Error::EACCESS);
        }
        let called = |&part: &usize| self.domain(part).is_ok_and(|d| d.lasting && abi::section::text(&d.name) == name);
        let part = self.family(task).skip(1).find(called).ok_or(Error::ENOENT)?;
        let number = self.free_numbers(task, 1)?;
        let code = self.handle_of(part, Kind::Handle)?;
        self.install_first(task, number, code)?;
        Ok(number)
    }
    /// Which domains of protection in the space of domain `task` somebody has a name for: a handle, or a connection.
    pub(crate) fn named_parts(&self, task: usize) -> DomainSet {
        let mut named = DomainSet::NONE;
        for member in self.family(task) {
            let codes = self.domains.get(member).map_or(&[][..], |d| &d.blocks);
            for block in codes.iter().filter_map(|&code| self.code.get(code)).filter(|block| block.is_used()) {
                match block.kind {
                    Kind::Handle | Kind::Delegated { .. } => named.add(block.entry as u16 as usize),
                    Kind::Procedure { .. } => named.add(member),
                    _ => {}
                }
            }
        }
        named
    }
    /// Ends the domains of protection in the space of domain `task` that nobody has a name for any more, in which no thread has its home, and
    /// which provide nothing; but for those of components. Nobody will ask how they ended.
    #[inline(always)]
    pub(crate) fn end_unnamed(&mut self, task: usize) {
        if core::mem::take(&mut self.names_lost) {
            self.end_all_unnamed(task);
        }
    }
    #[cold]
    #[optimize(size)]
    fn end_all_unnamed(&mut self, task: usize) {
        self.reap();
        self.end_unnamed_in(task);
        // Who ends may have been the last to have a name for one of another task.
        while core::mem::take(&mut self.names_lost_elsewhere) {
            for other in 1..self.domains.end() {
                if self.first_part(other).is_some() {
                    self.end_unnamed_in(other);
                }
            }
        }
        // What they had names for has been looked at too.
        self.names_lost = false;
    }
    #[cold]
    #[optimize(size)]
    fn end_unnamed_in(&mut self, task: usize) {
        loop {
            let named = self.named_parts(task);
            let unused = |&part: &usize| {
                let idle = |d: &Domain<M>| !d.lasting && d.threads == 0 && d.provides == 0;
                !named.has(part) && self.domain(part).is_ok_and(idle)
            };
            let Some(part) = self.family(task).skip(1).find(unused) else { break };
            self.end_one(part, Ended { kind: ended::KILLED, ..Ended::default() });
            self.forget_end(part);
        }
    }
    /// The code that a handle of domain `asid` leads to: a call of it as a portal ends with `ENOTSUP`. It is its task's, so that it
    /// names the domain also when that has ended.
    #[optimize(size)]
    pub(crate) fn handle_of(&mut self, asid: usize, kind: Kind) -> Result<u64> {
        let length = self.emit_answer(Error::ENOTSUP);
        let (task, bytes) = (self.task_of(asid), crate::state::code::bytes(length));
        let (id, account) = (self.domain(asid)?.id, self.domain(task)?.account);
        let mut charge = self.accounts.charge(account, abi::account::Resource::Code, bytes)?;
        let block = Block { entry: id.word(), same_domain: false, ..Block::own(kind, task, false) };
        let room = self.domain_mut(task)?.blocks.room_for(1);
        let made = room.and_then(|()| self.code.add(&self.scratch, length, block, &mut charge));
        self.accounts.refund(charge);
        let code = made?;
        self.domain_mut(task)?.blocks.push_kept(code);
        Ok(code)
    }
    /// Writes code to `scratch` that ends a call with `error`; its words.
    pub(crate) fn emit_answer(&mut self, error: Error) -> usize {
        portal::answer(error, &self.machine.info().symbols, &mut self.scratch).unwrap_or(4)
    }
    /// The block that entry `number` of domain `asid` leads to, if it is one of a kind that is `wanted`. `EBADF`: it is not.
    pub(crate) fn named(&self, asid: usize, number: usize, wanted: impl Fn(Kind) -> bool) -> Result<&Block> {
        if !(FIRST_FREE..NPORTALS).contains(&number) {
            return Err(Error::EBADF);
        }
        let block = self.code.get(self.domain(asid)?.table.entry(number)).filter(|block| wanted(block.kind));
        block.ok_or(Error::EBADF)
    }
    /// The domain of protection that entry `handle` of domain `by` names, and in whose name that one does something with it: its own, or that
    /// of who has delegated it (then with which delegation). `EBADF`: it is no handle; `EDEAD`: it is delegated no more.
    fn protection(&self, by: usize, handle: usize) -> Result<Named> {
        let block = self.named(by, handle, |kind| matches!(kind, Kind::Handle | Kind::Delegated { .. }))?;
        let id = DomainId::of(block.entry).ok_or(Error::EBADF)?;
        let task = block.server as usize;
        let (by, delegation) = match block.kind {
            Kind::Delegated { delegation } => (self.delegated(by, delegation)?, Some(delegation)),
            _ => (by, None),
        };
        Ok(Named { id, task, by, delegation })
    }
    /// The number of the domain of protection that entry `handle` of domain `by` names, and in whose name that one does something with it. `EDEAD`: it
    /// is no more.
    pub(crate) fn named_part(&self, by: usize, handle: usize) -> Result<(usize, usize)> {
        let Named { id, by, .. } = self.protection(by, handle)?;
        Ok((self.live(id).map_err(|_| Error::EDEAD)?, by))
    }
    /// Whether domain `by` says what domain of protection `to` is made of, and when it ends: its task does, and who made it. Who only has a handle,
    /// which was passed to it, calls: what leads into a protected module is not its clients' to say.
    pub(crate) fn may_manage(&self, by: usize, to: usize) -> bool {
        self.task_of(to) == by || self.domain(to).is_ok_and(|d| d.parent == by)
    }
    /// Does what `what` says with the domain that `handle` names. `EDEAD`: it is no more; `EACCESS`: it is not the caller's to do that.
    #[optimize(size)]
    pub fn operate(&mut self, caller: Caller, handle: usize, what: usize, words: [usize; 3]) -> Result<isize> {
        if caller.direct != caller.subject {
            return Err(Error::ENOTSUP);
        }
        let holder = caller.direct;
        if what == operation::DESTROY && self.named(holder, handle, |k| matches!(k, Kind::Delegation { .. })).is_ok() {
            return self.withdraw_delegation(holder, handle).map(|()| 0);
        }
        if what == operation::DELEGATE && handle == 0 {
            return self.delegate(holder, holder, words).map(|number| number as isize);
        }
        let Named { id, task, by, delegation } = self.protection(holder, handle)?;
        if what == operation::DESTROY {
            match self.live(id) {
                Ok(to) if !self.may_manage(by, to) => return Err(Error::EACCESS),
                Ok(to) => self.destroy_protection(to),
                Err(_) => self.end_is_known(by, task, id),
            }
            self.uninstall(holder, handle)?;
            self.end_unnamed(self.task_of(holder));
            return Ok(0);
        }
        let (to, [first, second, third]) = (self.live(id).map_err(|_| Error::EDEAD)?, words);
        if !self.may_manage(by, to) && !matches!(what, operation::CONNECT | operation::NUMBER) {
            return Err(Error::EACCESS);
        }
        match (what, delegation) {
            (operation::REGISTER, _) => {
                self.spend(delegation, third.min(STACKS + 1) * (THREAD_STACK / PAGE))?;
                self.register_entry(to, first, second, third).map(|()| 0)
            }
            // Numbers of its task mean nothing in another's table.
            (operation::CONNECT | operation::DELEGATE, Some(_)) => Err(Error::EACCESS),
            (operation::CONNECT, None) => self.connect(by, to, first).map(|number| number as isize),
            (operation::DELEGATE, None) => self.delegate(by, to, words).map(|number| number as isize),
            (operation::SHOW, _) => self.show(by, to, (first, second), third).map(|()| 0),
            (operation::PASS, _) => self.pass_portal(by, to, first).map(|()| 0),
            (operation::WITHDRAW, _) => {
                self.withdraw_portal(to, first)?;
                self.end_unnamed(self.task_of(by));
                Ok(0)
            }
            (operation::NUMBER, _) => Ok(to as isize),
            (operation::TAKE, _) => self.take_memory(to, delegation, first).map(|start| start as isize),
            (operation::GIVE, Some(_)) => self.give(by, to).map(|number| number as isize),
            _ => Err(Error::EINVAL),
        }
    }
    /// Domain `id` has ended by itself, and domain `by` closes its handle: if it may say when it ends, nobody will ask how it did. To others
    /// that is not said.
    #[optimize(size)]
    fn end_is_known(&mut self, by: usize, task: usize, id: DomainId) {
        let end = self.ended.of(id.number()).filter(|end| end.id == id);
        let own = self.domain(by).ok().map(|own| own.id);
        if end.is_some_and(|end| by == task || own.is_some() && end.parent == own) {
            self.forget_end(id.number());
        }
    }
    /// Ends domain `asid`. What is connected to it has its numbers back.
    #[optimize(size)]
    pub(crate) fn destroy_protection(&mut self, asid: usize) {
        // What is let go of may be freed, and changes the order of the others: until a look through them finds none.
        while let Some((user, number)) = self.connected(asid) {
            if self.uninstall(user as usize, number as usize).is_err() {
                break;
            }
        }
        self.end_domain(asid, Ended { kind: ended::KILLED, ..Ended::default() });
        self.forget_end(asid);
    }
    /// A table entry that leads to an entry point of domain `asid`.
    fn connected(&self, asid: usize) -> Option<(u16, u16)> {
        let blocks = self.domains.get(asid)?.blocks.iter().filter_map(|&code| self.code.get(code));
        let mut procedures = blocks.filter(|block| matches!(block.kind, Kind::Procedure { .. }));
        procedures.find_map(|block| block.users.first().copied())
    }
    #[optimize(size)]
    fn register_entry(&mut self, to: usize, entry: usize, procedures: usize, stacks: usize) -> Result<()> {
        if entry == 0 || entry >= abi::address::WINDOW_VA || !(1..=PROCEDURES).contains(&procedures) || stacks > STACKS
        {
            return Err(Error::EINVAL);
        }
        let point = EntryPoint { domain: self.domain(to)?.id, entry: entry as u32, procedures: procedures as u16 };
        self.entry_points.add(point)?;
        let added = (0..stacks).try_for_each(|_| self.add_stack(to));
        added.inspect_err(|_| self.entry_points.remove(point))
    }
    /// The number of the portal to `entry` of domain `to`, in the table of `by` and in all of the task that have it. The portal compares
    /// the procedure's number with how many there are.
    #[optimize(size)]
    fn connect(&mut self, by: usize, to: usize, entry: usize) -> Result<usize> {
        let point = self.entry_points.find(self.domain(to)?.id, entry as u32).filter(|p| p.entry as usize == entry);
        let point = point.ok_or(Error::ENOENT)?;
        if by == to {
            return Err(Error::EINVAL);
        }
        if let Some((code, number)) = self.known_connection(to, point)? {
            if self.domain(by)?.table.entry(number) != code {
                self.install(by, number, code)?;
            }
            return Ok(number);
        }
        let number = self.free_numbers(by, 1)?;
        self.connect_first(by, number, to, point)?;
        Ok(number)
    }
    /// The portal to an entry point of domain `to` that somebody in its task has, and its number there.
    pub(crate) fn known_connection(&self, to: usize, point: EntryPoint) -> Result<Option<(u64, usize)>> {
        let kind = Kind::Procedure { entry: point.entry };
        let mut known = self.domain(to)?.blocks.iter().filter_map(|&code| {
            let block = self.code.get(code).filter(|block| block.kind == kind)?;
            block.users.first().map(|&(_, number)| (code, number as usize))
        });
        Ok(known.next())
    }
    /// Makes the portal to an entry point of domain `to`, as `number` of domain `by`.
    #[optimize(size)]
    pub(crate) fn connect_first(&mut self, by: usize, number: usize, to: usize, point: EntryPoint) -> Result<()> {
        let kind = Kind::Procedure { entry: point.entry };
        let known = [below_number(V3, W0, point.procedures as i32), different(V3, ZERO).enter()];
        let steps = [known[0], known[1], abi::step::number(W0, Error::ENOENT.code() as i32)];
        let words = portal::lower::short_circuit(&steps);
        let short_circuit = ShortCircuit { words: &words[..steps.len()], record: 0 };
        let specification = self.parse(SPECIFICATION).map_err(|_| Error::EINVAL)?;
        let caller = self.end(by)?;
        // Others of the task have the same portal, and it does not lead to the task.
        let caller = End { flags: caller.flags & !PATCHES, ..caller };
        let (ends, target) = ((caller, to), (point.entry as u64, &[][..]));
        let (code, _) =
            self.generate_with(ends, &specification, target, Some(short_circuit), kind, self.count(number))?;
        self.install_first(by, number, code)
    }
    #[optimize(size)]
    fn show(&mut self, by: usize, to: usize, range: (usize, usize), rights: usize) -> Result<()> {
        let rights = Rights::of_page_or_none(rights).ok_or(Error::EINVAL)?;
        self.freeze(to);
        let shown =
            self.machine.view_show(Shown { parties: Parties { by, to }, rights }, range, self.open_windows.window());
        self.thaw(to);
        shown
    }
    /// Domain `to` gets portal `number` of domain `from`, at the same number. `EEXIST`: it has another one there.
    #[optimize(size)]
    fn pass_portal(&mut self, from: usize, to: usize, number: usize) -> Result<()> {
        if !(FIRST_FREE..NPORTALS).contains(&number) {
            return Err(Error::EPORTAL);
        }
        let code = self.domain(from)?.table.entry(number);
        let there = self.domain(to)?.table.entry(number);
        let block = self.code.get(code).ok_or(Error::EPORTAL)?;
        let (kind, own) = (block.kind, block.same_domain && block.server as usize == from);
        if there == code || from == to {
            return Ok(());
        }
        if there != self.machine.info().symbols.bad_portal && there != self.dead.portal {
            return Err(Error::EEXIST);
        }
        let own_only = matches!(kind, Kind::Delegation { .. } | Kind::Delegated { .. });
        if own_only || matches!(kind, Kind::Stub | Kind::Upcall | Kind::Recorder | Kind::Nucleus) {
            return Err(Error::EINVAL);
        }
        self.copy_portal(own, to, number, (code, kind))
    }
    #[optimize(size)]
    fn withdraw_portal(&mut self, from: usize, number: usize) -> Result<()> {
        let there = FIRST_FREE..NPORTALS;
        if !there.contains(&number) || self.domain(from)?.table.entry(number) == self.machine.info().symbols.bad_portal
        {
            return Err(Error::EPORTAL);
        }
        self.uninstall(from, number)
    }
    /// Entry `number` of domain `to` leads to `code`, which another's leads to, and to what `kind` says; where that is the other itself
    /// (`own`), to `to`'s portal to it.
    #[inline(always)]
    pub(crate) fn copy_portal(&mut self, own: bool, to: usize, number: usize, (code, kind): (u64, Kind)) -> Result<()> {
        let code = if own {
            match kind {
                Kind::Registered { registration } => {
                    self.generate_registered(self.end(to)?, registration as usize, false, number)?
                }
                _ => return Err(Error::EINVAL),
            }
        } else {
            code
        };
        self.install(to, number, code)?;
        if let Kind::Semaphore { id, .. } = kind
            && let Some(semaphore) = self.semaphores.get_mut(id as usize)
        {
            semaphore.entries += 1;
        }
        Ok(())
    }
    /// `count` consecutive numbers that are free in the tables of all that see one space.
    #[cold]
    pub(crate) fn free_numbers_of_all(&self, asid: usize, count: usize) -> Result<usize> {
        crate::manager::free_run(FIRST_FREE, count, |number| self.is_free_for_all(asid, number))
    }
    /// Whether `number` is.
    pub(crate) fn is_free_for_all(&self, asid: usize, number: usize) -> bool {
        let bad = self.machine.info().symbols.bad_portal;
        self.family(asid).all(|member| self.domain(member).is_ok_and(|d| d.table.entry(number) == bad))
    }
}
