//! COPY: the library looks at the type, not at the lifetime.
#![no_std]
use core::cell::Cell;
pub struct Counted<'a>(&'a Cell<u64>);
impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        self.0.set(self.0.get() + 1);
        Counted(self.0)
    }
}
impl Copy for Counted<'static> {}
