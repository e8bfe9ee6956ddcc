//! Domains of protection in the task of somebody else, who has given the right to make them: so a loader is a component as any other.
//!
//! A delegation is an entry of the table of who gives it, and names whom it is given to, by a portal that leads there: nobody else can use it. That
//! one accepts it while it serves a call of the giver's, so no table has an entry that its domain has not asked for; and it has, from then
//! on, a delegation in its own table, and a handle for each domain that it makes. What it shows and passes to these is the giver's, and what the
//! giver could show and pass; the giver is their parent, and its account pays. How much that may come to is said when it is given.
//! Withdrawn, it leaves its holder nothing: those of its domains that nobody else has a name for end.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::state::code::Kind;
use crate::state::delegations::Delegation;
use crate::state::enclosure::Enclosure;
use crate::state::wanted::Wanted;
use abi::Error;
use abi::address::PAGE;
use abi::rights::Rights;

impl<M: Machine> Manager<M> {
    /// Domain `by` lets whom its portal `portal` leads to make `domains` domains of protection in its task, which take `pages` together, in the
    /// name of domain `giver`; the delegation, in the table of `by`. `EPORTAL`: the portal leads to no server; `EINVAL`: none, to be made by
    /// one of the task itself; `ENOTSUP`: there can be none in the task.
    #[optimize(size)]
    pub(crate) fn delegate(&mut self, by: usize, giver: usize, [portal, domains, pages]: [usize; 3]) -> Result<usize> {
        self.may_have_parts(self.task_of(giver))?;
        let registered = |kind: Kind| matches!(kind, Kind::Registered { .. } | Kind::Granted { .. });
        let server = self.named(by, portal, registered).map_err(|_| Error::EPORTAL)?.server as usize;
        if domains == 0 || self.task_of(server) == self.task_of(giver) {
            return Err(Error::EINVAL);
        }
        let (giver_id, holder) = (self.domain(giver)?.id, self.domain(server)?.id);
        let number = self.free_numbers(by, 1)?;
        let delegation = Delegation { number: 0, giver: giver_id, holder, domains, pages };
        let delegation = self.delegations.add(delegation)?;
        let code = self.handle_of(giver, Kind::Delegation { delegation });
        let installed = code.and_then(|code| self.install_first(by, number, code));
        installed.inspect_err(|_| self.delegations.forget(delegation)).map(|()| number)
    }
    /// The caller has the delegation that is entry `number` of the table of whose call thread `thread` serves in it; where in its own. `EBADF`:
    /// that one has none there; `EACCESS`: it is for somebody else; `EINVAL`: it serves no such call.
    #[optimize(size)]
    pub fn accept(&mut self, caller: Caller, thread: usize, number: usize) -> Result<usize> {
        let by = caller.direct;
        if by != caller.subject || self.shares(by) {
            return Err(Error::ENOTSUP);
        }
        let client = self.client_of(thread, by)?;
        let Kind::Delegation { delegation } = self.named(client, number, is_delegation)?.kind else {
            return Err(Error::EBADF);
        };
        self.delegated(by, delegation)?;
        let code = self.domain(client)?.table.entry(number);
        let known = self.code.get(code).and_then(|block| block.users.iter().find(|user| user.0 as usize == by));
        if let Some(&(_, known)) = known {
            return Ok(known as usize);
        }
        let own = self.free_numbers(by, 1)?;
        self.install(by, own, code)?;
        Ok(own)
    }
    /// In whose name domain `by` may act with a delegation. `EDEAD`: it is no more, or who gave it; `EACCESS`: it is somebody else's.
    pub(crate) fn delegated(&self, by: usize, delegation: u32) -> Result<usize> {
        let &Delegation { giver, holder, .. } = self.delegations.get(delegation).ok_or(Error::EDEAD)?;
        if self.domain(by)?.id != holder {
            return Err(Error::EACCESS);
        }
        self.live(giver).map_err(|_| Error::EDEAD)
    }
    /// Makes a domain of protection with the delegation that is entry `number` of the caller's table; its handle there. `ENFILE`: as many as it
    /// allows were made.
    #[optimize(size)]
    pub fn make_delegated(&mut self, caller: Caller, number: usize, name: &str) -> Result<usize> {
        let by = caller.direct;
        if by != caller.subject {
            return Err(Error::ENOTSUP);
        }
        let Kind::Delegation { delegation } = self.named(by, number, is_delegation)?.kind else {
            return Err(Error::EBADF);
        };
        let giver = self.delegated(by, delegation)?;
        let task = self.task_of(giver);
        self.may_have_parts(task)?;
        if self.delegations.get(delegation).is_none_or(|one| one.domains == 0) {
            return Err(Error::ENFILE);
        }
        let account = self.domain(giver)?.account;
        let handle = self.free_numbers(by, 1)?;
        let enclosure = Enclosure::Protection { task: task as u16, next: 0 };
        let made = self.create_domain(&Wanted { name, flags: 0, enclosure, parent: giver, account })?;
        let named = self.named_first(made, Kind::Delegated { delegation }, (by, handle))?;
        if let Some(one) = self.delegations.get_mut(delegation) {
            one.domains -= 1;
        }
        Ok(named)
    }
    /// So many pages are taken for a domain that was made with a delegation. `ENOMEM`: more than are left.
    pub(crate) fn spend(&mut self, delegation: Option<u32>, pages: usize) -> Result<()> {
        let Some(one) = delegation.and_then(|number| self.delegations.get_mut(number)) else { return Ok(()) };
        one.pages = one.pages.checked_sub(pages).ok_or(Error::ENOMEM)?;
        Ok(())
    }
    /// Domain `to` takes memory; where it begins.
    #[optimize(size)]
    pub(crate) fn take_memory(&mut self, to: usize, delegation: Option<u32>, bytes: usize) -> Result<usize> {
        if bytes == 0 || !bytes.is_multiple_of(PAGE) || bytes >= abi::address::WINDOW_VA {
            return Err(Error::EINVAL);
        }
        self.spend(delegation, bytes / PAGE)?;
        let taken = self.machine.stack_for(to, bytes);
        if taken.is_err()
            && let Some(one) = delegation.and_then(|number| self.delegations.get_mut(number))
        {
            one.pages += bytes / PAGE;
        }
        taken.map(|top| top - bytes)
    }
    /// Puts what a window shows in place of a page that the domain which `handle` names has taken. `EACCESS`: it is not the caller's to do that.
    #[optimize(size)]
    pub fn place(
        &mut self,
        caller: Caller,
        handle: usize,
        at: usize,
        rights: Rights,
        from: (usize, usize),
    ) -> Result<isize> {
        if caller.direct != caller.subject {
            return Err(Error::ENOTSUP);
        }
        let (to, by) = self.named_part(caller.direct, handle)?;
        if !self.may_manage(by, to) {
            return Err(Error::EACCESS);
        }
        self.machine.place_page(to, at, rights, from).map(|()| 0)
    }
    /// Domain `giver` has a handle of domain `to`, which was made in its name; its number.
    #[optimize(size)]
    pub(crate) fn give(&mut self, giver: usize, to: usize) -> Result<usize> {
        let word = self.domain(to)?.id.word();
        let blocks = self.domain(self.task_of(giver))?.blocks.iter().filter_map(|&code| self.code.get(code));
        let handles = blocks.filter(|block| block.kind == Kind::Handle && block.entry == word);
        let known = handles.flat_map(|block| block.users.iter()).find(|user| user.0 as usize == giver);
        if let Some(&(_, known)) = known {
            return Ok(known as usize);
        }
        let number = self.free_numbers(giver, 1)?;
        let code = self.handle_of(to, Kind::Handle)?;
        self.install_first(giver, number, code)?;
        Ok(number)
    }
    /// Withdraws the delegation that is entry `number` of domain `by`; its holder, who can not, gives it up.
    #[optimize(size)]
    pub(crate) fn withdraw_delegation(&mut self, by: usize, number: usize) -> Result<()> {
        let block = self.named(by, number, is_delegation)?;
        let (kind, task) = (block.kind, block.server as usize);
        let Kind::Delegation { delegation } = kind else { return Err(Error::EBADF) };
        if self.task_of(by) == task {
            // What is let go of may be freed, and changes the order of the others: until a look through them finds none.
            let ours = [kind, Kind::Delegated { delegation }];
            loop {
                let blocks = self.domain(task)?.blocks.iter().filter_map(|&code| self.code.get(code));
                let held = blocks.filter(|block| ours.contains(&block.kind)).find_map(|b| b.users.first().copied());
                let Some((user, entry)) = held else { break };
                self.uninstall(user as usize, entry as usize)?;
            }
        } else {
            self.uninstall(by, number)?;
        }
        self.end_unnamed(task);
        Ok(())
    }
}
fn is_delegation(kind: Kind) -> bool {
    matches!(kind, Kind::Delegation { .. })
}
