//! SEND: in a type of the extension's own.
#![no_std]
extern crate alloc;
use alloc::rc::Rc;
pub struct Holder<F>(pub F);
pub struct Counter(pub Rc<u64>);
impl Counter {
    pub fn count(&self) -> Holder<impl Fn() -> u64> {
        let count = self.0.clone();
        Holder(move || *count + 1)
    }
}
