//! Domains of protection.

use crate::{client_memory, seldom_with_caller, with_new_portals};
use abi::Error;
use abi::name::Name;
use abi::protection::operation;
use abi::rights::Rights;
use pebble::interfaces::types::{Address, Alleged, PageRights, PortalNumber, ThreadIndex};

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
    if what == operation::ACCEPT {
        return with_new_portals(thread, 1, |manager, caller| manager.accept(caller, thread.0, handle));
    }
    if matches!(what, operation::CONNECT | operation::DELEGATE) {
        return with_new_portals(thread, 1, |manager, caller| {
            manager.operate(caller, handle, what, [first, second, third]).map(|number| number as usize)
        });
    }
    seldom_with_caller(thread, |manager, caller| manager.operate(caller, handle, what, [first, second, third]))
}
#[optimize(size)]
pub extern "C" fn protection_make(thread: ThreadIndex, delegation: PortalNumber, name: Alleged<Name>) -> isize {
    let delegation = delegation.0 as u32 as usize;
    with_new_portals(thread, 1, |manager, caller| {
        manager.make_delegated(caller, delegation, client_memory::name(name)?.text())
    })
}
#[optimize(size)]
pub extern "C" fn protection_place(
    thread: ThreadIndex,
    handle: PortalNumber,
    at: Address,
    rights: PageRights,
    from: Alleged<u8>,
    bytes: usize,
) -> isize {
    let handle = handle.0 as u32 as usize;
    seldom_with_caller(thread, |manager, caller| {
        let rights = Rights::of_page(rights.0).ok_or(Error::EINVAL)?;
        manager.place(caller, handle, at.0, rights, (from.address(), bytes))
    })
}
