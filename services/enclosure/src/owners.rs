//! Whose a number of a portal is, where a fault domain and its host, or several fault domains, have one table.

use abi::nucleus::NPORTALS;
use abi::system;
use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Numbers of portals.
pub(crate) struct Numbers([AtomicU64; NPORTALS / 64]);
impl Numbers {
    pub(crate) const fn none() -> Numbers {
        Numbers([const { AtomicU64::new(0) }; NPORTALS / 64])
    }
    pub(crate) fn has(&self, number: usize) -> bool {
        self.0[number / 64].load(Ordering::Relaxed) >> (number % 64) & 1 != 0
    }
    pub(crate) fn add(&self, number: usize) {
        self.0[number / 64].fetch_or(1 << (number % 64), Ordering::Relaxed);
    }
    pub(crate) fn remove(&self, number: usize) {
        self.0[number / 64].fetch_and(!(1 << (number % 64)), Ordering::Relaxed);
    }
}
/// Whose each number of a table is that several fault domains and their host's runtime have together.
pub struct Owners([AtomicU8; NPORTALS]);
/// Nobody's, and the runtime's.
const NOBODYS: u8 = 0;
pub(crate) const RUNTIMES: u8 = u8::MAX;
impl Owners {
    pub const fn none() -> Owners {
        Owners([const { AtomicU8::new(NOBODYS) }; NPORTALS])
    }
    /// What stands for something by now is the runtime's.
    pub fn keep(&self, stands: impl Fn(usize) -> bool) {
        (system::FIRST_FREE..NPORTALS).filter(|&number| stands(number)).for_each(|number| self.give(number, RUNTIMES));
    }
    /// Gives a number to a fault domain, from 1 on, whoever had it: the system has said that it is new.
    pub(crate) fn give(&self, number: usize, to: u8) {
        self.0[number].store(to, Ordering::Release);
    }
    /// Gives it one that is nobody's.
    pub(crate) fn find(&self, number: usize, to: u8) {
        let _ = self.0[number].compare_exchange(NOBODYS, to, Ordering::AcqRel, Ordering::Relaxed);
    }
    /// Takes it away again. False: it had another.
    pub(crate) fn take(&self, number: usize, from: u8) -> bool {
        self.0[number].compare_exchange(from, NOBODYS, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}
/// Which numbers are a fault domain's own.
pub(crate) enum Own {
    /// It is all of its component: all.
    All,
    /// Those that it has opened: its host has others for itself. Only one thread is in it, so none of its locks is held by another.
    Opened(Numbers),
    /// Those that have its number among the owners.
    Of(&'static Owners, u8),
}
impl Own {
    pub(crate) fn has(&self, number: usize) -> bool {
        match self {
            Own::All => true,
            Own::Opened(numbers) => numbers.has(number),
            Own::Of(owners, own) => owners.0[number].load(Ordering::Acquire) == *own,
        }
    }
    pub(crate) fn add(&self, number: usize) {
        match self {
            Own::All => {}
            Own::Opened(numbers) => numbers.add(number),
            Own::Of(owners, own) => owners.give(number, *own),
        }
    }
    pub(crate) fn remove(&self, number: usize) {
        match self {
            Own::All => {}
            Own::Opened(numbers) => numbers.remove(number),
            Own::Of(owners, own) => _ = owners.take(number, *own),
        }
    }
}
