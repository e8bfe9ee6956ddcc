//! EXPLICIT: the relation is that of a type of the extension's own, two types away.
#![no_std]
pub struct Inner<'a, T>(&'a T);
pub struct Outer<'a, 'b>(Inner<'a, &'b u64>);
pub trait Look {
    fn look(&self) -> u64;
}
impl<'a, 'b> Look for Outer<'a, 'b> {
    fn look(&self) -> u64 {
        **self.0.0
    }
}
