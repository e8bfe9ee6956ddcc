//! Address spaces: what is mapped where in a domain's private part, and its window tables.

use crate::frames::{For, Frames};
use crate::ram::Ram;
use crate::{stacks, tables};
use abi::Error;
use abi::address::*;
use abi::nucleus::MAX_DOMAINS;

/// One domain's address space. `root` 0: none.
#[derive(Clone, Copy)]
pub struct Space {
    /// Physical address of the root table.
    pub root: usize,
    /// End of the heap.
    heap: usize,
    /// Frames of its own.
    pub pages: u32,
    /// No stack slot below this one is free.
    first_slot: u32,
}
const NONE: Space = Space { root: 0, heap: 0, pages: 0, first_slot: 0 };

/// Physical addresses that every space refers to.
#[derive(Clone, Copy, Default)]
pub struct Shared {
    pub code_l1: usize,
    pub return_page: usize,
    pub service_l1: usize,
}

/// All spaces, by ASID.
pub struct Spaces<R> {
    pub ram: R,
    pub frames: Frames,
    pub shared: Shared,
    spaces: [Space; MAX_DOMAINS],
}

/// Rights that a component may have on its own pages.
const RIGHTS: u64 = pte::R | pte::W | pte::X;

/// Checks that `bytes` from `va` are whole pages of the private part.
fn private(va: usize, bytes: usize) -> Result<(), Error> {
    let end = va.checked_add(bytes).ok_or(Error::EINVAL)?;
    if va % PAGE != 0 || bytes == 0 || va < IMAGE_VA || end > RETURN_PAGE { Err(Error::EINVAL) } else { Ok(()) }
}

impl<R: Ram> Spaces<R> {
    pub const fn new(ram: R) -> Spaces<R> {
        let shared = Shared { code_l1: 0, return_page: 0, service_l1: 0 };
        Spaces { ram, frames: Frames::new(), shared, spaces: [NONE; MAX_DOMAINS] }
    }
    pub fn space(&mut self, asid: usize) -> Result<&mut Space, Error> {
        self.spaces.get_mut(asid).filter(|s| s.root != 0).ok_or(Error::ESRCH)
    }
    /// A space that the image builder made.
    pub fn adopt(&mut self, asid: usize, root: usize, heap: usize) {
        self.spaces[asid] = Space { root, heap, pages: 0, first_slot: 0 };
    }
    /// A new space with the supervisor half and the return page; physical address of its root.
    pub fn create(&mut self, asid: usize) -> Result<usize, Error> {
        if asid == 0 || asid >= MAX_DOMAINS {
            return Err(Error::EINVAL);
        }
        if self.spaces[asid].root != 0 {
            return Err(Error::EEXIST);
        }
        let root = self.frames.take(For::System)?;
        self.ram.clear(root);
        self.ram.write(root + 8 * 510, pte::leaf(RAM_BASE, pte::R | pte::W | pte::G));
        self.ram.write(root + 8 * 511, pte::table(self.shared.code_l1));
        self.spaces[asid] = Space { root, heap: IMAGE_VA, pages: 0, first_slot: 0 };
        let mapped = self.map_at(asid, RETURN_PAGE, self.shared.return_page, pte::R | pte::X | pte::FOREIGN);
        if let Err(error) = mapped {
            self.destroy(asid)?;
            return Err(error);
        }
        Ok(root)
    }
    /// Maps one page at `va` to `pa`, readable by the component.
    fn map_at(&mut self, asid: usize, va: usize, pa: usize, bits: u64) -> Result<(), Error> {
        let root = self.space(asid)?.root;
        let at = tables::make_entry(&mut self.ram, &mut self.frames, root, va)?;
        if self.ram.read(at) & pte::V != 0 {
            return Err(Error::EEXIST);
        }
        self.ram.write(at, pte::leaf(pa, bits | pte::U));
        Ok(())
    }
    /// Maps a new zeroed page.
    fn map_new(&mut self, asid: usize, va: usize, rights: u64) -> Result<usize, Error> {
        let pa = self.frames.take(For::Component)?;
        self.ram.clear(pa);
        if let Err(error) = self.map_at(asid, va, pa, rights) {
            self.frames.release(pa);
            return Err(error);
        }
        self.space(asid)?.pages += 1;
        Ok(pa)
    }
    /// Unmaps the page at `va`; its frame is free again if it was the component's own. True if something was mapped.
    pub fn unmap(&mut self, asid: usize, va: usize) -> Result<bool, Error> {
        let root = self.space(asid)?.root;
        let Some(at) = tables::entry(&self.ram, root, va) else { return Ok(false) };
        let value = self.ram.read(at);
        if value & pte::V == 0 {
            return Ok(false);
        }
        self.ram.write(at, 0);
        if value & pte::FOREIGN == 0 {
            self.frames.release(pte::address(value));
            self.space(asid)?.pages -= 1;
        }
        Ok(true)
    }
    /// Maps zeroed pages; none of them if there is not room for all.
    pub fn map(&mut self, asid: usize, va: usize, bytes: usize, rights: u64) -> Result<(), Error> {
        private(va, bytes)?;
        if rights & !RIGHTS != 0 || rights & pte::R == 0 {
            return Err(Error::EINVAL);
        }
        self.map_range(asid, va, bytes, rights)
    }
    fn map_range(&mut self, asid: usize, va: usize, bytes: usize, rights: u64) -> Result<(), Error> {
        for at in (va..va + bytes).step_by(PAGE) {
            if let Err(error) = self.map_new(asid, at, rights) {
                for undo in (va..at).step_by(PAGE) {
                    self.unmap(asid, undo)?;
                }
                return Err(error);
            }
        }
        Ok(())
    }
    /// Maps pages of the archive that starts at physical address `source`: its own where they can not be written, copies
    /// where they can.
    pub fn map_image(&mut self, asid: usize, va: usize, source: usize, bytes: usize, rights: u64) -> Result<(), Error> {
        private(va, bytes.next_multiple_of(PAGE))?;
        if rights & !RIGHTS != 0 || rights & pte::R == 0 || source % PAGE != 0 {
            return Err(Error::EINVAL);
        }
        for at in (0..bytes).step_by(PAGE) {
            if rights & pte::W == 0 {
                self.map_at(asid, va + at, source + at, rights | pte::FOREIGN)?;
            } else {
                let pa = self.map_new(asid, va + at, rights)?;
                self.ram.copy(source + at, pa, (bytes - at).min(PAGE).next_multiple_of(8));
            }
        }
        Ok(())
    }
    /// Maps device registers at `va`.
    pub fn map_device(&mut self, asid: usize, va: usize, pa: usize, bytes: usize) -> Result<(), Error> {
        private(va, bytes.next_multiple_of(PAGE))?;
        for at in (0..bytes).step_by(PAGE) {
            self.map_at(asid, va + at, pa / PAGE * PAGE + at, pte::R | pte::W | pte::FOREIGN)?;
        }
        Ok(())
    }
    /// Copies bytes into the mapped private pages of a space.
    pub fn write(&mut self, asid: usize, va: usize, bytes: &[u8]) -> Result<(), Error> {
        private(va / PAGE * PAGE, (va % PAGE + bytes.len()).next_multiple_of(PAGE).max(PAGE))?;
        let root = self.space(asid)?.root;
        let mut done = 0;
        while done < bytes.len() {
            let at = va + done;
            let leaf = tables::leaf(&self.ram, root, at);
            if leaf & (pte::V | pte::W) != pte::V | pte::W {
                return Err(Error::EFAULT);
            }
            let count = (PAGE - at % PAGE).min(bytes.len() - done);
            self.ram.store(pte::address(leaf) + at % PAGE, &bytes[done..done + count]);
            done += count;
        }
        Ok(())
    }
    pub fn set_heap(&mut self, asid: usize, start: usize) -> Result<(), Error> {
        if start % PAGE != 0 || !(IMAGE_VA..HEAP_END).contains(&start) {
            return Err(Error::EINVAL);
        }
        self.space(asid)?.heap = start;
        Ok(())
    }
    /// Grows the heap by `pages`; its old end.
    pub fn grow(&mut self, asid: usize, pages: usize) -> Result<usize, Error> {
        let old = self.space(asid)?.heap;
        let bytes = pages.checked_mul(PAGE).filter(|b| *b <= HEAP_END - old).ok_or(Error::ENOMEM)?;
        self.map_range(asid, old, bytes, pte::R | pte::W)?;
        self.space(asid)?.heap = old + bytes;
        Ok(old)
    }
    /// A new stack; its top.
    pub fn stack(&mut self, asid: usize, bytes: usize) -> Result<usize, Error> {
        let count = stacks::slots(bytes)?;
        let Space { root, first_slot, .. } = *self.space(asid)?;
        let ram = &self.ram;
        let used = |n| tables::leaf(ram, root, stacks::top(n) - PAGE) & pte::V != 0;
        let n = stacks::find(first_slot as usize, count, used)?;
        let top = stacks::top(n);
        let size = bytes.next_multiple_of(PAGE).max(if count == 1 { THREAD_STACK } else { 0 });
        self.map_range(asid, top - size, size, pte::R | pte::W)?;
        if n == first_slot as usize {
            self.space(asid)?.first_slot = (n + count) as u32;
        }
        Ok(top)
    }
    /// Gives a stack back: its pages down to its guard.
    pub fn release_stack(&mut self, asid: usize, top: usize) -> Result<(), Error> {
        let n = stacks::slot(top).ok_or(Error::EINVAL)?;
        let mut page = top - PAGE;
        while self.unmap(asid, page)? {
            page -= PAGE;
        }
        let space = self.space(asid)?;
        space.first_slot = space.first_slot.min(n as u32);
        Ok(())
    }
    /// Copies the private part of `from` to `to`, which has nothing but its return page.
    pub fn copy(&mut self, from: usize, to: usize) -> Result<(), Error> {
        let source = *self.space(from)?;
        let target = self.space(to)?.root;
        let l1 = self.ram.read(source.root);
        if l1 & pte::V == 0 {
            return Ok(());
        }
        let (frames, mut pages) = (&mut self.frames, 0);
        let copied = tables::each(&mut self.ram, pte::address(l1), 1, 0, &mut |ram, at, va| {
            let value = ram.read(at);
            let place = tables::make_entry(ram, frames, target, va)?;
            if ram.read(place) & pte::V != 0 {
                return Ok(());
            }
            if value & pte::FOREIGN != 0 {
                // A device belongs to the driver alone.
                if !(DEVICE_VA..STACK_FLOOR).contains(&va) {
                    ram.write(place, value);
                }
                return Ok(());
            }
            let pa = frames.take(For::Component)?;
            ram.copy(pte::address(value), pa, PAGE);
            ram.write(place, pte::leaf(pa, value & (RIGHTS | pte::U)));
            pages += 1;
            Ok(())
        });
        let space = self.space(to)?;
        *space = Space { root: target, heap: source.heap, pages, first_slot: source.first_slot };
        copied
    }
    /// Gives back all that a space has.
    pub fn destroy(&mut self, asid: usize) -> Result<(), Error> {
        let root = self.space(asid)?.root;
        let frames = &mut self.frames;
        // The private part: its pages and tables.
        let l1 = self.ram.read(root);
        if l1 & pte::V != 0 {
            tables::each(&mut self.ram, pte::address(l1), 1, 0, &mut |ram, at, _| {
                let value = ram.read(at);
                if value & pte::FOREIGN == 0 {
                    frames.release(pte::address(value));
                }
                Ok(())
            })?;
            tables::release(&self.ram, frames, pte::address(l1), 1);
        }
        // Windows: the tables only, never what they show.
        let windows = self.ram.read(root + 8);
        if windows & pte::V != 0 {
            tables::release(&self.ram, frames, pte::address(windows), 1);
        }
        frames.release(root);
        self.spaces[asid] = NONE;
        Ok(())
    }
    /// Makes service stacks visible in a space.
    pub fn trust(&mut self, asid: usize) -> Result<(), Error> {
        let root = self.space(asid)?.root;
        self.ram.write(root + 8 * index(SERVICE_VA, 2), pte::table(self.shared.service_l1));
        Ok(())
    }
    /// Entry of a page of the service stacks, in the tables that all trusted spaces share.
    fn service_entry(&mut self, va: usize, make: bool) -> Result<usize, Error> {
        let at = self.shared.service_l1 + 8 * index(va, 1);
        let value = self.ram.read(at);
        let l0 = if value & pte::V != 0 {
            pte::address(value)
        } else if make {
            let new = self.frames.take(For::System)?;
            self.ram.clear(new);
            self.ram.write(at, pte::table(new));
            new
        } else {
            return Err(Error::ESRCH);
        };
        Ok(l0 + 8 * index(va, 0))
    }
    /// Maps the service stack of thread `thread`, if it is not.
    pub fn service_stack(&mut self, thread: usize) -> Result<(), Error> {
        if thread == 0 || thread >= abi::nucleus::MAX_THREADS {
            return Err(Error::EINVAL);
        }
        let top = service_top(thread);
        for va in (top - SERVICE_STACK..top).step_by(PAGE) {
            let at = self.service_entry(va, true)?;
            if self.ram.read(at) & pte::V == 0 {
                let pa = self.frames.take(For::System)?;
                self.ram.clear(pa);
                self.ram.write(at, pte::leaf(pa, pte::R | pte::W | pte::U));
            }
        }
        Ok(())
    }
    /// Frees the service stack of thread `thread`; the caller flushes its addresses.
    pub fn release_service(&mut self, thread: usize) -> Result<(), Error> {
        if thread == 0 || thread >= abi::nucleus::MAX_THREADS {
            return Err(Error::EINVAL);
        }
        let top = service_top(thread);
        for va in (top - SERVICE_STACK..top).step_by(PAGE) {
            let at = self.service_entry(va, false)?;
            let value = self.ram.read(at);
            if value & pte::V != 0 {
                self.ram.write(at, 0);
                self.frames.release(pte::address(value));
            }
        }
        Ok(())
    }
    /// Why a window on `address` of `caller` could not be opened in `callee` for thread `thread`: `Ok`: it can be now.
    pub fn window(
        &mut self,
        caller: usize,
        callee: usize,
        address: usize,
        write: bool,
        thread: usize,
    ) -> Result<(), Error> {
        let root = self.space(caller)?.root;
        let wanted = pte::V | pte::R | pte::U | if write { pte::W } else { 0 };
        if address >> 38 != 0 || tables::leaf(&self.ram, root, address) & wanted != wanted {
            return Err(Error::EFAULT);
        }
        let root = self.space(callee)?.root;
        let slot = window_base(thread);
        if tables::entry(&self.ram, root, slot).is_some() {
            return Err(Error::EFAULT);
        }
        tables::make_entry(&mut self.ram, &mut self.frames, root, slot).map(|_| ())
    }
    /// Whether an access to `va` that faulted is allowed by now: `cause` 12, 13 or 15.
    pub fn allowed(&mut self, asid: usize, va: usize, cause: usize) -> bool {
        let Ok(root) = self.space(asid).map(|s| s.root) else { return false };
        let wanted = pte::V | pte::U | [pte::X, pte::R, 0, pte::W][cause & 3];
        (12..=15).contains(&cause) && va >> 38 == 0 && tables::leaf(&self.ram, root, va) & wanted == wanted
    }
}
