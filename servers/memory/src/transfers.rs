//! What the letters that leave pages with the other side have done ([`crate::transfer_letters`]): pages of one space are shown to another, or move there.

use crate::open_windows::OpenWindows;
use crate::ram::Ram;
use crate::space::Spaces;
use crate::tables;
use crate::transfer_letters::{Kind, MOST, Request};
use abi::Error;
use abi::account::ACCOUNTS;
use abi::address::{DEVICE_VA, PAGE, RECEIVE_VA, STACK_FLOOR};
use abi::memory::Part;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::Entry;

/// From here on are pages of clients that others pay for, in a part for each account.
const OTHERS_VA: usize = RECEIVE_VA + (DEVICE_VA - RECEIVE_VA) / 2;
const PART: usize = (DEVICE_VA - OTHERS_VA) / ACCOUNTS;

impl<R: Ram> Spaces<R> {
    /// Checks that `pages` pages from `va` may be passed on: private, and no device's.
    fn transferable(&mut self, asid: usize, va: usize, pages: usize) -> Result<(), Error> {
        crate::space::private(va, pages * PAGE)?;
        if va + pages * PAGE > DEVICE_VA && va < STACK_FLOOR {
            return Err(Error::EFAULT);
        }
        self.space(asid)?.range_in_part(va, pages * PAGE, Part::Ordinary)
    }
    /// Where pages of `caller` come to in the space of `callee`: in the lower half of that part of it for a caller whom the same account
    /// pays for, or the system; for each other account in a part of its own, of no more pages than the account's share of what `callee`'s
    /// may have. So no client has a server full of pages for another.
    fn received(&mut self, caller: usize, callee: usize) -> Result<(usize, usize), Error> {
        let [client, server] = [caller, callee].map(|asid| self.account_of(asid) as usize);
        if client == server || client == 0 {
            return Ok((RECEIVE_VA, OTHERS_VA));
        }
        let share = if server == 0 { usize::MAX } else { self.accounts.of(server)?.limit as usize / ACCOUNTS };
        let first = OTHERS_VA + client * PART;
        Ok((first, first + share.clamp(MOST, PART / PAGE) * PAGE))
    }
    /// Addresses for `pages` pages of `caller` in the space of `callee`. `ENOMEM`: there are not so many.
    fn receive(&mut self, caller: usize, callee: usize, pages: usize) -> Result<usize, Error> {
        let (first, end) = self.received(caller, callee)?;
        let root = self.space(callee)?.root;
        let mut run = 0;
        for va in (first..end).step_by(PAGE) {
            run = if tables::leaf(&self.ram, root, va).is_none() { run + 1 } else { 0 };
            if run == pages {
                return Ok(va + PAGE - pages * PAGE);
            }
        }
        Err(Error::ENOMEM)
    }
    /// `S`: shows pages of `caller`'s to `callee` too, with the rights that the caller has; where. They stay until each side
    /// has unmapped them.
    pub fn share(&mut self, caller: usize, callee: usize, address: usize, pages: usize) -> Result<usize, Error> {
        self.transferable(caller, address, pages).map_err(|_| Error::EFAULT)?;
        let root = self.space(caller)?.root;
        for va in (address..address + pages * PAGE).step_by(PAGE) {
            self.own(caller, va, true)?;
            let leaf = tables::leaf(&self.ram, root, va);
            if !leaf.allows_at_once(Rights::READ) || !self.has_frame(leaf) {
                return Err(Error::EFAULT);
            }
        }
        // All that can fail comes before the callee sees the first page: it may lend that page on, or keep its translation.
        let there = self.receive(caller, callee, pages)?;
        self.room(callee, pages)?;
        for n in 0..pages {
            self.vacant(callee, there + n * PAGE, Part::Ordinary)?;
        }
        for n in 0..pages {
            let pa = tables::leaf(&self.ram, root, address + n * PAGE).address();
            let Spaces { ram, frames, shares, .. } = self;
            if !shares.add(ram, frames, pa) {
                for undo in 0..n {
                    let pa = tables::leaf(ram, root, address + undo * PAGE).address();
                    shares.remove(ram, pa);
                }
                return Err(Error::ENOMEM);
            }
        }
        for n in 0..pages {
            self.share_page(caller, address + n * PAGE, callee, there + n * PAGE)?;
        }
        Ok(there)
    }
    /// Shows a page of `caller`'s, which is counted as shared already, to `callee` at `to`, whose tables are there.
    fn share_page(&mut self, caller: usize, from: usize, callee: usize, to: usize) -> Result<(), Error> {
        let [root, callee_root] = [self.space(caller)?.root, self.space(callee)?.root];
        let at = tables::entry(&self.ram, root, from).ok_or(Error::EFAULT)?;
        let place = tables::entry(&self.ram, callee_root, to).ok_or(Error::EFAULT)?;
        let value = self.ram.entry(at);
        if !value.has(Marks::FOREIGN) {
            self.ram.set_entry(at, value.with(Marks::FOREIGN));
            self.count(caller, -1)?;
            self.count_common(caller, 1)?;
        }
        let rights = value.rights().intersection(Rights::READ_WRITE);
        self.ram.set_entry(place, Entry::user(value.address(), rights, Marks::FOREIGN));
        self.count_common(callee, 1)
    }
    /// `>`: moves pages of `caller`'s to `callee`; where. Pages that windows show do not move: `EBUSY`; `EAGAIN`: it must be known
    /// whether they do.
    pub fn give(
        &mut self,
        caller: usize,
        callee: usize,
        address: usize,
        pages: usize,
        windows: OpenWindows,
    ) -> Result<usize, Error> {
        self.transferable(caller, address, pages).map_err(|_| Error::EFAULT)?;
        self.movable(caller, address, pages, windows)?;
        let there = self.receive(caller, callee, pages)?;
        // Tables first: moving itself does not fail.
        self.room(callee, pages)?;
        for n in 0..pages {
            self.vacant(callee, there + n * PAGE, Part::Ordinary)?;
        }
        self.move_pages((caller, address), (callee, there), pages)?;
        Ok(there)
    }
    /// `<`, at the call: as many new pages of `callee`'s, once `caller` may have pages at `address`; where.
    pub fn get(&mut self, caller: usize, callee: usize, address: usize, pages: usize) -> Result<usize, Error> {
        self.transferable(caller, address, pages).map_err(|_| Error::EFAULT)?;
        let there = self.receive(caller, callee, pages)?;
        self.map(callee, there, pages * PAGE, Rights::READ_WRITE)?;
        Ok(there)
    }
    /// `<`, at the return: moves pages of `callee`'s from `there` to `caller`, in the place of what it has at `address`. Nothing has
    /// changed where that can not be: `EBUSY`, a window shows a page of either; `EAGAIN`, it must be known whether one does;
    /// `EINVAL`, they are the same pages; `EACCESS`, they would come to lie in a segment of a fault domain; `ENFILE`, `ENOMEM`, a view would have a region too many.
    pub fn got(
        &mut self,
        callee: usize,
        there: usize,
        (caller, address): (usize, usize),
        pages: usize,
        windows: OpenWindows,
    ) -> Result<(), Error> {
        if callee == caller && there.abs_diff(address) < pages * PAGE {
            return Err(Error::EINVAL);
        }
        // A segment may have been made there meanwhile.
        self.space(caller)?.range_in_part(address, pages * PAGE, Part::Ordinary)?;
        self.movable(callee, there, pages, windows)?;
        self.replaceable(caller, address, pages, windows)?;
        // Tables first, and then what was there: it may be seen until it is forgotten, so no frame is given out before.
        let root = self.space(caller)?.root;
        for n in 0..pages {
            self.make_private(caller, root, address + n * PAGE)?;
        }
        self.burying(caller, |s, doomed| {
            (0..pages).try_for_each(|n| s.take_page(caller, address + n * PAGE, windows, doomed).map(|_| ()))
        })?;
        for n in 0..pages {
            self.vacant(caller, address + n * PAGE, Part::Ordinary)?;
        }
        self.move_pages((callee, there), (caller, address), pages)
    }
    /// Unmaps pages that a call has brought, but for those that windows show, or that lie in what a view has no room for in two parts: these stay where they are. `EAGAIN`: it must be known
    /// which do, and nothing has changed.
    pub fn drop_pages(&mut self, asid: usize, there: usize, pages: usize, windows: OpenWindows) -> Result<(), Error> {
        match self.replaceable(asid, there, pages, windows) {
            Err(Error::EBUSY | Error::ENFILE | Error::ENOMEM) | Ok(()) => {}
            other => return other,
        }
        self.burying(asid, |s, doomed| {
            for va in (there..there + pages * PAGE).step_by(PAGE) {
                if s.can_be_unseen(asid, va).is_err() {
                    continue;
                }
                match s.take_page(asid, va, windows, doomed) {
                    Err(Error::EBUSY) => {}
                    other => drop(other?),
                }
            }
            Ok(())
        })
    }
    /// Takes back what `request` has brought to `callee` for a call of `caller` that is not made. What was given goes back where it
    /// was, unless something else is there; what can not go back is gone.
    pub fn undo(
        &mut self,
        caller: usize,
        callee: usize,
        request: Request,
        there: usize,
        windows: OpenWindows,
    ) -> Result<(), Error> {
        let Request { address, pages, kind, .. } = request;
        if kind == Kind::Give {
            let root = self.space(caller)?.root;
            let free = (0..pages).all(|n| tables::leaf(&self.ram, root, address + n * PAGE).is_none());
            let back =
                if free { self.got(callee, there, (caller, address), pages, windows) } else { Err(Error::EEXIST) };
            if matches!(back, Ok(()) | Err(Error::EAGAIN)) {
                return back;
            }
        }
        self.drop_pages(callee, there, pages, windows)
    }
    /// Checks that the pages are the space's alone and that no window shows them; makes those so that are shared
    /// copy-on-write.
    fn movable(&mut self, asid: usize, address: usize, pages: usize, windows: OpenWindows) -> Result<(), Error> {
        let root = self.space(asid)?.root;
        for va in (address..address + pages * PAGE).step_by(PAGE) {
            self.own(asid, va, true)?;
            let leaf = tables::leaf(&self.ram, root, va);
            if !leaf.allows_at_once(Rights::READ)
                || leaf.has(Marks::FOREIGN)
                || self.shares.count(&self.ram, leaf.address()) > 0
            {
                return Err(Error::EFAULT);
            }
        }
        self.replaceable(asid, address, pages, windows)
    }
    /// Checks that no window shows the pages, and that views have room for what is left around each. Of all of them it is asked at once.
    fn replaceable(&mut self, asid: usize, address: usize, pages: usize, windows: OpenWindows) -> Result<(), Error> {
        let root = self.space(asid)?.root;
        let mut result = Ok(());
        for va in (address..address + pages * PAGE).step_by(PAGE) {
            match windows.not(tables::leaf(&self.ram, root, va)) {
                Err(Error::EAGAIN) => result = Err(Error::EAGAIN),
                other => drop(other?),
            }
            self.can_be_unseen(asid, va)?;
        }
        result
    }
    /// Moves pages that were checked to where nothing is. What they were is forgotten.
    fn move_pages(
        &mut self,
        (from, address): (usize, usize),
        (to, there): (usize, usize),
        pages: usize,
    ) -> Result<(), Error> {
        let (source, target) = (self.space(from)?.root, self.space(to)?.root);
        for n in 0..pages {
            let at = tables::entry(&self.ram, source, address + n * PAGE).ok_or(Error::EFAULT)?;
            let place = tables::entry(&self.ram, target, there + n * PAGE).ok_or(Error::EFAULT)?;
            let value = self.ram.entry(at);
            self.ram.set_entry(at, Entry::NONE);
            self.unseen(from, address + n * PAGE);
            let rights = value.rights().difference(Rights::EXECUTE);
            self.ram.set_entry(place, value.with_rights(rights));
        }
        self.count(from, -(pages as i32))?;
        self.count(to, pages as i32)?;
        if pages == 1 {
            self.ram.flush_page(from, address)
        } else {
            self.ram.flush_space(from)
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use crate::space_tests::{NONE, id, spaces};
    use abi::address::IMAGE_VA;

    /// Two spaces; the first has two pages of its own, "one" and "two".
    fn two() -> (Box<Spaces<Fake>>, [usize; 2]) {
        let mut s = spaces();
        let roots = [1, 2].map(|asid| s.create(id(asid)).unwrap());
        s.map(1, IMAGE_VA, 2 * PAGE, Rights::READ_WRITE).unwrap();
        s.write(1, IMAGE_VA, b"one").unwrap();
        s.write(1, IMAGE_VA + PAGE, b"two").unwrap();
        (s, roots)
    }
    fn leaf(s: &Spaces<Fake>, root: usize, va: usize) -> Entry {
        tables::leaf(&s.ram, root, va)
    }

    #[test]
    fn a_shared_frame_is_free_when_both_have_let_go() {
        let (mut s, roots) = two();
        let free = s.frames.free();
        let there = s.share(1, 2, IMAGE_VA, 2).unwrap();
        let tables = free - s.frames.free();
        assert_eq!(leaf(&s, roots[0], IMAGE_VA).address(), leaf(&s, roots[1], there).address());
        assert_eq!(leaf(&s, roots[1], there).rights(), Rights::READ_WRITE);
        s.destroy(1).unwrap();
        assert!(leaf(&s, roots[1], there).is_present());
        let before = s.frames.free();
        s.unmap(2, there, NONE).unwrap();
        assert_eq!(s.frames.free(), before + 1);
        assert!(tables >= 1);
    }
    #[test]
    fn pages_of_one_account_leave_room_for_those_of_others() {
        let (mut s, _) = two();
        let limit = 64 * ACCOUNTS;
        for (asid, account) in [(1, 1), (2, 2), (3, 3)] {
            if asid == 3 {
                s.create(id(asid)).unwrap();
                s.map(asid, IMAGE_VA, PAGE, Rights::READ_WRITE).unwrap();
            }
            s.accounts.set_limit(account, limit).unwrap();
            s.pay(asid, account).unwrap();
        }
        let shared = |s: &mut Spaces<Fake>, from: usize| (0..).find(|_| s.share(from, 2, IMAGE_VA, 1).is_err());
        assert_eq!(shared(&mut s, 1), Some(64));
        assert_eq!(s.give(1, 2, IMAGE_VA + PAGE, 1, NONE), Err(Error::ENOMEM));
        assert_eq!(s.get(1, 2, IMAGE_VA, 1), Err(Error::ENOMEM));
        let there = s.share(3, 2, IMAGE_VA, 1).unwrap();
        assert!((OTHERS_VA + 3 * PART..OTHERS_VA + 4 * PART).contains(&there));
        // What the server lets go of makes room for more of the same.
        s.unmap(2, OTHERS_VA + PART + 5 * PAGE, NONE).unwrap();
        assert_eq!(s.share(1, 2, IMAGE_VA, 1), Ok(OTHERS_VA + PART + 5 * PAGE));
        assert_eq!(s.share(1, 2, IMAGE_VA, 1), Err(Error::ENOMEM));
    }
    #[test]
    fn who_shares_an_account_shares_its_room() {
        let (mut s, _) = two();
        s.accounts.set_limit(1, 1000).unwrap();
        [1, 2].into_iter().for_each(|asid| s.pay(asid, 1).unwrap());
        assert!((0..300).all(|n| s.share(1, 2, IMAGE_VA, 1) == Ok(RECEIVE_VA + n * PAGE) || n > 254));
    }
    #[test]
    fn a_shared_page_stays_shared_in_a_copy_of_the_space() {
        let (mut s, roots) = two();
        let there = s.share(1, 2, IMAGE_VA, 1).unwrap();
        let root = s.create(id(3)).unwrap();
        s.copy(2, 3, NONE).unwrap();
        assert_eq!(leaf(&s, root, there), leaf(&s, roots[1], there));
        s.destroy(1).unwrap();
        s.destroy(2).unwrap();
        assert!(leaf(&s, root, there).is_present());
    }
    #[test]
    fn given_pages_are_the_callees_alone() {
        let (mut s, roots) = two();
        let frame = leaf(&s, roots[0], IMAGE_VA + PAGE).address();
        let there = s.give(1, 2, IMAGE_VA, 2, NONE).unwrap();
        assert!(leaf(&s, roots[0], IMAGE_VA).is_none());
        assert_eq!(leaf(&s, roots[1], there + PAGE).address(), frame);
        assert_eq!((s.space(1).unwrap().pages, s.space(2).unwrap().pages), (0, 2));
    }
    #[test]
    fn what_a_window_shows_is_not_given() {
        let (mut s, roots) = two();
        let lent = [leaf(&s, roots[0], IMAGE_VA + PAGE).address()];
        assert_eq!(s.give(1, 2, IMAGE_VA, 2, OpenWindows::all(&lent)), Err(Error::EBUSY));
        assert!(leaf(&s, roots[0], IMAGE_VA).is_present());
    }
    #[test]
    fn what_is_not_the_callers_alone_is_not_given() {
        let (mut s, _) = two();
        s.share(1, 2, IMAGE_VA, 1).unwrap();
        assert_eq!(s.give(1, 2, IMAGE_VA, 1, NONE), Err(Error::EFAULT));
        assert_eq!(s.give(1, 2, IMAGE_VA + 2 * PAGE, 1, NONE), Err(Error::EFAULT), "not mapped");
        assert_eq!(s.give(1, 2, DEVICE_VA, 1, NONE), Err(Error::EFAULT), "a device");
    }
    #[test]
    fn got_pages_replace_the_callers() {
        let (mut s, roots) = two();
        let there = s.get(1, 2, IMAGE_VA, 2).unwrap();
        s.write(2, there, b"new").unwrap();
        s.got(2, there, (1, IMAGE_VA), 2, NONE).unwrap();
        assert_eq!(
            s.ram.read(leaf(&s, roots[0], IMAGE_VA).address()) & 0xff_ffff,
            u64::from_le_bytes(*b"new\0\0\0\0\0")
        );
        assert_eq!(
            (leaf(&s, roots[1], there), s.space(1).unwrap().pages, s.space(2).unwrap().pages),
            (Entry::NONE, 2, 0)
        );
    }
    #[test]
    fn what_a_failed_call_has_given_comes_back() {
        let (mut s, roots) = two();
        let before = leaf(&s, roots[0], IMAGE_VA);
        let there = s.give(1, 2, IMAGE_VA, 2, NONE).unwrap();
        let request = Request { there, address: IMAGE_VA, pages: 2, argument: 0, kind: Kind::Give };
        s.undo(1, 2, request, there, NONE).unwrap();
        assert_eq!((leaf(&s, roots[0], IMAGE_VA), leaf(&s, roots[1], there)), (before, Entry::NONE));
    }
    #[test]
    fn what_is_undone_stays_where_a_window_shows_it() {
        let (mut s, roots) = two();
        let there = s.share(1, 2, IMAGE_VA, 2).unwrap();
        let lent = [leaf(&s, roots[1], there).address()];
        let request = Request { there, address: IMAGE_VA, pages: 2, argument: 0, kind: Kind::Share };
        s.undo(1, 2, request, there, OpenWindows::all(&lent)).unwrap();
        assert!(leaf(&s, roots[1], there).is_present());
        assert!(leaf(&s, roots[1], there + PAGE).is_none());
    }
    #[test]
    fn what_can_not_be_got_stays_until_it_is_dropped() {
        let (mut s, roots) = two();
        let there = s.get(1, 2, IMAGE_VA, 1).unwrap();
        let lent = [leaf(&s, roots[0], IMAGE_VA).address()];
        assert_eq!(s.got(2, there, (1, IMAGE_VA), 1, OpenWindows::all(&lent)), Err(Error::EBUSY));
        assert!(!leaf(&s, roots[1], there).is_none());
        s.drop_pages(2, there, 1, OpenWindows::all(&lent)).unwrap();
        assert!(leaf(&s, roots[1], there).is_none());
        assert_eq!(leaf(&s, roots[0], IMAGE_VA).address(), lent[0]);
    }
}
