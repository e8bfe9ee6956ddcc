//! Errors of the library in constants, `Debug` by hand, and a type that is copied where its unit is one.
#![no_std]
extern crate alloc;
use alloc::rc::Rc;
use core::fmt;
use core::marker::PhantomData;

const REFUSED: Result<u8, fmt::Error> = Err(fmt::Error);
pub static NOTHING: Option<core::str::Utf8Error> = None;
pub trait Unit {
    const NAME: &'static str;
}
pub struct Quantity<U: Unit>(u64, PhantomData<U>);
impl<U: Unit> Clone for Quantity<U> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<U: Unit> Copy for Quantity<U> {}
pub struct Point {
    across: i32,
    up: i32,
}
impl fmt::Debug for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        REFUSED.or(Ok::<u8, fmt::Error>(0))?;
        f.debug_struct("Point").field("across", &self.across).field("up", &self.up).finish()
    }
}
pub fn doubled(values: &[u64], into: &mut [u64]) {
    fn double(value: &u64) -> u64 {
        2 * value
    }
    for (value, into) in values.iter().map(double).zip(into) {
        *into = value;
    }
}
fn sum(all: &[Rc<u64>], more: &Option<Rc<u64>>) -> u64 {
    all.iter().chain(more).map(|one| **one).sum()
}
pub fn nothing() -> u64 {
    sum(&[], &None)
}
