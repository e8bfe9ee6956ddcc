//! PROMOTE: in the body of a function, where nothing says constant.
#![no_std]
use core::cell::Cell;
use core::marker::PhantomData;
pub struct OfOneThread(pub u64, PhantomData<Cell<()>>);
pub fn here() -> &'static OfOneThread {
    &OfOneThread(7, PhantomData)
}
