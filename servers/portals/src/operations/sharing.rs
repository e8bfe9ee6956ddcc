//! Portal tables that a parent and its children share: what one of them opens, is granted or closes, all have or have no more (embedded
//! paper, section 4.1).
//!
//! Each domain has a table of its own, which its calls find at a fixed place beside its record, so that a call costs what it did. The
//! portal manager, who alone writes them, keeps those of a ring the same: a new portal is put at its number in all, and what one closes is
//! closed in all. The code is the same too, but where a portal leads to one of them itself, which enters it without switching. In a
//! sandbox all tables lead to the controlling domain; there it is the numbers that one has which are shared.
//!
//! Rights are not shared: who opens a name is who calls. A portal that acts for its caller (`create_child`) is not put in a shared table,
//! or whoever made it for a child would act for all. Domains of protection have their task's numbers, and lead to others in a copy of it, so a
//! table with handles is not shared.

use crate::Result;
use crate::machine::neighbours::Machine;
use crate::manager::{BOOT, Manager};
use abi::Error;
use abi::identity::DomainId;
use abi::nucleus::flags;
use abi::system::FIRST_FREE;
use core::ops::Range;

impl<M: Machine> Manager<M> {
    /// Whether domain `asid` may share its table. `ENOTSUP`: it is trusted, or has domains of protection.
    #[optimize(size)]
    pub(crate) fn may_share(&self, asid: usize) -> Result<()> {
        let d = self.domain(asid)?;
        let of_the_task = |number: usize| {
            let block = self.code.get(d.table.entry(number));
            block.is_some_and(|block| block.kind.names_a_part())
        };
        if d.flags & (flags::TRUSTED | BOOT) != 0
            || self.first_part(asid).is_some()
            || (FIRST_FREE..d.numbers.1).any(of_the_task)
        {
            return Err(Error::ENOTSUP);
        }
        Ok(())
    }
    /// Whether domain `asid` shares its table.
    pub fn shares(&self, asid: usize) -> bool {
        self.domain(asid).is_ok_and(|d| d.sharer != 0)
    }
    /// The others that share the table of domain `asid`.
    pub fn sharers(&self, asid: usize) -> impl Iterator<Item = usize> {
        let next =
            move |&member: &usize| self.domain(member).ok().map(|d| d.sharer).filter(|&next| next != 0 && next != asid);
        core::iter::successors(Some(asid), next).skip(1)
    }
    /// From now on `child`, whose table is the same, shares that of `parent`.
    #[optimize(size)]
    pub(crate) fn share_table(&mut self, parent: usize, child: usize) {
        let Ok(domain) = self.domain_mut(parent) else { return };
        let next = core::mem::replace(&mut domain.sharer, child);
        if let Ok(domain) = self.domain_mut(child) {
            domain.sharer = if next == 0 { parent } else { next };
        }
        self.note_links(parent);
        self.note_links(child);
    }
    /// Domain `asid`, after which came `next`, has ended.
    #[optimize(size)]
    pub(crate) fn leave_sharers(&mut self, asid: usize, next: usize) {
        let mut member = next;
        while let Some(domain) = self.domains.get_mut(member) {
            if domain.sharer == asid {
                // The last one has it to itself.
                domain.sharer = if member == next { 0 } else { next };
                return self.note_links(member);
            }
            member = domain.sharer;
        }
    }
    /// Says in the record of domain `asid` who has to do with its table.
    #[optimize(size)]
    pub(crate) fn note_links(&mut self, asid: usize) {
        if let Ok(d) = self.domain_mut(asid) {
            d.heard = d.notify != 0 || d.sharer != 0;
            d.linked = !d.sandbox.inside.is_empty() || d.sharer != 0;
        }
    }
    /// Portals `numbers` of domain `asid` are new: who shares its table has them too, or none has them. Who is to be told of them.
    #[inline(always)]
    pub fn made_portals(&mut self, asid: usize, numbers: Range<usize>) -> Result<Option<DomainId>> {
        if self.domain(asid)?.heard { self.share_portals(asid, numbers) } else { Ok(None) }
    }
    #[cold]
    #[inline(never)]
    fn share_portals(&mut self, asid: usize, numbers: Range<usize>) -> Result<Option<DomainId>> {
        for number in numbers.clone() {
            if let Err(error) = self.share_portal(asid, number) {
                for number in numbers {
                    self.uninstall(asid, number)?;
                }
                return Err(error);
            }
        }
        self.domain(asid).map(|d| Some(d.id))
    }
    #[optimize(size)]
    fn share_portal(&mut self, asid: usize, number: usize) -> Result<()> {
        let code = self.domain(asid)?.table.entry(number);
        let Some(block) = self.code.get(code) else { return Ok(()) };
        let (kind, own) = (block.kind, block.same_domain && block.server as usize == asid);
        let mut member = asid;
        while let Some(next) = self.sharer_after(member, asid) {
            self.copy_portal(own, next, number, (code, kind))?;
            member = next;
        }
        Ok(())
    }
    /// Who comes after `member` in a ring, before `first` again.
    pub(crate) fn sharer_after(&self, member: usize, first: usize) -> Option<usize> {
        self.domain(member).ok().map(|d| d.sharer).filter(|&next| next != 0 && next != first)
    }
    /// The same by identity: nobody, if one of both is no more.
    #[optimize(size)]
    pub fn sharing_after(&self, member: DomainId, first: DomainId) -> Option<DomainId> {
        let (member, first) = (self.live(member).ok()?, self.live(first).ok()?);
        self.sharer_after(member, first).and_then(|next| self.domain(next).ok()).map(|d| d.id)
    }
    /// Number `number` of domain `asid` leads nowhere any more: nor does it for who is in its sandbox, or shares its table.
    #[cold]
    #[inline(never)]
    pub(crate) fn uninstall_linked(&mut self, asid: usize, number: usize) {
        // For those that share it, too.
        self.forget_number(asid, number);
        let bad = self.machine.info().symbols.bad_portal;
        let mut member = asid;
        while let Some(next) = self.sharer_after(member, asid) {
            member = next;
            let Ok(domain) = self.domain_mut(member) else { return };
            let code = domain.table.entry(number);
            if code != bad {
                domain.table.set_entry(number, bad);
                if number >= FIRST_FREE {
                    domain.numbers.0 = domain.numbers.0.min(number);
                }
                self.release(code, member, number);
            }
        }
    }
    /// Whether tables of a ring have the same at an entry: code for who calls from itself is another's.
    pub(crate) fn is_same_portal(&self, one: u64, other: u64) -> bool {
        let what = |code| self.code.get(code).map(|b| (b.kind, b.server, b.entry, b.specification));
        one == other || (what(one).is_some() && what(one) == what(other))
    }
}
