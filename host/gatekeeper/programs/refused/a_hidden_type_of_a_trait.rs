//! SEND: two that share what threads may not, by a trait's method.
#![no_std]
extern crate alloc;
use alloc::rc::Rc;
use core::cell::Cell;
pub trait Pairs {
    fn pair(&self) -> (impl Fn() -> u64 + 'static, impl Fn(u64) + 'static);
}
pub struct Tool;
impl Pairs for Tool {
    fn pair(&self) -> (impl Fn() -> u64 + 'static, impl Fn(u64) + 'static) {
        let shared = Rc::new(Cell::new(0));
        let other = shared.clone();
        (move || shared.get(), move |value| other.set(value))
    }
}
