//! What is in a file: pages, and whose accounts have paid for them.
//!
//! A page at a time, so that growth copies nothing and needs no run of memory that may not be there. Whoever makes a file longer pays for
//! the pages that come; they are given back when it is made shorter, and with the file.

use abi::Error;
use abi::account::Resource;
use abi::address::PAGE;
use account::{Account, Ledger, Sum};
use alloc::boxed::Box;
use alloc::vec::Vec;
use fallible::TryPush;

/// Longest file, in bytes: what is read or written beyond is refused.
pub const LONGEST: usize = 64 << 20;

/// Pages of storage, by who has paid for them.
#[derive(Default)]
pub struct Paid(Vec<Sum>);
impl Paid {
    pub const fn new() -> Paid {
        Paid(Vec::new())
    }
    /// Takes `pages` (below 65,536) from the account of `payer`. `ENOMEM`: it has not so many left, or there is no memory; nothing is
    /// taken.
    pub fn charge(&mut self, ledger: &mut impl Ledger, payer: Account, pages: usize) -> Result<(), Error> {
        if !self.0.iter().any(|sum| sum.is_of(payer, Resource::Storage)) {
            self.0.try_push(Sum::new(payer, Resource::Storage))?;
        }
        let mut charge = ledger.charge(payer, Resource::Storage, pages)?;
        for sum in &mut self.0 {
            match sum.add(charge) {
                Ok(()) => return Ok(()),
                Err(back) => charge = back,
            }
        }
        // Not reached: the sum is there.
        ledger.refund(charge);
        Err(Error::ENOMEM)
    }
    /// Gives `pages` back: those of who came last first.
    pub fn refund(&mut self, ledger: &mut impl Ledger, mut pages: usize) {
        while pages > 0
            && let Some(last) = self.0.last_mut()
        {
            let charge = last.take(pages);
            pages -= charge.amount();
            ledger.refund(charge);
            if last.amount() == 0 {
                self.0.pop();
            }
        }
    }
    /// Gives all of them back.
    pub fn refund_all(self, ledger: &mut impl Ledger) {
        self.0.into_iter().for_each(|sum| ledger.refund_all(sum));
    }
    #[cfg(test)]
    pub fn pages(&self) -> usize {
        self.0.iter().map(Sum::amount).sum()
    }
}

/// The bytes of a file.
#[derive(Default)]
pub struct Bytes {
    /// What lies behind the last byte in the last one is zero.
    pages: Vec<Box<[u8; PAGE]>>,
    length: usize,
}
impl Bytes {
    pub const fn new() -> Bytes {
        Bytes { pages: Vec::new(), length: 0 }
    }
    pub fn len(&self) -> usize {
        self.length
    }
    /// Gives `take` what is from byte `start` on, at most `count` bytes, piece by piece; how many they are.
    pub fn read(&self, start: usize, count: usize, mut take: impl FnMut(&[u8])) -> usize {
        let start = start.min(self.length);
        let end = start.saturating_add(count).min(self.length);
        let mut at = start;
        while at < end {
            let piece = (PAGE - at % PAGE).min(end - at);
            take(&self.pages[at / PAGE][at % PAGE..][..piece]);
            at += piece;
        }
        end - start
    }
    /// Writes `data` from byte `start` on, where the file is long enough.
    pub fn write(&mut self, start: usize, mut data: &[u8]) {
        let mut at = start;
        while !data.is_empty() {
            let (piece, rest) = data.split_at(data.len().min(PAGE - at % PAGE));
            self.pages[at / PAGE][at % PAGE..][..piece.len()].copy_from_slice(piece);
            (at, data) = (at + piece.len(), rest);
        }
    }
    /// It has `length` bytes from now on; those that come are zeros, and `payer` pays for their pages. `ENOMEM`: too long, or more than
    /// `payer` may have, or there is no memory; nothing has changed.
    pub fn resize(
        &mut self,
        length: usize,
        (ledger, paid, payer): (&mut impl Ledger, &mut Paid, Account),
    ) -> Result<(), Error> {
        if length > LONGEST {
            return Err(Error::ENOMEM);
        }
        let (had, needs) = (self.pages.len(), length.div_ceil(PAGE));
        if needs > had {
            self.pages.room_for(needs - had)?;
            paid.charge(ledger, payer, needs - had)?;
            for _ in had..needs {
                if fallible::zeros().and_then(|page| self.pages.try_push(page)).is_err() {
                    self.pages.truncate(had);
                    paid.refund(ledger, needs - had);
                    return Err(Error::ENOMEM);
                }
            }
        } else {
            self.pages.truncate(needs);
            paid.refund(ledger, had - needs);
            if let Some(last) = self.pages.last_mut()
                && length < self.length
                && !length.is_multiple_of(PAGE)
            {
                last[length % PAGE..].fill(0);
            }
        }
        self.length = length;
        Ok(())
    }
}
