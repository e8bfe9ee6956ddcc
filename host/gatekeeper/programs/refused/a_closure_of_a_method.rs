//! SEND: in a type of the extension's own.
#![no_std]
pub struct Holder<F>(pub F);
pub struct Counter(pub u64);
impl Counter {
    pub fn count(&self) -> Holder<impl Fn() -> u64> {
        let count = self.0;
        Holder(move || count + 1)
    }
}
