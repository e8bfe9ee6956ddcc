//! Single pages of a space: mapped, promised, shared, made its own, let go.
//!
//! A page that a component may write is in one of three states: its own frame; promised, with an entry that is not present
//! and has [`Marks::LAZY`], until the first access makes it a page of zeros; shared, with a present entry that can not be
//! written and has [`Marks::LAZY`], until the first write gets it a frame of its own. For each promised or shared page a
//! free frame is held back, so that an access never finds memory at an end.

use crate::doomed::Doomed;
use crate::frames::For;
use crate::open_windows::{OpenWindows, Unshown};
use crate::ram::Ram;
use crate::space::{Space, Spaces};
use crate::tables;
use abi::Error;
use abi::address::{DEVICE_VA, HEAP_END, PAGE, SEGMENTS_VA, STACK_FLOOR};
use abi::memory::Part;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::Entry;

impl<R: Ram> Spaces<R> {
    /// The entry of `va`, where nothing is mapped yet: whatever is mapped, this is asked before. `EACCESS`: that is not in `part`.
    pub(crate) fn vacant(&mut self, asid: usize, va: usize, part: Part) -> Result<usize, Error> {
        let space = self.space(asid)?;
        space.in_part(va, part)?;
        let root = space.root;
        if va < HEAP_END {
            space.low_end = space.low_end.max(va + PAGE);
        } else if va < DEVICE_VA {
            space.received_end = space.received_end.max(va + PAGE);
        } else if (STACK_FLOOR..SEGMENTS_VA).contains(&va) {
            space.high_start = space.high_start.min(va);
        }
        let at = self.counting_tables(asid, |s| s.make_own(asid, root, va))?;
        if self.ram.read(at) != 0 { Err(Error::EEXIST) } else { Ok(at) }
    }
    /// Maps one page at `va` to `pa`.
    pub fn map_at(
        &mut self,
        asid: usize,
        (va, part): (usize, Part),
        pa: usize,
        rights: Rights,
        marks: Marks,
    ) -> Result<(), Error> {
        let at = self.vacant(asid, va, part)?;
        let supervisor = self.space(asid)?.supervisor;
        self.ram.set_entry(at, Entry::user(pa, rights, marks).for_mode(supervisor));
        Ok(())
    }
    /// Maps a page of zeros: at the first access, or for a boot component at once.
    pub fn map_zeros(&mut self, asid: usize, (va, part): (usize, Part), rights: Rights) -> Result<(), Error> {
        self.room(asid, 1)?;
        let at = self.vacant(asid, va, part)?;
        let Space { boot, supervisor, .. } = *self.space(asid)?;
        if boot {
            let pa = self.frames.take(For::Component)?;
            self.ram.clear(pa);
            self.ram.set_entry(at, Entry::user(pa, rights, Marks::empty()));
        } else {
            self.frames.promise()?;
            self.ram.set_entry(at, Entry::promised(rights).for_mode(supervisor));
        }
        self.count(asid, 1)
    }
    /// Maps a page that the first write makes a copy of the page at `pa`, which is nobody's to free.
    pub fn map_copied(&mut self, asid: usize, va: usize, pa: usize, rights: Rights) -> Result<(), Error> {
        self.room(asid, 1)?;
        let at = self.vacant(asid, va, Part::Ordinary)?;
        self.frames.promise()?;
        let supervisor = self.space(asid)?.supervisor;
        let entry = Entry::user(pa, rights.difference(Rights::WRITE), Marks::LAZY.union(Marks::FOREIGN));
        self.ram.set_entry(at, entry.for_mode(supervisor));
        self.count(asid, 1)
    }
    /// Whether an entry shows a frame that comes back when nobody has it any more: the space's own, or one that domains share.
    pub(crate) fn has_frame(&self, value: Entry) -> bool {
        let shared = !value.has(Marks::LAZY) && value.address() >= self.shared.first_frame;
        value.is_present() && (!value.has(Marks::FOREIGN) || shared && value.is_user())
    }
    /// Whether it shows a device: what is no frame and can be written.
    pub(crate) fn is_registers(&self, value: Entry) -> bool {
        let writes = value.is_present() && value.rights().contains(Rights::WRITE);
        writes && value.marks() == Marks::FOREIGN && !self.has_frame(value)
    }
    /// Makes the page at `va`, if it is promised, a page of zeros, and, if it is shared and `write`, the space's own: the frame that
    /// it showed until then is known no more. Whether that changed anything.
    #[inline]
    pub fn own(&mut self, asid: usize, va: usize, write: bool) -> Result<bool, Error> {
        let root = self.space(asid)?.root;
        let Some(at) = tables::entry(&self.ram, root, va) else { return Ok(false) };
        let shown = self.ram.entry(at).is_present();
        let changed = self.own_at(at, write);
        if changed && shown {
            self.ram.flush_page(asid, va);
            self.stale(asid, va);
        }
        Ok(changed)
    }
    /// The same for the page of entry `at`; whoever calls it flushes what the entry showed.
    #[inline]
    pub(crate) fn own_at(&mut self, at: usize, write: bool) -> bool {
        let value = self.ram.entry(at);
        if !value.has(Marks::LAZY) {
            return false;
        }
        if !value.is_present() {
            let pa = self.frames.redeem();
            self.ram.clear(pa);
            self.ram.written_with(value.rights());
            self.ram.set_entry(at, Entry::user(pa, value.rights(), Marks::empty()).for_mode(!value.is_user()));
        } else if write {
            let rights = value.rights().union(Rights::WRITE);
            let old = value.address();
            let pa = if !value.has(Marks::FOREIGN) && !self.shares.remove(&mut self.ram, old) {
                // Its last sharer has it to itself.
                self.frames.renounce();
                old
            } else {
                let pa = self.frames.redeem();
                self.ram.copy(old, pa, PAGE);
                self.ram.written_with(rights);
                pa
            };
            self.ram.set_entry(at, Entry::user(pa, rights, Marks::empty()).for_mode(!value.is_user()));
        } else {
            return false;
        }
        true
    }
    /// Takes entry `at`, that of address `va`, out of the tables. Whoever calls it tells the views.
    #[inline(always)]
    pub(crate) fn take_out(&mut self, at: usize, va: usize, _: Unshown, doomed: &mut Doomed) {
        let value = self.ram.entry(at);
        self.ram.set_entry(at, Entry::NONE);
        if value.has(Marks::LAZY) {
            self.frames.renounce();
        }
        if value.is_present() {
            doomed.stale(va);
        }
        if self.has_frame(value) {
            let Spaces { ram, frames, shares, .. } = self;
            if !shares.remove(ram, value.address()) {
                doomed.add(value.address(), ram, frames);
            }
        }
    }
    /// Takes the page at `va` out of the space, of which `doomed` is. True if something was mapped. `EBUSY`: a window shows it;
    /// `EAGAIN`: that is not known. Whether views have room for what is left around it ([`Spaces::can_be_unseen`]), the caller has asked.
    pub(crate) fn take_page(
        &mut self,
        asid: usize,
        va: usize,
        windows: OpenWindows,
        doomed: &mut Doomed,
    ) -> Result<bool, Error> {
        let root = self.space(asid)?.root;
        let Some(at) = tables::entry(&self.ram, root, va) else { return Ok(false) };
        let value = self.ram.entry(at);
        if value.is_none() {
            return Ok(false);
        }
        self.take_out(at, va, windows.not(value)?, doomed);
        self.unseen(asid, va);
        if value.marks() != Marks::FOREIGN {
            self.count(asid, -1)?;
        } else if self.has_frame(value) {
            self.count_common(asid, -1)?;
        }
        Ok(true)
    }
    /// Runs `body` with what it takes out of space `asid`, and forgets the translations of that before anything else is done.
    pub(crate) fn burying<T>(&mut self, asid: usize, body: impl FnOnce(&mut Self, &mut Doomed) -> T) -> T {
        let mut doomed = Doomed::of(asid);
        let result = body(self, &mut doomed);
        doomed.bury(&mut self.ram, &mut self.frames);
        result
    }
    /// Unmaps pages that were mapped under the lock that is still held, at addresses that nobody was told.
    pub(crate) fn unmap_untold(&mut self, asid: usize, va: usize, bytes: usize) -> Result<(), Error> {
        let root = self.space(asid)?.root;
        self.burying(asid, |s, doomed| {
            for va in (va..va + bytes).step_by(PAGE) {
                let Some(at) = tables::entry(&s.ram, root, va).filter(|&at| s.ram.read(at) != 0) else { continue };
                let value = s.ram.entry(at);
                s.take_out(at, va, Unshown::untold(), doomed);
                s.unseen(asid, va);
                if value.marks() != Marks::FOREIGN {
                    s.count(asid, -1)?;
                } else if s.has_frame(value) {
                    s.count_common(asid, -1)?;
                }
            }
            Ok(())
        })
    }
    /// Unmaps the page at `va`, as [`Spaces::take_page`]; its frame is free again if it was the component's own.
    /// `ENFILE`, `ENOMEM`: a view would have a region too many.
    pub fn unmap(&mut self, asid: usize, va: usize, windows: OpenWindows) -> Result<bool, Error> {
        self.can_be_unseen(asid, va)?;
        self.burying(asid, |s, doomed| s.take_page(asid, va, windows, doomed))
    }
    /// Copies `count` entries from `first` on, that of address `va`, to space `to`. What can be written is shared from now
    /// on, but for frames that windows show, or may show. The caller flushes the addresses that they are copied from.
    pub fn copy_entries(
        &mut self,
        to: usize,
        first: usize,
        va: usize,
        count: usize,
        windows: OpenWindows,
    ) -> Result<(), Error> {
        let target = self.space(to)?.root;
        let (mut table, mut pages, mut common) = (0, 0, 0);
        let mut result = Ok(());
        for n in 0..count {
            let at = first + 8 * n;
            let value = self.ram.entry(at);
            if value.is_none() {
                continue;
            }
            if table == 0 {
                // The entry that the first would have: all are in one table.
                table = self.counting_tables(to, |s| s.make_own(to, target, va))?;
            }
            let copied = self.room(to, pages + common + 1).and_then(|()| self.copy_entry(at, table + 8 * n, windows));
            match copied {
                Ok(true) => pages += 1,
                Ok(false) => common += self.has_frame(value) as usize,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        self.count(to, pages as i32)?;
        self.count_common(to, common as i32)?;
        result
    }
    /// Maps a copy of the page of entry `at` at `va`, with `rights`. The caller flushes the address that it is copied from.
    pub fn copy_page(
        &mut self,
        at: usize,
        asid: usize,
        (va, part): (usize, Part),
        rights: Rights,
        windows: OpenWindows,
    ) -> Result<(), Error> {
        self.room(asid, 1)?;
        let place = self.vacant(asid, va, part)?;
        self.copy_entry(at, place, windows)?;
        self.count(asid, 1)?;
        // The source's rights are not the copy's: one that can be written stays or becomes shared until it is.
        let value = self.ram.entry(place);
        let waits = value.has(Marks::LAZY);
        let now = match (rights.contains(Rights::WRITE), waits || value.rights().contains(Rights::WRITE)) {
            (false, true) => {
                // It holds no frame back for a write that can not come; one that was copied at once holds none.
                if waits {
                    self.frames.renounce();
                }
                value.with_rights(value.rights().difference(Rights::WRITE)).without(Marks::LAZY)
            }
            (true, false) => {
                if let Err(error) = self.frames.promise() {
                    self.unmap_untold(asid, va, PAGE)?;
                    return Err(error);
                }
                value.with(Marks::LAZY)
            }
            _ => value,
        };
        // Whether it can be written at once is as it was.
        let written = now.rights().intersection(Rights::WRITE);
        let supervisor = self.space(asid)?.supervisor;
        self.ram
            .set_entry(place, now.with_rights(rights.difference(Rights::WRITE).union(written)).for_mode(supervisor));
        if now.marks() == Marks::FOREIGN {
            // A page of the archive that can not be written any more: it is nobody's.
            self.count(asid, -1)?;
        }
        Ok(())
    }
    /// Copies entry `at` to `place`; whether it counts as a page of the space's own.
    #[inline(always)]
    fn copy_entry(&mut self, at: usize, place: usize, windows: OpenWindows) -> Result<bool, Error> {
        let value = self.ram.entry(at);
        if self.is_registers(value) {
            // A device belongs to the driver alone.
            return Ok(false);
        }
        let can_write = value.rights().contains(Rights::WRITE);
        if value.has(Marks::LAZY) || can_write && !value.has(Marks::FOREIGN) {
            // Promised, shared, or to be shared: a frame is held back for the copy.
            self.frames.promise()?;
        } else if value.has(Marks::FOREIGN) {
            let counted = self.has_frame(value);
            let Spaces { ram, frames, shares, .. } = self;
            if counted && !shares.add(ram, frames, value.address()) {
                return Err(Error::ENOMEM);
            }
            self.ram.set_entry(place, value);
            return Ok(false);
        }
        let pa = value.address();
        if !value.is_present() || value.has(Marks::FOREIGN) {
            // Promised, or a shared page of the archive.
            self.ram.set_entry(place, value);
            return Ok(true);
        }
        let Spaces { ram, frames, shares, .. } = self;
        let writable = can_write || value.has(Marks::LAZY);
        // One that is shared already is not lent.
        let shown = !value.has(Marks::LAZY) && windows.shows(pa).unwrap_or(true);
        if !shown && shares.add(ram, frames, pa) {
            let read_only = value.rights().difference(Rights::WRITE);
            let value = if writable { value.with_rights(read_only).with(Marks::LAZY) } else { value };
            if value != ram.entry(at) {
                // The one that was its own may now be copied, too.
                if let Err(error) = frames.promise() {
                    shares.remove(ram, pa);
                    frames.renounce();
                    return Err(error);
                }
                ram.set_entry(at, value);
            }
            ram.set_entry(place, value);
            return Ok(true);
        }
        // A copy at once, with the frame that was promised or a new one.
        let new = if writable { frames.redeem() } else { frames.take(For::Component)? };
        ram.copy(pa, new, PAGE);
        ram.written_with(value.rights());
        let rights = value.rights().union(if writable { Rights::WRITE } else { Rights::NONE });
        ram.set_entry(place, Entry::user(new, rights, Marks::empty()));
        Ok(true)
    }
}
