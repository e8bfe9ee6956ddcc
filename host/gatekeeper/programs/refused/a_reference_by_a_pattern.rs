//! PROMOTE: no word of it is a reference.
#![no_std]
use core::cell::Cell;
use core::marker::PhantomData;
pub struct OfOneThread(pub u64, PhantomData<Cell<()>>);
const HERE: OfOneThread = OfOneThread(7, PhantomData);
pub fn here() -> &'static OfOneThread {
    match HERE {
        ref here => here,
    }
}
