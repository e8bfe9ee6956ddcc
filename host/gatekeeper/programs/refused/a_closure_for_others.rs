//! SEND: two that share what threads may not.
#![no_std]
extern crate alloc;
use alloc::rc::Rc;
use core::cell::Cell;
pub fn pair() -> (impl Fn() -> u64 + 'static, impl Fn(u64) + 'static) {
    let shared = Rc::new(Cell::new(0));
    let other = shared.clone();
    (move || shared.get(), move |value| other.set(value))
}
