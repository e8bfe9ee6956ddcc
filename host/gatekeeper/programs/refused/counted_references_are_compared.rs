//! PTR-INT: by where they lead.
#![no_std]
extern crate alloc;
use alloc::rc::Rc;
pub fn same(one: &Rc<u64>, other: &Rc<u64>) -> bool {
    Rc::ptr_eq(one, other)
}
