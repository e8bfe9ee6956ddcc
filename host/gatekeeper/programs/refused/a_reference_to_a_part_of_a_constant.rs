//! PROMOTE: a field, a block, and what is computed in one.
#![no_std]
use core::cell::Cell;
use core::marker::PhantomData;
pub struct OfOneThread(pub u64, PhantomData<Cell<()>>);
const PAIR: (OfOneThread, u8) = (OfOneThread(7, PhantomData), 1);
pub fn part() -> &'static OfOneThread {
    &PAIR.0
}
pub fn block() -> &'static OfOneThread {
    &{ OfOneThread(7, PhantomData) }
}
pub fn computed() -> &'static OfOneThread {
    &const { OfOneThread(7, PhantomData) }
}
