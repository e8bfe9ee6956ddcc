//! Semaphores, and the interrupts that post them.

use crate::{seldom_with_caller, with_caller, with_new_portals};
use pebble::interfaces::interrupts;
use pebble::interfaces::types::{DomainNumber, PortalNumber, SemaphoreId, ThreadIndex};

pub extern "C" fn semaphore_create(thread: ThreadIndex, value: usize) -> isize {
    with_new_portals(thread, 2, |manager, caller| manager.semaphore_create(caller, value))
}
#[optimize(size)]
pub extern "C" fn semaphore_destroy(thread: ThreadIndex, semaphore: PortalNumber) -> isize {
    seldom_with_caller(thread, |manager, caller| manager.semaphore_destroy(caller, semaphore.0))
}
#[optimize(size)]
pub extern "C" fn attach(thread: ThreadIndex, device: usize, semaphore: PortalNumber) -> isize {
    seldom_with_caller(thread, |manager, caller| {
        let id = manager.semaphore_of(caller.direct, semaphore.0)?;
        interrupts::attach_for(DomainNumber(caller.subject), device, SemaphoreId(id))?;
        manager.posted_by_interrupts(id);
        Ok(0)
    })
}
pub extern "C" fn done(thread: ThreadIndex, device: usize) -> isize {
    with_caller(thread, |_, caller| interrupts::done_for(DomainNumber(caller.subject), device).map(|()| 0))
}
