//! FNPTR: as a parameter that is nowhere held.
#![no_std]
use core::marker::PhantomData;
pub struct Makes<T>(PhantomData<fn() -> T>);
