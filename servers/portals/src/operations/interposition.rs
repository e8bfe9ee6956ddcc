//! Portal interposition (USENIX paper, section 6): a domain whose every portal leads to its parent, and parents that are
//! told of each new portal in their table.
//!
//! **A stub passes what the portal behind it passes.** One that passed a window's address as a word would have the parent lend its own page at that
//! place, which the child has chosen. So before a number of the parent's comes to lead to a portal, the stubs of that number are such; and a number
//! whose stubs have passed something else, in a call that may still be on its way, leads to no portal with windows.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{Caller, Manager};
use crate::state::code::Kind;
use crate::state::upcalls::What;
use abi::Error;
use abi::domain_set::DomainSet;
use abi::identity::DomainId;
use abi::nucleus::{NPORTALS, domain, flags};
use abi::system::{Child, FIRST_FREE};
use alloc::vec::Vec;
use core::ops::Range;
use fallible::TryPush;
use portal::{Count, Specification};

/// The stub of portals that pass words only.
const PLAIN: &str = "sm=iiiii";

impl<M: Machine> Manager<M> {
    /// Makes every entry of `child`'s table call `intercept` in `parent`, with the portal's number first. Stubs take the
    /// number from the call, so one piece of code serves all portals that pass their arguments alike.
    #[optimize(size)]
    pub fn interpose(&mut self, parent: usize, child: usize, intercept: u64) -> Result<()> {
        self.make_elastic(parent)?;
        self.enclose((parent, intercept), child, parent)?;
        let mut stubs: Vec<(Specification, u64)> = Vec::new();
        let count = if self.counts_calls() { Count::Called } else { Count::Off };
        let from = self.domain(parent)?.table;
        let bad = self.machine.info().symbols.bad_portal;
        for number in 1..NPORTALS {
            let behind = from.entry(number);
            if number >= FIRST_FREE && behind == bad {
                continue;
            }
            let Ok(specification) = self.stub_of(self.code.get(behind).map(|block| block.specification)) else {
                continue;
            };
            self.domain_mut(parent)?.sandbox.passed.note(number, &specification)?;
            let code = match stubs.iter().find(|(s, _)| *s == specification) {
                Some(&(_, code)) => code,
                None => {
                    let ends = (self.end(child)?, parent);
                    let code = self.generate(ends, &specification, (intercept, &[]), Kind::Stub, count)?;
                    stubs.try_push((specification, code)).inspect_err(|_| self.retire(code))?;
                    code
                }
            };
            self.put(code, child, number)?;
        }
        Ok(())
    }
    /// The stub of a portal of this specification: where it opens no windows, and for what is none, it passes words. `EINVAL`: there is none, for a
    /// window or its length would be left out, and what is called from the intercepting routine would have something else there.
    #[optimize(size)]
    fn stub_of(&self, specification: Option<Specification>) -> Result<Specification> {
        let windows = |s: &Specification| s.arguments().iter().filter(|a| a.templated().is_some()).count();
        match specification {
            Some(specification) if specification.is_templated() => {
                let stub = specification.stub();
                if windows(&stub) == windows(&specification) { Ok(stub) } else { Err(Error::EINVAL) }
            }
            _ => self.parse(PLAIN).map_err(|_| Error::EINVAL),
        }
    }
    /// Whether domain `asid`, and all that share its table, may have a portal of this specification at `number`: no call through a stub of that
    /// number can be on its way that has passed something else.
    #[optimize(size)]
    pub(crate) fn suits_stubs(&self, asid: usize, number: usize, specification: &Specification) -> bool {
        let stub = self.stub_of(Some(*specification)).ok();
        let suits = |asid| self.domain(asid).is_ok_and(|d| d.sandbox.passed.suits(number, stub.as_ref()));
        suits(asid) && self.sharers(asid).all(suits)
    }
    /// Number `number` of domain `controller` is about to lead to `code`: in the sandbox of that domain, its stubs are as that asks. Where there is
    /// no memory for one, the number leads nowhere there.
    #[cold]
    #[inline(never)]
    pub(crate) fn make_stubs(&mut self, controller: usize, number: usize, code: u64) {
        // By steps: how many sandboxes are in each other is for their makers to say, and the stack is short.
        let mut changed = DomainSet::NONE;
        self.make_stubs_inside(controller, number, code, &mut changed);
        while let Some(child) = changed.pop() {
            let Ok(code) = self.domain(child).map(|d| d.table.entry(number)) else { continue };
            self.make_stubs_inside(child, number, code, &mut changed);
        }
    }
    /// The same for those that `controller` itself controls. `changed`: and who of them has had others in its sandbox.
    #[inline(never)]
    fn make_stubs_inside(&mut self, controller: usize, number: usize, code: u64, changed: &mut DomainSet) {
        let Some(behind) = self.code.get(code).map(|block| block.specification) else { return };
        let wanted = self.stub_of(Some(behind)).and_then(|wanted| {
            let passed = &mut self.domain_mut(controller)?.sandbox.passed;
            let suits = passed.suits(number, Some(&wanted)) || !behind.is_templated();
            passed.note(number, &wanted)?;
            if suits { Ok(wanted) } else { Err(Error::EPORTAL) }
        });
        let mut n = 0;
        while let Some(&child) = self.domain(controller).ok().and_then(|d| d.sandbox.inside.get(n)) {
            n += 1;
            match wanted.and_then(|wanted| self.make_stub(controller, child, number, &wanted)) {
                Ok(true) if self.domain(child).is_ok_and(|d| d.sandbox.passed.any()) => changed.add(child),
                Ok(_) => {}
                Err(_) => self.unstub(child, number),
            }
        }
    }
    /// Where domain `child` has a stub at `number` that is none of its controlling domain's own making, it is one of `wanted` from now on. Whether it was
    /// another.
    #[optimize(size)]
    fn make_stub(&mut self, controller: usize, child: usize, number: usize, wanted: &Specification) -> Result<bool> {
        let d = self.domain(child)?;
        let intercept = d.sandbox.intercept;
        if let Some(there) = self.code.get(d.table.entry(number))
            && (there.entry != intercept || there.specification == *wanted)
        {
            return Ok(false);
        }
        let is = |&code: &u64| {
            self.code.get(code).is_some_and(|block| {
                let known = (block.kind, block.entry, block.specification) == (Kind::Stub, intercept, *wanted);
                known && block.users.iter().any(|user| user.0 as usize == child)
            })
        };
        // Where calls are counted, each number's code counts its own.
        let alike = self.domain(controller)?.blocks.iter().copied().find(is).filter(|_| !self.counts_calls());
        match alike {
            Some(code) => self.install_alone(child, number, code)?,
            None => {
                let ends = (self.end(child)?, controller);
                let code = self.generate(ends, wanted, (intercept, &[]), Kind::Stub, self.count(number))?;
                self.install_alone(child, number, code).inspect_err(|_| self.retire(code))?;
            }
        }
        Ok(true)
    }
    /// Number `number` of domain `child`, which is in a sandbox, leads nowhere.
    #[optimize(size)]
    pub(crate) fn unstub(&mut self, child: usize, number: usize) {
        let bad = self.machine.info().symbols.bad_portal;
        let Ok(domain) = self.domain_mut(child) else { return };
        let code = domain.table.entry(number);
        if code != bad {
            domain.table.set_entry(number, bad);
            domain.numbers.0 = domain.numbers.0.min(number);
            self.release(code, child, number);
        }
    }
    /// Lets the stack queue of `asid` grow on demand: who calls a controlling domain must not wait for another caller.
    #[optimize(size)]
    pub fn make_elastic(&mut self, asid: usize) -> Result<()> {
        let d = self.domain_mut(asid)?;
        d.flags |= flags::ELASTIC;
        d.table.set_field(domain::FLAGS, d.flags);
        if d.queue == 0 { self.add_stack(asid) } else { Ok(()) }
    }
    /// Puts a portal of the subject's own making in the table of its child; where some in the child's sandbox have the number,
    /// in theirs. The domains whose tables these are.
    #[optimize(size)]
    pub fn create_child(&mut self, caller: Caller, request: &Child) -> Result<core::result::Result<Vec<usize>, isize>> {
        let (child, number) = (request.asid as usize, request.portal as usize);
        let inside = self.domain(child)?.sandbox.controller == caller.subject;
        if !inside && self.domain(child)?.parent != caller.subject {
            return Err(Error::EACCESS);
        }
        if !inside && self.shares(child) {
            // Who makes it would act for all of them.
            return Err(Error::ENOTSUP);
        }
        if number == 0 || number >= NPORTALS || request.entry >= abi::address::WINDOW_VA as u64 {
            return Err(Error::EINVAL);
        }
        let specification = match self.parse(crate::operations::registrations::specification(&request.spec)?) {
            Ok(specification) => specification,
            Err(rejected) => return Ok(Err(rejected.code())),
        };
        self.make_elastic(caller.subject)?;
        let constants = [request.constant; 6];
        let mut domains = Vec::new();
        if inside {
            for holder in self.holders(caller.subject, number) {
                domains.try_push(holder)?;
            }
        }
        if domains.is_empty() {
            domains.try_push(child)?;
            for sharer in self.sharers(child) {
                domains.try_push(sharer)?;
            }
        }
        let ends = (self.end(child)?, caller.subject);
        let code = self.generate(ends, &specification, (request.entry, &constants), Kind::Stub, self.count(number))?;
        for (n, &domain) in domains.iter().enumerate() {
            let made = self.install(domain, number, code);
            // The first needs no memory, and keeps the code.
            if n == 0 { made.inspect_err(|_| self.retire(code))? } else { made? }
        }
        Ok(Ok(domains))
    }
    /// `numbers` of the direct caller's table are new, made in the call of thread `index`: those in the sandbox that they were made for
    /// have them, and those that share the table. Who is to be told of them.
    #[inline(always)]
    pub fn new_portals(&mut self, caller: Caller, index: usize, numbers: Range<usize>) -> Result<Option<DomainId>> {
        if caller.direct != caller.subject {
            self.hold(index, 0, numbers.clone());
        }
        self.made_portals(caller.direct, numbers)
    }
    /// The domain with number `asid`, if it wants to be told of new portals.
    #[optimize(size)]
    pub fn listener(&self, asid: usize) -> Option<DomainId> {
        self.domain(asid).ok().filter(|d| d.notify != 0).map(|d| d.id)
    }
    /// Has `entry` called after each new portal in the subject's table; 0 ends that.
    #[optimize(size)]
    pub fn set_notify(&mut self, caller: Caller, entry: usize) -> Result<isize> {
        let (own, subject) = (self.roles.own, caller.subject);
        if entry >= abi::address::WINDOW_VA {
            return Err(Error::EINVAL);
        }
        let old = core::mem::take(&mut self.domain_mut(subject)?.notify);
        self.note_links(subject);
        if old != 0 {
            self.withdraw_upcalls(|u| u.from == own && u.number == old);
        }
        if entry == 0 {
            return Ok(0);
        }
        self.make_elastic(subject)?;
        self.domain_mut(subject)?.notify = self.add_upcall((own, subject), "npii", entry, What::Portals)?;
        self.note_links(subject);
        Ok(0)
    }
}
