//! What is so because there is one hart, each behind a type that says so. With a second one, these are the places to change in Rust; what portal
//! code and the nucleus take for granted is listed in the book, "One hart".

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

/// What each hart is to have one of its own of. As there is one hart, there is one: which it is need not be asked.
#[repr(transparent)]
pub struct PerHart<T>(T);
impl<T> PerHart<T> {
    pub const fn new(value: T) -> PerHart<T> {
        PerHart(value)
    }
}
impl<T> Deref for PerHart<T> {
    type Target = T;
    /// That of the hart that asks.
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
impl<T> DerefMut for PerHart<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// What only code with interrupts off reaches, and needs no lock for that: on one hart, nobody else runs meanwhile. With a second, it is
/// behind a lock as well, or there is one for each hart.
#[repr(transparent)]
pub struct Masked<T>(UnsafeCell<T>);
// SAFETY: whoever reaches what is in it has promised `enter` that nobody else does.
unsafe impl<T> Sync for Masked<T> {}
impl<T> Masked<T> {
    pub const fn new(value: T) -> Masked<T> {
        Masked(UnsafeCell::new(value))
    }
    /// Runs `entry` with it.
    ///
    /// # Safety
    /// Interrupts are off until `entry` returns, or is left for good; and `entry` does not come here again.
    #[inline(always)]
    pub unsafe fn enter<R>(&self, entry: impl FnOnce(&mut T) -> R) -> R {
        // SAFETY: as for this function: on one hart there is no other reference.
        entry(unsafe { &mut *self.0.get() })
    }
}
