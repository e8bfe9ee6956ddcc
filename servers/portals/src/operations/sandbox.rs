//! Who is in whose sandbox, and who there has which portal.
//!
//! The portals of a controlling domain serve all domains inside its sandbox: the child that it has made, and the children
//! that this one forks. A portal that one of them opens is a guest in the controlling domain's table. It stays as long as one
//! of them has it: a child gets its parent's numbers, closing gives up one's own, and the last one that gives a guest up
//! closes it. So a descriptor that two domains have after a fork is closed twice, in a sandbox as outside. Where sandboxes
//! are in each other, each has the number, from the innermost to the domain that has the portal itself.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::Manager;
use crate::state::nucleus_data::ThreadPage;
use abi::domain_set::DomainSet;
use abi::nucleus::NPORTALS;
use abi::system::FIRST_FREE;
use core::ops::Range;
use fallible::TryPush;

use crate::state::sandbox::{Numbers, Sandbox};

/// Calls that a thread can be in, at most: a frame has five words.
const CHAIN: usize = abi::address::PAGE / (5 * 8);

impl<M: Machine> Manager<M> {
    /// Puts `child` in the sandbox of `controller`, with the portals that `parent` has; its stubs lead to `intercept`.
    #[optimize(size)]
    pub fn enclose(&mut self, (controller, intercept): (usize, u64), child: usize, parent: usize) -> Result<()> {
        let bad = self.machine.info().symbols.bad_portal;
        let from = self.domain(parent)?;
        let held = if from.sandbox.controller != 0 {
            from.sandbox.held
        } else {
            let mut held = Numbers::default();
            (FIRST_FREE..NPORTALS).for_each(|number| held.set(number, from.table.entry(number) != bad));
            held
        };
        let sandbox = &mut self.domain_mut(controller)?.sandbox;
        sandbox.inside.room_for(1)?;
        sandbox.passed.begin()?;
        let entry = self.domain_mut(child)?;
        entry.numbers = (FIRST_FREE, NPORTALS);
        entry.sandbox = Sandbox { controller, intercept, held, ..Sandbox::default() };
        self.domain_mut(controller)?.sandbox.inside.push_kept(child);
        self.note_links(controller);
        Ok(())
    }
    /// Puts the child of a domain in a sandbox beside it, with the same stubs.
    #[optimize(size)]
    pub fn enclose_fork(&mut self, parent: usize, child: usize) -> Result<()> {
        let Sandbox { controller, intercept, .. } = self.domain(parent)?.sandbox;
        self.enclose((controller, intercept), child, parent)?;
        let from = self.domain(parent)?.table;
        for number in 1..NPORTALS {
            self.put(from.entry(number), child, number)?;
        }
        Ok(())
    }
    /// Says that `numbers` were opened for the domain on whose behalf the frame of thread `index` calls that comes after
    /// `skip` others.
    #[optimize(size)]
    pub fn hold(&mut self, index: usize, skip: usize, numbers: Range<usize>) {
        let Some(thread) = ThreadPage::of(self.machine, index) else { return };
        let (mut chain, mut length) = ([0; CHAIN], 0);
        for frame in thread.frames(&self.code).filter(|f| !f.floating()).skip(skip) {
            let stub =
                self.code.containing(frame.portal()).is_some_and(|(_, b)| b.kind == crate::state::code::Kind::Stub);
            let Ok(asid) = self.asid_of(frame.table()) else { break };
            if length > 0 && (!stub || self.controller(asid) != chain[length - 1]) || length == CHAIN {
                break;
            }
            chain[length] = asid;
            length += 1;
        }
        let Some(innermost) = length.checked_sub(1) else { return };
        for (depth, &asid) in chain[..length].iter().enumerate() {
            let mut member = Some(asid);
            while let Some(domain) = member.and_then(|member| self.domains.get_mut(member)) {
                for number in numbers.clone() {
                    domain.sandbox.held.set(number, true);
                    domain.sandbox.guests.set(number, depth < innermost);
                }
                member = member.and_then(|member| self.sharer_after(member, asid));
            }
        }
    }
    /// The domain that all portals of `asid` lead to; 0: none.
    #[optimize(size)]
    pub fn controller(&self, asid: usize) -> usize {
        self.domain(asid).map_or(0, |d| d.sandbox.controller)
    }
    /// The domain that has the portals which all those of `asid` lead to in the end: itself, where it is in no sandbox.
    #[optimize(size)]
    pub fn outermost(&self, asid: usize) -> usize {
        let outer = |&asid: &usize| Some(self.controller(asid)).filter(|&controller| controller != 0);
        core::iter::successors(Some(asid), outer).last().unwrap_or(asid)
    }
    /// Those in the sandbox of `controller` that have `number`.
    #[optimize(size)]
    pub fn holders(&self, controller: usize, number: usize) -> impl Iterator<Item = usize> {
        let inside = self.domain(controller).map_or(&[][..], |d| &d.sandbox.inside);
        let has = move |asid: &usize| self.domain(*asid).is_ok_and(|d| d.sandbox.held.has(number));
        inside.iter().copied().filter(has)
    }
    /// Whether `asid`, which is in a sandbox, had `number`; then it no longer has.
    #[optimize(size)]
    pub fn let_go(&mut self, asid: usize, number: usize) -> bool {
        let Ok(sandbox) = self.domain(asid).map(|d| &d.sandbox) else { return false };
        if sandbox.controller == 0 || !sandbox.held.has(number) {
            return false;
        }
        let controller = sandbox.controller;
        self.forget_number(asid, number);
        self.leave_guest(controller, number);
        true
    }
    /// One in the sandbox of `controller` has ended, or no longer has `number`.
    #[optimize(size)]
    fn leave_guest(&mut self, mut controller: usize, number: usize) {
        loop {
            let Ok(sandbox) = self.domain(controller).map(|d| &d.sandbox) else { return };
            if !sandbox.guests.has(number) || self.holders(controller, number).next().is_some() {
                return;
            }
            let outer = sandbox.controller;
            if outer == 0 {
                let _ = self.uninstall(controller, number);
                return;
            }
            self.forget_number(controller, number);
            controller = outer;
        }
    }
    /// `number` of `asid` leads nowhere any more, for it and all that share its table, and for all inside.
    #[optimize(size)]
    pub fn forget_number(&mut self, asid: usize, number: usize) {
        // By steps: how many are in each other is for their makers to say, and the stack is short.
        let (mut reached, mut next) = (DomainSet::NONE, DomainSet::NONE);
        next.add(asid);
        while let Some(one) = next.pop() {
            reached.add(one);
            let Ok(domain) = self.domain_mut(one) else { continue };
            domain.sandbox.held.set(number, false);
            domain.sandbox.guests.set(number, false);
            let inside = domain.sandbox.inside.iter().copied();
            inside
                .chain([domain.sharer])
                .filter(|&other| other != 0 && !reached.has(other))
                .for_each(|other| next.add(other));
        }
    }
    /// Domain `asid`, which was in `sandbox`, has ended: what only it had is closed.
    #[optimize(size)]
    pub fn leave_sandbox(&mut self, asid: usize, sandbox: &Sandbox) {
        let Ok(controller) = self.domain_mut(sandbox.controller) else { return };
        controller.sandbox.inside.retain(|&other| other != asid);
        self.note_links(sandbox.controller);
        for number in sandbox.held.iter() {
            self.leave_guest(sandbox.controller, number);
        }
    }
}
