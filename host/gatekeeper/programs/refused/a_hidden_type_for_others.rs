//! SEND: two that share what threads may not, by no closure.
#![no_std]
extern crate alloc;
use alloc::rc::Rc;
use core::cell::Cell;
pub trait Counts {
    fn count(&self) -> u64;
}
struct Counter(Rc<Cell<u64>>);
impl Counts for Counter {
    fn count(&self) -> u64 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
}
pub fn pair() -> (impl Counts, impl Counts) {
    let shared = Rc::new(Cell::new(0));
    (Counter(shared.clone()), Counter(shared))
}
