//! What each account has of memory. A space costs its pages, those that are only promised or shared included, and its page tables;
//! an account pays for all its spaces. What is shared by several spaces each of them pays for, so that the sum over all accounts is
//! never less than the frames that are taken or promised for components.

use crate::accounts::Memory;
use crate::ram::Ram;
use crate::space::Spaces;
use abi::Error;

impl<R: Ram> Spaces<R> {
    /// The account that pays for space `asid`; the system's where that is none of its own.
    #[inline(always)]
    pub fn account_of(&mut self, asid: usize) -> u8 {
        self.space(asid).map_or(0, |space| space.account)
    }
    /// Has `account` pay for space `asid` from now on.
    pub fn pay(&mut self, asid: usize, account: usize) -> Result<(), Error> {
        self.accounts.of(account)?;
        let space = self.space(asid)?;
        let (before, cost) = (core::mem::replace(&mut space.account, account as u8), space.cost() as i32);
        self.accounts.change(before as usize, -cost);
        self.accounts.change(account, cost);
        Ok(())
    }
    /// Whether the account of space `asid` has `pages` more. `ENOMEM`: it has not.
    #[inline(always)]
    pub fn room(&mut self, asid: usize, pages: usize) -> Result<(), Error> {
        let account = self.space(asid)?.account as usize;
        self.account_room(account, pages)
    }
    #[inline(always)]
    pub(crate) fn account_room(&self, account: usize, pages: usize) -> Result<(), Error> {
        let Memory { used, limit } = self.accounts.of(account)?;
        if account == 0 || used as usize + pages <= limit as usize { Ok(()) } else { Err(Error::ENOMEM) }
    }
    /// Space `asid` has so many more pages of its own.
    #[inline(always)]
    pub fn count(&mut self, asid: usize, by: i32) -> Result<(), Error> {
        let space = self.space(asid)?;
        space.pages = space.pages.wrapping_add_signed(by);
        let account = space.account as usize;
        self.accounts.change(account, by);
        Ok(())
    }
    /// Space `asid` shows so many more frames that it shares for good.
    pub fn count_common(&mut self, asid: usize, by: i32) -> Result<(), Error> {
        let space = self.space(asid)?;
        space.common = space.common.wrapping_add_signed(by as i16);
        let account = space.account as usize;
        self.accounts.change(account, by);
        Ok(())
    }
    /// Runs `body`, which may make tables for space `asid`, and counts them.
    #[inline(always)]
    pub fn counting_tables<T>(&mut self, asid: usize, body: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.frames.free();
        let result = body(self);
        let made = before.saturating_sub(self.frames.free());
        if made > 0 {
            self.count_tables(asid, made);
        }
        result
    }
    #[cold]
    fn count_tables(&mut self, asid: usize, made: usize) {
        let Ok(space) = self.space(asid) else { return self.count_view_tables(asid, made) };
        space.tables += made as u16;
        let account = space.account as usize;
        self.accounts.change(account, made as i32);
    }
    /// Space `asid` is no more: nobody pays for it.
    pub fn forget_cost(&mut self, asid: usize) -> Result<(), Error> {
        let space = self.space(asid)?;
        let (account, cost) = (space.account as usize, space.cost() as i32);
        self.accounts.change(account, -cost);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use crate::open_windows::OpenWindows;
    use crate::space_tests::{id, spaces};
    use abi::address::{HEAP_END, IMAGE_VA, PAGE, RECEIVE_VA};
    use abi::rights::Rights;

    fn used(s: &Spaces<Fake>, account: usize) -> usize {
        s.accounts.of(account).unwrap().used as usize
    }
    #[test]
    fn a_limit_that_is_reached_is_an_error_and_nobody_elses() {
        let mut s = spaces();
        for asid in [1, 2] {
            s.create(id(asid)).unwrap();
            s.pay(asid, asid).unwrap();
            s.accounts.set_limit(asid, 20).unwrap();
        }
        let bits = Rights::READ_WRITE;
        let most = (0..).find(|n| s.map(1, IMAGE_VA + n * PAGE, PAGE, bits).is_err()).unwrap();
        assert!((16..20).contains(&most), "{most} pages beside the tables");
        assert_eq!(s.map(1, HEAP_END - PAGE, PAGE, bits), Err(Error::ENOMEM));
        assert_eq!(s.map(2, IMAGE_VA, 10 * PAGE, bits), Ok(()));
        s.unmap_untold(1, IMAGE_VA, PAGE).unwrap();
        assert_eq!(s.map(1, IMAGE_VA, PAGE, bits), Ok(()));
    }
    #[test]
    fn tables_and_shared_pages_cost_and_all_comes_back() {
        let mut s = spaces();
        for asid in [1, 2] {
            s.create(id(asid)).unwrap();
            s.pay(asid, 3).unwrap();
        }
        s.accounts.set_limit(3, 1000).unwrap();
        s.map(1, IMAGE_VA, 2 * PAGE, Rights::READ_WRITE).unwrap();
        // Two pages, and the two tables that lead to them.
        assert_eq!(used(&s, 3), 4);
        s.own(1, IMAGE_VA, true).unwrap();
        s.share(1, 2, IMAGE_VA, 1).unwrap();
        // The other sees it too, through two tables.
        assert_eq!(used(&s, 3), 7);
        assert!(s.space(2).unwrap().common == 1 && RECEIVE_VA > IMAGE_VA);
        s.destroy(1).unwrap();
        assert_eq!(used(&s, 3), 3);
        s.destroy(2).unwrap();
        assert_eq!(used(&s, 3), 0);
    }
    #[test]
    fn a_copy_that_does_not_fit_is_refused() {
        let mut s = spaces();
        (1..3).for_each(|asid| assert!(s.create(id(asid)).is_ok() && s.pay(asid, 1).is_ok()));
        s.accounts.set_limit(1, 16).unwrap();
        s.map(1, IMAGE_VA, 10 * PAGE, Rights::READ_WRITE).unwrap();
        assert_eq!(s.copy(1, 2, OpenWindows::all(&[])), Err(Error::ENOMEM));
        s.destroy(2).unwrap();
        assert_eq!(used(&s, 1), 12);
    }
}
