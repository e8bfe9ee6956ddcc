//! PROMOTE: one object for all, though its type says that it is not.
#![no_std]
use core::cell::Cell;
use core::marker::PhantomData;
pub struct OfOneThread(pub u64, PhantomData<Cell<()>>);
pub const HERE: &OfOneThread = &OfOneThread(7, PhantomData);
