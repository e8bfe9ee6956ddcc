//! What a domain asks for: pages at addresses that it names, more of its heap, stacks; and what it says is to be in them.

use crate::open_windows::OpenWindows;
use crate::ram::Ram;
use crate::segments::above;
use crate::space::{Space, Spaces, private};
use crate::{stacks, tables};
use abi::Error;
use abi::address::*;
use abi::memory::Part;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::Entry;

impl<R: Ram> Spaces<R> {
    /// Maps zeroed pages; none of them if there is not room for all.
    pub fn map(&mut self, asid: usize, va: usize, bytes: usize, rights: Rights) -> Result<(), Error> {
        private(va, bytes)?;
        if !rights.contains(Rights::READ) {
            return Err(Error::EINVAL);
        }
        self.map_range(asid, va, bytes, rights)
    }
    fn map_range(&mut self, asid: usize, va: usize, bytes: usize, rights: Rights) -> Result<(), Error> {
        for at in (va..va + bytes).step_by(PAGE) {
            if let Err(error) = self.map_zeros(asid, (at, Part::Ordinary), rights) {
                self.unmap_untold(asid, va, at - va)?;
                return Err(error);
            }
        }
        Ok(())
    }
    /// Maps pages of the archive that starts at physical address `source`: its own, which the first write to one that can be
    /// written copies.
    pub fn map_image(
        &mut self,
        asid: usize,
        va: usize,
        source: usize,
        bytes: usize,
        rights: Rights,
    ) -> Result<(), Error> {
        private(va, bytes.next_multiple_of(PAGE))?;
        if !rights.contains(Rights::READ) || !source.is_multiple_of(PAGE) {
            return Err(Error::EINVAL);
        }
        for at in (0..bytes).step_by(PAGE) {
            if !rights.contains(Rights::WRITE) {
                self.map_at(asid, (va + at, Part::Ordinary), source + at, rights, Marks::FOREIGN)?;
            } else {
                self.map_copied(asid, va + at, source + at, rights)?;
            }
        }
        Ok(())
    }
    /// Maps device registers at `va`.
    pub fn map_device(&mut self, asid: usize, va: usize, pa: usize, bytes: usize) -> Result<(), Error> {
        private(va, bytes.next_multiple_of(PAGE))?;
        self.space(asid)?.devices = true;
        for at in (0..bytes).step_by(PAGE) {
            self.map_at(asid, (va + at, Part::Ordinary), pa / PAGE * PAGE + at, Rights::READ_WRITE, Marks::FOREIGN)?;
        }
        Ok(())
    }
    /// Copies bytes into the mapped private pages of a space, or into what a view has taken.
    pub fn write(&mut self, asid: usize, va: usize, bytes: &[u8]) -> Result<(), Error> {
        private(va / PAGE * PAGE, (va % PAGE + bytes.len()).next_multiple_of(PAGE).max(PAGE))?;
        let asid = if self.views.get(asid).is_some() { self.taken_in(asid, va, bytes.len())? } else { asid };
        let root = self.space(asid)?.root;
        let mut done = 0;
        while done < bytes.len() {
            let at = va + done;
            self.own(asid, at, true)?;
            let leaf = tables::leaf(&self.ram, root, at);
            if !leaf.is_present() || !leaf.rights().contains(Rights::WRITE) {
                return Err(Error::EFAULT);
            }
            let count = (PAGE - at % PAGE).min(bytes.len() - done);
            self.ram.store(leaf.address() + at % PAGE, &bytes[done..done + count]);
            done += count;
        }
        Ok(())
    }
    /// Replaces the page of `asid` at `va`: by a copy of the page of `by` at `source`, made at the first write of either,
    /// or by zeros where `source` is 0, with `rights`; by nothing where `rights` is 0. A page that windows show is copied at once, and
    /// is not replaced (`EBUSY`). `EAGAIN`: it must be known whether they do. In a segment of `asid` ([`Spaces::make_segment`]), or where the code around
    /// it is, only the domain itself has a page (`EACCESS`), and none there can be both written and executed (`EINVAL`).
    pub fn page(
        &mut self,
        by: usize,
        (asid, va, part): (usize, usize, Part),
        source: usize,
        rights: Rights,
        windows: OpenWindows,
    ) -> Result<(), Error> {
        private(va, PAGE).or_else(|_| above(va))?;
        if part == Part::Segment {
            let refused = if by != asid { Some(Error::EACCESS) } else { None };
            let both = rights.contains(Rights::WRITE.union(Rights::EXECUTE)).then_some(Error::EINVAL);
            refused.or(both).map_or(Ok(()), Err)?;
        }
        let unmaps = rights == Rights::NONE;
        if !unmaps && (!rights.contains(Rights::READ) || (by == asid && source == va)) {
            return Err(Error::EINVAL);
        }
        if (DEVICE_VA..STACK_FLOOR).contains(&va) {
            return Err(Error::EINVAL);
        }
        let root = self.space(asid)?.root;
        let old = tables::leaf(&self.ram, root, va);
        // What is mapped where nothing is asks for itself (`vacant`).
        if unmaps || !old.is_none() {
            self.space(asid)?.in_part(va, part)?;
        }
        // Before anything is done.
        windows.not(old)?;
        if unmaps {
            return self.unmap(asid, va, windows).and_then(|was| if was { Ok(()) } else { Err(Error::EFAULT) });
        }
        if source == 0 {
            self.make_way(asid, va, old, windows)?;
            return self.map_zeros(asid, (va, part), rights);
        }
        private(source, PAGE)?;
        if (DEVICE_VA..STACK_FLOOR).contains(&source) {
            return if by == asid {
                self.registers(asid, (va, part), source, rights, windows)
            } else {
                Err(Error::EINVAL)
            };
        }
        let root = self.space(by)?.root;
        let at = tables::entry(&self.ram, root, source).ok_or(Error::EFAULT)?;
        // One that is promised is there from now on: no table has shown it.
        if !self.ram.entry(at).is_present() && !self.own_at(at, false) {
            return Err(Error::EFAULT);
        }
        let value = self.ram.entry(at);
        if value.marks() == Marks::FOREIGN {
            return Err(Error::EFAULT);
        }
        // Its entry changes, also where it can not be written.
        if !value.has(Marks::LAZY) {
            windows.shows(value.address())?;
        }
        self.make_way(asid, va, old, windows)?;
        let copied = self.copy_page(at, asid, (va, part), rights, windows);
        // What its owner has written may be executed there.
        self.ram.written_with(rights);
        if self.ram.entry(at) != value {
            self.ram.flush_page(by, source);
            self.stale(by, source);
        }
        copied
    }
    /// Takes away what is mapped at `va`, whose entry is `old`, if anything is.
    fn make_way(&mut self, asid: usize, va: usize, old: Entry, windows: OpenWindows) -> Result<(), Error> {
        if old.is_none() { Ok(()) } else { self.unmap(asid, va, windows).map(|_| ()) }
    }
    /// Has registers that a space has at `source` appear at `va`, too: what can reach no others there, as a fault domain in its segment. A copy of
    /// the space has them at neither.
    fn registers(
        &mut self,
        asid: usize,
        (va, part): (usize, Part),
        source: usize,
        rights: Rights,
        windows: OpenWindows,
    ) -> Result<(), Error> {
        if rights != Rights::READ_WRITE || (source - DEVICE_VA) % DEVICE_STRIDE >= DMA_OFFSET {
            return Err(Error::EINVAL);
        }
        let root = self.space(asid)?.root;
        let leaf = tables::leaf(&self.ram, root, source);
        if !self.is_registers(leaf) {
            return Err(Error::EFAULT);
        }
        let old = tables::leaf(&self.ram, root, va);
        self.make_way(asid, va, old, windows)?;
        self.map_at(asid, (va, part), leaf.address(), rights, Marks::FOREIGN)
    }
    /// Physical address of the frame that a space has to itself at `va`.
    pub fn frame_of(&mut self, asid: usize, va: usize) -> Result<usize, Error> {
        private(va / PAGE * PAGE, PAGE)?;
        if (DEVICE_VA..STACK_FLOOR).contains(&va) {
            return Err(Error::EFAULT);
        }
        self.own(asid, va, true)?;
        let root = self.space(asid)?.root;
        let leaf = tables::leaf(&self.ram, root, va);
        let own = leaf.is_present() && leaf.rights().contains(Rights::WRITE) && leaf.marks().is_empty();
        if own { Ok(leaf.address()) } else { Err(Error::EFAULT) }
    }
    pub fn set_heap(&mut self, asid: usize, start: usize) -> Result<(), Error> {
        if !start.is_multiple_of(PAGE) || !(PRIVATE_VA..HEAP_END).contains(&start) {
            return Err(Error::EINVAL);
        }
        self.space(asid)?.heap = start;
        Ok(())
    }
    /// Grows the heap by `pages`; its old end. It does not grow into a segment of a fault domain.
    pub fn grow(&mut self, asid: usize, pages: usize) -> Result<usize, Error> {
        if self.views.get(asid).is_some() {
            let grow = |s: &mut Self, space| s.grow(space, pages).map(|old| (old, pages * PAGE));
            return self.taking(asid, Rights::READ_WRITE, grow);
        }
        let old = self.space(asid)?.heap;
        let end = self.heap_end(asid)?;
        let bytes = pages.checked_mul(PAGE).filter(|b| *b <= end.saturating_sub(old)).ok_or(Error::ENOMEM)?;
        self.map_range(asid, old, bytes, Rights::READ_WRITE)?;
        self.space(asid)?.heap = old + bytes;
        Ok(old)
    }
    /// A new stack; its top.
    #[cfg_attr(target_os = "none", optimize(size))]
    pub fn stack(&mut self, asid: usize, bytes: usize) -> Result<usize, Error> {
        if self.views.get(asid).is_some() {
            let stack = |s: &mut Self, space| {
                let top = s.stack(space, bytes)?;
                let size = stacks::size(bytes)?;
                Ok((top - size, size))
            };
            return Ok(self.taking(asid, Rights::READ_WRITE, stack)? + stacks::size(bytes)?);
        }
        let count = stacks::slots(bytes)?;
        let Space { root, first_slot, .. } = *self.space(asid)?;
        let ram = &self.ram;
        let used = |n| !tables::leaf(ram, root, stacks::top(n) - PAGE).is_none();
        let n = stacks::find(first_slot as usize, count, used)?;
        let top = stacks::top(n);
        let size = stacks::size(bytes)?;
        self.map_range(asid, top - size, size, Rights::READ_WRITE)?;
        if n == first_slot as usize {
            self.space(asid)?.first_slot = (n + count) as u16;
        }
        Ok(top)
    }
    /// Gives a stack back: its pages down to its guard, or to one that a window shows (`EBUSY`).
    pub fn release_stack(&mut self, asid: usize, top: usize, windows: OpenWindows) -> Result<(), Error> {
        let asid = self.views.get(asid).map_or(asid, |view| view.space as usize);
        let n = stacks::slot(top).ok_or(Error::EINVAL)?;
        // From there on nothing is split.
        self.can_be_unseen(asid, top - PAGE)?;
        self.burying(asid, |s, doomed| {
            let mut page = top - PAGE;
            while s.take_page(asid, page, windows, doomed)? {
                page -= PAGE;
            }
            Ok(())
        })?;
        let space = self.space(asid)?;
        space.first_slot = space.first_slot.min(n as u16);
        Ok(())
    }
}
