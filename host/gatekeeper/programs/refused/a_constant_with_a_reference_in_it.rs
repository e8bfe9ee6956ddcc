//! PROMOTE: behind a type with another name, by a function.
#![no_std]
use core::cell::Cell;
use core::marker::PhantomData;
pub struct OfOneThread(pub u64, PhantomData<Cell<()>>);
impl OfOneThread {
    pub const fn new(n: u64) -> Self {
        OfOneThread(n, PhantomData)
    }
}
pub struct Held(pub &'static OfOneThread);
pub const HERE: Held = Held(&OfOneThread::new(7));
