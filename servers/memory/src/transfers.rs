//! The letters that leave pages with the other side: `S`, `>` and `<`.
//!
//! Their argument is an address in the private part, its length the next one; both are whole pages. When all is
//! checked, the portal asks for the transfer with a fault: the memory manager does it, leaves in the thread what was asked, whose
//! call it is and to whom, and where the callee finds the pages, and the call is made again: the portal finds that, takes it out
//! when it commits the call, and passes the address. `S` shares the caller's pages with the callee from now on; `>` moves them to
//! the callee; for `<` the callee gets as many new pages, which move to the caller when the call returns, in a fault of the return.
//!
//! What is left in the thread is of a call that is not made yet, and names both domains by identity: nothing that another domain
//! does on that thread, and no domain that has one of the numbers later, takes it for its own. It may be undone at any time: the
//! call, if it is still to be made, asks again. So it is undone before the call ends with an error or waits for a stack, and when
//! the thread ends. The frame of a call with `<` has the caller's identity, for the return.

use crate::doomed::Lent;
use crate::ram::Ram;
use crate::space::Spaces;
use crate::tables;
use abi::Error;
use abi::account::ACCOUNTS;
use abi::address::{DEVICE_VA, PAGE, RECEIVE_VA, STACK_FLOOR};
use abi::nucleus::{TRANSFERS, Thread, domain, fault};
use abi::rights::Rights;
use abi::template::{Letter, Part, Template, Word};
use arch::Marks;
use arch::paging::Entry;
use core::mem::offset_of;
use portal::encode::*;
use portal::template::Writer;

/// Most pages of one transfer.
pub const MOST: usize = 31;
const _: () = assert!(2 * TRANSFERS == portal::specification::ARGUMENTS);

/// From here on are pages of clients that others pay for, in a part for each account.
const OTHERS_VA: usize = RECEIVE_VA + (DEVICE_VA - RECEIVE_VA) / 2;
const PART: usize = (DEVICE_VA - OTHERS_VA) / ACCOUNTS;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `S`
    Share = 0,
    /// `>`
    Give = 1,
    /// `<`, when the call is made.
    Get = 2,
    /// `<`, when it returns.
    Got = 3,
}
/// A request as portal code writes it: of [`Kind::Got`] from bit 30 the callee's page; from bit 12 the caller's page, then the
/// number of pages, the argument, the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The callee's address, of [`Kind::Got`].
    pub there: usize,
    /// The caller's.
    pub address: usize,
    pub pages: usize,
    /// Half the number of the argument register in which the caller passes it: its length is in the next.
    pub argument: usize,
    pub kind: Kind,
}
const THERE: i32 = 30;
const PAGES: i32 = 7;
const ARGUMENT: i32 = 4;
const KIND: i32 = 2;
impl Request {
    /// `None`: no pages, which nobody asks for.
    pub fn of(word: u64) -> Option<Request> {
        const PRIVATE: usize = (1 << THERE) - PAGE;
        let kind = [Kind::Share, Kind::Give, Kind::Get, Kind::Got][(word >> KIND & 3) as usize];
        let request = Request {
            there: (word >> (THERE - 12)) as usize & PRIVATE,
            address: word as usize & PRIVATE,
            pages: (word >> PAGES) as usize & MOST,
            argument: (word >> ARGUMENT) as usize & 7,
            kind,
        };
        (request.pages > 0 && request.argument < TRANSFERS).then_some(request)
    }
}

const REQUESTS: i32 = offset_of!(Thread, transfers) as i32;
const ENDS: i32 = offset_of!(Thread, transfer_ends) as i32;

/// The template.
pub const fn transfers() -> Template {
    let mut w = Writer::new();
    let check = check(&mut w);
    let ask = ask(&mut w, false);
    let ask_get = self::ask(&mut w, true);
    let at = w.position();
    w.plain(addi(T1, T4, 0));
    let slow = w.part(at);
    let at = w.position();
    w.put(Word::new(ld(ZERO, TP, REQUESTS + 8)).rd().place());
    w.put(Word::new(sd(ZERO, TP, REQUESTS)).place());
    let pass = w.part(at);
    // Once: the return is made again after the fault, whose value `a6` is, and `t5` the caller's identity.
    let at = w.position();
    w.put(Word::new(ld(A6, T0, 0)).own());
    w.put(Word::new(ld(T5, T0, 8)).own());
    w.put(Word::new(sd(ZERO, T0, 0)).own());
    w.put(Word::new(bne(A6, ZERO, 0)).slow());
    let back = w.part(at);
    w.letter(letter(b'S', Kind::Share, 0, [check, pass, Part::NONE, slow, ask]));
    w.letter(letter(b'>', Kind::Give, 0, [check, pass, Part::NONE, slow, ask]));
    w.letter(letter(b'<', Kind::Get, 2, [check, pass, back, slow, ask_get]));
    w.finish(0)
}
const fn letter(letter: u8, kind: Kind, words: u8, parts: [Part; 5]) -> Letter {
    let parameters = [(kind as i16) << KIND, 0, 0];
    Letter { letter, length: 1, words, fault: fault::TRANSFER as u8, parameters, parts, ..Letter::NONE }
}
/// Whole pages, at most as many as fit, in the private part.
const fn check(w: &mut Writer) -> Part {
    let first = w.position();
    w.put(Word::new(slli(T3, ZERO, 52)).rs1());
    w.put(Word::new(bne(T3, ZERO, 0)).fail(Error::EINVAL));
    w.put(Word::new(slli(T3, ZERO, 52)).length_rs1());
    w.put(Word::new(bne(T3, ZERO, 0)).fail(Error::EINVAL));
    w.put(Word::new(srli(T3, ZERO, 12 + MOST.trailing_ones() as i32)).length_rs1());
    w.put(Word::new(bne(T3, ZERO, 0)).fail(Error::EINVAL));
    w.put(Word::new(beq(ZERO, ZERO, 0)).length_rs1().fail(Error::EINVAL));
    w.put(Word::new(srli(T3, ZERO, 30)).rs1());
    w.put(Word::new(bne(T3, ZERO, 0)).fail(Error::EFAULT));
    w.part(first)
}
/// `t4`: the request. It must be what was done last for this argument, for a call of this caller to this callee. `comes_back`: it
/// goes to the frame as that of the return, with the caller's identity behind it.
const fn ask(w: &mut Writer, comes_back: bool) -> Part {
    let first = w.position();
    w.put(Word::new(srli(T4, ZERO, 12 - PAGES)).length_rs1());
    w.put(Word::new(add(T4, T4, ZERO)).rs2());
    w.put(Word::new(addi(T4, T4, 0)).parameter(0));
    w.put(Word::new(addi(T4, T4, 0)).place());
    w.put(Word::new(ld(T3, TP, REQUESTS)).place());
    w.put(Word::new(bne(T3, T4, 0)).slow());
    w.put(Word::new(ld(T5, TP, ENDS)).place());
    w.plain(ld(T3, T2, domain::IDENTITY));
    w.put(Word::new(bne(T3, T5, 0)).slow());
    w.put(Word::new(lui(T3, 0)).callee());
    w.plain(ld(T3, T3, domain::IDENTITY));
    w.put(Word::new(ld(T1, TP, ENDS + 8)).place());
    w.put(Word::new(bne(T3, T1, 0)).slow());
    if comes_back {
        w.put(Word::new(ld(T3, TP, REQUESTS + 8)).place());
        w.all([slli(T3, T3, THERE - 12), or(T4, T4, T3), addi(T4, T4, 1 << KIND)]);
        w.put(Word::new(sd(T4, T0, 0)).own());
        w.put(Word::new(sd(T5, T0, 8)).own());
    }
    w.part(first)
}

impl<R: Ram> Spaces<R> {
    /// Checks that `pages` pages from `va` may be passed on: private, and no device's.
    fn transferable(va: usize, pages: usize) -> Result<(), Error> {
        crate::space::private(va, pages * PAGE)?;
        if va + pages * PAGE > DEVICE_VA && va < STACK_FLOOR { Err(Error::EFAULT) } else { Ok(()) }
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
        Self::transferable(address, pages).map_err(|_| Error::EFAULT)?;
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
            self.vacant(callee, there + n * PAGE)?;
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
        lent: Lent,
    ) -> Result<usize, Error> {
        Self::transferable(address, pages).map_err(|_| Error::EFAULT)?;
        self.movable(caller, address, pages, lent)?;
        let there = self.receive(caller, callee, pages)?;
        // Tables first: moving itself does not fail.
        self.room(callee, pages)?;
        for n in 0..pages {
            self.vacant(callee, there + n * PAGE)?;
        }
        self.move_pages((caller, address), (callee, there), pages)?;
        Ok(there)
    }
    /// `<`, at the call: as many new pages of `callee`'s, once `caller` may have pages at `address`; where.
    pub fn get(&mut self, caller: usize, callee: usize, address: usize, pages: usize) -> Result<usize, Error> {
        Self::transferable(address, pages).map_err(|_| Error::EFAULT)?;
        let there = self.receive(caller, callee, pages)?;
        self.map(callee, there, pages * PAGE, Rights::READ_WRITE)?;
        Ok(there)
    }
    /// `<`, at the return: moves pages of `callee`'s from `there` to `caller`, in the place of what it has at `address`. Nothing has
    /// changed where that can not be: `EBUSY`, a window shows a page of either; `EAGAIN`, it must be known whether one does;
    /// `EINVAL`, they are the same pages.
    pub fn got(
        &mut self,
        callee: usize,
        there: usize,
        (caller, address): (usize, usize),
        pages: usize,
        lent: Lent,
    ) -> Result<(), Error> {
        if callee == caller && there.abs_diff(address) < pages * PAGE {
            return Err(Error::EINVAL);
        }
        self.movable(callee, there, pages, lent)?;
        self.replaceable(caller, address, pages, lent)?;
        // Tables first, and then what was there: it may be seen until it is forgotten, so no frame is given out before.
        let root = self.space(caller)?.root;
        for n in 0..pages {
            self.make_private(caller, root, address + n * PAGE)?;
        }
        self.burying(caller, |s, doomed| {
            (0..pages).try_for_each(|n| s.take_page(caller, address + n * PAGE, lent, doomed).map(|_| ()))
        })?;
        for n in 0..pages {
            self.vacant(caller, address + n * PAGE)?;
        }
        self.move_pages((callee, there), (caller, address), pages)
    }
    /// Unmaps pages that a call has brought, but for those that windows show: these stay where they are. `EAGAIN`: it must be known
    /// which do, and nothing has changed.
    pub fn drop_pages(&mut self, asid: usize, there: usize, pages: usize, lent: Lent) -> Result<(), Error> {
        match self.replaceable(asid, there, pages, lent) {
            Err(Error::EBUSY) | Ok(()) => {}
            other => return other,
        }
        self.burying(asid, |s, doomed| {
            for va in (there..there + pages * PAGE).step_by(PAGE) {
                match s.take_page(asid, va, lent, doomed) {
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
        lent: Lent,
    ) -> Result<(), Error> {
        let Request { address, pages, kind, .. } = request;
        if kind == Kind::Give {
            let root = self.space(caller)?.root;
            let free = (0..pages).all(|n| tables::leaf(&self.ram, root, address + n * PAGE).is_none());
            let back = if free { self.got(callee, there, (caller, address), pages, lent) } else { Err(Error::EEXIST) };
            if matches!(back, Ok(()) | Err(Error::EAGAIN)) {
                return back;
            }
        }
        self.drop_pages(callee, there, pages, lent)
    }
    /// Checks that the pages are the space's alone and that no window shows them; makes those so that are shared
    /// copy-on-write.
    fn movable(&mut self, asid: usize, address: usize, pages: usize, lent: Lent) -> Result<(), Error> {
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
        self.replaceable(asid, address, pages, lent)
    }
    /// Checks that no window shows the pages. Of all of them it is asked at once.
    fn replaceable(&mut self, asid: usize, address: usize, pages: usize, lent: Lent) -> Result<(), Error> {
        let root = self.space(asid)?.root;
        let mut result = Ok(());
        for va in (address..address + pages * PAGE).step_by(PAGE) {
            match lent.not(tables::leaf(&self.ram, root, va)) {
                Err(Error::EAGAIN) => result = Err(Error::EAGAIN),
                other => drop(other?),
            }
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
    fn the_template_may_be_used() {
        assert_eq!(portal::template::check(&transfers()), Ok(()));
    }
    #[test]
    fn a_request_is_what_the_portal_code_makes() {
        let word = 0x2345_6000 << (THERE - 12) | 0x1234_5000 | 3 << PAGES | 2 << ARGUMENT | 3 << KIND;
        let request = Request { there: 0x2345_6000, address: 0x1234_5000, pages: 3, argument: 2, kind: Kind::Got };
        assert_eq!((Request::of(word), Request::of(0)), (Some(request), None));
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
        assert_eq!(s.give(1, 2, IMAGE_VA, 2, Lent::all(&lent)), Err(Error::EBUSY));
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
        s.undo(1, 2, request, there, Lent::all(&lent)).unwrap();
        assert!(leaf(&s, roots[1], there).is_present());
        assert!(leaf(&s, roots[1], there + PAGE).is_none());
    }
    #[test]
    fn what_can_not_be_got_stays_until_it_is_dropped() {
        let (mut s, roots) = two();
        let there = s.get(1, 2, IMAGE_VA, 1).unwrap();
        let lent = [leaf(&s, roots[0], IMAGE_VA).address()];
        assert_eq!(s.got(2, there, (1, IMAGE_VA), 1, Lent::all(&lent)), Err(Error::EBUSY));
        assert!(!leaf(&s, roots[1], there).is_none());
        s.drop_pages(2, there, 1, Lent::all(&lent)).unwrap();
        assert!(leaf(&s, roots[1], there).is_none());
        assert_eq!(leaf(&s, roots[0], IMAGE_VA).address(), lent[0]);
    }
}
