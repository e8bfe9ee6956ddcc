//! PROMOTE: the compiler has two names for the type.
#![no_std]
use core::cell::Cell;
use core::marker::PhantomData;
pub struct Tool;
impl Tool {
    pub fn address(&self) -> u64 {
        struct OfOneThread(u64, PhantomData<Cell<()>>);
        const HERE: &OfOneThread = &OfOneThread(7, PhantomData);
        HERE.0
    }
}
