//! HRTB: the bound is believed for lifetimes for which the impl does not hold.
#![no_std]
pub trait Reads<T> {
    fn read(value: T) -> u64;
}
pub fn of_all<R: for<'any> Reads<&'any u64>>(value: &u64) -> u64 {
    R::read(value)
}
