//! Domains of protection.

use crate::{client_memory, with_caller, with_new_portals};
use abi::name::Name;
use abi::protection::operation;
use pebble::interfaces::types::{Alleged, PortalNumber, ThreadIndex};

#[optimize(size)]
pub extern "C" fn protection_create(thread: ThreadIndex, name: Alleged<Name>) -> isize {
    with_new_portals(thread, 1, |manager, caller| manager.create_protection(caller, client_memory::name(name)?.text()))
}
#[optimize(size)]
pub extern "C" fn protection_open(thread: ThreadIndex, name: Alleged<Name>) -> isize {
    with_new_portals(thread, 1, |manager, caller| manager.open_protection(caller, client_memory::name(name)?.text()))
}
#[optimize(size)]
pub extern "C" fn protection_operate(
    thread: ThreadIndex,
    handle: PortalNumber,
    what: usize,
    first: usize,
    second: usize,
    third: usize,
) -> isize {
    // C passes numbers as ints.
    let handle = handle.0 as u32 as usize;
    if what == operation::CONNECT {
        return with_new_portals(thread, 1, |manager, caller| {
            manager.operate(caller, handle, what, [first, second, third]).map(|number| number as usize)
        });
    }
    with_caller(thread, |manager, caller| manager.operate(caller, handle, what, [first, second, third]))
}
